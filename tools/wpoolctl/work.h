/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Workloads: the parser of "--work sleep:1ms@3", and the order in which several take turns.
 */
#ifndef WPOOLCTL_WORK_H
#define WPOOLCTL_WORK_H

#include <linux/wpool.h>

#include "amount.h"

#define WORK_MAX_KINDS	16	/* --work options of one run */
#define WORK_MAX_WEIGHT	1000

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
	__u32 weight;
	struct amount amount;	/* how long, how much or how often; for a tree, per leaf */
};

/* The works in the order of their turns; after the last turn the first one follows again. */
struct work_turns {
	__u8 *turn;		/* an array of indexes of works */
	__u32 nr;
};

/* Parses KIND[:ARG][@WEIGHT]; allocates @work->text. Returns 0, or -1 and a message. */
int work_parse(const char *s, struct work *work, struct errmsg *e);

void work_turns_init(struct work_turns *turns, const struct work *works, unsigned int nr_works);

/* The index of the work that task number @task does. */
static inline unsigned int work_turn(const struct work_turns *turns, __u64 task)
{
	return turns->turn[task % turns->nr];
}

#endif /* WPOOLCTL_WORK_H */
