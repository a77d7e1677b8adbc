/* SPDX-License-Identifier: GPL-2.0 */
/* A bar on stderr that says how far a run is. */
#ifndef WPOOLCTL_PROGRESS_H
#define WPOOLCTL_PROGRESS_H

#include <linux/types.h>
#include <stdbool.h>

struct progress {
	bool enabled;
	bool shown;		/* there is something to wipe away */
	__u64 total;		/* tasks, 0 if there is no limit */
	__u64 total_ns;		/* time, 0 if there is no limit; one of both is */
	__u64 start_ns;
	__u64 drawn_ns;
};

enum progress_when {
	PROGRESS_AUTO,		/* if stderr is a terminal */
	PROGRESS_ALWAYS,
	PROGRESS_NEVER,
};

void progress_init(struct progress *p, enum progress_when when, __u64 total,
		   __u64 total_ns, __u64 now_ns);

/* @accounted: tasks that are finished or refused; of them @finished. */
void progress_update(struct progress *p, __u64 now_ns, __u64 accounted,
		     __u64 finished, const char *note);

/* Wipes the bar away; whoever prints calls this first. */
void progress_clear(struct progress *p);

#endif /* WPOOLCTL_PROGRESS_H */
