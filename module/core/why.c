// SPDX-License-Identifier: GPL-2.0
/* Why tasks of a pool wait, see why.h. */
#include "core/why.h"

#include <linux/kernel.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "compat.h"
#include "core/counts.h"
#include "core/freeze.h"
#include "core/queued.h"
#include "core/state.h"

struct wpool_worker *wpool_find_hog(struct wpool *pool, int cpu)
{
	struct wpool_worker *w;

	list_for_each_entry_rcu(w, &pool->workers.list, node) {
		if (!READ_ONCE(w->task) || READ_ONCE(w->running_on) ||
		    compat_is_blocked(w->thread) || (cpu >= 0 && task_cpu(w->thread) != cpu))
			continue;
		/* racy: the worker writes @asleep without a lock */
		if (!data_race(w->asleep))
			return w;
	}
	return NULL;
}

u32 wpool_workers_in(struct wpool *pool, void *func)
{
	struct wpool_worker *w;
	u32 nr = 0;

	list_for_each_entry_rcu(w, &pool->workers.list, node)
		nr += READ_ONCE(w->task) && (!func || READ_ONCE(w->func) == func);
	return nr;
}

/* The function in which more than half of the workers are, or else any of their functions. */
static void *common_func(struct wpool *pool)
{
	struct wpool_worker *w;
	void *func = NULL;
	u32 votes = 0;

	list_for_each_entry_rcu(w, &pool->workers.list, node) {
		if (!READ_ONCE(w->task))
			continue;
		if (!votes)
			func = READ_ONCE(w->func);
		votes += READ_ONCE(w->func) == func ? 1 : -1;
	}
	return func;
}

enum wpool_why wpool_why(struct wpool *pool, char *text, size_t size)
{
	u32 workers = READ_ONCE(pool->nr_workers), in_tasks = wpool_workers_in(pool, NULL);
	struct wpool_worker *hog = wpool_find_hog(pool, -1);
	bool all_busy = in_tasks >= workers;
	void *func = common_func(pool);

	if (!wpool_queues_len(pool) && !READ_ONCE(pool->admission.nr_waiting)) {
		scnprintf(text, size, "nothing waits");
	} else if (wpool_is_frozen(pool)) {
		scnprintf(text, size, "the pool is frozen");
	} else if (all_busy && workers >= READ_ONCE(pool->capacity)) {
		scnprintf(text, size, "capacity is used up: %u of %u workers in %ps",
			  wpool_workers_in(pool, func), workers, func);
		return WPOOL_WHY_EXHAUSTED;
	} else if (READ_ONCE(pool->spawn.failing)) {
		scnprintf(text, size, "no worker can be made, error %d",
			  READ_ONCE(pool->spawn.error));
	} else if (all_busy && !wpool_workers_room()) {
		scnprintf(text, size, "max_workers = %u is reached: this pool has %u workers",
			  wpool_max_workers, workers);
		return WPOOL_WHY_EXHAUSTED;
	} else if (hog) {
		scnprintf(text, size, "hogs keep the CPUs: %ps on CPU %d without sleep",
			  READ_ONCE(hog->func), task_cpu(hog->thread));
		return WPOOL_WHY_HOGS;
	} else if (atomic_read(&pool->nr_coming) || atomic_read(&pool->nr_searching)) {
		scnprintf(text, size, "a worker is on its way, or needs a CPU");
	} else {
		scnprintf(text, size, "%u of %u workers are in tasks, none has looked yet",
			  in_tasks, workers);
	}
	return WPOOL_WHY_OTHER;
}
