/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recording the events of wpool, and sched_switch; reading them, as the kernel writes them, one
 * line of text each; and what can be computed from them.
 */
#ifndef WPOOLCTL_TRACE_H
#define WPOOLCTL_TRACE_H

#include <linux/types.h>
#include <stdbool.h>

#include "errmsg.h"

/* ---- trace-events.c ---- */

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
 * Call @each for all events of a file, in the order of their times; a return value of false ends
 * that. @name "-" is standard input. 0, or -1 and a message if the file cannot be read, or has
 * none.
 */
int trace_read(const char *name, bool (*each)(const struct trace_event *event, void *arg),
	       void *arg, struct errmsg *e);

/* ---- trace-tasks.c: those that have started, and not ended, at a point of a trace ---- */

/* All zero is none. */
struct trace_tasks {
	void *root;
};

/* A task has started. */
void trace_tasks_begin(struct trace_tasks *tasks, const struct trace_event *started);

/* The task has ended: fills in how it started; false if that was before the trace. */
bool trace_tasks_end(struct trace_tasks *tasks, __u32 task, struct trace_event *started);

/* Call @each for those that are left, and forget them. */
void trace_tasks_exit(struct trace_tasks *tasks,
		      void (*each)(const struct trace_event *started, void *arg), void *arg);

/*
 * ---- trace-record.c: in an instance of its own: what others trace is not disturbed, and the
 * instance is gone afterwards. WPOOLCTL_TRACEFS names another directory, for tests. ----
 */

struct recording {
	const char *file;
	const char *pool;	/* NULL: all */
	__u64 duration_ns;	/* 0: until a signal */
	__u64 stop_over_ns;	/* until a task has waited longer; 0: whatever they do */
	__u64 buffer_kib;	/* for each CPU */
	bool sched;		/* which threads have the CPUs, too */
	/* out: */
	__u64 nr_events;
	__u64 nr_lost;
	bool is_over;		/* a task waited longer */
};

/* 0, or -1 and a message. SIGINT, SIGTERM and SIGHUP end the recording. */
int trace_record(struct recording *recording, struct errmsg *e);

/* ---- what can be said of a recorded trace; all return 0, or -1 and a message ---- */

enum trace_by { TRACE_BY_FUNC, TRACE_BY_CPU, TRACE_BY_WORKER, NR_TRACE_BYS };

extern const char *const trace_by_names[NR_TRACE_BYS + 1];

/* A table of the tasks that have ended: how many, how long they waited and ran. */
int trace_report(const char *file, enum trace_by by, struct errmsg *e);

/* A line for each task that has ended. */
int trace_timehist(const char *file, struct errmsg *e);

/* JSON as trace viewers read it, a row for each worker. */
int trace_chrome(const char *file, struct errmsg *e);

/* Why the first task that waited longer did: what ran where it was queued meanwhile. */
int trace_explain(const char *file, __u64 over_ns, struct errmsg *e);

#endif /* WPOOLCTL_TRACE_H */
