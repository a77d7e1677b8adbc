// SPDX-License-Identifier: GPL-2.0
/*
 * Phase volume: as many tasks as possible. Each producer has a set of tasks that do next to
 * nothing. Again and again it submits the set in batches of random sizes, waits for each task, and
 * checks that each task has run exactly once more. Meanwhile attributes are tuned; the limits may
 * become smaller than the number of tasks in the pool.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "torture.h"

#define NR_TASKS	1024
#define NR_POOLS	2
#define TUNE_EVERY	10	/* each pool is tuned once in this number of checks */

struct vtask {
	struct wpool_task task;
	struct tpool *tp;
	u32 runs;
	u32 wanted;
};

struct producer {
	u32 nr;
	struct tpool *tp;
	struct task_struct *thread;
	struct completion ended;
	const char *what;
	unsigned long since;
	u64 rounds;
	struct wpool_task *pointers[NR_TASKS];
	struct vtask tasks[NR_TASKS];
};

static void vtask_fn(struct wpool_task *task)
{
	struct vtask *vtask = container_of(task, struct vtask, task);

	tpool_enter(vtask->tp);
	WRITE_ONCE(vtask->runs, vtask->runs + 1);
	tpool_leave(vtask->tp);
}

static void doing(struct producer *p, const char *what)
{
	WRITE_ONCE(p->what, what);
	WRITE_ONCE(p->since, jiffies);
}

/* Submit @nr tasks from @first on, under any policy of the pool. */
static void hand_over(struct producer *p, u32 first, u32 nr, bool try)
{
	struct tpool *tp = p->tp;
	u32 done = 0;
	int ret;

	tpool_begin(tp, nr);
	while (done < nr) {
		if (nr == 1)
			ret = try ? wpool_try_submit(tp->pool, p->pointers[first]) :
				    wpool_submit(tp->pool, p->pointers[first]);
		else
			ret = wpool_submit_batch(tp->pool, p->pointers + first + done,
						 nr - done, try ? WPOOL_BATCH_TRY : 0);
		if (!ret && nr == 1)
			ret = 1;
		if (ret == -EAGAIN) {
			cond_resched();
			continue;
		}
		if (!torture_check(ret > 0 && ret <= nr - done, "%s: batch of %u: %d",
				   tp->name, nr - done, ret))
			break;
		done += ret;
	}
	tpool_end(tp, nr, done);
}

static void one_round(struct producer *p)
{
	static const u32 sizes[] = { 1, 8, 32, 64, 64, 64, 256, NR_TASKS };
	u32 first, size, i;
	struct vtask *vtask;
	struct rnd rnd;
	bool try;
	int err;

	rnd_step(&rnd, seed, p->nr, p->rounds);
	size = sizes[rnd_below(&rnd, ARRAY_SIZE(sizes))];
	try = rnd_one_in(&rnd, 3);

	doing(p, "submit");
	for (first = 0; first < NR_TASKS; first += size)
		hand_over(p, first, size, try);
	doing(p, "wait");
	for (i = 0; i < NR_TASKS; i++) {
		vtask = &p->tasks[i];
		err = wpool_task_wait(&vtask->task);
		vtask->wanted++;
		torture_check(!err && READ_ONCE(vtask->runs) == vtask->wanted,
			      "%s: round %llu, task %u: status %d, %u runs, not %u",
			      p->tp->name, p->rounds, i, err, vtask->runs, vtask->wanted);
		vtask->wanted = vtask->runs;
	}
	atomic64_add(NR_TASKS, &p->tp->runs);
	p->rounds++;
}

static int produce(void *data)
{
	struct producer *p = data;

	while (!torture_stopping()) {
		one_round(p);
		cond_resched();
		if (stutter_wanted()) {
			doing(p, NULL);
			stutter_stay();
		}
	}
	doing(p, NULL);
	complete(&p->ended);
	torture_await_stop();
	return 0;
}

static struct producer **producers;
static struct tpool *pools[NR_POOLS];

static struct producer *start_producer(u32 nr, struct tpool *tp)
{
	struct producer *p = kvzalloc(sizeof(*p), GFP_KERNEL);
	u32 i;

	if (!p)
		return NULL;
	p->nr = nr;
	p->tp = tp;
	init_completion(&p->ended);
	doing(p, "start");
	for (i = 0; i < NR_TASKS; i++) {
		p->tasks[i].tp = tp;
		p->pointers[i] = &p->tasks[i].task;
		wpool_task_init(p->pointers[i], vtask_fn);
	}
	p->thread = kthread_run(produce, p, "torture/%u", nr);
	if (IS_ERR(p->thread)) {
		kvfree(p);
		return NULL;
	}
	return p;
}

static void look_at(struct producer *p)
{
	if (!p || !READ_ONCE(p->what) ||
	    time_before(jiffies, READ_ONCE(p->since) + TORTURE_PATIENCE))
		return;
	torture_fail("producer %u is stuck: %s", p->nr, p->what);
	tpool_show(p->tp);
	torture_show_threads();
	doing(p, p->what);
}

static struct tpool *make_pool(u32 nr)
{
	struct wpool_attrs attrs;
	struct tpool *tp;

	wpool_attrs_init(&attrs);
	attrs.capacity = nr ? 64 : 4;
	attrs.queue_depth = nr ? WPOOL_UNLIMITED : 4096;
	tp = tpool_create(&attrs, false);
	if (tp)
		tp->volume = true;
	return tp;
}

/* Tune random attributes, or set limits that let many tasks run. */
static void tune(struct tpool *tp, u64 n)
{
	struct wpool_attrs attrs = { .queue_depth = 4096, .spin_us = 20 };
	struct rnd rnd;
	int err;

	rnd_step(&rnd, seed, RND_TUNER, n);
	if (rnd_one_in(&rnd, 3)) {
		tpool_tune(tp, rnd_u64(&rnd));
		return;
	}
	tpool_set_capacity(tp, rnd_from_to(&rnd, 4, 64));
	err = wpool_tune(tp->pool, &attrs, WPOOL_TUNE_QUEUE_DEPTH | WPOOL_TUNE_SPIN_US);
	torture_check(!err, "%s: not tuned: %d", tp->name, err);
}

static void look_at_producers(void)
{
	u32 i;

	for (i = 0; i < actors; i++)
		look_at(producers[i]);
}

static void for_all_pools(void (*fn)(struct tpool *tp))
{
	u32 i;

	for (i = 0; i < NR_POOLS; i++)
		fn(pools[i]);
}

void phase_volume(u32 others)
{
	u32 nr = others, i;
	u64 n = 0;

	producers = kcalloc(actors, sizeof(*producers), GFP_KERNEL);
	for (i = 0; i < NR_POOLS; i++) {
		pools[i] = make_pool(i);
		if (!pools[i] || !producers) {
			torture_fail("no memory");
			return;
		}
	}
	for (i = 0; i < actors; i++) {
		producers[i] = start_producer(i, pools[i % NR_POOLS]);
		nr += torture_check(producers[i], "producer %u: no memory", i);
	}
	stutter_open();
	while (torture_pause(100)) {
		look_at_producers();
		tpool_check(pools[n % NR_POOLS]);
		if (n % TUNE_EVERY < NR_POOLS)
			tune(pools[n % NR_POOLS], n);
		n++;
		stutter_serve(nr, look_at_producers, for_all_pools);
	}
	stutter_close();
	for (i = 0; i < actors; i++) {
		if (!producers[i])
			continue;
		while (!wait_for_completion_timeout(&producers[i]->ended, HZ))
			look_at(producers[i]);
		kthread_stop(producers[i]->thread);
		kvfree(producers[i]);
	}
	for (i = 0; i < NR_POOLS; i++)
		tpool_destroy(pools[i]);
	kfree(producers);
}
