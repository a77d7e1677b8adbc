// SPDX-License-Identifier: GPL-2.0
/*
 * What people type, under libFuzzer. The first byte chooses the parser, the rest
 * is the text, in memory of exactly its size.
 *
 * What is accepted must be within the limits that the caller gave; what is
 * refused leaves the result alone and says why on one line; and what wpoolctl
 * accepts, the kernel must accept, and mean the same.
 */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../wpoolctl/attrs.h"
#include "../../wpoolctl/cpulist.h"
#include "../../wpoolctl/parse.h"
#include "../../wpoolctl/work.h"
#include "kernel_parsers.h"

#define UNTOUCHED	0x5a5a5a5a5a5a5a5aULL

static void must(bool condition, const char *what, const char *text)
{
	if (condition)
		return;
	fprintf(stderr, "broken: %s: '%s'\n", what, text);
	abort();
}

/* A message is one line, without what a terminal could act on. */
static void check_message(const struct errmsg *e, const char *text)
{
	const char *at = e->text;

	must(*at && strnlen(at, sizeof(e->text)) < sizeof(e->text), "no message", text);
	for (; *at; at++)
		must((unsigned char)*at >= ' ' && *at != 0x7f, "control character in a message",
		     text);
}

static void check_range(int err, uint64_t value, uint64_t min, uint64_t max,
			const struct errmsg *e, const char *text)
{
	if (err) {
		must(value == UNTOUCHED, "refused, but the result has changed", text);
		check_message(e, text);
	} else {
		must(value >= min && value <= max, "accepted, but out of range", text);
	}
}

/* ---- wpoolctl ----------------------------------------------------------------------- */

static void fuzz_numbers(const char *text, unsigned int which)
{
	static const struct {
		__u64 min;
		__u64 max;
	} ranges[] = {
		{ 0, UINT64_MAX }, { 1, 4096 }, { 0, 0 }, { 0, UINT32_MAX },
		{ 1000, 60000000000ULL }, { UINT64_MAX - 1, UINT64_MAX },
	};
	unsigned int range = which / 5 % ARRAY_SIZE(ranges);
	__u64 min = ranges[range].min, max = ranges[range].max;
	union {
		__u64 value;
		__s32 number;
	} out = { .value = UNTOUCHED };
	struct errmsg e = {};
	int err;

	switch (which % 5) {
	case 0:
		err = parse_u64(text, min, max, &out.value, &e);
		must(err || out.value == strtoull(text, NULL, 10), "another number", text);
		break;
	case 1:
		err = parse_duration(text, min, max, &out.value, &e);
		break;
	case 2:
		err = parse_seconds(text, min, max, &out.value, &e);
		break;
	case 3:
		err = parse_size(text, min, max, &out.value, &e);
		break;
	default:
		err = parse_s32(text, -20, 19, &out.number, &e);
		if (!err)
			must(out.number >= -20 && out.number <= 19 &&
			     out.number == atoi(text), "another number", text);
		else
			check_range(err, out.value, 0, 0, &e, text);
		return;
	}
	check_range(err, out.value, min, max, &e, text);
}

static void fuzz_rate(const char *text)
{
	__u64 value = UNTOUCHED;
	struct errmsg e = {};

	check_range(parse_rate(text, &value, &e), value, 1, UINT64_MAX, &e, text);
}

static void fuzz_assignment(const char *text)
{
	const char *value = NULL;
	struct errmsg e = {};
	size_t len = 0;

	if (parse_assignment(text, &len, &value, &e))
		check_message(&e, text);
	else
		must(value == text + len + 1 && text[len] == '=' && len, "not the value", text);
}

static void fuzz_name(const char *text)
{
	struct errmsg e = {};
	int err = parse_pool_name(text, &e);

	if (err)
		check_message(&e, text);
	must(!err == !kernel_name(text), "wpoolctl and the kernel differ on a name", text);
}

/* What wpoolctl accepts must pass the checks of the kernel. */
static void fuzz_work(const char *text)
{
	static const __u64 limits[] = {
		[WPOOL_WORK_NOOP] = UINT64_MAX,
		[WPOOL_WORK_SPIN] = WPOOL_MAX_WORK_NS,
		[WPOOL_WORK_SLEEP] = WPOOL_MAX_WORK_NS,
		[WPOOL_WORK_YIELD] = WPOOL_MAX_WORK_YIELDS,
		[WPOOL_WORK_TOUCH] = WPOOL_MAX_WORK_BYTES,
		[WPOOL_WORK_HASH] = WPOOL_MAX_WORK_BYTES,
		[WPOOL_WORK_LOCK] = WPOOL_MAX_WORK_NS,
		[WPOOL_WORK_TREE] = WPOOL_MAX_WORK_NS,
		[WPOOL_WORK_FAULT] = UINT64_MAX,
		[WPOOL_WORK_TIMER] = WPOOL_MAX_WORK_NS,
		[WPOOL_WORK_STRAND] = WPOOL_MAX_WORK_NS,
		[WPOOL_WORK_POLL] = INT_MAX,
		[WPOOL_WORK_LOOP] = WPOOL_MAX_WORK_NS,
	};
	__u64 nodes = 1, level = 1;
	struct errmsg e = {};
	struct work work;
	__u32 i;

	if (work_parse(text, &work, &e)) {
		check_message(&e, text);
		return;
	}
	must(work.kind <= WPOOL_WORK_LOOP, "kind", text);
	must(work.arg <= limits[work.kind], "beyond a limit", text);
	must(work.weight >= 1 && work.weight <= WORK_MAX_WEIGHT, "weight", text);
	if (work.kind == WPOOL_WORK_TREE) {
		must(work.depth <= WPOOL_MAX_TREE_DEPTH && work.fanout >= 1 &&
		     work.fanout <= WPOOL_MAX_TREE_FANOUT, "tree", text);
		for (i = 0; i < work.depth && nodes <= WPOOL_MAX_TREE_NODES; i++) {
			level *= work.fanout;
			nodes += level;
		}
		must(nodes <= WPOOL_MAX_TREE_NODES, "too many nodes", text);
	}
	work_exit(&work);
}

static void fuzz_cpulist(const char *text)
{
	static struct cpulist cpus;
	struct errmsg e = {};

	memset(&cpus, 0, sizeof(cpus));
	if (cpulist_parse(text, &cpus, &e)) {
		check_message(&e, text);
		return;
	}
	must(cpulist_last(&cpus) >= 0 && cpulist_last(&cpus) < CPULIST_CPUS, "no CPU", text);
	must(cpulist_bytes(&cpus) >= 8 && cpulist_bytes(&cpus) <= sizeof(cpus.bits) &&
	     cpulist_bytes(&cpus) % 8 == 0, "bytes", text);
}

static void check_attrs(const struct wpool_dev_attrs *attrs, const char *text)
{
	__u32 mask = attrs->mask;

	must(!(mask & ~0xfffffU), "unknown bit", text);
	must(!(mask & WPOOL_DEV_CAPACITY) || attrs->capacity == WPOOL_DEV_UNLIMITED ||
	     (attrs->capacity >= 1 && attrs->capacity <= WPOOL_MAX_CAPACITY), "capacity", text);
	must(!(mask & WPOOL_DEV_CAPACITY_PER_CPU) ||
	     attrs->capacity_per_cpu <= WPOOL_MAX_CAPACITY, "capacity_per_cpu", text);
	must(!(mask & WPOOL_DEV_QUEUE_DEPTH) || attrs->queue_depth == WPOOL_DEV_UNLIMITED ||
	     attrs->queue_depth <= WPOOL_MAX_QUEUE_DEPTH, "queue_depth", text);
	must(!(mask & WPOOL_DEV_EXPIRY_MS) || attrs->expiry_ms <= WPOOL_MAX_EXPIRY_MS,
	     "expiry_ms", text);
	must(!(mask & WPOOL_DEV_NICE) || (attrs->nice >= -20 && attrs->nice <= 19), "nice", text);
	must(!(mask & WPOOL_DEV_SCHED) || attrs->sched <= WPOOL_MAX_PRIORITY, "sched", text);
	must(!(mask & WPOOL_DEV_POLICY) || attrs->policy <= WPOOL_DEV_POLICY_DROP_OLDEST,
	     "policy", text);
}

static void fuzz_attrs(const char *text, unsigned int which)
{
	static struct attr_set set;
	struct errmsg e = {};
	int err;

	attr_set_init(&set);
	err = which & 2 ? attr_set_add_list(&set, which & 1, text, &e) :
			  attr_set_add(&set, which & 1, text, &e);
	if (err)
		check_message(&e, text);
	else
		check_attrs(&set.attrs, text);
	if (!err && attr_set_check(&set, NULL, &e))
		check_message(&e, text);
}

/* ---- the kernel ----------------------------------------------------------------------- */

/* wpoolctl's "NAME=TEXT"; true if it takes it. */
static bool user_takes(const char *name, const char *text, struct wpool_dev_attrs *attrs)
{
	static struct attr_set set;
	char assignment[600];
	struct errmsg e;

	snprintf(assignment, sizeof(assignment), "%s=%s", name, text);
	attr_set_init(&set);
	if (attr_set_add(&set, ATTR_TUNE, assignment, &e))
		return false;
	*attrs = set.attrs;
	return true;
}

static void fuzz_kernel(const char *text, size_t size, unsigned int which)
{
	static const char *const names[] = {
		"capacity", "max_blocking", "nice", "handoff", "policy", "sched",
	};
	/* sysfs wants less than 32 characters, no NUL */
	bool same = strlen(text) == size && size < 32;
	struct wpool_dev_attrs user;
	long long value = -1;
	int err;

	which %= 1 + ARRAY_SIZE(names);
	err = which < ARRAY_SIZE(names) ? kernel_attr(names[which], text, size, &value) :
	      kernel_cpumask(text, size);
	switch (which) {
	case 0:
		must(err || value != WPOOL_DEV_UNLIMITED || !strncmp(text, "max", 3) ||
		     !strncmp(text, "unlimited", 9), "unlimited by its number", text);
		if (same && user_takes("capacity", text, &user))
			must(!err && user.capacity == value, "wpoolctl and sysfs differ", text);
		break;
	case 3:
	case 4:
		must(err || value == 0 || value == 1, "not one of two", text);
		break;
	case 5:
		must(err || !value == !strncmp(text, "normal", 6), "no priority", text);
		if (same && user_takes("sched", text, &user))
			must(!err && user.sched == value, "wpoolctl and sysfs differ", text);
		/* the range is the pool's business */
		else if (same && !strchr(text, '\n'))
			must(err || value > WPOOL_MAX_PRIORITY, "wpoolctl refuses it", text);
	}
	must(!err || err == -EINVAL || err == -ERANGE, "another errno", text);
	must(!size || strlen(text) == size || err == -EINVAL, "a NUL was taken", text);
	must(size || err == -EINVAL, "nothing was taken for something", text);
}

/* The name that libFuzzer calls it by is given by parsers.mk. */
int FUZZ_ONE(const uint8_t *data, size_t size)
{
	char buf[32];
	char *text;
	__u64 ns;

	if (!size)
		return 0;
	/* sysfs puts a NUL behind what was written; arguments have one anyway */
	text = malloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = 0;

	switch (data[0] % 9) {
	case 0:
		fuzz_numbers(text, data[0] / 9);
		break;
	case 1:
		fuzz_rate(text);
		break;
	case 2:
		fuzz_assignment(text);
		break;
	case 3:
		fuzz_name(text);
		break;
	case 4:
		fuzz_work(text);
		break;
	case 5:
		fuzz_cpulist(text);
		break;
	case 6:
		fuzz_attrs(text, data[0] / 9);
		break;
	case 7:
		fuzz_kernel(text, size - 1, data[0] / 9);
		break;
	default:
		if (size <= sizeof(ns))
			break;
		memcpy(&ns, data + 1, sizeof(ns));
		must(strlen(format_duration(ns, buf, sizeof(buf))) < sizeof(buf), "duration", "");
		attr_format_limit(ns, buf, 1 + data[0] % sizeof(buf));
	}
	free(text);
	return 0;
}
