/* SPDX-License-Identifier: GPL-2.0 */
/* The reaper: a thread that puts away workers that have ended, and cancelled tasks. */
#ifndef WPOOL_WORKERS_REAPER_H
#define WPOOL_WORKERS_REAPER_H

/** wpool_reaper_init() - start the thread; Return: 0 or -errno */
int wpool_reaper_init(void);

/** wpool_reaper_exit() - stop it; no worker is left, and no spawner */
void wpool_reaper_exit(void);

#endif /* WPOOL_WORKERS_REAPER_H */
