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

/* The name is free as soon as the pool is gone, even if files are still attached. */
TEST_F(block, destroyed_name_is_free)
{
	unsigned int i;
	int fd;

	EXPECT_EQ(0, pool_destroy(self->pool.fd));
	EXPECT_EQ(-ENOENT, pool_attach(self->pool.name, 0));
	for (i = 0; i < 10; i++) {
		fd = open(DEV, O_RDWR);
		ASSERT_LE(0, fd);
		EXPECT_EQ(0, pool_create_fd(fd, self->pool.name, NULL));
		EXPECT_EQ(0, pool_destroy(fd));
	}
	/* the file still belongs to the old pool */
	EXPECT_EQ(-ESHUTDOWN, submit(self->second, WPOOL_WORK_NOOP, 0, 1));
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
	struct wpool_dev_record records[3];
	struct wpool_dev_stats stats;
	char state[32];
	unsigned int i, round;

	ASSERT_EQ(0, pool_tune(self->pool.fd, ATTRS(.queue_depth = 10)));
	for (round = 0; round < 3; round++) {
		/* reboot does nothing to an open pool */
		EXPECT_EQ(0, pool_reboot(self->pool.fd));
		ASSERT_EQ(0, occupy(self->pool.fd, 1, 1));
		ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 2, 2));

		EXPECT_EQ(-ETIME, pool_release(self->pool.fd, WPOOL_DEV_RELEASE_WAIT, 20 * MSEC));
		EXPECT_EQ(-ESHUTDOWN, submit(self->second, WPOOL_WORK_NOOP, 0, 1));
		EXPECT_EQ(0, attr_read(self->pool.name, "state", state, sizeof(state)));
		EXPECT_STREQ("closed", state);
		EXPECT_EQ(WPOOL_DEV_CLOSED, pool_figure(self->second, state));
		EXPECT_EQ(3, pool_figure(self->second, outstanding));
		/* the pool can be released, and waited for, again */
		EXPECT_EQ(0, pool_release(self->second, 0, 0));
		EXPECT_EQ(-ETIME, pool_release(self->second, WPOOL_DEV_RELEASE_WAIT, MSEC));

		EXPECT_EQ(0, cancel(self->pool.fd, 0, 1, NULL, NULL));
		EXPECT_EQ(0, pool_release(self->second, WPOOL_DEV_RELEASE_WAIT, WAIT_NS));
		EXPECT_EQ(0, pool_release(self->second, WPOOL_DEV_RELEASE_WAIT, 0));
		ASSERT_EQ(0, pool_stats(self->second, &stats));
		EXPECT_EQ(0, stats.workers);
		EXPECT_EQ(0, stats.outstanding);
		ASSERT_EQ(3, read_records(self->pool.fd, records, 3));
		for (i = 0; i < 3; i++)
			EXPECT_EQ(records[i].cookie == 1 ? -ECANCELED : 0, records[i].status);

		/* the pool stays closed until a reboot */
		EXPECT_EQ(-ESHUTDOWN, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 1));
		EXPECT_EQ(0, pool_reboot(self->second));
		EXPECT_EQ(WPOOL_DEV_OPEN, pool_figure(self->second, state));
	}
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

/* A pool released with RELEASE_OWN fires timers, accepts waiting submitters and nodes of trees. */
TEST_F(block, release_to_own)
{
	struct wpool_dev_work tree = {
		.kind = WPOOL_WORK_TREE,
		.depth = 3,
		.fanout = 2,
		.cookie = 3,
	};
	struct wpool_dev_record records[3];
	struct submitter sub;
	unsigned int i, seen = 0;
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
	/* a submitter that waited at the release is accepted */
	EXPECT_EQ(0, cancel(self->pool.fd, 0, 2, NULL, NULL));
	EXPECT_EQ(0, submitter_end(&sub));
	EXPECT_EQ(1, sub.accepted);

	/* a tree accepted before the release still submits its branches */
	EXPECT_EQ(0, pool_reboot(self->second));
	EXPECT_EQ(WPOOL_DEV_OPEN, pool_figure(self->second, state));
	ASSERT_EQ(0, pool_tune(self->pool.fd, ATTRS(.queue_depth = 100)));
	ASSERT_EQ(0, occupy(self->second, 5, 1));
	ASSERT_EQ(0, submit_all(self->pool.fd, &tree, 1));
	EXPECT_EQ(0, pool_release(self->second, WPOOL_DEV_RELEASE_OWN, 0));
	EXPECT_EQ(0, cancel(self->second, 0, 5, NULL, NULL));
	EXPECT_EQ(0, wait_tasks(self->pool.fd, WAIT_NS));
	ASSERT_EQ(3, read_records(self->pool.fd, records, 3));
	for (i = 0; i < 3; i++) {
		seen |= 1 << records[i].cookie;
		EXPECT_EQ(records[i].cookie == 2 ? -ECANCELED : 0, records[i].status);
	}
	EXPECT_EQ(1 << 1 | 1 << 2 | 1 << 3, seen);
}

TEST_F(block, release_to_own_goes_with_no_other_flag)
{
	__u32 flags;

	for (flags = WPOOL_DEV_RELEASE_OWN + 1; flags < 2 * WPOOL_DEV_RELEASE_OWN; flags++)
		EXPECT_EQ(-EINVAL, pool_release(self->pool.fd, flags, MSEC));
	EXPECT_EQ(WPOOL_DEV_OPEN, pool_figure(self->pool.fd, state));
	/* RELEASE_OWN does not open a closed pool */
	EXPECT_EQ(0, pool_release(self->pool.fd, 0, 0));
	EXPECT_EQ(0, pool_release(self->pool.fd, WPOOL_DEV_RELEASE_OWN, 0));
	EXPECT_EQ(WPOOL_DEV_CLOSED, pool_figure(self->pool.fd, state));
}

/* If the pool closes in the middle of a batch, the submit returns how many were accepted. */
TEST_F(block, release_in_the_middle_of_a_batch)
{
	struct submitter sub;

	ASSERT_EQ(0, submitter_start(&sub, self->second, WPOOL_WORK_SLEEP, LONG, 0, 3));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, waiting) == 1));
	EXPECT_EQ(0, pool_release(self->pool.fd, 0, 0));
	EXPECT_EQ(0, submitter_end(&sub));
	EXPECT_EQ(1, sub.accepted);
	EXPECT_EQ(1, pool_figure(self->second, file_submitted));
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
