/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Our own fault injection point: the thread of a worker cannot be created.
 *
 * kthreadd allocates a thread, and fail-nth of the thread that asks for it does not count
 * there. So it is counted here, in the asking thread: fail-nth of a thread that creates a
 * worker (the creator of a preallocated pool, otherwise a spawner), and the attributes in
 * debugfs, as for the kernel's own injection points.
 *
 * Only on kernels with CONFIG_FAULT_INJECTION_DEBUG_FS.
 */
#ifndef WPOOL_INJECT_H
#define WPOOL_INJECT_H

#include <linux/types.h>

#if defined(CONFIG_FAULT_INJECTION) && defined(CONFIG_FAULT_INJECTION_DEBUG_FS)

/**
 * wpool_inject_spawn() - shall the creation of this thread fail?
 *
 * Context: process context.
 * Return: true if so.
 */
bool wpool_inject_spawn(void);

/** wpool_inject_init() - create the attributes; Context: process context */
void wpool_inject_init(void);

/** wpool_inject_exit() - remove them; Context: process context */
void wpool_inject_exit(void);

#else

static inline bool wpool_inject_spawn(void)
{
	return false;
}

static inline void wpool_inject_init(void)
{
}

static inline void wpool_inject_exit(void)
{
}

#endif

#endif /* WPOOL_INJECT_H */
