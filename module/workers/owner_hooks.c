// SPDX-License-Identifier: GPL-2.0
/*
 * The hooks of a pool, see owner_hooks.h.
 *
 * The thread that creates a worker waits until worker_start has returned; only then does the worker
 * count as running. So an error of the hook is treated as a failure to create the thread, and other
 * workers never rely on a worker that sleeps in its hook. Without the hook there is no wait.
 *
 *   created    registered, so that the reaper finds it whatever happens
 *   preparing  in worker_start; the creator waits for w->preparing->done
 *   prepared   asleep until w->may_go: the creator counts it in, or puts it in reserve
 *   going      a worker, or the rescuer, until it leaves for good
 *   ending     counted out; in worker_end. The pool waits for its thread.
 */
#include "workers/owner_hooks.h"

#include <linux/export.h>
#include <linux/rcupdate.h>

#include "core/current.h"
#include "core/state.h"

/* What the creator of a worker waits for, on the creator's stack. */
struct wpool_preparing {
	struct completion done;
	int err;
};

void wpool_hooks_tell(struct wpool_worker *w, int err)
{
	struct wpool_preparing *preparing = w->preparing;

	if (!preparing)
		return;
	w->preparing = NULL;
	/* the worker is not counted in, so nothing else has to be undone */
	if (err)
		w->leaving = true;
	preparing->err = err;
	complete(&preparing->done);
}

int wpool_hooks_prepare(struct wpool_worker *w)
{
	struct wpool_preparing preparing = { };

	if (!w->pool->hooks.worker_start)
		return 0;
	/* worker_start may read the pool's attributes, and wait for CPU hotplug */
	lockdep_assert_not_held(&w->pool->tune_mutex);
	init_completion(&preparing.done);
	w->preparing = &preparing;
	wake_up_process(w->thread);
	/* not killable: worker_start may have begun */
	wait_for_completion(&preparing.done);
	return preparing.err;
}

void wpool_hooks_go(struct wpool_worker *w)
{
	/* the worker may already run, and leave: RCU keeps it until the wake-up has returned */
	rcu_read_lock();
	complete(&w->may_go);
	/* without worker_start, the thread has not run yet: start it */
	wake_up_process(w->thread);
	rcu_read_unlock();
}

bool wpool_hooks_start(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;
	int err;

	if (!w->preparing)
		return true;
	WRITE_ONCE(w->func, pool->hooks.worker_start);
	err = pool->hooks.worker_start(pool, pool->hooks.worker_data, &w->own);
	WRITE_ONCE(w->func, NULL);
	wpool_hooks_tell(w, err);
	if (err)
		return false;
	wait_for_completion_state(&w->may_go, TASK_IDLE);
	return true;
}

void wpool_hooks_end(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;

	if (pool->hooks.worker_end) {
		WRITE_ONCE(w->func, pool->hooks.worker_end);
		pool->hooks.worker_end(pool, w->own, pool->hooks.worker_data);
	}
	/* now the reaper knows that the worker did not die in the hook */
	WRITE_ONCE(w->func, NULL);
}

void *wpool_worker_own(struct wpool *pool)
{
	struct wpool_worker *w = wpool_worker_current();

	return w && w->pool == pool ? w->own : NULL;
}
EXPORT_SYMBOL_GPL(wpool_worker_own);
