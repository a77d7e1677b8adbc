// SPDX-License-Identifier: GPL-2.0
/*
 * wpool_httpd - an HTTP/1.1 server that holds 10,000 connections with 8 workers.
 *
 * The sample shows how a server, or a driver with many clients, is written with events: a
 * connection that is silent holds no worker, and a request is a run of its own.
 *
 *   parse.c   the head of a request
 *   answer.c  the paths, and the answers to them
 *   conn.c    a connection as the protocol sees it: a step does what it can without waiting
 *   serve.c   a connection as wpool sees it: an event, whose run is a step; what fires it, and how
 *             it ends
 *   listen.c  accepting connections, not more than max_connections
 *   main.c    the parameters, the start and the end
 *
 * The server answers GET and HEAD of /, /bytes?n=NUMBER, /slow?ms=NUMBER and /figures, on the
 * loopback address unless told otherwise:
 *
 *   insmod wpool_httpd.ko port=8080 workers=8
 *   curl http://127.0.0.1:8080/
 *
 * The pool is /sys/class/wpool/httpd. It has a place for every connection, so that none ever waits
 * for room. The server is a sample: no TLS, no files, no Date field.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/inet.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/wpool.h>
#include <linux/wpool_event.h>

#include "httpd.h"

#define MAX_CONNECTIONS	1000000U
#define MAX_IDLE_MS	(24U * 60 * 60 * 1000)

static char *address = "127.0.0.1";
module_param(address, charp, 0444);
MODULE_PARM_DESC(address, "IPv4 address to listen on (default: 127.0.0.1)");

static ushort port = 8080;
module_param(port, ushort, 0444);
MODULE_PARM_DESC(port, "TCP port to listen on (default: 8080)");

static uint workers = 8;
module_param(workers, uint, 0444);
MODULE_PARM_DESC(workers, "how many requests are served at the same time (default: 8)");

static uint max_connections = 10000;
module_param(max_connections, uint, 0444);
MODULE_PARM_DESC(max_connections, "how many may be open; others wait to be accepted (default: 10000)");

static uint idle_ms = 30000;
module_param(idle_ms, uint, 0444);
MODULE_PARM_DESC(idle_ms, "how long a connection may be silent, or a request incomplete (default: 30000)");

static uint allow_fault;
module_param(allow_fault, uint, 0444);
MODULE_PARM_DESC(allow_fault, "for tests: 1: a GET of /oops kills its worker; 2: so does the first accept (default: 0)");

static struct httpd server = {
	.lock = __SPIN_LOCK_UNLOCKED(server.lock),
	.conns = LIST_HEAD_INIT(server.conns),
	.told = LIST_HEAD_INIT(server.told),
	.users = REFCOUNT_INIT(1),
	.unused = COMPLETION_INITIALIZER(server.unused),
};

static struct wpool *make_pool(void)
{
	struct wpool_attrs attrs;

	wpool_attrs_init(&attrs);
	attrs.name = "httpd";
	attrs.capacity = workers;
	/* a place for each connection, and one for the event that accepts */
	attrs.queue_depth = max_connections + 1;
	return wpool_create(&attrs);
}

static int __init wpool_httpd_init(void)
{
	__be32 ip;
	int err;

	if (!in4_pton(address, -1, (u8 *)&ip, -1, NULL)) {
		pr_err("'%s' is no IPv4 address\n", address);
		return -EINVAL;
	}
	if (!max_connections || max_connections > MAX_CONNECTIONS ||
	    !idle_ms || idle_ms > MAX_IDLE_MS)
		return -ERANGE;
	server.max_connections = max_connections;
	server.idle = msecs_to_jiffies(idle_ms);
	server.allow_fault = allow_fault;
	server.pool = make_pool();
	if (IS_ERR(server.pool))
		return PTR_ERR(server.pool);
	err = listen_start(&server, ip, port);
	if (err) {
		pr_err("cannot listen on %pI4:%u: %pe\n", &ip, port, ERR_PTR(err));
		wpool_destroy(server.pool);
	}
	return err;
}

static void __exit wpool_httpd_exit(void)
{
	WRITE_ONCE(server.stopping, true);
	listen_stop(&server);
	serve_stop(&server);
	/* connections have fired the event when they closed; no connection is left */
	wpool_event_cancel_sync(&server.accept);
	/* waits until no worker is in our functions any more */
	wpool_destroy(server.pool);
	/* waits until no callback runs in the network's softirq */
	synchronize_net();
}

module_init(wpool_httpd_init);
module_exit(wpool_httpd_exit);
MODULE_DESCRIPTION("wpool sample: an HTTP server whose connections are events");
MODULE_LICENSE("GPL");
