// SPDX-License-Identifier: GPL-2.0
/* The tasks of a recording, see replay.h. */
#include "replay.h"

#include <linux/wpool.h>

#include "alloc.h"
#include "trace.h"

static void add(struct replay *replay, __u64 arrival_ns, __u64 run_ns)
{
	/* no workload lasts longer */
	run_ns = min(run_ns, WPOOL_MAX_WORK_NS);
	replay->task = alloc_one_more(replay->task, replay->nr, sizeof(*replay->task));
	replay->task[replay->nr++] = (struct replay_task){ arrival_ns, run_ns };
}

static bool read_event(const struct trace_event *event, void *arg)
{
	const struct trace_event *started = event->started;
	struct replay *replay = arg;

	if (event->kind == TRACE_FINISHED && started)
		add(replay, started->value < started->ns ? started->ns - started->value : 0,
		    event->value);
	return true;
}

static int by_arrival(const void *a, const void *b)
{
	const struct replay_task *x = a, *y = b;

	return x->arrival_ns < y->arrival_ns ? -1 : x->arrival_ns > y->arrival_ns;
}

int replay_read(struct replay *replay, const char *file, struct errmsg *e)
{
	__u64 i, first;
	int err;

	*replay = (struct replay){ .file = file };
	err = trace_read(file, read_event, replay, e);
	if (!err && !replay->nr)
		err = errmsg_set(e, "%s: no task has an end there", file);
	if (err)
		return err;
	qsort(replay->task, replay->nr, sizeof(*replay->task), by_arrival);
	first = replay->task[0].arrival_ns;
	for (i = 0; i < replay->nr; i++)
		replay->task[i].arrival_ns -= first;
	return 0;
}

__u64 replay_length_ns(const struct replay *replay)
{
	return replay->task[replay->nr - 1].arrival_ns ?: 1;
}

__u64 replay_before(const struct replay *replay, __u64 ns)
{
	__u64 low = 0, high = replay->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (replay->task[middle].arrival_ns < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
