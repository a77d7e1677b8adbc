/* SPDX-License-Identifier: GPL-2.0 */
/* What the monitor keeps of a pool and of its run queues, see monitor.h. */
#ifndef WPOOL_CORE_WATCH_H
#define WPOOL_CORE_WATCH_H

#include <linux/types.h>

/* Which running workers the monitor counts out, see monitor.c. */
enum wpool_retake { WPOOL_RETAKE_NONE, WPOOL_RETAKE_BLOCKED, WPOOL_RETAKE_ALL };

/* What the monitor saw, and since when @what has not changed. Letters as in state.h. */
struct wpool_standing {
	u64 what;		/* N: only compared; 0 is nothing */
	u64 since_ns;		/* N: when @what was first seen, or 0 to start again */
};

/* Note in @standing that @what is seen. Returns for how long @what has not changed. */
static inline u64 wpool_standing_ns(struct wpool_standing *standing, u64 what, u64 now)
{
	if (!standing->since_ns || standing->what != what) {
		standing->what = what;
		standing->since_ns = now;
	}
	return now - standing->since_ns;
}

/* What the monitor last saw of a queue. */
struct wpool_looked {
	struct wpool_standing looks; /* N: @tick of the run queue; for a pool the sum of all */
	enum wpool_retake retake; /* N: which workers to count out this time */
	struct wpool_standing head; /* N: what was at the head of the queue */
	bool reported;		/* N: the log has a message about the queue */
	struct wpool_standing next; /* N: what was in the next slot; only for max_wait_ms */
	struct wpool_standing slot; /* N: as @next, with the run queue's @tick; for the pressure */
	u64 tried_ns;		/* N: for how long @looks had stood when a jam was last explained */
	bool is_overdue;	/* X: set when a task in the run queue seems to have waited for
				 *    max_wait_ms; cleared by wpool_finish_sweep()
				 */
	bool jam_reported;	/* N: no more to log about this jam, see stall_report.h */
	bool jam_counted;	/* N: @exhausted of the pool counts this episode */
};

/* What the monitor keeps of a pool. */
struct wpool_monitor {
	struct wpool_looked watch; /* N: last look at the pool and its global queue */
	u64 handoffs;		/* N: hand-offs by the monitor */
	u64 hogs;		/* N: workers that a task kept from looking for work for hog_ms */
	u64 exhausted;		/* N: jams in which all workers allowed were in tasks */
};

#endif /* WPOOL_CORE_WATCH_H */
