/* SPDX-License-Identifier: GPL-2.0 */
/* A progress bar on stderr. */
#ifndef WPOOLCTL_PROGRESS_H
#define WPOOLCTL_PROGRESS_H

#include "base.h"

struct progress {
	bool enabled;
	bool shown;		/* a bar is on the terminal */
	__u64 total;		/* tasks; 0: no limit */
	__u64 total_ns;		/* time; 0: no limit. At least one of the two is not 0 */
	__u64 start_ns;
	__u64 drawn_ns;
};

enum progress_when {
	PROGRESS_AUTO,		/* a bar if stderr is a terminal */
	PROGRESS_ALWAYS,
	PROGRESS_NEVER,
};

void progress_init(struct progress *p, enum progress_when when, __u64 total,
		   __u64 total_ns, __u64 now_ns);

/* Draw the bar if it is due. @accounted: tasks finished or refused */
void progress_update(struct progress *p, __u64 now_ns, __u64 accounted,
		     __u64 finished, const char *note);

/* Call this before other output. */
void progress_clear(struct progress *p);

#endif /* WPOOLCTL_PROGRESS_H */
