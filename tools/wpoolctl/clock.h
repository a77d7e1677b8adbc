/* SPDX-License-Identifier: GPL-2.0 */
/* Time in nanoseconds. */
#ifndef WPOOLCTL_CLOCK_H
#define WPOOLCTL_CLOCK_H

#include <time.h>

#include "base.h"

#define NSEC_PER_USEC	1000ULL
#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL

static inline __u64 clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static inline __u64 now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline struct timespec timespec_of(__u64 ns)
{
	return (struct timespec){ .tv_sec = ns / NSEC_PER_SEC, .tv_nsec = ns % NSEC_PER_SEC };
}

/* Sleep for @ns, or until the time @ns. Returns 0, or EINTR if a signal ended the sleep. */
static inline int sleep_ns(__u64 ns)
{
	struct timespec time = timespec_of(ns);

	return clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static inline int sleep_until_ns(__u64 ns)
{
	struct timespec time = timespec_of(ns);

	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

#endif /* WPOOLCTL_CLOCK_H */
