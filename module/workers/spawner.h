/* SPDX-License-Identifier: GPL-2.0 */
/* The spawners: works that create workers, see core/spawn_queue.h. */
#ifndef WPOOL_WORKERS_SPAWNER_H
#define WPOOL_WORKERS_SPAWNER_H

/* The most spawners that run at the same time on a node; each serves one pool. */
#define WPOOL_NR_SPAWNERS	4

struct work_struct;

/** wpool_spawner_serve() - the function of pool->spawn.work */
void wpool_spawner_serve(struct work_struct *work);

int wpool_spawner_init(void);

/** wpool_spawner_exit() - wait for the last work, remove the workqueue; after the last worker */
void wpool_spawner_exit(void);

#endif /* WPOOL_WORKERS_SPAWNER_H */
