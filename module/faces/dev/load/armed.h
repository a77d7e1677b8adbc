/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Items of /dev/wpool that wait before they start, for a time or a file, without a worker: an event
 * waits in place of the task. When the wait is over, or the item was cancelled, the event calls the
 * task's function, in a task of the pool; otherwise the abort function, with an error of
 * wpool_watch_file(), -ETIME if the file was not ready in time, or a status of &typedef
 * wpool_event_abort_fn. Then the event frees itself.
 */
#ifndef WPOOL_DEV_ARMED_H
#define WPOOL_DEV_ARMED_H

struct wpool_devarmed;
struct wpool_devitem;

/*
 * Allocate the event of a timer or a poll; sleeps. Returns 0; -ENOMEM; -EBADF; -EPERM: the file
 * cannot be polled; -ELOOP: it is a /dev/wpool.
 */
int wpool_devarmed_create(struct wpool_devitem *item);

/** wpool_devarmed_free() - free an event that was not started; NULL is allowed */
void wpool_devarmed_free(struct wpool_devarmed *armed);

/** wpool_devarmed_start() - begin to wait */
void wpool_devarmed_start(struct wpool_devarmed *armed);

#endif /* WPOOL_DEV_ARMED_H */
