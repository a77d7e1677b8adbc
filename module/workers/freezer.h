/* SPDX-License-Identifier: GPL-2.0 */
/* The freezer: a thread that freezes and thaws the freezable pools with the system. */
#ifndef WPOOL_WORKERS_FREEZER_H
#define WPOOL_WORKERS_FREEZER_H

#include <linux/types.h>

/**
 * wpool_freezer_hold() - freeze the freezable pools as a suspend does, or thaw them
 * @on: true: freeze them, until a call with false
 *
 * For tests: a suspend may begin while this call keeps the pools frozen.
 *
 * Context: process context; sleeps, killable.
 * Return: 0: no task of these pools runs, or they are thawed; -EINTR: killed before that, and they
 * are thawed; -ENOMEM; -ESHUTDOWN: after wpool_freezer_exit().
 */
int wpool_freezer_hold(bool on);

/**
 * wpool_freezer_start() - start the thread, if necessary, before a pool becomes freezable
 *
 * Context: process context; sleeps.
 * Return: 0, -ENOMEM, -EINTR, or -ESHUTDOWN: after wpool_freezer_exit().
 */
int wpool_freezer_start(void);

/** wpool_freezer_exit() - thaw the pools, stop the thread; no wpool_freezer_hold() is running */
void wpool_freezer_exit(void);

#endif /* WPOOL_WORKERS_FREEZER_H */
