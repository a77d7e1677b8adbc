// SPDX-License-Identifier: GPL-2.0
/*
 * Costs of an idle pool: memory, and wake-ups.
 *
 *	memory [peer=NAME]
 *	quiet [seconds=S]
 *
 * "memory" measures how much the free memory shrinks by 1,000 pools, including their sysfs files,
 * then by as many idle workers, including their stacks, then by 100,000 queued tasks, without the
 * tasks themselves.
 * For a peer only the pools are measured. "quiet" makes workers, waits until the spare ones have
 * expired, and then counts the context switches of wpool's threads for S seconds: a thread that is
 * woken switches.
 */
#include <linux/completion.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include "bench.h"

struct gate_task {
	struct wpool_task task;
	struct completion *gate;
};

static void wait_at_gate(struct wpool_task *task)
{
	bench_count();
	wait_for_completion(container_of(task, struct gate_task, task)->gate);
}

static void count_only(struct wpool_task *task)
{
	bench_count();
}

static struct wpool *pool_create(u32 capacity, u32 expiry_ms)
{
	struct wpool_attrs attrs;

	wpool_attrs_init(&attrs);
	attrs.name = "bench_memory";
	attrs.capacity = capacity;
	attrs.queue_depth = WPOOL_UNLIMITED;
	attrs.expiry_ms = expiry_ms;
	return wpool_create(&attrs);
}

/* Make @nr workers in @pool: run @nr tasks, each of which waits until all have started. */
static int make_workers(struct wpool *pool, struct gate_task *tasks, u32 nr)
{
	DECLARE_COMPLETION_ONSTACK(gate);
	int err = tasks ? 0 : -ENOMEM;
	u32 i;

	if (err)
		return err;
	bench_count_reset();
	for (i = 0; i < nr && !err; i++) {
		wpool_task_init(&tasks[i].task, wait_at_gate);
		tasks[i].gate = &gate;
		err = wpool_submit(pool, &tasks[i].task);
	}
	if (!err)
		err = bench_count_wait(nr);
	complete_all(&gate);
	/* the gate stays open, so after an error tasks that start now pass it, too */
	while (wpool_flush(pool) == -EINTR)
		cond_resched();
	return err;
}

static int measure_pools(struct bench *b, u32 nr)
{
	struct bench_pool *pools = bench_zalloc(b, nr, sizeof(*pools));
	u64 before;
	int err = 0;
	u32 i;

	if (!pools)
		return -ENOMEM;
	before = bench_free_memory();
	for (i = 0; i < nr; i++) {
		/* the pools are never used, so they need no function */
		err = bench_pool_create(&pools[i], b->run, NULL);
		if (err)
			break;
	}
	bench_put(b->run, "pool_bytes", bench_shrunk_by(before) / nr);
	bench_pools_destroy(pools, i);
	return err;
}

static int measure_workers(struct bench *b, u32 nr)
{
	struct gate_task *tasks = bench_zalloc(b, nr, sizeof(*tasks));
	struct wpool *pool = pool_create(nr, 0);
	u64 before;
	int err;

	if (IS_ERR(pool))
		return PTR_ERR(pool);
	before = bench_free_memory();
	err = make_workers(pool, tasks, nr);
	bench_put(b->run, "worker_bytes", bench_shrunk_by(before) / nr);
	wpool_destroy(pool);
	return err;
}

static int measure_queued(struct bench *b, u32 nr)
{
	struct wpool_task *tasks = bench_zalloc(b, nr, sizeof(*tasks));
	struct wpool *pool = pool_create(1, 0);
	DECLARE_COMPLETION_ONSTACK(gate);
	struct gate_task first = { .gate = &gate };
	u64 before, used;
	int err;
	u32 i;

	if (IS_ERR(pool))
		return PTR_ERR(pool);
	bench_count_reset();
	wpool_task_init(&first.task, wait_at_gate);
	err = tasks ? wpool_submit(pool, &first.task) : -ENOMEM;
	if (!err)
		err = bench_count_wait(1);
	before = bench_free_memory();
	for (i = 0; i < nr && !err; i++) {
		wpool_task_init(&tasks[i], count_only);
		err = wpool_submit(pool, &tasks[i]);
	}
	used = bench_shrunk_by(before);
	complete_all(&gate);
	bench_put(b->run, "task_bytes", sizeof(struct wpool_task));
	bench_put(b->run, "queued_bytes", used / nr);
	wpool_destroy(pool);
	wpool_task_destroy_on_stack(&first.task);
	return err;
}

static int measure_memory(struct bench *b)
{
	int err = measure_pools(b, 1000);

	if (strcmp(bench_text(b->run, "peer", "wpool"), "wpool"))
		return err;
	return err ?: measure_workers(b, 1000) ?: measure_queued(b, 100000);
}

const struct bench_case bench_memory = {
	.name = "memory",
	.measure = measure_memory,
};

/* ---- wake-ups of quiet pools ---- */

u64 bench_switches(u32 *threads)
{
	struct task_struct *p;
	u64 sum = 0;

	*threads = 0;
	rcu_read_lock();
	for_each_process(p) {
		/* workers are called wp/..., the module's own threads wpool... */
		if (!(p->flags & PF_KTHREAD) ||
		    (strncmp(p->comm, "wp/", 3) && strncmp(p->comm, "wpool", 5)))
			continue;
		sum += p->nvcsw + p->nivcsw;
		++*threads;
	}
	rcu_read_unlock();
	return sum;
}

static int measure_quiet(struct bench *b)
{
	u64 before, seconds = bench_num(b->run, "seconds", 10);
	u32 nr = 16;
	struct gate_task *tasks = bench_zalloc(b, nr, sizeof(*tasks));
	struct wpool *pool = pool_create(256, 100);
	u32 threads_before, threads;
	int err;

	if (IS_ERR(pool))
		return PTR_ERR(pool);
	err = make_workers(pool, tasks, nr);
	if (!err) {
		/* wait until spare workers of this and of earlier pools have expired */
		bench_sleep_us(5 * USEC_PER_SEC);
		before = bench_switches(&threads_before);
		bench_sleep_us(seconds * USEC_PER_SEC);
		bench_put(b->run, "quiet_switches", bench_switches(&threads) - before);
		bench_put(b->run, "quiet_threads", threads);
		if (threads != threads_before || !threads)
			err = -EAGAIN;
	}
	wpool_destroy(pool);
	return err;
}

const struct bench_case bench_quiet = {
	.name = "quiet",
	.measure = measure_quiet,
};
