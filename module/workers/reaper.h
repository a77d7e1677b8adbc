/* SPDX-License-Identifier: GPL-2.0 */
/* The reaper: a work that waits for the threads of workers to end, and frees the workers. */
#ifndef WPOOL_WORKERS_REAPER_H
#define WPOOL_WORKERS_REAPER_H

struct workqueue_struct;

/**
 * wpool_reaper_init() - start to reap
 * @wq: where; its works must start although memory is short, as a task may have died with its
 *	worker, and memory may come only after its end
 */
void wpool_reaper_init(struct workqueue_struct *wq);

#endif /* WPOOL_WORKERS_REAPER_H */
