/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counts of workers. Until a worker leaves, it counts in its pool, in the module, and in the
 * run queue of its home CPU. Unless it is blocked (wake.c), it also counts as waking, coming,
 * searching, running or idle. The functions here change most counts; idle.h has that of idle
 * workers.
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

/*
 * Count a picked or created worker as waking and running. @w: cannot look for work before the
 * caller lets it; @rq: its home; rq->waking stays as it is if another worker is waking for @rq
 * already; @helps: whether @w also looks for tasks that other CPUs offer. Under rq->lock.
 */
void wpool_waking_enter(struct wpool_worker *w, struct wpool_runq *rq, bool helps);

/** wpool_coming_enter() - count a picked worker as coming, before it can look for work */
void wpool_coming_enter(struct wpool_worker *w);

/** wpool_coming_leave() - a worker no longer counts as coming */
void wpool_coming_leave(struct wpool_worker *w);

/* @w has got its CPU, or is dead: end its waking. It becomes searching if @w->helps. */
void wpool_waking_leave(struct wpool_worker *w);

/*
 * Give a home to a worker that its pool counts already. The worker is then waking there. @w: is
 * new, or in reserve; @rq: its home, which is active. Interrupts are off.
 */
void wpool_waking_settle(struct wpool_worker *w, struct wpool_runq *rq);

/** wpool_waking_disown() - the worker is no longer waking for w->rq; it may still be coming */
static inline void wpool_waking_disown(struct wpool_worker *w)
{
	if (READ_ONCE(w->rq->waking) == w)
		WRITE_ONCE(w->rq->waking, NULL);
}

void wpool_searching_enter(struct wpool_worker *w);

/*
 * Stop searching without a task, if the worker searches. @w: the calling worker, or a dead one. The
 * caller must look at the queues afterwards, unless another worker is sure to do so.
 */
void wpool_searching_leave(struct wpool_worker *w);

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
