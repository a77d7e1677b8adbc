// SPDX-License-Identifier: GPL-2.0
/*
 * The spawners, see spawner.h.
 *
 * A spawner clears the pool's request, executes a full barrier (spawn:A), and then looks
 * at the pool. A thread that queues a task after that look finds the request clear and
 * asks again. wake.c has the pairs. Also before the look the spawner counts as a thread
 * of the pool: a thread that drains the pool checks first for tasks and then for
 * threads (flush.c), so no worker is created unnoticed.
 *
 * While tasks keep the CPUs busy, kthreadd and the new thread wait for a CPU, so it may
 * take long to create one worker. Several spawners create workers of several pools at
 * the same time. One spawner at a time serves a pool, and looks again afterwards if it
 * was asked meanwhile.
 *
 * If a worker cannot be created, the spawner tries again after 10 ms, and after twice as
 * long with each further failure, up to 1 s, as long as a task is queued. Meanwhile the
 * request stays set.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "workers/spawner.h"

#include <linux/kthread.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "core/census.h"
#include "core/freeze.h"
#include "core/queues.h"
#include "core/spawn_queue.h"
#include "core/state.h"
#include "core/wake.h"
#include "workers/leave.h"
#include "workers/place.h"
#include "workers/worker.h"

#define RETRY_MIN_MS	10
#define RETRY_MAX_MS	1000

static struct task_struct *threads[WPOOL_NR_SPAWNERS];

/* ---- spawning ---- */

/* The CPU with the most tasks in its queue, or -1: a good place for the worker. */
static int longest_runq(struct wpool *pool)
{
	struct wpool_runq *rq;
	u32 len, most = 0, i;
	int best = -1;

	wpool_for_each_active(pool, rq, i) {
		len = wpool_runq_len(rq);
		if (len > most) {
			most = len;
			best = rq->cpu;
		}
	}
	return best;
}

/*
 * Are there tasks that no searching or waking worker will take, and a CPU with room for
 * one more worker? A waking worker takes one task, and asks again if there are more.
 */
static bool is_short_handed(struct wpool *pool)
{
	u32 coming = wpool_wake_nr_coming(pool);

	if (wpool_is_frozen(pool))
		return false;
	/*
	 * is_short_handed:A, pairs with wpool_coming_leave:A. A worker is first coming, then
	 * searching, and then has a task: these reads follow that order, to miss none.
	 */
	smp_rmb();
	if (atomic_read(&pool->nr_searching))
		return false;
	/* is_short_handed:B, pairs with stop_searching:A */
	smp_rmb();
	if (wpool_queues_len(pool) <= coming)
		return false;
	if (wpool_wake_has_vacancy(pool))
		return true;
	/* the room is taken by workers that will not look there: who makes room shall look */
	WRITE_ONCE(pool->unserved, true);
	/* is_short_handed:C, as wake_one:A, see wake.c */
	smp_mb();
	return wpool_wake_has_vacancy(pool);
}

/* Count it, and say it once until a worker could be created. */
static void note_failure(struct wpool *pool, int err)
{
	WRITE_ONCE(pool->spawn_failed, pool->spawn_failed + 1);
	if (pool->spawn_failing)
		return;
	pool->spawn_failing = true;
	pr_warn_ratelimited("%s: a worker cannot be created: error %d, %u tasks queued; trying again\n",
			    pool->name, err, wpool_queues_len(pool));
}

/* Create a worker if one is needed; true if it has to be tried again. */
static bool try_spawn(struct wpool *pool)
{
	int err;

	if (!is_short_handed(pool)) {
		pool->spawn_retry_ms = RETRY_MIN_MS;
		wpool_spawn_set_refused(pool, false);
		return false;
	}
	err = wpool_worker_count_in(pool);
	wpool_spawn_set_refused(pool, err == -EAGAIN);
	if (err == -EAGAIN)
		return true;
	/* at its capacity: a busy worker will come */
	if (err)
		return false;
	err = wpool_worker_create(pool, wpool_worker_place(pool, longest_runq(pool)));
	if (err) {
		wpool_worker_count_out(pool);
		note_failure(pool, err);
		return true;
	}
	pool->spawn_failing = false;
	pool->spawn_retry_ms = RETRY_MIN_MS;
	return false;
}

static void retry_later(struct wpool *pool)
{
	unsigned int ms = pool->spawn_retry_ms;

	/* a starved pool becomes due when a place is free; the timer is a fallback */
	if (READ_ONCE(pool->spawn_starved))
		ms = RETRY_MAX_MS;
	else
		pool->spawn_retry_ms = min(2 * ms, RETRY_MAX_MS);
	wpool_spawn_retry(pool, ms);
}

static void spawn(struct wpool *pool)
{
	bool again;

	wpool_threads_enter(pool);
	/* spawn:A, see wake.c */
	smp_store_mb(pool->spawn_wanted, false);
	again = try_spawn(pool);
	wpool_threads_leave(pool);
	if (!again)
		return;
	retry_later(pool);
	if (!READ_ONCE(pool->spawn_starved))
		return;
	/*
	 * spawn:B, the pool is counted as starved before free places and idle workers are
	 * checked: pairs with wpool_workers_leave_place:A and wpool_park_join:A
	 */
	smp_mb();
	wpool_worker_make_room();
}

static int spawner_main(void *nr)
{
	unsigned long timeout;
	struct wpool *pool;

	/* all pools wait for the spawner, whatever their own nice value is */
	set_user_nice(current, MIN_NICE);
	for (;;) {
		/* before the list is checked: a wake-up after the check is not lost */
		set_current_state(TASK_IDLE);
		pool = wpool_spawn_next((unsigned long)nr, &timeout);
		if (!pool) {
			if (kthread_should_stop())
				break;
			schedule_timeout(timeout);
			continue;
		}
		__set_current_state(TASK_RUNNING);
		spawn(pool);
		wpool_spawn_done(pool);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

int wpool_spawner_init(void)
{
	struct task_struct *thread;
	unsigned long nr;

	for (nr = 0; nr < WPOOL_NR_SPAWNERS; nr++) {
		thread = kthread_create(spawner_main, (void *)nr, "wpool_spawner/%lu", nr);
		if (IS_ERR(thread)) {
			wpool_spawner_exit();
			return PTR_ERR(thread);
		}
		threads[nr] = thread;
		wpool_spawn_attach(nr, thread);
		wake_up_process(thread);
	}
	return 0;
}

void wpool_spawner_exit(void)
{
	unsigned int nr;

	for (nr = 0; nr < WPOOL_NR_SPAWNERS && threads[nr]; nr++)
		kthread_stop(threads[nr]);
	wpool_spawn_forget();
}
