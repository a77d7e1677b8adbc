// SPDX-License-Identifier: GPL-2.0
/* Interval reports. */
#include "intervals.h"

#include "alloc.h"
#include "out.h"
#include "parse.h"

#define LINES_A_TITLE	20

static double per_second(const struct interval *interval, __u64 count)
{
	return (double)count * NSEC_PER_SEC / (interval->to_ns - interval->from_ns);
}

/* "12345", "123k", "12.3M": six columns. */
static const char *short_count(double count, char *buf, size_t len)
{
	if (count < 99999.5)
		snprintf(buf, len, "%.0f", count);
	else if (count < 9999500)
		snprintf(buf, len, "%.0fk", count / 1000);
	else
		snprintf(buf, len, "%.1fM", count / 1000000);
	return buf;
}

static void print_rate(const struct interval *interval, __u64 count)
{
	char buf[16];

	printf(" %6s", short_count(per_second(interval, count), buf, sizeof(buf)));
}

static void print_time(const struct interval *interval, __u64 ns)
{
	printf(" %6s", interval->ended ? SHORT_TIME(ns) : "-");
}

static void print_line(const struct interval *interval, bool title)
{
	char buf[16];

	if (title)
		printf("%s%7s %7s %6s %6s %6s %6s %6s %6s %6s %6s  %s%s\n", out_style(OUT_BOLD),
		       "time", "asked/s", "sent/s", "ref./s", "done/s", "p50", "p99", "p99.9",
		       "behind", "queued", "phase", out_plain());
	printf("%6.1fs ", (double)interval->to_ns / NSEC_PER_SEC);
	print_rate(interval, interval->asked);
	print_rate(interval, interval->submitted);
	print_rate(interval, interval->refused);
	print_rate(interval, interval->completed);
	print_time(interval, interval->p50_ns);
	print_time(interval, interval->p99_ns);
	print_time(interval, interval->p99_9_ns);
	printf(" %6s", short_count(interval->behind, buf, sizeof(buf)));
	printf(" %6s  %s\n", short_count(interval->queued, buf, sizeof(buf)), interval->phase);
	fflush(stdout);
}

void intervals_add(struct intervals *intervals, const struct interval *interval)
{
	if (intervals->lines) {
		print_line(interval, intervals->nr++ % LINES_A_TITLE == 0);
		return;
	}
	intervals->list = alloc_one_more(intervals->list, intervals->nr, sizeof(*interval));
	intervals->list[intervals->nr++] = *interval;
}
