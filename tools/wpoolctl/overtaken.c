// SPDX-License-Identifier: GPL-2.0
/*
 * Counting how many tasks overtake a task.
 *
 * The tasks are visited in the order of their starts. A tree over the order of submits contains the
 * tasks visited so far. In that order the tasks of one call are neighbours.
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
 * The tasks later than a task, see overtaken.h, by their indexes: those behind it in its call, and
 * those from its submitter's next call on.
 */
struct place {
	__u32 call_end;		/* behind the last task of its call */
	__u32 later;		/* the first task submitted at the time of the next call or later */
	__u32 same_ns;		/* the first task submitted at the same time */
};

void overtaken_add(struct overtaken *overtaken, const struct overtaken_task *task)
{
	if (overtaken->nr == OVERTAKEN_MAX_TASKS)
		return;
	overtaken->tasks = alloc_one_more(overtaken->tasks, overtaken->nr, sizeof(*task));
	overtaken->tasks[overtaken->nr++] = *task;
	overtaken->submitters = max(overtaken->submitters, task->submitter + 1);
}

static int compare(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare_counts(const void *a, const void *b)
{
	return compare(*(const __u32 *)a, *(const __u32 *)b);
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

/* The tasks are sorted by submit. */
static void find_places(const struct overtaken *overtaken, struct place *places)
{
	const struct overtaken_task *task = overtaken->tasks;
	/* by submitter: the end of its next call, 0 if there is none */
	__u32 *next = alloc_zeroed(overtaken->submitters, sizeof(*next));
	__u32 nr = overtaken->nr, i, end;

	for (i = 0; i < nr; i++)
		places[i].same_ns = i && task[i].submit_ns == task[i - 1].submit_ns ?
				    places[i - 1].same_ns : i;
	for (i = nr; i--; ) {
		if (i + 1 < nr && task[i].submitter == task[i + 1].submitter &&
		    task[i].submit_ns == task[i + 1].submit_ns) {
			places[i] = places[i + 1];
			continue;
		}
		end = next[task[i].submitter];
		places[i].call_end = i + 1;
		places[i].later = end ? places[end - 1].same_ns : nr;
		next[task[i].submitter] = i + 1;
	}
	free(next);
}

/* The tasks are sorted by submit; @counts has an element for each task. */
static void count_all(const struct overtaken *overtaken, __u32 *counts)
{
	__u32 nr = overtaken->nr, i, at;
	struct overtaken_task **by_start = alloc_zeroed(nr, sizeof(*by_start));
	struct place *places = alloc_zeroed(nr, sizeof(*places));
	__u32 *tree = alloc_zeroed(nr + 1, sizeof(*tree));

	for (i = 0; i < nr; i++)
		by_start[i] = &overtaken->tasks[i];
	qsort(by_start, nr, sizeof(*by_start), compare_start);
	find_places(overtaken, places);
	for (i = 0; i < nr; i++) {
		at = by_start[i] - overtaken->tasks;
		counts[i] = tree_count(tree, at + 1, places[at].call_end) +
			    tree_count(tree, places[at].later, nr);
		tree_add(tree, nr, at + 1);
	}
	free(tree);
	free(places);
	free(by_start);
}

void overtaken_count(struct overtaken *overtaken, struct overtaken_figures *figures)
{
	__u32 nr = overtaken->nr, *counts;

	*figures = (struct overtaken_figures){ .nr = nr };
	if (!nr)
		return;
	qsort(overtaken->tasks, nr, sizeof(*overtaken->tasks), compare_submit);
	counts = alloc_zeroed(nr, sizeof(*counts));
	count_all(overtaken, counts);
	qsort(counts, nr, sizeof(*counts), compare_counts);
	figures->p99 = counts[((__u64)nr * 99 + 99) / 100 - 1];
	figures->most = counts[nr - 1];
	free(counts);
	free(overtaken->tasks);
	*overtaken = (struct overtaken){ };
}
