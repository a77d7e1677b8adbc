// SPDX-License-Identifier: GPL-2.0
/* Records of /dev/wpool: reading records, waiting for tasks, and cancelling tasks. */
#include "work_fixture.h"

TEST_F(work, read_copies_whole_records_only)
{
	char buf[5 * sizeof(struct wpool_dev_record)];
	const ssize_t one = sizeof(struct wpool_dev_record);

	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 0, 5));
	ASSERT_EQ(0, wait_tasks(self->pool.fd, 0));
	EXPECT_ERRNO(EINVAL, read(self->pool.fd, buf, one - 1));
	EXPECT_ERRNO(EINVAL, read(self->pool.fd, buf, 1));
	EXPECT_EQ(2 * one, read(self->pool.fd, buf, 2 * one + one / 2));
	EXPECT_EQ(one, read(self->pool.fd, buf, one));
	EXPECT_EQ(2 * one, read(self->pool.fd, buf, sizeof(buf)));
	EXPECT_EQ(0, read(self->pool.fd, buf, sizeof(buf)));
	EXPECT_EQ(0, read(self->pool.fd, buf, one));
	EXPECT_ERRNO(EINVAL, read(self->pool.fd, buf, one - 1));
}

/* Records come in the order in which their tasks finished, also if workers finish together. */
TEST_F(work, records_are_in_order)
{
	enum { NR = 20000 };
	struct wpool_dev_record *records = calloc(NR, sizeof(*records));
	unsigned int i, wrong = 0;

	ASSERT_NE(NULL, records);
	ASSERT_EQ(0, pool_tune(self->pool.fd, ATTRS(.capacity = 4,
						    .queue_depth = WPOOL_DEV_UNLIMITED)));
	for (i = 0; i < NR; i += WPOOL_MAX_BATCH)
		ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, i,
					 NR - i < WPOOL_MAX_BATCH ? NR - i : WPOOL_MAX_BATCH));
	ASSERT_EQ(NR, read_records(self->pool.fd, records, NR));
	for (i = 1; i < NR; i++)
		wrong += records[i].end_ns < records[i - 1].end_ns;
	EXPECT_EQ(0, wrong);
	free(records);
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

TEST_F(work, a_nonblocking_read_does_not_wait)
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
}

TEST_F(work, read_ends_with_the_last_silent_task)
{
	struct wpool_dev_work work = {
		.kind = WPOOL_WORK_SLEEP, .arg = 50 * MSEC, .flags = WPOOL_WORK_SILENT,
	};
	struct wpool_dev_record record;
	struct wpool_dev_stats stats;

	/* the task has no record: a sleeping reader must return */
	ASSERT_EQ(0, submit_all(self->pool.fd, &work, 1));
	EXPECT_EQ(0, read(self->pool.fd, &record, sizeof(record)));
	EXPECT_EQ(1, pool_figure(self->pool.fd, file_finished));
	/* but the histograms have it */
	pool_stats(self->pool.fd, &stats);
	EXPECT_EQ(1, sum(stats.queue_ns));
	EXPECT_EQ(1, sum(stats.run_ns));
}

TEST_F(work, a_signal_ends_a_read_that_waits)
{
	struct wpool_dev_record record;

	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 1));
	nag(50000);
	EXPECT_ERRNO(EINTR, read(self->pool.fd, &record, sizeof(record)));
	nag(0);
}

/* A read that a signal interrupts returns the records copied so far. None is lost. */
TEST_F(work, read_of_many_records_interrupted)
{
	enum { NR = WPOOL_MAX_INFLIGHT / 8 };
	const ssize_t all = NR * sizeof(struct wpool_dev_record);
	struct wpool_dev_record *records = malloc(all);
	__u64 end = now_ns() + WAIT_NS, began, took = 0;
	unsigned int i, tries;
	ssize_t len = all;

	ASSERT_NE(NULL, records);
	/*
	 * The first read measures how long a read takes on this machine. Then a signal comes eight
	 * times within that time.
	 */
	for (tries = 0; len == all && (tries < 4 || now_ns() < end); tries++) {
		for (i = 0; i < NR; i += WPOOL_MAX_BATCH)
			ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, i,
						 WPOOL_MAX_BATCH));
		ASSERT_EQ(0, wait_tasks(self->pool.fd, 0));
		if (took)
			nag(took / 8000 < 1 ? 1 : took / 8000 % 1000000);
		began = now_ns();
		len = read(self->pool.fd, records, all);
		took = now_ns() - began;
		nag(0);
		ASSERT_LT(0, len);
		EXPECT_EQ(all - len, read(self->pool.fd, records, all));
	}
	EXPECT_GT(all, len);
}

TEST_F(work, poll_says_what_read_would_do)
{
	struct pollfd pfd = { .fd = self->pool.fd, .events = POLLIN };

	/* read() would return 0: no record, and no unfinished task */
	EXPECT_EQ(1, poll(&pfd, 1, 0));
	EXPECT_EQ(POLLIN, pfd.revents & POLLIN);
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 1));
	EXPECT_EQ(0, poll(&pfd, 1, 0));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_EQ(1, poll(&pfd, 1, WAIT_NS / MSEC));
	EXPECT_EQ(POLLIN, pfd.revents & POLLIN);
	EXPECT_RECORD(self->pool.fd, 1, -ECANCELED);
	EXPECT_EQ(1, poll(&pfd, 1, 0));
}

TEST_F(work, poll_ends_with_the_last_silent_task)
{
	struct wpool_dev_work work = {
		.kind = WPOOL_WORK_SLEEP, .arg = 50 * MSEC, .flags = WPOOL_WORK_SILENT,
	};
	struct pollfd pfd = { .fd = self->pool.fd, .events = POLLIN };

	ASSERT_EQ(0, submit_all(self->pool.fd, &work, 1));
	EXPECT_EQ(1, poll(&pfd, 1, WAIT_NS / MSEC));
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

	/* the first task lasts until all readers sleep */
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
	/* a reader may have ended at a moment without unfinished tasks: read the rest */
	readers[0].nr = 0;
	read_some(&readers[0]);
	EXPECT_EQ(ARRAY_SIZE(seen), nr + readers[0].nr);
	for (i = 0; i < ARRAY_SIZE(seen); i++) {
		ASSERT_EQ(1, seen[i])
			TH_LOG("cookie %u", i);
	}
}

TEST_F(work, a_wait_lasts_until_all_tasks_have_ended)
{
	EXPECT_EQ(0, wait_tasks(self->pool.fd, 0));
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, 10 * MSEC, 0, 12));
	EXPECT_EQ(0, wait_tasks(self->pool.fd, 0));
	EXPECT_EQ(12, pool_figure(self->pool.fd, file_finished));
	EXPECT_EQ(12, pool_figure(self->pool.fd, file_unread));
}

TEST_F(work, a_wait_ends_when_its_time_is_over)
{
	__u64 since = now_ns();

	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 1));
	EXPECT_EQ(-ETIME, wait_tasks(self->pool.fd, 20 * MSEC));
	EXPECT_LE(20 * MSEC, now_ns() - since);
	EXPECT_EQ(-ETIME, wait_tasks(self->pool.fd, 1));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_EQ(0, wait_tasks(self->pool.fd, WAIT_NS));
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

TEST_F(work, a_signal_ends_a_wait_for_tasks)
{
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 1));
	nag(50000);
	EXPECT_EQ(-EINTR, wait_tasks(self->pool.fd, 0));
	EXPECT_EQ(-EINTR, wait_tasks(self->pool.fd, WAIT_NS));
	nag(0);
}

TEST_F(work, cancel_queued_by_cookie)
{
	static const __u64 cookies[] = { 7, 8, 7, 9 };
	struct wpool_dev_record records[4];
	__u32 cancelled, stopped;
	unsigned int i;

	ASSERT_EQ(0, occupy(self->single.fd, 1, 1));
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
	EXPECT_EQ(2, pool_figure(self->single.fd, cancelled));
	EXPECT_EQ(0, cancel(self->single.fd, 0, 1, &cancelled, &stopped));
	EXPECT_EQ(0, cancelled);
	EXPECT_EQ(1, stopped);
	ASSERT_EQ(3, read_records(self->single.fd, records, 3));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(records[i].cookie == 1 ? -ECANCELED : 0, records[i].status);
}

ONE_POOL(running, SMALL_POOL)

FIXTURE_VARIANT(running)
{
	struct wpool_dev_work work;
};

FIXTURE_VARIANT_ADD(running, sleep) WORK(SLEEP, .arg = LONG);
FIXTURE_VARIANT_ADD(running, spin) WORK(SPIN, .arg = LONG);
FIXTURE_VARIANT_ADD(running, lock) WORK(LOCK, .arg = LONG);
FIXTURE_VARIANT_ADD(running, loop) WORK(LOOP, .arg = LONG);
FIXTURE_VARIANT_ADD(running, tree) WORK(TREE, .arg = LONG, .depth = 2, .fanout = 3);

TEST_F(running, cancel_stops_it_soon)
{
	struct wpool_dev_work work = variant->work;
	struct wpool_dev_record record;
	__u32 cancelled, stopped;
	struct pool witness;
	__u64 told;

	work.cookie = 5;
	ASSERT_EQ(0, witness_begin(&witness));
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
	EXPECT_TRUE(witness_runs(&witness))
		TH_LOG("a task that was cancelled came to its own end");
	TH_LOG("it took %llu ms", (unsigned long long)(record.end_ns - told) / MSEC);
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
	pool_end(&witness);
}

/* A cancel of all tasks ends tasks that run, wait for the lock, or are queued. */
TEST_F(running, cancel_all)
{
	struct wpool_dev_record records[10];
	struct wpool_dev_work works[10];
	__u32 cancelled, stopped;
	struct pool witness;
	__u64 told, last = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(works); i++)
		works[i] = variant->work;
	ASSERT_EQ(0, witness_begin(&witness));
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
	EXPECT_TRUE(witness_runs(&witness))
		TH_LOG("tasks that were cancelled came to their own end");
	pool_end(&witness);
	TH_LOG("it took %llu ms", (unsigned long long)(last - told) / MSEC);
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
	EXPECT_EQ(0, run_one(self->pool.fd));
}

TEST_F(work, cancel_of_an_unknown_cookie_is_an_error)
{
	__u32 cancelled, stopped;

	EXPECT_EQ(-ENOENT, cancel(self->pool.fd, 0, 1, NULL, NULL));
	ASSERT_EQ(0, run_one(self->pool.fd));
	/* a finished task is unknown, whether its record was read or not */
	EXPECT_EQ(-ENOENT, cancel(self->pool.fd, 0, 1, NULL, NULL));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 2));
	EXPECT_EQ(-ENOENT, cancel(self->pool.fd, 0, 1, NULL, NULL));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	ASSERT_EQ(0, wait_tasks(self->pool.fd, 0));
	/* cancelling all tasks of an empty file is no error */
	EXPECT_EQ(0, cancel(self->pool.fd, WPOOL_DEV_CANCEL_ALL, 0, &cancelled, &stopped));
	EXPECT_EQ(0, cancelled);
	EXPECT_EQ(0, stopped);
}

TEST_F(work, cancelled_silent_tasks_leave_no_record)
{
	const struct wpool_dev_work work = {
		.kind = WPOOL_WORK_SLEEP, .arg = LONG, .flags = WPOOL_WORK_SILENT,
	};
	struct wpool_dev_record record;

	ASSERT_EQ(0, submit_all(self->single.fd, &work, 1) ?:
		     submit_all(self->single.fd, &work, 1));
	EXPECT_EQ(0, cancel_all(self->single.fd));
	EXPECT_EQ(0, wait_tasks(self->single.fd, WAIT_NS));
	EXPECT_EQ(0, read(self->single.fd, &record, sizeof(record)));
	EXPECT_EQ(2, pool_figure(self->single.fd, file_finished));
}

/* If a cancel races with tasks that start and end, each task ends exactly once. */
TEST_F(work, cancel_against_running_tasks)
{
	enum { NR = 2000 };
	struct wpool_dev_record *records = calloc(NR, sizeof(*records));
	__u8 seen[NR] = { };
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
	EXPECT_EQ(NR, pool_figure(self->pool.fd, submitted));
	EXPECT_EQ(cancelled_sum, pool_figure(self->pool.fd, cancelled));
}

TEST_HARNESS_MAIN
