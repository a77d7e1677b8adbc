/* SPDX-License-Identifier: GPL-2.0 */
/* The reaper: a work that frees workers once their threads have ended; a timer repeats it. */
#ifndef WPOOL_WORKERS_REAPER_H
#define WPOOL_WORKERS_REAPER_H

int wpool_reaper_init(void);
/** wpool_reaper_exit() - remove the workqueue, after the last worker */
void wpool_reaper_exit(void);

#endif /* WPOOL_WORKERS_REAPER_H */
