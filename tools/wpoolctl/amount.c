// SPDX-License-Identifier: GPL-2.0
/* Amounts of work and their distributions. */
#include "amount.h"

#include <math.h>

#include "alloc.h"

#define PARETO_SHAPE	1.5

/* "LOW-HIGH" */
static int parse_range(const char *s, const char *dash, amount_reader reader, __u64 max,
		       struct amount *amount, struct errmsg *e)
{
	struct amount parsed = { .shape = AMOUNT_UNIFORM };
	char *low = alloc_checked(strndup(s, dash - s));
	int err;

	err = reader(low, 0, max, &parsed.low, e);
	free(low);
	if (err || reader(dash + 1, 0, max, &parsed.high, e))
		return -1;
	if (parsed.low > parsed.high)
		return errmsg_set(e, ERRMSG_Q " begins above its end", s);
	*amount = parsed;
	return 0;
}

int amount_parse(const char *s, amount_reader reader, __u64 max, struct amount *amount,
		 struct errmsg *e)
{
	static const struct {
		const char *prefix;
		enum amount_shape shape;
		__u64 min;
	} shapes[] = {
		{ "exp=", AMOUNT_EXP, 0 },
		{ "pareto=", AMOUNT_PARETO, 1 },
		{ "", AMOUNT_FIXED, 0 },
	};
	struct amount parsed = { .high = max };
	const char *dash = strchr(s, '-');
	size_t i = 0;

	if (dash && dash != s)
		return parse_range(s, dash, reader, max, amount, e);
	while (strncmp(s, shapes[i].prefix, strlen(shapes[i].prefix)))
		i++;
	parsed.shape = shapes[i].shape;
	/* amount_draw() repeats draws above @max: allow LOW up to @max / 2, so that most fit */
	if (parsed.shape == AMOUNT_PARETO)
		max /= 2;
	if (reader(s + strlen(shapes[i].prefix), shapes[i].min, max, &parsed.low, e))
		return -1;
	*amount = parsed;
	return 0;
}

static double draw(const struct amount *amount, struct random *random)
{
	double unit = random_unit(random);

	switch (amount->shape) {
	case AMOUNT_UNIFORM:
		return amount->low + floor((1 - unit) * (amount->high - amount->low + 1.0));
	case AMOUNT_EXP:
		return -log(unit) * amount->low;
	case AMOUNT_PARETO:
		return amount->low / pow(unit, 1 / PARETO_SHAPE);
	default:
		return amount->low;
	}
}

__u64 amount_draw(const struct amount *amount, struct random *random)
{
	double drawn;

	do {
		drawn = draw(amount, random);
	} while (drawn > amount->high);
	return drawn;
}
