// SPDX-License-Identifier: GPL-2.0
/* The peers, see peers.h. The code for each is what its users would write. */
#include "peers.h"

#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/wpool_stats.h>

#include "compat.h"
#include "run.h"

/* The largest batch. Its array of pointers is on the submitter's stack. */
#define MAX_BATCH	64

/* Submits items one by one, without a call through a pointer for each. */
#define SUBMIT_ALL(name, is_submitted)					\
static u64 name##_submit_all(struct bench_pool *pool, struct bench_item *items, u64 nr) \
{									\
	struct bench_item *item;					\
									\
	for (item = items; item < items + nr; item++)			\
		if (!(is_submitted))					\
			break;						\
	return item - items;						\
}

/* ---- wpool ---- */

void bench_pool_attrs(struct wpool_attrs *attrs, const struct bench_run *run,
		      struct cpumask *cpumask)
{
	u64 cpu = bench_num(run, "cpu", nr_cpu_ids);

	wpool_attrs_init(attrs);
	attrs->capacity = bench_num(run, "capacity", attrs->capacity);
	attrs->queue_depth = bench_num(run, "depth", WPOOL_UNLIMITED);
	attrs->handoff = bench_num(run, "handoff", attrs->handoff);
	attrs->expiry_ms = bench_num(run, "expiry", attrs->expiry_ms);
	attrs->prealloc = bench_num(run, "prealloc", attrs->prealloc);
	attrs->spin_us = bench_num(run, "spin", attrs->spin_us);
	if (cpu < nr_cpu_ids) {
		cpumask_copy(cpumask, cpumask_of(cpu));
		attrs->cpumask = cpumask;
	} else if (bench_num(run, "outside", 0)) {
		cpumask_andnot(cpumask, cpu_possible_mask, cpumask_of(0));
		attrs->cpumask = cpumask;
	}
	/* the occupants of busy=1 must not become hogs, which do not count as running */
	if (bench_num(run, "busy", 0))
		attrs->hog_ms = WPOOL_MAX_HOG_MS;
}

static int wpool_peer_create(struct bench_pool *pool, const struct bench_run *run)
{
	static struct cpumask cpumask;	/* one measurement at a time */
	static atomic_t serial;
	struct wpool_attrs attrs;
	char name[WPOOL_NAME_LEN];

	bench_pool_attrs(&attrs, run, &cpumask);
	scnprintf(name, sizeof(name), "bench%d", atomic_inc_return(&serial));
	attrs.name = name;
	pool->wpool = wpool_create(&attrs);
	return PTR_ERR_OR_ZERO(pool->wpool);
}

static void wpool_peer_init(struct bench_pool *pool, struct bench_item *item)
{
	if (pool->detached)
		wpool_task_init_detached(&item->task, pool->fn->task, NULL);
	else
		wpool_task_init(&item->task, pool->fn->task);
}

static int wpool_peer_submit(struct bench_pool *pool, struct bench_item *item)
{
	return wpool_submit(pool->wpool, &item->task);
}

static int wpool_peer_submit_atomic(struct bench_pool *pool, struct bench_item *item)
{
	return wpool_try_submit(pool->wpool, &item->task);
}

static int wpool_peer_wait(struct bench_pool *pool, struct bench_item *item)
{
	int err;

	do {
		err = wpool_task_wait(&item->task);
	} while (err == -EINTR);
	return err;
}

SUBMIT_ALL(wpool_peer, !wpool_submit(pool->wpool, &item->task))

static u64 wpool_peer_submit_batch(struct bench_pool *pool,
				   struct bench_item *items, u64 nr, u32 batch)
{
	struct wpool_task *tasks[MAX_BATCH];
	u64 done = 0;
	u32 n, i;

	while (done < nr) {
		n = min3(nr - done, (u64)batch, (u64)MAX_BATCH);
		for (i = 0; i < n; i++)
			tasks[i] = &items[done + i].task;
		if (wpool_submit_batch(pool->wpool, tasks, n, 0) != n)
			break;
		done += n;
	}
	return done;
}

static void wpool_peer_flush(struct bench_pool *pool)
{
	while (wpool_flush(pool->wpool) == -EINTR)
		cond_resched();
}

static void wpool_peer_destroy(struct bench_pool *pool)
{
	/* a pool that stays would change the next measurements */
	WARN_ON_ONCE(wpool_destroy(pool->wpool));
}

/* ---- workqueues ---- */

static int percpu_create(struct bench_pool *pool, const struct bench_run *run)
{
	u64 cpu = bench_num(run, "cpu", nr_cpu_ids);

	if (cpu < nr_cpu_ids)
		pool->cpu = cpu;
	pool->wq = alloc_workqueue("bench_percpu", WQ_PERCPU,
				   bench_num(run, "capacity", 0));
	return pool->wq ? 0 : -ENOMEM;
}

static int unbound_create(struct bench_pool *pool, const struct bench_run *run)
{
	static atomic_t serial;

	/* names in sysfs must be unique */
	pool->wq = alloc_workqueue("bench_unbound%d", WQ_UNBOUND |
				   (bench_num(run, "sysfs", 0) ? WQ_SYSFS : 0),
				   min_t(u64, bench_num(run, "capacity", 0), WQ_MAX_ACTIVE),
				   atomic_inc_return(&serial));
	return pool->wq ? 0 : -ENOMEM;
}

static void wq_init(struct bench_pool *pool, struct bench_item *item)
{
	INIT_WORK(&item->work, pool->fn->work);
}

static int wq_submit(struct bench_pool *pool, struct bench_item *item)
{
	bool queued;

	if (pool->cpu >= 0)
		queued = queue_work_on(pool->cpu, pool->wq, &item->work);
	else
		queued = queue_work(pool->wq, &item->work);
	return queued ? 0 : -EALREADY;
}

static int wq_wait(struct bench_pool *pool, struct bench_item *item)
{
	flush_work(&item->work);
	return 0;
}

SUBMIT_ALL(wq, queue_work(pool->wq, &item->work))

static void wq_flush(struct bench_pool *pool)
{
	flush_workqueue(pool->wq);
}

static void wq_destroy(struct bench_pool *pool)
{
	destroy_workqueue(pool->wq);
}

/* ---- a workqueue with a bound ---- */

static int semaphore_create(struct bench_pool *pool, const struct bench_run *run)
{
	sema_init(&pool->semaphore, bench_num(run, "capacity", 64));
	return percpu_create(pool, run);
}

static int bounded_create(struct bench_pool *pool, const struct bench_run *run)
{
	sema_init(&pool->semaphore, bench_num(run, "capacity", 64));
	return unbound_create(pool, run);
}

static void semaphore_init(struct bench_pool *pool, struct bench_item *item)
{
	INIT_WORK(&item->work, pool->fn->bounded);
}

static int semaphore_submit(struct bench_pool *pool, struct bench_item *item)
{
	down(&pool->semaphore);
	return wq_submit(pool, item);
}

SUBMIT_ALL(semaphore, !semaphore_submit(pool, item))

/* ---- kthread_worker ---- */

static int kworker_create(struct bench_pool *pool, const struct bench_run *run)
{
	u64 cpu = bench_num(run, "cpu", nr_cpu_ids);

	if (cpu < nr_cpu_ids)
		pool->kworker = kthread_run_worker_on_cpu(cpu, 0, "bench_kworker");
	else
		pool->kworker = kthread_run_worker(0, "bench_kworker");
	return PTR_ERR_OR_ZERO(pool->kworker);
}

static void kworker_init(struct bench_pool *pool, struct bench_item *item)
{
	kthread_init_work(&item->kwork, pool->fn->kwork);
}

static int kworker_submit(struct bench_pool *pool, struct bench_item *item)
{
	return kthread_queue_work(pool->kworker, &item->kwork) ? 0 : -EALREADY;
}

static int kworker_wait(struct bench_pool *pool, struct bench_item *item)
{
	kthread_flush_work(&item->kwork);
	return 0;
}

SUBMIT_ALL(kworker, kthread_queue_work(pool->kworker, &item->kwork))

static void kworker_flush(struct bench_pool *pool)
{
	kthread_flush_worker(pool->kworker);
}

static void kworker_destroy(struct bench_pool *pool)
{
	kthread_destroy_worker(pool->kworker);
}

/* ---- a kthread per task ---- */

#ifdef CONFIG_UML
DEFINE_PER_CPU(u64, bench_threads_ns);
static DEFINE_PER_CPU(struct task_struct *, last_thread);

void bench_thread_ends(void)
{
	struct task_struct *last;

	/* this thread still has to exit; the one before has done so */
	preempt_disable();
	last = this_cpu_xchg(last_thread, get_task_struct(current));
	if (last) {
		this_cpu_add(bench_threads_ns, last->se.sum_exec_runtime);
		put_task_struct(last);
	}
	preempt_enable();
}
#endif

static int kthread_peer_create(struct bench_pool *pool, const struct bench_run *run)
{
	return 0;
}

static void kthread_peer_init(struct bench_pool *pool, struct bench_item *item)
{
}

static int kthread_peer_submit(struct bench_pool *pool, struct bench_item *item)
{
	struct task_struct *thread;

	/* the thread ends with module_put_and_kthread_exit(), which is not code of this module */
	__module_get(THIS_MODULE);
	thread = kthread_run(pool->fn->thread, item, "bench_task");
	if (IS_ERR(thread))
		module_put(THIS_MODULE);
	return PTR_ERR_OR_ZERO(thread);
}

SUBMIT_ALL(kthread_peer, !kthread_peer_submit(pool, item))

/* Does not wait: after bench_count() a thread uses no data, and has a reference to this module. */
static void kthread_peer_flush(struct bench_pool *pool)
{
}

static void kthread_peer_destroy(struct bench_pool *pool)
{
}

static const struct bench_peer peers[] = {
	{
		.name = "wpool",
		.create = wpool_peer_create,
		.init = wpool_peer_init,
		.submit = wpool_peer_submit,
		.submit_atomic = wpool_peer_submit_atomic,
		.wait = wpool_peer_wait,
		.submit_all = wpool_peer_submit_all,
		.submit_batch = wpool_peer_submit_batch,
		.flush = wpool_peer_flush,
		.destroy = wpool_peer_destroy,
	}, {
		.name = "percpu",
		.create = percpu_create,
		.init = wq_init,
		.submit = wq_submit,
		.submit_atomic = wq_submit,
		.wait = wq_wait,
		.submit_all = wq_submit_all,
		.flush = wq_flush,
		.destroy = wq_destroy,
	}, {
		.name = "unbound",
		.create = unbound_create,
		.init = wq_init,
		.submit = wq_submit,
		.submit_atomic = wq_submit,
		.wait = wq_wait,
		.submit_all = wq_submit_all,
		.flush = wq_flush,
		.destroy = wq_destroy,
	}, {
		.name = "semaphore",
		.create = semaphore_create,
		.init = semaphore_init,
		.submit = semaphore_submit,
		.submit_all = semaphore_submit_all,
		.flush = wq_flush,
		.destroy = wq_destroy,
	}, {
		.name = "bounded",
		.create = bounded_create,
		.init = semaphore_init,
		.submit = semaphore_submit,
		.submit_all = semaphore_submit_all,
		.flush = wq_flush,
		.destroy = wq_destroy,
	}, {
		.name = "kworker",
		.create = kworker_create,
		.init = kworker_init,
		.submit = kworker_submit,
		.submit_atomic = kworker_submit,
		.wait = kworker_wait,
		.submit_all = kworker_submit_all,
		.flush = kworker_flush,
		.destroy = kworker_destroy,
	}, {
		.name = "kthread",
		.create = kthread_peer_create,
		.init = kthread_peer_init,
		.submit = kthread_peer_submit,
		.submit_all = kthread_peer_submit_all,
		.flush = kthread_peer_flush,
		.destroy = kthread_peer_destroy,
	},
};

int bench_pool_create(struct bench_pool *pool, const struct bench_run *run,
		      const struct bench_fn *fn)
{
	const char *name = bench_text(run, "peer", "wpool");
	int i;

	memset(pool, 0, sizeof(*pool));
	pool->fn = fn;
	pool->cpu = -1;
	pool->detached = bench_num(run, "detached", 0);
	for (i = 0; i < ARRAY_SIZE(peers); i++) {
		if (strcmp(name, peers[i].name))
			continue;
		pool->peer = &peers[i];
		return pool->peer->create(pool, run);
	}
	return -EINVAL;
}

void bench_pool_destroy(struct bench_pool *pool)
{
	pool->peer->destroy(pool);
}

static void end_work(struct work_struct *work)
{
	bench_pool_destroy(container_of(work, struct bench_pool, end));
}

void bench_pools_destroy(struct bench_pool *pools, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		INIT_WORK(&pools[i].end, end_work);
		queue_work(system_unbound_wq, &pools[i].end);
	}
	for (i = 0; i < nr; i++)
		flush_work(&pools[i].end);
}

void bench_pool_put_stats(struct bench_pool *pool, struct bench_run *run)
{
	struct wpool_stats stats;

	if (strcmp(pool->peer->name, "wpool"))
		return;
	wpool_get_stats(pool->wpool, &stats);
	bench_put(run, "workers", stats.workers);
	bench_put(run, "spawned", stats.spawned);
	bench_put(run, "stolen", stats.stolen);
	bench_put(run, "handoffs", stats.handoffs);
}

void bench_pool_finish(struct bench_pool *pool, struct bench_run *run)
{
	pool->peer->flush(pool);
	bench_pool_put_stats(pool, run);
	bench_pool_destroy(pool);
}

void bench_items_init(struct bench_pool *pool, struct bench_item *items, u64 nr)
{
	u64 i;

	for (i = 0; i < nr; i++) {
		pool->peer->init(pool, &items[i]);
		items[i].pool = pool;
	}
}
