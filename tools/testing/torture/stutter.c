// SPDX-License-Identifier: GPL-2.0
/*
 * Silence. After a write of 1 to parameter "silence", each thread finishes what it has begun and
 * starts nothing, and the interrupts stop. The write returns when nothing of wpool runs. A write of
 * 0 returns after the last checks; then the threads go on.
 *
 * What must hold in a silence, however long it is:
 *   - no task is queued, runs, or waits for room, and the accounts are exact;
 *   - only workers that may stay are left, and all of them are idle;
 *   - once the first write has returned, no thread of wpool runs until the silence ends.
 *
 * This file cannot see timers: run.sh reads them in debugfs.
 * The idea is from stutter_wait() and torture_stutter() in Linux's kernel/torture.c.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "torture.h"

/* If no thread of wpool has run for this long, all of them are at rest. */
#define REST_MS		50

static DECLARE_WAIT_QUEUE_HEAD(changed);	/* @state, @wanted, @silent or @reached changes */
static enum { NOT_YET, OPEN, OVER } state;
static bool wanted;		/* the value of the parameter */
static bool silent;		/* no thread may start anything */
static bool reached;		/* @silent, and nothing of wpool runs */
static atomic_t nr_staying;

bool stutter_wanted(void)
{
	return READ_ONCE(silent);
}

void stutter_stay(void)
{
	atomic_inc(&nr_staying);
	wait_event_idle(changed, !READ_ONCE(silent));
	atomic_dec(&nr_staying);
}

/* The threads of wpool: how many there are, how many are awake, how often they ran. */
struct threads {
	u32 nr;
	u32 nr_awake;
	u64 switches;
};

static struct threads look_at_threads(void)
{
	struct threads threads = {};
	struct task_struct *task;

	rcu_read_lock();
	for_each_process(task) {
		if (!(task->flags & PF_KTHREAD) || !str_has_prefix(task->comm, "wp"))
			continue;
		threads.nr++;
		/* count an exiting thread as awake: it may wait for a CPU for long */
		threads.nr_awake += task_is_running(task) || READ_ONCE(task->exit_state);
		threads.switches += READ_ONCE(task->nvcsw) + READ_ONCE(task->nivcsw);
	}
	rcu_read_unlock();
	return threads;
}

static bool is_same(struct threads a, struct threads b)
{
	return a.nr == b.nr && a.switches == b.switches;
}

/* Wait until all threads of wpool sleep, and have not run for REST_MS. */
static struct threads await_rest(void)
{
	unsigned long end = jiffies + TORTURE_PATIENCE;
	struct threads before, now = look_at_threads();

	do {
		before = now;
		msleep(REST_MS);
		now = look_at_threads();
	} while (!(is_same(before, now) && !now.nr_awake) && time_before(jiffies, end));
	if (!torture_check(is_same(before, now) && !now.nr_awake,
			   "in silence %u of %u threads of wpool are awake and ran %llu times in %d ms",
			   now.nr_awake, now.nr, now.switches - before.switches, REST_MS))
		torture_show_threads();
	return now;
}

static void await_quiet(struct tpool *tp)
{
	unsigned long end = jiffies + TORTURE_PATIENCE;

	while (!tpool_is_quiet(tp)) {
		if (time_before(jiffies, end)) {
			msleep(20);
			continue;
		}
		torture_fail("%s: in silence it does not become quiet", tp->name);
		tpool_show(tp);
		torture_show_threads();
		return;
	}
}

static void still_quiet(struct tpool *tp)
{
	if (!torture_check(tpool_is_quiet(tp), "%s: in silence it did not stay quiet", tp->name))
		tpool_show(tp);
}

void stutter_serve(u32 nr, void (*look)(void), void (*for_all)(void (*fn)(struct tpool *tp)))
{
	int failures = torture_failures();
	struct threads before, now;

	if (!READ_ONCE(wanted))
		return;
	WRITE_ONCE(silent, true);
	while (atomic_read(&nr_staying) < nr) {
		look();
		for_all(tpool_check);
		msleep(20);
	}
	for_all(tirq_stop);
	for_all(await_quiet);
	before = await_rest();

	WRITE_ONCE(reached, true);
	wake_up_all(&changed);
	while (READ_ONCE(wanted) && !torture_leaving())
		msleep(20);
	now = look_at_threads();
	/* after a violation during the silence, these checks would only repeat it */
	if (failures == torture_failures()) {
		for_all(still_quiet);
		torture_check(is_same(before, now),
			      "in silence there were %u threads of wpool, are %u, and they ran %lld times",
			      before.nr, now.nr, (s64)(now.switches - before.switches));
	}
	for_all(tirq_go_on);
	WRITE_ONCE(reached, false);
	WRITE_ONCE(silent, false);
	wake_up_all(&changed);
}

void stutter_open(void)
{
	WRITE_ONCE(state, OPEN);
	wake_up_all(&changed);
}

void stutter_close(void)
{
	WRITE_ONCE(state, OVER);
	wake_up_all(&changed);
}

static int silence_set(const char *value, const struct kernel_param *kp)
{
	bool on;
	int err = kstrtobool(value, &on);

	if (err)
		return err;
	wait_event_idle(changed, READ_ONCE(state) != NOT_YET);
	WRITE_ONCE(wanted, on);
	wait_event_idle(changed, READ_ONCE(reached) == on || READ_ONCE(state) == OVER);
	return READ_ONCE(state) == OVER ? -ESHUTDOWN : 0;
}

static int silence_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", READ_ONCE(reached));
}

static const struct kernel_param_ops silence_ops = {
	.set = silence_set,
	.get = silence_get,
};

module_param_cb(silence, &silence_ops, NULL, 0644);
MODULE_PARM_DESC(silence, "1: all threads pause, and nothing of wpool may run, until 0 is written");
