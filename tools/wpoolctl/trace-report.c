// SPDX-License-Identifier: GPL-2.0
/* A trace as a table, by function, CPU or worker. */
#include "trace.h"

#include "alloc.h"
#include "out.h"
#include "parse.h"
#include "timehist.h"

#define MIN_NAME	24	/* width of the name in a line of 80 columns */

const char *const trace_by_names[NR_TRACE_BYS + 1] = {
	[TRACE_BY_FUNC] = "func",
	[TRACE_BY_CPU] = "cpu",
	[TRACE_BY_WORKER] = "worker",
};

struct row {
	char name[TRACE_FUNC_LEN];
	__u64 nr;
	__u64 dropped;
	struct timehist wait;
	struct timehist run;
};

struct report {
	enum trace_by by;
	struct row *row;
	size_t nr;
	__u64 lost;
};

static struct row *row_of(struct report *report, const struct trace_event *event)
{
	char name[TRACE_FUNC_LEN];
	size_t i;

	if (report->by == TRACE_BY_FUNC)
		snprintf(name, sizeof(name), "%s", event->func);
	else if (report->by == TRACE_BY_CPU)
		snprintf(name, sizeof(name), "CPU %d", event->cpu);
	else if (event->worker < 0)
		snprintf(name, sizeof(name), "no worker");
	else
		snprintf(name, sizeof(name), "worker %d", event->worker);
	for (i = 0; i < report->nr; i++)
		if (!strcmp(report->row[i].name, name))
			return &report->row[i];
	report->row = alloc_one_more(report->row, report->nr, sizeof(*report->row));
	memcpy(report->row[report->nr].name, name, sizeof(name));
	return &report->row[report->nr++];
}

static bool count(const struct trace_event *event, void *arg)
{
	struct report *report = arg;
	struct row *row;

	if (event->kind == TRACE_LOST)
		report->lost += event->value;
	if (event->kind != TRACE_STARTED && event->kind != TRACE_FINISHED &&
	    event->kind != TRACE_DROPPED)
		return true;
	row = row_of(report, event);
	if (event->kind == TRACE_DROPPED)
		row->dropped++;
	else if (event->kind == TRACE_STARTED)
		timehist_add(&row->wait, event->value, 1);
	else
		timehist_add(&row->run, event->value, 1);
	row->nr += event->kind == TRACE_FINISHED;
	return true;
}

static int more_time(const void *a, const void *b)
{
	const struct row *left = a, *right = b;

	if (left->run.sum_ns != right->run.sum_ns)
		return left->run.sum_ns < right->run.sum_ns ? 1 : -1;
	return strcmp(left->name, right->name);
}

static void print_times(const struct timehist *hist)
{
	static const unsigned int ppm[] = { 500000, 990000, 1000000 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ppm); i++)
		printf(" %7s", hist->nr ? SHORT_TIME(timehist_percentile(hist, ppm[i])) : "-");
}

static void print_report(const struct report *report)
{
	int width = max(out_width() - 56, MIN_NAME);
	__u64 dropped = 0;
	size_t i;

	printf("%s%-*s %7s %7s %7s %7s %7s %7s %7s%s\n", out_style(OUT_BOLD), width,
	       report->by == TRACE_BY_FUNC ? "FUNCTION" :
	       report->by == TRACE_BY_CPU ? "QUEUE OF" : "WORKER",
	       "TASKS", "WAIT50", "WAIT99", "WAITMAX", "RUN50", "RUN99", "RUNMAX", out_plain());
	for (i = 0; i < report->nr; i++) {
		const struct row *row = &report->row[i];

		dropped += row->dropped;
		if (!row->wait.nr && !row->run.nr)
			continue;
		printf("%-*.*s %7llu", width, width, row->name, row->nr);
		print_times(&row->wait);
		print_times(&row->run);
		putchar('\n');
	}
	if (dropped)
		printf("%llu task%s dropped: cancelled, overdue, or the worker died\n", dropped,
		       dropped == 1 ? " was" : "s were");
	if (report->lost)
		printf("%llu events were lost: a larger --buffer keeps them\n", report->lost);
}

int trace_report(const char *file, enum trace_by by, struct errmsg *e)
{
	struct report report = { .by = by };

	if (trace_read(file, count, &report, e))
		return -1;
	if (report.nr)
		qsort(report.row, report.nr, sizeof(*report.row), more_time);
	print_report(&report);
	return 0;
}
