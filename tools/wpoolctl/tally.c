// SPDX-License-Identifier: GPL-2.0
/* Counts completion records. */
#include "tally.h"

#include "alloc.h"

/* More than any kernel has. */
#define MAX_CPUS 65536U

#define CPU_NONE 0xffffffffU

/* Returns 0, or -1 if the record is damaged: no kernel has such a CPU. */
static int count_cpu(struct tally *tally, __u32 cpu, __u64 run_ns)
{
	if (cpu >= MAX_CPUS)
		return -1;
	for (; tally->nr_cpus <= cpu; tally->nr_cpus++)
		tally->cpu = alloc_one_more(tally->cpu, tally->nr_cpus, sizeof(*tally->cpu));
	tally->cpu[cpu].finished++;
	tally->cpu[cpu].run_ns += run_ns;
	return 0;
}

static void count_end(struct tally *tally, struct tally_work *work, int status)
{
	if (!status) {
		tally->completed++;
		work->completed++;
	} else if (status == -ECANCELED) {
		tally->cancelled++;
		work->cancelled++;
	} else {
		tally->failed++;
		work->failed++;
		tally->error[min((__u32)-status, TALLY_ERRNOS - 1)]++;
	}
}

static __u64 since(__u64 from_ns, __u64 to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

static int add_times(struct tally *tally, struct tally_work *work,
		     const struct wpool_dev_record *r, __u64 arrival)
{
	struct timehist *time = tally->time;
	bool open_loop = tally->window.open_loop;
	bool ran = r->start_ns && r->cpu != CPU_NONE;
	__u64 run_ns = since(r->start_ns, r->end_ns);

	timehist_add(&time[TALLY_TOTAL], since(arrival, r->end_ns), 1);
	if (open_loop)
		timehist_add(&time[TALLY_LATE], since(arrival, r->submit_ns), 1);
	if (!ran)
		return 0;
	timehist_add(&time[TALLY_QUEUE], since(r->submit_ns, r->start_ns), 1);
	if (open_loop)
		timehist_add(&time[TALLY_WAIT], since(arrival, r->start_ns), 1);
	if (!r->status)
		timehist_add(&work->run_ns, run_ns, 1);
	return count_cpu(tally, r->cpu, run_ns);
}

static int add_one(struct tally *tally, const struct wpool_dev_record *r)
{
	const struct tally_window *window = &tally->window;
	struct tally_work *work = &tally->work[tally_cookie_work(r->cookie)];
	__u64 arrival = window->open_loop ?
			window->start_ns + tally_cookie_number(r->cookie) : r->submit_ns;

	count_end(tally, work, r->status);
	tally->first_submit_ns = min(tally->first_submit_ns ?: ~0ULL, r->submit_ns);
	tally->last_end_ns = max(tally->last_end_ns, r->end_ns);
	if (!r->start_ns || r->cpu == CPU_NONE)
		tally->never_ran++;
	if (!r->status) {
		tally->interval.completed++;
		if (r->end_ns >= window->from_ns && (!window->to_ns || r->end_ns < window->to_ns))
			tally->completed_in_window++;
	}
	timehist_add(&tally->interval.total_ns, since(arrival, r->end_ns), 1);
	if (arrival >= window->from_ns)
		return add_times(tally, work, r, arrival);
	tally->warmup++;
	return 0;
}

int tally_add(struct tally *tally, const struct wpool_dev_record *records, __u32 nr)
{
	__u32 i;

	for (i = 0; i < nr; i++)
		if (add_one(tally, &records[i]))
			return -1;
	return 0;
}

void tally_add_unsent(struct tally *tally, __u64 arrival_ns, __u64 until_ns, __u64 nr)
{
	__u64 ns = since(arrival_ns, until_ns);

	tally->unsent += nr;
	if (arrival_ns < tally->window.from_ns)
		return;
	timehist_add(&tally->time[TALLY_LATE], ns, nr);
	timehist_add(&tally->time[TALLY_WAIT], ns, nr);
	timehist_add(&tally->time[TALLY_TOTAL], ns, nr);
}

__u64 tally_wall_ns(const struct tally *tally)
{
	return since(tally->first_submit_ns, tally->last_end_ns);
}

__u64 tally_window_ns(const struct tally *tally)
{
	const struct tally_window *window = &tally->window;
	__u64 from = max(tally->first_submit_ns, window->from_ns);

	if (window->to_ns)
		return since(window->from_ns, window->to_ns);
	return since(from, tally->last_end_ns);
}
