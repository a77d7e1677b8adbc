// SPDX-License-Identifier: GPL-2.0
/* How a freeze ends, see freeze.h. */
#include "core/freeze.h"

#include <linux/cache.h>

#include "core/idle.h"
#include "core/monitor_timer.h"
#include "core/queued.h"
#include "core/runqs.h"
#include "core/spawn_queue.h"

bool wpool_freeze_is_on __read_mostly;

void wpool_freeze_lift(struct wpool *pool)
{
	struct wpool_runq *rq;
	u32 i;

	/* wpool_freeze_lift:A, see freeze.h */
	smp_mb();
	/* offer what is queued to workers of other CPUs */
	wpool_for_each_active(pool, rq, i)
		wpool_runq_offer(rq);
	/* workers that find tasks wake others, and ask for more workers */
	if (wpool_idle_any(pool))
		wpool_idle_wake_all(pool);
	else if (wpool_queues_len(pool))
		wpool_spawn_check(pool);
	/* the monitor must see workers that wait for their CPUs */
	wpool_monitor_timer_set(pool);
}
