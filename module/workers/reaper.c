// SPDX-License-Identifier: GPL-2.0
/*
 * The reaper, see reaper.h. It calls fault and abort functions of the pool's owner: a slow
 * one delays the end of other workers, but no spawner.
 */
#include "workers/reaper.h"

#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "core/census.h"
#include "core/reap_queue.h"
#include "core/state.h"
#include "task/finish.h"
#include "workers/fault.h"
#include "workers/leave.h"
#include "workers/park.h"
#include "workers/worker.h"

/* Workers taken from the queue whose threads have not ended yet. */
static LIST_HEAD(ending);

static struct task_struct *thread;

static void drop_all(void)
{
	struct wpool_task *task;

	/* the task is unfinished, which keeps its pool alive */
	while ((task = wpool_reap_next_task())) {
		wpool_finish_put_down(task->pool, task);
		cond_resched();
	}
}

static void sweep_all(void)
{
	struct wpool *pool;

	while ((pool = wpool_reap_next_pool())) {
		wpool_finish_sweep(pool);
		wpool_put(pool);
	}
}

/* A worker died in a task: put right what it left behind. */
static void repair(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;

	/* before threads that wait for its tasks are woken */
	wpool_finish_forget(w->thread);
	wpool_fault_report(w);
	/* it may have died between two tasks, because of damage done by a task */
	if (w->task)
		wpool_finish_dead(w);

	/* in that case it may also have been idle or waking */
	wpool_park_forget(w);
	local_irq_disable();
	raw_spin_lock(&pool->workers_lock);
	wpool_workers_leave(pool);
	pool->nr_awaiting -= !!w->awaits;
	w->awaits = NULL;
	WRITE_ONCE(pool->nr_lifting, pool->nr_lifting - w->lifts);
	w->lifts = false;
	raw_spin_unlock(&pool->workers_lock);
	wpool_home_leave(w->rq);
	wpool_searching_leave(w);
	wpool_running_leave(w);
	wpool_worker_left(pool, false);
	local_irq_enable();
}

static void reap(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;

	if (!w->leaving)
		repair(w);
	else if (w->in_hook)
		wpool_fault_report(w);

	mutex_lock(&pool->workers_mutex);
	list_del_rcu(&w->node);
	mutex_unlock(&pool->workers_mutex);
	wpool_worker_free(w);
	wpool_threads_leave(pool);
}

/*
 * A worker's thread that has not ended yet is left for later, because at a low priority
 * on a busy CPU it may take long, and other workers wait to be reaped. True if any are
 * left.
 */
static bool reap_all(void)
{
	struct wpool_worker *w, *next;

	wpool_reap_workers(&ending);
	list_for_each_entry_safe(w, next, &ending, dead_node) {
		/* set in do_exit(): from then on the thread never runs the module's code */
		if (!READ_ONCE(w->thread->exit_state))
			continue;
		list_del(&w->dead_node);
		reap(w);
	}
	return !list_empty(&ending);
}

static int reaper_main(void *unused)
{
	bool more = false;

	/* wpool_destroy() waits for the reaper */
	set_user_nice(current, MIN_NICE);
	for (;;) {
		/* before the lists are checked: a wake-up after the check is not lost */
		set_current_state(TASK_IDLE);
		if (wpool_reap_is_empty()) {
			if (kthread_should_stop())
				break;
			schedule_timeout(more ? 1 : MAX_SCHEDULE_TIMEOUT);
		}
		__set_current_state(TASK_RUNNING);

		drop_all();
		sweep_all();
		more = reap_all();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

int wpool_reaper_init(void)
{
	thread = kthread_create(reaper_main, NULL, "wpool_reaper");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	wpool_reap_attach(thread);
	wake_up_process(thread);
	return 0;
}

void wpool_reaper_exit(void)
{
	kthread_stop(thread);
}
