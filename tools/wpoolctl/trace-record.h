/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recording the events of wpool, in an instance of its own: what others trace is not
 * disturbed, and the instance is gone afterwards.
 *
 * WPOOLCTL_TRACEFS in the environment names another directory, for tests.
 */
#ifndef WPOOLCTL_TRACE_RECORD_H
#define WPOOLCTL_TRACE_RECORD_H

#include <linux/types.h>
#include <stdbool.h>

#include "errmsg.h"

struct recording {
	const char *file;
	const char *pool;	/* NULL: all */
	__u64 duration_ns;	/* 0: until a signal */
	__u64 stop_over_ns;	/* until a task has waited longer; 0: whatever they do */
	__u64 buffer_kib;	/* for each CPU */
	bool sched;		/* which threads have the CPUs, too */
	/* out: */
	__u64 nr_events;
	__u64 nr_lost;
	bool is_over;		/* a task waited longer */
};

/* 0, or -1 and a message. SIGINT, SIGTERM and SIGHUP end the recording. */
int trace_record(struct recording *recording, struct errmsg *e);

#endif /* WPOOLCTL_TRACE_RECORD_H */
