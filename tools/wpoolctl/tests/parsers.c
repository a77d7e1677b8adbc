// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of parsers, which need neither a kernel nor a process of their own. Prints one line of TAP
 * for each table; tests/check numbers them.
 */
#include "../amount.h"
#include "../attrs.h"
#include "../cpulist.h"
#include "../hist.h"
#include "../parse.h"
#include "../random.h"
#include "../work.h"
#include "tap.h"

#define BAD (~0ULL)		/* expected to be refused */

static struct errmsg e;

struct value_case {
	const char *text;
	__u64 value;
};

/* A parser that refuses a text must say why on one line, and leave the result unchanged. */
static void check_values(const struct value_case *cases, size_t nr,
			 int (*parse)(const char *, __u64, __u64, __u64 *, struct errmsg *),
			 __u64 min, __u64 max, const char *what)
{
	const struct value_case *c;
	__u64 got;
	int err;

	for (c = cases; c < cases + nr; c++) {
		got = 12345;
		err = parse(c->text, min, max, &got, &e);
		if (c->value == BAD) {
			EXPECT(err && got == 12345, "'%s' was taken for %llu", c->text, got);
			EXPECT(*e.text && !strpbrk(e.text, "\n\033"), "message '%s'", e.text);
		} else {
			EXPECT(!err && got == c->value, "'%s': %d, %llu, not %llu: %s", c->text,
			       err, got, c->value, err ? e.text : "");
		}
	}
	test_ends(what);
}

static int parse_nice(const char *s, __u64 min __maybe_unused, __u64 max __maybe_unused,
		      __u64 *out, struct errmsg *why)
{
	__s32 value;
	int err = parse_s32(s, -20, 19, &value, why);

	if (!err)
		*out = value;
	return err;
}

static void test_values(void)
{
	static const struct value_case numbers[] = {
		{ "1", 1 }, { "007", 7 }, { "4096", 4096 },
		{ "0", BAD }, { "4097", BAD }, { "", BAD }, { " 1", BAD },
		{ "1 ", BAD }, { "-1", BAD }, { "+1", BAD }, { "1x", BAD }, { "1-2", BAD },
		{ "0x10", BAD }, { "1e3", BAD }, { "1.0", BAD }, { "1\n", BAD },
		{ "18446744073709551616", BAD }, { "18446744073709551617", BAD },
		/* 2^64 + 4, which is 4 in 64 bits */
		{ "18446744073709551620", BAD },
		{ "99999999999999999999999999999999999", BAD }, { "\033[31m", BAD },
	};
	static const struct value_case counts[] = {
		{ "10k", 10000 }, { "1.5M", 1500000 }, { "2G", 2000000000 }, { "1", 1 },
		{ "0", BAD }, { "2000000001", BAD }, { "1.0001k", BAD }, { "1e3", BAD },
		{ "k", BAD }, { "", BAD }, { "18446744073709551616k", BAD },
	};
	static const struct value_case nices[] = {
		{ "-20", -20 }, { "19", 19 }, { "-0", 0 }, { "-21", BAD }, { "20", BAD },
		{ "--1", BAD }, { "-", BAD },
		/* these wrap to -1 */
		{ "4294967295", BAD }, { "18446744073709551615", BAD },
	};
	static const struct value_case durations[] = {
		{ "0ns", 0 }, { "1ns", 1 }, { "1us", 1000 }, { "10ms", 10000000 },
		{ "60s", 60000000000 }, { "1.5ms", 1500000 }, { "0.25us", 250 },
		{ "1.50s", 1500000000 }, { "0.000000001s", 1 },
		{ "1.000000000000s", 1000000000 },
		{ "60.000000001s", BAD }, { "61s", BAD }, { "1", BAD }, { "", BAD },
		{ "ms", BAD }, { "1 ms", BAD }, { "1M", BAD }, { "1MS", BAD },
		{ "1mss", BAD }, { ".5s", BAD }, { "1.s", BAD }, { "1..5s", BAD },
		{ "-1s", BAD }, { "0.0001us", BAD }, { "0.5ns", BAD },
		{ "18446744073709551615s", BAD }, { "99999999999999999999ns", BAD },
		{ "1.0000000001s", BAD },
	};
	static const struct value_case seconds[] = {
		{ "2", 2 * NSEC_PER_SEC }, { "0.5", 500000000 }, { "20ms", 20000000 },
		{ "2m", 120 * NSEC_PER_SEC }, { "0.0000000005h", 1800 },
		{ "1.5h", 5400 * NSEC_PER_SEC }, { "1d", BAD }, { "0", BAD }, { "", BAD },
	};
	static const struct value_case sizes[] = {
		{ "0", 0 }, { "1", 1 }, { "64K", 65536 }, { "64M", 67108864 },
		{ "1.5K", 1536 }, { "0.5M", 524288 }, { "67108864", 67108864 },
		{ "67108865", BAD }, { "65M", BAD }, { "1G", BAD }, { "1k", BAD },
		{ "K", BAD }, { "1KB", BAD }, { "", BAD }, { "-1", BAD },
		{ "0.0001K", BAD }, { "1.5", BAD }, { "17592186044416M", BAD },
	};
	static const struct value_case rates[] = {
		{ "500", 500 }, { "500/s", 500 }, { "10k/s", 10000 }, { "1.5M", 1500000 },
		{ "2G", BAD }, { "1k/s/s", BAD }, { "000000000000000000000000000000001/s", BAD },
		{ "0", BAD }, { "5/m", BAD }, { "5/", BAD }, { "/s", BAD }, { "1000000001", BAD },
	};
	__u64 value;

	EXPECT(!parse_u64("18446744073709551615", 0, ~0ULL, &value, &e) && value == ~0ULL,
	       "the largest number");
	check_values(numbers, ARRAY_SIZE(numbers), parse_u64, 1, 4096,
		     "numbers are strict and in range");
	check_values(counts, ARRAY_SIZE(counts), parse_count, 1, 2000000000,
		     "counts may be in thousands and millions");
	check_values(nices, ARRAY_SIZE(nices), parse_nice, 0, 0,
		     "signed numbers are strict and in range");
	check_values(durations, ARRAY_SIZE(durations), parse_duration, 0, 60 * NSEC_PER_SEC,
		     "durations need a unit and are whole nanoseconds");
	check_values(seconds, ARRAY_SIZE(seconds), parse_seconds, 1, ~0ULL,
		     "seconds may be without a unit");
	check_values(sizes, ARRAY_SIZE(sizes), parse_size, 0, 64 << 20, "sizes are bytes, K or M");
	check_values(rates, ARRAY_SIZE(rates), parse_rate, 1, NSEC_PER_SEC, "rates are per second");
}

struct format_case {
	__u64 ns;
	const char *text;
};

static void check_format(const struct format_case *cases, size_t nr,
			 const char *(*format)(__u64, char *, size_t))
{
	char buf[32];

	for (; nr--; cases++)
		EXPECT(!strcmp(format(cases->ns, buf, sizeof(buf)), cases->text),
		       "%llu: %s, not %s", cases->ns, buf, cases->text);
}

static void test_formats(void)
{
	static const struct format_case four_digits[] = {
		{ 0, "0ns" }, { 999, "999ns" }, { 1000, "1us" }, { 1234, "1.234us" },
		{ 12345, "12.34us" }, { 123456, "123.4us" }, { 1000000, "1ms" },
		{ 999999999, "999.9ms" }, { 10213000000, "10.21s" },
		{ 3600000000000, "3600s" }, { ~0ULL, "18446744073.7s" },
	};
	static const struct format_case three_digits[] = {
		{ 0, "0ns" }, { 999, "999ns" }, { 1000, "1.00us" }, { 1234, "1.23us" },
		{ 9994, "9.99us" }, { 9996, "10.0us" }, { 99940, "99.9us" },
		{ 99960, "100us" }, { 999499, "999us" }, { 999500, "1.00ms" },
		{ 1500000, "1.50ms" }, { 999499999, "999ms" }, { 999500000, "1.00s" },
		{ 12345678901, "12.3s" }, { 999400000000, "999s" },
		{ 5000000000000, "5000s" }, { ~0ULL, "18446744074s" },
	};

	check_format(four_digits, ARRAY_SIZE(four_digits), format_duration);
	test_ends("durations are printed with four digits");
	check_format(three_digits, ARRAY_SIZE(three_digits), format_short);
	test_ends("estimates are printed with three digits");
}

static int last_cpu(const struct cpulist *cpus)
{
	int cpu = CPULIST_CPUS - 1;

	while (cpu >= 0 && !(cpus->bits[cpu / 64] >> (cpu % 64) & 1))
		cpu--;
	return cpu;
}

static void test_cpulists(void)
{
	static const struct { const char *text; int last; __u64 word0; } good[] = {
		{ "0", 0, 1 }, { "0-3,5", 5, 0x2f }, { "5,0-3", 5, 0x2f },
		{ "1-1", 1, 2 }, { "0-63", 63, ~0ULL }, { "64", 64, 0 },
		{ "0,0", 0, 1 }, { "8191", 8191, 0 },
	};
	static const char *const bad[] = {
		"", ",", "0,", ",0", "3-1", "0-", "-1", "0-3-5", "a", "0x3",
		"8192", "0-8192", "99999999999999999999", "1 ,2", "0-3:2/4",
		"all,0", "ALL", "n", "NN", "N-",
	};
	static const char *const of_all[] = { "all", "0-N", "N", "0,N" };
	struct cpulist cpus;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		EXPECT(!cpulist_parse(good[i].text, &cpus, &e) &&
		       last_cpu(&cpus) == good[i].last && cpus.bits[0] == good[i].word0,
		       "'%s': last %d, word %llx", good[i].text, last_cpu(&cpus), cpus.bits[0]);
	memset(&cpus, 0x55, sizeof(cpus));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT(cpulist_parse(bad[i], &cpus, &e), "'%s'", bad[i]);
	EXPECT(cpus.bits[0] == 0x5555555555555555, "a bad list changed the result");
	for (i = 0; i < ARRAY_SIZE(of_all); i++)
		EXPECT(!cpulist_parse(of_all[i], &cpus, &e) &&
		       last_cpu(&cpus) == sysconf(_SC_NPROCESSORS_CONF) - 1 &&
		       (cpus.bits[0] & 1) == (*of_all[i] != 'N' || !last_cpu(&cpus)),
		       "'%s': last %d, word %llx", of_all[i], last_cpu(&cpus), cpus.bits[0]);
	test_ends("lists of CPUs");
}

static void test_works(void)
{
	static const struct {
		const char *text;
		struct work work;
	} good[] = {
		{ "noop", { .kind = WPOOL_WORK_NOOP } },
		{ "spin:1us", { .kind = WPOOL_WORK_SPIN, .amount.low = 1000 } },
		{ "sleep:1.5ms", { .kind = WPOOL_WORK_SLEEP, .amount.low = 1500000 } },
		{ "yield:3", { .kind = WPOOL_WORK_YIELD, .amount.low = 3 } },
		{ "touch:4K", { .kind = WPOOL_WORK_TOUCH, .amount.low = 4096 } },
		{ "hash:64M", { .kind = WPOOL_WORK_HASH, .amount.low = 64 << 20 } },
		{ "lock:0ns", { .kind = WPOOL_WORK_LOCK } },
		{ "tree:4x2", { .kind = WPOOL_WORK_TREE, .depth = 4, .fanout = 2 } },
		{ "tree:20x1:10us", { .kind = WPOOL_WORK_TREE, .amount.low = 10000,
				      .depth = 20, .fanout = 1 } },
		{ "tree:19x2", { .kind = WPOOL_WORK_TREE, .depth = 19, .fanout = 2 } },
		{ "fault", { .kind = WPOOL_WORK_FAULT } },
		{ "timer:10ms", { .kind = WPOOL_WORK_TIMER, .amount.low = 10000000 } },
		{ "loop:2ms", { .kind = WPOOL_WORK_LOOP, .amount.low = 2000000 } },
		{ "count", { .kind = WPOOL_WORK_COUNT } },
		{ "poll:3", { .kind = WPOOL_WORK_POLL, .amount.low = 3 } },
		{ "strand:1ms", { .kind = WPOOL_WORK_STRAND, .amount.low = 1000000 } },
	};
	static const char *const bad[] = {
		"", "nap", "noop:1", "noop:", "noop@2",
		"sleep", "sleep:", "sleep:10", "sleep:61s", "yield:1000001", "yield:1ms",
		"touch:65M", "hash", "tree:4", "tree:x", "tree:4x", "tree:x2",
		"tree:21x1", "tree:1x17", "tree:1x0", "tree:20x2", "tree:20x16",
		"tree:4x2:", "tree:4x2:5", "tree:4x2x2", "tree:-1x2", "fault:1",
		"NOOP", "sleep:1ms:1ms",
	};
	struct work work;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		const struct work *want = &good[i].work;

		if (work_parse(good[i].text, &work, &e)) {
			EXPECT(false, "'%s': %s", good[i].text, e.text);
			continue;
		}
		EXPECT(work.kind == want->kind && work.amount.low == want->amount.low &&
		       work.depth == want->depth && work.fanout == want->fanout &&
		       !strcmp(work.text, good[i].text), "'%s'", good[i].text);
		free(work.text);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT(work_parse(bad[i], &work, &e), "'%s'", bad[i]);
	test_ends("workloads");
}

static void test_amounts(void)
{
	static const struct { const char *text; struct amount amount; } good[] = {
		{ "1ms", { AMOUNT_FIXED, 1000000, NSEC_PER_SEC } },
		{ "1us-2ms", { AMOUNT_UNIFORM, 1000, 2000000 } },
		{ "5ns-5ns", { AMOUNT_UNIFORM, 5, 5 } },
		/* any number of leading zeros */
		{ "00000000000000000000000000000000000000000000000000000000000000005us-9us",
		  { AMOUNT_UNIFORM, 5000, 9000 } },
		{ "exp=1ms", { AMOUNT_EXP, 1000000, NSEC_PER_SEC } },
		{ "pareto=1ms", { AMOUNT_PARETO, 1000000, NSEC_PER_SEC } },
	};
	static const char *const bad[] = {
		"", "-", "1ms-", "-1ms", "2ms-1ms", "1-2ms", "1ms-2s", "exp=", "exp=2s", "exp",
		"pareto=0ns", "pareto=1s", "normal=1ms", "exp=1ms-2ms", "1ms-2ms-3ms",
	};
	struct random random, again;
	struct amount amount;
	__u64 drawn;
	double sum;
	size_t i;
	int n;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT(amount_parse(bad[i], parse_duration, NSEC_PER_SEC, &amount, &e) &&
		       *e.text, "'%s'", bad[i]);
	for (i = 0; i < ARRAY_SIZE(good); i++)
		EXPECT(!amount_parse(good[i].text, parse_duration, NSEC_PER_SEC, &amount, &e) &&
		       !memcmp(&amount, &good[i].amount, sizeof(amount)), "'%s'", good[i].text);
	EXPECT(!amount_parse("0000000000000000000000000000000000000000000000000000000000000015-20",
			     parse_count, 20, &amount, &e) && amount.low == 15,
	       "a range from %llu instead of 15", amount.low);
	test_ends("amounts of work");

	random_init(&random, 1, 0);
	again = random;
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		amount = good[i].amount;
		for (n = 0, sum = 0; n < 100000; n++) {
			drawn = amount_draw(&amount, &random);
			sum += drawn;
			EXPECT(drawn <= amount.high, "%s: %llu is too much", good[i].text, drawn);
			EXPECT(amount.shape == AMOUNT_EXP || drawn >= amount.low,
			       "%s: %llu is too little", good[i].text, drawn);
		}
		sum /= n * (amount.shape == AMOUNT_UNIFORM ?
			    (amount.low + amount.high) / 2.0 : amount.low);
		/* the seed is always the same, so the amounts are, too */
		EXPECT(amount.shape == AMOUNT_PARETO ? sum > 2.5 && sum < 3.5 :
		       sum > 0.99 && sum < 1.01, "%s: mean %f", good[i].text, sum);
	}
	for (i = 0; i < 3; i++) {
		amount_draw(&good[1].amount, &again);
		random = again;
		EXPECT(amount_draw(&good[3].amount, &random) ==
		       amount_draw(&good[3].amount, &again), "not the same again");
	}
	test_ends("amounts are drawn from their distributions, by the seed");
}

static bool add(struct attr_set *set, enum attr_use use, const char *text)
{
	return !attr_set_add(set, use, text, &e);
}

static void test_attrs(void)
{
	static const char *const good[] = {
		"capacity=max", "queue_depth=unlimited", "max_blocking=0",
		"policy=run", "expiry_ms=86400000", "min_workers=0",
		"concurrency=1024", "spin_us=0", "hog_ms=1", "handoff=0", "max_wait_ms=86400000",
		"latency=1", "nice=-20", "cpumask=0-1", "order=fifo", "prealloc=0",
		"freezable=1", "capacity_per_cpu=1048576", "sched=fifo:99",
	};
	static char path[PATH_MAX + 10];
	struct attr_set set;
	size_t i;

	set = (struct attr_set){ };
	for (i = 0; i < ARRAY_SIZE(good); i++)
		EXPECT(add(&set, ATTR_CREATE, good[i]), "%s: %s", good[i], e.text);
	EXPECT(set.attrs.mask == 0xdffff, "mask %x", set.attrs.mask);
	EXPECT(set.attrs.capacity == WPOOL_DEV_UNLIMITED && set.attrs.nice == -20 &&
	       set.attrs.policy == WPOOL_DEV_POLICY_RUN &&
	       set.attrs.order == WPOOL_DEV_ORDER_FIFO && set.attrs.hog_ms == 1 &&
	       set.attrs.cpumask_bytes == 1024 && set.cpus.bits[0] == 3, "values");
	EXPECT(!add(&set, ATTR_CREATE, "capacity=4"), "given twice");
	set = (struct attr_set){ };
	EXPECT(!add(&set, ATTR_TUNE, "sched=fifo:100") && strstr(e.text, "fifo:100") &&
	       strstr(e.text, "1 to 99"), "%s", e.text);
	EXPECT(!add(&set, ATTR_TUNE, "sched=rr:1") && strstr(e.text, "fifo_low") &&
	       strstr(e.text, "fifo:1 to 99"), "%s", e.text);
	EXPECT(!add(&set, ATTR_TUNE, "order=fifo"), "order is for creation");
	EXPECT(!add(&set, ATTR_TUNE, "prealloc=1"), "prealloc is for creation");
	test_ends("attributes are strict and in range");

	set = (struct attr_set){ };
	EXPECT(attr_set_is_empty(&set) && !add(&set, ATTR_CREATE, "cgroup=batch") &&
	       !add(&set, ATTR_CREATE, "cgroup=") && attr_set_is_empty(&set), "relative");
	EXPECT(add(&set, ATTR_TUNE, "cgroup=/a,b=c d") && !strcmp(set.cgroup, "/a,b=c d") &&
	       !set.attrs.mask && !attr_set_is_empty(&set), "a path: %s", e.text);
	EXPECT(!add(&set, ATTR_TUNE, "cgroup=/b") && strstr(e.text, "given twice"), "%s", e.text);
	set = (struct attr_set){ };
	snprintf(path, sizeof(path), "cgroup=/%0*d", PATH_MAX - 2, 0);
	EXPECT(add(&set, ATTR_CREATE, path) && strlen(set.cgroup) == PATH_MAX - 1, "the longest");
	set = (struct attr_set){ };
	snprintf(path, sizeof(path), "cgroup=/%0*d", PATH_MAX - 1, 0);
	EXPECT(!add(&set, ATTR_CREATE, path), "longer");
	set = (struct attr_set){ };
	EXPECT(add(&set, ATTR_TUNE, "cgroup=none") && !strcmp(set.cgroup, ATTR_CGROUPS), "none");
	test_ends("cgroup is a path, or none");

	set = (struct attr_set){ };
	EXPECT(!attr_set_add_list(&set, ATTR_CREATE, "cpumask=0-1,3,5-6,capacity=4,nice=1",
				  &e), "%s", e.text);
	EXPECT(set.cpus.bits[0] == 0x6b && set.attrs.capacity == 4 &&
	       set.attrs.nice == 1, "a list in a list");
	set = (struct attr_set){ };
	EXPECT(!attr_set_add_list(&set, ATTR_CREATE, "capacity=4,cpumask=0,1", &e) &&
	       set.cpus.bits[0] == 3, "a list at the end");
	set = (struct attr_set){ };
	EXPECT(attr_set_add_list(&set, ATTR_CREATE, "capacity=4,", &e), "ends in a comma");
	set = (struct attr_set){ };
	EXPECT(attr_set_add_list(&set, ATTR_CREATE, ",capacity=4", &e), "begins with one");
	EXPECT(attr_set_add_list(&set, ATTR_CREATE, "", &e), "empty");
	test_ends("lists of attributes");
}

static void test_attr_pairs(void)
{
	struct wpool_dev_attrs now = { .capacity = 8, .min_workers = 4 };
	struct attr_set set;

	set = (struct attr_set){ };
	add(&set, ATTR_CREATE, "min_workers=257");
	EXPECT(attr_set_check(&set, NULL, &e), "more than the default capacity");
	add(&set, ATTR_CREATE, "capacity=max");
	EXPECT(!attr_set_check(&set, NULL, &e), "unlimited: %s", e.text);
	add(&set, ATTR_CREATE, "prealloc=1");
	EXPECT(attr_set_check(&set, NULL, &e), "all of unlimited workers");

	set = (struct attr_set){ };
	add(&set, ATTR_TUNE, "capacity=3");
	EXPECT(attr_set_check(&set, &now, &e), "capacity below min_workers");
	add(&set, ATTR_TUNE, "min_workers=3");
	EXPECT(!attr_set_check(&set, &now, &e), "both: %s", e.text);
	now.prealloc = 1;
	EXPECT(attr_set_check(&set, &now, &e), "preallocated");
	now.capacity = 3;
	EXPECT(attr_set_check(&set, &now, &e), "preallocated, the same number");

	now.prealloc = 0;
	now.capacity = 8;
	set = (struct attr_set){ };
	add(&set, ATTR_TUNE, "policy=run");
	EXPECT(attr_set_check(&set, &now, &e), "to run");
	now.policy = WPOOL_DEV_POLICY_RUN;
	EXPECT(!attr_set_check(&set, &now, &e), "run to run: %s", e.text);
	set = (struct attr_set){ };
	add(&set, ATTR_TUNE, "policy=fail");
	EXPECT(attr_set_check(&set, &now, &e), "from run");
	test_ends("attributes that do not go together");
}

/* ---- histograms ---- */

static int parse_histogram(struct hists *hists, const char *text)
{
	char copy[1024];

	snprintf(copy, sizeof(copy), "%s", text);
	return hists_parse(hists, copy, &e);
}

static void test_histograms(void)
{
	static const char *const bad[] = {
		"0 1\n", "0 1 2 3\n", "0 1 2\nx 1 2\n", "16 1 2\n", "0 1 2\n0 1 2\n",
		"0 1 2\n32 1 2\n16 1 2\n", "0 1 2\n16 1",
	};
	static struct hists before, now, between;
	size_t i;

	EXPECT(!parse_histogram(&now, "") && !now.nr_buckets, "an empty file");
	EXPECT(!hist_percentile(&now, HIST_WAIT, 500000), "a percentile of nothing");
	EXPECT(!parse_histogram(&before,
				"from_ns waited ran\nsum_ns 1000 40\nmax_ns 100 20\n"
				"0 90 1\n16 9 1\n32 1 0\n"), "%s", e.text);
	EXPECT(before.nr_buckets == 3 && before.from_ns[2] == 32, "buckets");
	EXPECT(before.hist[HIST_WAIT].nr == 100 && before.hist[HIST_RUN].nr == 2, "sums");
	EXPECT(before.hist[HIST_WAIT].sum_ns == 1000 && before.hist[HIST_RUN].max_ns == 20,
	       "sum and max");
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT(parse_histogram(&now, bad[i]) && *e.text, "taken: %s", bad[i]);
	test_ends("histograms are read strictly");

	/* a percentile is the end of its bucket; in the last bucket the longest time */
	EXPECT(hist_percentile(&before, HIST_WAIT, 0) == 16, "p0");
	EXPECT(hist_percentile(&before, HIST_WAIT, 500000) == 16, "p50");
	EXPECT(hist_percentile(&before, HIST_WAIT, 900000) == 16, "p90");
	EXPECT(hist_percentile(&before, HIST_WAIT, 900001) == 32, "a bit more than p90");
	EXPECT(hist_percentile(&before, HIST_WAIT, 990000) == 32, "p99");
	EXPECT(hist_percentile(&before, HIST_WAIT, 999000) == 100, "p99.9");
	EXPECT(hist_percentile(&before, HIST_WAIT, 1000000) == 100, "p100");
	/* a percentile is no more than the longest time */
	EXPECT(hist_percentile(&before, HIST_RUN, 990000) == 20, "p99 of run");
	test_ends("percentiles of histograms");

	EXPECT(!parse_histogram(&now, "sum_ns 1064 40\nmax_ns 100 20\n"
				"0 90 1\n16 13 1\n32 1 0\n"), "%s", e.text);
	hists_between(&before, &now, &between);
	EXPECT(between.hist[HIST_WAIT].nr == 4 && between.hist[HIST_WAIT].sum_ns == 64,
	       "tasks in between");
	EXPECT(between.hist[HIST_WAIT].max_ns == 32, "the longest of them");
	EXPECT(!between.hist[HIST_RUN].nr && !between.hist[HIST_RUN].max_ns, "no run");
	hists_between(&now, &before, &between);
	EXPECT(between.hist[HIST_WAIT].nr == 100, "began again: all of the second look");
	EXPECT(!parse_histogram(&now, ""), "%s", e.text);
	hists_between(&now, &before, &between);
	EXPECT(between.hist[HIST_WAIT].nr == 100, "began in between");
	test_ends("what came between two looks at a histogram");
}

static void test_printable(void)
{
	static const struct { const char *text, *printed; } cases[] = {
		{ "a \t\n", "a \t?" }, { "\033[m\177", "?[m?" },
		{ "\302\237\302\240", "??\302\240" },
		{ "\237\377\200", "???" }, { "\303\274\342\202\254\360\237\230\200",
		  "\303\274\342\202\254\360\237\230\200" },
		/* cut off; longer than needed; surrogates; beyond Unicode */
		{ "\342\202", "??" }, { "\342\202x", "??x" }, { "\300\257", "??" },
		{ "\340\237\277", "???" }, { "\360\217\277\277", "????" },
		{ "\355\240\200", "???" }, { "\355\237\277", "\355\237\277" },
		{ "\364\220\200\200", "????" }, { "\365\200\200\200", "????" },
	};
	char copy[16];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(copy, sizeof(copy), "%s", cases[i].text);
		make_printable(copy, "\t");
		EXPECT(!strcmp(copy, cases[i].printed), "case %zu: '%s'", i, copy);
	}
	test_ends("bytes that are no characters are printed as ?");
}

int main(void)
{
	test_values();
	test_formats();
	test_printable();
	test_cpulists();
	test_works();
	test_amounts();
	test_attrs();
	test_attr_pairs();
	test_histograms();
	return nr_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
