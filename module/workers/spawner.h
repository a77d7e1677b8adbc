/* SPDX-License-Identifier: GPL-2.0 */
/* The spawners: works that create workers, see core/spawn_queue.h. */
#ifndef WPOOL_WORKERS_SPAWNER_H
#define WPOOL_WORKERS_SPAWNER_H

struct work_struct;

/** wpool_spawner_serve() - the function of pool->spawn.work */
void wpool_spawner_serve(struct work_struct *work);

#endif /* WPOOL_WORKERS_SPAWNER_H */
