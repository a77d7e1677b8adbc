// SPDX-License-Identifier: GPL-2.0
/* Counting completion records. */
#include "tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* More than any kernel has: a record that names another CPU is damaged. */
#define MAX_CPUS 65536U

#define CPU_NONE 0xffffffffU

static int make_cpu(struct tally *tally, __u32 cpu)
{
	struct tally_cpu *grown;

	if (cpu < tally->nr_cpus)
		return 0;
	grown = realloc(tally->cpu, (cpu + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	memset(grown + tally->nr_cpus, 0,
	       (cpu + 1 - tally->nr_cpus) * sizeof(*grown));
	tally->cpu = grown;
	tally->nr_cpus = cpu + 1;
	return 0;
}

static void count_error(struct tally *tally, int err)
{
	struct tally_error *slot = tally->error;
	struct tally_error *last = slot + TALLY_ERRORS - 1;

	while (slot < last && slot->count && slot->err != err)
		slot++;
	slot->err = slot == last ? 0 : err;
	slot->count++;
}

static void count_end(struct tally *tally, struct tally_work *work, int status)
{
	tally->finished++;
	if (!status) {
		tally->completed++;
		work->completed++;
	} else if (status == -ECANCELED) {
		tally->cancelled++;
		work->cancelled++;
	} else {
		tally->failed++;
		work->failed++;
		count_error(tally, -status);
	}
}

static int add_one(struct tally *tally, const struct work_turns *turns,
		   const struct wpool_dev_record *r)
{
	struct tally_work *work = &tally->work[work_turn(turns, r->cookie)];
	__u64 run_ns;

	count_end(tally, work, r->status);
	if (!tally->first_submit_ns || r->submit_ns < tally->first_submit_ns)
		tally->first_submit_ns = r->submit_ns;
	if (r->end_ns > tally->last_end_ns)
		tally->last_end_ns = r->end_ns;
	if (!r->start_ns || r->cpu == CPU_NONE) {
		tally->never_ran++;
		return 0;
	}
	if (samples_add(&tally->queue_ns, r->start_ns > r->submit_ns ?
			r->start_ns - r->submit_ns : 0))
		return -1;
	run_ns = r->end_ns > r->start_ns ? r->end_ns - r->start_ns : 0;
	if (!r->status && samples_add(&work->run_ns, run_ns))
		return -1;
	if (r->cpu >= MAX_CPUS || make_cpu(tally, r->cpu))
		return -1;
	tally->cpu[r->cpu].finished++;
	tally->cpu[r->cpu].run_ns += run_ns;
	return 0;
}

int tally_add(struct tally *tally, const struct work_turns *turns,
	      const struct wpool_dev_record *records, __u32 nr)
{
	__u32 i;

	for (i = 0; i < nr; i++)
		if (add_one(tally, turns, &records[i]))
			return -1;
	return 0;
}

void tally_sort(struct tally *tally)
{
	int i;

	samples_sort(&tally->queue_ns);
	for (i = 0; i < WORK_MAX_KINDS; i++)
		samples_sort(&tally->work[i].run_ns);
}

void tally_exit(struct tally *tally)
{
	int i;

	samples_exit(&tally->queue_ns);
	for (i = 0; i < WORK_MAX_KINDS; i++)
		samples_exit(&tally->work[i].run_ns);
	free(tally->cpu);
	*tally = (struct tally){ };
}

__u64 tally_wall_ns(const struct tally *tally)
{
	return tally->last_end_ns > tally->first_submit_ns ?
	       tally->last_end_ns - tally->first_submit_ns : 0;
}

/*
 * The sum of all naps shared by all workers, but never less than the longest
 * nap; with one length only, whole rounds of the pool.
 */
__u64 tally_ideal_ns(const struct tally *tally, const struct work *works,
		     unsigned int nr_works, __u32 capacity)
{
	__u64 sum = 0, longest = 0, tasks = 0, rounds;
	unsigned int i, lengths = 0;

	for (i = 0; i < nr_works; i++) {
		__u64 completed = tally->work[i].completed;

		if (works[i].kind == WPOOL_WORK_NOOP || !completed)
			continue;
		if (works[i].kind != WPOOL_WORK_SLEEP)
			return 0;
		lengths++;
		tasks += completed;
		sum += completed * works[i].arg;
		if (works[i].arg > longest)
			longest = works[i].arg;
	}
	/* without a limit it would say nothing but how quickly workers are made */
	if (!lengths || !capacity || capacity == WPOOL_DEV_UNLIMITED)
		return 0;
	if (lengths > 1)
		return sum / capacity > longest ? sum / capacity : longest;
	rounds = (tasks + capacity - 1) / capacity;
	return rounds * longest;
}
