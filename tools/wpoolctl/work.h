/* SPDX-License-Identifier: GPL-2.0 */
/* Workloads: the parser of "--work sleep:1ms". */
#ifndef WPOOLCTL_WORK_H
#define WPOOLCTL_WORK_H

#include <linux/wpool.h>

#include "amount.h"

#define WORK_MAX_KINDS	16	/* --work options of one run */

enum work_arg {
	ARG_NONE,
	ARG_DURATION,
	ARG_COUNT,
	ARG_FD,
	ARG_SIZE,
	ARG_TREE,
};

struct work_kind {
	const char *name;
	__u32 kind;
	enum work_arg arg;
	const char *arg_name;	/* with the colon before it */
	const char *about;
};

/* The kinds end with one without a name. work_amounts describes their arguments. */
extern const struct work_kind work_kinds[];
extern const char work_amounts[];

struct work {
	char *text;		/* KIND[:ARG] */
	__u32 kind;		/* WPOOL_WORK_* */
	__u32 depth;
	__u32 fanout;
	struct amount amount;	/* how long, how much or how often; for a tree, per leaf */
};

/* Parses KIND[:ARG]; allocates @work->text. Returns 0, or -1 and a message. */
int work_parse(const char *s, struct work *work, struct errmsg *e);

#endif /* WPOOLCTL_WORK_H */
