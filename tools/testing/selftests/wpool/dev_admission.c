// SPDX-License-Identifier: GPL-2.0
/*
 * Admission: submitters of a full pool are refused, sleep until a signal, or run their tasks. The
 * tasks of a file are its own. KUnit tests that the limit is exact, and who is served.
 */
#include "wpool_test.h"
#include "submitter.h"

TEST_F(block, a_nonblocking_submit_does_not_wait)
{
	struct wpool_dev_work works[3] = {
		{ .kind = WPOOL_WORK_SLEEP, .arg = LONG },
		{ .kind = WPOOL_WORK_SLEEP, .arg = LONG },
	};
	int fd = pool_attach(self->pool.name, O_NONBLOCK);
	__u32 accepted;

	ASSERT_LE(0, fd);
	/* the start of a batch is accepted, as under the policy fail */
	EXPECT_EQ(0, submit_flags(self->pool.fd, works, 3, WPOOL_DEV_SUBMIT_NONBLOCK, &accepted));
	EXPECT_EQ(1, accepted);
	EXPECT_EQ(-EAGAIN, submit_flags(self->pool.fd, works, 3, WPOOL_DEV_SUBMIT_NONBLOCK,
					&accepted));
	EXPECT_EQ(0, accepted);
	EXPECT_EQ(-EAGAIN, submit_flags(fd, works, 1, 0, &accepted));
	EXPECT_EQ(0, accepted);
	EXPECT_EQ(-EAGAIN, submit_flags(fd, works, 1, WPOOL_DEV_SUBMIT_NONBLOCK, &accepted));
	EXPECT_EQ(4, pool_figure(fd, refused));
	/* once there is room, the submit through the non-blocking file is accepted */
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	ASSERT_TRUE(WAIT_FOR(pool_figure(fd, free) == 1));
	EXPECT_EQ(0, submit_flags(fd, works, 1, 0, &accepted));
	EXPECT_EQ(1, accepted);
	close(fd);
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
}

/* A signal ends the submit of a batch. The pool has room for one task, the second time for none. */
TEST_F(block, interrupted)
{
	struct submitter sub;
	unsigned int i;

	ASSERT_EQ(0, on_signal(SIGUSR1, 0));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, submitter_start(&sub, self->pool.fd, WPOOL_WORK_SLEEP, LONG, 0, 3));
		ASSERT_TRUE(WAIT_FOR(pool_figure(self->second, waiting) == 1));
		EXPECT_EQ(0, pthread_kill(sub.thread, SIGUSR1));
		EXPECT_EQ(i ? -EINTR : 0, submitter_end(&sub));
		EXPECT_EQ(1 - i, sub.accepted);
		EXPECT_EQ(0, pool_figure(self->second, waiting));
		EXPECT_EQ(1, pool_figure(self->second, outstanding));
		EXPECT_EQ(1, pool_figure(self->pool.fd, file_submitted));
	}
}

/* Create a full pool with policy "run". Returns a second file of it, with a @group or not. */
static int create_full_run_pool(struct pool *pool, bool group)
{
	int err = pool_create(pool, ATTRS(.capacity = 1, .policy = WPOOL_DEV_POLICY_RUN));
	int second = err ?: pool_attach(pool->name, 0);

	if (second >= 0)
		err = (group ? group_init(second, 10) : 0) ?: occupy(pool->fd, 0, 1);
	return err ?: second;
}

/* A submitter that runs tasks itself, under policy "run", handles a signal after each of them. */
TEST(run_interrupted)
{
	struct submitter sub;
	struct pool pool;
	int i, second;

	ASSERT_EQ(0, on_signal(SIGUSR1, 0));
	for (i = 0; i < 2; i++) {
		second = create_full_run_pool(&pool, i);
		ASSERT_LE(0, second);
		ASSERT_EQ(0, submitter_start(&sub, second, WPOOL_WORK_SLEEP, 200 * MSEC, 0, 60));
		ASSERT_TRUE(WAIT_FOR(pool_figure(second, file_finished)));
		EXPECT_EQ(0, pthread_kill(sub.thread, SIGUSR1));
		EXPECT_EQ(0, submitter_end(&sub));
		EXPECT_GT(60, sub.accepted);
		EXPECT_EQ(sub.accepted, pool_figure(second, file_finished));
		close(second);
		pool_end(&pool);
	}
}

/*
 * The tasks of a submitter that runs them itself belong together: a wait lasts until the last one
 * has ended, and a cancel stops them all.
 */
TEST(run_together)
{
	struct submitter sub;
	struct pool pool;
	int i, second;

	for (i = 0; i < 2; i++) {
		second = create_full_run_pool(&pool, i);
		ASSERT_LE(0, second);
		ASSERT_EQ(0, submitter_start(&sub, second, WPOOL_WORK_SLEEP, 50 * MSEC, 0, 60));
		ASSERT_TRUE(WAIT_FOR(wait_tasks(second, 1) == -ETIME));
		EXPECT_EQ(0, wait_tasks(second, WAIT_NS));
		EXPECT_EQ(60, pool_figure(second, file_finished));
		EXPECT_EQ(0, submitter_end(&sub));
		ASSERT_EQ(0, submitter_start(&sub, second, WPOOL_WORK_SLEEP, LONG, 0, 60));
		ASSERT_TRUE(WAIT_FOR(wait_tasks(second, 1) == -ETIME));
		EXPECT_EQ(0, cancel_all(second));
		EXPECT_EQ(0, submitter_end(&sub));
		EXPECT_EQ(120, pool_figure(second, file_finished));
		close(second);
		pool_end(&pool);
	}
}

/* After a handler with SA_RESTART the call continues, and no task is accepted twice. */
TEST_F(block, restarted)
{
	struct submitter sub;
	unsigned int i;

	ASSERT_EQ(0, on_signal(SIGUSR1, SA_RESTART));
	ASSERT_EQ(0, occupy(self->pool.fd, 1, 1));
	ASSERT_EQ(0, submitter_start(&sub, self->pool.fd, WPOOL_WORK_NOOP, 0, 2, 1));
	for (i = 0; i < 5; i++) {
		ASSERT_TRUE(WAIT_FOR(pool_figure(self->second, waiting) == 1));
		EXPECT_EQ(0, pthread_kill(sub.thread, SIGUSR1));
	}
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->second, waiting) == 1));
	EXPECT_FALSE(submitter_done(&sub));
	EXPECT_EQ(0, cancel(self->pool.fd, 0, 1, NULL, NULL));
	EXPECT_EQ(0, submitter_end(&sub));
	EXPECT_EQ(1, sub.accepted);
	EXPECT_EQ(0, wait_tasks(self->pool.fd, WAIT_NS));
	EXPECT_EQ(2, pool_figure(self->pool.fd, file_finished));
}

TEST_F(block, a_file_cannot_cancel_tasks_of_another)
{
	struct wpool_dev_record record;

	ASSERT_EQ(0, pool_tune(self->pool.fd, ATTRS(.capacity = 4)));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 1));
	ASSERT_EQ(0, submit(self->second, WPOOL_WORK_SLEEP, LONG, 1));
	ASSERT_EQ(0, submit(self->second, WPOOL_WORK_SLEEP, LONG, 2));
	EXPECT_EQ(-ENOENT, cancel(self->pool.fd, 0, 2, NULL, NULL));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_EQ(0, wait_tasks(self->pool.fd, WAIT_NS));
	EXPECT_RECORD(self->pool.fd, 1, -ECANCELED);
	EXPECT_EQ(0, read(self->pool.fd, &record, sizeof(record)));
	EXPECT_EQ(-ETIME, wait_tasks(self->second, 1));
	EXPECT_EQ(0, pool_figure(self->second, file_finished));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->second, outstanding) == 2));
	/* the close of one file does not affect tasks of the other */
	EXPECT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 3));
	EXPECT_EQ(0, close(self->second));
	self->second = -1;
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, outstanding) == 1));
	EXPECT_EQ(-ETIME, wait_tasks(self->pool.fd, 1));
}

/* A duplicated file is released with its last descriptor. */
TEST_F(block, close_of_a_duplicate)
{
	int fd = dup(self->second);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, submit(self->second, WPOOL_WORK_SLEEP, LONG, 1));
	EXPECT_EQ(0, close(fd));
	EXPECT_EQ(-ETIME, wait_tasks(self->second, 1));
	EXPECT_EQ(1, pool_figure(self->pool.fd, outstanding));
}

/* A submitter that runs a tree does not wait for workers: it runs the tree alone. */
TEST(tree_in_its_submitter)
{
	struct submitter sub;
	struct pool pool;
	int fd, try;

	ASSERT_EQ(0, pool_create(&pool, ATTRS(.capacity = 1, .policy = WPOOL_DEV_POLICY_RUN)));
	ASSERT_EQ(0, occupy(pool.fd, 0, 1));
	for (try = 0;; try++) {
		fd = pool_attach(pool.name, 0);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, submitter_start_tree(&sub, fd, 50 * MSEC, 1, 16));
		EXPECT_TRUE(WAIT_FOR(submitter_cpu_ns(&sub) > 10 * MSEC << try));
		/* now the pool would accept nodes of the tree, behind a task that does not end */
		EXPECT_EQ(0, pool_tune(pool.fd, ATTRS(.queue_depth = WPOOL_DEV_UNLIMITED)));
		EXPECT_EQ(0, submitter_end(&sub));
		if (pool_figure(pool.fd, outstanding) == 1 || try == 5)
			break;
		/* the submitter was slow, and the pool accepted the tree: wait longer */
		close(fd);
		EXPECT_TRUE(WAIT_FOR(pool_figure(pool.fd, outstanding) == 1));
		EXPECT_EQ(0, pool_tune(pool.fd, ATTRS(.mask = WPOOL_DEV_QUEUE_DEPTH)));
	}
	EXPECT_EQ(1, pool_figure(pool.fd, outstanding));
	EXPECT_RECORD(fd, 0, 0);
	cancel_all(pool.fd);
	close(fd);
	pool_end(&pool);
}

TEST_HARNESS_MAIN
