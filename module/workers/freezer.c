// SPDX-License-Identifier: GPL-2.0
/*
 * The freezer, see freezer.h, and core/freeze.h for what a frozen pool is.
 *
 * When the system goes to sleep, the kernel freezes the programs and then this thread, but not the
 * workers. The thread first freezes the pools and waits until none of their tasks runs; only then
 * does it enter the kernel's freezer, for which the suspend waits. When it runs again, it thaws the
 * pools. So a suspend waits for running tasks, as it does for those of a freezable workqueue, and
 * fails if they take longer than the kernel waits for threads to freeze (20 s).
 *
 * A notifier could not replace the thread: the kernel calls notifiers before it freezes programs,
 * and these may wait for tasks of the pools.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "workers/freezer.h"

#include <linux/err.h>
#include <linux/freezer.h>
#include <linux/kthread.h>
#include <linux/printk.h>
#include <linux/rculist.h>

#include "core/freeze.h"
#include "core/registry.h"
#include "core/state.h"

/* Protects @thread from changes. */
static DEFINE_MUTEX(mutex);
/* The thread; NULL before wpool_freezer_start(); ERR_PTR() after wpool_freezer_exit(). */
static struct task_struct *thread;
/* Completed when the kernel can freeze this thread, and with it the freezable pools. */
static DECLARE_COMPLETION(is_started);
/* wpool_freezer_hold() asks for a freeze. */
static bool is_held;
/* No task of a freezable pool runs. */
static bool is_done;
/* Threads that wait for is_done, or until the pools are thawed; the freezer waits here, too. */
static DECLARE_WAIT_QUEUE_HEAD(done_wq);

static bool is_freeze_wanted(void)
{
	return freezing(current) || READ_ONCE(is_held);
}

/* Is the worker parked? Then the worker, and a thread that picks it later, see the pool frozen. */
static bool is_parked(struct wpool_worker *w)
{
	struct wpool_runq *rq = READ_ONCE(w->rq);
	bool parked;

	raw_spin_lock_irq(&rq->lock);
	/* read @parked before @rq: a worker that moved has changed its home before it parked */
	parked = smp_load_acquire(&w->parked) && READ_ONCE(w->rq) == rq;
	raw_spin_unlock_irq(&rq->lock);
	return parked;
}

/*
 * The number of workers that a freeze waits for, and of works that call abort functions (tidy.c).
 * Once 0, no worker counts until the pool is thawed, unless the pool drops its tasks: then workers
 * wake up, but start none.
 */
static u32 count_busy(struct wpool *pool)
{
	/* count_busy:C: with a lift that is counted here, nr_lifting has been written, too */
	u32 nr = 0, nr_lifted = smp_load_acquire(&pool->workers.nr_lifted);
	struct wpool_worker *w;

	if (!READ_ONCE(pool->freezable))
		return 0;
	/* count_busy:A, see core/freeze.h */
	smp_mb();
	list_for_each_entry_rcu(w, &pool->workers.list, node)
		/* on its way out, or into reserve, a worker calls a hook */
		nr += READ_ONCE(w->leaving) ? !READ_ONCE(w->in_reserve) : !is_parked(w);
	/* count_busy:B, see core/freeze.h */
	smp_rmb();
	nr += READ_ONCE(pool->tidy.is_queued);
	return nr ?: READ_ONCE(pool->workers.nr_lifted) != nr_lifted;
}

/* @complains: log each pool that is busy, and return false. */
static bool is_busy(struct wpool *pool, void *complains)
{
	u32 nr = count_busy(pool);

	if (nr && complains)
		pr_warn_ratelimited("%s: no suspend: %u tasks or abort functions of this freezable pool did not end in time\n",
				    pool->name, nr);
	return nr && !complains;
}

/* Wait until no task of the pools runs, or the freeze is cancelled. */
static void freeze_pools(void)
{
	WRITE_ONCE(wpool_freeze_is_on, true);
	while (wpool_pools_walk_rcu(is_busy, NULL)) {
		if (!is_freeze_wanted()) {
			wpool_pools_walk_rcu(is_busy, (void *)true);
			return;
		}
		/* poll, as the kernel's freezer does */
		schedule_timeout_idle(1);
	}
	WRITE_ONCE(is_done, true);
	wake_up_all(&done_wq);
}

static bool thaw_pool(struct wpool *pool, void *unused)
{
	if (READ_ONCE(pool->freezable))
		wpool_freeze_lift(pool);
	return false;
}

static void thaw_pools(void)
{
	WRITE_ONCE(is_done, false);
	WRITE_ONCE(wpool_freeze_is_on, false);
	wpool_pools_walk_rcu(thaw_pool, NULL);
	wake_up_all(&done_wq);
}

static int freezer_main(void *unused)
{
	/* from here on the kernel asks this thread to freeze; the thread obeys in the loop */
	current->flags &= ~PF_NOFREEZE;
	/*
	 * freezer_main:A, pairs with the kernel's freezer, which first says that it freezes and
	 * then reads the flags: either the kernel asks this thread to freeze, or this thread sees
	 * freezing()
	 */
	smp_mb();
	/* this does not wait: no pool is freezable yet */
	if (is_freeze_wanted())
		freeze_pools();
	complete(&is_started);
	for (;;) {
		/* a change of these wakes this thread, not the queue */
		wait_event_idle(done_wq, is_freeze_wanted() != READ_ONCE(wpool_freeze_is_on) ||
				freezing(current) || kthread_should_stop());
		if (is_freeze_wanted() != READ_ONCE(wpool_freeze_is_on)) {
			if (is_freeze_wanted())
				freeze_pools();
			else
				thaw_pools();
		} else if (freezing(current)) {
			try_to_freeze();
		} else if (kthread_should_stop()) {
			return 0;
		}
	}
}

int wpool_freezer_start(void)
{
	struct task_struct *new;

	mutex_lock(&mutex);
	new = thread ?: kthread_run(freezer_main, NULL, "wpool_freezer");
	if (!thread && !IS_ERR(new)) {
		thread = new;
		wait_for_completion(&is_started);
	}
	mutex_unlock(&mutex);
	return PTR_ERR_OR_ZERO(new);
}

int wpool_freezer_hold(bool on)
{
	int err = wpool_freezer_start();

	if (err)
		return err;
	WRITE_ONCE(is_held, on);
	wake_up_process(thread);
	if (!on)
		return wait_event_killable(done_wq, !READ_ONCE(wpool_freeze_is_on)) ? -EINTR : 0;
	/* the wait also ends if another thread thaws the pools meanwhile */
	err = wait_event_killable(done_wq, READ_ONCE(is_done) || !READ_ONCE(is_held));
	if (!err)
		return 0;
	WRITE_ONCE(is_held, false);
	wake_up_process(thread);
	return -EINTR;
}

void wpool_freezer_exit(void)
{
	mutex_lock(&mutex);
	/* the thread thaws the pools before it stops */
	WRITE_ONCE(is_held, false);
	if (thread)
		kthread_stop(thread);
	/* a program may still tune a remaining pool: let wpool_freezer_start() fail */
	thread = ERR_PTR(-ESHUTDOWN);
	mutex_unlock(&mutex);
}
