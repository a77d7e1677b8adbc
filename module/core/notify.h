/* SPDX-License-Identifier: GPL-2.0 */
/*
 * News of a pool, for programs that poll its file pressure: a submit met a full pool, tasks
 * or submitters begin to wait, a worker died, a queue stalls. The monitor passes them on. So
 * they may come from any context, and there is at most one message in a period of the monitor.
 */
#ifndef WPOOL_CORE_NOTIFY_H
#define WPOOL_CORE_NOTIFY_H

#include <linux/compiler.h>

#include "core/state.h"

/** __wpool_notify_tell() - the slow path of wpool_notify_tell() */
void __wpool_notify_tell(struct wpool *pool);

/* There is something to tell about a pool */
static inline void wpool_notify_tell(struct wpool *pool)
{
	if (!READ_ONCE(pool->has_news))
		__wpool_notify_tell(pool);
}

/** wpool_notify_send() - for the monitor: wake those who poll, if there is anything to tell */
void wpool_notify_send(struct wpool *pool);

/** wpool_notify_attach() - the pool has its files; process context */
void wpool_notify_attach(struct wpool *pool);

/** wpool_notify_detach() - before the pool is freed */
void wpool_notify_detach(struct wpool *pool);

#endif /* WPOOL_CORE_NOTIFY_H */
