/* SPDX-License-Identifier: GPL-2.0 */
/* Tasks of /dev/wpool that run one after the other. */
#ifndef WPOOL_DEV_STRAND_H
#define WPOOL_DEV_STRAND_H

#include <linux/types.h>
#include <linux/wpool.h>

struct wpool_devstrand;
struct wpool_devturn;

/** wpool_devstrand_create() - allocate the strand of a file, or return NULL; may sleep */
struct wpool_devstrand *wpool_devstrand_create(struct wpool *pool);

/*
 * Free a strand of which each turn has ended. @strand: the strand, NULL is allowed. May be called
 * by one of the functions of the last turn. Sleeps.
 */
void wpool_devstrand_free(struct wpool_devstrand *strand);

/*
 * Allocate a turn of a strand, to be started in place of a task. @task: abortable, never submitted.
 * Sleeps. Returns the turn, or NULL.
 *
 * After the start the turn calls one function of @task, once, and frees itself. When the turn
 * comes, it calls @task->func in a task of the pool. Otherwise it calls @task->abort, with a status
 * of &typedef wpool_strand_abort_fn.
 */
struct wpool_devturn *wpool_devturn_create(struct wpool_devstrand *strand,
					   struct wpool_task *task, bool urgent);

size_t wpool_devturn_bytes(void);

/** wpool_devturn_free() - free a turn that was not started; NULL is allowed */
void wpool_devturn_free(struct wpool_devturn *turn);

/** wpool_devturn_start() - start a turn in any context; returns 0 or -ESHUTDOWN */
int __must_check wpool_devturn_start(struct wpool_devturn *turn);

#endif /* WPOOL_DEV_STRAND_H */
