// SPDX-License-Identifier: GPL-2.0
/*
 * The machine's clock jumps by days, forward and back, while timers, waits with a time-out,
 * max_wait_ms and the expiry of workers run. None of these may depend on that clock: nothing may
 * end early, or wait until the clock has its old value again. If the clock jumps both ways, it soon
 * has its old value. So other tests only jump forward, or only back.
 */
#include "hostile.h"

#define DAY	86400
#define NR	200
#define NR_JUMPS	5

FIXTURE(jumps) {
	struct pool pool;
	pthread_t thread;
	bool ends;
	unsigned int nr;
	const int *days;
	int moved;		/* sum of all jumps, in days */
	int err;
};

FIXTURE_VARIANT(jumps) {
	int days[NR_JUMPS];
};

FIXTURE_VARIANT_ADD(jumps, both_ways) { .days = { 3, -3, 400, -1, -399 } };
FIXTURE_VARIANT_ADD(jumps, forward) { .days = { 1, 1, 1, 1, 1 } };
FIXTURE_VARIANT_ADD(jumps, back) { .days = { -1, -1, -1, -1, -1 } };

static int jump(int days)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec += days * DAY;
	return clock_settime(CLOCK_REALTIME, &now) ? -errno : 0;
}

static void *jumps(void *data)
{
	struct _test_data_jumps *self = data;
	int days;

	while (!__atomic_load_n(&self->ends, __ATOMIC_ACQUIRE) || self->nr % NR_JUMPS) {
		days = self->days[self->nr % NR_JUMPS];
		self->err = jump(days) ?: self->err;
		self->moved += days;
		__atomic_fetch_add(&self->nr, 1, __ATOMIC_RELEASE);
		usleep(20000);
	}
	return NULL;
}

FIXTURE_SETUP(jumps)
{
	self->days = variant->days;
	ASSERT_EQ(0, pool_create(&self->pool, ATTRS(.capacity = 8, .queue_depth = 1000,
						    .expiry_ms = 100, .min_workers = 1)));
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, jumps, self));
}

FIXTURE_TEARDOWN(jumps)
{
	__atomic_store_n(&self->ends, true, __ATOMIC_RELEASE);
	pthread_join(self->thread, NULL);
	EXPECT_EQ(0, self->err);
	EXPECT_EQ(0, jump(-self->moved));
	EXPECT_LE(NR_JUMPS, self->nr);
	pool_end(&self->pool);
}

TEST_F(jumps, timers_are_neither_early_nor_lost)
{
	struct wpool_dev_record records[NR];
	int i;

	for (i = 0; i < NR; i++)
		ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_TIMER, i * 10 * MSEC, i));
	ASSERT_EQ(NR, read_records(self->pool.fd, records, NR));
	for (i = 0; i < NR; i++) {
		EXPECT_EQ(0, records[i].status);
		EXPECT_LE(records[i].cookie * 10 * MSEC,
			  records[i].start_ns - records[i].submit_ns);
	}
	EXPECT_WHOLE(self->pool.fd, 1008);
}

TEST_F(jumps, sleeps_are_neither_short_nor_endless)
{
	struct wpool_dev_record records[NR];
	int i;

	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, 50 * MSEC, 0, NR));
	ASSERT_EQ(NR, read_records(self->pool.fd, records, NR));
	for (i = 0; i < NR; i++) {
		EXPECT_EQ(0, records[i].status);
		EXPECT_LE(50 * MSEC, records[i].end_ns - records[i].start_ns);
	}
}

TEST_F(jumps, waits_time_out_neither_early_nor_never)
{
	__u64 began;
	int i;

	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 0));
	for (i = 0; i < 10; i++) {
		began = timers_ns();
		ASSERT_EQ(-ETIME, wait_tasks(self->pool.fd, 100 * MSEC));
		EXPECT_LE(90 * MSEC, timers_ns() - began);
	}
	began = timers_ns();
	ASSERT_EQ(-ETIME, pool_release(self->pool.fd, WPOOL_DEV_RELEASE_WAIT, 100 * MSEC));
	EXPECT_LE(90 * MSEC, timers_ns() - began);
	EXPECT_EQ(0, cancel_all(self->pool.fd));
}

/* Wait for more than ten jumps. */
static bool jumps_on(struct _test_data_jumps *self)
{
	unsigned int before = __atomic_load_n(&self->nr, __ATOMIC_ACQUIRE);

	return WAIT_FOR(__atomic_load_n(&self->nr, __ATOMIC_ACQUIRE) > before + 10);
}

/*
 * Whatever the clock says, max_wait_ms of an hour ends no wait, and 50 ms ends those begun
 * afterwards.
 */
TEST_F(jumps, max_wait_goes_by_its_own_time)
{
	const char *pool = self->pool.name;

	ASSERT_EQ(0, occupy(self->pool.fd, 0, 8));
	ASSERT_EQ(0, attr_write(pool, "max_wait_ms", "3600000"));
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 100, 20));
	ASSERT_TRUE(jumps_on(self));
	EXPECT_EQ(0, pool_figure(self->pool.fd, overdue));
	ASSERT_EQ(0, attr_write(pool, "max_wait_ms", "50"));
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 200, 20));
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, overdue) == 20));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
}

TEST_F(jumps, idle_workers_leave_and_not_at_once)
{
	__u64 expired;

	ASSERT_EQ(0, attr_write(self->pool.name, "expiry_ms", "3600000"));
	ASSERT_EQ(0, occupy(self->pool.fd, 0, 8));
	expired = pool_figure(self->pool.fd, expired);
	ASSERT_EQ(0, cancel_all(self->pool.fd));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, idle) == 8));
	ASSERT_TRUE(jumps_on(self));
	EXPECT_EQ(expired, pool_figure(self->pool.fd, expired));
	ASSERT_EQ(0, attr_write(self->pool.name, "expiry_ms", "100"));
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, workers) == 1));
	EXPECT_EQ(expired + 7, pool_figure(self->pool.fd, expired));
}

TEST_HARNESS_MAIN
