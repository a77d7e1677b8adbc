// SPDX-License-Identifier: GPL-2.0
/*
 * A task that oopses fails, and ends its worker. The pool continues. Needs the module loaded with
 * allow_fault=1.
 *
 * After an oops lockdep is off, so this test runs last. announce_oopses() logs how many oopses are
 * expected.
 */
#include "wpool_test.h"

static bool allowed(void)
{
	char value[16];

	return !file_read("/sys/module/wpool/parameters/allow_fault", value, sizeof(value)) &&
	       value[0] == 'Y';
}

FIXTURE(fault)
{
	struct pool pool;
};

FIXTURE_VARIANT(fault)
{
	__u32 capacity;
	__u32 flags; /* of the file's group */
};

FIXTURE_VARIANT_ADD(fault, capacity_1) { .capacity = 1 };
FIXTURE_VARIANT_ADD(fault, capacity_4) { .capacity = 4 };
/* the kernel warns if a thread ends that still has a cgroup of the block layer */
FIXTURE_VARIANT_ADD(fault, on_behalf) { .capacity = 1, .flags = WPOOL_DEV_GROUP_BLKCG };

FIXTURE_SETUP(fault)
{
	int err = 0;

	if (!allowed())
		SKIP(return, "the module was not loaded with allow_fault=1");
	if (file_number("/proc/sys/kernel/panic_on_oops", 1))
		SKIP(return, "panic_on_oops is set");
	ASSERT_EQ(0, pool_create(&self->pool,
				 ATTRS(.capacity = variant->capacity, .queue_depth = 20)));
	if (variant->flags)
		err = group_init_flags(self->pool.fd, WPOOL_DEV_UNLIMITED, variant->flags);
	ASSERT_TRUE(!err || err == -EOPNOTSUPP);
}

FIXTURE_TEARDOWN(fault)
{
	pool_end(&self->pool);
}

TEST_F(fault, a_pool_lives_after_a_task_has_died)
{
	struct wpool_dev_work works[6] = {
		{ .kind = WPOOL_WORK_NOOP, .cookie = 0 },
		{ .kind = WPOOL_WORK_FAULT, .cookie = 1 },
		{ .kind = WPOOL_WORK_NOOP, .cookie = 2 },
		/* this task is submitted later: two oopses at once make an unreadable log */
		{ .kind = WPOOL_WORK_FAULT, .cookie = 3 },
		{ .kind = WPOOL_WORK_SLEEP, .cookie = 4, .arg = MSEC },
		{ .kind = WPOOL_WORK_NOOP, .cookie = 5 },
	};
	struct wpool_dev_record records[ARRAY_SIZE(works)];
	struct wpool_dev_stats stats;
	unsigned int i, seen = 0;

	ASSERT_EQ(0, announce_oopses(2));
	ASSERT_EQ(0, submit_all(self->pool.fd, works, 3));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, faults) == 1));
	ASSERT_EQ(0, submit_all(self->pool.fd, works + 3, 3));
	ASSERT_EQ(ARRAY_SIZE(works), read_records(self->pool.fd, records, ARRAY_SIZE(works)));
	for (i = 0; i < ARRAY_SIZE(works); i++) {
		ASSERT_GT(ARRAY_SIZE(works), records[i].cookie);
		seen |= 1U << records[i].cookie;
		EXPECT_EQ(works[records[i].cookie].kind == WPOOL_WORK_FAULT ? -EIO : 0,
			  records[i].status)
			TH_LOG("cookie %llu", (unsigned long long)records[i].cookie);
	}
	EXPECT_EQ((1U << ARRAY_SIZE(works)) - 1, seen);
	EXPECT_EQ(0, wait_tasks(self->pool.fd, WAIT_NS));
	ASSERT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, faults) == 2));
	ASSERT_EQ(0, pool_stats(self->pool.fd, &stats));
	EXPECT_EQ(2, stats.failed);
	EXPECT_EQ(4, stats.completed);
	EXPECT_EQ(0, stats.cancelled);
	EXPECT_EQ(stats.workers, stats.idle + stats.searching + stats.busy);
	EXPECT_EQ(0, stats.busy);
	EXPECT_EQ(variant->capacity + 20, stats.free);
	EXPECT_EQ(2, attr_number(self->pool.name, "faults"));

	/* no place is lost: as many tasks as the capacity run at the same time, and end */
	ASSERT_EQ(0, occupy(self->pool.fd, 0, variant->capacity));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_EQ(0, wait_tasks(self->pool.fd, WAIT_NS));
	EXPECT_EQ(0, pool_release(self->pool.fd, WPOOL_DEV_RELEASE_WAIT, WAIT_NS));
	EXPECT_EQ(0, pool_reboot(self->pool.fd));
	EXPECT_EQ(0, run_one(self->pool.fd));
}

/* An oops wakes a poll of the file "pressure". Tasks that begin to wait may wake it earlier. */
TEST_F(fault, is_news)
{
	struct pollfd pfd;

	ASSERT_EQ(0, pressure_open(self->pool.name, &pfd));
	EXPECT_EQ(0, poll(&pfd, 1, 0));
	ASSERT_EQ(0, announce_oopses(1));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_FAULT, 0, 0));
	do {
		ASSERT_TRUE(pressure_poll(&pfd));
	} while (!pool_figure(self->pool.fd, faults));
}

/* The submitter's own thread must not run a task that oopses. */
TEST_F(fault, policy_run)
{
	struct pool pool;

	ASSERT_EQ(0, pool_create(&pool, ATTRS(.policy = WPOOL_DEV_POLICY_RUN)));
	EXPECT_EQ(-EPERM, submit(pool.fd, WPOOL_WORK_FAULT, 0, 1));
	EXPECT_EQ(0, pool_figure(pool.fd, submitted));
	pool_end(&pool);
}

/* If the last task of a pool oopses, a wait for the task and a destroy of the pool both return. */
TEST_F(fault, as_the_last_task)
{
	pid_t pids[8];

	ASSERT_EQ(0, announce_oopses(1));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_FAULT, 0, 7));
	EXPECT_EQ(0, pool_destroy(self->pool.fd));
	EXPECT_FALSE(pool_exists(self->pool.name));
	EXPECT_EQ(0, wait_tasks(self->pool.fd, WAIT_NS));
	EXPECT_RECORD(self->pool.fd, 7, -EIO);
	EXPECT_TRUE(WAIT_FOR(!threads_named(self->pool.name, pids, ARRAY_SIZE(pids))));
}

TEST_F(fault, file_is_closed_at_once)
{
	int fd = pool_attach(self->pool.name, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, announce_oopses(1));
	ASSERT_EQ(0, submit(fd, WPOOL_WORK_FAULT, 0, 0));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, failed) == 1));
	ASSERT_EQ(0, submit(fd, WPOOL_WORK_SLEEP, LONG, 0));
	EXPECT_EQ(0, close(fd));
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
}

/* An oops stops the main trace of the kernel, but not that of an instance. */
#define INSTANCE "/sys/kernel/tracing/instances/wpool-fault"

/* How often the trace says that a task of the pool was dropped with this status. */
static unsigned int traced_dropped(const char *pool, int status)
{
	FILE *trace = fopen(INSTANCE "/trace", "r");
	char line[512], is[64], of[64];
	unsigned int nr = 0;

	snprintf(of, sizeof(of), " wpool_task_dropped: pool=%s ", pool);
	snprintf(is, sizeof(is), " status=%d\n", status);
	while (trace && fgets(line, sizeof(line), trace))
		nr += strstr(line, of) && strstr(line, is);
	if (trace)
		fclose(trace);
	return nr;
}

/* The trace shows the end of a task that oopses, too. */
TEST_F(fault, is_traced)
{
	if (mkdir(INSTANCE, 0700))
		SKIP(return, "no tracepoints");
	EXPECT_EQ(0, file_write(INSTANCE "/events/wpool/wpool_task_dropped/enable", "1", 1));
	EXPECT_EQ(0, announce_oopses(1));
	EXPECT_EQ(0, submit(self->pool.fd, WPOOL_WORK_FAULT, 0, 0));
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, failed) == 1));
	EXPECT_EQ(1, traced_dropped(self->pool.name, -EIO));
	EXPECT_EQ(0, rmdir(INSTANCE));
}

TEST_HARNESS_MAIN
