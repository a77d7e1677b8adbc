// SPDX-License-Identifier: GPL-2.0
/*
 * The workload strand of /dev/wpool: the strand tasks of one file run one after the other, in the
 * order of their submits.
 */
#include "work_fixture.h"

#define TURNS 50

/* Two workers, no queue; a full pool refuses at once. */
TWO_FILES(strand, ATTRS(.capacity = 2, .policy = WPOOL_DEV_POLICY_FAIL))

TEST_F(strand, in_order_one_at_a_time)
{
	struct wpool_dev_record records[TURNS];
	__u64 since = now_ns();
	unsigned int i;

	ASSERT_EQ(0, submit_many(self->fd, WPOOL_WORK_STRAND, 100 * 1000, 0, TURNS));
	ASSERT_EQ(TURNS, read_records(self->fd, records, TURNS));
	for (i = 0; i < TURNS; i++) {
		check_record(_metadata, &records[i], i, since);
		if (i)
			EXPECT_LE(records[i - 1].end_ns, records[i].start_ns);
	}
	EXPECT_EQ(0, pool_figure(self->fd, refused));
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->fd, completed) == TURNS));
}

/* Only the first task of a strand takes one of the two places of the pool. */
TEST_F(strand, files_run_side_by_side)
{
	ASSERT_EQ(0, submit_many(self->fd, WPOOL_WORK_STRAND, LONG, 0, TURNS));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->fd, busy) == 1));
	EXPECT_EQ(1, pool_figure(self->fd, outstanding));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_STRAND, 0, 7));
	EXPECT_RECORD(self->pool.fd, 7, 0);
	EXPECT_EQ(0, cancel_all(self->fd));
}

TEST_F(strand, cancelled_by_its_cookie)
{
	__u32 cancelled, stopped;
	__u64 i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, submit(self->fd, WPOOL_WORK_STRAND, i ? 0 : LONG, i));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->fd, busy) == 1));
	EXPECT_EQ(0, cancel(self->fd, 0, 1, &cancelled, &stopped));
	EXPECT_EQ(1, cancelled);
	EXPECT_RECORD(self->fd, 1, -ECANCELED);
	EXPECT_EQ(-ENOENT, cancel(self->fd, 0, 1, &cancelled, &stopped));
	/* cancel the first task: the next one runs */
	EXPECT_EQ(0, cancel(self->fd, 0, 0, &cancelled, &stopped));
	/* a busy worker may not have called the task's function yet */
	EXPECT_EQ(1, cancelled + stopped);
	EXPECT_RECORD(self->fd, 0, -ECANCELED);
	EXPECT_RECORD(self->fd, 2, 0);
}

/* A closed file's strand is freed with its last task. */
TEST_F(strand, close_while_they_wait)
{
	ASSERT_EQ(0, submit_many(self->fd, WPOOL_WORK_STRAND, LONG, 0, TURNS));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->fd, busy) == 1));
	close(self->fd);
	self->fd = -1;
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
	EXPECT_EQ(0, pool_destroy(self->pool.fd));
}

TEST_F(strand, a_closed_pool_refuses_tasks_of_a_strand)
{
	ASSERT_EQ(0, submit_many(self->fd, WPOOL_WORK_STRAND, 100 * 1000, 0, TURNS));
	ASSERT_EQ(0, pool_destroy(self->pool.fd));
	EXPECT_EQ(-ESHUTDOWN, submit(self->fd, WPOOL_WORK_STRAND, 0, 3));
	/* all accepted tasks end before the pool is gone */
	EXPECT_TRUE(all_have_status(self->fd, TURNS, 0));
}

TEST_HARNESS_MAIN
