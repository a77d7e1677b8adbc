// SPDX-License-Identifier: GPL-2.0
/* wpool_wq: workqueues on pools of wpool. This file makes the system workqueues. */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "wq/queue.h"

static const struct {
	const char *name;
	unsigned int flags;
} systems[] = {
	[WPOOL_WQ_DEFAULT] = { "wq" },
	[WPOOL_WQ_HIGHPRI] = { "wq-highpri", WQ_HIGHPRI },
	[WPOOL_WQ_FREEZABLE] = { "wq-freezable", WQ_FREEZABLE },
	[WPOOL_WQ_BH] = { "wq-bh", WPOOL_WQ_FLAG_BH },
};

static struct wpool_wq *queues[ARRAY_SIZE(systems)];

struct workqueue_struct *wpool_wq_grower;

struct wpool_wq *wpool_wq_system(enum wpool_wq_system which)
{
	return queues[which];
}
EXPORT_SYMBOL_GPL(wpool_wq_system);

static void destroy_all(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(systems); i++)
		wpool_wq_destroy(queues[i]);
	destroy_workqueue(wpool_wq_grower);
}

static int __init wpool_wq_init(void)
{
	int i;

	wpool_wq_grower = alloc_workqueue("wpool_wq", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!wpool_wq_grower)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(systems); i++) {
		queues[i] = wpool_wq_create(THIS_MODULE, systems[i].flags, 0, "%s",
					    systems[i].name);
		if (!queues[i]) {
			destroy_all();
			return -ENOMEM;
		}
	}
	return 0;
}

static void __exit wpool_wq_exit(void)
{
	/* no module uses this one any more: wait for the last callbacks, rcu_work_fn() */
	rcu_barrier();
	destroy_all();
}

module_init(wpool_wq_init);
module_exit(wpool_wq_exit);

MODULE_DESCRIPTION("Workqueues on pools of wpool");
MODULE_AUTHOR("The wpool developers");
MODULE_VERSION(WPOOL_VERSION);
MODULE_LICENSE("GPL");
