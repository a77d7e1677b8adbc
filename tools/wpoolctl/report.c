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
