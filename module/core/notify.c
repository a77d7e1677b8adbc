// SPDX-License-Identifier: GPL-2.0
/*
 * News, see notify.h.
 *
 * Barrier pair: a thread sets pool->has_news, executes a full barrier (wpool_notify_tell:A), and
 * sets the monitor's timer. The monitor executes timer_fires:A, see monitor_timer.c, and reads
 * has_news. The monitor clears has_news before it sends, so that later news sets has_news again.
 */
#include "core/notify.h"

#include <linux/device.h>
#include <linux/sysfs.h>

#include "core/monitor_timer.h"

void wpool_notify_tell(struct wpool *pool)
{
	if (READ_ONCE(pool->has_news))
		return;
	WRITE_ONCE(pool->has_news, true);
	/* wpool_notify_tell:A, pairs with timer_fires:A */
	smp_mb();
	wpool_monitor_timer_set(pool);
}

void wpool_notify_send(struct wpool *pool)
{
	struct kernfs_node *file;

	if (likely(!READ_ONCE(pool->has_news)))
		return;
	WRITE_ONCE(pool->has_news, false);
	/* pairs with the release in wpool_notify_attach() */
	file = smp_load_acquire(&pool->pressure_file);
	/* the file may be removed already, but its node is valid as long as the pool */
	if (file)
		sysfs_notify_dirent(file);
}

void wpool_notify_attach(struct wpool *pool)
{
	/* NULL if memory is short: then programs that poll get no news */
	struct kernfs_node *file = sysfs_get_dirent(pool->dev.kobj.sd, "pressure");

	/* pairs with the acquire in wpool_notify_send() */
	smp_store_release(&pool->pressure_file, file);
}

void wpool_notify_detach(struct wpool *pool)
{
	sysfs_put(pool->pressure_file);
}
