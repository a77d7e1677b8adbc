/* SPDX-License-Identifier: GPL-2.0 */
/*
 * News for programs that poll a pool's sysfs file "pressure": a submit met a full pool, tasks or
 * submitters begin to wait, a worker died, a queue stalls. Any context may report news, because the
 * monitor sends it. A pool sends at most one message in a period of the monitor.
 */
#ifndef WPOOL_CORE_NOTIFY_H
#define WPOOL_CORE_NOTIFY_H

struct wpool;

/** wpool_notify_tell() - report news of a pool */
void wpool_notify_tell(struct wpool *pool);

/** wpool_notify_send() - for the monitor: wake programs that poll, if there is news */
void wpool_notify_send(struct wpool *pool);

/** wpool_notify_attach() - find the file pressure, once the pool has its files; sleeps */
void wpool_notify_attach(struct wpool *pool);

/** wpool_notify_detach() - drop the reference to the file, before the pool is freed */
void wpool_notify_detach(struct wpool *pool);

#endif /* WPOOL_CORE_NOTIFY_H */
