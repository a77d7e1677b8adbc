// SPDX-License-Identifier: GPL-2.0
/*
 * When tasks arrive.
 *
 * arrivals_expected() is the number of tasks expected until a time: a straight line, or the tasks
 * of a recording. Each arrival is a step of this number. Equal steps make arrivals at equal
 * distances, steps of exponential size make a Poisson process.
 */
#include "arrivals.h"

#include <math.h>

#include "parse.h"

double arrivals_rate(const struct arrivals_config *config)
{
	if (config->replay)
		return (double)config->replay->nr * NSEC_PER_SEC /
		       replay_length_ns(config->replay);
	return config->rate;
}

double arrivals_expected(const struct arrivals_config *config, __u64 ns)
{
	return config->replay ? replay_before(config->replay, ns) :
				config->rate * ((double)ns / NSEC_PER_SEC);
}

/* The recorded task that arrives next, NULL after the last. */
static const struct replay_task *next_recorded(const struct arrivals *arrivals)
{
	const struct replay *replay = arrivals->config->replay;
	__u64 next = arrivals->expected;

	return next < replay->nr ? &replay->task[next] : NULL;
}

__u64 arrivals_run_ns(const struct arrivals *arrivals)
{
	const struct replay_task *task = next_recorded(arrivals);

	return task ? task->run_ns : 0;
}

__u64 arrivals_ns(const struct arrivals *arrivals)
{
	const struct arrivals_config *config = arrivals->config;

	if (config->replay)
		return next_recorded(arrivals) ? next_recorded(arrivals)->arrival_ns : ~0ULL;
	return arrivals->expected / config->rate * NSEC_PER_SEC;
}

void arrivals_step(struct arrivals *arrivals, __u64 step)
{
	double size = step;

	/* many steps at once: their sum is close to its mean, so it need not be random */
	if (arrivals->config->poisson && step == 1)
		size = -log(random_unit(&arrivals->random));
	arrivals->expected += size * arrivals->submitters;
}

__u64 arrivals_left(const struct arrivals *arrivals, __u64 ns)
{
	double left = arrivals_expected(arrivals->config, ns) - arrivals->expected;

	return left > 0 ? left / arrivals->submitters : 0;
}

void arrivals_init(struct arrivals *arrivals, const struct arrivals_config *config,
		   __u32 submitter, __u32 submitters)
{
	*arrivals = (struct arrivals){
		.config = config,
		.submitters = submitters,
		.expected = config->poisson ? 0 : submitter,
	};
	random_init(&arrivals->random, config->seed, submitter);
	if (config->poisson)
		arrivals_step(arrivals, 1);
}
