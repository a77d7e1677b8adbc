// SPDX-License-Identifier: GPL-2.0
/* Why a task waited: what the workers of its CPU, the CPU and the pool did meanwhile. */
#include <sys/stat.h>

#include "out.h"
#include "parse.h"
#include "trace.h"

#define MAX_PARTS	64
#define SHOWN_PARTS	8

/* How much of the wait a function or a thread ran. */
struct part {
	char name[TRACE_FUNC_LEN];
	int pid;		/* of a thread; 0: the CPU was idle; -1: no thread */
	__u64 ns;
	__u64 nr;
	bool goes_on;		/* still ran when the wait ended */
};

struct parts {
	struct part part[MAX_PARTS];
	size_t nr;
};

struct explanation {
	__u64 over_ns;
	struct trace_event late;	/* the start of the task that waited */
	bool found;
	__u64 from_ns;
	struct parts funcs;
	__u64 moments[NR_TRACE_KINDS];
	__u64 spawn_ns;		/* the longest spawn */
	__u64 switch_ns;		/* time of the CPU's last sched_switch; 0: none recorded */
	struct trace_thread thread;	/* the thread on the CPU since switch_ns */
	struct parts threads;
};

static bool find_late(const struct trace_event *event, void *arg)
{
	struct explanation *why = arg;

	if (event->kind != TRACE_STARTED || event->value <= why->over_ns)
		return true;
	why->late = *event;
	why->found = true;
	return false;
}

/* Adds the time from @from to @to to the part of @name or @pid. */
static void add(const struct explanation *why, struct parts *parts, const char *name, int pid,
		__u64 from, __u64 to, bool goes_on)
{
	struct part *part = parts->part;
	size_t i;

	from = max(from, why->from_ns);
	if (to > why->late.ns) {
		to = why->late.ns;
		goes_on = true;
	}
	if (to <= from)
		return;
	/* a thread may change its name, so compare pids */
	for (i = 0; i < parts->nr; i++)
		if (part[i].pid == pid && (pid >= 0 || !strcmp(part[i].name, name)))
			break;
	/* the last element collects all further names */
	if (i >= MAX_PARTS - 1) {
		i = MAX_PARTS - 1;
		name = "others";
		pid = -1;
	}
	if (i >= parts->nr) {
		snprintf(part[i].name, sizeof(part[i].name), "%s", name);
		part[i].pid = pid;
		parts->nr = i + 1;
	}
	part[i].ns += to - from;
	part[i].nr++;
	part[i].goes_on |= goes_on;
}

/* Adds the time of @thread from why->switch_ns to @to. */
static void add_thread(struct explanation *why, const struct trace_thread *thread, __u64 to)
{
	add(why, &why->threads, thread->pid ? thread->comm : "nothing: it was idle", thread->pid,
	    why->switch_ns, to, false);
}

static void note_switch(struct explanation *why, const struct trace_event *event)
{
	static const struct trace_thread lost = { .pid = -1, .comm = "not recorded" };
	bool is_next = !why->switch_ns || why->thread.pid == event->from.pid;

	add_thread(why, is_next ? &event->from : &lost, event->ns);
	why->switch_ns = event->ns;
	why->thread = event->to;
}

static bool look(const struct trace_event *event, void *arg)
{
	struct explanation *why = arg;
	bool within;

	if (event->kind == TRACE_SWITCHED) {
		if (event->cpu == why->late.cpu)
			note_switch(why, event);
		return true;
	}
	if (strcmp(event->pool, why->late.pool))
		return true;
	within = event->ns >= why->from_ns && event->ns <= why->late.ns;
	if (event->kind == TRACE_OVERLOADED || event->kind == TRACE_SPAWNED ||
	    event->kind == TRACE_STEPPED_IN)
		why->moments[event->kind] += within;
	if (event->kind == TRACE_SPAWNED && within)
		why->spawn_ns = max(why->spawn_ns, event->value);
	if ((event->started ?: event)->cpu != why->late.cpu)
		return true;
	switch (event->kind) {
	case TRACE_FINISHED:
		add(why, &why->funcs, event->func, -1, event->ns - event->value, event->ns, false);
		break;
	case TRACE_DROPPED:
		if (event->started)
			add(why, &why->funcs, event->func, -1, event->started->ns, event->ns,
			    false);
		break;
	case TRACE_UNFINISHED:
		if (event->task != why->late.task)
			add(why, &why->funcs, event->func, -1, event->ns, why->late.ns, true);
		break;
	case TRACE_HOGGED:
	case TRACE_HANDED_OVER:
	case TRACE_STOLEN:
		why->moments[event->kind] += within;
		break;
	default:
		break;
	}
	return true;
}

static int longer(const void *a, const void *b)
{
	const struct part *left = a, *right = b;

	return left->ns < right->ns ? 1 : left->ns > right->ns ? -1 : 0;
}

/* Prints the longest parts first. Returns the sum of all. */
static __u64 print_parts(struct parts *parts, bool threads)
{
	__u64 known = 0, others = 0;
	size_t i;

	qsort(parts->part, parts->nr, sizeof(*parts->part), longer);
	for (i = 0; i < parts->nr; i++) {
		const struct part *part = &parts->part[i];

		known += part->ns;
		if (i >= SHOWN_PARTS) {
			others += part->ns;
			continue;
		}
		printf("  %7s  %s", SHORT_TIME(part->ns), part->name);
		if (part->pid > 0)
			printf(", pid %d", part->pid);
		if (part->nr > 1 && !threads)
			printf(", %llu times", part->nr);
		puts(part->goes_on && !threads ? ", and went on" : "");
	}
	if (others)
		printf("  %7s  other %s\n", SHORT_TIME(others), threads ? "threads" : "functions");
	return known;
}

static void print_moments(const struct explanation *why)
{
	static const struct {
		enum trace_kind kind;
		const char *text;
	} texts[] = {
		{ TRACE_HOGGED, "a task kept that CPU longer than hog_ms" },
		{ TRACE_HANDED_OVER, "a worker there slept in its task" },
		{ TRACE_STOLEN, "tasks were taken from there, or to there" },
		{ TRACE_OVERLOADED, "a submit found no room in the pool" },
		{ TRACE_STEPPED_IN, "the worker in reserve had to step in" },
		{ TRACE_SPAWNED, "a worker was made" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!why->moments[texts[i].kind])
			continue;
		printf("  %llu x %s", why->moments[texts[i].kind], texts[i].text);
		if (texts[i].kind == TRACE_SPAWNED)
			printf(", which took up to %s", SHORT_TIME(why->spawn_ns));
		putchar('\n');
	}
}

static void print_explanation(struct explanation *why)
{
	const struct trace_event *late = &why->late;
	__u64 known, wait = late->ns - why->from_ns;

	printf("%stask %08x of pool %s waited %s%s for a worker of CPU %d, and started %s.\n",
	       out_style(OUT_BOLD), late->task, late->pool, SHORT_TIME(late->value), out_plain(),
	       late->cpu, late->func);
	printf("Meanwhile the pool's workers there ran:\n");
	known = print_parts(&why->funcs, false);
	/* workers may have run at the same time, so the sum may exceed the wait */
	if (known < wait)
		printf("  %7s  nothing: asleep, not there yet, or without the CPU\n",
		       SHORT_TIME(wait - known));
	/* the threads on the CPU, if the recording has sched_switch */
	if (why->switch_ns) {
		add_thread(why, &why->thread, late->ns);
		printf("That CPU ran:\n");
		print_parts(&why->threads, true);
	}
	print_moments(why);
}

int trace_explain(const char *file, __u64 over_ns, struct errmsg *e)
{
	static struct explanation why;
	struct stat status;
	int err;

	if (!stat(file, &status) && !S_ISREG(status.st_mode))
		return errmsg_set(e, "%s is no regular file, and explain reads it twice", file);
	why.over_ns = over_ns;
	err = trace_read(file, find_late, &why, e);
	if (!err && !why.found) {
		printf("No task waited longer than %s.\n", SHORT_TIME(over_ns));
	} else if (!err) {
		why.from_ns = why.late.ns > why.late.value ? why.late.ns - why.late.value : 0;
		err = trace_read(file, look, &why, e);
		if (!err)
			print_explanation(&why);
	}
	return err;
}
