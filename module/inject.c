// SPDX-License-Identifier: GPL-2.0
/* Fault injection, see inject.h. Has no effect until a test or a user enables it. */
#include "inject.h"

#if defined(CONFIG_FAULT_INJECTION) && defined(CONFIG_FAULT_INJECTION_DEBUG_FS)

#include <linux/debugfs.h>
#include <linux/fault-inject.h>

static DECLARE_FAULT_ATTR(spawn_attr);
static struct dentry *spawn_dir;

bool wpool_inject_spawn(void)
{
	return should_fail(&spawn_attr, 1);
}

int wpool_inject_init(void)
{
	spawn_dir = fault_create_debugfs_attr("fail_wpool_spawn", NULL, &spawn_attr);
	return 0;
}

void wpool_inject_exit(void)
{
	debugfs_remove(spawn_dir);
}

#endif

#if IS_ENABLED(CONFIG_KUNIT)

#include <linux/export.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>

DEFINE_STATIC_KEY_FALSE(wpool_inject_delays);
static void (*delay_fn)(struct wpool_task *task);

void __wpool_inject_delay(struct wpool_task *task)
{
	void (*fn)(struct wpool_task *task) = READ_ONCE(delay_fn);

	if (fn)
		fn(task);
}

void wpool_inject_set_delay(void (*fn)(struct wpool_task *task))
{
	WRITE_ONCE(delay_fn, fn);
	if (fn)
		static_branch_enable(&wpool_inject_delays);
	else
		static_branch_disable(&wpool_inject_delays);
	/* wait for calls of the old function with interrupts off */
	synchronize_rcu();
}
EXPORT_SYMBOL_GPL(wpool_inject_set_delay);

unsigned int wpool_inject_start;
EXPORT_SYMBOL_GPL(wpool_inject_start);
module_param_named(inject_start, wpool_inject_start, uint, 0644);
MODULE_PARM_DESC(inject_start, "for tests: where the counters of new pools start (default: 0)");

#endif
