// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks of a file of /dev/wpool that do not simply queue: the tasks of its group, which has its own
 * bound, those of its strand, which run one after the other, and those that wait for a timer.
 */
#include "submitter.h"
#include "work_fixture.h"

#define BOUND	3
#define TURNS	50
#define TIMERS	200

FIXTURE_VARIANT(kind)
{
	__u32 kind;
	__u64 arg;
	__u32 bound;
	__u32 queue_depth;
};

/* One worker; the second file has a group with this bound, if any. */
TWO_FILES_AND(kind, ATTRS(.capacity = 1, .queue_depth = variant->queue_depth),
	      ASSERT_EQ(0, variant->bound ? group_init(self->fd, variant->bound) : 0))

FIXTURE_VARIANT_ADD(kind, group) { .bound = BOUND, .queue_depth = WPOOL_DEV_UNLIMITED };
FIXTURE_VARIANT_ADD(kind, strand) {
	.kind = WPOOL_WORK_STRAND, .queue_depth = WPOOL_DEV_UNLIMITED,
};

FIXTURE_VARIANT_ADD(kind, timer) { .kind = WPOOL_WORK_TIMER, .arg = LONG };
/* timers that have fired, and wait for room */
FIXTURE_VARIANT_ADD(kind, timer_in_line) { .kind = WPOOL_WORK_TIMER, .arg = MSEC };

/* Submit three tasks through the second file while a task of the first one has the worker. */
static int hold_three(int first, int second, __u32 kind, __u64 arg)
{
	int err = occupy(first, 0, 1) ?: submit_many(second, kind, arg, 0, 3);

	return err ?: arg != MSEC || WAIT_FOR(pool_figure(second, waiting) == 3) ? 0 : -ETIMEDOUT;
}

TEST_F(kind, cancelled_by_its_cookie)
{
	__u32 cancelled, stopped;

	ASSERT_EQ(0, hold_three(self->pool.fd, self->fd, variant->kind, variant->arg));
	EXPECT_EQ(0, cancel(self->fd, 0, 1, &cancelled, &stopped));
	EXPECT_EQ(1, cancelled);
	EXPECT_EQ(0, stopped);
	EXPECT_RECORD(self->fd, 1, -ECANCELED);
	EXPECT_EQ(-ENOENT, cancel(self->fd, 0, 1, &cancelled, &stopped));
	EXPECT_EQ(0, cancel_all(variant->arg == LONG ? self->fd : self->pool.fd));
	EXPECT_TRUE(all_have_status(self->fd, 2, variant->arg == LONG ? -ECANCELED : 0));
}

/* The close does not wait, and its tasks end when a worker comes free. */
TEST_F(kind, close_while_it_waits)
{
	ASSERT_EQ(0, hold_three(self->pool.fd, self->fd, variant->kind, variant->arg));
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(1, pool_figure(self->pool.fd, busy));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, waiting) &&
			     !pool_figure(self->pool.fd, outstanding)));
	EXPECT_EQ(0, pool_destroy(self->pool.fd));
}

TEST_F(kind, a_closed_pool_refuses_it)
{
	ASSERT_EQ(0, submit(self->fd, variant->kind, variant->arg, 1));
	ASSERT_EQ(0, pool_destroy(self->pool.fd));
	EXPECT_EQ(-ESHUTDOWN, submit(self->fd, variant->kind, variant->arg, 2));
	EXPECT_EQ(1, pool_figure(self->fd, file_submitted));
}

/* Four workers, an unlimited queue; the second file has a group. */
TWO_FILES_AND(group, SMALL_POOL, ASSERT_EQ(0, group_init(self->fd, BOUND)))

/* A file with a group has a bound of tasks in the pool; another file has none. */
TEST_F(group, bound)
{
	struct wpool_dev_work *works = works_alloc(WPOOL_WORK_SLEEP, LONG, 0, BOUND + 2);
	__u32 accepted;

	EXPECT_EQ(-EISCONN, group_init(self->fd, BOUND));
	EXPECT_EQ(-ERANGE, group_init(self->pool.fd, 0));
	EXPECT_EQ(0, submit_flags(self->fd, works, BOUND + 2, WPOOL_DEV_SUBMIT_NONBLOCK,
				  &accepted));
	EXPECT_EQ(BOUND, accepted);
	EXPECT_EQ(-EAGAIN, submit_flags(self->fd, works, 1, WPOOL_DEV_SUBMIT_NONBLOCK,
					&accepted));
	EXPECT_EQ(0, accepted);
	/* a signal ends the wait for room in the group */
	nag(20000);
	EXPECT_EQ(-EINTR, submit(self->fd, WPOOL_WORK_NOOP, 0, 1));
	nag(0);
	EXPECT_EQ(BOUND, pool_figure(self->fd, file_submitted));
	EXPECT_EQ(BOUND, pool_figure(self->fd, outstanding));
	/* the first file gets the fourth worker, and has unlimited room */
	EXPECT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 0, 200));
	EXPECT_EQ(0, wait_tasks(self->pool.fd, 0));
	/* a task has its record before the pool counts it as completed */
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->fd, completed) == 200));
	EXPECT_EQ(BOUND, pool_figure(self->fd, outstanding));
}

/*
 * A cancel of all tasks ends queued tasks, running tasks, and a submitter that waits for room in
 * the group.
 */
TEST_F(group, cancel_all)
{
	struct submitter submitter;
	struct wpool_dev_record records[BOUND];
	__u32 cancelled, stopped;
	unsigned int i;
	int err;

	ASSERT_EQ(0, pool_tune(self->fd, ATTRS(.capacity = 1)));
	ASSERT_EQ(0, submit_many(self->fd, WPOOL_WORK_SLEEP, LONG, 0, BOUND));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->fd, blocked) == 1));
	ASSERT_EQ(0, submitter_start(&submitter, self->fd, WPOOL_WORK_SLEEP, LONG, 99, 1));
	/* the waiting task belongs to the file, though the pool has not accepted it */
	ASSERT_TRUE(WAIT_FOR(cancel(self->fd, 0, 99, &cancelled, &stopped) == 0));
	EXPECT_EQ(0, cancel(self->fd, WPOOL_DEV_CANCEL_ALL, 0, &cancelled, &stopped));
	EXPECT_EQ(BOUND - 1, cancelled);
	/* stopped counts the running task, and the submitter if it still waits */
	EXPECT_LE(1, stopped);
	EXPECT_GE(2, stopped);
	/* if the submitter did not wait yet, a later call cancels it or its task */
	ASSERT_TRUE(WAIT_FOR(!cancel_all(self->fd) && !pool_figure(self->fd, outstanding)));
	err = submitter_end(&submitter);
	EXPECT_TRUE(err == -ECANCELED || !err);
	ASSERT_EQ(BOUND, read_records(self->fd, records, BOUND));
	for (i = 0; i < BOUND; i++)
		EXPECT_EQ(-ECANCELED, records[i].status);
	/* cancelled tasks have their records before the stopped one */
	EXPECT_EQ(0, records[0].start_ns);
	EXPECT_EQ(0, records[1].start_ns);
	EXPECT_EQ(0, submit(self->fd, WPOOL_WORK_NOOP, 0, 100));
}

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
