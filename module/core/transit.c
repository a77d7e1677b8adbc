// SPDX-License-Identifier: GPL-2.0
/* Tasks that move between queues, see transit.h. */
#include "core/transit.h"

#include <linux/percpu.h>

/* Tasks on their way between two queues; used with interrupts off. */
struct transit {
	struct wpool_task *tasks[WPOOL_RING_SIZE];
};

static DEFINE_PER_CPU(struct transit, in_transit);

u32 wpool_transit_spill(struct wpool_runq *rq)
{
	struct wpool_task **tasks = this_cpu_ptr(&in_transit)->tasks;
	u32 nr = wpool_ring_grab_all(&rq->ring, tasks);

	if (nr)
		wpool_fifo_push(&rq->backlog, tasks, nr);
	return nr;
}

struct wpool_task *wpool_transit_fill(struct wpool_runq *rq, struct wpool_fifo *from, u32 *nr)
{
	struct wpool_task **tasks = this_cpu_ptr(&in_transit)->tasks;
	u32 i;

	*nr = wpool_fifo_pop(from, tasks, *nr);
	for (i = 1; i < *nr; i++)
		wpool_ring_put(&rq->ring, tasks + i, 1, tasks[i]->jiffy);
	if (*nr > 1) {
		/* wpool_transit_fill:A: the other tasks were in no queue for a moment */
		smp_mb();
	}
	return *nr ? tasks[0] : NULL;
}
