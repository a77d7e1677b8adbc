/* SPDX-License-Identifier: GPL-2.0 */
/* What a run queue knows of the length of its tasks, see length.h. */
#ifndef WPOOL_CORE_ESTIMATE_H
#define WPOOL_CORE_ESTIMATE_H

#include <linux/types.h>

struct task_struct;

/* The estimate; the letters are those of state.h. Workers of other CPUs read it, too. */
struct wpool_estimate {
	u32 task_ns;			/* P: how long a task runs here; %U32_MAX: unknown */
	u32 help_len;			/* P: from this number on, the queued tasks together take
					 *    longer than waking another CPU's worker; %U32_MAX:
					 *    tasks too short to be worth moving
					 */
	u32 ring_max;			/* C: a push takes the fast path if the ring then holds at
					 *    most @ring_max tasks; the slow path sets this
					 */
};

/* The timing of tasks. Only workers on this CPU, and push_shared() in sched.c, use this. */
struct wpool_sample {
	u32 tick;			/* P: @tick of the look that took the first timed task */
	bool is_run;			/* P: are all tasks up to the next full look timed? */
	u64 ns;				/* P: when the first task was taken; 0: no task is timed */
	struct task_struct *thread;	/* P: the worker that took that task; only compared */
	unsigned long switches;		/* P: how often @thread had been switched out at @ns */
};

#endif /* WPOOL_CORE_ESTIMATE_H */
