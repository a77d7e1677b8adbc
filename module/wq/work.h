/* SPDX-License-Identifier: GPL-2.0 */
/* What delayed works need of works; see wq.h. */
#ifndef WPOOL_WQ_WORK_H
#define WPOOL_WQ_WORK_H

#include "wq/wq.h"

/* Give the work into the queue, or its bit back. The caller owns PENDING; interrupts are off. */
bool wpool_work_insert(struct wpool_wq *wq, struct wpool_work *work);
/* Set PENDING for a queueing, with interrupts off; false if that is to do nothing. */
bool wpool_work_begin(struct wpool_work *work);
/* The work is owned, and disabled: give the bit back. */
bool wpool_work_refused(struct wpool_work *work);
/*
 * Become the owner of PENDING, with interrupts off afterwards: @flags. Returns whether the work
 * was pending. @timer: of a delayed work, or NULL.
 */
bool wpool_work_grab(struct wpool_work *work, struct timer_list *timer, unsigned long *flags);
bool wpool_work_take_back(struct wpool_work *work, struct timer_list *timer, bool disable);
bool wpool_work_take_back_sync(struct wpool_work *work, struct timer_list *timer, bool disable);

#endif /* WPOOL_WQ_WORK_H */
