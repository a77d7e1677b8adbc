/* SPDX-License-Identifier: GPL-2.0 */
/* The spawners: threads that create workers. They serve the queue of core/spawn_queue.h. */
#ifndef WPOOL_WORKERS_SPAWNER_H
#define WPOOL_WORKERS_SPAWNER_H

/** wpool_spawner_init() - start the threads; Return: 0 or -errno */
int wpool_spawner_init(void);

/** wpool_spawner_exit() - stop the threads; no worker is left */
void wpool_spawner_exit(void);

#endif /* WPOOL_WORKERS_SPAWNER_H */
