/* SPDX-License-Identifier: GPL-2.0 */
/* On which CPUs workers may be at home, and on which one a worker should be. */
#ifndef WPOOL_WORKERS_PLACE_H
#define WPOOL_WORKERS_PLACE_H

struct wpool;

/**
 * wpool_place() - recompute which run queues workers may be at home on
 * @pool: the pool, tune_mutex held
 * @dying: a CPU on its way down, that still counts as online; or -1
 *
 * Idle workers that have no home there any more are woken to find another one.
 *
 * Context: process context.
 */
void wpool_place(struct wpool *pool, int dying);

/**
 * wpool_worker_place() - best CPU for a worker
 * @pool: the pool
 * @prefer: CPU that wins a tie, or -1
 *
 * Return: the CPU with the fewest workers among those where wpool_place()
 * allows them.
 */
int wpool_worker_place(struct wpool *pool, int prefer);

#endif /* WPOOL_WORKERS_PLACE_H */
