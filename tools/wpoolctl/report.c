// SPDX-License-Identifier: GPL-2.0
/* Figures that both reports of a run, for people and for programs, contain. */
#include "report.h"

__u64 report_asked(const struct load_result *result)
{
	return result->accepted + result->refused + result->tally.unsent;
}

double report_completed_per_s(const struct load_result *result)
{
	__u64 ns = tally_window_ns(&result->tally);

	return ns ? (double)result->tally.completed_in_window * NSEC_PER_SEC / ns : 0;
}

__u64 report_per_task(__u64 ns, const struct load_result *result)
{
	return result->accepted ? ns / result->accepted : 0;
}

bool report_has_order(const struct load_result *result)
{
	return result->overtaken.nr && result->attrs.policy != WPOOL_DEV_POLICY_RUN;
}

__u64 report_ideal_ns(const struct load_config *config, const struct load_result *result)
{
	__u32 capacity = result->attrs.capacity;

	/*
	 * With a schedule the run lasts until the last arrival, however fast the pool is. If the
	 * capacity changed meanwhile, it is unknown which tasks had which capacity.
	 */
	if (arrivals_are_scheduled(&config->arrivals) || result->last_capacity != capacity)
		return 0;
	/* under policy "run" submitters run tasks, too */
	if (result->attrs.policy == WPOOL_DEV_POLICY_RUN && capacity != WPOOL_DEV_UNLIMITED)
		capacity += config->submitters;
	return tally_ideal_ns(&result->tally, config->works, config->nr_works, capacity);
}
