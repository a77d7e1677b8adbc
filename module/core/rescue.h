/* SPDX-License-Identifier: GPL-2.0 */
/* How the worker in reserve is taken, by the thread that needs it; see workers/rescuer.c. */
#ifndef WPOOL_CORE_RESCUE_H
#define WPOOL_CORE_RESCUE_H

#include <linux/types.h>

struct wpool;

/*
 * The worker in reserve becomes one of the pool's. @prefer: the CPU where it would be welcome, or
 * -1. Returns true if it was there, and the pool below its capacity; the reserve is to be refilled.
 */
bool wpool_reserve_take(struct wpool *pool, int prefer);

/*
 * The pool has other CPUs or cgroups: so shall have its worker in reserve. Process context,
 * interrupts on.
 */
void wpool_reserve_follow(struct wpool *pool);

#endif /* WPOOL_CORE_RESCUE_H */
