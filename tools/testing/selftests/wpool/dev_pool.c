// SPDX-License-Identifier: GPL-2.0
/* A pool of /dev/wpool: its figures, and its attributes, when set, refused and read back. */
#include <assert.h>

#include "work_fixture.h"

static void check_stats(struct __test_metadata *_metadata, const struct wpool_dev_stats *stats)
{
	EXPECT_EQ(stats->workers, stats->idle + stats->searching + stats->busy);
	EXPECT_LE(stats->blocked, stats->busy);
	EXPECT_EQ(stats->submitted, stats->completed + stats->failed + stats->cancelled +
				    stats->overdue + stats->outstanding)
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
	struct wpool_dev_stats none = {
		.size = sizeof(none), .state = WPOOL_DEV_OPEN, .free = WPOOL_DEV_UNLIMITED,
	};

	ASSERT_EQ(0, pool_stats(self->pool.fd, &stats));
	check_stats(_metadata, &stats);
	/* all other figures are 0 */
	memcpy(none.name, stats.name, sizeof(none.name));
	EXPECT_EQ(0, memcmp(&none, &stats, sizeof(none)));
}

TEST_F(work, stats_hold_in_motion)
{
	enum { NOOPS = 50, SLEEPS = 10, SPINS = 10, ALL = NOOPS + SLEEPS + SPINS, ROUNDS = 300 };
	struct wpool_dev_stats stats;
	unsigned int round;

	/* nothing reads the records: the file must hold all of them */
	static_assert(ALL * ROUNDS <= WPOOL_MAX_INFLIGHT, "more records than a file holds");
	for (round = 0; round < ROUNDS; round++) {
		ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 0, NOOPS));
		ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, 100000, 0, SLEEPS));
		ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SPIN, 100000, 0, SPINS));
		if (round % 4 == 0)
			EXPECT_EQ(0, cancel_all(self->pool.fd));
		ASSERT_EQ(0, pool_stats(self->pool.fd, &stats));
		check_stats(_metadata, &stats);
		EXPECT_LE(stats.busy, 4);
		EXPECT_LE(stats.workers, 4);
	}
	EXPECT_EQ(0, wait_tasks(self->pool.fd, 0));
	ASSERT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
	ASSERT_EQ(0, pool_stats(self->pool.fd, &stats));
	check_stats(_metadata, &stats);
	EXPECT_EQ(ALL * ROUNDS, stats.file_submitted);
	EXPECT_EQ(ALL * ROUNDS, stats.file_finished);
	EXPECT_EQ(ALL * ROUNDS, stats.file_unread);
	EXPECT_EQ(ALL * ROUNDS, stats.submitted);
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

/* A sleep of 10 ms is counted in the bucket from 2^23 ns or in a higher one. */
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
	/* the second task waited for the end of the first */
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
}

static int get_cpumask(int fd, __u64 *bits, __u32 bytes)
{
	struct wpool_dev_info info = {
		.size = sizeof(info),
		.attrs = { .cpumask_bytes = bytes, .cpumask = (uintptr_t)bits },
	};

	return ioctl(fd, WPOOL_IOC_INFO, &info) ? -errno : 0;
}

TEST(the_answer_has_all_possible_cpus)
{
	long nr = sysconf(_SC_NPROCESSORS_CONF);
	__u64 all = nr < 64 ? (1ULL << nr) - 1 : ~0ULL;
	__u64 bits[128];
	struct pool pool;

	ASSERT_EQ(0, pool_create(&pool, NULL));
	memset(bits, 0xff, sizeof(bits));
	ASSERT_EQ(0, get_cpumask(pool.fd, bits, sizeof(bits)));
	EXPECT_NE(0, bits[0]);
	EXPECT_EQ(0, bits[0] & ~all);
	/* bits beyond the possible CPUs are cleared, too */
	EXPECT_EQ(0, bits[127]);
	EXPECT_EQ(0, get_cpumask(pool.fd, bits, 8));
	EXPECT_EQ(-EINVAL, get_cpumask(pool.fd, bits, 12));
	EXPECT_EQ(-EINVAL, get_cpumask(pool.fd, bits, 4));
	EXPECT_EQ(-EFAULT, get_cpumask(pool.fd, (__u64 *)0xffff888000000000UL, 8));
	pool_end(&pool);
}

/* Create a pool with one mistake: the file stays unattached, and its next create succeeds. */
static void refuse_create(struct __test_metadata *_metadata, const char *name,
			  const struct wpool_dev_attrs *attrs, int err)
{
	struct wpool_dev_stats stats;
	int fd = open(DEV, O_RDWR);
	char fresh[WPOOL_DEV_NAME_LEN];

	ASSERT_LE(0, fd);
	pool_name(fresh);
	EXPECT_EQ(err, pool_create_fd(fd, name ?: fresh, attrs));
	EXPECT_FALSE(pool_exists(fresh));
	EXPECT_EQ(-ENXIO, pool_stats(fd, &stats));
	EXPECT_EQ(0, pool_create_fd(fd, fresh, NULL));
	EXPECT_EQ(0, pool_destroy(fd));
	close(fd);
}

/* KUnit tests each bad name and value, and dev_fuzz each bad pointer and mask. */
TEST(create_refuses_a_mistake)
{
	static const __u64 most_cpus[16] = { 1, [15] = 1ULL << 63 };	/* CPUs 0 and 1023 */

	refuse_create(_metadata, "a/b", NULL, -EINVAL);
	refuse_create(_metadata, "default", NULL, -EEXIST);
	refuse_create(_metadata, NULL, ATTRS(.capacity = (1U << 20) + 1), -ERANGE);
	refuse_create(_metadata, NULL, ATTRS(.mask = WPOOL_DEV_ALL + 1), -EOPNOTSUPP);
	/* a CPU that cannot exist, whose bit the kernel's mask may not even have */
	refuse_create(_metadata, NULL, ATTRS(.cpumask_bytes = sizeof(most_cpus),
					     .cpumask = (uintptr_t)most_cpus), -EINVAL);
}

TEST(attach_to_no_pool_is_refused)
{
	int fd = open(DEV, O_RDWR);

	ASSERT_LE(0, fd);
	/* a prefix, or a name in another case, is another name */
	EXPECT_EQ(-ENOENT, pool_attach_fd(fd, "def"));
	EXPECT_EQ(-EINVAL, pool_attach_fd(fd, ""));
	EXPECT_EQ(-EINVAL, pool_attach_fd(fd, "a b"));
	EXPECT_EQ(-ENOENT, pool_attach_fd(fd, "Default"));
	EXPECT_EQ(0, pool_attach_fd(fd, "default"));
}

TEST(tune_refuses_a_mistake)
{
	struct wpool_dev_info before, after;
	struct pool pool;

	ASSERT_EQ(0, pool_create(&pool, NULL));
	ASSERT_EQ(0, pool_info(pool.fd, &before));
	EXPECT_EQ(-ERANGE, pool_tune(pool.fd, ATTRS(.expiry_ms = 4321, .spin_us = 1001)));
	EXPECT_EQ(-EINVAL, pool_tune(pool.fd, ATTRS(.expiry_ms = 4321, .prealloc = 1)));
	ASSERT_EQ(0, pool_info(pool.fd, &after));
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(after)));
	pool_end(&pool);
}

/* Attributes that are not in the mask are ignored, even if they are invalid. */
TEST(create_ignores_what_is_not_in_the_mask)
{
	struct wpool_dev_attrs attrs;
	struct wpool_dev_info info;
	struct pool pool;

	memset(&attrs, 0xff, sizeof(attrs));
	attrs.mask = WPOOL_DEV_CAPACITY;
	attrs.capacity = 7;
	attrs.reserved = 0;
	ASSERT_EQ(0, pool_create(&pool, &attrs));
	EXPECT_EQ(0, pool_info(pool.fd, &info));
	EXPECT_EQ(7, info.attrs.capacity);
	EXPECT_EQ(0, info.attrs.queue_depth);
	EXPECT_EQ(1000, info.attrs.expiry_ms);
	pool_end(&pool);
}

TEST(create_sets_every_attribute_as_asked)
{
	struct wpool_dev_attrs attrs = {
		/* capacity_per_cpu 0 is allowed beside a capacity */
		.mask = WPOOL_DEV_CAPACITY_PER_CPU | WPOOL_DEV_HANDOFF | WPOOL_DEV_PREALLOC,
		.capacity = 1U << 20,
		.queue_depth = 1U << 29,
		.max_blocking = 1U << 30,
		.policy = WPOOL_DEV_POLICY_FAIL,
		.expiry_ms = 24 * 60 * 60 * 1000,
		.min_workers = 3,
		.concurrency = 1024,
		.spin_us = 1000,
		.hog_ms = 10000,
		.handoff = 0,
		.latency = 1,
		.order = WPOOL_DEV_ORDER_FIFO,
		.prealloc = 0,
		.nice = -20,
		.freezable = 1,
		.max_wait_ms = 24 * 60 * 60 * 1000,
		.reclaim = 1,
		.sched = 42,
	};
	struct wpool_dev_info info;
	struct pool pool;
	unsigned int i;

	ASSERT_EQ(0, pool_create(&pool, attrs_masked(&attrs)));
	ASSERT_EQ(0, pool_info(pool.fd, &info));
	EXPECT_EQ(WPOOL_DEV_ALL, info.attrs.mask);
	for (i = 0; i < ARRAY_SIZE(attr_fields); i++) {
		if (!(attrs.mask & attr_fields[i].bit))
			continue;
		EXPECT_EQ(attr_value(&attrs, &attr_fields[i]),
			  attr_value(&info.attrs, &attr_fields[i]))
			TH_LOG("%s", attr_fields[i].name);
	}
	pool_end(&pool);

	ASSERT_EQ(0, pool_create(&pool, ATTRS(.capacity_per_cpu = 7)));
	ASSERT_EQ(0, pool_info(pool.fd, &info));
	EXPECT_EQ(7, info.attrs.capacity_per_cpu);
	pool_end(&pool);
}

TEST_HARNESS_MAIN
