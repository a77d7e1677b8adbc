/* SPDX-License-Identifier: GPL-2.0 */
/* The worker that a pool with reclaim keeps in reserve, see workers/rescuer.c. */
#ifndef WPOOL_CORE_RESERVE_H
#define WPOOL_CORE_RESERVE_H

#include <linux/types.h>

struct wpool_worker;

/* The reserve of a pool; the letters are those of state.h. */
struct wpool_reserve {
	struct wpool_worker *rescuer;	/* W: the worker in reserve, or about to be, or NULL. It has
					 *    @leaving set, and counts only in workers.list and in
					 *    the module
					 */
	u64 rescue_ns;			/* W: when the last rescuer became a worker; 0 once another
					 *    was created, could not be created, or was dismissed
					 */
	u64 rescued;			/* W: replacements that failed, or took more than 10 ms */
	bool wait_reported;		/* X: the log names a wait for a pool without reclaim */
};

#endif /* WPOOL_CORE_RESERVE_H */
