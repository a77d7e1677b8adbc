// SPDX-License-Identifier: GPL-2.0
/*
 * wpool_bench_httpd - the server of module/samples/httpd without wpool, for comparison.
 *
 *   style=thread   thread.c: a kernel thread for each connection, which blocks
 *   style=percpu   queue.c: a work item for each connection, on a per-CPU workqueue
 *   style=unbound  the same on an unbound workqueue
 *
 * The other parameters are those of the sample. workers is the max_active of the workqueue; a
 * per-CPU workqueue divides it among the CPUs. Threads are not limited.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/in.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/string.h>
#include <net/sock.h>

#include "style.h"

static char *style = "unbound";
module_param(style, charp, 0444);
MODULE_PARM_DESC(style, "thread, percpu or unbound (default: unbound)");

static ushort port = 8080;
module_param(port, ushort, 0444);
MODULE_PARM_DESC(port, "TCP port to listen on, at 127.0.0.1 (default: 8080)");

uint workers = 8;
module_param(workers, uint, 0444);
MODULE_PARM_DESC(workers, "how many requests are served at the same time (default: 8)");

static uint max_connections = 10000;
module_param(max_connections, uint, 0444);
MODULE_PARM_DESC(max_connections, "how many may be open; others wait to be accepted (default: 10000)");

static uint idle_ms = 30000;
module_param(idle_ms, uint, 0444);
MODULE_PARM_DESC(idle_ms, "how long a connection may be silent (default: 30000)");

struct httpd server = {
	.lock = __SPIN_LOCK_UNLOCKED(server.lock),
	.conns = LIST_HEAD_INIT(server.conns),
	.told = LIST_HEAD_INIT(server.told),
	.users = REFCOUNT_INIT(1),
	.unused = COMPLETION_INITIALIZER(server.unused),
};

static const struct style *const styles[] = { &style_thread, &style_percpu, &style_unbound };
static const struct style *chosen;

static int make_socket(void)
{
	struct sockaddr_in sin = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(port),
	};
	int err;

	/* sock_create() takes a reference to the namespace, see module/samples/httpd/listen.c */
	err = sock_create(AF_INET, SOCK_STREAM, IPPROTO_TCP, &server.sock);
	if (err)
		return err;
	sock_set_reuseaddr(server.sock->sk);
	/* the type of this argument differs between kernels */
	err = kernel_bind(server.sock, (void *)&sin, sizeof(sin));
	if (err)
		sock_release(server.sock);
	return err;
}

static int __init bench_httpd_init(void)
{
	int err, i;

	for (i = 0; i < ARRAY_SIZE(styles); i++)
		if (!strcmp(styles[i]->name, style))
			chosen = styles[i];
	if (!chosen || !workers || !max_connections || !idle_ms)
		return -EINVAL;
	server.max_connections = max_connections;
	server.idle = msecs_to_jiffies(idle_ms);
	err = make_socket();
	if (err)
		return err;
	err = chosen->start();
	if (err)
		sock_release(server.sock);
	return err;
}

static void __exit bench_httpd_exit(void)
{
	WRITE_ONCE(server.stopping, true);
	chosen->stop();
	/* wait for callbacks that still run in the network's softirq */
	synchronize_net();
}

module_init(bench_httpd_init);
module_exit(bench_httpd_exit);
MODULE_DESCRIPTION("The HTTP server of wpool's sample, in other styles");
MODULE_LICENSE("GPL");
