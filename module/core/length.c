// SPDX-License-Identifier: GPL-2.0
/* How long tasks run, see length.h. */
#include "core/length.h"

#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>

/*
 * A new sample counts for so much of the estimate: a task may take long because its lines
 * were in no cache, or an interrupt came, but not short.
 */
#define PART_IF_LONGER	8
#define PART_IF_SHORTER	2

static void set(struct wpool_runq *rq, u32 ns)
{
	WRITE_ONCE(rq->task_ns, ns);
	WRITE_ONCE(rq->help_len, WPOOL_HELP_NS / max(ns, 1U) + 1);
}

void wpool_length_init(struct wpool_runq *rq)
{
	set(rq, U32_MAX);
}

void wpool_length_start(struct wpool_runq *rq)
{
	rq->sample_tick = rq->tick;
	rq->sample_switches = current->nvcsw + current->nivcsw;
	rq->sample_ns = ktime_get_mono_fast_ns();
}

void wpool_length_end(struct wpool_runq *rq)
{
	u64 ns = ktime_get_mono_fast_ns() - rq->sample_ns;

	rq->sample_ns = 0;
	/* the worker was switched out, or another worker was switched in */
	if (rq->tick != rq->sample_tick + 1 ||
	    rq->sample_switches != current->nvcsw + current->nivcsw)
		return;
	ns = min_t(u64, ns, U32_MAX - 1);
	if (rq->task_ns == U32_MAX)
		set(rq, ns);
	else if (ns > rq->task_ns)
		set(rq, rq->task_ns + (ns - rq->task_ns) / PART_IF_LONGER);
	else
		set(rq, rq->task_ns - (rq->task_ns - (u32)ns) / PART_IF_SHORTER);
}
