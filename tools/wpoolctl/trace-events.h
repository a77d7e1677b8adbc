/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of wpool, and sched_switch, as the kernel writes them: one line of text each.
 */
#ifndef WPOOLCTL_TRACE_EVENTS_H
#define WPOOLCTL_TRACE_EVENTS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>

#include "errmsg.h"

#define TRACE_NAME_LEN	32
#define TRACE_FUNC_LEN	96
#define TRACE_COMM_LEN	16

enum trace_kind {
	TRACE_SUBMITTED, TRACE_STARTED, TRACE_FINISHED, TRACE_DROPPED, TRACE_HOGGED,
	TRACE_STOLEN, TRACE_HANDED_OVER, TRACE_PARKED, TRACE_EXPIRED, TRACE_WOKEN,
	TRACE_STEPPED_IN, TRACE_SPAWNED, TRACE_OVERLOADED, TRACE_LOST, TRACE_SWITCHED,
	NR_TRACE_KINDS,
};

struct trace_thread {
	int pid;			/* 0: the CPU is idle */
	char comm[TRACE_COMM_LEN];
};

struct trace_event {
	enum trace_kind kind;
	__u64 ns;			/* when, in microseconds */
	char pool[TRACE_NAME_LEN];
	char func[TRACE_FUNC_LEN];	/* with its module, "" if the event has none */
	__u32 task;
	int worker;			/* -1 if the event has none */
	int cpu;			/* of the queue; -1 if the event has none */
	__u64 value;			/* wait_ns, run_ns, took_ns; LOST: how many */
	int status;			/* DROPPED */
	struct trace_thread from, to;	/* SWITCHED: who had that CPU, and who gets it */
};

/* False if the line has none of these events. */
bool trace_parse(const char *line, struct trace_event *event);

/*
 * Call @each for all events of a file, in the order of their times; false from it ends that.
 * @name "-" is standard input. 0, or -1 and a message: it cannot be read, or has none.
 */
int trace_read(const char *name, bool (*each)(const struct trace_event *event, void *arg),
	       void *arg, struct errmsg *e);

#endif /* WPOOLCTL_TRACE_EVENTS_H */
