// SPDX-License-Identifier: GPL-2.0
/*
 * Loads for the count of what runs with interrupts off, see scripts/bench-off.
 *
 *	off what=await		N tasks wait, each for the next one, and the last for the first
 *	off what=waits		N threads wait for a group; its task ends
 *	off what=group		N threads wait for room in a group; the group is cancelled
 *	off what=let_in		N threads wait for room in a pool; its capacity grows
 *	off what=close		N threads wait for room in a pool; the pool is closed
 *	off what=overdue	N tasks are queued, and the last one waits for too long
 *	off what=known		instructions with interrupts off, counted by hand
 *
 * All take n=N and the pool's attributes, as in peers.h. Only the emulator's plugin counts.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/wpool_group.h>

#include "bench.h"

struct off {
	struct bench b;
	const struct off_load *load;
	struct completion gate;
	struct wpool_group group;
	struct wpool_group_task *members;	/* a task of each producer */
	atomic_t nr_waiting;
};

static struct wpool *pool_of(struct off *o)
{
	return o->b.pool.wpool;
}

static void await_next(struct bench_item *item)
{
	struct off *o = item->data;
	u32 next = item - o->b.items + 1;

	atomic_inc(&o->nr_waiting);
	wait_for_completion(&o->gate);
	if (wpool_task_wait(&o->b.items[next == o->b.n ? 0 : next].task) == -EDEADLK)
		atomic_dec(&o->nr_waiting);
}

BENCH_FN(await_next);

static void stay_until(struct bench_item *item)
{
	struct off *o = item->data;

	wait_for_completion(&o->gate);
}

BENCH_FN(stay_until);

static int submit_items(struct off *o, u64 nr)
{
	return o->b.pool.peer->submit_all(&o->b.pool, o->b.items, nr) == nr ? 0 : -EIO;
}

/* Open the gate, and wait until the pool is empty. */
static void finish(struct off *o)
{
	complete_all(&o->gate);
	bench_flush(&o->b);
}

static int await(struct off *o)
{
	int err = submit_items(o, o->b.n);

	while (!err && atomic_read(&o->nr_waiting) < o->b.n)
		bench_sleep_us(1000);
	finish(o);
	/* one of the tasks must have found the circle */
	return err ?: atomic_read(&o->nr_waiting) == o->b.n ? -EIO : 0;
}

static int overdue(struct off *o)
{
	struct wpool_attrs attrs = { .max_wait_ms = 1 };
	int err;

	err = submit_items(o, o->b.n - 1) ?:
	      wpool_tune(pool_of(o), &attrs, WPOOL_TUNE_MAX_WAIT_MS) ?:
	      wpool_submit(pool_of(o), &o->b.items[o->b.n - 1].task);
	/* the sweep ends the task, unless too many are ahead of it */
	bench_sleep_us(200000);
	finish(o);
	return err;
}

/* ---- threads that wait ---- */

static int member(struct wpool_group_task *task)
{
	wait_for_completion(&container_of(task->group, struct off, group)->gate);
	return 0;
}

/* Producer 0 changes what all others wait for, when they sleep. */
static int let_in(struct off *o)
{
	struct wpool_attrs attrs = { .capacity = 2 * o->b.n };

	return wpool_tune(pool_of(o), &attrs, WPOOL_TUNE_CAPACITY);
}

static int close_pool(struct off *o)
{
	return wpool_release(pool_of(o), 0);
}

static int end_task(struct off *o)
{
	complete_all(&o->gate);
	return 0;
}

static int cancel_group(struct off *o)
{
	wpool_group_cancel(&o->group);
	return 0;
}

static int submit_one(struct off *o, u32 i)
{
	return wpool_submit(pool_of(o), &o->b.items[i].task);
}

static int submit_to_group(struct off *o, u32 i)
{
	return wpool_group_submit(&o->group, &o->members[i]);
}

static int wait_for_group(struct off *o, u32 i)
{
	return wpool_group_wait(&o->group);
}

struct off_load {
	const char *name;
	const struct bench_fn *fn;
	int (*perform)(struct off *o);		/* or, with threads: */
	int (*change)(struct off *o);
	int (*wait)(struct off *o, u32 i);
};

static int crowd(struct bench_producer *p)
{
	struct off *o = container_of((struct bench *)p->data, struct off, b);
	int err;

	if (p->index) {
		atomic_inc(&o->nr_waiting);
		/* the wait of some ends with an error, as it should */
		o->load->wait(o, p->index);
		return 0;
	}
	while (atomic_read(&o->nr_waiting) < o->b.producers - 1)
		bench_sleep_us(1000);
	/* give the last ones time to fall asleep */
	bench_sleep_us(20000);
	err = o->load->change(o);
	complete_all(&o->gate);
	return err;
}

/* A task of the pool, and of the group, has the only place. */
static int gather(struct off *o)
{
	u32 i;
	int err;

	err = wpool_group_init(&o->group, pool_of(o), 1, NULL);
	if (err)
		return err;
	for (i = 0; i < o->b.producers; i++)
		wpool_group_task_init(&o->members[i], member, NULL);
	err = wpool_group_submit(&o->group, &o->members[0]) ?:
	      bench_produce(&o->b, false, o->b.n, crowd);
	complete_all(&o->gate);
	wpool_group_exit(&o->group);
	return err;
}

/* ---- counted by hand ---- */

/* Eleven instructions after the first; they touch three lines. */
static int known_off(struct off *o)
{
#ifdef CONFIG_X86_64
	static u8 lines[4 * 64] __aligned(64);
	u32 i;

	for (i = 0; i < o->b.n; i++)
		asm volatile("cli\n\t"
			     "movq 0(%0), %%rax\n\t"
			     "pushfq\n\t"
			     "popq %%rdx\n\t"
			     "cli\n\t"
			     "nop\n\t"
			     "lock incl 64(%0)\n\t"
			     "pushq %%rdx\n\t"
			     "popfq\n\t"
			     "nop\n\t"
			     "movq %%rax, 0(%0)\n\t"
			     "sti"
			     : : "r" (lines) : "rax", "rdx", "memory", "cc");
#endif
	return 0;
}

static const struct off_load loads[] = {
	{ "await", &await_next_fn, await },
	{ "overdue", &stay_until_fn, overdue },
	{ "waits", &stay_until_fn, gather, end_task, wait_for_group },
	{ "group", &stay_until_fn, gather, cancel_group, submit_to_group },
	{ "let_in", &stay_until_fn, gather, let_in, submit_one },
	{ "close", &stay_until_fn, gather, close_pool, submit_one },
	{ "known", &stay_until_fn, known_off },
};

static int prepare(struct bench *b)
{
	struct off *o = container_of(b, struct off, b);
	int i;

	for (i = 0; i < ARRAY_SIZE(loads); i++)
		if (bench_is(b->run, "what", loads[i].name))
			o->load = &loads[i];
	if (!o->load)
		return -EINVAL;
	b->fn = o->load->fn;
	if (o->load->wait) {
		/* the first producer is the one that does not wait */
		b->nr_items = b->n + 1;
		b->producers = b->n + 1;
		o->members = bench_zalloc(b, b->producers, sizeof(*o->members));
	}
	init_completion(&o->gate);
	return 0;
}

static int measure(struct bench *b)
{
	struct off *o = container_of(b, struct off, b);

	return o->load->perform(o);
}

const struct bench_case bench_off = {
	.name = "off",
	.size = sizeof(struct off),
	.prepare = prepare,
	.measure = measure,
};
