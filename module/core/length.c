// SPDX-License-Identifier: GPL-2.0
/* How long tasks run, see length.h. */
#include "core/length.h"

#include <linux/ktime.h>
#include <linux/limits.h>

/*
 * A sample moves the estimate by 1 / SAMPLE_PART of the difference. But a shorter sample replaces
 * an estimate that is not long: a cold cache or an interrupt makes a task look longer than it is,
 * never shorter. If tasks are long, some may be short because they find nothing to do.
 */
#define SAMPLE_PART	8

/* A longer sample counts as this: one task must not make many later ones count as long. */
#define SAMPLE_MAX_NS	(16 * WPOOL_HELP_NS)

/*
 * What it costs to move a task to another CPU: a few cache lines. Shorter tasks get no help,
 * however many they are, as long as their own worker takes them.
 */
#define FETCH_NS	100

/* A task that has slept is taken to run for this long. */
#define SLEEP_NS	(2 * WPOOL_HELP_NS)

void wpool_length_set(struct wpool_runq *rq, u32 ns)
{
	WRITE_ONCE(rq->estimate.task_ns, ns);
	/* the next push takes the slow path, which decides between the ring and the global queue */
	WRITE_ONCE(rq->estimate.ring_max, 0);
	WRITE_ONCE(rq->estimate.help_len, ns < FETCH_NS ? U32_MAX : WPOOL_HELP_NS / ns + 1);
}

/* Are both short, or both long? */
static bool is_alike(u32 a_ns, u32 b_ns)
{
	return (a_ns < WPOOL_HELP_NS) == (b_ns < WPOOL_HELP_NS);
}

/* Set the pool's estimate. Many CPUs read pool->task_ns: write it only after a big change. */
static void tell_pool(struct wpool *pool, u32 ns)
{
	u32 old = READ_ONCE(pool->task_ns);

	if (old == U32_MAX || !is_alike(old, ns) || ns < old / 2)
		WRITE_ONCE(pool->task_ns, ns);
}

void wpool_length_adopt(struct wpool_runq *rq)
{
	u32 ns = READ_ONCE(rq->pool->task_ns);

	if ((u32)jiffies - rq->call_jiffy <= 1 || ns == U32_MAX)
		return;
	/* not while a worker runs here: the end of its task gives a better estimate */
	if (rq->estimate.task_ns == U32_MAX ||
	    (!READ_ONCE(rq->nr_running) && !is_alike(ns, rq->estimate.task_ns)))
		wpool_length_set(rq, ns);
}

void wpool_length_start(struct wpool_runq *rq, bool is_run)
{
	rq->sample.tick = rq->tick;
	rq->sample.thread = current;
	rq->sample.switches = current->nvcsw + current->nivcsw;
	rq->sample.is_run = is_run;
	rq->sample.ns = ktime_get_mono_fast_ns();
}

static void add_length(struct wpool_runq *rq, u64 ns)
{
	s64 sample = min_t(u64, ns, SAMPLE_MAX_NS), new = sample;
	s64 old = rq->estimate.task_ns;

	if (sample > old || wpool_runq_has_long_tasks(rq))
		new = old + (sample - old) / SAMPLE_PART;
	wpool_length_set(rq, new);
	/* other CPUs need not know that one task was unlike the others */
	if (is_alike(sample, new))
		tell_pool(rq->pool, new);
}

void wpool_length_end(struct wpool_runq *rq)
{
	u64 ns = ktime_get_mono_fast_ns() - rq->sample.ns;
	u32 nr = rq->tick - rq->sample.tick;
	bool is_run = rq->sample.is_run;

	rq->sample.ns = 0;
	if (rq->sample.thread != current) {
		/* another worker took over: a task slept; of several, it is not known which one */
		if (!is_run)
			add_length(rq, SLEEP_NS);
		return;
	}
	if (rq->sample.switches != current->nvcsw + current->nivcsw)
		return;
	if (is_run) {
		add_length(rq, ns / nr);
		return;
	}
	/* if a short task has left one in the next slot, time that one instead */
	if (ns < WPOOL_HELP_NS && READ_ONCE(rq->next) && rq->next_streak < WPOOL_NEXT_STREAK) {
		wpool_length_start(rq, false);
		return;
	}
	if (ns >= WPOOL_HELP_NS || !wpool_runq_has_short_tasks(rq))
		add_length(rq, ns / nr);
	/* reading the clock may take longer than one short task: time several next */
	if (ns < WPOOL_HELP_NS)
		wpool_length_start(rq, true);
}
