// SPDX-License-Identifier: GPL-2.0
/*
 * The workload timer of /dev/wpool: tasks that wait for a timer. The wait needs no worker and no
 * room in the pool.
 */
#include "work_fixture.h"

#define TIMERS 200

/* One worker, no queue; a full pool refuses at once. */
TWO_FILES(timer, ATTRS(.capacity = 1, .policy = WPOOL_DEV_POLICY_FAIL))

TEST_F(timer, holds_nothing_of_the_pool)
{
	struct wpool_dev_record record;
	__u32 cancelled, stopped;

	ASSERT_EQ(0, submit_many(self->fd, WPOOL_WORK_TIMER, LONG, 0, TIMERS));
	EXPECT_EQ(TIMERS, pool_figure(self->fd, file_submitted));
	EXPECT_EQ(0, pool_figure(self->fd, outstanding));
	EXPECT_EQ(0, pool_figure(self->fd, workers));
	EXPECT_EQ(0, pool_figure(self->fd, waiting));
	EXPECT_EQ(1, pool_figure(self->fd, free));
	EXPECT_EQ(0, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 0));
	EXPECT_EQ(0, cancel(self->fd, WPOOL_DEV_CANCEL_ALL, 0, &cancelled, &stopped));
	EXPECT_EQ(TIMERS, cancelled);
	EXPECT_EQ(0, stopped);
	EXPECT_TRUE(none_has_run(self->fd, TIMERS));
	EXPECT_EQ(0, read(self->fd, &record, sizeof(record)));
}

/* All timers fire at the same time, with room for one task: none is refused, none is lost. */
TEST_F(timer, is_never_refused)
{
	struct wpool_dev_record records[TIMERS];
	__u64 since = now_ns();
	unsigned int i;

	ASSERT_EQ(0, submit_many(self->fd, WPOOL_WORK_TIMER, 20 * MSEC, 0, TIMERS));
	ASSERT_EQ(TIMERS, read_records(self->fd, records, TIMERS));
	for (i = 0; i < TIMERS; i++) {
		check_record(_metadata, &records[i], records[i].cookie, since);
		EXPECT_LE(20 * MSEC, records[i].start_ns - records[i].submit_ns);
	}
	EXPECT_EQ(0, pool_figure(self->fd, refused));
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->fd, completed) == TIMERS));
}

TEST_F(timer, cancelled_by_its_cookie)
{
	__u32 cancelled, stopped;

	ASSERT_EQ(0, submit(self->fd, WPOOL_WORK_TIMER, LONG, 1));
	ASSERT_EQ(0, submit(self->fd, WPOOL_WORK_TIMER, LONG, 2));
	EXPECT_EQ(0, cancel(self->fd, 0, 2, &cancelled, &stopped));
	EXPECT_EQ(1, cancelled);
	EXPECT_RECORD(self->fd, 2, -ECANCELED);
	EXPECT_EQ(-ENOENT, cancel(self->fd, 0, 2, &cancelled, &stopped));
}

/*
 * A timer that has fired, and waits for room in the pool, can be cancelled. A task of another file
 * holds the only place.
 */
TEST_F(timer, cancelled_in_line)
{
	__u32 cancelled, stopped;

	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 0));
	ASSERT_EQ(0, submit(self->fd, WPOOL_WORK_TIMER, MSEC, 1));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->fd, waiting) == 1));
	EXPECT_EQ(0, cancel(self->fd, WPOOL_DEV_CANCEL_ALL, 0, &cancelled, &stopped));
	EXPECT_EQ(1, cancelled);
	EXPECT_RECORD(self->fd, 1, -ECANCELED);
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->fd, waiting) &&
			     !pool_figure(self->fd, outstanding)));
}

TEST_F(timer, close_while_it_waits)
{
	ASSERT_EQ(0, submit_many(self->fd, WPOOL_WORK_TIMER, LONG, 0, TIMERS));
	close(self->fd);
	self->fd = -1;
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, waiting) &&
			     !pool_figure(self->pool.fd, outstanding)));
	EXPECT_EQ(0, pool_destroy(self->pool.fd));
}

TEST_F(timer, a_closed_pool_refuses_a_timer)
{
	struct wpool_dev_record record;

	ASSERT_EQ(0, submit(self->fd, WPOOL_WORK_TIMER, LONG, 1));
	ASSERT_EQ(0, submit(self->fd, WPOOL_WORK_TIMER, 200 * MSEC, 2));
	ASSERT_EQ(0, pool_destroy(self->pool.fd));
	EXPECT_EQ(-ESHUTDOWN, submit(self->fd, WPOOL_WORK_TIMER, LONG, 3));
	/* the pool is gone when the timer fires */
	ASSERT_EQ(1, read_records(self->fd, &record, 1));
	EXPECT_EQ(2, record.cookie);
	/* on a slow machine the timer may have fired before the pool was destroyed */
	EXPECT_TRUE(record.status == -ESHUTDOWN || !record.status);
	EXPECT_EQ(0, cancel_all(self->fd));
	EXPECT_RECORD(self->fd, 1, -ECANCELED);
}

/* Timers need no room. A batch is accepted up to the first task that finds no room. */
TEST_F(timer, together_with_others)
{
	struct wpool_dev_work works[6] = { };
	struct wpool_dev_record records[4];
	__u32 accepted, seen = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(works); i++)
		works[i].cookie = i;
	for (i = 1; i < 3; i++) {
		works[i].kind = WPOOL_WORK_TIMER;
		works[i].arg = LONG;
	}
	EXPECT_EQ(0, pool_tune(self->fd, ATTRS(.queue_depth = 2)));
	ASSERT_EQ(0, occupy(self->pool.fd, 0, 1));
	/* the fifth task is the first that finds no room */
	EXPECT_EQ(0, submit_flags(self->fd, works, ARRAY_SIZE(works), 0, &accepted));
	EXPECT_EQ(4, accepted);
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	ASSERT_EQ(2, read_records(self->fd, records, 2));
	EXPECT_EQ(0, cancel_all(self->fd));
	ASSERT_EQ(2, read_records(self->fd, records + 2, 2));
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(i < 2 ? 0 : -ECANCELED, records[i].status);
		seen |= 1U << records[i].cookie;
	}
	EXPECT_EQ(0xf, seen);
}

TEST_HARNESS_MAIN
