/* SPDX-License-Identifier: GPL-2.0 */
/* The amount of work of a task: fixed, or drawn for each task. */
#ifndef WPOOLCTL_AMOUNT_H
#define WPOOLCTL_AMOUNT_H

#include "errmsg.h"
#include "random.h"

enum amount_shape {
	AMOUNT_FIXED,
	AMOUNT_UNIFORM,		/* LOW-HIGH */
	AMOUNT_EXP,		/* exp=MEAN */
	AMOUNT_PARETO,		/* pareto=LOW, with the shape 1.5: the mean is 3 times LOW */
};

struct amount {
	enum amount_shape shape;
	__u64 low;		/* the fixed amount, the minimum, or the mean */
	__u64 high;		/* the maximum */
};

/* Parses a number and its unit in [@min, @max]. */
typedef int (*amount_reader)(const char *s, __u64 min, __u64 max, __u64 *out,
			     struct errmsg *e);

/* Parses an amount of at most @max. Returns 0, or -1 and a message. */
int amount_parse(const char *s, amount_reader reader, __u64 max, struct amount *amount,
		 struct errmsg *e);

/* Draw the amount of one task. An amount above amount->high is drawn again. */
__u64 amount_draw(const struct amount *amount, struct random *random);

#endif /* WPOOLCTL_AMOUNT_H */
