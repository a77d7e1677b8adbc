// SPDX-License-Identifier: GPL-2.0
/*
 * Workloads of /dev/wpool: what each does and records, and trees of tasks. dev_fuzz submits
 * descriptors with mistakes.
 */
#include "work_fixture.h"

ONE_POOL(workload, SMALL_POOL)

FIXTURE_VARIANT(workload)
{
	struct wpool_dev_work work;
	bool lasts;	/* for at least work.arg ns */
};

/* A task that takes at least as many ns as the first argument after its kind says. */
#define LASTS(KIND, ...)	\
	{ .work = { .kind = WPOOL_WORK_##KIND, .arg = __VA_ARGS__ }, .lasts = true }

FIXTURE_VARIANT_ADD(workload, noop) WORK(NOOP);
FIXTURE_VARIANT_ADD(workload, spin) LASTS(SPIN, 20 * MSEC);
FIXTURE_VARIANT_ADD(workload, spin_0) WORK(SPIN);
FIXTURE_VARIANT_ADD(workload, sleep) LASTS(SLEEP, 20 * MSEC);
FIXTURE_VARIANT_ADD(workload, sleep_0) WORK(SLEEP);
FIXTURE_VARIANT_ADD(workload, yield) WORK(YIELD, .arg = 100);
FIXTURE_VARIANT_ADD(workload, touch) WORK(TOUCH, .arg = 1000000);
FIXTURE_VARIANT_ADD(workload, touch_0) WORK(TOUCH);
FIXTURE_VARIANT_ADD(workload, hash) WORK(HASH, .arg = 100000);
FIXTURE_VARIANT_ADD(workload, hash_0) WORK(HASH);
FIXTURE_VARIANT_ADD(workload, lock) LASTS(LOCK, 5 * MSEC);
FIXTURE_VARIANT_ADD(workload, timer) WORK(TIMER, .arg = 20 * MSEC);
FIXTURE_VARIANT_ADD(workload, timer_0) WORK(TIMER);
FIXTURE_VARIANT_ADD(workload, strand) LASTS(STRAND, 5 * MSEC);
FIXTURE_VARIANT_ADD(workload, loop) WORK(LOOP, .arg = 5 * MSEC + 1);
FIXTURE_VARIANT_ADD(workload, loop_0) WORK(LOOP);
FIXTURE_VARIANT_ADD(workload, tree_of_one) LASTS(TREE, 3 * MSEC, .depth = 0, .fanout = 1);
FIXTURE_VARIANT_ADD(workload, tree_wide) LASTS(TREE, MSEC, .depth = 1, .fanout = 16);
FIXTURE_VARIANT_ADD(workload, tree_deep) LASTS(TREE, MSEC, .depth = 20, .fanout = 1);
FIXTURE_VARIANT_ADD(workload, tree) LASTS(TREE, MSEC / 10, .depth = 4, .fanout = 3);

TEST_F(workload, a_task_has_one_record_with_its_times)
{
	struct wpool_dev_work work = variant->work;
	struct wpool_dev_record record;
	__u64 since = now_ns();
	__u32 accepted;

	work.cookie = 0xfedcba9876543210ULL;
	EXPECT_EQ(0, submit_flags(self->pool.fd, &work, 1, 0, &accepted));
	EXPECT_EQ(1, accepted);
	ASSERT_EQ(1, read_records(self->pool.fd, &record, 1));
	check_record(_metadata, &record, work.cookie, since);
	EXPECT_LE(variant->lasts * work.arg, record.end_ns - record.start_ns);
	/* one record for each submitted task, also for a tree */
	EXPECT_EQ(0, read(self->pool.fd, &record, sizeof(record)));
}

/* Tasks that take the lock run one after the other. */
TEST_F(work, lock_excludes_other_tasks)
{
	struct wpool_dev_record records[8];
	__u64 first = UINT64_MAX, last = 0;
	unsigned int i;

	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_LOCK, 5 * MSEC, 0, 8));
	ASSERT_EQ(8, read_records(self->pool.fd, records, 8));
	for (i = 0; i < 8; i++) {
		first = records[i].start_ns < first ? records[i].start_ns : first;
		last = records[i].end_ns > last ? records[i].end_ns : last;
	}
	EXPECT_LE(8 * 5 * MSEC, last - first);
}

/* While a task yields, a task of another worker of the same CPU runs. */
TEST_F(work, yield_lets_others_run)
{
	static const struct wpool_dev_work works[] = {
		{ .kind = WPOOL_WORK_YIELD, .arg = WPOOL_MAX_WORK_YIELDS, .cookie = 1 },
		{ .kind = WPOOL_WORK_NOOP, .cookie = 2 },
	};
	struct wpool_dev_record records[2] = { };
	unsigned int try;

	ASSERT_EQ(0, attr_write(self->pool.name, "cpumask", "0"));
	ASSERT_EQ(0, attr_write(self->pool.name, "concurrency", "2"));
	/* try again if the other worker is not made in time */
	for (try = 0; try < 20 && records[0].cookie != 2; try++) {
		ASSERT_EQ(0, submit_all(self->pool.fd, works, ARRAY_SIZE(works)));
		ASSERT_EQ(1, read_records(self->pool.fd, &records[0], 1));
		EXPECT_EQ(0, cancel_all(self->pool.fd));
		ASSERT_EQ(1, read_records(self->pool.fd, &records[1], 1));
	}
	EXPECT_EQ(2, records[0].cookie);
	EXPECT_EQ(0, records[0].status);
	EXPECT_EQ(-ECANCELED, records[1].status);
}

/* The memory of all unfinished touches and hashes of a file is bounded. */
TEST_F(work, bytes_of_a_file)
{
	unsigned int i;

	ASSERT_EQ(0, occupy(self->single.fd, 0, 1));
	for (i = 0; i < WPOOL_MAX_FILE_BYTES / WPOOL_MAX_WORK_BYTES; i++)
		EXPECT_EQ(0, submit(self->single.fd, i % 2 ? WPOOL_WORK_HASH : WPOOL_WORK_TOUCH,
				    WPOOL_MAX_WORK_BYTES, 1 + i));
	EXPECT_EQ(-ENOBUFS, submit(self->single.fd, WPOOL_WORK_TOUCH, 1, 100));
	EXPECT_EQ(-ENOBUFS, submit(self->single.fd, WPOOL_WORK_HASH, 1, 100));
	EXPECT_EQ(0, submit(self->single.fd, WPOOL_WORK_NOOP, 0, 101));
	/* the memory of a finished task does not count */
	EXPECT_EQ(0, cancel(self->single.fd, 0, 1, NULL, NULL));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->single.fd, file_finished) == 1));
	EXPECT_EQ(0, submit(self->single.fd, WPOOL_WORK_TOUCH, WPOOL_MAX_WORK_BYTES, 102));
}

FIXTURE_VARIANT(tree)
{
	__u32 queue_depth;
	__u32 policy;
};

ONE_POOL(tree, ATTRS(.capacity = 1, .queue_depth = variant->queue_depth, .policy = variant->policy))

FIXTURE_VARIANT_ADD(tree, one_worker_no_queue) { };
FIXTURE_VARIANT_ADD(tree, one_worker_short_queue) { .queue_depth = 3 };
FIXTURE_VARIANT_ADD(tree, one_worker_endless_queue) { .queue_depth = WPOOL_DEV_UNLIMITED };
FIXTURE_VARIANT_ADD(tree, one_worker_fail) { .queue_depth = 2, .policy = WPOOL_DEV_POLICY_FAIL };
FIXTURE_VARIANT_ADD(tree, one_worker_run) { .queue_depth = 2, .policy = WPOOL_DEV_POLICY_RUN };

TEST_F(tree, fork_join_at_capacity_1)
{
	struct wpool_dev_work work = {
		.kind = WPOOL_WORK_TREE, .arg = 100000, .depth = 3, .fanout = 4, .cookie = 1,
	};
	struct wpool_dev_record record;

	ASSERT_EQ(0, submit_all(self->pool.fd, &work, 1));
	ASSERT_EQ(1, read_records(self->pool.fd, &record, 1));
	EXPECT_EQ(0, record.status);
	/* one worker: the leaves ran one after the other */
	EXPECT_LE(64 * 100000, record.end_ns - record.start_ns);
	EXPECT_EQ(1, pool_figure(self->pool.fd, spawned));
	ASSERT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
}

TEST_HARNESS_MAIN
