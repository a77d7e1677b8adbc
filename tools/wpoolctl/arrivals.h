/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An open loop: tasks arrive at times that do not depend on what the pool does with earlier tasks.
 * These functions compute the times, in nanoseconds after the start of the run.
 */
#ifndef WPOOLCTL_ARRIVALS_H
#define WPOOLCTL_ARRIVALS_H

#include "random.h"
#include "replay.h"

/* There is a schedule of arrivals if @rate or @replay is set. */
struct arrivals_config {
	__u64 rate;		/* tasks per second of all submitters */
	const struct replay *replay;	/* NULL, or the recorded arrivals */
	bool poisson;		/* exponential distances instead of equal ones */
	__u64 seed;
};

/* The arrivals of one submitter. */
struct arrivals {
	const struct arrivals_config *config;
	struct random random;
	__u32 submitters;
	double expected;	/* tasks of all submitters until the next arrival */
};

static inline bool arrivals_are_scheduled(const struct arrivals_config *config)
{
	return config->rate || config->replay;
}

/* Tasks per second of all submitters. */
double arrivals_rate(const struct arrivals_config *config);

/* @submitters share the tasks: without @poisson each takes every @submitters-th task. */
void arrivals_init(struct arrivals *arrivals, const struct arrivals_config *config,
		   __u32 submitter, __u32 submitters);

/* arrivals_ns() returns when the next task arrives; arrivals_step() skips @step tasks. */
__u64 arrivals_ns(const struct arrivals *arrivals);
void arrivals_step(struct arrivals *arrivals, __u64 step);

/* The recorded run time of the task that arrives next. */
__u64 arrivals_run_ns(const struct arrivals *arrivals);

/* How many tasks of this submitter are expected from the next arrival until @ns. */
__u64 arrivals_left(const struct arrivals *arrivals, __u64 ns);

/* How many tasks of all submitters are expected until @ns. */
double arrivals_expected(const struct arrivals_config *config, __u64 ns);

#endif /* WPOOLCTL_ARRIVALS_H */
