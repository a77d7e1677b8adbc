// SPDX-License-Identifier: GPL-2.0
/*
 * Creating a worker fails: nine times in a row, and for as long as the pool lives. The tests use
 * fail_wpool_spawn, the module's own point of failure. fail_nth tests every point in the thread
 * that makes a preallocated pool. Kernels without fault injection skip all tests.
 */
#include "fail_nth.h"

FIXTURE(spawn) {
	struct pool pool;
};

FIXTURE_SETUP(spawn)
{
	if (!has_injection())
		SKIP(return, "no fault injection");
	ASSERT_EQ(0, inject_init());
	ASSERT_EQ(0, pool_create(&self->pool, ATTRS(.capacity = 4, .queue_depth = 1000)));
}

FIXTURE_TEARDOWN(spawn)
{
	put(INJECT "/probability", "0");
	put(INJECT "/times", "1");
	pool_end(&self->pool);
}

/* Make all workers leave. */
static int no_workers(int fd)
{
	int err = pool_release(fd, WPOOL_DEV_RELEASE_WAIT, 0);

	return err ?: pool_reboot(fd);
}

/* Let the next @times creations of a worker fail; -1: all. */
static int fail_times(const char *times)
{
	return put(INJECT "/times", times) ?: put(INJECT "/probability", "100");
}

/*
 * If the creation of a worker fails nine times in a row, all tasks queued meanwhile start, and none
 * is lost or runs twice. The module tries again after 10, 20, ... ms, then every second.
 */
TEST_F(spawn, nine_times_in_a_row)
{
	__u64 began, took;

	ASSERT_EQ(0, no_workers(self->pool.fd));
	ASSERT_EQ(0, fail_times("9"));
	began = timers_ns();
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 0, 500));
	EXPECT_EQ(0, pool_figure(self->pool.fd, workers));
	ASSERT_EQ(0, wait_tasks(self->pool.fd, WAIT_NS));
	took = timers_ns() - began;
	EXPECT_EQ(0, file_number(INJECT "/times", -1));
	EXPECT_EQ(9, attr_number(self->pool.name, "spawn_failed"));
	EXPECT_EQ(-ENOMEM, attr_number(self->pool.name, "spawn_error"));

	/* nine pauses: 10 + 20 + ... + 640 + 1000 + 1000 ms, each up to a jiffy shorter */
	EXPECT_LT(3100 * MSEC, took);
	EXPECT_TRUE(all_have_status(self->pool.fd, 500, 0));
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, completed) == 500));
	EXPECT_LE(1, pool_figure(self->pool.fd, workers));
}

/*
 * While no worker can be made, and the only worker of the pool sleeps, its rescuer runs one task
 * after the other. When workers can be made again, the pool gets a new rescuer.
 */
TEST_F(spawn, reclaim_goes_on)
{
	__u32 cancelled, stopped;
	__u64 spawned;
	int i;

	ASSERT_EQ(0, pool_tune(self->pool.fd, ATTRS(.reclaim = 1)));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, idle) == 1));
	spawned = pool_figure(self->pool.fd, spawned);
	EXPECT_EQ(2, spawned);
	ASSERT_EQ(0, fail_times("-1"));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 0));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, blocked) == 1));
	for (i = 1; i <= 20; i++) {
		ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, i));
		EXPECT_RECORD(self->pool.fd, i, 0);
	}
	EXPECT_TRUE(WAIT_FOR(attr_number(self->pool.name, "rescued") == 1));
	/* spawn_failed is counted a moment later */
	EXPECT_TRUE(WAIT_FOR(attr_number(self->pool.name, "spawn_failed") > 0));
	EXPECT_EQ(2, pool_figure(self->pool.fd, workers));
	EXPECT_EQ(spawned, pool_figure(self->pool.fd, spawned));

	ASSERT_EQ(0, put(INJECT "/probability", "0"));
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, spawned) == spawned + 1));
	EXPECT_EQ(2, pool_figure(self->pool.fd, workers));
	EXPECT_EQ(0, cancel(self->pool.fd, 0, 0, &cancelled, &stopped));
	EXPECT_EQ(1, stopped);
}

/* If no rescuer can be made, the attribute is refused and nothing changes. */
TEST_F(spawn, reclaim_is_refused)
{
	struct wpool_dev_info info;

	ASSERT_EQ(0, no_workers(self->pool.fd));
	ASSERT_EQ(0, fail_times("1"));
	EXPECT_EQ(-ENOMEM, pool_tune(self->pool.fd, ATTRS(.reclaim = 1)));
	ASSERT_EQ(0, pool_info(self->pool.fd, &info));
	EXPECT_EQ(0, info.attrs.reclaim);
	EXPECT_EQ(0, pool_figure(self->pool.fd, workers));
	EXPECT_EQ(0, pool_tune(self->pool.fd, ATTRS(.reclaim = 1)));
	EXPECT_EQ(1, pool_figure(self->pool.fd, workers));
}

/* While no worker can be made, cancel, close, release and destroy work. */
TEST_F(spawn, never)
{
	struct wpool_dev_stats stats;
	__u32 cancelled, stopped;
	int fd;

	ASSERT_EQ(0, no_workers(self->pool.fd));
	ASSERT_EQ(0, fail_times("-1"));
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 0, 10));
	fd = pool_attach(self->pool.name, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, submit_many(fd, WPOOL_WORK_NOOP, 0, 100, 10));

	EXPECT_EQ(-ETIME, wait_tasks(self->pool.fd, 50 * MSEC));
	EXPECT_EQ(0, cancel(self->pool.fd, 0, 3, &cancelled, &stopped));
	EXPECT_EQ(1, cancelled);
	EXPECT_EQ(0, stopped);
	EXPECT_EQ(0, close(fd));
	EXPECT_EQ(-ETIME, pool_release(self->pool.fd, WPOOL_DEV_RELEASE_WAIT, 50 * MSEC));
	EXPECT_EQ(0, pool_release(self->pool.fd, WPOOL_DEV_RELEASE_CANCEL, 0));
	EXPECT_EQ(0, wait_tasks(self->pool.fd, WAIT_NS));
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, cancelled) == 20));
	ASSERT_EQ(0, pool_stats(self->pool.fd, &stats));
	EXPECT_EQ(0, stats.workers);
	EXPECT_EQ(20, stats.submitted);
	EXPECT_LT(0, attr_number(self->pool.name, "spawn_failed"));
	EXPECT_EQ(0, pool_destroy(self->pool.fd));
}

TEST_HARNESS_MAIN
