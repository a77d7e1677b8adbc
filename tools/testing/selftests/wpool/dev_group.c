// SPDX-License-Identifier: GPL-2.0
/* Groups of /dev/wpool: the tasks of a file have their own bound, and are cancelled together. */
#include "submitter.h"
#include "work_fixture.h"

#define BOUND	3
#define TASKS	200

/* Four workers, an unlimited queue; the second file has a group. */
TWO_FILES_AND(group, SMALL_POOL, ASSERT_EQ(0, group_init(self->fd, BOUND)))

TEST_F(group, a_group_runs_all_its_tasks)
{
	struct wpool_dev_record records[TASKS];
	__u64 since = now_ns();
	unsigned int i;

	ASSERT_EQ(0, submit_many(self->fd, WPOOL_WORK_NOOP, 0, 0, TASKS));
	EXPECT_EQ(0, wait_tasks(self->fd, 0));
	ASSERT_EQ(TASKS, read_records(self->fd, records, TASKS));
	for (i = 0; i < TASKS; i++)
		check_record(_metadata, &records[i], records[i].cookie, since);
	EXPECT_EQ(TASKS, pool_figure(self->fd, file_finished));
}

/* A file with a group has a bound of tasks in the pool; another file has none. */
TEST_F(group, bound)
{
	struct wpool_dev_work *works = works_alloc(WPOOL_WORK_SLEEP, LONG, 0, BOUND + 2);
	__u32 accepted;

	EXPECT_EQ(0, submit_flags(self->fd, works, BOUND + 2, WPOOL_DEV_SUBMIT_NONBLOCK,
				  &accepted));
	EXPECT_EQ(BOUND, accepted);
	EXPECT_EQ(-EAGAIN, submit_flags(self->fd, works, 1, WPOOL_DEV_SUBMIT_NONBLOCK,
					&accepted));
	EXPECT_EQ(0, accepted);
	EXPECT_EQ(BOUND, pool_figure(self->fd, outstanding));
	/* the first file gets the fourth worker, and has unlimited room */
	EXPECT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 0, TASKS));
	EXPECT_EQ(0, wait_tasks(self->pool.fd, 0));
	/* a task has its record before the pool counts it as completed */
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->fd, completed) == TASKS));
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

TEST_F(group, cancelled_by_its_cookie)
{
	__u32 cancelled, stopped;

	ASSERT_EQ(0, occupy(self->pool.fd, 0, 4));
	ASSERT_EQ(0, submit(self->fd, WPOOL_WORK_NOOP, 0, 1));
	ASSERT_EQ(0, submit(self->fd, WPOOL_WORK_NOOP, 0, 2));
	EXPECT_EQ(0, cancel(self->fd, 0, 2, &cancelled, &stopped));
	EXPECT_EQ(1, cancelled);
	EXPECT_EQ(0, stopped);
	EXPECT_RECORD(self->fd, 2, -ECANCELED);
	EXPECT_EQ(-ENOENT, cancel(self->fd, 0, 2, &cancelled, &stopped));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_RECORD(self->fd, 1, 0);
}

TEST_F(group, signal_ends_the_wait)
{
	ASSERT_EQ(0, submit_many(self->fd, WPOOL_WORK_SLEEP, LONG, 0, BOUND));
	nag(20000);
	EXPECT_EQ(-EINTR, submit(self->fd, WPOOL_WORK_NOOP, 0, 1));
	nag(0);
	EXPECT_EQ(BOUND, pool_figure(self->fd, file_submitted));
}

TEST_F(group, close_while_tasks_are_queued)
{
	unsigned int i;
	int fd;

	ASSERT_EQ(0, occupy(self->pool.fd, 0, 4));
	/* all workers are busy, and close does not wait until a worker takes the tasks */
	for (i = 0; i < 20; i++) {
		fd = pool_attach(self->pool.name, 0);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, group_init(fd, BOUND));
		ASSERT_EQ(0, submit_many(fd, WPOOL_WORK_SLEEP, LONG, 0, BOUND));
		close(fd);
	}
	EXPECT_EQ(20 * BOUND + 4, pool_figure(self->fd, outstanding));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->fd, outstanding)));
}

TEST_F(group, a_group_keeps_its_bound)
{
	int fd = pool_attach(self->pool.name, 0);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EISCONN, group_init(self->fd, BOUND));
	EXPECT_EQ(-ERANGE, group_init(fd, 0));
	EXPECT_EQ(0, group_init(fd, WPOOL_DEV_UNLIMITED));
	EXPECT_EQ(0, submit_many(fd, WPOOL_WORK_NOOP, 0, 0, TASKS));
	EXPECT_EQ(0, wait_tasks(fd, 0));
}

TEST_F(group, a_closed_pool_refuses_tasks_of_a_group)
{
	ASSERT_EQ(0, pool_destroy(self->pool.fd));
	EXPECT_EQ(-ESHUTDOWN, submit(self->fd, WPOOL_WORK_NOOP, 0, 0));
	EXPECT_EQ(0, pool_figure(self->fd, file_submitted));
}

TEST_HARNESS_MAIN
