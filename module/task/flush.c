// SPDX-License-Identifier: GPL-2.0
/*
 * Flush and drain, see flush.h.
 *
 * A flush has two phases, for two colours. A submitter may read the colour just before a flush
 * changes it, and count its task in afterwards. So a flush first waits for the colour that is not
 * current, which only such late tasks have; then it changes the colour; then it waits for the
 * colour that was current. Only late tasks are still counted into a colour that is waited for, so a
 * flush returns under continuous submission. One thread flushes at a time; a thread that waits for
 * its turn needs no flush of its own if a whole one goes by meanwhile.
 *
 * A finish does not check whether it was the last. The thread that waits counts the tasks itself,
 * once a tick, and a worker that finds no more work wakes it earlier: wpool_flush_wake().
 *
 * Counting without locks: a task is counted in on one CPU and out on another (task/state.h). The
 * reader adds up first the tasks counted out and, after a barrier, the tasks counted in. If the
 * sums are equal, there was a time between the two additions when no task of the colour was
 * unfinished. SRCU does the same.
 */
#include "task/flush.h"

#include <linux/err.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>

#include "core/current.h"
#include "core/idle.h"
#include "core/runqs.h"
#include "core/state.h"
#include "task/state.h"

/* Was there a time during this call when no task of the colour was unfinished? */
static bool is_quiet(struct wpool *pool, u32 colour)
{
	u64 out = wpool_sum_runqs(pool, local64_read(&rq->share.finished[colour]));

	/*
	 * Out before in, and out before what the caller writes: pairs with the barrier in
	 * wpool_account_out().
	 */
	smp_mb();
	return wpool_sum_runqs(pool, READ_ONCE(rq->share.accepted[colour])) == out;
}

void wpool_flush_wake(struct wpool *pool)
{
	/* a flush waits for the colour that new tasks do not get */
	u32 old = !READ_ONCE(pool->colour), finished;
	struct wpool_runq *rq;

	/* racy: a thread that joins drain_wq just now counts the tasks itself, once a tick */
	if (!waitqueue_active(&pool->drain_wq))
		return;
	/*
	 * Only a finish ends the wait, and a worker that parks on the CPU of that finish checks.
	 * Skip if no task has finished on this CPU since its last check.
	 */
	rq = raw_cpu_read(*pool->rq);
	finished = local64_read(&rq->share.finished[old]);
	if (READ_ONCE(rq->waited_for[old]) == finished)
		return;
	WRITE_ONCE(rq->waited_for[old], finished);
	if (is_quiet(pool, old))
		wake_up_all(&pool->drain_wq);
}

static int wait_until_quiet(struct wpool *pool, u32 colour)
{
	long left;

	do {
		left = wait_event_killable_timeout(pool->drain_wq, is_quiet(pool, colour), 1);
	} while (!left);
	return left < 0 ? -EINTR : 0;
}

/* Wait for the tasks that are accepted by now, of both colours. */
static int wait_for_all(struct wpool *pool)
{
	u32 next, old;
	int err = 0;

	/* wait_for_all:A, these tasks are counted in; then the number is read: pairs with B */
	smp_mb();
	next = READ_ONCE(pool->flushes_begun) + 1;
	if (mutex_lock_killable(&pool->flush_mutex))
		return -EINTR;
	/* a flush that has begun since then, and ended, waited for these tasks */
	if ((s32)(pool->flushes_ended - next) >= 0)
		goto out;
	WRITE_ONCE(pool->flushes_begun, pool->flushes_begun + 1);
	/* wait_for_all:B, before the counts are read */
	smp_mb();
	old = pool->colour;
	err = wait_until_quiet(pool, !old);
	if (!err) {
		WRITE_ONCE(pool->colour, !old);
		/* a submitter that counts in with @old later has read pool->colour before */
		smp_mb();
		err = wait_until_quiet(pool, old);
	}
	if (!err)
		pool->flushes_ended = pool->flushes_begun;
out:
	mutex_unlock(&pool->flush_mutex);
	return err;
}

int wpool_flush(struct wpool *pool)
{
	int err;

	might_sleep();
	if (IS_ERR_OR_NULL(pool))
		return -EINVAL;
	if (wpool_refuse_own_task(pool, __func__))
		return -EDEADLK;
	wpool_lockdep_wait(pool);

	/* since the call, each colour was without an unfinished task at some time */
	if (is_quiet(pool, 0) && is_quiet(pool, 1))
		err = 0;
	else
		err = wait_for_all(pool);
	/* wait until the finishes of these tasks have given their tokens back, too */
	wpool_finish_sync_all();
	return err;
}
EXPORT_SYMBOL_GPL(wpool_flush);

static bool is_empty(struct wpool *pool)
{
	if (!is_quiet(pool, 0) || !is_quiet(pool, 1))
		return false;
	/* read after the counts: a task that fires an event does so before it is counted out */
	if (atomic_read(&pool->nr_refused_events))
		return false;
	/* read after the tasks: pairs with spawn_worker:A. A spawner counts as a thread */
	smp_mb();
	return !atomic_read(&pool->workers.nr_threads);
}

int wpool_flush_drain(struct wpool *pool, unsigned int state, long timeout)
{
	unsigned long end = jiffies + timeout;
	DEFINE_WAIT(wait);
	int err = 0;

	/* only with a timeout: a check without a wait, under tune_mutex, cannot deadlock */
	if (timeout)
		wpool_lockdep_wait(pool);
	for (;;) {
		prepare_to_wait(&pool->drain_wq, &wait, state);
		/* a pool that is open again was empty before: a reboot waits for that */
		if (is_empty(pool) || !wpool_is_closed(pool))
			break;
		if (signal_pending_state(state, current)) {
			err = -EINTR;
			break;
		}
		if (!timeout || (timeout != MAX_SCHEDULE_TIMEOUT && time_after_eq(jiffies, end))) {
			err = -ETIME;
			break;
		}
		/* workers of a frozen pool may have parked behind tasks that were then cancelled */
		if (is_quiet(pool, 0) && is_quiet(pool, 1))
			wpool_idle_wake_all(pool);
		schedule_timeout(1);
	}
	finish_wait(&pool->drain_wq, &wait);
	return err;
}
