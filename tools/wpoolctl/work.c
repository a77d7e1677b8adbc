// SPDX-License-Identifier: GPL-2.0
/* Workloads as people write them, and the order in which they take turns. */
#include "work.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

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
};

static const struct work_kind kinds[] = {
	{ "noop", WPOOL_WORK_NOOP, ARG_NONE },
	{ "spin", WPOOL_WORK_SPIN, ARG_DURATION },
	{ "sleep", WPOOL_WORK_SLEEP, ARG_DURATION },
	{ "yield", WPOOL_WORK_YIELD, ARG_COUNT },
	{ "touch", WPOOL_WORK_TOUCH, ARG_SIZE },
	{ "hash", WPOOL_WORK_HASH, ARG_SIZE },
	{ "lock", WPOOL_WORK_LOCK, ARG_DURATION },
	{ "tree", WPOOL_WORK_TREE, ARG_TREE },
	{ "fault", WPOOL_WORK_FAULT, ARG_NONE },
	{ "timer", WPOOL_WORK_TIMER, ARG_DURATION },
	{ "strand", WPOOL_WORK_STRAND, ARG_DURATION },
	{ "poll", WPOOL_WORK_POLL, ARG_FD },
	{ "loop", WPOOL_WORK_LOOP, ARG_DURATION },
	{ "count", WPOOL_WORK_COUNT, ARG_NONE },
	{ }
};

static const struct work_kind *find_kind(const char *name)
{
	const struct work_kind *kind;

	for (kind = kinds; kind->name; kind++)
		if (!strcmp(kind->name, name))
			return kind;
	return NULL;
}

static int check_tree_nodes(__u32 depth, __u32 fanout, struct errmsg *e)
{
	__u64 level = 1, nodes = 1;
	__u32 i;

	/* depth 20 times fanout 16 overflows: stop at the limit */
	for (i = 0; i < depth && nodes <= WPOOL_MAX_TREE_NODES; i++) {
		level *= fanout;
		nodes += level;
	}
	if (nodes > WPOOL_MAX_TREE_NODES)
		return errmsg_set(e, "a tree of depth %u and fanout %u has more than %u nodes",
				  depth, fanout, WPOOL_MAX_TREE_NODES);
	return 0;
}

/* DEPTHxFANOUT[:DURATION]; the argument is cut up. */
static int parse_tree(char *s, struct work *work, struct errmsg *e)
{
	char *leaf = strchr(s, ':'), *times;
	__u64 depth, fanout;

	work->amount.high = WPOOL_MAX_WORK_NS;
	if (leaf)
		*leaf++ = '\0';
	times = strchr(s, 'x');
	if (!times)
		return errmsg_set(e, ERRMSG_Q " is not DEPTHxFANOUT", s);
	*times = '\0';
	if (parse_u64(s, 0, WPOOL_MAX_TREE_DEPTH, &depth, e))
		return errmsg_in(e, "depth");
	if (parse_u64(times + 1, 1, WPOOL_MAX_TREE_FANOUT, &fanout, e))
		return errmsg_in(e, "fanout");
	if (leaf && parse_duration(leaf, 0, WPOOL_MAX_WORK_NS, &work->amount.low, e))
		return errmsg_in(e, "time per leaf");
	work->depth = depth;
	work->fanout = fanout;
	return check_tree_nodes(depth, fanout, e);
}

static int parse_arg(const struct work_kind *kind, char *arg, struct work *work,
		     struct errmsg *e)
{
	static const char *const wanted[] = {
		[ARG_DURATION] = "a duration, such as 10ms",
		[ARG_COUNT] = "how often, such as 10",
		[ARG_FD] = "the number of an open file, such as 3",
		[ARG_SIZE] = "a size, such as 64K",
		[ARG_TREE] = "DEPTHxFANOUT[:DURATION], such as 4x2:10us",
	};

	if (kind->arg == ARG_NONE)
		return arg ? errmsg_set(e, "%s takes no argument", kind->name) : 0;
	if (!arg || !*arg)
		return errmsg_set(e, "%s wants %s: %s:%s", kind->name,
				  wanted[kind->arg], kind->name,
				  strrchr(wanted[kind->arg], ' ') + 1);
	switch (kind->arg) {
	case ARG_DURATION:
		return amount_parse(arg, parse_duration, WPOOL_MAX_WORK_NS, &work->amount, e);
	case ARG_COUNT:
		return amount_parse(arg, parse_count, WPOOL_MAX_WORK_YIELDS, &work->amount, e);
	case ARG_FD:
		return parse_u64(arg, 0, INT_MAX, &work->amount.low, e);
	case ARG_SIZE:
		return amount_parse(arg, parse_size, WPOOL_MAX_WORK_BYTES, &work->amount, e);
	default:
		return parse_tree(arg, work, e);
	}
}

int work_parse(const char *s, struct work *work, struct errmsg *e)
{
	char *copy = strdup(s), *text = NULL, *weight, *arg;
	struct work parsed = { .weight = 1 };
	const struct work_kind *kind;
	__u64 n;

	if (!copy)
		return errmsg_set(e, "out of memory");
	weight = strchr(copy, '@');
	if (weight) {
		*weight++ = '\0';
		if (parse_u64(weight, 1, WORK_MAX_WEIGHT, &n, e)) {
			errmsg_in(e, "weight");
			goto err_free;
		}
		parsed.weight = n;
	}
	text = strdup(copy);
	if (!text) {
		errmsg_set(e, "out of memory");
		goto err_free;
	}
	arg = strchr(copy, ':');
	if (arg)
		*arg++ = '\0';
	kind = find_kind(copy);
	if (!kind) {
		errmsg_set(e, ERRMSG_Q " is not one of %s, %s", copy,
			   "noop, spin, sleep, yield, touch, hash, lock, tree, fault, timer",
			   "strand, poll, loop, count");
		goto err_free;
	}
	parsed.kind = kind->kind;
	if (parse_arg(kind, arg, &parsed, e))
		goto err_free;
	parsed.text = text;
	*work = parsed;
	free(copy);
	return 0;

err_free:
	free(text);
	free(copy);
	return -1;
}

void work_exit(struct work *work)
{
	free((char *)work->text);
	work->text = NULL;
}

/*
 * Smooth weighted round robin: each turn goes to the work that has waited most
 * for its share, so that a@2 and b@1 make a b a, not a a b.
 */
int work_turns_init(struct work_turns *turns, const struct work *works,
		    unsigned int nr_works)
{
	long credit[WORK_MAX_KINDS] = { };
	unsigned int i, best;
	__u32 t;

	turns->nr = 0;
	for (i = 0; i < nr_works; i++)
		turns->nr += works[i].weight;
	turns->turn = malloc(turns->nr);
	if (!turns->turn)
		return -1;
	for (t = 0; t < turns->nr; t++) {
		best = 0;
		for (i = 0; i < nr_works; i++) {
			credit[i] += works[i].weight;
			if (credit[i] > credit[best])
				best = i;
		}
		credit[best] -= turns->nr;
		turns->turn[t] = best;
	}
	return 0;
}

void work_turns_exit(struct work_turns *turns)
{
	free(turns->turn);
	turns->turn = NULL;
}
