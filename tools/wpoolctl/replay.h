/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks of a recording, to run them once more: when each arrived and how long it ran. A task
 * arrives when the pool accepts it: the recording does not say how long the submitter waited for
 * room before.
 */
#ifndef WPOOLCTL_REPLAY_H
#define WPOOLCTL_REPLAY_H

#include "errmsg.h"

struct replay_task {
	__u64 arrival_ns;	/* after the first arrival */
	__u64 run_ns;
};

struct replay {
	const char *file;
	struct replay_task *task;	/* sorted by arrival */
	__u64 nr;
};

/* Read a file of "wpoolctl trace record". Returns 0, or -1 and a message, also if no task ended. */
int replay_read(struct replay *replay, const char *file, struct errmsg *e);

/* The time until the last arrival, at least 1. */
__u64 replay_length_ns(const struct replay *replay);

/* How many tasks arrive before @ns. */
__u64 replay_before(const struct replay *replay, __u64 ns);

#endif /* WPOOLCTL_REPLAY_H */
