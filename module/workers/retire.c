// SPDX-License-Identifier: GPL-2.0
/* How a worker is counted in and out, see retire.h. wake.c explains the barriers. */
#include "workers/retire.h"

#include "core/counts.h"
#include "core/idle.h"
#include "core/queued.h"
#include "core/runqs.h"
#include "core/spawn_queue.h"
#include "core/state.h"
#include "core/tidy_queue.h"
#include "core/wake.h"

bool wpool_worker_may_enter(const struct wpool *pool)
{
	/* while pools starve, no other pool takes the room */
	return !READ_ONCE(wpool_nr_starved) || wpool_spawn_is_starved(pool);
}

int wpool_worker_count_in(struct wpool *pool)
{
	int err = 0;

	raw_spin_lock_irq(&pool->workers.lock);
	if (!wpool_worker_may_enter(pool))
		err = -EAGAIN;
	else if (pool->nr_workers >= READ_ONCE(pool->capacity))
		err = -EBUSY;
	else if (!wpool_module_count_in())
		err = -EAGAIN;
	else
		WRITE_ONCE(pool->nr_workers, pool->nr_workers + 1);
	raw_spin_unlock_irq(&pool->workers.lock);
	return err;
}

void wpool_worker_count_out(struct wpool *pool)
{
	local_irq_disable();
	raw_spin_lock(&pool->workers.lock);
	WRITE_ONCE(pool->nr_workers, pool->nr_workers - 1);
	raw_spin_unlock(&pool->workers.lock);
	/* the call looks for tasks: at capacity, their submitters asked for no worker */
	wpool_worker_left(pool, false);
	local_irq_enable();
}

bool wpool_worker_resign(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;

	lockdep_assert_held(&pool->workers.lock);
	WRITE_ONCE(pool->nr_workers, pool->nr_workers - 1);
	WRITE_ONCE(w->leaving, true);
	if (likely(!READ_ONCE(pool->reclaim)) || pool->reserve.rescuer)
		return false;
	/* the rescuer may use any CPU of the pool: another thread may keep its home */
	WRITE_ONCE(w->may_roam, true);
	WRITE_ONCE(pool->reserve.rescuer, w);
	return true;
}

void wpool_worker_left(struct wpool *pool, bool stays)
{
	if (stays) {
		/* as wpool_module_count_out:A; the rescuer remains a worker of the module */
		smp_mb();
		wpool_tidy_sweep(&pool->tidy_joinable);
	} else {
		wpool_module_count_out();
	}
	if (unlikely(READ_ONCE(wpool_nr_starved)) || unlikely(READ_ONCE(pool->spawn.refused)))
		wpool_spawn_room_free(pool);
	wpool_wake_if_work(pool, wpool_this_runq(pool));
	/* other idle workers may leave, too, now that the last tasks are taken: wake one */
	if (unlikely(wpool_is_closed(pool)) && !wpool_queues_len(pool))
		wpool_idle_wake_next(pool);
}

bool wpool_worker_has_excess(const struct wpool *pool)
{
	return READ_ONCE(pool->nr_workers) > READ_ONCE(pool->capacity) || wpool_spawn_wants_room();
}

bool wpool_worker_leave(struct wpool_worker *w, bool if_closed, bool if_needed)
{
	struct wpool *pool = w->pool;
	bool stays = false;

	local_irq_disable();
	raw_spin_lock(&pool->workers.lock);
	if (pool->nr_workers > READ_ONCE(pool->capacity) ||
	    (if_closed && wpool_is_closed(pool)) ||
	    (if_needed && wpool_spawn_wants_room()))
		stays = wpool_worker_resign(w);
	raw_spin_unlock(&pool->workers.lock);

	if (w->leaving) {
		wpool_home_count(w->rq, -1);
		wpool_searching_leave(w);
		wpool_running_leave(w);
		wpool_worker_left(pool, stays);
	}
	local_irq_enable();
	return w->leaving;
}
