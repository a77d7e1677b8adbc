// SPDX-License-Identifier: GPL-2.0
/*
 * The smallest server, after fasthttp's pattern. One function, bound to the pool, serves all
 * connections, as many at a time as the pool has workers. If all workers are busy, a further
 * connection is turned away at once, instead of queued: capacity N, queue_depth 0 and policy fail.
 *
 * This suits connections that work and end. A connection that may be silent, as with keep-alive,
 * must not hold a worker: as many silent clients as there are workers would shut out all others.
 * httpd/ is the server for those.
 *
 * The connections are made up: each is a completion, which comes when the peer hangs up. The pool
 * stays while the module is loaded.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/wpool.h>
#include <linux/wpool_func.h>

#define NR_WORKERS	4

static struct completion hung_up[NR_WORKERS + 1];
static struct wpool *pool;

/* Holds its worker until the peer hangs up. */
static void serve(void *connection)
{
	wait_for_completion(connection);
}

static int show_server(void)
{
	int id, err;

	for (id = 0; id < NR_WORKERS; id++) {
		err = wpool_invoke(pool, &hung_up[id]);
		if (err)
			return err;
		pr_info("connection %d: 200, served by a worker of its own\n",
			id);
	}

	err = wpool_invoke(pool, &hung_up[id]);
	if (err != -EAGAIN)
		return err ?: -EIO;
	pr_info("connection %d: 503, all %d workers are busy\n", id,
		NR_WORKERS);

	pr_info("connection 0: the peer hangs up\n");
	complete_all(&hung_up[0]);
	/* the worker needs a moment to return: the client tries again */
	do {
		fsleep(1000);
		err = wpool_invoke(pool, &hung_up[id]);
	} while (err == -EAGAIN);
	if (!err)
		pr_info("connection %d: 200, it tried again\n", id);
	return err;
}

static int __init wpool_sample_server_init(void)
{
	struct wpool_attrs attrs;
	int id, err;

	wpool_attrs_init(&attrs);
	attrs.name = "sample-server";
	attrs.capacity = NR_WORKERS;
	attrs.queue_depth = 0;
	attrs.policy = WPOOL_FAIL;
	pool = wpool_create_func(&attrs, serve);
	if (IS_ERR(pool))
		return PTR_ERR(pool);

	for (id = 0; id < ARRAY_SIZE(hung_up); id++)
		init_completion(&hung_up[id]);
	err = show_server();
	for (id = 0; id < ARRAY_SIZE(hung_up); id++)
		complete_all(&hung_up[id]);
	if (err)
		wpool_destroy(pool);
	return err;
}

static void __exit wpool_sample_server_exit(void)
{
	wpool_destroy(pool);
}

module_init(wpool_sample_server_init);
module_exit(wpool_sample_server_exit);
MODULE_DESCRIPTION("wpool sample: a server that turns clients away");
MODULE_LICENSE("GPL");
