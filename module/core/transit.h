/* SPDX-License-Identifier: GPL-2.0 */
/* Moves of several tasks at once from one queue to another. */
#ifndef WPOOL_CORE_TRANSIT_H
#define WPOOL_CORE_TRANSIT_H

#include "core/state.h"

/*
 * Move all tasks of a ring to the end of the backlog, which is the older part of the same queue.
 * Interrupts are off. Returns how many were moved.
 */
u32 wpool_transit_spill(struct wpool_runq *rq);

/*
 * Take up to *@nr tasks from a list. Returns the first one, or NULL. The others go to the end of
 * this CPU's ring, which has room for them. *@nr becomes the number of all tasks taken. Interrupts
 * are off.
 */
struct wpool_task *wpool_transit_fill(struct wpool_runq *rq, struct wpool_fifo *from, u32 *nr);

#endif /* WPOOL_CORE_TRANSIT_H */
