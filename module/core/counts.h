/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counts of workers. Until a worker leaves, it counts in its pool, in the module, and in the
 * run queue of its home CPU. Unless it is blocked (wake.c), it also counts as waking, coming,
 * searching, running or idle. idle.h has the counts of idle, waking and coming workers.
 *
 * A worker counts in its run queue's nr_running from when it is picked to look for work until it
 * parks, moves, or is counted out because its task blocks or hogs (handoff.h). A worker that counts
 * will look for work again: tasks queued there need no other worker. rq->lock protects nr_running.
 */
#ifndef WPOOL_CORE_COUNTS_H
#define WPOOL_CORE_COUNTS_H

#include "core/state.h"

/* How many more workers the module may have: max_workers less the workers of all pools. Racy. */
u32 wpool_workers_room(void);

/** wpool_module_count_in() - count one worker of the module; false if max_workers is reached */
bool wpool_module_count_in(void);

extern unsigned int wpool_max_workers;

/** wpool_module_count_out() - count one worker of the module out: a full barrier, see wake.c */
void wpool_module_count_out(void);

void __wpool_runq_activate(struct wpool_runq *rq);

/*
 * Make a run queue active: from now on it may hold tasks and workers. Only the active ones do, so a
 * search visits no others, see wpool_for_each_active(). Interrupts are off; neither workers.lock
 * nor a run queue's lock is held. Returns @rq.
 */
static inline struct wpool_runq *wpool_runq_activate(struct wpool_runq *rq)
{
	/* wpool_runq_activate:A, pairs with __wpool_runq_activate:B */
	if (unlikely(!smp_load_acquire(&rq->is_active)))
		__wpool_runq_activate(rq);
	return rq;
}

/** wpool_home_count() - a worker comes home to an active run queue (1), or leaves (-1); irqs off */
void wpool_home_count(struct wpool_runq *rq, int by);

/* A value for @prefer below: near @cpu, rather than on it. The macro is its own inverse. */
#define WPOOL_BESIDE(cpu)	(-2 - (cpu))

/*
 * Find the best home for a worker: a run queue. @prefer: a CPU, WPOOL_BESIDE() of one, or -1. Of
 * the CPUs that wpool_affinity_set() allows, those with room come first (unless prealloc is set),
 * then those with the fewest workers, then those nearest to @prefer.
 */
struct wpool_runq *wpool_home_choose(struct wpool *pool, int prefer);

/** wpool_threads_enter() - count a worker's thread, or a thread that creates workers */
static inline void wpool_threads_enter(struct wpool *pool)
{
	atomic_inc(&pool->workers.nr_threads);
}

/** wpool_threads_leave() - count one thread out; the pool may be freed afterwards */
void wpool_threads_leave(struct wpool *pool);

/** wpool_runq_has_room() - may one more worker at home here run? Racy */
static inline bool wpool_runq_has_room(const struct wpool_runq *rq)
{
	return !READ_ONCE(rq->redirect) &&
	       READ_ONCE(rq->nr_running) < READ_ONCE(rq->pool->concurrency);
}

void wpool_searching_enter(struct wpool_worker *w);

/*
 * Stop searching without a task, if the worker searches. @w: the calling worker, or a dead one. The
 * caller must look at the queues afterwards, unless another worker is sure to do so.
 */
void wpool_searching_leave(struct wpool_worker *w);

/** __wpool_running_enter() - count a worker in @rq as running; rq->lock held */
static inline void __wpool_running_enter(struct wpool_worker *w, struct wpool_runq *rq)
{
	lockdep_assert_held(&rq->lock);
	WRITE_ONCE(w->running_on, rq);
	WRITE_ONCE(w->may_roam, false);
	WRITE_ONCE(rq->nr_running, rq->nr_running + 1);
}

/** wpool_running_enter() - the calling worker will look for work: count it; a full barrier */
void wpool_running_enter(struct wpool_worker *w);

/** __wpool_running_leave() - count a worker out of @rq; false if it did not count; rq->lock held */
bool __wpool_running_leave(struct wpool_worker *w, struct wpool_runq *rq);

/*
 * Must follow __wpool_running_leave(). A full barrier. @left: whether that call returned true. If
 * so, and if the run queue belongs to another CPU, that CPU is made to look at the queues.
 */
void wpool_running_left(struct wpool_runq *rq, bool left);

/*
 * Count a worker out of its run queue, if it counts as running. A full barrier. The caller then
 * looks at the queues, or makes sure that another thread does. If the run queue belongs to another
 * CPU, that CPU is made to look at the queues, too: see wake.c. Preemption is off. Returns the run
 * queue, or NULL if the worker was not counted out.
 */
struct wpool_runq *wpool_running_leave(struct wpool_worker *w);

/** wpool_counts_init() - set the default of the module parameter max_workers */
void wpool_counts_init(void);

#endif /* WPOOL_CORE_COUNTS_H */
