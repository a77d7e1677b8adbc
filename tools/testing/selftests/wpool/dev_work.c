// SPDX-License-Identifier: GPL-2.0
/*
 * Workloads of /dev/wpool: what each does and records, valid and invalid
 * descriptors, and trees of tasks.
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

TEST_F(workload, each_of_several_tasks_has_its_record)
{
	struct wpool_dev_record records[8];
	struct wpool_dev_work works[8];
	__u32 seen = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(works); i++) {
		works[i] = variant->work;
		works[i].cookie = i;
	}
	ASSERT_EQ(0, submit_all(self->pool.fd, works, ARRAY_SIZE(works)));
	ASSERT_EQ(ARRAY_SIZE(works), read_records(self->pool.fd, records, ARRAY_SIZE(records)));
	for (i = 0; i < ARRAY_SIZE(works); i++) {
		EXPECT_EQ(0, records[i].status);
		EXPECT_LE(variant->lasts * works[i].arg, records[i].end_ns - records[i].start_ns);
		ASSERT_LT(records[i].cookie, ARRAY_SIZE(works));
		seen |= 1U << records[i].cookie;
	}
	EXPECT_EQ(0xff, seen);
	if (variant->work.kind == WPOOL_WORK_LOCK) {
		__u64 first = records[0].start_ns, last = 0;

		for (i = 0; i < ARRAY_SIZE(works); i++) {
			first = records[i].start_ns < first ? records[i].start_ns : first;
			last = records[i].end_ns > last ? records[i].end_ns : last;
		}
		EXPECT_LE(ARRAY_SIZE(works) * variant->work.arg, last - first);
	}
}

/* The CPU time of a kernel thread in ticks of user space, or -errno. */
static long long cpu_ticks(pid_t pid)
{
	char path[64], buf[1024], *at;
	long long ticks;
	int err;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	err = file_read(path, buf, sizeof(buf));
	if (err)
		return err;
	at = strrchr(buf, ')');
	return at && sscanf(at, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %lld",
			    &ticks) == 1 ? ticks : -EPROTO;
}

/* A task that spins uses its CPU, and never sleeps. */
TEST_F(work, spin_uses_its_cpu)
{
	char before[32], after[32];
	long long ticks;
	pid_t pid;

	ASSERT_EQ(0, submit(self->single.fd, WPOOL_WORK_SPIN, LONG, 0));
	ASSERT_TRUE(WAIT_FOR(threads_named(self->single.name, &pid, 1) == 1));
	ticks = cpu_ticks(pid);
	ASSERT_LE(0, ticks);
	ASSERT_TRUE(WAIT_FOR(cpu_ticks(pid) >= ticks + 2));
	EXPECT_EQ(0, thread_status(pid, "voluntary_ctxt_switches", before, sizeof(before)));
	EXPECT_TRUE(WAIT_FOR(cpu_ticks(pid) >= ticks + 5));
	EXPECT_EQ(0, thread_status(pid, "voluntary_ctxt_switches", after, sizeof(after)));
	EXPECT_STREQ(before, after);
	EXPECT_EQ(0, cancel_all(self->single.fd));
	EXPECT_RECORD(self->single.fd, 0, -ECANCELED);
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

TEST_F(work, argument_out_of_range)
{
	static const struct wpool_dev_work bad[] = {
		{ .kind = WPOOL_WORK_SPIN, .arg = WPOOL_MAX_WORK_NS + 1 },
		{ .kind = WPOOL_WORK_SPIN, .arg = UINT64_MAX },
		{ .kind = WPOOL_WORK_SLEEP, .arg = WPOOL_MAX_WORK_NS + 1 },
		{ .kind = WPOOL_WORK_SLEEP, .arg = 1ULL << 63 },
		{ .kind = WPOOL_WORK_YIELD, .arg = WPOOL_MAX_WORK_YIELDS + 1 },
		{ .kind = WPOOL_WORK_YIELD, .arg = 1ULL << 32 },
		{ .kind = WPOOL_WORK_TOUCH, .arg = WPOOL_MAX_WORK_BYTES + 1 },
		{ .kind = WPOOL_WORK_TOUCH, .arg = 1ULL << 32 },
		{ .kind = WPOOL_WORK_HASH, .arg = WPOOL_MAX_WORK_BYTES + 1 },
		{ .kind = WPOOL_WORK_HASH, .arg = UINT64_MAX },
		{ .kind = WPOOL_WORK_LOCK, .arg = WPOOL_MAX_WORK_NS + 1 },
		{ .kind = WPOOL_WORK_LOOP, .arg = WPOOL_MAX_WORK_NS + 1 },
		{ .kind = WPOOL_WORK_TIMER, .arg = WPOOL_MAX_WORK_NS + 1 },
		{ .kind = WPOOL_WORK_STRAND, .arg = WPOOL_MAX_WORK_NS + 1 },
		{ .kind = WPOOL_WORK_TREE, .arg = WPOOL_MAX_WORK_NS + 1, .fanout = 1 },
		{ .kind = WPOOL_WORK_TREE, .depth = 1, .fanout = 0 },
		{ .kind = WPOOL_WORK_TREE, .depth = 1, .fanout = WPOOL_MAX_TREE_FANOUT + 1 },
		{ .kind = WPOOL_WORK_TREE, .depth = WPOOL_MAX_TREE_DEPTH + 1, .fanout = 1 },
		{ .kind = WPOOL_WORK_TREE, .depth = UINT32_MAX, .fanout = 1 },
		{ .kind = WPOOL_WORK_TREE, .depth = 1, .fanout = UINT32_MAX },
		/* trees of 2^21 - 1 and of 16^5 + ... + 1 nodes, and one too large to count */
		{ .kind = WPOOL_WORK_TREE, .depth = 20, .fanout = 2 },
		{ .kind = WPOOL_WORK_TREE, .depth = 5, .fanout = 16 },
		{ .kind = WPOOL_WORK_TREE, .depth = 20, .fanout = 16 },
	};
	__u32 accepted;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-ERANGE, submit_flags(self->pool.fd, &bad[i], 1, 0, &accepted))
			TH_LOG("kind %u arg %llu depth %u fanout %u", bad[i].kind,
			       (unsigned long long)bad[i].arg, bad[i].depth, bad[i].fanout);
		EXPECT_EQ(0, accepted);
	}
	EXPECT_EQ(0, pool_figure(self->pool.fd, file_submitted));
	EXPECT_EQ(0, pool_figure(self->pool.fd, outstanding));
}

TEST_F(work, argument_at_its_limit)
{
	static const struct wpool_dev_work good[] = {
		{ .kind = WPOOL_WORK_SPIN, .arg = WPOOL_MAX_WORK_NS },
		{ .kind = WPOOL_WORK_SLEEP, .arg = WPOOL_MAX_WORK_NS },
		{ .kind = WPOOL_WORK_YIELD, .arg = WPOOL_MAX_WORK_YIELDS },
		{ .kind = WPOOL_WORK_TOUCH, .arg = WPOOL_MAX_WORK_BYTES },
		{ .kind = WPOOL_WORK_HASH, .arg = WPOOL_MAX_WORK_BYTES },
		{ .kind = WPOOL_WORK_LOCK, .arg = WPOOL_MAX_WORK_NS },
		{ .kind = WPOOL_WORK_LOOP, .arg = WPOOL_MAX_WORK_NS },
		{ .kind = WPOOL_WORK_TREE, .depth = 20, .fanout = 1 },
		{ .kind = WPOOL_WORK_TREE, .depth = 19, .fanout = 2 },
		{ .kind = WPOOL_WORK_TREE, .depth = 4, .fanout = 16 },
	};
	__u32 cancelled, stopped;

	/* a task that does not end comes first, so that none of @good starts */
	ASSERT_EQ(0, occupy(self->single.fd, 0, 1));
	EXPECT_EQ(0, submit_all(self->single.fd, good, ARRAY_SIZE(good)));
	EXPECT_EQ(0, cancel(self->single.fd, WPOOL_DEV_CANCEL_ALL, 0, &cancelled, &stopped));
	EXPECT_EQ(ARRAY_SIZE(good), cancelled);
	EXPECT_EQ(1, stopped);
	EXPECT_TRUE(all_have_status(self->single.fd, ARRAY_SIZE(good) + 1, -ECANCELED));
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

TEST_F(work, batch_of_every_kind)
{
	static const struct wpool_dev_work works[] = {
		{ .kind = WPOOL_WORK_NOOP, .cookie = 0 },
		{ .kind = WPOOL_WORK_SPIN, .cookie = 1, .arg = MSEC },
		{ .kind = WPOOL_WORK_SLEEP, .cookie = 2, .arg = 30 * MSEC },
		{ .kind = WPOOL_WORK_YIELD, .cookie = 3, .arg = 10 },
		{ .kind = WPOOL_WORK_TOUCH, .cookie = 4, .arg = 10000 },
		{ .kind = WPOOL_WORK_HASH, .cookie = 5, .arg = 10000 },
		{ .kind = WPOOL_WORK_LOCK, .cookie = 6, .arg = MSEC },
		{ .kind = WPOOL_WORK_TREE, .cookie = 7, .arg = MSEC / 10, .depth = 2, .fanout = 4 },
	};
	struct wpool_dev_record records[ARRAY_SIZE(works)];
	__u64 since = now_ns();
	unsigned int i, seen = 0;
	__u32 accepted;

	EXPECT_EQ(0, submit_flags(self->pool.fd, works, ARRAY_SIZE(works), 0, &accepted));
	EXPECT_EQ(ARRAY_SIZE(works), accepted);
	ASSERT_EQ(ARRAY_SIZE(works), read_records(self->pool.fd, records, ARRAY_SIZE(works)));
	for (i = 0; i < ARRAY_SIZE(works); i++) {
		ASSERT_LT(records[i].cookie, ARRAY_SIZE(works));
		seen |= 1U << records[i].cookie;
		check_record(_metadata, &records[i], records[i].cookie, since);
	}
	EXPECT_EQ((1U << ARRAY_SIZE(works)) - 1, seen);
}

TEST_F(work, all_checked_before_the_first_is_submitted)
{
	static const struct wpool_dev_work bad[] = {
		{ .kind = WPOOL_WORK_COUNT + 1 },
		{ .kind = WPOOL_WORK_NOOP, .flags = 1U << 31 },
		{ .kind = WPOOL_WORK_SLEEP, .arg = WPOOL_MAX_WORK_NS + 1 },
	};
	static const int errs[] = { -EINVAL, -EOPNOTSUPP, -ERANGE };
	struct wpool_dev_work *works = calloc(WPOOL_MAX_BATCH, sizeof(*works));
	__u32 accepted;
	size_t i;

	ASSERT_NE(NULL, works);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		works[WPOOL_MAX_BATCH - 1] = bad[i];
		EXPECT_EQ(errs[i], submit_flags(self->pool.fd, works, WPOOL_MAX_BATCH, 0,
						&accepted));
		EXPECT_EQ(0, accepted);
	}
	EXPECT_EQ(0, pool_figure(self->pool.fd, file_submitted));
	EXPECT_EQ(0, pool_figure(self->pool.fd, submitted));
	memset(&works[WPOOL_MAX_BATCH - 1], 0, sizeof(*works));
	EXPECT_EQ(0, submit_flags(self->pool.fd, works, WPOOL_MAX_BATCH, 0, &accepted));
	EXPECT_EQ(WPOOL_MAX_BATCH, accepted);
	EXPECT_EQ(0, wait_tasks(self->pool.fd, 0));
}

TEST_F(work, silent_tasks_leave_no_record)
{
	struct wpool_dev_work works[10] = { };
	struct wpool_dev_record record;
	struct wpool_dev_stats stats;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(works); i++) {
		works[i].flags = WPOOL_WORK_SILENT;
		works[i].cookie = i;
	}
	works[4].flags = 0;
	works[9].kind = WPOOL_WORK_TREE;
	works[9].depth = 2;
	works[9].fanout = 2;
	ASSERT_EQ(0, submit_all(self->pool.fd, works, ARRAY_SIZE(works)));
	ASSERT_EQ(0, wait_tasks(self->pool.fd, 0));
	EXPECT_EQ(0, pool_stats(self->pool.fd, &stats));
	EXPECT_EQ(1, stats.file_unread);
	EXPECT_EQ(ARRAY_SIZE(works), stats.file_submitted);
	EXPECT_EQ(ARRAY_SIZE(works), stats.file_finished);
	EXPECT_EQ(ARRAY_SIZE(works), sum(stats.queue_ns));
	EXPECT_EQ(ARRAY_SIZE(works), sum(stats.run_ns));
	ASSERT_EQ(1, read_records(self->pool.fd, &record, 1));
	EXPECT_EQ(4, record.cookie);
	EXPECT_EQ(0, read(self->pool.fd, &record, sizeof(record)));
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

TEST_F(tree, the_deepest_and_the_widest_tree_run)
{
	static const struct wpool_dev_work works[] = {
		{ .kind = WPOOL_WORK_TREE, .depth = WPOOL_MAX_TREE_DEPTH, .fanout = 1 },
		{ .kind = WPOOL_WORK_TREE, .depth = 2, .fanout = WPOOL_MAX_TREE_FANOUT },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(works); i++) {
		ASSERT_EQ(0, submit_all(self->pool.fd, &works[i], 1));
		EXPECT_RECORD(self->pool.fd, 0, 0);
	}
}

TEST_HARNESS_MAIN
