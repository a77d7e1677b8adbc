/* SPDX-License-Identifier: GPL-2.0 */
/* What delayed works need from works; see queue.h. */
#ifndef WPOOL_WQ_WORK_H
#define WPOOL_WQ_WORK_H

#include "wq/queue.h"

/*
 * Queue a work whose PENDING the caller owns, or clear that bit and fail. @cpu: as
 * wpool_wq_queue_on(). Interrupts are off.
 */
bool wpool_work_insert(struct wpool_wq *wq, struct wpool_work *work, int cpu);
/* Claim PENDING, with interrupts off. False if the work is already pending, or disabled. */
bool wpool_work_begin(struct wpool_work *work);
/* Is a work disabled? If so, clear its PENDING, which the caller owns. */
bool wpool_work_refused(struct wpool_work *work);
/*
 * Become the owner of PENDING, and turn interrupts off; *@flags: out: their state before. Returns
 * whether the work was pending. @timer: the timer of a delayed work, or NULL.
 */
bool wpool_work_grab(struct wpool_work *work, struct timer_list *timer, unsigned long *flags);
/* Cancel a work; if @disable, disable it. @timer and the result are as for wpool_work_grab(). */
bool wpool_work_take_back(struct wpool_work *work, struct timer_list *timer, bool disable);
/* wpool_work_take_back(), and wait until the work's function has returned. May sleep. */
bool wpool_work_take_back_sync(struct wpool_work *work, struct timer_list *timer, bool disable);

#endif /* WPOOL_WQ_WORK_H */
