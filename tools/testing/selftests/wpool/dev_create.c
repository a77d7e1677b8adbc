// SPDX-License-Identifier: GPL-2.0
/* Names and attributes that are allowed for a pool of /dev/wpool. */
#include "wpool_test.h"

/* Create a pool; its name is these @len bytes, unchanged. */
static int create_raw(int fd, const char *name, size_t len)
{
	struct wpool_dev_create create = { .size = sizeof(create) };

	memcpy(create.name, name, len);
	return ioctl(fd, WPOOL_IOC_CREATE, &create) ? -errno : 0;
}

static int attach_raw(int fd, const char *name, size_t len)
{
	struct wpool_dev_attach attach = { .size = sizeof(attach) };

	memcpy(attach.name, name, len);
	return ioctl(fd, WPOOL_IOC_ATTACH, &attach) ? -errno : 0;
}

static const char no_nul[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

static const char * const bad_names[] = {
	"", ".", "..", ".hidden", "a/b", "/", "../default", "a b", " a", "a ",
	"a\n", "a\tb", "a!b", "a:b", "a*", "a%s", "a\\", "a@b", "\x7f", "\x01",
	"\xc3\xa4", "\xff",
};

TEST(create_bad_name)
{
	int fd = open(DEV, O_RDWR);
	unsigned int before = pools_named("");
	struct wpool_dev_stats stats;
	size_t i;

	ASSERT_LE(0, fd);
	for (i = 0; i < ARRAY_SIZE(bad_names); i++) {
		EXPECT_EQ(-EINVAL, create_raw(fd, bad_names[i], strlen(bad_names[i])))
			TH_LOG("name '%s'", bad_names[i]);
	}
	/* without room for a NUL the name is too long by one */
	EXPECT_EQ(-EINVAL, create_raw(fd, no_nul, sizeof(((struct wpool_dev_create *)0)->name)));
	EXPECT_EQ(before, pools_named(""));
	EXPECT_EQ(-ENXIO, pool_stats(fd, &stats));
	close(fd);
}

TEST(create_good_name)
{
	static const char * const names[] = {
		"x", "-", "_", "a.", "A-z_0.9", "0", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	};
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		fd = open(DEV, O_RDWR);
		ASSERT_LE(0, fd);
		EXPECT_EQ(0, create_raw(fd, names[i], strlen(names[i])))
			TH_LOG("name '%s'", names[i]);
		EXPECT_TRUE(pool_exists(names[i]));
		EXPECT_EQ(0, pool_destroy(fd));
		EXPECT_FALSE(pool_exists(names[i]));
		close(fd);
	}
}

TEST(create_name_taken)
{
	struct wpool_dev_stats stats;
	struct pool pool;
	int fd = open(DEV, O_RDWR);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pool_create(&pool, NULL));
	EXPECT_EQ(-EEXIST, pool_create_fd(fd, pool.name, NULL));
	EXPECT_EQ(-EEXIST, pool_create_fd(fd, "default", NULL));
	EXPECT_EQ(-ENXIO, pool_stats(fd, &stats));
	pool_end(&pool);
	EXPECT_EQ(0, pool_create_fd(fd, pool.name, NULL));
	EXPECT_EQ(0, pool_destroy(fd));
	close(fd);
}

TEST(attach_no_such_pool)
{
	char name[WPOOL_DEV_NAME_LEN];
	int fd = open(DEV, O_RDWR);
	size_t i;
	int err;

	ASSERT_LE(0, fd);
	pool_name(name);
	EXPECT_EQ(-ENOENT, pool_attach_fd(fd, name));
	/* attach refuses bad names, too */
	for (i = 0; i < ARRAY_SIZE(bad_names); i++) {
		err = attach_raw(fd, bad_names[i], strlen(bad_names[i]));
		EXPECT_TRUE(err == -ENOENT || err == -EINVAL)
			TH_LOG("name '%s': %d", bad_names[i], err);
	}
	EXPECT_EQ(-EINVAL, attach_raw(fd, no_nul, sizeof(((struct wpool_dev_attach *)0)->name)));
	/* a prefix, or a name in another case, is another name */
	EXPECT_EQ(-ENOENT, pool_attach_fd(fd, "def"));
	EXPECT_EQ(-ENOENT, pool_attach_fd(fd, "Default"));
	EXPECT_EQ(0, pool_attach_fd(fd, "default"));
	close(fd);
}

static __u64 no_cpu[1];
static __u64 far_cpu[2] = { 0, 1ULL << 63 };	/* CPU 127 */
static __u64 most_cpus[16] = { 1, [15] = 1ULL << 63 };	/* CPU 0 and CPU 1023 */
static __u64 one_cpu[1] = { 1 };

#define CPUS(bits, nr_bytes)				\
	.cpumask_bytes = (nr_bytes), .cpumask = (uintptr_t)(bits)

/* One invalid attribute, and the errno for it. */
static const struct bad_attr {
	const char *what;
	int err;
	int or_err;	/* another errno that the contract allows, or 0 */
	struct wpool_dev_attrs attrs;
} bad_attrs[] = {
	{ "capacity 0", EINVAL, 0, { .mask = WPOOL_DEV_CAPACITY, .capacity = 0 } },
	{ "capacity too large", ERANGE, 0,
	  { .mask = WPOOL_DEV_CAPACITY, .capacity = (1U << 20) + 1 } },
	{ "capacity next to unlimited", ERANGE, 0,
	  { .mask = WPOOL_DEV_CAPACITY, .capacity = WPOOL_DEV_UNLIMITED - 1 } },
	{ "queue_depth too large", ERANGE, 0,
	  { .mask = WPOOL_DEV_QUEUE_DEPTH, .queue_depth = (1U << 29) + 1 } },
	{ "max_blocking too large", ERANGE, 0,
	  { .mask = WPOOL_DEV_MAX_BLOCKING, .max_blocking = (1U << 30) + 1 } },
	{ "policy 4", EINVAL, ERANGE, { .mask = WPOOL_DEV_POLICY, .policy = 4 } },
	{ "policy -1", EINVAL, ERANGE, { .mask = WPOOL_DEV_POLICY, .policy = UINT32_MAX } },
	{ "expiry_ms too large", ERANGE, 0,
	  { .mask = WPOOL_DEV_EXPIRY_MS, .expiry_ms = 24 * 60 * 60 * 1000 + 1 } },
	{ "min_workers above capacity", EINVAL, ERANGE,
	  { .mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_MIN_WORKERS, .capacity = 4, .min_workers = 5 } },
	{ "min_workers above the default capacity", EINVAL, ERANGE,
	  { .mask = WPOOL_DEV_MIN_WORKERS, .min_workers = 257 } },
	{ "min_workers too large", EINVAL, ERANGE,
	  { .mask = WPOOL_DEV_MIN_WORKERS, .min_workers = UINT32_MAX } },
	{ "capacity_per_cpu too large", ERANGE, 0,
	  { .mask = WPOOL_DEV_CAPACITY_PER_CPU, .capacity_per_cpu = (1U << 20) + 1 } },
	{ "capacity_per_cpu -1", ERANGE, EINVAL,
	  { .mask = WPOOL_DEV_CAPACITY_PER_CPU, .capacity_per_cpu = UINT32_MAX } },
	{ "capacity and capacity_per_cpu", EINVAL, ERANGE,
	  { .mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_CAPACITY_PER_CPU, .capacity = 4,
	    .capacity_per_cpu = 4 } },
	{ "concurrency 0", ERANGE, EINVAL, { .mask = WPOOL_DEV_CONCURRENCY, .concurrency = 0 } },
	{ "concurrency too large", ERANGE, 0,
	  { .mask = WPOOL_DEV_CONCURRENCY, .concurrency = 1025 } },
	{ "spin_us too large", ERANGE, 0, { .mask = WPOOL_DEV_SPIN_US, .spin_us = 1001 } },
	{ "hog_ms 0", ERANGE, EINVAL, { .mask = WPOOL_DEV_HOG_MS, .hog_ms = 0 } },
	{ "hog_ms too large", ERANGE, 0, { .mask = WPOOL_DEV_HOG_MS, .hog_ms = 10001 } },
	{ "max_wait_ms too large", ERANGE, 0,
	  { .mask = WPOOL_DEV_MAX_WAIT_MS, .max_wait_ms = 24 * 60 * 60 * 1000 + 1 } },
	{ "handoff 2", EINVAL, ERANGE, { .mask = WPOOL_DEV_HANDOFF, .handoff = 2 } },
	{ "freezable 2", EINVAL, ERANGE, { .mask = WPOOL_DEV_FREEZABLE, .freezable = 2 } },
	{ "reclaim 2", EINVAL, ERANGE, { .mask = WPOOL_DEV_RECLAIM, .reclaim = 2 } },
	{ "sched 100", ERANGE, 0, { .mask = WPOOL_DEV_SCHED, .sched = 100 } },
	{ "sched -1", ERANGE, 0, { .mask = WPOOL_DEV_SCHED, .sched = UINT32_MAX } },
	{ "latency 256", EINVAL, ERANGE, { .mask = WPOOL_DEV_LATENCY, .latency = 256 } },
	{ "nice -21", ERANGE, 0, { .mask = WPOOL_DEV_NICE, .nice = -21 } },
	{ "nice 20", ERANGE, 0, { .mask = WPOOL_DEV_NICE, .nice = 20 } },
	{ "cpumask empty", EINVAL, 0, { .mask = WPOOL_DEV_CPUMASK, CPUS(no_cpu, 8) } },
	{ "cpumask without a CPU that is there", EINVAL, 0,
	  { .mask = WPOOL_DEV_CPUMASK, CPUS(far_cpu, 16) } },
	{ "cpumask with a CPU that cannot be", EINVAL, 0,
	  { .mask = WPOOL_DEV_CPUMASK, CPUS(most_cpus, 128) } },
	{ "cpumask of 0 bytes", EINVAL, 0, { .mask = WPOOL_DEV_CPUMASK, CPUS(one_cpu, 0) } },
	{ "cpumask of 4 bytes", EINVAL, 0, { .mask = WPOOL_DEV_CPUMASK, CPUS(one_cpu, 4) } },
	{ "cpumask of 12 bytes", EINVAL, 0, { .mask = WPOOL_DEV_CPUMASK, CPUS(far_cpu, 12) } },
	{ "cpumask of 1032 bytes", EINVAL, ERANGE,
	  { .mask = WPOOL_DEV_CPUMASK, CPUS(one_cpu, 1032) } },
	{ "cpumask without a pointer", EFAULT, EINVAL,
	  { .mask = WPOOL_DEV_CPUMASK, CPUS(NULL, 8) } },
	{ "cpumask nowhere", EFAULT, 0,
	  { .mask = WPOOL_DEV_CPUMASK, CPUS(0xffff888000000000UL, 8) } },
	{ "unknown attribute 20", EOPNOTSUPP, 0, { .mask = 1U << 20 } },
	{ "unknown attribute 31", EOPNOTSUPP, 0, { .mask = 1U << 31 } },
};

static const struct bad_attr bad_create_attrs[] = {
	{ "order 2", EINVAL, ERANGE, { .mask = WPOOL_DEV_ORDER, .order = 2 } },
	{ "prealloc 2", EINVAL, ERANGE,
	  { .mask = WPOOL_DEV_PREALLOC | WPOOL_DEV_CAPACITY, .prealloc = 2, .capacity = 2 } },
	{ "prealloc of an unlimited pool", EINVAL, 0,
	  { .mask = WPOOL_DEV_PREALLOC | WPOOL_DEV_CAPACITY,
	    .prealloc = 1, .capacity = WPOOL_DEV_UNLIMITED } },
};

static bool is_right(const struct bad_attr *bad, int err)
{
	return err == -bad->err || (bad->or_err && err == -bad->or_err);
}

static void try_create(struct __test_metadata *_metadata, const struct bad_attr *bad)
{
	struct wpool_dev_stats stats;
	char name[WPOOL_DEV_NAME_LEN];
	int fd = open(DEV, O_RDWR);
	int err;

	ASSERT_LE(0, fd);
	pool_name(name);
	err = pool_create_fd(fd, name, &bad->attrs);
	EXPECT_TRUE(is_right(bad, err))
		TH_LOG("%s: got %d, expected -%d", bad->what, err, bad->err);
	EXPECT_FALSE(pool_exists(name))
		TH_LOG("%s: there is a pool all the same", bad->what);
	EXPECT_EQ(-ENXIO, pool_stats(fd, &stats))
		TH_LOG("%s: the file is attached", bad->what);
	if (!err)
		pool_destroy(fd);
	close(fd);
}

TEST(create_bad_attribute)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad_attrs); i++)
		try_create(_metadata, &bad_attrs[i]);
	for (i = 0; i < ARRAY_SIZE(bad_create_attrs); i++)
		try_create(_metadata, &bad_create_attrs[i]);
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

TEST(tune_bad_attribute_changes_nothing)
{
	struct wpool_dev_info before, after;
	struct wpool_dev_attrs attrs;
	struct pool pool;
	size_t i;
	int err;

	ASSERT_EQ(0, pool_create(&pool, NULL));
	ASSERT_EQ(0, pool_info(pool.fd, &before));
	for (i = 0; i < ARRAY_SIZE(bad_attrs); i++) {
		/* tune a valid attribute in the same call */
		attrs = bad_attrs[i].attrs;
		if (!(attrs.mask & WPOOL_DEV_EXPIRY_MS)) {
			attrs.mask |= WPOOL_DEV_EXPIRY_MS;
			attrs.expiry_ms = 4321;
		}
		err = pool_tune(pool.fd, &attrs);
		EXPECT_TRUE(is_right(&bad_attrs[i], err))
			TH_LOG("%s: got %d, expected -%d", bad_attrs[i].what, err,
			       bad_attrs[i].err);
		ASSERT_EQ(0, pool_info(pool.fd, &after));
		EXPECT_EQ(0, memcmp(&before, &after, sizeof(after)))
			TH_LOG("%s: something changed", bad_attrs[i].what);
	}
	pool_end(&pool);
}

TEST(tune_create_only_attribute)
{
	const struct wpool_dev_attrs *run = ATTRS(.policy = WPOOL_DEV_POLICY_RUN);
	struct pool pool;

	ASSERT_EQ(0, pool_create(&pool, NULL));
	EXPECT_EQ(-EINVAL, pool_tune(pool.fd, ATTRS(.mask = WPOOL_DEV_ORDER)));
	EXPECT_EQ(-EINVAL, pool_tune(pool.fd, ATTRS(.prealloc = 1)));
	EXPECT_EQ(-EINVAL, pool_tune(pool.fd, run));
	pool_end(&pool);

	ASSERT_EQ(0, pool_create(&pool, run));
	EXPECT_EQ(-EINVAL, pool_tune(pool.fd, ATTRS(.mask = WPOOL_DEV_POLICY)));
	pool_end(&pool);
}

TEST(tune_default_pool)
{
	int fd = pool_attach("default", 0);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pool_tune(fd, ATTRS(.expiry_ms = 777)));
	EXPECT_EQ(777, attr_number("default", "expiry_ms"));
	EXPECT_EQ(0, pool_tune(fd, ATTRS(.expiry_ms = 1000)));
	close(fd);
}

TEST(create_every_attribute)
{
	struct wpool_dev_attrs attrs = {
		/* capacity_per_cpu 0 is allowed beside a capacity */
		.mask = WPOOL_DEV_ALL & ~WPOOL_DEV_CPUMASK,
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

	ASSERT_EQ(0, pool_create(&pool, &attrs));
	ASSERT_EQ(0, pool_info(pool.fd, &info));
	EXPECT_EQ(attrs.mask, info.attrs.mask & ~WPOOL_DEV_CPUMASK);
	for (i = 0; i < ARRAY_SIZE(attr_fields); i++) {
		EXPECT_EQ(attr_value(&attrs, &attr_fields[i]),
			  attr_value(&info.attrs, &attr_fields[i]))
			TH_LOG("%s", attr_fields[i].name);
	}
	pool_end(&pool);
}

TEST(capacity_per_cpu)
{
	__u64 first = 1;
	struct wpool_dev_info info;
	struct pool pool;

	ASSERT_EQ(0, pool_create(&pool, ATTRS(.capacity_per_cpu = 7, .cpumask = (uintptr_t)&first,
					      .cpumask_bytes = sizeof(first))));
	ASSERT_EQ(0, pool_info(pool.fd, &info));
	EXPECT_EQ(7, info.attrs.capacity_per_cpu);
	EXPECT_EQ(7, info.attrs.capacity);
	EXPECT_EQ(0, pool_tune(pool.fd, ATTRS(.capacity_per_cpu = 9)));
	EXPECT_EQ(9, pool_figure(pool.fd, free));
	/* capacity_per_cpu and capacity exclude each other */
	EXPECT_EQ(-EINVAL, pool_tune(pool.fd, ATTRS(.capacity_per_cpu = 9, .capacity = 5)));
	EXPECT_EQ(9, pool_figure(pool.fd, free));
	EXPECT_EQ(0, pool_tune(pool.fd, ATTRS(.capacity = 5)));
	ASSERT_EQ(0, pool_info(pool.fd, &info));
	EXPECT_EQ(0, info.attrs.capacity_per_cpu);
	EXPECT_EQ(5, info.attrs.capacity);
	pool_end(&pool);
}

TEST_HARNESS_MAIN
