/* SPDX-License-Identifier: GPL-2.0 */
/* The reaper: a thread that waits for the threads of workers to end, and frees the workers. */
#ifndef WPOOL_WORKERS_REAPER_H
#define WPOOL_WORKERS_REAPER_H

/** wpool_reaper_init() - start the thread; Return: 0 or -errno */
int wpool_reaper_init(void);

/** wpool_reaper_exit() - stop the thread; no worker and no spawner is left */
void wpool_reaper_exit(void);

#endif /* WPOOL_WORKERS_REAPER_H */
