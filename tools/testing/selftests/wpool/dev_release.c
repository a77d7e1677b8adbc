// SPDX-License-Identifier: GPL-2.0
/* Release, reboot and destroy of a pool of /dev/wpool, under load and while submitters wait. */
#include "wpool_test.h"
#include "submitter.h"

static void *destroyer_run(void *data)
{
	struct submitter *sub = data;

	sub->err = pool_destroy(sub->fd);
	__atomic_store_n(&sub->done, true, __ATOMIC_RELEASE);
	return NULL;
}

TEST_F(block, destroy_sends_submitters_away)
{
	struct submitter subs[3], *sub, destroyer = { .fd = self->second };
	struct wpool_dev_record records[2];
	struct wpool_dev_stats stats;
	size_t i;
	int fd;

	/* destroy lets accepted tasks run to their end: one runs, one is queued */
	ASSERT_EQ(0, pool_tune(self->pool.fd, ATTRS(.queue_depth = 1)));
	ASSERT_EQ(0, occupy(self->pool.fd, 1, 1));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, 50 * MSEC, 2));
	for (i = 0; i < ARRAY_SIZE(subs); i++)
		ASSERT_EQ(0, submitter_start(&subs[i], self->second, WPOOL_WORK_NOOP, 0, i, 1));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, waiting) == ARRAY_SIZE(subs)));
	ASSERT_EQ(0, pthread_create(&destroyer.thread, NULL, destroyer_run, &destroyer));
	for (i = 0; i < ARRAY_SIZE(subs); i++) {
		sub = &subs[i];
		EXPECT_EQ(-ESHUTDOWN, submitter_end(sub));
		EXPECT_EQ(0, sub->accepted);
	}
	EXPECT_FALSE(submitter_done(&destroyer));
	EXPECT_EQ(0, cancel(self->pool.fd, 0, 1, NULL, NULL));
	EXPECT_EQ(0, submitter_end(&destroyer));
	EXPECT_FALSE(pool_exists(self->pool.name));
	EXPECT_EQ(2, pool_figure(self->pool.fd, file_finished));
	ASSERT_EQ(2, read_records(self->pool.fd, records, 2));
	EXPECT_EQ(-ECANCELED, records[0].status);
	EXPECT_EQ(2, records[1].cookie);
	EXPECT_EQ(0, records[1].status);

	/* both files still work, but the pool is gone */
	EXPECT_EQ(-ESHUTDOWN, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 1));
	EXPECT_EQ(-ESHUTDOWN, submit(self->second, WPOOL_WORK_NOOP, 0, 1));
	EXPECT_EQ(-ESHUTDOWN, pool_tune(self->second, ATTRS(.expiry_ms = 1)));
	EXPECT_EQ(-ESHUTDOWN, pool_reboot(self->second));
	EXPECT_EQ(0, pool_release(self->second, WPOOL_DEV_RELEASE_WAIT, 0));
	EXPECT_EQ(0, pool_destroy(self->second));
	EXPECT_EQ(0, wait_tasks(self->second, 0));
	ASSERT_EQ(0, pool_stats(self->second, &stats));
	EXPECT_EQ(WPOOL_DEV_DESTROYED, stats.state);
	EXPECT_EQ(0, stats.workers);
	EXPECT_EQ(0, stats.outstanding);
	EXPECT_EQ(2, stats.completed);
	EXPECT_EQ(-ENOENT, pool_attach(self->pool.name, 0));
	/* the name is free */
	fd = open(DEV, O_RDWR);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pool_create_fd(fd, self->pool.name, NULL));
	EXPECT_EQ(0, pool_destroy(fd));
}

/* Several files destroy the pool at once: every call returns, and the pool is gone. */
TEST_F(block, destroy_together)
{
	struct submitter destroyers[4];
	int fds[4];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = pool_attach(self->pool.name, 0);
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(0, submit_many(fds[i], WPOOL_WORK_SLEEP, 20 * MSEC, i, 2));
	}
	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		destroyers[i] = (struct submitter){ .fd = fds[i] };
		ASSERT_EQ(0, pthread_create(&destroyers[i].thread, NULL, destroyer_run,
					    &destroyers[i]));
	}
	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		EXPECT_EQ(0, submitter_end(&destroyers[i]));
		EXPECT_FALSE(pool_exists(self->pool.name));
		EXPECT_EQ(2, pool_figure(fds[i], file_finished));
		close(fds[i]);
	}
}

TEST(default_pool_is_not_ours_to_end)
{
	int fd = pool_attach("default", 0);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EBUSY, pool_destroy(fd));
	EXPECT_EQ(-EBUSY, pool_release(fd, 0, 0));
	EXPECT_EQ(-EBUSY, pool_release(fd, WPOOL_DEV_RELEASE_WAIT | WPOOL_DEV_RELEASE_CANCEL, 1));
	EXPECT_EQ(-EBUSY, pool_reboot(fd));
	EXPECT_EQ(WPOOL_DEV_OPEN, pool_figure(fd, state));
	EXPECT_EQ(0, submit_many(fd, WPOOL_WORK_NOOP, 0, 0, 100));
	EXPECT_EQ(0, wait_tasks(fd, 0));
}

TEST_F(block, a_released_pool_is_open_after_a_reboot)
{
	char state[32];

	ASSERT_EQ(0, occupy(self->pool.fd, 1, 1));
	EXPECT_EQ(-ETIME, pool_release(self->pool.fd, WPOOL_DEV_RELEASE_WAIT, 20 * MSEC));
	EXPECT_EQ(-ESHUTDOWN, submit(self->second, WPOOL_WORK_NOOP, 0, 1));
	EXPECT_EQ(0, attr_read(self->pool.name, "state", state, sizeof(state)));
	EXPECT_STREQ("closed", state);
	EXPECT_EQ(WPOOL_DEV_CLOSED, pool_figure(self->second, state));
	EXPECT_EQ(0, cancel(self->pool.fd, 0, 1, NULL, NULL));
	EXPECT_EQ(0, pool_release(self->second, WPOOL_DEV_RELEASE_WAIT, WAIT_NS));
	EXPECT_EQ(0, pool_figure(self->second, workers));
	EXPECT_EQ(-ESHUTDOWN, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 1));
	EXPECT_EQ(0, pool_reboot(self->second));
	EXPECT_EQ(WPOOL_DEV_OPEN, pool_figure(self->second, state));
	/* reboot does nothing to an open pool */
	EXPECT_EQ(0, pool_reboot(self->pool.fd));
	EXPECT_RECORD(self->pool.fd, 1, -ECANCELED);
	EXPECT_EQ(0, run_one(self->pool.fd));
}

/*
 * A release that a stop or a signal has interrupted does not close the pool again, if another file
 * has rebooted it meanwhile.
 */
TEST_F(block, release_interrupted_leaves_a_rebooted_pool_open)
{
	int status;
	pid_t pid;

	ASSERT_EQ(0, occupy(self->pool.fd, 1, 1));
	pid = fork();
	if (!pid)
		_exit(-pool_release(self->second, WPOOL_DEV_RELEASE_CANCEL |
				    WPOOL_DEV_RELEASE_WAIT, 0));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, state) == WPOOL_DEV_CLOSED));
	ASSERT_EQ(0, kill(pid, SIGSTOP));
	ASSERT_EQ(pid, waitpid(pid, &status, WUNTRACED));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_EQ(0, pool_reboot(self->pool.fd));
	EXPECT_EQ(0, occupy(self->pool.fd, 2, 1));
	EXPECT_EQ(0, kill(pid, SIGCONT));
	EXPECT_EQ(EINTR, child_end(pid));
	EXPECT_EQ(WPOOL_DEV_OPEN, pool_figure(self->pool.fd, state));
	EXPECT_EQ(1, pool_figure(self->pool.fd, busy));
}

TEST_F(block, release_cancels_if_asked)
{
	ASSERT_EQ(0, pool_tune(self->pool.fd, ATTRS(.queue_depth = 10)));
	ASSERT_EQ(0, occupy(self->pool.fd, 1, 1));
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 2, 3));
	EXPECT_EQ(0, pool_release(self->second, WPOOL_DEV_RELEASE_CANCEL, 0));
	/* the running task is not cancelled */
	EXPECT_TRUE(none_has_run(self->pool.fd, 3));
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->second, outstanding) == 1));
	EXPECT_EQ(-ETIME, pool_release(self->second, WPOOL_DEV_RELEASE_WAIT, MSEC));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_EQ(0, pool_release(self->second, WPOOL_DEV_RELEASE_WAIT, WAIT_NS));
	EXPECT_EQ(0, pool_reboot(self->second));
	EXPECT_EQ(0, run_one(self->second));
}

/* A release with CANCEL drops the waiting nodes of a tree, which would run for hours. */
TEST_F(block, release_cancels_the_rest_of_a_tree)
{
	struct wpool_dev_work tree = {
		.kind = WPOOL_WORK_TREE, .arg = 10 * MSEC, .depth = 5, .fanout = 15, .cookie = 1,
	};

	ASSERT_EQ(0, submit_all(self->second, &tree, 1));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->second, busy) == 1));
	EXPECT_EQ(0, pool_release(self->pool.fd, WPOOL_DEV_RELEASE_CANCEL | WPOOL_DEV_RELEASE_WAIT,
				  WAIT_NS));
	EXPECT_RECORD(self->second, 1, -ECANCELED);
}

/* A pool released with RELEASE_OWN fires timers, and accepts submitters that wait. */
TEST_F(block, release_to_own)
{
	struct submitter sub;
	char state[32];

	ASSERT_EQ(0, occupy(self->pool.fd, 2, 1));
	ASSERT_EQ(0, submitter_start(&sub, self->second, WPOOL_WORK_NOOP, 0, 9, 1));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, waiting) == 1));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_TIMER, 300 * MSEC, 1));
	EXPECT_EQ(0, pool_release(self->second, WPOOL_DEV_RELEASE_OWN, 0));
	EXPECT_EQ(WPOOL_DEV_CLOSING, pool_figure(self->second, state));
	ASSERT_EQ(0, attr_read(self->pool.name, "state", state, sizeof(state)));
	EXPECT_STREQ("closing", state);
	EXPECT_EQ(-ESHUTDOWN, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 4));
	EXPECT_EQ(-ESHUTDOWN, submit(self->pool.fd, WPOOL_WORK_TIMER, MSEC, 4));
	EXPECT_EQ(-ESHUTDOWN, submit(self->pool.fd, WPOOL_WORK_STRAND, 0, 4));
	EXPECT_EQ(0, cancel(self->pool.fd, 0, 2, NULL, NULL));
	EXPECT_EQ(0, submitter_end(&sub));
	EXPECT_EQ(1, sub.accepted);
	EXPECT_RECORD(self->pool.fd, 2, -ECANCELED);
	EXPECT_RECORD(self->pool.fd, 1, 0);
	EXPECT_EQ(0, pool_reboot(self->second));
	EXPECT_EQ(WPOOL_DEV_OPEN, pool_figure(self->second, state));
}

/* Very long time-outs of a release do not overflow. */
TEST_F(block, release_enormous_timeout)
{
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, 50 * MSEC, 1));
	EXPECT_EQ(0, pool_release(self->pool.fd, WPOOL_DEV_RELEASE_WAIT, UINT64_MAX));
	EXPECT_EQ(0, pool_reboot(self->pool.fd));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, 50 * MSEC, 1));
	EXPECT_EQ(0, pool_release(self->pool.fd, WPOOL_DEV_RELEASE_WAIT, 1ULL << 63));
}

TEST_HARNESS_MAIN
