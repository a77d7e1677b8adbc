/* SPDX-License-Identifier: GPL-2.0 */
/* Two pools with an unlimited queue, for four workers and for one, and checks of records. */
#ifndef WORK_FIXTURE_H
#define WORK_FIXTURE_H

#include "wpool_test.h"

#define SMALL_POOL	ATTRS(.capacity = 4, .queue_depth = WPOOL_DEV_UNLIMITED)
#define SINGLE_POOL	ATTRS(.capacity = 1, .queue_depth = WPOOL_DEV_UNLIMITED)

/* Check the record of a task that ran to its end, and was submitted after @since. */
static inline void check_record(struct __test_metadata *_metadata,
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

/* Send SIGALRM every @usec, which is less than 1 s, to interrupt system calls. 0: stop. */
static inline void nag(unsigned int usec)
{
	struct itimerval every = {
		.it_value = { .tv_usec = usec },
		.it_interval = { .tv_usec = usec },
	};

	on_signal(SIGALRM, 0);
	setitimer(ITIMER_REAL, &every, NULL);
}

static inline __u64 sum(const __u64 *buckets)
{
	__u64 all = 0;
	unsigned int i;

	for (i = 0; i < WPOOL_DEV_HIST_BUCKETS; i++)
		all += buckets[i];
	return all;
}

FIXTURE(work)
{
	struct pool pool;	/* 4 workers, an unlimited queue */
	struct pool single;	/* one worker, an unlimited queue */
};

FIXTURE_SETUP(work)
{
	ASSERT_EQ(0, pool_create(&self->pool, SMALL_POOL));
	ASSERT_EQ(0, pool_create(&self->single, SINGLE_POOL));
}

FIXTURE_TEARDOWN(work)
{
	pool_end(&self->pool);
	pool_end(&self->single);
}

#endif /* WORK_FIXTURE_H */
