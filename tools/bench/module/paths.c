// SPDX-License-Identifier: GPL-2.0
/*
 * The instructions and memory accesses of each common path: one operation at a time, between two
 * marks, again and again. Only the emulator's plugin counts, see mark.h.
 *
 *	paths what=stream [peer=percpu] [batch=1] [detached=1] [function=1]
 *				submit or batch (of 16 tasks), run
 *	paths what=wait		wait
 *	paths what=sleep	sleep
 *	paths what=help		spawn, help
 *	paths what=cancel	submit, cancel
 *	paths what=refuse	refuse
 *	paths what=block	block, serve
 *	paths what=idle		wake, start, park
 *	paths what=away		cancel of a task that waits on another CPU
 *	paths what=full		cancel of a detached task in a full ring, with busy=1 outside=1
 *	paths what=look pools=P	look, of the monitor, at P quiet pools and a busy one
 *	paths what=known	known
 *
 * All take n=N operations, and the pool's attributes, as in peers.h. busy=1: a task of the pool
 * occupies each other CPU meanwhile; with what=look, one other CPU. flush=1, with busy=1: another
 * thread is in wpool_flush(). outside=1, with what=cancel: the pool may not use the submitter's
 * CPU. The paths:
 *
 *	submit	a submit into a pool with a woken worker; batch: of 16 tasks;
 *		function: wpool_submit_fn()
 *	run	in a worker, from a function's end to the next function's start
 *	spawn	a submit by a task of the pool
 *	wait	a wait for a finished task
 *	sleep	a wait that sleeps: the waiter's part
 *	help	a task waits for its child, and runs the child itself
 *	cancel	a cancel of the only task queued here; submit is then the submit
 *		of this task
 *	refuse	a try_submit into a full pool
 *	block	a submit that sleeps until there is a place: the submitter's part
 *	serve	run, if a submitter waits: the end of the task lets it in
 *	wake	a submit into a pool that sleeps
 *	start	in a worker, from its switch onto the CPU to the function's start
 *	park	in a worker, from a function's end to its switch off the CPU. A spin
 *		before that takes a time, not a number of instructions: measure
 *		with spin=0.
 *	look	the monitor's timer: a look at the pools that it watches
 *	known	instructions without a pool, which can be counted by hand
 *
 * A CPU counts only while the operation's thread runs there: sched_switch sets marks. The submitter
 * stays on CPU 0.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/wpool_func.h>
#include <linux/wpool_stats.h>

#include "bench.h"
#include "mark.h"
#include "switches.h"

/* The tasks of a stream that are submitted in a row, while their worker waits for the CPU. */
#define BURST	32
#define CHUNK	16
#define RING	128	/* as WPOOL_RING_SIZE */
#define LOOK_US	10000	/* the monitor's period */

struct paths {
	struct bench b;
	const struct scenario *scenario;
	struct completion *gates;
	struct completion done;
	atomic_t left;
	bool ending;
	int err;
	struct occupant *occupants;
	u32 nr_busy;
	atomic_t nr_occupied;
	struct task_struct *flusher;
	struct wpool_task *fillers;	/* RING for each CPU */
	struct bench_pool *quiet;
	u64 nr_quiet;
};

/* A task that occupies a CPU by halting it, which costs the emulator nothing. */
struct occupant {
	struct wpool_task task;
	struct paths *paths;
};

/* ---- the functions ---- */

/* Marks the end of a run; begins the next one unless this task is the last of its burst. */
static void follow(struct bench_item *item)
{
	struct paths *p = item->data;

	bench_mark_end(BENCH_RUN);
	if (atomic_dec_and_test(&p->left))
		complete(&p->done);
	else
		bench_mark_begin(BENCH_RUN);
}

BENCH_FN(follow);

static void follow_arg(void *item)
{
	follow(item);
}

static void nothing(struct bench_item *item)
{
}

BENCH_FN(nothing);

static void stay(struct bench_item *item)
{
	struct paths *p = item->data;

	bench_mark_end(BENCH_SERVE);
	wait_for_completion(&p->gates[item->index]);
	if (!READ_ONCE(p->ending))
		bench_mark_begin(BENCH_SERVE);
}

BENCH_FN(stay);

static void be_alone(struct bench_item *item)
{
	bench_mark_end(BENCH_START);
	WRITE_ONCE(bench_parker, current);
	bench_mark_begin(BENCH_PARK);
}

BENCH_FN(be_alone);

static void parent(struct bench_item *item)
{
	struct paths *p = item->data;
	struct wpool_task *child = &p->b.items[1].task;
	u32 i;

	for (i = 0; i < p->b.n && !p->err; i++) {
		wpool_task_init(child, nothing_task);
		bench_mark_begin(BENCH_SPAWN);
		p->err = wpool_submit(p->b.pool.wpool, child);
		bench_mark_end(BENCH_SPAWN);
		if (p->err)
			break;
		bench_mark_begin(BENCH_HELP);
		p->err = wpool_task_wait(child);
		bench_mark_end(BENCH_HELP);
	}
}

BENCH_FN(parent);

/* ---- quiet pools, busy CPUs ---- */

/* Make the pools that have run one task each. */
static int make_quiet(struct paths *p)
{
	u64 nr = bench_num(p->b.run, "pools", 0);
	struct bench_pool *pool;
	int err = 0;

	p->quiet = nr ? bench_zalloc(&p->b, nr, sizeof(*p->quiet)) : NULL;
	while (p->quiet && p->nr_quiet < nr && !err) {
		pool = &p->quiet[p->nr_quiet];
		err = bench_pool_create(pool, p->b.run, p->b.fn);
		if (err)
			break;
		p->nr_quiet++;
		bench_items_init(pool, p->b.items, 1);
		err = pool->peer->submit(pool, p->b.items);
		pool->peer->flush(pool);
	}
	return err;
}

static void stand_still(void)
{
#ifdef CONFIG_X86
	local_irq_disable();
	raw_safe_halt();
#else
	cpu_relax();
#endif
}

static void occupy(struct wpool_task *task)
{
	struct paths *p = container_of(task, struct occupant, task)->paths;

	atomic_inc(&p->nr_occupied);
	while (!READ_ONCE(p->ending)) {
		stand_still();
		cond_resched();
	}
}

static int flush_all(void *data)
{
	struct paths *p = data;

	wpool_flush(p->b.pool.wpool);
	while (!kthread_should_stop())
		bench_sleep_us(1000);
	return 0;
}

static int occupy_others(struct paths *p)
{
	u32 cpu;
	int err;

	if (!bench_num(p->b.run, "busy", 0))
		return 0;
	p->occupants = bench_zalloc(&p->b, num_online_cpus(), sizeof(*p->occupants));
	if (!p->occupants)
		return -ENOMEM;
	for_each_online_cpu(cpu) {
		struct occupant *o = &p->occupants[p->nr_busy];

		if (!cpu || (p->quiet && p->nr_busy))
			continue;
		o->paths = p;
		wpool_task_init(&o->task, occupy);
		err = wpool_submit_on(p->b.pool.wpool, cpu, &o->task);
		if (err)
			return err;
		p->nr_busy++;
	}
	while (atomic_read(&p->nr_occupied) < p->nr_busy)
		bench_sleep_us(1000);
	if (!bench_num(p->b.run, "flush", 0))
		return 0;
	p->flusher = kthread_run(flush_all, p, "bench_flusher");
	/* give the flusher time to begin to wait */
	bench_sleep_us(20000);
	return PTR_ERR_OR_ZERO(p->flusher);
}

static void leave_others(struct paths *p)
{
	u32 i;

	WRITE_ONCE(p->ending, true);
	for (i = 0; i < p->nr_busy; i++)
		wpool_task_wait(&p->occupants[i].task);
	if (!IS_ERR_OR_NULL(p->flusher))
		kthread_stop(p->flusher);
}

/* Wait until only the occupants are in the pool. */
static void settle(struct paths *p)
{
	struct wpool_stats stats;

	if (!p->nr_busy) {
		bench_flush(&p->b);
		return;
	}
	do {
		bench_sleep_us(200);
		wpool_get_stats(p->b.pool.wpool, &stats);
	} while (stats.outstanding > p->nr_busy);
}

/* ---- the paths ---- */

static struct wpool_task *task_of(struct paths *p, u32 i)
{
	return &p->b.items[i].task;
}

static int submit_batch(struct paths *p)
{
	struct wpool_task *tasks[CHUNK];
	u32 first, i;
	int n;

	for (first = 0; first < BURST; first += CHUNK) {
		for (i = 0; i < CHUNK; i++)
			tasks[i] = task_of(p, first + i);
		bench_mark_begin(BENCH_BATCH);
		n = wpool_submit_batch(p->b.pool.wpool, tasks, CHUNK, 0);
		bench_mark_end(BENCH_BATCH);
		if (n != CHUNK)
			return -EIO;
	}
	return 0;
}

static int submit_one_by_one(struct paths *p, bool wpool)
{
	bool function = bench_num(p->b.run, "function", 0);
	int err;
	u32 i;

	for (i = 0; i < BURST; i++) {
		if (function) {
			bench_mark_begin(BENCH_SUBMIT);
			err = wpool_submit_fn(p->b.pool.wpool, follow_arg, &p->b.items[i], NULL,
					      GFP_KERNEL);
			bench_mark_end(BENCH_SUBMIT);
		} else if (wpool) {
			bench_mark_begin(BENCH_SUBMIT);
			err = wpool_submit(p->b.pool.wpool, task_of(p, i));
			bench_mark_end(BENCH_SUBMIT);
		} else {
			bench_mark_begin(BENCH_SUBMIT);
			err = !queue_work(p->b.pool.wq, &p->b.items[i].work);
			bench_mark_end(BENCH_SUBMIT);
		}
		if (err)
			return err;
	}
	return 0;
}

static int stream(struct paths *p)
{
	bool wpool = !strcmp(p->b.pool.peer->name, "wpool");
	bool batch = bench_num(p->b.run, "batch", 0);
	u32 bursts;
	int err;

	for (bursts = 0; bursts < p->b.n / BURST; bursts++) {
		bench_items_init(&p->b.pool, p->b.items, BURST);
		atomic_set(&p->left, BURST);
		err = batch ? submit_batch(p) : submit_one_by_one(p, wpool);
		if (err)
			return err;
		wait_for_completion(&p->done);
		settle(p);
	}
	return 0;
}

static int wait(struct paths *p)
{
	int err;
	u32 i;

	err = wpool_submit(p->b.pool.wpool, task_of(p, 0)) ?:
	      wpool_task_wait(task_of(p, 0));
	for (i = 0; i < p->b.n && !err; i++) {
		bench_mark_begin(BENCH_WAIT);
		err = wpool_task_wait(task_of(p, 0));
		bench_mark_end(BENCH_WAIT);
	}
	return err;
}

static int sleep(struct paths *p)
{
	int err = 0;
	u32 i;

	bench_sleeper = current;
	for (i = 0; i < p->b.n && !err; i++) {
		err = wpool_submit(p->b.pool.wpool, task_of(p, 0));
		if (err)
			break;
		bench_mark_begin(BENCH_SLEEP);
		err = wpool_task_wait(task_of(p, 0));
		bench_mark_end_away(BENCH_SLEEP);
	}
	return err;
}

static int help(struct paths *p)
{
	return wpool_submit(p->b.pool.wpool, task_of(p, 0)) ?:
	       wpool_task_wait(task_of(p, 0)) ?: p->err;
}

static __always_inline void cancel_marked(struct paths *p)
{
	bench_mark_begin(BENCH_CANCEL);
	if (wpool_task_cancel(task_of(p, 0)))
		bench_mark_end(BENCH_CANCEL);
	else
		bench_mark_drop(BENCH_CANCEL);
}

/* Wait until the task has run, or was cancelled. */
static int ended(struct paths *p)
{
	int err = wpool_task_wait(task_of(p, 0));

	return err == -ECANCELED ? 0 : err;
}

static int cancel(struct paths *p)
{
	int err = 0;
	u32 i;

	for (i = 0; i < p->b.n && !err; i++) {
		/* keep the task's worker off this CPU until the cancel */
		preempt_disable();
		bench_mark_begin(BENCH_SUBMIT);
		err = wpool_try_submit(p->b.pool.wpool, task_of(p, 0));
		bench_mark_end(BENCH_SUBMIT);
		cancel_marked(p);
		preempt_enable();
		if (!err)
			err = ended(p);
	}
	return err;
}

/* Cancel a task that is queued on another CPU, which an occupant keeps busy (busy=1). */
static int away(struct paths *p)
{
	int err = 0;
	u32 i;

	for (i = 0; i < p->b.n && !err; i++) {
		err = wpool_submit_on(p->b.pool.wpool, num_online_cpus() - 1, task_of(p, 0));
		if (err)
			break;
		cancel_marked(p);
		err = ended(p);
	}
	return err;
}

static int fill_ring(struct bench_producer *producer)
{
	struct paths *p = producer->data;
	struct wpool_task *task = p->fillers + producer->index * RING;
	int err = 0;
	u32 i;

	for (i = 0; i < RING && !err; i++, task++) {
		wpool_task_init_detached(task, nothing_task, NULL);
		err = wpool_submit(p->b.pool.wpool, task);
	}
	return err;
}

/* Fill the ring of each CPU with an occupant, and cancel a task in the middle of each. */
static int full(struct paths *p)
{
	u32 cpu;
	int err;

	p->fillers = bench_zalloc(&p->b, num_online_cpus() * RING, sizeof(*p->fillers));
	if (!p->fillers)
		return -ENOMEM;
	p->b.producers = num_online_cpus();
	err = bench_produce(&p->b, false, p->b.n, fill_ring);
	for (cpu = 1; cpu < num_online_cpus() && !err; cpu++)
		if (!wpool_task_cancel(p->fillers + cpu * RING + RING / 2))
			err = -EIO;
	return err;
}

/* Fill the pool with @limit tasks that wait for their gates. Returns when all have started. */
static int fill(struct paths *p, u32 limit)
{
	struct wpool_stats stats;
	u32 i;
	int err;

	for (i = 0; i < limit; i++) {
		err = wpool_submit(p->b.pool.wpool, task_of(p, i));
		if (err)
			return err;
	}
	do {
		bench_sleep_us(1000);
		wpool_get_stats(p->b.pool.wpool, &stats);
	} while (stats.queued);
	return stats.free ? -EINVAL : 0;
}

static void let_go(struct paths *p, u32 nr)
{
	u32 i;

	WRITE_ONCE(p->ending, true);
	for (i = 0; i < nr; i++)
		complete_all(&p->gates[i]);
	bench_flush(&p->b);
}

static u32 limit_of(struct paths *p)
{
	return bench_num(p->b.run, "capacity", 0) + bench_num(p->b.run, "depth", 0);
}

static int refuse(struct paths *p)
{
	u32 limit = limit_of(p), i;
	int err;

	err = fill(p, limit);
	for (i = 0; i < p->b.n && !err; i++) {
		bench_mark_begin(BENCH_REFUSE);
		err = wpool_try_submit(p->b.pool.wpool, task_of(p, limit));
		bench_mark_end(BENCH_REFUSE);
		err = err == -EAGAIN ? 0 : -EIO;
	}
	let_go(p, limit);
	return err;
}

/* Whenever the submitter waits and all released tasks have ended, release the oldest task. */
static int let_go_one_by_one(void *data)
{
	struct paths *p = data;
	struct wpool_stats stats;
	u32 i = 0;

	while (!kthread_should_stop()) {
		bench_sleep_us(50);
		wpool_get_stats(p->b.pool.wpool, &stats);
		if (stats.waiting && stats.completed == i)
			complete(&p->gates[i++]);
	}
	return 0;
}

static int block(struct paths *p)
{
	struct task_struct *releaser;
	u32 limit = limit_of(p), i;
	int err;

	err = fill(p, limit);
	if (err)
		goto out;
	releaser = kthread_run_on_cpu(let_go_one_by_one, p, num_online_cpus() - 1,
				      "bench_releaser");
	err = PTR_ERR_OR_ZERO(releaser);
	if (err)
		goto out;
	bench_blocker = current;
	for (i = 0; i < p->b.n && !err; i++) {
		bench_mark_begin(BENCH_BLOCK);
		err = wpool_submit(p->b.pool.wpool, task_of(p, limit + i));
		bench_mark_end_away(BENCH_BLOCK);
	}
	kthread_stop(releaser);
out:
	let_go(p, limit + p->b.n);
	return err;
}

static void until_asleep(struct paths *p)
{
	struct wpool_stats stats;

	do {
		bench_sleep_us(200);
		wpool_get_stats(p->b.pool.wpool, &stats);
	} while (stats.outstanding > p->nr_busy || stats.idle + p->nr_busy != stats.workers);
	/* wait until the worker, which counts as idle, is off its CPU */
	bench_sleep_us(200);
}

static int idle(struct paths *p)
{
	int err = 0;
	u32 i;

	for (i = 0; i < p->b.n && !err; i++) {
		until_asleep(p);
		bench_mark_begin(BENCH_WAKE);
		err = wpool_submit(p->b.pool.wpool, task_of(p, 0));
		bench_mark_end(BENCH_WAKE);
	}
	settle(p);
	return err;
}

/* The marks are those of the timer: this thread only waits until there were n looks. */
static int look(struct paths *p)
{
	int err = bench_watch_looks();
	u32 i;

	for (i = 0; i < p->b.n && !err; i++)
		bench_sleep_us(LOOK_US);
	return err;
}

/*
 * Nine instructions. Four are locked, two of these without a lock prefix. They access seven lines
 * and write six of them: one write reaches into a second line.
 */
static int known(struct paths *p)
{
#ifdef CONFIG_X86_64
	static u8 lines[8 * 64] __aligned(64);
	u32 i;

	for (i = 0; i < p->b.n; i++) {
		bench_mark_begin(BENCH_KNOWN);
		asm volatile("movq 0(%0), %%rax\n\t"
			     "lock incl 64(%0)\n\t"
			     "xchgl %%eax, %%edx\n\t"
			     "xchgl %%eax, 128(%0)\n\t"
			     "xchgq %%r8, 128(%0)\n\t"
			     "lock cmpxchgl %%edx, 192(%0)\n\t"
			     "cmpxchgl %%edx, 192(%0)\n\t"
			     "movq %%rax, 316(%0)\n\t"
			     "movb %%al, 384(%0)"
			     : : "r" (lines) : "rax", "rdx", "r8", "memory", "cc");
		bench_mark_end(BENCH_KNOWN);
	}
#endif
	return 0;
}

static const struct scenario {
	const char *name;
	int (*perform)(struct paths *p);
	const struct bench_fn *fn;
} scenarios[] = {
	{ "stream", stream, &follow_fn },
	{ "wait", wait, &nothing_fn },
	{ "sleep", sleep, &nothing_fn },
	{ "help", help, &parent_fn },
	{ "cancel", cancel, &nothing_fn },
	{ "away", away, &nothing_fn },
	{ "full", full, &nothing_fn },
	{ "refuse", refuse, &stay_fn },
	{ "block", block, &stay_fn },
	{ "idle", idle, &be_alone_fn },
	{ "look", look, &nothing_fn },
	{ "known", known, &nothing_fn },
};

/* ---- the thread on CPU 0 ---- */

struct performance {
	struct paths *paths;
	struct completion ended;
	int err;
};

static int perform(void *data)
{
	struct performance *it = data;

	it->err = it->paths->scenario->perform(it->paths);
	complete(&it->ended);
	/* kthread_stop() waits for this thread, so the module stays until the thread has ended */
	while (!kthread_should_stop())
		bench_sleep_us(1000);
	return 0;
}

static int perform_on_cpu_0(struct paths *paths)
{
	struct performance it = { .paths = paths };
	struct task_struct *thread;

	init_completion(&it.ended);
	thread = kthread_run_on_cpu(perform, &it, 0, "bench_paths");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	wait_for_completion(&it.ended);
	kthread_stop(thread);
	return it.err;
}

static int prepare(struct bench *b)
{
	struct paths *p = container_of(b, struct paths, b);
	int i;

	for (i = 0; i < ARRAY_SIZE(scenarios); i++)
		if (bench_is(b->run, "what", scenarios[i].name))
			p->scenario = &scenarios[i];
	if (!p->scenario)
		return -EINVAL;
	b->fn = p->scenario->fn;
	b->batch = 0;		/* stream() reads the parameter, as a flag */
	b->nr_items = BURST;
	if (bench_is(b->run, "what", "block") || bench_is(b->run, "what", "refuse"))
		b->nr_items = limit_of(p) + b->n + 1;
	p->gates = bench_zalloc(b, b->nr_items, sizeof(*p->gates));
	init_completion(&p->done);
	return 0;
}

static int measure(struct bench *b)
{
	struct paths *p = container_of(b, struct paths, b);
	int err = bench_watch_switches();
	u32 i;

	if (err)
		return err;
	for (i = 0; i < b->nr_items; i++) {
		b->items[i].index = i;
		init_completion(&p->gates[i]);
	}
	err = make_quiet(p) ?: occupy_others(p);
	if (!err) {
		bench_start_to_count();
		err = perform_on_cpu_0(p);
	}
	leave_others(p);
	bench_pools_destroy(p->quiet, p->nr_quiet);
	bench_unwatch();
	return err;
}

const struct bench_case bench_paths = {
	.name = "paths",
	.size = sizeof(struct paths),
	.n = 200,
	.prepare = prepare,
	.measure = measure,
};
