// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks through /dev/wpool: what each workload does and says, batches, records
 * and how they are read, waiting, cancelling, figures.
 */
#include "wpool_test.h"

static const struct wpool_dev_attrs small_pool = {
	.mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_QUEUE_DEPTH,
	.capacity = 4,
	.queue_depth = WPOOL_DEV_UNLIMITED,
};

static const struct wpool_dev_attrs single_pool = {
	.mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_QUEUE_DEPTH,
	.capacity = 1,
	.queue_depth = WPOOL_DEV_UNLIMITED,
};

/* A record of a task that ran to its end, submitted after a point in time. */
static void check_record(struct __test_metadata *_metadata,
			 const struct wpool_dev_record *record, __u64 cookie, __u64 since)
{
	EXPECT_EQ(cookie, record->cookie);
	EXPECT_EQ(0, record->status)
		TH_LOG("cookie %llu", cookie);
	EXPECT_LT(record->cpu, (__u32)sysconf(_SC_NPROCESSORS_CONF));
	EXPECT_LE(since, record->submit_ns);
	EXPECT_LE(record->submit_ns, record->start_ns);
	EXPECT_LE(record->start_ns, record->end_ns);
	EXPECT_LE(record->end_ns, now_ns());
}

/* ---- each workload ------------------------------------------------------- */

FIXTURE(workload)
{
	struct pool pool;
};

FIXTURE_VARIANT(workload)
{
	struct wpool_dev_work work;
	__u64 at_least_ns;
};

FIXTURE_VARIANT_ADD(workload, noop) {
	.work = { .kind = WPOOL_WORK_NOOP },
};

FIXTURE_VARIANT_ADD(workload, spin) {
	.work = { .kind = WPOOL_WORK_SPIN, .arg = 20 * MSEC },
	.at_least_ns = 20 * MSEC,
};

FIXTURE_VARIANT_ADD(workload, spin_0) {
	.work = { .kind = WPOOL_WORK_SPIN },
};

FIXTURE_VARIANT_ADD(workload, sleep) {
	.work = { .kind = WPOOL_WORK_SLEEP, .arg = 20 * MSEC },
	.at_least_ns = 20 * MSEC,
};

FIXTURE_VARIANT_ADD(workload, sleep_0) {
	.work = { .kind = WPOOL_WORK_SLEEP },
};

FIXTURE_VARIANT_ADD(workload, yield) {
	.work = { .kind = WPOOL_WORK_YIELD, .arg = 100 },
};

FIXTURE_VARIANT_ADD(workload, touch) {
	.work = { .kind = WPOOL_WORK_TOUCH, .arg = 1000000 },
};

FIXTURE_VARIANT_ADD(workload, touch_0) {
	.work = { .kind = WPOOL_WORK_TOUCH },
};

FIXTURE_VARIANT_ADD(workload, hash) {
	.work = { .kind = WPOOL_WORK_HASH, .arg = 100000 },
};

FIXTURE_VARIANT_ADD(workload, hash_0) {
	.work = { .kind = WPOOL_WORK_HASH },
};

FIXTURE_VARIANT_ADD(workload, lock) {
	.work = { .kind = WPOOL_WORK_LOCK, .arg = 5 * MSEC },
	.at_least_ns = 5 * MSEC,
};

FIXTURE_VARIANT_ADD(workload, tree_of_one) {
	.work = { .kind = WPOOL_WORK_TREE, .arg = 3 * MSEC, .depth = 0, .fanout = 1 },
	.at_least_ns = 3 * MSEC,
};

FIXTURE_VARIANT_ADD(workload, tree_wide) {
	.work = { .kind = WPOOL_WORK_TREE, .arg = MSEC, .depth = 1, .fanout = 16 },
	.at_least_ns = MSEC,
};

FIXTURE_VARIANT_ADD(workload, tree_deep) {
	.work = { .kind = WPOOL_WORK_TREE, .arg = MSEC, .depth = 20, .fanout = 1 },
	.at_least_ns = MSEC,
};

FIXTURE_VARIANT_ADD(workload, tree) {
	.work = { .kind = WPOOL_WORK_TREE, .arg = MSEC / 10, .depth = 4, .fanout = 3 },
	.at_least_ns = MSEC / 10,
};

FIXTURE_SETUP(workload)
{
	ASSERT_EQ(0, pool_create(&self->pool, &small_pool));
}

FIXTURE_TEARDOWN(workload)
{
	pool_end(&self->pool);
}

TEST_F(workload, record)
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
	EXPECT_LE(variant->at_least_ns, record.end_ns - record.start_ns);
	/* one record a task, whatever it is made of */
	EXPECT_EQ(0, read(self->pool.fd, &record, sizeof(record)));
}

TEST_F(workload, several_at_once)
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
		EXPECT_LE(variant->at_least_ns, records[i].end_ns - records[i].start_ns);
		ASSERT_LT(records[i].cookie, ARRAY_SIZE(works));
		seen |= 1U << records[i].cookie;
	}
	EXPECT_EQ(0xff, seen);
	/* a contended lock is held by one at a time */
	if (variant->work.kind == WPOOL_WORK_LOCK) {
		__u64 first = records[0].start_ns, last = 0;

		for (i = 0; i < ARRAY_SIZE(works); i++) {
			first = records[i].start_ns < first ? records[i].start_ns : first;
			last = records[i].end_ns > last ? records[i].end_ns : last;
		}
		EXPECT_LE(ARRAY_SIZE(works) * variant->work.arg, last - first);
	}
}

/* ---- descriptors --------------------------------------------------------- */

FIXTURE(work)
{
	struct pool pool;	/* 4 workers, an endless queue */
	struct pool single;	/* one worker, an endless queue */
};

FIXTURE_SETUP(work)
{
	self->single.fd = -1;
	ASSERT_EQ(0, pool_create(&self->pool, &small_pool));
	ASSERT_EQ(0, pool_create(&self->single, &single_pool));
}

FIXTURE_TEARDOWN(work)
{
	pool_end(&self->pool);
	pool_end(&self->single);
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
		{ .kind = WPOOL_WORK_TREE, .arg = WPOOL_MAX_WORK_NS + 1, .fanout = 1 },
		{ .kind = WPOOL_WORK_TREE, .depth = 1, .fanout = 0 },
		{ .kind = WPOOL_WORK_TREE, .depth = 1, .fanout = WPOOL_MAX_TREE_FANOUT + 1 },
		{ .kind = WPOOL_WORK_TREE, .depth = WPOOL_MAX_TREE_DEPTH + 1, .fanout = 1 },
		{ .kind = WPOOL_WORK_TREE, .depth = UINT32_MAX, .fanout = 1 },
		{ .kind = WPOOL_WORK_TREE, .depth = 1, .fanout = UINT32_MAX },
		/* 2^21 - 1 and 16^5 + ... + 1 nodes; the last would overflow */
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
		{ .kind = WPOOL_WORK_TREE, .depth = 20, .fanout = 1 },
		{ .kind = WPOOL_WORK_TREE, .depth = 19, .fanout = 2 },
		{ .kind = WPOOL_WORK_TREE, .depth = 4, .fanout = 16 },
	};
	struct wpool_dev_record records[ARRAY_SIZE(good) + 1];
	__u32 cancelled, stopped;
	size_t i;

	/* behind a task that does not end, so that none of them starts */
	ASSERT_EQ(0, submit(self->single.fd, WPOOL_WORK_SLEEP, LONG, 0));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->single.fd, busy) == 1));
	EXPECT_EQ(0, submit_all(self->single.fd, good, ARRAY_SIZE(good)));
	EXPECT_EQ(0, cancel(self->single.fd, WPOOL_DEV_CANCEL_ALL, 0, &cancelled, &stopped));
	EXPECT_EQ(ARRAY_SIZE(good), cancelled);
	EXPECT_EQ(1, stopped);
	EXPECT_EQ(ARRAY_SIZE(records),
		  read_records(self->single.fd, records, ARRAY_SIZE(records)));
	for (i = 0; i < ARRAY_SIZE(records); i++)
		EXPECT_EQ(-ECANCELED, records[i].status);
}

/* Memory is bounded over all tasks of a file that are not finished. */
TEST_F(work, bytes_of_a_file)
{
	unsigned int i;

	ASSERT_EQ(0, submit(self->single.fd, WPOOL_WORK_SLEEP, LONG, 0));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->single.fd, busy) == 1));
	for (i = 0; i < WPOOL_MAX_FILE_BYTES / WPOOL_MAX_WORK_BYTES; i++)
		EXPECT_EQ(0, submit(self->single.fd, i % 2 ? WPOOL_WORK_HASH : WPOOL_WORK_TOUCH,
				    WPOOL_MAX_WORK_BYTES, 1 + i));
	EXPECT_EQ(-ENOBUFS, submit(self->single.fd, WPOOL_WORK_TOUCH, 1, 100));
	EXPECT_EQ(-ENOBUFS, submit(self->single.fd, WPOOL_WORK_HASH, 1, 100));
	EXPECT_EQ(0, submit(self->single.fd, WPOOL_WORK_NOOP, 0, 101));
	/* a finished task gives its share back */
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
		{ .kind = WPOOL_WORK_FAULT + 1 },
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

static __u64 sum(const __u64 *buckets)
{
	__u64 all = 0;
	unsigned int i;

	for (i = 0; i < WPOOL_DEV_HIST_BUCKETS; i++)
		all += buckets[i];
	return all;
}

TEST_F(work, silent)
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

/* ---- records ------------------------------------------------------------- */

TEST_F(work, read_whole_records)
{
	char buf[5 * sizeof(struct wpool_dev_record)];
	const ssize_t one = sizeof(struct wpool_dev_record);
	ssize_t len;

	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 0, 5));
	ASSERT_EQ(0, wait_tasks(self->pool.fd, 0));
	EXPECT_ERRNO(EINVAL, read(self->pool.fd, buf, one - 1));
	EXPECT_ERRNO(EINVAL, read(self->pool.fd, buf, 1));
	len = read(self->pool.fd, buf, 2 * one + one / 2);
	EXPECT_EQ(2 * one, len);
	len = read(self->pool.fd, buf, one);
	EXPECT_EQ(one, len);
	len = read(self->pool.fd, buf, sizeof(buf));
	EXPECT_EQ(2 * one, len);
	EXPECT_EQ(0, read(self->pool.fd, buf, sizeof(buf)));
	EXPECT_EQ(0, read(self->pool.fd, buf, one));
	EXPECT_ERRNO(EINVAL, read(self->pool.fd, buf, one - 1));
}

TEST_F(work, read_sleeps_until_there_is_a_record)
{
	struct wpool_dev_record record;
	__u64 since = now_ns();

	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, 100 * MSEC, 1));
	ASSERT_EQ((ssize_t)sizeof(record), read(self->pool.fd, &record, sizeof(record)));
	EXPECT_LE(100 * MSEC, now_ns() - since);
	check_record(_metadata, &record, 1, since);
}

TEST_F(work, read_nonblocking)
{
	int fd = pool_attach(self->pool.name, O_NONBLOCK);
	struct wpool_dev_record record;

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, read(fd, &record, sizeof(record)));
	ASSERT_EQ(0, submit(fd, WPOOL_WORK_SLEEP, LONG, 1));
	EXPECT_ERRNO(EAGAIN, read(fd, &record, sizeof(record)));
	EXPECT_EQ(0, cancel_all(fd));
	EXPECT_EQ(1, read_records(fd, &record, 1));
	EXPECT_EQ(0, read(fd, &record, sizeof(record)));
	close(fd);
}

TEST_F(work, read_ends_with_the_last_silent_task)
{
	struct wpool_dev_work work = {
		.kind = WPOOL_WORK_SLEEP, .arg = 50 * MSEC, .flags = WPOOL_WORK_SILENT,
	};
	struct wpool_dev_record record;

	/* no record will ever come: a sleeping reader must hear of that */
	ASSERT_EQ(0, submit_all(self->pool.fd, &work, 1));
	EXPECT_EQ(0, read(self->pool.fd, &record, sizeof(record)));
	EXPECT_EQ(1, pool_figure(self->pool.fd, file_finished));
}

static void nothing(int sig)
{
	(void)sig;
}

/* A signal that interrupts system calls, again and again until it is stopped. */
static void nag(bool on)
{
	struct sigaction action = { .sa_handler = nothing };
	struct itimerval every = {
		.it_value = { .tv_usec = on ? 50000 : 0 },
		.it_interval = { .tv_usec = on ? 50000 : 0 },
	};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

TEST_F(work, read_interrupted)
{
	struct wpool_dev_record record;

	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 1));
	nag(true);
	EXPECT_ERRNO(EINTR, read(self->pool.fd, &record, sizeof(record)));
	nag(false);
}

TEST_F(work, poll_says_what_read_would_do)
{
	struct pollfd pfd = { .fd = self->pool.fd, .events = POLLIN };
	struct wpool_dev_record record;

	/* read() would say that there is nothing and never will be */
	EXPECT_EQ(1, poll(&pfd, 1, 0));
	EXPECT_EQ(POLLIN, pfd.revents & POLLIN);
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, 200 * MSEC, 1));
	EXPECT_EQ(0, poll(&pfd, 1, 0));
	EXPECT_EQ(1, poll(&pfd, 1, 20000));
	EXPECT_EQ(POLLIN, pfd.revents & POLLIN);
	EXPECT_EQ((ssize_t)sizeof(record), read(self->pool.fd, &record, sizeof(record)));
	EXPECT_EQ(0, record.status);
	EXPECT_EQ(1, poll(&pfd, 1, 0));
}

TEST_F(work, poll_ends_with_the_last_silent_task)
{
	struct wpool_dev_work work = {
		.kind = WPOOL_WORK_SLEEP, .arg = 50 * MSEC, .flags = WPOOL_WORK_SILENT,
	};
	struct pollfd pfd = { .fd = self->pool.fd, .events = POLLIN };

	ASSERT_EQ(0, submit_all(self->pool.fd, &work, 1));
	EXPECT_EQ(1, poll(&pfd, 1, 20000));
}

struct reader {
	pthread_t thread;
	int fd;
	unsigned int nr;
	__u8 *seen;
	int err;
};

static void *read_some(void *arg)
{
	struct wpool_dev_record records[3];
	struct reader *reader = arg;
	ssize_t len, i;

	while ((len = read(reader->fd, records, sizeof(records))) > 0)
		for (i = 0; i < len / (ssize_t)sizeof(records[0]); i++) {
			__sync_fetch_and_add(&reader->seen[records[i].cookie], 1);
			reader->nr++;
		}
	reader->err = len < 0 ? errno : 0;
	return NULL;
}

TEST_F(work, every_record_goes_to_one_reader)
{
	struct reader readers[4];
	__u8 seen[2000] = { };
	unsigned int i, nr = 0;

	/* the first is long enough for all readers to be there */
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, 100 * MSEC, 0));
	for (i = 0; i < ARRAY_SIZE(readers); i++) {
		readers[i] = (struct reader){ .fd = self->pool.fd, .seen = seen };
		ASSERT_EQ(0, pthread_create(&readers[i].thread, NULL, read_some, &readers[i]));
	}
	EXPECT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 1, ARRAY_SIZE(seen) - 1));
	for (i = 0; i < ARRAY_SIZE(readers); i++) {
		pthread_join(readers[i].thread, NULL);
		EXPECT_EQ(0, readers[i].err);
		nr += readers[i].nr;
	}
	/* readers may have met a moment without unfinished tasks */
	readers[0].nr = 0;
	read_some(&readers[0]);
	EXPECT_EQ(ARRAY_SIZE(seen), nr + readers[0].nr);
	for (i = 0; i < ARRAY_SIZE(seen); i++)
		ASSERT_EQ(1, seen[i])
			TH_LOG("cookie %u", i);
}

/* ---- wait ---------------------------------------------------------------- */

TEST_F(work, wait_for_all)
{
	struct wpool_dev_stats stats;

	EXPECT_EQ(0, wait_tasks(self->pool.fd, 0));
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, 10 * MSEC, 0, 12));
	EXPECT_EQ(0, wait_tasks(self->pool.fd, 0));
	ASSERT_EQ(0, pool_stats(self->pool.fd, &stats));
	EXPECT_EQ(12, stats.file_finished);
	EXPECT_EQ(12, stats.file_unread);
}

TEST_F(work, wait_times_out)
{
	__u64 since = now_ns();

	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 1));
	EXPECT_EQ(-ETIME, wait_tasks(self->pool.fd, 20 * MSEC));
	EXPECT_LE(20 * MSEC, now_ns() - since);
	EXPECT_EQ(-ETIME, wait_tasks(self->pool.fd, 1));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_EQ(0, wait_tasks(self->pool.fd, 10 * SEC));
	EXPECT_EQ(0, wait_tasks(self->pool.fd, 1));
}

/* The largest time-outs must not turn into short ones. */
TEST_F(work, wait_enormous_timeout)
{
	static const __u64 timeouts[] = {
		UINT64_MAX, INT64_MAX, INT64_MAX + 1ULL, UINT64_MAX / 2 + 100, 1ULL << 62,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(timeouts); i++) {
		ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, 20 * MSEC, i));
		EXPECT_EQ(0, wait_tasks(self->pool.fd, timeouts[i]))
			TH_LOG("timeout %llu", (unsigned long long)timeouts[i]);
	}
}

TEST_F(work, wait_interrupted)
{
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 1));
	nag(true);
	EXPECT_EQ(-EINTR, wait_tasks(self->pool.fd, 0));
	EXPECT_EQ(-EINTR, wait_tasks(self->pool.fd, 20 * SEC));
	nag(false);
}

/* ---- cancel -------------------------------------------------------------- */

TEST_F(work, cancel_queued_by_cookie)
{
	static const __u64 cookies[] = { 7, 8, 7, 9 };
	struct wpool_dev_record records[4];
	__u32 cancelled, stopped;
	struct wpool_dev_stats stats;
	unsigned int i;

	ASSERT_EQ(0, submit(self->single.fd, WPOOL_WORK_SLEEP, LONG, 1));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->single.fd, busy) == 1));
	for (i = 0; i < ARRAY_SIZE(cookies); i++)
		ASSERT_EQ(0, submit(self->single.fd, WPOOL_WORK_NOOP, 0, cookies[i]));
	EXPECT_EQ(0, cancel(self->single.fd, 0, 7, &cancelled, &stopped));
	EXPECT_EQ(2, cancelled);
	EXPECT_EQ(0, stopped);
	ASSERT_EQ(2, read_records(self->single.fd, records, 2));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(7, records[i].cookie);
		EXPECT_EQ(-ECANCELED, records[i].status);
		EXPECT_EQ(0, records[i].start_ns);
		EXPECT_EQ((__u32)-1, records[i].cpu);
		EXPECT_LE(records[i].submit_ns, records[i].end_ns);
	}
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->single.fd, outstanding) == 3));
	ASSERT_EQ(0, pool_stats(self->single.fd, &stats));
	EXPECT_EQ(2, stats.cancelled);
	/* the others are as they were */
	EXPECT_EQ(0, cancel(self->single.fd, 0, 1, &cancelled, &stopped));
	EXPECT_EQ(0, cancelled);
	EXPECT_EQ(1, stopped);
	ASSERT_EQ(3, read_records(self->single.fd, records, 3));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(records[i].cookie == 1 ? -ECANCELED : 0, records[i].status);
}

FIXTURE(running)
{
	struct pool pool;
};

FIXTURE_VARIANT(running)
{
	struct wpool_dev_work work;
};

FIXTURE_VARIANT_ADD(running, sleep) {
	.work = { .kind = WPOOL_WORK_SLEEP, .arg = LONG },
};

FIXTURE_VARIANT_ADD(running, spin) {
	.work = { .kind = WPOOL_WORK_SPIN, .arg = LONG },
};

FIXTURE_VARIANT_ADD(running, lock) {
	.work = { .kind = WPOOL_WORK_LOCK, .arg = LONG },
};

FIXTURE_VARIANT_ADD(running, tree) {
	.work = { .kind = WPOOL_WORK_TREE, .arg = LONG, .depth = 2, .fanout = 3 },
};

FIXTURE_SETUP(running)
{
	ASSERT_EQ(0, pool_create(&self->pool, &small_pool));
}

FIXTURE_TEARDOWN(running)
{
	pool_end(&self->pool);
}

TEST_F(running, cancel_stops_it_soon)
{
	struct wpool_dev_work work = variant->work;
	struct wpool_dev_record record;
	__u32 cancelled, stopped;
	__u64 told;

	work.cookie = 5;
	ASSERT_EQ(0, submit_all(self->pool.fd, &work, 1));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, busy) >= 1));
	told = now_ns();
	EXPECT_EQ(0, cancel(self->pool.fd, 0, 5, &cancelled, &stopped));
	EXPECT_EQ(0, cancelled);
	EXPECT_EQ(1, stopped);
	ASSERT_EQ(1, read_records(self->pool.fd, &record, 1));
	EXPECT_EQ(-ECANCELED, record.status);
	EXPECT_NE(0, record.start_ns);
	EXPECT_NE((__u32)-1, record.cpu);
	EXPECT_GT(100 * MSEC * slow(), record.end_ns - told)
		TH_LOG("it took %llu ms", (unsigned long long)(record.end_ns - told) / MSEC);
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
}

/* Some of them hold the lock or run, others wait for it or are queued. */
TEST_F(running, cancel_all)
{
	struct wpool_dev_record records[10];
	struct wpool_dev_work works[10];
	__u32 cancelled, stopped;
	__u64 told, last = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(works); i++)
		works[i] = variant->work;
	ASSERT_EQ(0, submit_all(self->pool.fd, works, ARRAY_SIZE(works)));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, busy) == 4));
	told = now_ns();
	EXPECT_EQ(0, cancel(self->pool.fd, WPOOL_DEV_CANCEL_ALL, 0, &cancelled, &stopped));
	EXPECT_EQ(ARRAY_SIZE(works), cancelled + stopped);
	EXPECT_LE(1, stopped);
	ASSERT_EQ(ARRAY_SIZE(works), read_records(self->pool.fd, records, ARRAY_SIZE(works)));
	for (i = 0; i < ARRAY_SIZE(works); i++) {
		EXPECT_EQ(-ECANCELED, records[i].status);
		last = records[i].end_ns > last ? records[i].end_ns : last;
	}
	EXPECT_GT(100 * MSEC * slow(), last - told)
		TH_LOG("it took %llu ms", (unsigned long long)(last - told) / MSEC);
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
	/* and the pool goes on */
	EXPECT_EQ(0, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 1));
	EXPECT_EQ(0, wait_tasks(self->pool.fd, 10 * SEC));
}

TEST_F(work, cancel_unknown_cookie)
{
	__u32 cancelled, stopped;

	EXPECT_EQ(-ENOENT, cancel(self->pool.fd, 0, 1, NULL, NULL));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 1));
	ASSERT_EQ(0, wait_tasks(self->pool.fd, 0));
	/* finished is as good as unknown, read or not */
	EXPECT_EQ(-ENOENT, cancel(self->pool.fd, 0, 1, NULL, NULL));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 2));
	EXPECT_EQ(-ENOENT, cancel(self->pool.fd, 0, 1, NULL, NULL));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	ASSERT_EQ(0, wait_tasks(self->pool.fd, 0));
	/* all of nothing is no error */
	EXPECT_EQ(0, cancel(self->pool.fd, WPOOL_DEV_CANCEL_ALL, 0, &cancelled, &stopped));
	EXPECT_EQ(0, cancelled);
	EXPECT_EQ(0, stopped);
}

TEST_F(work, cancel_silent)
{
	struct wpool_dev_work works[2] = {
		{ .kind = WPOOL_WORK_SLEEP, .arg = LONG, .flags = WPOOL_WORK_SILENT },
		{ .kind = WPOOL_WORK_SLEEP, .arg = LONG, .flags = WPOOL_WORK_SILENT },
	};
	struct wpool_dev_record record;

	ASSERT_EQ(0, submit_all(self->single.fd, works, 2));
	EXPECT_EQ(0, cancel_all(self->single.fd));
	EXPECT_EQ(0, wait_tasks(self->single.fd, 10 * SEC));
	EXPECT_EQ(0, read(self->single.fd, &record, sizeof(record)));
	EXPECT_EQ(2, pool_figure(self->single.fd, file_finished));
}

/* Cancel races with tasks that start and end: each still ends exactly once. */
TEST_F(work, cancel_against_running_tasks)
{
	enum { NR = 2000 };
	struct wpool_dev_record *records = calloc(NR, sizeof(*records));
	__u8 seen[NR] = { };
	struct wpool_dev_stats stats;
	unsigned int i, not_run = 0;
	__u64 cancelled_sum = 0;
	__u32 cancelled;

	ASSERT_NE(NULL, records);
	for (i = 0; i < NR; i += 100) {
		ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SPIN, 10000, i, 100));
		EXPECT_EQ(0, cancel(self->pool.fd, WPOOL_DEV_CANCEL_ALL, 0, &cancelled, NULL));
		cancelled_sum += cancelled;
	}
	ASSERT_EQ(NR, read_records(self->pool.fd, records, NR));
	for (i = 0; i < NR; i++) {
		ASSERT_LT(records[i].cookie, NR);
		ASSERT_EQ(0, seen[records[i].cookie]++);
		ASSERT_TRUE(!records[i].status || records[i].status == -ECANCELED);
		not_run += !records[i].start_ns;
	}
	EXPECT_EQ(cancelled_sum, not_run);
	ASSERT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
	ASSERT_EQ(0, pool_stats(self->pool.fd, &stats));
	EXPECT_EQ(NR, stats.submitted);
	EXPECT_EQ(cancelled_sum, stats.cancelled);
}

/* ---- figures ------------------------------------------------------------- */

static void check_stats(struct __test_metadata *_metadata, const struct wpool_dev_stats *stats)
{
	EXPECT_EQ(stats->workers, stats->idle + stats->searching + stats->busy);
	EXPECT_LE(stats->blocked, stats->busy);
	EXPECT_EQ(stats->submitted, stats->completed + stats->failed + stats->cancelled +
				    stats->outstanding)
		TH_LOG("completed %llu failed %llu cancelled %llu outstanding %llu",
		       (unsigned long long)stats->completed, (unsigned long long)stats->failed,
		       (unsigned long long)stats->cancelled,
		       (unsigned long long)stats->outstanding);
	EXPECT_LE(stats->file_finished, stats->file_submitted);
	EXPECT_LE(stats->file_unread, stats->file_finished);
	EXPECT_EQ(0, stats->failed);
	EXPECT_EQ(0, stats->faults);
}

TEST_F(work, stats_of_a_new_pool)
{
	struct wpool_dev_stats stats;

	ASSERT_EQ(0, pool_stats(self->pool.fd, &stats));
	check_stats(_metadata, &stats);
	EXPECT_EQ(WPOOL_DEV_OPEN, stats.state);
	EXPECT_EQ(0, stats.workers);
	EXPECT_EQ(0, stats.waiting);
	EXPECT_EQ(0, stats.queued);
	EXPECT_EQ(0, stats.outstanding);
	EXPECT_EQ(0, stats.submitted);
	EXPECT_EQ(0, stats.refused);
	EXPECT_EQ(0, stats.spawned);
	EXPECT_EQ(0, stats.expired);
	EXPECT_EQ(WPOOL_DEV_UNLIMITED, stats.free);
	EXPECT_EQ(0, stats.file_submitted);
	EXPECT_EQ(0, stats.file_finished);
	EXPECT_EQ(0, stats.file_unread);
	EXPECT_EQ(0, sum(stats.queue_ns));
	EXPECT_EQ(0, sum(stats.run_ns));
}

TEST_F(work, stats_hold_in_motion)
{
	struct wpool_dev_stats stats;
	__u64 end = now_ns() + SEC / 2;
	unsigned int round = 0;

	do {
		ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 0, 50));
		ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, 100000, 0, 10));
		ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SPIN, 100000, 0, 10));
		if (round++ % 4 == 0)
			EXPECT_EQ(0, cancel_all(self->pool.fd));
		ASSERT_EQ(0, pool_stats(self->pool.fd, &stats));
		check_stats(_metadata, &stats);
		EXPECT_LE(stats.busy, 4);
		EXPECT_LE(stats.workers, 4);
	} while (now_ns() < end);
	EXPECT_EQ(0, wait_tasks(self->pool.fd, 0));
	ASSERT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
	ASSERT_EQ(0, pool_stats(self->pool.fd, &stats));
	check_stats(_metadata, &stats);
	EXPECT_EQ(70 * round, stats.file_submitted);
	EXPECT_EQ(70 * round, stats.file_finished);
	EXPECT_EQ(70 * round, stats.file_unread);
	EXPECT_EQ(70 * round, stats.submitted);
	EXPECT_EQ(0, stats.queued);
}

TEST_F(work, stats_of_a_full_pool)
{
	struct wpool_dev_stats stats;

	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 0, 7));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, busy) == 4));
	ASSERT_EQ(0, pool_stats(self->pool.fd, &stats));
	check_stats(_metadata, &stats);
	EXPECT_EQ(4, stats.workers);
	EXPECT_EQ(4, stats.spawned);
	EXPECT_EQ(7, stats.outstanding);
	EXPECT_EQ(3, stats.queued);
	EXPECT_EQ(7, stats.submitted);
	EXPECT_EQ(0, stats.completed);
}

/* 10 ms of sleep lie in the bucket from 2^23 ns on or, at most, above it. */
TEST_F(work, stats_histograms)
{
	struct wpool_dev_stats stats;
	unsigned int i;

	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, 10 * MSEC, 0, 4));
	ASSERT_EQ(0, submit_many(self->single.fd, WPOOL_WORK_SLEEP, 10 * MSEC, 0, 2));
	ASSERT_EQ(0, wait_tasks(self->pool.fd, 0));
	ASSERT_EQ(0, wait_tasks(self->single.fd, 0));
	ASSERT_EQ(0, pool_stats(self->pool.fd, &stats));
	EXPECT_EQ(4, sum(stats.queue_ns));
	EXPECT_EQ(4, sum(stats.run_ns));
	for (i = 0; i < 23; i++)
		EXPECT_EQ(0, stats.run_ns[i]);
	/* the second waited for the first to end */
	ASSERT_EQ(0, pool_stats(self->single.fd, &stats));
	for (i = 23; i < WPOOL_DEV_HIST_BUCKETS; i++)
		stats.queue_ns[0] += stats.queue_ns[i];
	EXPECT_LE(1, stats.queue_ns[0]);
}

TEST_F(work, stats_of_another_file)
{
	int fd = pool_attach(self->pool.name, 0);
	struct wpool_dev_stats stats;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 0, 3));
	ASSERT_EQ(0, wait_tasks(self->pool.fd, 0));
	ASSERT_EQ(0, pool_stats(fd, &stats));
	EXPECT_EQ(3, stats.submitted);
	EXPECT_EQ(0, stats.file_submitted);
	EXPECT_EQ(0, stats.file_finished);
	EXPECT_EQ(0, stats.file_unread);
	EXPECT_EQ(0, sum(stats.run_ns));
	close(fd);
}

/* ---- attributes ---------------------------------------------------------- */

TEST(info_defaults)
{
	struct wpool_dev_info info;
	struct pool pool;

	ASSERT_EQ(0, pool_create(&pool, NULL));
	ASSERT_EQ(0, pool_info(pool.fd, &info));
	EXPECT_STREQ(pool.name, (char *)info.name);
	EXPECT_EQ(256, info.attrs.capacity);
	EXPECT_EQ(0, info.attrs.queue_depth);
	EXPECT_EQ(0, info.attrs.max_blocking);
	EXPECT_EQ(WPOOL_DEV_POLICY_BLOCK, info.attrs.policy);
	EXPECT_EQ(1000, info.attrs.expiry_ms);
	EXPECT_EQ(1, info.attrs.min_workers);
	EXPECT_EQ(1, info.attrs.concurrency);
	EXPECT_EQ(20, info.attrs.spin_us);
	EXPECT_EQ(10, info.attrs.hog_ms);
	EXPECT_EQ(1, info.attrs.handoff);
	EXPECT_EQ(1, info.attrs.steal);
	EXPECT_EQ(0, info.attrs.latency);
	EXPECT_EQ(WPOOL_DEV_ORDER_LIFO, info.attrs.order);
	EXPECT_EQ(0, info.attrs.prealloc);
	EXPECT_EQ(0, info.attrs.nice);
	EXPECT_EQ(0, info.attrs.reserved);
	pool_end(&pool);
}

TEST(info_default_pool)
{
	struct wpool_dev_info info;
	int fd = pool_attach("default", 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pool_info(fd, &info));
	EXPECT_STREQ("default", (char *)info.name);
	EXPECT_EQ(WPOOL_DEV_UNLIMITED, info.attrs.capacity);
	EXPECT_EQ(WPOOL_DEV_UNLIMITED, pool_figure(fd, free));
	close(fd);
}

static int get_cpumask(int fd, __u64 *bits, __u32 bytes)
{
	struct wpool_dev_info info = {
		.size = sizeof(info),
		.attrs = { .cpumask_bytes = bytes, .cpumask = (uintptr_t)bits },
	};

	return ioctl(fd, WPOOL_IOC_INFO, &info) ? -errno : 0;
}

TEST(info_cpumask)
{
	__u64 all = (1ULL << sysconf(_SC_NPROCESSORS_CONF)) - 1;
	__u64 bits[128];
	struct pool pool;

	ASSERT_EQ(0, pool_create(&pool, NULL));
	memset(bits, 0xff, sizeof(bits));
	ASSERT_EQ(0, get_cpumask(pool.fd, bits, sizeof(bits)));
	EXPECT_NE(0, bits[0]);
	EXPECT_EQ(0, bits[0] & ~all);
	/* what is beyond the CPUs that can be is cleared, too */
	EXPECT_EQ(0, bits[127]);
	EXPECT_EQ(0, get_cpumask(pool.fd, bits, 8));
	EXPECT_EQ(-EINVAL, get_cpumask(pool.fd, bits, 12));
	EXPECT_EQ(-EINVAL, get_cpumask(pool.fd, bits, 4));
	EXPECT_EQ(-EFAULT, get_cpumask(pool.fd, (__u64 *)0xffff888000000000UL, 8));
	pool_end(&pool);
}

TEST(cpumask_is_where_tasks_run)
{
	__u64 wanted = 1ULL << (sysconf(_SC_NPROCESSORS_ONLN) - 1);
	struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_CPUMASK | WPOOL_DEV_CAPACITY | WPOOL_DEV_QUEUE_DEPTH,
		.capacity = 4,
		.queue_depth = WPOOL_DEV_UNLIMITED,
		.cpumask_bytes = 8,
		.cpumask = (uintptr_t)&wanted,
	};
	struct wpool_dev_record records[200];
	struct pool pool;
	__u64 bits[1];
	unsigned int i;

	ASSERT_EQ(0, pool_create(&pool, &attrs));
	ASSERT_EQ(0, get_cpumask(pool.fd, bits, 8));
	EXPECT_EQ(wanted, bits[0]);
	ASSERT_EQ(0, submit_many(pool.fd, WPOOL_WORK_SPIN, 10000, 0, 200));
	ASSERT_EQ(200, read_records(pool.fd, records, 200));
	for (i = 0; i < 200; i++)
		EXPECT_EQ(wanted, 1ULL << records[i].cpu);
	/* and after a change of it */
	wanted = 1;
	attrs.mask = WPOOL_DEV_CPUMASK;
	ASSERT_EQ(0, pool_tune(pool.fd, &attrs));
	ASSERT_EQ(0, get_cpumask(pool.fd, bits, 8));
	EXPECT_EQ(wanted, bits[0]);
	ASSERT_EQ(0, submit_many(pool.fd, WPOOL_WORK_SPIN, 10000, 0, 200));
	ASSERT_EQ(200, read_records(pool.fd, records, 200));
	for (i = 0; i < 200; i++)
		EXPECT_EQ(wanted, 1ULL << records[i].cpu);
	pool_end(&pool);
}

/* ---- fork-join ----------------------------------------------------------- */

FIXTURE(tree)
{
	struct pool pool;
};

FIXTURE_VARIANT(tree)
{
	struct wpool_dev_attrs attrs;
};

#define TREE_ATTRS(depth_, policy_)						\
	.attrs = {								\
		.mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_QUEUE_DEPTH | WPOOL_DEV_POLICY, \
		.capacity = 1,							\
		.queue_depth = (depth_),					\
		.policy = (policy_),						\
	}

FIXTURE_VARIANT_ADD(tree, one_worker_no_queue) {
	TREE_ATTRS(0, WPOOL_DEV_POLICY_BLOCK),
};

FIXTURE_VARIANT_ADD(tree, one_worker_short_queue) {
	TREE_ATTRS(3, WPOOL_DEV_POLICY_BLOCK),
};

FIXTURE_VARIANT_ADD(tree, one_worker_endless_queue) {
	TREE_ATTRS(WPOOL_DEV_UNLIMITED, WPOOL_DEV_POLICY_BLOCK),
};

FIXTURE_VARIANT_ADD(tree, one_worker_fail) {
	TREE_ATTRS(2, WPOOL_DEV_POLICY_FAIL),
};

FIXTURE_VARIANT_ADD(tree, one_worker_run) {
	TREE_ATTRS(2, WPOOL_DEV_POLICY_RUN),
};

FIXTURE_SETUP(tree)
{
	ASSERT_EQ(0, pool_create(&self->pool, &variant->attrs));
}

FIXTURE_TEARDOWN(tree)
{
	pool_end(&self->pool);
}

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

TEST_F(tree, deepest)
{
	struct wpool_dev_work work = {
		.kind = WPOOL_WORK_TREE, .depth = WPOOL_MAX_TREE_DEPTH, .fanout = 1,
	};
	struct wpool_dev_record record;

	ASSERT_EQ(0, submit_all(self->pool.fd, &work, 1));
	ASSERT_EQ(1, read_records(self->pool.fd, &record, 1));
	EXPECT_EQ(0, record.status);
}

TEST_F(tree, widest)
{
	struct wpool_dev_work work = {
		.kind = WPOOL_WORK_TREE, .depth = 2, .fanout = WPOOL_MAX_TREE_FANOUT,
	};
	struct wpool_dev_record record;

	ASSERT_EQ(0, submit_all(self->pool.fd, &work, 1));
	ASSERT_EQ(1, read_records(self->pool.fd, &record, 1));
	EXPECT_EQ(0, record.status);
}

TEST_HARNESS_MAIN
