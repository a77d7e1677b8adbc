// SPDX-License-Identifier: GPL-2.0
/* The close of a file of /dev/wpool with tasks in all states, and how many tasks a file holds. */
#include "wpool_test.h"
#include "submitter.h"

TWO_FILES(in_flight, ATTRS(.capacity = 4, .queue_depth = WPOOL_DEV_UNLIMITED))

FIXTURE_VARIANT(in_flight)
{
	struct wpool_dev_work work;
};

FIXTURE_VARIANT_ADD(in_flight, sleep) WORK(SLEEP, .arg = LONG);
FIXTURE_VARIANT_ADD(in_flight, spin) WORK(SPIN, .arg = LONG);
FIXTURE_VARIANT_ADD(in_flight, lock) WORK(LOCK, .arg = LONG);
FIXTURE_VARIANT_ADD(in_flight, yield) WORK(YIELD, .arg = WPOOL_MAX_WORK_YIELDS);
FIXTURE_VARIANT_ADD(in_flight, touch) WORK(TOUCH, .arg = WPOOL_MAX_WORK_BYTES / 4);
FIXTURE_VARIANT_ADD(in_flight, hash) WORK(HASH, .arg = WPOOL_MAX_WORK_BYTES / 4);
FIXTURE_VARIANT_ADD(in_flight, tree) WORK(TREE, .arg = LONG, .depth = 3, .fanout = 4);

/* Close cuts tasks short: each task that sleeps or spins would take LONG. */
TEST_F(in_flight, close_ends_it_soon)
{
	struct wpool_dev_work works[16];
	struct pool witness;
	unsigned int i;
	__u64 began;

	for (i = 0; i < ARRAY_SIZE(works); i++)
		works[i] = variant->work;
	ASSERT_EQ(0, witness_begin(&witness));
	ASSERT_EQ(0, submit_all(self->fd, works, ARRAY_SIZE(works)));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, busy) >= 1 ||
			     !pool_figure(self->pool.fd, outstanding)));
	began = now_ns();
	EXPECT_EQ(0, close(self->fd));
	self->fd = -1;
	EXPECT_TRUE(witness_runs(&witness))
		TH_LOG("a close waited for tasks to come to their own end");
	TH_LOG("close took %llu ms", (unsigned long long)((now_ns() - began) / MSEC));
	ASSERT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
	ASSERT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, busy)));
	pool_end(&witness);
}

TEST_F(in_flight, a_killed_process_leaves_no_task)
{
	struct wpool_dev_work work = variant->work;
	pid_t pid;
	int fd, i;

	pid = fork();
	if (!pid) {
		fd = pool_attach(self->pool.name, 0);
		for (i = 0; i < 8; i++)
			if (submit_all(fd, &work, 1))
				_exit(1);
		pause();
	}
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, submitted) >= 8));
	EXPECT_TRUE(child_kill(pid));
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
}

TWO_FILES(file, ATTRS(.capacity = 4, .queue_depth = WPOOL_DEV_UNLIMITED))

/* A process that sleeps in WAIT or in read() can be killed. */
TEST_F(file, killed_while_it_waits)
{
	struct wpool_dev_record record;
	pid_t pid[2];
	int i;

	ASSERT_EQ(0, submit(self->fd, WPOOL_WORK_SLEEP, LONG, 0));
	for (i = 0; i < 2; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			if (i)
				wait_tasks(self->fd, 0);
			else if (read(self->fd, &record, sizeof(record)))
				_exit(2);
			_exit(1);
		}
	}
	for (i = 0; i < 2; i++) {
		char state[64] = "";

		/* the process sleeps, so it is in the call */
		ASSERT_TRUE(WAIT_FOR(!thread_status(pid[i], "State", state, sizeof(state)) &&
				     state[0] == 'S'));
		EXPECT_TRUE(child_kill(pid[i]));
	}
	EXPECT_EQ(1, pool_figure(self->pool.fd, outstanding));
	close(self->fd);
	self->fd = -1;
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
}

/* A file holds WPOOL_MAX_INFLIGHT unfinished tasks and unread records, and no more. */
TEST_F(file, records_of_a_file)
{
	struct wpool_dev_record record;
	__u32 nr;

	for (nr = 0; nr < WPOOL_MAX_INFLIGHT; nr += WPOOL_MAX_BATCH)
		ASSERT_EQ(0, submit_many(self->fd, WPOOL_WORK_NOOP, 0, nr, WPOOL_MAX_BATCH));
	EXPECT_EQ(-ENOBUFS, submit(self->fd, WPOOL_WORK_NOOP, 0, 0));
	EXPECT_EQ(0, wait_tasks(self->fd, 0));
	EXPECT_EQ(WPOOL_MAX_INFLIGHT, pool_figure(self->fd, file_unread));
	/* finished tasks count until their records are read */
	EXPECT_EQ(-ENOBUFS, submit(self->fd, WPOOL_WORK_NOOP, 0, 0));
	ASSERT_EQ(1, read_records(self->fd, &record, 1));
	EXPECT_EQ(0, submit(self->fd, WPOOL_WORK_NOOP, 0, 0));
	EXPECT_EQ(0, wait_tasks(self->fd, 0));
	EXPECT_EQ(-ENOBUFS, submit(self->fd, WPOOL_WORK_NOOP, 0, 0));
	/* another file has its own limit */
	EXPECT_EQ(0, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 0));
}

/* A pool belongs to no file: it exists until it is destroyed. */
TEST(pool_outlives_its_file)
{
	struct pool pool;
	int fd;

	ASSERT_EQ(0, pool_create(&pool, NULL));
	ASSERT_EQ(0, run_one(pool.fd));
	close(pool.fd);
	EXPECT_TRUE(pool_exists(pool.name));
	fd = pool_attach(pool.name, 0);
	ASSERT_LE(0, fd);
	EXPECT_TRUE(WAIT_FOR(pool_figure(fd, completed) == 1));
	EXPECT_EQ(0, pool_figure(fd, file_submitted));
	EXPECT_EQ(0, run_one(fd));
	EXPECT_EQ(0, pool_destroy(fd));
	EXPECT_FALSE(pool_exists(pool.name));
}

TEST_HARNESS_MAIN
