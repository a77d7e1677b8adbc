// SPDX-License-Identifier: GPL-2.0
/*
 * wpool: a bounded, elastic pool of kernel threads. This file starts the parts, and stops them in
 * reverse order, except that the freezer and /dev/wpool stop first. It has the parameters of the
 * default pool.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/wpool.h>

#include "compat.h"
#include "core/counts.h"
#include "core/current.h"
#include "core/handoff.h"
#include "core/housekeeping.h"
#include "core/monitor.h"
#include "core/monitor_timer.h"
#include "core/spawn_queue.h"
#include "core/stall_report.h"
#include "core/tidy_queue.h"
#include "core/trace.h"
#include "faces/debugfs.h"
#include "faces/dev/control/chardev.h"
#include "faces/sysfs.h"
#include "inject.h"
#include "pool/attrs.h"
#include "pool/dump.h"
#include "pool/orphans.h"
#include "pool/pool.h"
#include "task/debug.h"
#include "task/item.h"
#include "workers/affinity.h"
#include "workers/cgroup.h"
#include "workers/freezer.h"
#include "workers/hotplug.h"
#include "workers/reaper.h"
#include "workers/shrinker.h"
#include "workers/worker.h"

#ifdef COMPAT_UNTESTED
#pragma message "wpool was not tested with a kernel as new as this one"
#endif

/* A number or "max", for attributes that may have no limit. */
static int limit_set(const char *val, const struct kernel_param *kp)
{
	u32 value;
	int err;

	if (sysfs_streq(val, "max")) {
		*(u32 *)kp->arg = WPOOL_UNLIMITED;
		return 0;
	}
	err = kstrtou32(val, 10, &value);
	if (err)
		return err;
	/* as in sysfs: users write "max" for no limit, and not the number that represents it */
	if (value == WPOOL_UNLIMITED)
		return -ERANGE;
	*(u32 *)kp->arg = value;
	return 0;
}

static int limit_get(char *buffer, const struct kernel_param *kp)
{
	u32 value = *(u32 *)kp->arg;

	return value == WPOOL_UNLIMITED ? sysfs_emit(buffer, "max\n") :
					  sysfs_emit(buffer, "%u\n", value);
}

static const struct kernel_param_ops limit_ops = {
	.set = limit_set,
	.get = limit_get,
};

static u32 default_capacity = WPOOL_UNLIMITED;
module_param_cb(default_capacity, &limit_ops, &default_capacity, 0444);
__MODULE_PARM_TYPE(default_capacity, "uint");
MODULE_PARM_DESC(default_capacity,
		 "capacity of the default pool, 1 to 1048576 or max (default: max)");

static u32 default_queue_depth;
module_param_cb(default_queue_depth, &limit_ops, &default_queue_depth, 0444);
__MODULE_PARM_TYPE(default_queue_depth, "uint");
MODULE_PARM_DESC(default_queue_depth,
		 "queue_depth of the default pool, 0 to 536870912 or max (default: 0)");

static unsigned int default_expiry_ms = 1000;
module_param(default_expiry_ms, uint, 0444);
MODULE_PARM_DESC(default_expiry_ms,
		 "expiry_ms of the default pool, 0 to 86400000 (default: 1000)");

/* insmod shows only an errno: log which parameter is wrong. */
static int __init check_parameter(const struct wpool_attrs *attrs, u32 which,
				  const char *name)
{
	int err = wpool_attrs_check(attrs, which, NULL);

	if (err)
		pr_err("the value of the parameter %s is out of its range\n", name);
	return err;
}

static int __init check_parameters(const struct wpool_attrs *attrs)
{
	return check_parameter(attrs, WPOOL_TUNE_CAPACITY, "default_capacity") ?:
	       check_parameter(attrs, WPOOL_TUNE_QUEUE_DEPTH, "default_queue_depth") ?:
	       check_parameter(attrs, WPOOL_TUNE_EXPIRY_MS, "default_expiry_ms");
}

static int __init wpool_init(void)
{
	struct wpool_attrs attrs;
	int err;

	wpool_attrs_init(&attrs);
	attrs.name = "default";
	attrs.capacity = default_capacity;
	attrs.queue_depth = default_queue_depth;
	attrs.expiry_ms = default_expiry_ms;
	err = check_parameters(&attrs);
	if (err)
		return err;

	if (IS_ENABLED(CONFIG_DEBUG_OBJECTS))
		wpool_debug_setup(wpool_task_cancel, wpool_task_cancel_sync);
	wpool_trace_init();
	wpool_counts_init();
	wpool_monitor_init();
	wpool_class.dev_groups = wpool_sysfs_groups;
	wpool_stall_dump = wpool_dump;
	wpool_worker_fn = wpool_worker_main;

	err = wpool_item_module_init();
	if (err)
		return err;
	err = wpool_tidy_init();
	if (err)
		goto err_func;
	wpool_handoff_init();
	err = wpool_reaper_init();
	if (err)
		goto err_tidy;
	err = wpool_cgroup_init();
	if (err)
		goto err_reaper;
	err = wpool_spawn_init();
	if (err)
		goto err_cgroup;
	wpool_housekeeping_init(wpool_affinity_update);
	/* before the first pool: hotplug makes the run queues of CPUs that come online */
	err = wpool_hotplug_init();
	if (err)
		goto err_spawner;
	err = wpool_pools_init(&attrs);
	if (err)
		goto err_hotplug;
	err = wpool_orphans_init();
	if (err)
		goto err_pools;
	err = wpool_shrinker_init();
	if (err)
		goto err_left;
	err = wpool_chardev_init();
	if (err)
		goto err_shrink;
	wpool_dump_init();
	wpool_debugfs_init();
	wpool_inject_init();
	return 0;

err_shrink:
	wpool_shrinker_exit();
err_left:
	wpool_orphans_exit();
err_pools:
	wpool_freezer_exit();
	wpool_pools_exit();
err_hotplug:
	wpool_hotplug_exit();
err_spawner:
	wpool_monitor_timer_exit();
	wpool_housekeeping_exit();
	wpool_spawn_exit();
err_cgroup:
	wpool_cgroup_exit();
err_reaper:
	wpool_reaper_exit();
err_tidy:
	wpool_tidy_exit();
	rcu_barrier();
	wpool_handoff_exit();
	wpool_pools_free();
err_func:
	wpool_item_module_exit();
	return err;
}

static void __exit wpool_exit(void)
{
	/* first: a frozen pool would never become empty */
	wpool_freezer_exit();
	/* no file is open: an open file holds a reference on the module */
	wpool_chardev_exit();
	wpool_inject_exit();
	wpool_debugfs_exit();
	wpool_dump_exit();
	wpool_shrinker_exit();
	wpool_orphans_exit();
	/* ends the last pool: no task, no worker, and no expiry timer after this */
	wpool_pools_exit();
	wpool_hotplug_exit();
	/* waits for the monitor, which finds no pool any more */
	wpool_monitor_timer_exit();
	wpool_housekeeping_exit();
	/* waits for requests for workers, which hold references to pools */
	wpool_spawn_exit();
	wpool_cgroup_exit();
	wpool_reaper_exit();
	/* waits for works that end tasks, and hold references to pools */
	wpool_tidy_exit();
	/* waits for workers that RCU frees */
	rcu_barrier();
	wpool_handoff_exit();
	wpool_pools_free();
	wpool_item_module_exit();
}

module_init(wpool_init);
module_exit(wpool_exit);

MODULE_DESCRIPTION("A bounded, elastic worker pool with work stealing");
MODULE_AUTHOR("The wpool developers");
MODULE_VERSION(WPOOL_VERSION);
MODULE_LICENSE("GPL");
