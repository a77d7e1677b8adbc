// SPDX-License-Identifier: GPL-2.0
/*
 * wpool: a bounded, elastic pool of kernel threads. This file starts the parts, and stops them in
 * reverse order, except that the freezer stops first. It has the parameters of the default pool.
 */
#include <linux/module.h>
#include <linux/wpool.h>

#include "compat.h"
#include "core/counts.h"
#include "core/current.h"
#include "core/handoff.h"
#include "core/monitor.h"
#include "core/monitor_timer.h"
#include "core/spawn_queue.h"
#include "core/tidy_queue.h"
#include "core/trace.h"
#include "core/why.h"
#include "faces/debugfs.h"
#include "faces/dev/control/chardev.h"
#include "faces/sysfs.h"
#include "inject.h"
#include "pool/attrs.h"
#include "pool/dump.h"
#include "pool/orphans.h"
#include "pool/pool.h"
#include "task/item.h"
#include "workers/affinity.h"
#include "workers/cgroup.h"
#include "workers/expire.h"
#include "workers/freezer.h"
#include "workers/reaper.h"
#include "workers/worker.h"

#ifdef COMPAT_UNTESTED
#pragma message "wpool was not tested with a kernel as new as this one"
#endif

/* The attributes of the default pool that are parameters; kp->arg is the name of the attribute. */
static struct wpool_attrs parameters = { .capacity = WPOOL_UNLIMITED, .expiry_ms = 1000 };

/* After an error the kernel names the parameter in its log. */
static int parameter_set(const char *val, const struct kernel_param *kp)
{
	return wpool_sysfs_parse(kp->arg, val, strlen(val), &parameters);
}

static int parameter_get(char *buffer, const struct kernel_param *kp)
{
	return wpool_sysfs_emit(kp->arg, buffer, &parameters);
}

static const struct kernel_param_ops parameter_ops = {
	.set = parameter_set,
	.get = parameter_get,
};

module_param_cb(default_capacity, &parameter_ops, "capacity", 0444);
__MODULE_PARM_TYPE(default_capacity, "uint");
MODULE_PARM_DESC(default_capacity,
		 "capacity of the default pool, 1 to 1048576 or max (default: max)");

module_param_cb(default_queue_depth, &parameter_ops, "queue_depth", 0444);
__MODULE_PARM_TYPE(default_queue_depth, "uint");
MODULE_PARM_DESC(default_queue_depth,
		 "queue_depth of the default pool, 0 to 536870912 or max (default: 0)");

module_param_cb(default_expiry_ms, &parameter_ops, "expiry_ms", 0444);
__MODULE_PARM_TYPE(default_expiry_ms, "uint");
MODULE_PARM_DESC(default_expiry_ms,
		 "expiry_ms of the default pool, 0 to 86400000 (default: 1000)");

static int start_pools(void)
{
	struct wpool_attrs attrs;

	wpool_attrs_init(&attrs);
	wpool_attrs_merge(&attrs, &parameters, WPOOL_TUNE_CAPACITY | WPOOL_TUNE_QUEUE_DEPTH |
			  WPOOL_TUNE_EXPIRY_MS);
	attrs.name = "default";
	return wpool_pools_init(&attrs);
}

/*
 * The parts of the module, in the order in which they start. They end in the reverse order, also if
 * a later one fails to start. NULL: nothing can fail to start, see wpool_init().
 */
static const struct {
	int (*init)(void);
	void (*exit)(void);
} parts[] = {
	{ NULL, wpool_handoff_exit },
	{ wpool_item_module_init, wpool_item_module_exit },
	{ NULL, wpool_pools_free },
	/* waits for workers that RCU frees */
	{ NULL, rcu_barrier },
	/* waits for works that end tasks, and hold references to pools */
	{ wpool_tidy_init, wpool_tidy_exit },
	{ wpool_reaper_init, wpool_reaper_exit },
	{ wpool_cgroup_init, wpool_cgroup_exit },
	/* waits for requests for workers, which hold references to pools */
	{ wpool_spawn_init, wpool_spawn_exit },
	/* waits for the monitor, and drops its references to pools, which are destroyed by now */
	{ NULL, wpool_monitor_timer_exit },
	/* before the first pool: hotplug makes the run queues of CPUs that come online */
	{ wpool_hotplug_init, wpool_hotplug_exit },
	/* ends the last pool: no task, no worker, and no expiry timer after this */
	{ start_pools, wpool_pools_exit },
	{ wpool_orphans_init, wpool_orphans_exit },
	{ wpool_shrinker_init, wpool_shrinker_exit },
	{ wpool_dump_init, wpool_dump_exit },
	{ wpool_debugfs_init, wpool_debugfs_exit },
	{ wpool_inject_init, wpool_inject_exit },
	/* no file is open when it ends: an open file holds a reference on the module */
	{ wpool_chardev_init, wpool_chardev_exit },
};

static void end_parts(int nr)
{
	/* first: a frozen pool would never become empty */
	wpool_freezer_exit();
	while (nr--)
		parts[nr].exit();
}

static int __init wpool_init(void)
{
	int err, i;

	wpool_trace_init();
	wpool_counts_init();
	wpool_monitor_init();
	wpool_class.dev_groups = wpool_sysfs_groups;
	wpool_stall_dump = wpool_dump;
	wpool_worker_fn = wpool_worker_main;
	wpool_handoff_init();

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		err = parts[i].init ? parts[i].init() : 0;
		if (err) {
			end_parts(i);
			return err;
		}
	}
	return 0;
}

static void __exit wpool_exit(void)
{
	end_parts(ARRAY_SIZE(parts));
}

module_init(wpool_init);
module_exit(wpool_exit);

MODULE_DESCRIPTION("A bounded, elastic worker pool with work stealing");
MODULE_AUTHOR("The wpool developers");
MODULE_VERSION(WPOOL_VERSION);
MODULE_LICENSE("GPL");
