// SPDX-License-Identifier: GPL-2.0
/*
 * Parsers of user input, under libFuzzer or from replay_parsers.c. The first byte of an input
 * chooses the parser, see the end of this file. The rest is the text, in memory of exactly its
 * size.
 *
 * An accepted value must be within the limits that the caller gave. If a text is refused, the
 * result is unchanged, and a message of one line gives the reason. A text that wpoolctl accepts
 * must have the same meaning for the kernel.
 *
 * The attributes come from module/pool/attr_table.h: a new one needs no change here. A new workload
 * needs a line in fuzz_work(), and a seed in corpus/.
 */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../wpoolctl/attrs.h"
#include "../../wpoolctl/cpulist.h"
#include "../../wpoolctl/ini.h"
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

/* A message is one line without ASCII's control characters. */
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

static void fuzz_s32(const char *text)
{
	struct errmsg e = {};
	__s32 number = 12345;

	if (parse_s32(text, -20, 19, &number, &e)) {
		must(number == 12345, "refused, but the result has changed", text);
		check_message(&e, text);
	} else {
		must(number >= -20 && number <= 19 && number == atoi(text), "another number", text);
	}
}

static void fuzz_numbers(const char *text)
{
	static const struct {
		__u64 min;
		__u64 max;
	} ranges[] = {
		{ 0, UINT64_MAX }, { 1, 4096 }, { 0, 0 }, { 0, UINT32_MAX },
		{ 1000, 60000000000ULL }, { UINT64_MAX - 1, UINT64_MAX },
	};
	/* all these parsers read a plain number in the same way */
	static const struct {
		int (*parse)(const char *s, __u64 min, __u64 max, __u64 *out, struct errmsg *e);
		__u64 unit;
	} parsers[] = {
		{ parse_u64, 1 }, { parse_count, 1 }, { parse_size, 1 },
		{ parse_seconds, NSEC_PER_SEC }, { parse_duration, 0 },
	};
	bool is_plain = *text && strspn(text, "0123456789") == strlen(text);
	struct errmsg e;
	size_t i, range;
	__u64 value;
	int err;

	for (i = 0; i < ARRAY_SIZE(parsers); i++) {
		for (range = 0; range < ARRAY_SIZE(ranges); range++) {
			value = UNTOUCHED;
			e = (struct errmsg) {};
			err = parsers[i].parse(text, ranges[range].min, ranges[range].max, &value,
					       &e);
			check_range(err, value, ranges[range].min, ranges[range].max, &e, text);
			must(err || !is_plain ||
			     value == strtoull(text, NULL, 10) * parsers[i].unit,
			     "another number", text);
			must(err || is_plain || parsers[i].parse != parse_u64, "no number", text);
			must(err || !is_plain || parsers[i].unit, "a number without its unit",
			     text);
		}
	}
	fuzz_s32(text);
}

static void fuzz_rate(const char *text)
{
	__u64 value = UNTOUCHED;
	struct errmsg e = {};
	int err = parse_rate(text, 1, NSEC_PER_SEC, &value, &e);

	check_range(err, value, 1, NSEC_PER_SEC, &e, text);
}

static void fuzz_name(const char *text)
{
	struct errmsg e = {};
	int err = parse_pool_name(text, &e);

	if (err)
		check_message(&e, text);
	must(!err == !kernel_name(text), "wpoolctl and the kernel differ on a name", text);
}

/* LOW in "LOW-HIGH" has the same value as LOW alone. */
static void check_range_of_work(const struct work *work, const char *text)
{
	const char *dash = strchr(work->text, '-');
	struct errmsg e = {};
	struct work low;
	char *copy;
	int err;

	must(dash, "a range without its '-'", text);
	copy = strndup(work->text, dash - work->text);
	err = work_parse(copy, &low, &e);
	must(!err && low.kind == work->kind && low.amount.shape == AMOUNT_FIXED &&
	     low.amount.low == work->amount.low, "a range begins elsewhere", text);
	free(low.text);
	free(copy);
}

static void check_amount(const struct work *work, __u64 limit, const char *text)
{
	const struct amount *amount = &work->amount;
	struct random random;
	int i;

	must(amount->high <= limit, "beyond a limit", text);
	must(amount->low <= amount->high, "a range that is empty", text);
	switch (amount->shape) {
	case AMOUNT_FIXED:
		return;
	case AMOUNT_UNIFORM:
		check_range_of_work(work, text);
		break;
	case AMOUNT_EXP:
		must(amount->high == limit, "another limit", text);
		break;
	case AMOUNT_PARETO:
		must(amount->high == limit && amount->low >= 1 && amount->low <= limit / 2,
		     "a distribution without end", text);
		break;
	default:
		must(false, "shape", text);
	}
	random_init(&random, 1, 0);
	for (i = 0; i < 4; i++)
		must(amount_draw(amount, &random) <= limit, "drawn beyond a limit", text);
}

static void check_tree(const struct work *work, const char *text)
{
	__u64 nodes = 1, level = 1;
	__u32 i;

	must(work->depth <= WPOOL_MAX_TREE_DEPTH && work->fanout >= 1 &&
	     work->fanout <= WPOOL_MAX_TREE_FANOUT, "tree", text);
	for (i = 0; i < work->depth && nodes <= WPOOL_MAX_TREE_NODES; i++) {
		level *= work->fanout;
		nodes += level;
	}
	must(nodes <= WPOOL_MAX_TREE_NODES, "too many nodes", text);
}

/* A workload that wpoolctl accepts must pass wpool_workload_check() of the kernel. */
static void fuzz_work(const char *text)
{
	static const struct {
		__u64 limit;
		bool is_fixed;
	} kinds[] = {
		[WPOOL_WORK_NOOP] = { 0, true },
		[WPOOL_WORK_SPIN] = { WPOOL_MAX_WORK_NS },
		[WPOOL_WORK_SLEEP] = { WPOOL_MAX_WORK_NS },
		[WPOOL_WORK_YIELD] = { WPOOL_MAX_WORK_YIELDS },
		[WPOOL_WORK_TOUCH] = { WPOOL_MAX_WORK_BYTES },
		[WPOOL_WORK_HASH] = { WPOOL_MAX_WORK_BYTES },
		[WPOOL_WORK_LOCK] = { WPOOL_MAX_WORK_NS },
		[WPOOL_WORK_TREE] = { WPOOL_MAX_WORK_NS, true },
		[WPOOL_WORK_FAULT] = { 0, true },
		[WPOOL_WORK_TIMER] = { WPOOL_MAX_WORK_NS },
		[WPOOL_WORK_STRAND] = { WPOOL_MAX_WORK_NS },
		[WPOOL_WORK_POLL] = { INT_MAX, true },
		[WPOOL_WORK_LOOP] = { WPOOL_MAX_WORK_NS },
		[WPOOL_WORK_COUNT] = { 0, true },
	};
	struct errmsg e = {};
	struct work work;

	if (work_parse(text, &work, &e)) {
		check_message(&e, text);
		return;
	}
	must(work.kind < ARRAY_SIZE(kinds), "kind", text);
	must(!kinds[work.kind].is_fixed || work.amount.shape == AMOUNT_FIXED, "drawn", text);
	check_amount(&work, kinds[work.kind].limit, text);
	must(!strcmp(work.text, text), "another text", text);
	if (work.kind == WPOOL_WORK_TREE)
		check_tree(&work, text);
	else
		must(!work.depth && !work.fanout, "a tree", text);
	free(work.text);
}

static void fuzz_cpulist(const char *text)
{
	static const struct cpulist none;
	struct cpulist cpus = {};
	struct errmsg e = {};

	if (cpulist_parse(text, &cpus, &e)) {
		check_message(&e, text);
		return;
	}
	must(memcmp(&cpus, &none, sizeof(cpus)), "no CPU", text);
}

enum attr_type { NUMBER, LIMIT, INT, BOOL, WORD, CLASS };

static const struct attr {
	const char *name;
	enum attr_use use;
	__u32 bit;
	enum attr_type type;
	__s32 min;
	__s32 max;
	size_t offset;
} attrs[] = {
#define WPOOL_ATTR(_name, _use, _NAME, _type, _min, _max, ...)			\
	{ #_name, ATTR_##_use, WPOOL_DEV_##_NAME, _type, _min, _max,		\
	  offsetof(struct wpool_dev_attrs, _name) },
#include "../../../module/pool/attr_table.h"
};

static long long attr_value(const struct wpool_dev_attrs *values, const struct attr *attr)
{
	const void *field = (const char *)values + attr->offset;

	if (attr->type == INT)
		return *(const __s32 *)field;
	return *(const __u32 *)field;
}

/* Check that the given attributes are in their ranges. */
static void check_attrs(const struct attr_set *set, enum attr_use use, const char *text)
{
	__u32 known = WPOOL_DEV_CPUMASK;
	const struct attr *attr;
	long long value;

	for (attr = attrs; attr < attrs + ARRAY_SIZE(attrs); attr++) {
		known |= attr->bit;
		if (!(set->attrs.mask & attr->bit))
			continue;
		value = attr_value(&set->attrs, attr);
		must((value >= attr->min && value <= attr->max) ||
		     (attr->type == LIMIT && value == WPOOL_DEV_UNLIMITED), attr->name, text);
		must(use == ATTR_CREATE || attr->use == ATTR_TUNE, "cannot be tuned", text);
	}
	must(!attr_set_is_empty(set) && !(set->attrs.mask & ~known), "unknown bit", text);
	must(!*set->cgroup || *set->cgroup == '/', "cgroup", text);
	if (set->attrs.mask & WPOOL_DEV_CPUMASK)
		must(set->attrs.cpumask == (unsigned long)set->cpus.bits &&
		     set->attrs.cpumask_bytes == sizeof(set->cpus.bits), "cpumask", text);
}

/* One assignment sets the attribute that it names. */
static void check_name(__u32 mask, const char *text)
{
	size_t len = strcspn(text, "="), i;
	__u32 bit = 0;

	for (i = 0; i < ARRAY_SIZE(attrs); i++)
		if (strlen(attrs[i].name) == len && !memcmp(attrs[i].name, text, len))
			bit = attrs[i].bit;
	if (len == strlen("cpumask") && !memcmp("cpumask", text, len))
		bit = WPOOL_DEV_CPUMASK;
	must(mask == bit, "another attribute", text);
}

/* wpoolctl refuses a combination of attributes exactly if the kernel would refuse it. */
static void check_together(const struct attr_set *set, const char *text)
{
	const __u32 both = WPOOL_DEV_CAPACITY | WPOOL_DEV_CAPACITY_PER_CPU;
	struct kernel_value values[ARRAY_SIZE(attrs)];
	struct errmsg e = {};
	bool creates;
	size_t nr = 0, i;
	int err;

	for (i = 0; i < ARRAY_SIZE(attrs); i++)
		if (set->attrs.mask & attrs[i].bit)
			values[nr++] = (struct kernel_value) {
				attrs[i].name, attr_value(&set->attrs, &attrs[i]),
			};
	/* /dev/wpool refuses capacity with capacity_per_cpu; a pool would ignore one of them */
	creates = ((set->attrs.mask & both) != both || !set->attrs.capacity_per_cpu) &&
		  kernel_creates(values, nr);
	err = attr_set_check(set, NULL, &e);
	if (err)
		check_message(&e, text);
	must(!err == creates, "wpoolctl and the kernel differ on what goes together", text);
}

static void fuzz_attrs(const char *text)
{
	static struct attr_set set;
	struct errmsg e;
	int use, list;

	for (use = ATTR_CREATE; use <= ATTR_TUNE; use++) {
		for (list = 0; list < 2; list++) {
			set = (struct attr_set){ };
			e = (struct errmsg) {};
			if (list ? attr_set_add_list(&set, use, text, &e) :
				   attr_set_add(&set, use, text, &e)) {
				check_message(&e, text);
				continue;
			}
			check_attrs(&set, use, text);
			if (!list)
				check_name(set.attrs.mask, text);
			if (use == ATTR_CREATE)
				check_together(&set, text);
		}
	}
}

static int keep_text(void *arg, unsigned int line, const char *section, const char *key,
		     const char *value, struct errmsg *e)
{
	static const char blanks[] = " \t\r\n";
	const char *const parts[] = { section, key, value };
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i])
			continue;
		len = strlen(parts[i]);
		must(len || i == 2, "nothing for a name", arg);
		must(!len || (!strchr(blanks, parts[i][0]) && !strchr(blanks, parts[i][len - 1])),
		     "blanks at an end", arg);
		must(!strchr(parts[i], '\n'), "two lines", arg);
	}
	must(key || !value, "a value of nothing", arg);
	return 0;
}

static void check_complaint(void *text, const struct errmsg *e)
{
	check_message(e, text);
}

static void fuzz_ini(char *text, size_t size)
{
	FILE *file = fmemopen(text, size, "r");

	if (!file)
		return;
	if (!ini_parse(file, "file", keep_text, check_complaint, text))
		must(strlen(text) == size, "a NUL was taken", text);
	fclose(file);
}

/* Parses "NAME=TEXT" with wpoolctl's parser. True if it accepts the text. */
static bool user_takes(const struct attr *attr, const char *text, long long *value)
{
	static struct attr_set set;
	char assignment[600];
	struct errmsg e;

	snprintf(assignment, sizeof(assignment), "%s=%s", attr->name, text);
	set = (struct attr_set){ };
	if (attr_set_add(&set, ATTR_CREATE, assignment, &e))
		return false;
	*value = attr_value(&set.attrs, attr);
	return true;
}

static void check_errno(int err, const char *text, size_t size)
{
	must(!err || err == -EINVAL || err == -ERANGE, "another errno", text);
	must(!size || strlen(text) == size || err == -EINVAL, "a NUL was taken", text);
	must(size || err == -EINVAL, "nothing was taken for something", text);
}

/* Parses the text as the value of each attribute. */
static void fuzz_kernel(const char *text, size_t size)
{
	/* sysfs accepts fewer than 32 characters and no NUL */
	bool same = strlen(text) == size && size < 32;
	/* sysfs accepts a newline, wpoolctl does not */
	bool more = strchr(text, '\n');
	const struct attr *attr;
	struct kernel_value kernel;
	long long user;
	bool allowed;
	int err;

	for (attr = attrs; attr < attrs + ARRAY_SIZE(attrs); attr++) {
		kernel = (struct kernel_value) { attr->name };
		err = kernel_attr(text, size, &kernel);
		check_errno(err, text, size);
		must(err || size < 32, "too long", text);
		allowed = !err && kernel_allows(&kernel);
		must(!allowed || (kernel.value >= attr->min && kernel.value <= attr->max) ||
		     (attr->type == LIMIT && kernel.value == WPOOL_DEV_UNLIMITED &&
		      !strchr("0123456789+", text[0])), attr->name, text);
		/* sysfs does not accept this policy, but wpoolctl can create a pool with it */
		if (attr->bit == WPOOL_DEV_POLICY && !strcmp(text, "run"))
			must(err == -EINVAL, "the policy run", text);
		else if (same && user_takes(attr, text, &user))
			must(allowed && user == kernel.value, "wpoolctl and sysfs differ", text);
		else if (same)
			must(!allowed || more, "wpoolctl refuses what sysfs takes", text);
	}
	check_errno(kernel_cpumask(text, size), text, size);
}

/* Output for people is near the exact value, and short. */
static void fuzz_format(const char *data, size_t size)
{
	__u64 ns, back = 0;
	struct errmsg e;
	char buf[32];
	size_t len;

	if (size < sizeof(ns))
		return;
	memcpy(&ns, data, sizeof(ns));
	len = strlen(format_duration(ns, buf, sizeof(buf)));
	must(len < sizeof(buf) - 1 && !parse_duration(buf, 0, ns, &back, &e) &&
	     ns - back <= ns / 1000, "another duration", buf);
	len = strlen(format_short(ns, buf, sizeof(buf)));
	if (ns < 1000 * NSEC_PER_SEC)
		must(len <= 6 && !parse_duration(buf, 0, UINT64_MAX, &back, &e) &&
		     (ns > back ? ns - back : back - ns) <= ns / 100, "another estimate", buf);
	else
		must(len < sizeof(buf) - 1 && strspn(buf, "0123456789") == len - 1,
		     "an estimate that is not in seconds", buf);
	attr_format_limit(ns, buf, 1 + ns % sizeof(buf));
	must(strlen(buf) <= ns % sizeof(buf), "a limit that is too long", buf);
}

/* parsers.mk defines the name by which libFuzzer calls this function. */
int FUZZ_ONE(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	/* sysfs appends a NUL to the written text; arguments of a program end with one */
	text = malloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = 0;

	switch (data[0]) {
	case '1':
		fuzz_numbers(text);
		break;
	case 'r':
		fuzz_rate(text);
		break;
	case 'n':
		fuzz_name(text);
		break;
	case 'w':
		fuzz_work(text);
		break;
	case 'c':
		fuzz_cpulist(text);
		break;
	case 'a':
		fuzz_attrs(text);
		break;
	case 'i':
		fuzz_ini(text, size - 1);
		break;
	case 'k':
		fuzz_kernel(text, size - 1);
		break;
	case 'f':
		fuzz_format(text, size - 1);
	}
	free(text);
	return 0;
}
