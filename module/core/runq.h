/* SPDX-License-Identifier: GPL-2.0 */
/* The run queue of one CPU. The letters are those of state.h. */
#ifndef WPOOL_CORE_RUNQ_H
#define WPOOL_CORE_RUNQ_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/irq_work.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>

#include "core/fifo.h"
#include "core/hist.h"
#include "core/parts.h"
#include "core/ring.h"

/* How a CPU is made to look at its run queue; the letters are those of state.h. */
struct wpool_handoff {
	struct irq_work work;		/* K: wakes a worker after a worker has blocked here */
	call_single_data_t call;	/* K: wakes a worker after another CPU counted one out */
	atomic_t nr_wanted;		/* X: looks that @call has not ended; if not 0, it comes */
};

/* What a run queue knows of the length of its tasks, see length.h. Other CPUs read it, too. */
struct wpool_estimate {
	u32 task_ns;			/* C: how long a task runs here; %U32_MAX: unknown */
	u32 help_len;			/* C: from this number on, the queued tasks together take
					 *    longer than waking another CPU's worker; %U32_MAX:
					 *    tasks too short to be worth moving
					 */
	u32 ring_max;			/* C: a push takes the fast path if the ring then holds at
					 *    most @ring_max tasks; the slow path sets this
					 */
};

/* The timing of tasks. Only workers on this CPU, and push_shared() in sched.c, use this. */
struct wpool_sample {
	u32 tick;			/* P: @tick of the look that took the first timed task */
	bool is_run;			/* P: are all tasks up to the next full look timed? */
	u64 ns;				/* P: when the first task was taken; 0: no task is timed */
	struct task_struct *thread;	/* P: the worker that took that task; only compared */
	unsigned long switches;		/* P: how often @thread had been switched out at @ns */
};

/* The most tasks taken in a row from the next slot while another task waits. */
#define WPOOL_NEXT_STREAK	16

/* The thread that last submitted a long task here, see is_cpu_kept() in wake.c. */
struct wpool_submitter {
	const struct task_struct *thread; /* C: only compared */
	u64 ran_ns;			/* C: its CPU time by then */
	unsigned long slept;		/* C: how often it had slept by then */
};

struct wpool_runq {
	struct wpool_ring ring;		/* X: the tasks, oldest first */

	struct wpool_fifo backlog ____cacheline_aligned; /* K: the queue's part before @ring:
							  *    tasks for which the ring had no room,
							  *    and tasks that other CPUs submit for
							  *    this one
							  */

	/* @next to @estimate: one cache line, used by each look, and read by CPUs that may help. */
	/*
	 * @next: X: task that a task of the pool submitted here. This CPU sets @next while it is
	 * NULL, with interrupts off; an exchange clears it.
	 */
	struct wpool_task *next ____cacheline_aligned;
	struct task_struct *runner;	/* X: thread of the worker that last began to run tasks
					 *    here; written by workers at home here, only compared
					 */
	u32 tick;			/* P: number of looks for work */
	u32 shared_end;			/* C: pool->globq.popped will have this value when the last
					 *    task that this CPU put there has been taken
					 */
	u32 shared_jiffy;		/* C: when this CPU last put a task into pool->globq */
	u32 next_streak;		/* P: number of tasks taken from @next in a row */
	u32 urgent_streak;		/* P: urgent tasks taken in a row, until @urgent_tick */
	u32 urgent_tick;		/* P: @tick of the last urgent task and its inner ones */
	u32 call_jiffy;			/* P: when a worker last checked if the queue needs help */
	u32 help_jiffy;			/* C: when this CPU last looked for a worker of another CPU,
					 *    and either woke none or had short tasks
					 */
	u32 wake_jiffy;			/* Q: when a worker was last woken for this CPU */
	struct wpool_estimate estimate;	/* how long a task runs here, see length.h */

	/* Only this CPU changes @sample to @turn_end, but others take tokens from @share. */
	struct wpool_sample sample;	/* what is being timed */
	struct wpool_share share;	/* cached tokens, and counts: see parts.h */
	struct wpool_submitter submitter;
	u64 stolen;			/* C: tasks that workers of this CPU stole */
	u64 handoffs;			/* C: workers woken here because a worker had blocked */
	u32 turn_tick;			/* P: @tick at which the global queue's next turn begins */
	u32 turn_end;			/* P: globq.popped at the end of the global queue's turn */
	int cpu;			/* I */
	u32 index;			/* W: its index in pool->active; constant once @is_active */
	bool is_active;			/* W: may hold tasks and workers, see runq_alloc.h */
	u32 waited_for[2];		/* X: share.finished of each colour, as wpool_flush_wake()
					 *    last read it while a flush waited for that colour
					 */

	/* The workers at home here. */
	u32 nr_running ____cacheline_aligned; /* Q: workers that will look for work, see counts.h */
	raw_spinlock_t lock;		/* K: for Q of the run queue and of its workers */
	struct list_head idle;		/* Q: parked workers, in the order of idle.h */
	u32 nr_idle;			/* Q: length of @idle */
	u32 nr_workers;			/* Q: workers at home here, parked or not */
	bool redirect;			/* T: no worker may be at home here, see affinity.c: pushes
					 *    go to the global queue
					 */
	u32 expect_jiffy;		/* X: when an idle worker was woken to move here; 0 once it
					 *    has come
					 */
	struct wpool_worker *waking;	/* Q: the worker that was picked or created for this run
					 *    queue and has not started to look for work, or NULL;
					 *    that worker, or tidy.c, clears it without the lock
					 */
	struct wpool_handoff handoff;	/* makes this CPU look at the queues, see handoff.h */
	struct wpool_seen watch;	/* N: what the monitor saw of this run queue */
	enum wpool_retake retake;	/* N: which workers to count out this time */
	struct wpool_standing seen_next; /* N: what was in @next; only for max_wait_ms */
	struct wpool_standing seen_slot; /* N: @next and the tick: if neither has changed, the task
					  *    waits; for the pressure
					  */
	struct wpool_hists *hists;	/* T: histograms, or NULL; constant once set */
	struct wpool *pool;		/* I */
};

#endif /* WPOOL_CORE_RUNQ_H */
