// SPDX-License-Identifier: GPL-2.0
/*
 * Counting how many tasks overtake a task.
 *
 * The tasks are visited in the order of their starts. A tree over the order of submits contains the
 * tasks visited so far, and so does another one, in which the tasks of a submitter are neighbours.
 */
#include "overtaken.h"

#include "alloc.h"

/* A Fenwick tree of numbers from 1 to @nr: it counts the added numbers up to any number. */
static void tree_add(__u32 *tree, __u32 nr, __u32 i)
{
	for (; i <= nr; i += i & -i)
		tree[i]++;
}

/* How many of the added numbers are above @from, but not above @to? */
static __u32 tree_count(const __u32 *tree, __u32 from, __u32 to)
{
	__u32 sum = 0;

	for (; to; to -= to & -to)
		sum += tree[to];
	for (; from; from -= from & -from)
		sum -= tree[from];
	return sum;
}

/*
 * Which tasks are later than a task, see overtaken.h. The tasks have numbers from 1, those of a
 * submitter one after the other.
 */
struct place {
	__u32 own;		/* the task's number */
	__u32 call_end;		/* number of the last task in its call */
	__u32 own_end;		/* number of its submitter's last task */
	__u32 later;		/* index of the first task submitted at the next call or later */
};

void overtaken_add(struct overtaken *overtaken, const struct overtaken_task *task)
{
	if (overtaken->nr == OVERTAKEN_MAX_TASKS)
		return;
	overtaken->tasks = alloc_one_more(overtaken->tasks, overtaken->nr, sizeof(*task));
	overtaken->tasks[overtaken->nr++] = *task;
}

static int compare(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare_u64(const void *a, const void *b)
{
	return compare(*(const __u64 *)a, *(const __u64 *)b);
}

/* Of tasks with equal submits, the one that started first comes first, so none overtakes. */
static int compare_submit(const void *a, const void *b)
{
	const struct overtaken_task *x = a, *y = b;

	return compare(x->submit_ns, y->submit_ns) ?: compare(x->submitter, y->submitter) ?:
	       compare(x->nr, y->nr) ?: compare(x->start_ns, y->start_ns);
}

static int compare_start(const void *a, const void *b)
{
	const struct overtaken_task *x = *(struct overtaken_task * const *)a;
	const struct overtaken_task *y = *(struct overtaken_task * const *)b;

	/* at equal starts the task submitted first, at the lower address, comes first */
	return compare(x->start_ns, y->start_ns) ?: (x < y ? -1 : x > y);
}

/* The index of the first task submitted at @ns or later. */
static __u32 first_at(const struct overtaken *overtaken, __u64 ns)
{
	__u32 from = 0, to = overtaken->nr, mid;

	while (from < to) {
		mid = (from + to) / 2;
		if (overtaken->tasks[mid].submit_ns >= ns)
			to = mid;
		else
			from = mid + 1;
	}
	return from;
}

static __u32 nr_submitters(const struct overtaken *overtaken)
{
	__u32 nr = 0, i;

	for (i = 0; i < overtaken->nr; i++)
		if (overtaken->tasks[i].submitter >= nr)
			nr = overtaken->tasks[i].submitter + 1;
	return nr;
}

/* Fills in @places, the last task first. */
static void find_places(const struct overtaken *overtaken, struct place *places)
{
	__u32 nr = nr_submitters(overtaken), i, s;
	/* the last number that a submitter's tasks have, and the time of its next call */
	__u32 *end = alloc_zeroed(nr + 1, sizeof(*end));
	__u64 *later_ns = alloc_zeroed(nr, sizeof(*later_ns));

	for (i = 0; i < overtaken->nr; i++)
		end[overtaken->tasks[i].submitter + 1]++;
	for (s = 1; s < nr; s++)
		end[s] += end[s - 1];
	for (i = 0; i < overtaken->nr; i++)
		places[i].own = ++end[overtaken->tasks[i].submitter];
	for (i = overtaken->nr; i--; ) {
		const struct overtaken_task *task = &overtaken->tasks[i];
		const struct overtaken_task *next = task + 1;

		s = task->submitter;
		places[i].own_end = end[s];
		/* tasks of one call are neighbours */
		if (i + 1 < overtaken->nr && next->submitter == s &&
		    next->submit_ns == task->submit_ns) {
			places[i].call_end = places[i + 1].call_end;
			places[i].later = places[i + 1].later;
			continue;
		}
		places[i].call_end = places[i].own;
		places[i].later = places[i].own < end[s] ? first_at(overtaken, later_ns[s]) :
							   overtaken->nr;
		later_ns[s] = task->submit_ns;
	}
	free(later_ns);
	free(end);
}

static __u32 quantile(__u32 nr, unsigned int percent)
{
	return ((__u64)nr * percent + 99) / 100 - 1;
}

static void count_waits(const struct overtaken *overtaken, struct overtaken_figures *figures)
{
	__u32 nr = overtaken->nr, p99 = quantile(nr, 99), i;
	__u64 *waits = alloc_zeroed(nr, sizeof(*waits));
	__u64 *fifo = alloc_zeroed(nr, sizeof(*fifo));

	for (i = 0; i < nr; i++) {
		waits[i] = overtaken->tasks[i].start_ns - overtaken->tasks[i].submit_ns;
		fifo[i] = overtaken->tasks[i].start_ns;
	}
	qsort(waits, nr, sizeof(*waits), compare_u64);
	qsort(fifo, nr, sizeof(*fifo), compare_u64);
	/* no wait is negative: when k tasks have started, at least k were submitted */
	for (i = 0; i < nr; i++)
		fifo[i] -= overtaken->tasks[i].submit_ns;
	qsort(fifo, nr, sizeof(*fifo), compare_u64);
	figures->wait_p99 = fifo[p99] ? (double)waits[p99] / fifo[p99] : 1;
	figures->wait_max = fifo[nr - 1] ? (double)waits[nr - 1] / fifo[nr - 1] : 1;
	free(fifo);
	free(waits);
}

/* The tasks are sorted by submit; @counts has an element for each task. */
static void count_all(const struct overtaken *overtaken, __u64 *counts)
{
	__u32 nr = overtaken->nr, i, at;
	struct overtaken_task **by_start = alloc_zeroed(nr, sizeof(*by_start));
	struct place *places = alloc_zeroed(nr, sizeof(*places));
	__u32 *all = alloc_zeroed(nr + 1, sizeof(*all)), *own = alloc_zeroed(nr + 1, sizeof(*own));

	for (i = 0; i < nr; i++)
		by_start[i] = &overtaken->tasks[i];
	qsort(by_start, nr, sizeof(*by_start), compare_start);
	find_places(overtaken, places);
	for (i = 0; i < nr; i++) {
		const struct place *place;

		at = by_start[i] - overtaken->tasks;
		place = &places[at];
		counts[i] = tree_count(own, place->own, place->own_end);
		/* later tasks of other submitters: all later tasks less the submitter's own */
		if (place->later < nr)
			counts[i] += tree_count(all, place->later, nr) -
				     tree_count(own, place->call_end, place->own_end);
		tree_add(own, nr, place->own);
		tree_add(all, nr, at + 1);
	}
	free(own);
	free(all);
	free(places);
	free(by_start);
}

void overtaken_count(struct overtaken *overtaken, struct overtaken_figures *figures)
{
	__u32 nr = overtaken->nr;
	__u64 *counts;

	*figures = (struct overtaken_figures){ .nr = nr };
	if (!nr)
		return;
	qsort(overtaken->tasks, nr, sizeof(*overtaken->tasks), compare_submit);
	counts = alloc_zeroed(nr, sizeof(*counts));
	count_all(overtaken, counts);
	qsort(counts, nr, sizeof(*counts), compare_u64);
	figures->p99 = counts[quantile(nr, 99)];
	figures->most = counts[nr - 1];
	free(counts);
	count_waits(overtaken, figures);
	free(overtaken->tasks);
	*overtaken = (struct overtaken){ };
}
