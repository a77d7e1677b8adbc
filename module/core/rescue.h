/* SPDX-License-Identifier: GPL-2.0 */
/* How the worker in reserve is taken, if a thread needs a worker; see workers/rescuer.c. */
#ifndef WPOOL_CORE_RESCUE_H
#define WPOOL_CORE_RESCUE_H

#include <linux/types.h>

struct wpool;

/*
 * Make the worker in reserve a worker of the pool. @prefer: as for wpool_home_place(). Returns true
 * if a worker was in reserve, and the pool was below its capacity. Then the caller must have the
 * spawner refill the reserve.
 */
bool wpool_reserve_take(struct wpool *pool, int prefer);

/* The pool's CPUs or cgroups have changed: let its worker in reserve adopt them. Interrupts on */
void wpool_reserve_follow(struct wpool *pool);

#endif /* WPOOL_CORE_RESCUE_H */
