// SPDX-License-Identifier: GPL-2.0
/*
 * A task that leaves disabled softirqs, a plug and a memory cgroup, for the selftest module_load.
 * The suite wpool_contain tests all other things that a task may leave, but it needs KUnit. These
 * three need Debian's kernels, which have block devices and memory cgroups. On Debian's PREEMPT_RT,
 * a thread that disables softirqs takes a lock of its CPU.
 *
 * The init function succeeds if the next task of the same worker finds softirqs enabled, no plug
 * and no memory cgroup, and another thread on the worker's CPU can disable softirqs. Otherwise it
 * logs what was found.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/blkdev.h>
#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/wpool.h>

static struct found {
	pid_t pid;
	unsigned long softirqs;
	int preempt;
	int rcu;
	int migration;
	bool plug;
	bool memcg;
} left, found;

static struct blk_plug plug;
static long no_memcg;

static void leave(struct wpool_task *task)
{
	local_bh_disable();
	local_bh_disable();
	left.pid = current->pid;
	left.softirqs = softirq_count();
	blk_start_plug(&plug);
	/* the pointer is only compared: nothing is charged before the task returns */
	set_active_memcg((struct mem_cgroup *)&no_memcg);
}

static void look(struct wpool_task *task)
{
	found.pid = current->pid;
	found.softirqs = softirq_count();
	found.preempt = preempt_count();
	found.rcu = rcu_preempt_depth();
#ifdef CONFIG_SMP
	found.migration = current->migration_disabled;
#endif
	found.plug = current->plug;
	found.memcg = set_active_memcg(NULL);
	current->plug = NULL;
	usleep_range(10, 20);
}

static int run(struct wpool *pool, wpool_task_fn func)
{
	struct wpool_task task;

	wpool_task_init(&task, func);
	return wpool_submit(pool, &task) ?: wpool_task_wait(&task);
}

static int __init wpool_retire_init(void)
{
	struct wpool_attrs attrs;
	struct wpool *pool;
	int err;

	wpool_attrs_init(&attrs);
	attrs.name = "leave";
	attrs.capacity = 1;
	attrs.cpumask = cpumask_of(cpumask_first(cpu_online_mask));
	pool = wpool_create(&attrs);
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	err = run(pool, leave) ?: run(pool, look);
	wpool_destroy(pool);
	if (err)
		return err;
	/* if softirqs are still off, a lock may be held, and this thread would wait forever */
	if (!found.softirqs) {
		err = set_cpus_allowed_ptr(current, cpumask_of(cpumask_first(cpu_online_mask)));
		local_bh_disable();
		local_bh_enable();
		set_cpus_allowed_ptr(current, cpu_possible_mask);
	}
	if (found.pid == left.pid && left.softirqs && !found.softirqs && !found.preempt &&
	    !found.rcu && !found.migration && !found.plug && !found.memcg)
		return err;
	pr_info("left softirqs %lx; then preempt count %x, softirqs %lx, rcu depth %d, migration off %d,%s%s, %s worker\n",
		left.softirqs, found.preempt, found.softirqs, found.rcu, found.migration,
		found.plug ? " a plug," : "", found.memcg ? " a memory cgroup," : "",
		found.pid == left.pid ? "the same" : "another");
	return -EPROTO;
}

static void __exit wpool_retire_exit(void)
{
}

module_init(wpool_retire_init);
module_exit(wpool_retire_exit);
MODULE_DESCRIPTION("A task that leaves softirqs disabled, a plug, and a memory cgroup");
MODULE_LICENSE("GPL");
