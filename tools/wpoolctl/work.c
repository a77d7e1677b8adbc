// SPDX-License-Identifier: GPL-2.0
/* Workloads as people write them. */
#include "work.h"

#include "alloc.h"
#include "parse.h"

/* The argument that a kind wants. The last word is an example for a message. */
static const char *const wants[] = {
	[ARG_DURATION] = "a duration, such as 10ms",
	[ARG_COUNT] = "how often, such as 10",
	[ARG_FD] = "the number of an open file, such as 3",
	[ARG_SIZE] = "a size, such as 64K",
	[ARG_TREE] = "DEPTHxFANOUT[:DURATION], such as 4x2:10us",
};

const struct work_kind work_kinds[] = {
	{ "noop", WPOOL_WORK_NOOP, ARG_NONE, "", "nothing" },
	{ "spin", WPOOL_WORK_SPIN, ARG_DURATION, ":TIME", "use a CPU" },
	{ "sleep", WPOOL_WORK_SLEEP, ARG_DURATION, ":TIME", "sleep on a high-resolution timer" },
	{ "yield", WPOOL_WORK_YIELD, ARG_COUNT, ":N", "give the CPU away N times, up to 1000000" },
	{ "touch", WPOOL_WORK_TOUCH, ARG_SIZE, ":SIZE", "allocate memory and write to it" },
	{ "hash", WPOOL_WORK_HASH, ARG_SIZE, ":SIZE", "hash this many bytes" },
	{ "lock", WPOOL_WORK_LOCK, ARG_DURATION, ":TIME", "hold a lock that all such tasks share" },
	{ "tree", WPOOL_WORK_TREE, ARG_TREE, ":DEPTHxFANOUT[:TIME]",
	  "a fork-join tree of tasks with DEPTH levels (0 to 20) below its root and FANOUT\n"
	  "children (1 to 16) of each; each leaf uses a CPU for TIME; 1048576 nodes at most" },
	{ "fault", WPOOL_WORK_FAULT, ARG_NONE, "",
	  "oops; needs the module loaded with allow_fault=1" },
	{ "timer", WPOOL_WORK_TIMER, ARG_DURATION, ":TIME",
	  "wait for a high-resolution timer before the task starts; the wait needs no worker and\n"
	  "no room in the pool" },
	{ "strand", WPOOL_WORK_STRAND, ARG_DURATION, ":TIME",
	  "use a CPU; tasks of this kind from one file run one after the other, in the order of\n"
	  "their submits" },
	{ "poll", WPOOL_WORK_POLL, ARG_FD, ":FD",
	  "wait, before the task starts, until the inherited file descriptor FD of wpoolctl is\n"
	  "readable or at its end; the wait needs no worker and no room in the pool; nothing is\n"
	  "read" },
	{ "loop", WPOOL_WORK_LOOP, ARG_DURATION, ":TIME",
	  "use a CPU, shared with other CPUs of the pool that have nothing else to do" },
	{ "count", WPOOL_WORK_COUNT, ARG_NONE, "",
	  "add 1 to a number in the memory of wpoolctl; the task runs in a group that acts for\n"
	  "wpoolctl" },
	{ }
};

const char work_amounts[] =
"Times are a number and one of ns, us, ms, s, m, h, up to 60s; sizes are bytes, or a number\n"
"and K or M, up to 64M; both may have decimals. TIME, N and SIZE, except those of tree, may be\n"
"random for each task: LOW-HIGH is uniform, exp=MEAN is exponential, pareto=LOW has the Pareto\n"
"distribution with the shape 1.5, whose mean is three times LOW, with a few very large values.\n"
"A value above the limit is drawn again: --work sleep:exp=1ms, --work hash:4K-64K";

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

/* Parses DEPTHxFANOUT[:DURATION]; changes @s. */
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
		return errmsg_set(e, "depth: %s", e->text);
	if (parse_u64(times + 1, 1, WPOOL_MAX_TREE_FANOUT, &fanout, e))
		return errmsg_set(e, "fanout: %s", e->text);
	if (leaf && parse_duration(leaf, 0, WPOOL_MAX_WORK_NS, &work->amount.low, e))
		return errmsg_set(e, "time per leaf: %s", e->text);
	work->depth = depth;
	work->fanout = fanout;
	return check_tree_nodes(depth, fanout, e);
}

static int parse_arg(const struct work_kind *kind, char *arg, struct work *work, struct errmsg *e)
{
	const char *wanted = wants[kind->arg];

	if (kind->arg == ARG_NONE)
		return arg ? errmsg_set(e, "%s takes no argument", kind->name) : 0;
	if (!arg || !*arg)
		return errmsg_set(e, "%s wants %s: %s:%s", kind->name,
				  wanted, kind->name, strrchr(wanted, ' ') + 1);
	switch (kind->arg) {
	case ARG_DURATION:
		return amount_parse(arg, parse_duration, WPOOL_MAX_WORK_NS, &work->amount, e);
	case ARG_COUNT:
		return amount_parse(arg, parse_count, WPOOL_MAX_WORK_YIELDS, &work->amount, e);
	case ARG_FD:
		work->amount.high = INT_MAX;
		return parse_u64(arg, 0, INT_MAX, &work->amount.low, e);
	case ARG_SIZE:
		return amount_parse(arg, parse_size, WPOOL_MAX_WORK_BYTES, &work->amount, e);
	default:
		return parse_tree(arg, work, e);
	}
}

/* Parses KIND[:ARG]; changes @s. */
static int parse_kind(char *s, struct work *work, struct errmsg *e)
{
	const char *names[ARRAY_SIZE(work_kinds)];
	char *arg = strchr(s, ':');
	__u32 i;

	if (arg)
		*arg++ = '\0';
	for (i = 0; i < ARRAY_SIZE(names); i++)
		names[i] = work_kinds[i].name;
	if (parse_word(s, names, &i, e))
		return -1;
	work->kind = work_kinds[i].kind;
	return parse_arg(&work_kinds[i], arg, work, e);
}

int work_parse(const char *s, struct work *work, struct errmsg *e)
{
	struct work parsed = { };
	char *copy = alloc_copy(s);
	int err = parse_kind(copy, &parsed, e);

	free(copy);
	if (err)
		return err;
	parsed.text = alloc_copy(s);
	*work = parsed;
	return 0;
}
