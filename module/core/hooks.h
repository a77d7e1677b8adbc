/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of a pool's owner, see workers/owner_hooks.h and workers/fault.h. */
#ifndef WPOOL_CORE_HOOKS_H
#define WPOOL_CORE_HOOKS_H

#include <linux/wpool.h>

struct wpool_hooks {
	wpool_fault_fn fault;			/* I: called when a worker has died, or NULL */
	void *fault_data;			/* I: for @fault */
	wpool_worker_start_fn worker_start;	/* I: called by each new worker, or NULL */
	wpool_worker_end_fn worker_end;		/* I: called when a worker ends, or NULL */
	void *worker_data;			/* I: for @worker_start and @worker_end */
};

#endif /* WPOOL_CORE_HOOKS_H */
