// SPDX-License-Identifier: GPL-2.0
/*
 * The reaper, see reaper.h. It calls no function of an owner: tidy.c does that for dead workers.
 *
 * A task_work that is added when a thread starts runs in do_exit(), even if the thread ends because
 * of an oops. It passes the worker to the reaper, which waits until the thread is gone.
 */
#include "workers/reaper.h"

#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "compat.h"
#include "core/counts.h"
#include "core/handoff.h"
#include "core/state.h"
#include "core/tidy_queue.h"
#include "core/wake.h"
#include "task/state.h"
#include "workers/owner_hooks.h"

#define FIRST_LOOK_NS	(20 * NSEC_PER_USEC)

/* Protects @dead; raw: threads that end take it. */
static DEFINE_RAW_SPINLOCK(lock);
/* Workers whose threads have ended or are about to. */
static LIST_HEAD(dead);
/* Workers taken from @dead whose threads have not ended yet. Only the work uses the list. */
static LIST_HEAD(ending);
/* Queues the work again while @ending has workers. */
static struct hrtimer timer;

static void free_rcu_worker(struct rcu_head *rcu)
{
	struct wpool_worker *w = container_of(rcu, struct wpool_worker, exit_work);

	mem_cgroup_put(w->memcg);
	put_task_struct(w->thread);
	kfree(w);
}

void wpool_worker_reap(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;

	mutex_lock(&pool->workers.mutex);
	list_del_rcu(&w->node);
	mutex_unlock(&pool->workers.mutex);
	call_rcu(&w->exit_work, free_rcu_worker);
	wpool_threads_leave(pool);
}

/*
 * Reap the workers whose threads have ended, and do not wait for the others. A thread in @ending
 * usually ends within microseconds, and the destruction of its pool waits: look again after
 * FIRST_LOOK_NS if a thread is new. Otherwise double the interval, up to a tick, for threads that
 * do not get their CPU.
 */
static void reap_workers(struct work_struct *work)
{
	struct wpool_worker *w, *next;
	static u64 ns;

	raw_spin_lock_irq(&lock);
	ns = list_empty(&dead) ? min(2 * ns, (u64)TICK_NSEC) : FIRST_LOOK_NS;
	list_splice_tail_init(&dead, &ending);
	raw_spin_unlock_irq(&lock);
	list_for_each_entry_safe(w, next, &ending, dead_node) {
		/* set in do_exit(): from then on the thread never runs the module's code */
		if (!READ_ONCE(w->thread->exit_state))
			continue;
		list_del(&w->dead_node);
		if (!w->leaving || w->func) {
			/* not in tidy.c, which is slow: threads of any pool may wait */
			wpool_finish_forget(w->thread);
			wpool_tidy_worker(w);
		} else {
			wpool_worker_reap(w);
		}
	}
	if (!list_empty(&ending))
		hrtimer_start(&timer, ns_to_ktime(ns), HRTIMER_MODE_REL_HARD);
}

static DECLARE_WORK(reap_work, reap_workers);

/*
 * A worker dies: end the calls that it is in. Other threads take part in them, and use its stack.
 * The work that repairs after a death cannot wait for these threads: some of them may die, too.
 */
static void end_calls(struct wpool_worker *w)
{
	struct wpool_call *call;

	/* what these threads do may wait for a grace period */
	while (w->calls && rcu_preempt_depth()) {
		/* sparse does not know that the task took this lock */
		__acquire(RCU);
		rcu_read_unlock();
	}
	while ((call = w->calls)) {
		w->calls = call->outer;
		call->died(call);
	}
}

/* Runs in do_exit(): sleeps only in end_calls(), allocates nothing, and takes raw locks only. */
static void thread_ends(struct callback_head *work)
{
	struct wpool_worker *w = container_of(work, struct wpool_worker, exit_work);
	unsigned long flags;

	/* if this sleeps, the notifier counts the worker out */
	end_calls(w);
	/* otherwise the notifier would still be called at the very last switch */
	wpool_handoff_unwatch(w);
	/*
	 * The kernel counts for each CPU the threads that must not migrate, and does not subtract
	 * a thread that ends in that state: the CPU could never go offline again.
	 */
	while (compat_migration_disabled(current))
		migrate_enable();
#ifdef CONFIG_LOCKDEP
	/* held around each task: if a task ends its thread, lockdep must name only its own locks */
	if (lock_is_held(&w->pool->lockdep_map) == LOCK_STATE_HELD)
		lock_map_release(&w->pool->lockdep_map);
#endif
	wpool_hooks_tell(w, -EIO);
	/* the reaper may drop w->memcg before the thread has ended */
	compat_set_active_memcg(NULL);
	/* the kernel warns of a thread that ends with a cgroup of the block layer */
	kthread_associate_blkcg(NULL);
	local_irq_save(flags);
	/* not in tidy.c: tasks that wait for this worker must not wait for the fault function */
	if (wpool_running_leave(w))
		wpool_wake_if_work(w->pool, wpool_this_runq(w->pool));
	/* from here on @w belongs to the reaper */
	raw_spin_lock(&lock);
	list_add_tail(&w->dead_node, &dead);
	raw_spin_unlock(&lock);
	local_irq_restore(flags);
	queue_work(wpool_short_wq, &reap_work);
}

void wpool_reaper_arm(struct wpool_worker *w)
{
	init_task_work(&w->exit_work, thread_ends);
	/* fails only for a thread whose exit work has already run */
	WARN_ON_ONCE(task_work_add(current, &w->exit_work, TWA_NONE));
}

static enum hrtimer_restart look_again(struct hrtimer *unused)
{
	queue_work(wpool_short_wq, &reap_work);
	return HRTIMER_NORESTART;
}

int wpool_reaper_init(void)
{
	hrtimer_setup(&timer, look_again, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	return 0;
}

void wpool_reaper_exit(void)
{
	/* no worker is left that could start the work again */
	hrtimer_cancel(&timer);
	flush_work(&reap_work);
}
