// SPDX-License-Identifier: GPL-2.0
/*
 * The attribute freezable: its file in debugfs and, if the kernel has /sys/power/pm_test, a suspend
 * that thaws after the freeze. kunit/freeze_kunit.c tests what a frozen pool does.
 *
 * A task may start late on a slow machine, so the tests only check that no task of a frozen pool
 * starts, and that tasks of another pool do.
 */
#include "submitter.h"

#define FROZEN		"/sys/kernel/debug/wpool/frozen"
#define PM_TEST		"/sys/power/pm_test"
#define PM_STATE	"/sys/power/state"
#define PM_DELAY	"/sys/module/suspend/parameters/pm_test_delay"
#define KMSG		"/dev/kmsg"

/* NR_LONG / 2 tasks of 20 ms, one after the other, take longer than a suspend. */
#define NR_LONG		8000
#define TRIES		3

FIXTURE(freeze)
{
	struct pool pool;	/* freezable */
	struct pool other;	/* not freezable */
};

FIXTURE_SETUP(freeze)
{
	ASSERT_EQ(0, pool_create(&self->other,
				 ATTRS(.capacity = 1, .queue_depth = WPOOL_DEV_UNLIMITED)));
	ASSERT_EQ(0, pool_create(&self->pool,
				 ATTRS(.capacity = 1, .queue_depth = WPOOL_DEV_UNLIMITED,
				       .freezable = 1)));
}

FIXTURE_TEARDOWN(freeze)
{
	file_write(FROZEN, "0", 1);
	pool_end(&self->pool);
	pool_end(&self->other);
}

static int set_frozen(const char *text)
{
	return file_write(FROZEN, text, strlen(text));
}

TEST_F(freeze, bad_values_are_refused_and_change_nothing)
{
	static const char *const bad[] = { "2", "x", "\n", "1111", "-1" };
	unsigned int i;

	if (set_frozen("0"))
		SKIP(return, "no debugfs");
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, set_frozen(bad[i]))
			TH_LOG("value %u", i);
	}
	EXPECT_EQ(0, file_number(FROZEN, -1));
}

/* Freeze the system for 2 s, not for the kernel's 5 s, and thaw it. Returns 0 or -errno. */
static int suspend(void)
{
	int err = file_write(PM_TEST, "freezer", 7) ?: file_write(PM_DELAY, "2", 1);

	if (!err)
		err = file_write(PM_STATE, "freeze", 6);
	file_write(PM_DELAY, "5", 1);
	file_write(PM_TEST, "none", 4);
	return err;
}

/*
 * Read the kernel's log from @kmsg on. Returns for how many ns the system was frozen, or 0 if the
 * log does not say so. pm_test delays by a loop, which may be much shorter than its nominal time.
 */
static __u64 frozen_for(int kmsg)
{
	unsigned long long us, from = 0;
	char record[1024];
	ssize_t len;

	for (;;) {
		len = read(kmsg, record, sizeof(record) - 1);
		/* new messages have overwritten the next one: read on */
		if (len < 0 && errno == EPIPE)
			continue;
		if (len <= 0)
			return 0;
		record[len] = '\0';
		if (sscanf(record, "%*u,%*u,%llu", &us) != 1)
			continue;
		if (strstr(record, "suspend debug: Waiting for"))
			from = us;
		else if (from && strstr(record, "Restarting tasks"))
			return (us - from) * (MSEC / 1000);
	}
}

static unsigned int read_starts(int fd, struct wpool_dev_record *records, __u64 *starts)
{
	int nr = read_records(fd, records, NR_LONG), i;
	unsigned int ran = 0;

	for (i = 0; i < nr; i++)
		if (records[i].start_ns)
			starts[ran++] = records[i].start_ns;
	return ran;
}

static int ascending(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Returns the longest time between two starts; *from is when this time begins. */
static __u64 longest_gap(__u64 *starts, unsigned int nr, __u64 *from)
{
	__u64 most = 0;
	unsigned int i;

	qsort(starts, nr, sizeof(*starts), ascending);
	for (i = 1; i < nr; i++) {
		if (starts[i] - starts[i - 1] > most) {
			most = starts[i] - starts[i - 1];
			*from = starts[i - 1];
		}
	}
	return most;
}

static unsigned int count_between(const __u64 *starts, unsigned int nr, __u64 from, __u64 to)
{
	unsigned int i, n = 0;

	for (i = 0; i < nr; i++)
		n += starts[i] > from && starts[i] < to;
	return n;
}

/*
 * While the system is frozen, no task of a freezable pool starts, and tasks of another pool do.
 * Both pools have tasks to run all the time. If the worker of the other pool gets no CPU while the
 * system is frozen, the test tries again.
 */
TEST_F(freeze, suspend)
{
	struct wpool_dev_record *records = calloc(NR_LONG, sizeof(*records));
	__u64 *frozen = calloc(NR_LONG, sizeof(*frozen));
	__u64 *others = calloc(NR_LONG, sizeof(*others));
	int kmsg = open(KMSG, O_RDONLY | O_NONBLOCK);
	__u64 delay, gap, from = 0;
	unsigned int nr_frozen, nr_others, between = 0;
	struct submitter sub;
	int tries, second, err = 0;

	if (access(PM_TEST, W_OK))
		SKIP(return, "no " PM_TEST);
	ASSERT_LE(0, kmsg);
	ASSERT_TRUE(records && frozen && others);
	for (tries = 0; tries < TRIES && !between; tries++) {
		/* the pool is full all the time, and a submitter waits for room */
		ASSERT_EQ(0, pool_tune(self->pool.fd, ATTRS(.queue_depth = NR_LONG / 2 - 1)));
		ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, 20 * MSEC, 0,
					 NR_LONG / 2));
		second = pool_attach(self->pool.name, 0);
		ASSERT_LE(0, second);
		ASSERT_EQ(0, submitter_start(&sub, second, WPOOL_WORK_NOOP, 0, 0,
					     WPOOL_MAX_BATCH));
		ASSERT_EQ(0, submit_many(self->other.fd, WPOOL_WORK_SLEEP, 20 * MSEC, 0,
					 NR_LONG / 2));
		lseek(kmsg, 0, SEEK_END);
		err = suspend();
		delay = frozen_for(kmsg);
		EXPECT_EQ(0, cancel_all(self->pool.fd));
		EXPECT_EQ(0, cancel_all(self->other.fd));
		EXPECT_EQ(0, submitter_end(&sub));
		/* the freeze may interrupt the submit as a signal does: fewer tasks are accepted */
		EXPECT_LT(0, sub.accepted);
		close(second);
		/* -EBUSY: another part of the system was not ready to suspend */
		if (err == -EBUSY) {
			read_starts(self->pool.fd, records, frozen);
			read_starts(self->other.fd, records, others);
			continue;
		}
		if (err)
			break;

		nr_frozen = read_starts(self->pool.fd, records, frozen);
		nr_others = read_starts(self->other.fd, records, others);
		/* tasks start before and after the freeze: the longest gap contains it */
		gap = longest_gap(frozen, nr_frozen, &from);
		ASSERT_LT(0, delay);
		/* the log's clock may be a little faster */
		EXPECT_LE(delay - delay / 8, gap)
			TH_LOG("%u starts", nr_frozen);
		between = count_between(others, nr_others, from, from + gap);
	}
	/* -EBUSY in each try is our error: a worker that never parks stops a suspend */
	EXPECT_EQ(0, err);
	EXPECT_LT(0, between);
}

/* A process that runs its tasks, under policy "run", can be frozen in the midst of a task. */
TEST_F(freeze, submitter_that_runs_its_task)
{
	static const __u32 kinds[] = { WPOOL_WORK_SPIN, WPOOL_WORK_LOCK, WPOOL_WORK_LOOP };
	struct submitter subs[ARRAY_SIZE(kinds) + 1];
	int fds[ARRAY_SIZE(subs)], tries = 0, err;
	struct pool pool;
	unsigned int i;

	if (access(PM_TEST, W_OK))
		SKIP(return, "no " PM_TEST);
	ASSERT_EQ(0, pool_create(&pool, ATTRS(.capacity = 1, .policy = WPOOL_DEV_POLICY_RUN)));
	ASSERT_EQ(0, occupy(pool.fd, 0, 1));
	for (i = 0; i < ARRAY_SIZE(subs); i++) {
		fds[i] = pool_attach(pool.name, 0);
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(0, i < ARRAY_SIZE(kinds) ?
			     submitter_start(&subs[i], fds[i], kinds[i], LONG, 0, 1) :
			     submitter_start_tree(&subs[i], fds[i], LONG, 2, 2));
		EXPECT_TRUE(WAIT_FOR(submitter_cpu_ns(&subs[i]) > 10 * MSEC));
	}
	/* -EBUSY: another part of the system may not have been ready */
	do {
		err = suspend();
	} while (err == -EBUSY && ++tries < TRIES);
	EXPECT_EQ(0, err);
	for (i = 0; i < ARRAY_SIZE(subs); i++)
		EXPECT_EQ(0, cancel_all(fds[i]));
	for (i = 0; i < ARRAY_SIZE(subs); i++) {
		EXPECT_EQ(0, submitter_end(&subs[i]));
		EXPECT_RECORD(fds[i], 0, -ECANCELED);
		close(fds[i]);
	}
	pool_end(&pool);
}

TEST_HARNESS_MAIN
