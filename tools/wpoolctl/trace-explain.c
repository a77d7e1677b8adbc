// SPDX-License-Identifier: GPL-2.0
/* Why a task waited: what the workers of its CPU did meanwhile, the CPU, and the pool. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "out.h"
#include "parse.h"
#include "trace-events.h"
#include "trace-report.h"
#include "trace-tasks.h"

#define MAX_FUNCS	64
#define SHOWN_FUNCS	8
#define MAX_THREADS	64
#define SHOWN_THREADS	8

struct part {
	char func[TRACE_FUNC_LEN];
	__u64 ns;		/* of the wait */
	__u64 nr;
	bool goes_on;		/* one was not done when the wait ended */
};

/* A thread that had the CPU. */
struct share {
	struct trace_thread thread;
	__u64 ns;		/* of the wait */
};

struct explanation {
	__u64 over_ns;
	struct trace_event late;	/* the start of the task that waited */
	bool found;
	__u64 from_ns;
	struct trace_tasks tasks;
	struct part part[MAX_FUNCS];
	size_t nr;
	__u64 moments[NR_TRACE_KINDS];
	__u64 spawn_ns;		/* the longest */
	__u64 switch_ns;		/* of that CPU, the last one; 0 if none is recorded */
	struct trace_thread thread;	/* which has had it since */
	struct share share[MAX_THREADS];
	size_t nr_shares;
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

/* A task ran from here to there. */
static void add(struct explanation *why, const char *func, __u64 from, __u64 to, bool goes_on)
{
	size_t i;

	if (from < why->from_ns)
		from = why->from_ns;
	if (to > why->late.ns) {
		to = why->late.ns;
		goes_on = true;
	}
	if (to <= from)
		return;
	for (i = 0; i < why->nr && strcmp(why->part[i].func, func); i++)
		;
	/* the last place is for all that come too late */
	if (i >= MAX_FUNCS - 1) {
		i = MAX_FUNCS - 1;
		func = "others";
	}
	if (i >= why->nr) {
		snprintf(why->part[i].func, TRACE_FUNC_LEN, "%s", func);
		why->nr = i + 1;
	}
	why->part[i].ns += to - from;
	why->part[i].nr++;
	why->part[i].goes_on |= goes_on;
}

/* A thread had the CPU from here to there. */
static void add_share(struct explanation *why, const struct trace_thread *thread, __u64 from,
		      __u64 to)
{
	static const struct trace_thread others = { .pid = -1, .comm = "others" };
	struct share *share = why->share;
	size_t i;

	if (from < why->from_ns)
		from = why->from_ns;
	if (to > why->late.ns)
		to = why->late.ns;
	if (to <= from)
		return;
	for (i = 0; i < why->nr_shares && share[i].thread.pid != thread->pid; i++)
		;
	/* the last place is for all that come too late */
	if (i >= MAX_THREADS - 1) {
		i = MAX_THREADS - 1;
		thread = &others;
	}
	if (i >= why->nr_shares) {
		share[i].thread = *thread;
		why->nr_shares = i + 1;
	}
	share[i].ns += to - from;
}

static void note_switch(struct explanation *why, const struct trace_event *event)
{
	static const struct trace_thread lost = { .pid = -2, .comm = "not recorded" };
	bool is_next = !why->switch_ns || why->thread.pid == event->from.pid;

	add_share(why, is_next ? &event->from : &lost, why->switch_ns, event->ns);
	why->switch_ns = event->ns;
	why->thread = event->to;
}

static bool look(const struct trace_event *event, void *arg)
{
	struct explanation *why = arg;
	struct trace_event started;
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
	if (event->kind == TRACE_SPAWNED && within && event->value > why->spawn_ns)
		why->spawn_ns = event->value;
	if (event->cpu != why->late.cpu)
		return true;
	switch (event->kind) {
	case TRACE_STARTED:
		trace_tasks_begin(&why->tasks, event);
		break;
	case TRACE_FINISHED:
		trace_tasks_end(&why->tasks, event->task, &started);
		add(why, event->func, event->ns - event->value, event->ns, false);
		break;
	case TRACE_DROPPED:
		if (trace_tasks_end(&why->tasks, event->task, &started))
			add(why, event->func, started.ns, event->ns, false);
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

static void add_unfinished(const struct trace_event *started, void *arg)
{
	struct explanation *why = arg;

	if (started->task != why->late.task)
		add(why, started->func, started->ns, why->late.ns, true);
}

static int longer(const void *a, const void *b)
{
	const struct part *left = a, *right = b;

	return left->ns < right->ns ? 1 : left->ns > right->ns ? -1 : 0;
}

static int more(const void *a, const void *b)
{
	const struct share *left = a, *right = b;

	return left->ns < right->ns ? 1 : left->ns > right->ns ? -1 : 0;
}

/* Which threads had the CPU, if the recording has that. */
static void print_shares(struct explanation *why)
{
	__u64 others = 0;
	char time[16];
	size_t i;

	if (!why->switch_ns)
		return;
	add_share(why, &why->thread, why->switch_ns, why->late.ns);
	qsort(why->share, why->nr_shares, sizeof(*why->share), more);
	printf("That CPU ran:\n");
	for (i = 0; i < why->nr_shares; i++) {
		const struct share *share = &why->share[i];

		if (i >= SHOWN_THREADS) {
			others += share->ns;
			continue;
		}
		format_short(share->ns, time, sizeof(time));
		if (!share->thread.pid)
			printf("  %7s  nothing: it was idle\n", time);
		else if (share->thread.pid < 0)
			printf("  %7s  %s\n", time, share->thread.comm);
		else
			printf("  %7s  %s, pid %d\n", time, share->thread.comm,
			       share->thread.pid);
	}
	if (others)
		printf("  %7s  other threads\n", format_short(others, time, sizeof(time)));
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
	char took[16];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!why->moments[texts[i].kind])
			continue;
		printf("  %llu x %s", why->moments[texts[i].kind], texts[i].text);
		if (texts[i].kind == TRACE_SPAWNED)
			printf(", which took up to %s",
			       format_short(why->spawn_ns, took, sizeof(took)));
		putchar('\n');
	}
}

static void print_explanation(struct explanation *why)
{
	const struct trace_event *late = &why->late;
	__u64 known = 0, others = 0, wait = late->ns - why->from_ns;
	char time[16];
	size_t i;

	printf("%stask %08x of pool %s waited %s%s for a worker of CPU %d, and started %s.\n",
	       out_style(OUT_BOLD), late->task, late->pool,
	       format_short(late->value, time, sizeof(time)), out_plain(), late->cpu, late->func);
	printf("Meanwhile the pool's workers there ran:\n");
	qsort(why->part, why->nr, sizeof(*why->part), longer);
	for (i = 0; i < why->nr; i++) {
		const struct part *part = &why->part[i];

		known += part->ns;
		if (i >= SHOWN_FUNCS) {
			others += part->ns;
			continue;
		}
		printf("  %7s  %s", format_short(part->ns, time, sizeof(time)), part->func);
		if (part->nr > 1)
			printf(", %llu times", part->nr);
		printf("%s\n", part->goes_on ? ", and went on" : "");
	}
	if (others)
		printf("  %7s  other functions\n", format_short(others, time, sizeof(time)));
	/* several workers may have run at the same time: the sum may be longer */
	if (known < wait)
		printf("  %7s  nothing: asleep, not there yet, or without the CPU\n",
		       format_short(wait - known, time, sizeof(time)));
	print_shares(why);
	print_moments(why);
}

int trace_explain(const char *file, __u64 over_ns, struct errmsg *e)
{
	struct explanation *why = alloc_zeroed(1, sizeof(*why));
	char over[16];
	int err;

	why->over_ns = over_ns;
	err = trace_read(file, find_late, why, e);
	if (!err && !why->found) {
		printf("No task waited longer than %s.\n",
		       format_short(over_ns, over, sizeof(over)));
	} else if (!err) {
		why->from_ns = why->late.ns > why->late.value ? why->late.ns - why->late.value : 0;
		err = trace_read(file, look, why, e);
		trace_tasks_exit(&why->tasks, add_unfinished, why);
		if (!err)
			print_explanation(why);
	}
	free(why);
	return err;
}
