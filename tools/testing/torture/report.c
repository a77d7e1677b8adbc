// SPDX-License-Identifier: GPL-2.0
/*
 * The results of a run, in /sys/module/wpool_torture/parameters:
 *
 *   state     the phase that runs, or "done"
 *   failures  violations so far
 *   tasks     functions that have returned
 *   digest    checksum of the first decisions of all actors
 *   seen      other things that were counted, and how often
 *
 * The first MAX_SHOWN violations are warnings in the kernel's log, and the others are only counted.
 * The run continues, because later violations may say more.
 */
#include <linux/bug.h>
#include <linux/module.h>
#include <linux/sched/debug.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "torture.h"

#define MAX_SHOWN	20

static atomic_t failures;
static atomic64_t tasks;
static atomic64_t digest;
static const char *state = "starting";

void torture_fail(const char *fmt, ...)
{
	struct va_format vaf;
	va_list args;

	if (atomic_inc_return(&failures) > MAX_SHOWN)
		return;
	va_start(args, fmt);
	vaf.fmt = fmt;
	vaf.va = &args;
	WARN(1, "wpool_torture: seed %lu, state %s: %pV\n", seed, READ_ONCE(state), &vaf);
	va_end(args);
}

void torture_show_threads(void)
{
	struct task_struct *task;

	rcu_read_lock();
	for_each_process(task)
		if (task->flags & PF_KTHREAD &&
		    (str_has_prefix(task->comm, "wp") ||
		     str_has_prefix(task->comm, "torture")))
			sched_show_task(task);
	rcu_read_unlock();
}

int torture_failures(void)
{
	return atomic_read(&failures);
}

void torture_count_tasks(u64 nr)
{
	atomic64_add(nr, &tasks);
}

void torture_digest(u32 thread, u64 what)
{
	struct rnd rnd = { .state = what ^ ((u64)thread << 32) };

	/* a sum, so that the order of the threads does not matter */
	atomic64_add(rnd_u64(&rnd), &digest);
}

static const char *const seen_names[NR_SEEN] = {
	[SAW_DELAYS] = "delays",
	[SAW_HOOKS] = "hooks",
	[SAW_SYNCS] = "syncs",
	[SAW_MOVES] = "moves",
	[SAW_BEHALVES] = "behalves",
	[SAW_OVERLAPS] = "overlaps",
	[SAW_RELEASES] = "releases",
};

static atomic64_t seen[NR_SEEN];

void torture_saw(enum torture_seen what, u32 nr)
{
	atomic64_add(nr, &seen[what]);
}

void torture_check_saw(enum torture_seen what)
{
	torture_check(atomic64_read(&seen[what]), "no %s", seen_names[what]);
}

void torture_set_state(const char *what)
{
	WRITE_ONCE(state, what);
	pr_info("wpool_torture: %s, seed %lu, %lld tasks so far, %d violations\n",
		what, seed, atomic64_read(&tasks), torture_failures());
}

/* RESULT() - a parameter that can be read, for run.sh */
#define RESULT(_name, _format, _value)						\
static int _name##_get(char *buffer, const struct kernel_param *kp)		\
{										\
	return sysfs_emit(buffer, _format "\n", _value);			\
}										\
static const struct kernel_param_ops _name##_ops = { .get = _name##_get };	\
module_param_cb(_name, &_name##_ops, NULL, 0444)

RESULT(state, "%s", READ_ONCE(state));
MODULE_PARM_DESC(state, "read only: what it is doing, in the end \"done\"");
RESULT(failures, "%d", torture_failures());
MODULE_PARM_DESC(failures, "read only: violations so far");
RESULT(tasks, "%lld", atomic64_read(&tasks));
MODULE_PARM_DESC(tasks, "read only: tasks that went through so far");
RESULT(digest, "%016llx", atomic64_read(&digest));
MODULE_PARM_DESC(digest, "read only: of the first decisions of each actor");

static int seen_get(char *buffer, const struct kernel_param *kp)
{
	int len = 0, i;

	for (i = 0; i < NR_SEEN; i++)
		if (atomic64_read(&seen[i]))
			len += sysfs_emit_at(buffer, len, "%s%lld %s", len ? ", " : "",
					     atomic64_read(&seen[i]), seen_names[i]);
	return len + sysfs_emit_at(buffer, len, "\n");
}

static const struct kernel_param_ops seen_ops = { .get = seen_get };
module_param_cb(seen, &seen_ops, NULL, 0444);
MODULE_PARM_DESC(seen, "read only: what else was seen so far");
