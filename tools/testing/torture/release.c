// SPDX-License-Identifier: GPL-2.0
/*
 * Phase release: after wpool_release() with WPOOL_RELEASE_CANCEL has returned, no task begins. Each
 * thread has a pool. In each round the thread fills the pool, closes it a moment later, and then
 * sets @released. A function must not start after that. Tasks submit themselves again and wait
 * for others, so at the release tasks are about to start in every way.
 *
 * The release waits until each worker that takes a task has claimed it. If the kernel preempts its
 * threads, a worker may be preempted after the claim, before the first instruction of the function.
 * So one function for each worker may see @released.
 *
 * Parameter "rounds" is the sum of the rounds of all threads.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/wpool_stats.h>

#include "torture.h"

#define NR_TASKS	24
#define MAX_CAPACITY	4

struct closer;

/* A task, and what its function does in this round. */
struct rtask {
	struct wpool_task task;
	struct closer *closer;
	bool again;
	bool forks;
	u32 us;
};

/* A thread and its pool. */
struct closer {
	u32 nr;	/* number of the thread and of the pool */
	struct wpool *pool;
	u32 capacity;
	bool released;	/* the release has returned */
	atomic64_t accepted;
	atomic64_t runs;	/* functions that started */
	atomic_t late;	/* functions that saw @released */
	u64 cancelled;	/* figure "cancelled" of the pool before this round */
	u64 rounds;	/* rounds to be done */
	u64 round;
	u64 seen;	/* the round in which await() last saw the thread */
	unsigned long since;	/* jiffies when await() first saw round @seen */
	struct task_struct *thread;
	struct completion ended;
	struct rtask tasks[NR_TASKS];
};

static void begin(struct closer *c)
{
	atomic64_inc(&c->runs);
	if (READ_ONCE(c->released))
		atomic_inc(&c->late);
}

static void plain_fn(void *arg)
{
	begin(arg);
}

static void submit_one(struct closer *c, struct wpool_task *task)
{
	int err;

	/* count the submit before the task runs; subtract it if the submit was refused */
	atomic64_inc(&c->accepted);
	err = wpool_try_submit(c->pool, task);
	if (!err)
		return;
	atomic64_dec(&c->accepted);
	torture_check(err == -EAGAIN || err == -ESHUTDOWN, "a submit: %d", err);
}

static void rtask_fn(struct wpool_task *task);

/* Submit another task and wait for it. The wait may run that task on this thread. */
static void fork_and_join(struct closer *c)
{
	struct rtask child = { .closer = c };
	int err;

	wpool_task_init(&child.task, rtask_fn);
	submit_one(c, &child.task);
	/* sometimes give a release time to return before the wait looks for the child */
	usleep_range(1, 30);
	err = wpool_task_wait(&child.task);
	while (err == -EDEADLK)
		err = wpool_task_cancel_sync(&child.task);
	torture_check(!err || err == -ECANCELED, "a child: %d", err);
	wpool_task_destroy_on_stack(&child.task);
}

static void rtask_fn(struct wpool_task *task)
{
	struct rtask *rtask = container_of(task, struct rtask, task);
	struct closer *c = rtask->closer;

	begin(c);
	if (rtask->again) {
		rtask->again = false;
		submit_one(c, task);
	}
	udelay(rtask->us);
	if (rtask->forks)
		fork_and_join(c);
}

static void fill(struct closer *c, struct rnd *rnd)
{
	struct wpool_task *batch[NR_TASKS];
	u32 size = rnd_below(rnd, NR_TASKS + 1), i;
	struct rtask *rtask;
	int ret;

	for (i = 0; i < NR_TASKS; i++) {
		rtask = &c->tasks[i];
		rtask->again = rnd_one_in(rnd, 4);
		rtask->forks = rnd_one_in(rnd, 8);
		rtask->us = rnd_one_in(rnd, 4) ? rnd_below(rnd, 10) : 0;
		wpool_task_set_urgent(&rtask->task, rnd_one_in(rnd, 8));
		batch[i] = &rtask->task;
	}
	if (size) {
		atomic64_add(size, &c->accepted);
		ret = wpool_submit_batch(c->pool, batch, size, 0);
		torture_check(ret == size, "%d of a batch of %u", ret, size);
	}
	for (i = size; i < NR_TASKS; i++) {
		submit_one(c, batch[i]);
		atomic64_inc(&c->accepted);
		ret = wpool_submit_fn(c->pool, plain_fn, c, THIS_MODULE, GFP_KERNEL);
		if (ret)
			atomic64_dec(&c->accepted);
		torture_check(!ret || ret == -ENOMEM, "a function: %d", ret);
	}
}

static void one_round(struct closer *c)
{
	/* one function for each worker may be late: see the top of the file */
	u32 may_be_late = IS_ENABLED(CONFIG_PREEMPTION) ? c->capacity : 0;
	struct wpool_stats s;
	s64 accepted, runs;
	struct rnd rnd;
	u32 i;
	int err;

	rnd_step(&rnd, seed, RND_RELEASE + c->nr, c->round);
	fill(c, &rnd);
	udelay(rnd_below(&rnd, rnd_one_in(&rnd, 2) ? 20 : 100));
	err = wpool_release(c->pool, WPOOL_RELEASE_CANCEL);
	WRITE_ONCE(c->released, true);
	torture_check(!err, "release: %d", err);
	err = wpool_release_timeout(c->pool, WPOOL_RELEASE_CANCEL, TORTURE_PATIENCE);
	torture_check(!err, "round %llu: not empty in time: %d", c->round, err);
	for (i = 0; i < NR_TASKS; i++) {
		err = wpool_task_wait(&c->tasks[i].task);
		torture_check(!err || err == -ECANCELED, "round %llu: a task: %d", c->round, err);
	}

	torture_check(atomic_read(&c->late) <= may_be_late,
		      "round %llu: %d functions began after a release, %u may", c->round,
		      atomic_read(&c->late), may_be_late);
	wpool_get_stats(c->pool, &s);
	accepted = atomic64_read(&c->accepted);
	runs = atomic64_read(&c->runs);
	torture_check(s.submitted == accepted && s.completed == runs &&
		      s.cancelled == accepted - runs,
		      "round %llu: %lld accepted, %lld runs; of the pool %llu submitted, %llu completed, %llu cancelled",
		      c->round, accepted, runs, s.submitted, s.completed, s.cancelled);
	torture_saw(SAW_RELEASES, s.cancelled != c->cancelled);
	c->cancelled = s.cancelled;

	atomic_set(&c->late, 0);
	WRITE_ONCE(c->released, false);
	err = wpool_reboot(c->pool);
	torture_check(!err, "reboot: %d", err);
}

static int closer_main(void *data)
{
	struct closer *c = data;

	while (c->round < c->rounds && !torture_leaving()) {
		one_round(c);
		WRITE_ONCE(c->round, c->round + 1);
		/* if the machine is lost, its log says how far the phase came */
		if (!(c->round % 10000))
			pr_info("wpool_torture: release%u: %llu rounds of %llu\n", c->nr, c->round,
				c->rounds);
		cond_resched();
	}
	complete(&c->ended);
	torture_await_stop();
	return 0;
}

static bool closer_start(struct closer *c, u32 nr)
{
	struct wpool_attrs attrs;
	char name[WPOOL_NAME_LEN];
	u32 i;

	c->nr = nr;
	c->rounds = rounds / actors + (nr < rounds % actors);
	c->capacity = 1 + nr % MAX_CAPACITY;
	c->since = jiffies;
	init_completion(&c->ended);
	for (i = 0; i < NR_TASKS; i++) {
		c->tasks[i].closer = c;
		wpool_task_init(&c->tasks[i].task, rtask_fn);
	}
	snprintf(name, sizeof(name), "release%u", nr);
	wpool_attrs_init(&attrs);
	attrs.name = name;
	attrs.capacity = c->capacity;
	attrs.queue_depth = WPOOL_UNLIMITED;
	c->pool = wpool_create(&attrs);
	if (!torture_check(!IS_ERR(c->pool), "create: %ld", PTR_ERR(c->pool)))
		return false;
	c->thread = kthread_run(closer_main, c, "torture/%u", nr);
	return torture_check(!IS_ERR(c->thread), "no thread: %ld", PTR_ERR(c->thread));
}

/* Wait until a thread ends. A violation if it ends no round for twice TORTURE_PATIENCE. */
static void await(struct closer *c)
{
	u64 round;

	while (!wait_for_completion_timeout(&c->ended, HZ)) {
		round = READ_ONCE(c->round);
		if (round != c->seen) {
			c->seen = round;
			c->since = jiffies;
		} else if (time_after(jiffies, c->since + 2 * TORTURE_PATIENCE)) {
			torture_fail("release%u is stuck in round %llu", c->nr, round);
			torture_show_threads();
			c->since = jiffies;
		}
	}
}

void phase_release(u32 others)
{
	struct closer *closers = kvcalloc(actors, sizeof(*closers), GFP_KERNEL);
	u32 i;

	for (i = 0; i < actors; i++)
		/* without memory or threads the phase cannot start */
		if (!torture_check(closers, "no memory") || !closer_start(&closers[i], i))
			return;
	for (i = 0; i < actors; i++) {
		await(&closers[i]);
		kthread_stop(closers[i].thread);
		wpool_destroy(closers[i].pool);
		torture_count_tasks(atomic64_read(&closers[i].runs));
	}
	kvfree(closers);
}
