/* SPDX-License-Identifier: GPL-2.0 */
/* What a run queue knows of the length of its tasks, see length.h. */
#ifndef WPOOL_CORE_ESTIMATE_H
#define WPOOL_CORE_ESTIMATE_H

#include <linux/types.h>

struct task_struct;

/* The estimate; the letters are those of state.h. Workers of other CPUs read it, too. */
struct wpool_estimate {
	u32 task_ns;			/* P: how long a task runs here; unknown is long */
	u32 help_len;			/* P: tasks queued here from which on they outlast a
					 *    wake-up; %U32_MAX: never
					 */
	u32 ring_max;			/* X: how many tasks a push may leave in the ring without a
					 *    closer look: set by one that has looked, 0 when what
					 *    it saw may have changed
					 */
};

/* What is being timed. Only workers at home here use it. */
struct wpool_sample {
	u32 tick;			/* P: @tick of the look whose task is timed, or of the
					 *    first one of a run
					 */
	bool is_run;			/* P: the tasks taken until the next look through all
					 *    queues are timed
					 */
	u64 ns;				/* P: when that task was taken, or 0 */
	struct task_struct *thread;	/* P: the worker that took it; only the address is used */
	unsigned long switches;		/* P: how often it had been switched out by then */
};

#endif /* WPOOL_CORE_ESTIMATE_H */
