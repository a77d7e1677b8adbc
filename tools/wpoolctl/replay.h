/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks of a recording, to be run once more: when each arrived and how long it ran. A task
 * arrives when the pool accepts it, since the recording does not have the time for which its
 * submitter waited for room before.
 */
#ifndef WPOOLCTL_REPLAY_H
#define WPOOLCTL_REPLAY_H

#include <linux/types.h>

#include "errmsg.h"

struct replay_task {
	__u64 arrival_ns;	/* after that of the first */
	__u64 run_ns;
};

struct replay {
	const char *file;
	struct replay_task *task;	/* in the order of their arrivals */
	__u64 nr;
	__u64 nr_open;			/* left out: their ends were not recorded */
	__u64 run_ns;			/* of all */
};

/* What "wpoolctl trace record" wrote into @file. 0, or -1 and a message: also if none ended. */
int replay_read(struct replay *replay, const char *file, struct errmsg *e);
void replay_exit(struct replay *replay);

/* Until the last arrives; at least 1. */
__u64 replay_length_ns(const struct replay *replay);

/* How many arrive before @ns. */
__u64 replay_before(const struct replay *replay, __u64 ns);

#endif /* WPOOLCTL_REPLAY_H */
