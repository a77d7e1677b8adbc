/* SPDX-License-Identifier: GPL-2.0 */
/* The freezer: a thread that freezes and thaws the freezable pools with the system. */
#ifndef WPOOL_WORKERS_FREEZER_H
#define WPOOL_WORKERS_FREEZER_H

#include <linux/types.h>

/*
 * Freeze the freezable pools, as a suspend does, if @on; otherwise thaw them. For tests: a suspend
 * may begin while the pools are frozen. Sleeps, killable. Returns 0: no task of these pools runs,
 * or they are thawed; -EINTR: killed before that, and the freezer's thread soon thaws them;
 * -ENOMEM; -ESHUTDOWN: after wpool_freezer_exit().
 */
int wpool_freezer_hold(bool on);

/*
 * Start the thread, if necessary, before a pool becomes freezable. Sleeps. Returns 0, -ENOMEM,
 * -EAGAIN, -EINTR, or -ESHUTDOWN: after wpool_freezer_exit().
 */
int wpool_freezer_start(void);

/** wpool_freezer_exit() - thaw the pools, stop the thread; no wpool_freezer_hold() is running */
void wpool_freezer_exit(void);

#endif /* WPOOL_WORKERS_FREEZER_H */
