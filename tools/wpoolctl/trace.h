/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Record the events of wpool, and sched_switch. Read them as text, one line each, in the kernel's
 * format. Compute reports from them.
 */
#ifndef WPOOLCTL_TRACE_H
#define WPOOLCTL_TRACE_H

#include "errmsg.h"

/* ---- trace-events.c ---- */

#define TRACE_NAME_LEN	32
#define TRACE_FUNC_LEN	96
#define TRACE_COMM_LEN	16

enum trace_kind {
	TRACE_STARTED, TRACE_FINISHED, TRACE_DROPPED, TRACE_HOGGED, TRACE_STOLEN,
	TRACE_HANDED_OVER, TRACE_STEPPED_IN, TRACE_SPAWNED, TRACE_OVERLOADED,
	TRACE_OTHER, TRACE_LOST, TRACE_SWITCHED, TRACE_UNFINISHED, NR_TRACE_KINDS,
};

struct trace_thread {
	int pid;			/* 0: the CPU is idle */
	char comm[TRACE_COMM_LEN];
};

struct trace_event {
	enum trace_kind kind;
	__u64 ns;			/* time; its resolution is a microsecond */
	char pool[TRACE_NAME_LEN];
	char func[TRACE_FUNC_LEN];	/* function and module; "" if the event has none */
	__u32 task;
	int worker;			/* -1 if the event has none */
	int cpu;			/* CPU of the queue or the switch; -1 if there is none */
	__u64 value;			/* wait_ns, run_ns, took_ns or nr; LOST: number of events */
	int status;			/* DROPPED only */
	struct trace_thread from, to;	/* SWITCHED: the CPU's previous and next thread */
	struct trace_event *started;	/* FINISHED, DROPPED: the start of the task, or NULL */
};

/* Returns false if the line is no event of enum trace_kind. */
bool trace_parse(const char *line, struct trace_event *event);

/* ---- trace-read.c ---- */

/*
 * Call @each for all events of a file in the order of their times, until it returns false; at the
 * end also for the start of each task without an end, as UNFINISHED. Returns 0, or -1 and a message
 * if the file cannot be read or has no event.
 */
int trace_read(const char *name, bool (*each)(const struct trace_event *event, void *arg),
	       void *arg, struct errmsg *e);

/* ---- trace-record.c ---- */

/*
 * trace_record() uses its own instance of tracefs, so it does not disturb other tracers.
 * WPOOLCTL_TRACEFS names another directory, for tests.
 */
struct recording {
	const char *file;
	const char *pool;	/* NULL: all */
	__u64 duration_ns;	/* 0: until a signal */
	__u64 stop_over_ns;	/* end when a task has waited longer; 0: do not */
	__u64 buffer_bytes;	/* per CPU */
	bool sched;		/* record sched_switch, too */
	/* out: */
	__u64 nr_events;
	__u64 nr_lost;
	bool is_over;		/* a task waited longer than stop_over_ns */
};

/* Record until duration_ns, stop_over_ns or a signal ends it. Returns 0, or -1 and a message. */
int trace_record(struct recording *recording, struct errmsg *e);

/* ---- reports on a recorded trace; all return 0, or -1 and a message ---- */

enum trace_by { TRACE_BY_FUNC, TRACE_BY_CPU, TRACE_BY_WORKER, NR_TRACE_BYS };

extern const char *const trace_by_names[NR_TRACE_BYS + 1];

/* Print a table of ended tasks: how many, how long they waited and ran. */
int trace_report(const char *file, enum trace_by by, struct errmsg *e);

/* Find the first task that waited longer than @over_ns; print what its CPU ran meanwhile. */
int trace_explain(const char *file, __u64 over_ns, struct errmsg *e);

#endif /* WPOOLCTL_TRACE_H */
