/* SPDX-License-Identifier: GPL-2.0 */
/* A worker, and the workers of a pool. The letters are those of state.h. */
#ifndef WPOOL_CORE_WORKER_H
#define WPOOL_CORE_WORKER_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/spinlock_types.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/wpool.h>

/*
 * What a task must leave as it found it, see task/context.h: the part of a thread's state that a
 * module can read. Usually all fields are 0.
 */
struct wpool_context {
	int preempt;	/* preempt count */
	int softirq;	/* softirq_count(); 0 without PREEMPT_RT */
	int rcu;	/* depth of RCU read-side sections */
	int locks;	/* locks held, as lockdep counts them */
	int migration;	/* how many times migration is disabled */
	unsigned int flags;	/* the PF_ flags that differ from those of a new kthread */
	/* the fields above are restored first */
	int pagefault;	/* how many times page faults are disabled */
	unsigned int state;	/* current->__state: 0 is TASK_RUNNING */
	unsigned long signal;	/* _TIF_SIGPENDING, or 0 */
	unsigned long creds;	/* current_cred() xor current_real_cred() */
	struct mm_struct *mm;	/* set by kthread_use_mm() */
	struct mem_cgroup *memcg;	/* set by set_active_memcg() */
	void *journal;	/* current->journal_info */
	void *bio_list;	/* current->bio_list */
	void *plug;	/* current->plug */
};

/* A call of a function that is in progress, and that other threads take part in. */
struct wpool_call {
	struct wpool_call *outer;	/* O: the call around it, or NULL */
	void (*died)(struct wpool_call *call);	/* I: ends it if its worker dies in it; sleeps */
};

struct wpool_worker {
	struct wpool *pool;		/* I */
	struct task_struct *thread;	/* I: referenced until an RCU grace period after its end */
	struct wpool_runq *rq;		/* V: run queue of its home CPU; constant while idle */
	struct list_head node;		/* M: in pool->workers.list; read under RCU */
	struct list_head idle_node;	/* Q: in rq->idle while @parked */
	unsigned long idle_since;	/* Q: jiffies when it parked */
	bool parked;			/* Q: asleep or about to be, until a thread picks it */
	bool picked;			/* G: created or woken to look for work, and has not started
					 *    to look; read anywhere with READ_ONCE
					 */
	bool helps;			/* G: @picked to help other CPUs too: counts in nr_coming */
	bool leaving;			/* W: counted out of the pool: it ends, or is the rescuer */
	bool searching;			/* O: counts in nr_searching */
	bool asleep;			/* O: sleeps, but is not parked: it counts in nr_running
					 *    when it runs again, if it is bound to its home
					 */
	bool detached;			/* O: the outermost task is detached, and may be gone */
	u8 colour;			/* O: colour of a detached outermost task */
	u16 cgroup_nr;			/* G: pool->cgroup_nr when it last tried to join cgroups */
	u32 in_a_row;			/* O: tasks run while another thread wants the CPU */
	u32 sleeps;			/* O: sleeps at home in its innermost task */
	u32 nested;			/* O: number of tasks that run inside the outermost one */
	u32 on_stack[2];		/* O: number of nested tasks on its own stack, by colour */
	int locks_left;			/* O: locks that its tasks left held: lockdep counts them */
	int prio;			/* M to write: normal_prio of @thread, as its pool set it */
	struct wpool_runq *running_on;	/* Q: its @rq, if it counts in nr_running there, or NULL */
	struct wpool_runq *new_home;	/* G: run queue to move to, or NULL */
	bool may_roam;			/* X: set when it is a hog, sleeps again and again, becomes
					 *    the rescuer, or its home is excluded; cleared when it
					 *    is let off its CPU, or counts in nr_running again
					 */
#ifdef CONFIG_PREEMPT_NOTIFIERS
	struct preempt_notifier notifier; /* O: called when the worker is switched in or out */
#endif
	struct wpool_task *task;	/* V: innermost task that the worker is in, or NULL */
	struct wpool_task *outermost;	/* O: if @nested, the task around all nested ones */
	struct wpool_task *held;	/* O: nested tasks not on its own stack, linked by @held */
	struct wpool_worn *worn;	/* O: context of a group's client, or NULL, see behalf.h */
	struct mem_cgroup *memcg;	/* O: reference to its tasks' memory cgroup, or NULL */
	struct wpool_task *awaits;	/* W: task, of no other pool, that it sleeps for, or NULL */
	bool lifts;			/* W: counts in nr_lifting */
	bool deep;			/* W: has too little stack left to run @awaits itself */
	void *func;			/* V: function of @task, or the hook that it is in; NULL
					 *    when the thread returns
					 */
	wpool_abort_fn abort;		/* O: abort of a detached outermost task, or NULL */
	struct module *task_owner;	/* O: module of a detached outermost task, or NULL */
	struct wpool_call *calls;	/* O: calls in progress of its tasks, innermost first */
	void *own;			/* O: what worker_start stored for wpool_worker_own() */
	struct wpool_preparing *preparing; /* G: its creator's wait for worker_start */
	struct completion may_go;	/* K: its creator has counted it in, or made it rescuer */
	bool in_reserve;		/* W: waits in reserve, and does not count in nr_threads */
	bool changed;			/* W: the rescuer must adopt the pool's CPUs and cgroups */
	struct callback_head exit_work;	/* O: runs in do_exit(), after an oops too; then RCU's */
	struct list_head dead_node;	/* D: in the list of workers that end, or that died */
	struct wpool_context base;	/* O: the state in which worker_start left the thread, and
					 *    in which tasks find it; usually all 0
					 */
};

/* The workers of a pool. Their number is pool->nr_workers, on a cache line that wakers read. */
struct wpool_workers {
	raw_spinlock_t lock;			/* K: for W; raw: threads that end take it */
	u32 nr_awaiting;			/* W: workers with @awaits */
	u32 nr_lifting;				/* W: workers whose awaited task had not started:
						 *    unless 0, the pool is not frozen, see freeze.h
						 */
	u32 nr_lifted;				/* W: how often one no longer counted there */
	u32 nr_waits;				/* W: how many waits with @awaits have begun */
	u64 expired;				/* W: workers that ended because they were idle */
	struct timer_list expiry_timer;		/* K: pending while an idle worker may expire */
	struct mutex mutex;			/* K: for M */
	struct list_head list;			/* M: workers not reaped yet; read under RCU, too */
	atomic_t nr_threads;			/* X: workers not reaped, without the reserve, plus
						 *    threads that create workers
						 */
	atomic64_t spawned;			/* X: workers that were created */
	atomic64_t faults;			/* X: workers that died */
};

#endif /* WPOOL_CORE_WORKER_H */
