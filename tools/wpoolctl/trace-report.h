/* SPDX-License-Identifier: GPL-2.0 */
/* What can be said of a recorded trace. All return 0, or -1 and a message. */
#ifndef WPOOLCTL_TRACE_REPORT_H
#define WPOOLCTL_TRACE_REPORT_H

#include <linux/types.h>

#include "errmsg.h"

enum trace_by { TRACE_BY_FUNC, TRACE_BY_CPU, TRACE_BY_WORKER, NR_TRACE_BYS };

extern const char *const trace_by_names[NR_TRACE_BYS + 1];

/* A table of the tasks that have ended: how many, how long they waited and ran. */
int trace_report(const char *file, enum trace_by by, struct errmsg *e);

/* A line for each task that has ended. */
int trace_timehist(const char *file, struct errmsg *e);

/* JSON as trace viewers read it, a row for each worker. */
int trace_chrome(const char *file, struct errmsg *e);

/* Why the first task that waited longer did: what ran where it was queued meanwhile. */
int trace_explain(const char *file, __u64 over_ns, struct errmsg *e);

#endif /* WPOOLCTL_TRACE_REPORT_H */
