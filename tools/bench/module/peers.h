/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The peers: the mechanisms that the benchmark compares. wpool is one of them.
 *
 *	wpool     wpool_submit(), or wpool_submit_batch() with batch=TASKS
 *	percpu    a workqueue, queue_work()
 *	unbound   a workqueue of WQ_UNBOUND
 *	kworker   one kthread_worker
 *	kthread   a kthread per task
 *	semaphore a workqueue with a bound: a submit takes a semaphore of "capacity",
 *		  the end of the task releases it
 *	bounded   as semaphore, with a workqueue of WQ_UNBOUND
 *
 * A function of a measurement is compiled once for each peer (BENCH_FN), so that no peer pays for a
 * call through a pointer that its users do not have.
 */
#ifndef WPOOL_BENCH_PEERS_H
#define WPOOL_BENCH_PEERS_H

#include <linux/cache.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/semaphore.h>
#include <linux/workqueue.h>
#include <linux/wpool.h>

struct bench_run;
struct bench_pool;

struct bench_item {
	union {
		struct wpool_task task;
		struct work_struct work;
		struct kthread_work kwork;
	};
	/* the item's pool, and data for the case */
	struct bench_pool *pool;
	union {
		u64 stamp_ns;
		u64 turns;
		u32 index;
		bool busy;
	};
	void *data;
} ____cacheline_aligned;

/* One function of a case, compiled for each peer, see BENCH_FN(). */
struct bench_fn {
	wpool_task_fn task;
	work_func_t work;
	work_func_t bounded;
	kthread_work_func_t kwork;
	int (*thread)(void *item);
};

#ifdef CONFIG_UML
/* The run time of the kthreads per task that have ended on each CPU, but the last one. */
DECLARE_PER_CPU(u64, bench_threads_ns);

/* A kthread per task calls this at its end. */
void bench_thread_ends(void);
#else
static inline void bench_thread_ends(void) { }
#endif

#define BENCH_FN(name)							\
static __always_inline void name##_call(struct bench_item *item)	\
{									\
	name(item);							\
}									\
static void name##_task(struct wpool_task *task)			\
{									\
	name##_call(container_of(task, struct bench_item, task));	\
}									\
static void name##_work(struct work_struct *work)			\
{									\
	name##_call(container_of(work, struct bench_item, work));	\
}									\
static void name##_bounded(struct work_struct *work)			\
{									\
	struct bench_item *item;					\
									\
	item = container_of(work, struct bench_item, work);		\
	name##_call(item);						\
	up(&item->pool->semaphore);					\
}									\
static void name##_kwork(struct kthread_work *work)			\
{									\
	name##_call(container_of(work, struct bench_item, kwork));	\
}									\
static int name##_thread(void *item)					\
{									\
	name##_call(item);						\
	bench_thread_ends();						\
	module_put_and_kthread_exit(0);					\
}									\
static const struct bench_fn name##_fn = {				\
	.task = name##_task,						\
	.work = name##_work,						\
	.bounded = name##_bounded,					\
	.kwork = name##_kwork,						\
	.thread = name##_thread,					\
}

struct bench_peer;

struct bench_pool {
	const struct bench_peer *peer;
	const struct bench_fn *fn;
	int cpu;		/* percpu: the CPU; -1: the submitter's */
	bool detached;		/* wpool: detached tasks */
	union {
		struct wpool *wpool;
		struct workqueue_struct *wq;
		struct kthread_worker *kworker;
	};
	struct semaphore semaphore;
	struct work_struct end;
};

struct bench_peer {
	const char *name;
	int (*create)(struct bench_pool *pool, const struct bench_run *run);
	void (*init)(struct bench_pool *pool, struct bench_item *item);
	/* submits one item, in any process context */
	int (*submit)(struct bench_pool *pool, struct bench_item *item);
	/* submits one item, in any context but NMI; NULL: the peer cannot */
	int (*submit_atomic)(struct bench_pool *pool, struct bench_item *item);
	/* waits until the item's function has returned; NULL: the peer cannot */
	int (*wait)(struct bench_pool *pool, struct bench_item *item);
	/* submits @nr items one by one; returns how many before an error */
	u64 (*submit_all)(struct bench_pool *pool, struct bench_item *items, u64 nr);
	u64 (*submit_batch)(struct bench_pool *pool, struct bench_item *items,
			    u64 nr, u32 batch);
	/* waits until all functions have returned; then the items belong to the caller */
	void (*flush)(struct bench_pool *pool);
	void (*destroy)(struct bench_pool *pool);
};

/*
 * Parameters: peer=NAME; cpu=N: run on this CPU only (wpool, percpu, kworker); capacity=N (of a
 * workqueue max_active, or its bound); sysfs=1: unbound has files in sysfs. For wpool also depth=N,
 * handoff=0|1, expiry=MS, prealloc=0|1, spin=US, outside=1 (not on CPU 0), and detached=1 (a task
 * may be submitted again as soon as its function has started, as with the peers; the default is
 * joinable).
 */
int bench_pool_create(struct bench_pool *pool, const struct bench_run *run,
		      const struct bench_fn *fn);
void bench_pool_destroy(struct bench_pool *pool);
/* Destroy pools in parallel, because each may have to wait for RCU. */
void bench_pools_destroy(struct bench_pool *pools, u32 nr);
/* Set wpool's attributes by the parameters of @run. */
void bench_pool_attrs(struct wpool_attrs *attrs, const struct bench_run *run,
		      struct cpumask *cpumask);
/* Puts figures of wpool that explain the measurement. */
void bench_pool_put_stats(struct bench_pool *pool, struct bench_run *run);
/* Flush a pool, put its figures, and destroy it. */
void bench_pool_finish(struct bench_pool *pool, struct bench_run *run);

void bench_items_init(struct bench_pool *pool, struct bench_item *items, u64 nr);

#endif /* WPOOL_BENCH_PEERS_H */
