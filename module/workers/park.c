// SPDX-License-Identifier: GPL-2.0
/* How a worker parks, see park.h. wake.c explains the barriers. */
#include "workers/park.h"

#include <linux/sched.h>

#include "core/counts.h"
#include "core/idle.h"
#include "core/queued.h"
#include "core/spawn_queue.h"
#include "core/state.h"
#include "core/wake.h"
#include "workers/expire.h"

/* Must the calling worker stay awake, whether tasks are queued or not? */
static bool is_wanted_awake(const struct wpool_worker *w)
{
	struct wpool_runq *rq = w->rq;
	struct wpool *pool = w->pool;

	return READ_ONCE(rq->redirect) ||
	       READ_ONCE(pool->nr_workers) > READ_ONCE(pool->capacity) ||
	       wpool_spawn_wants_place() || !wpool_cgroup_is_joined(w) ||
	       /* freed after it went home; but one that cannot go home now may park */
	       (current->nr_cpus_allowed != 1 && !w->stray) ||
	       (wpool_is_closed(pool) && !wpool_queues_len(pool));
}

void wpool_park_join(struct wpool_worker *w, bool sent)
{
	struct wpool_runq *rq = w->rq;
	struct wpool *pool = w->pool;
	bool relied_on = sent || w->searching;

	local_irq_disable();
	/* first: an idle worker may expire, so it must not count as searching */
	wpool_searching_leave(w);
	/* wpool_park_join:A, the full barrier of the call, see wake.c */
	wpool_running_left(rq, wpool_idle_add(rq, w));
	/* the call may wake this worker; if its CPU has no room, running workers look again */
	if (relied_on || wpool_runq_has_room(rq))
		wpool_wake_if_work(pool, rq);
	/*
	 * A thread that changes what is_wanted_awake() reads visits the idle workers afterwards,
	 * see wpool_idle_wake_runq(). This check comes last: if tasks are queued now, the call
	 * above has made sure that a worker comes for them.
	 */
	if (is_wanted_awake(w)) {
		raw_spin_lock(&rq->lock);
		if (w->parked) {
			/* count the worker as picked, so that wakers may still rely on it */
			WRITE_ONCE(w->picked, true);
			wpool_coming_enter(w);
			wpool_idle_take(rq, w);
		}
		raw_spin_unlock(&rq->lock);
	}
	local_irq_enable();
}

bool wpool_park_sleep(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;

	wpool_expire_arm(pool, READ_ONCE(pool->expiry_ms));
	/* wpool_park_sleep:A, pairs with wpool_idle_take:A */
	while (smp_load_acquire(&w->parked)) {
		/* before the check, so that a wake-up after the check is not lost */
		set_current_state(TASK_IDLE);
		if (READ_ONCE(w->parked))
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return !w->leaving;
}
