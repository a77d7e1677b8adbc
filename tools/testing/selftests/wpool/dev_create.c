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

TEST(create_refuses_a_bad_name)
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
}

TEST(create_takes_each_good_name)
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
	}
}

TEST(create_refuses_a_name_that_is_taken)
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
}

static __u64 no_cpu[1];
static __u64 far_cpu[2] = { 0, 1ULL << 63 };	/* CPU 127 */
static __u64 most_cpus[16] = { 1, [15] = 1ULL << 63 };	/* CPU 0 and CPU 1023 */
static __u64 one_cpu[1] = { 1 };

#define BAD(bit, field, value, err)						\
	{ #field " = " #value, err, { .mask = WPOOL_DEV_##bit, .field = value } }
#define BAD_CPUS(what, err, bits, nr_bytes)					\
	{ "cpumask " what, err, { .mask = WPOOL_DEV_CPUMASK,			\
				  .cpumask_bytes = nr_bytes, .cpumask = (uintptr_t)(bits) } }

/* One invalid attribute, and the errno for it. */
static const struct bad_attr {
	const char *what;
	int err;
	struct wpool_dev_attrs attrs;
} bad_attrs[] = {
	BAD(CAPACITY, capacity, 0, EINVAL),
	BAD(CAPACITY, capacity, (1U << 20) + 1, ERANGE),
	BAD(CAPACITY, capacity, WPOOL_DEV_UNLIMITED - 1, ERANGE),
	BAD(QUEUE_DEPTH, queue_depth, (1U << 29) + 1, ERANGE),
	BAD(MAX_BLOCKING, max_blocking, (1U << 30) + 1, ERANGE),
	BAD(POLICY, policy, 4, EINVAL),
	BAD(POLICY, policy, UINT32_MAX, EINVAL),
	BAD(EXPIRY_MS, expiry_ms, 24 * 60 * 60 * 1000 + 1, ERANGE),
	{ "min_workers above capacity", EINVAL,
	  { .mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_MIN_WORKERS, .capacity = 4, .min_workers = 5 } },
	/* above the default capacity */
	BAD(MIN_WORKERS, min_workers, 257, EINVAL),
	BAD(MIN_WORKERS, min_workers, UINT32_MAX, ERANGE),
	BAD(CAPACITY_PER_CPU, capacity_per_cpu, (1U << 20) + 1, ERANGE),
	BAD(CAPACITY_PER_CPU, capacity_per_cpu, UINT32_MAX, ERANGE),
	{ "capacity and capacity_per_cpu", EINVAL,
	  { .mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_CAPACITY_PER_CPU, .capacity = 4,
	    .capacity_per_cpu = 4 } },
	BAD(CONCURRENCY, concurrency, 0, ERANGE),
	BAD(CONCURRENCY, concurrency, 1025, ERANGE),
	BAD(SPIN_US, spin_us, 1001, ERANGE),
	BAD(HOG_MS, hog_ms, 0, ERANGE),
	BAD(HOG_MS, hog_ms, 10001, ERANGE),
	BAD(MAX_WAIT_MS, max_wait_ms, 24 * 60 * 60 * 1000 + 1, ERANGE),
	BAD(HANDOFF, handoff, 2, EINVAL),
	BAD(FREEZABLE, freezable, 2, EINVAL),
	BAD(RECLAIM, reclaim, 2, EINVAL),
	BAD(SCHED, sched, 100, ERANGE),
	BAD(SCHED, sched, UINT32_MAX, ERANGE),
	BAD(LATENCY, latency, 256, EINVAL),
	BAD(NICE, nice, -21, ERANGE),
	BAD(NICE, nice, 20, ERANGE),
	BAD_CPUS("empty", EINVAL, no_cpu, 8),
	BAD_CPUS("without a CPU that is there", EINVAL, far_cpu, 16),
	BAD_CPUS("with a CPU that cannot be", EINVAL, most_cpus, 128),
	BAD_CPUS("of 0 bytes", EINVAL, one_cpu, 0),
	BAD_CPUS("of 4 bytes", EINVAL, one_cpu, 4),
	BAD_CPUS("of 12 bytes", EINVAL, far_cpu, 12),
	BAD_CPUS("of 1032 bytes", EINVAL, one_cpu, 1032),
	BAD_CPUS("without a pointer", EFAULT, NULL, 8),
	BAD_CPUS("nowhere", EFAULT, 0xffff888000000000UL, 8),
	{ "the first unknown attribute", EOPNOTSUPP, { .mask = WPOOL_DEV_ALL + 1 } },
	{ "unknown attribute 31", EOPNOTSUPP, { .mask = 1U << 31 } },
};

static const struct bad_attr bad_create_attrs[] = {
	BAD(ORDER, order, 2, EINVAL),
	BAD(PREALLOC, prealloc, 2, EINVAL),
	{ "prealloc of an unlimited pool", EINVAL,
	  { .mask = WPOOL_DEV_PREALLOC | WPOOL_DEV_CAPACITY,
	    .prealloc = 1, .capacity = WPOOL_DEV_UNLIMITED } },
};

static void try_create(struct __test_metadata *_metadata, const struct bad_attr *bad)
{
	struct wpool_dev_stats stats;
	char name[WPOOL_DEV_NAME_LEN];
	int fd = open(DEV, O_RDWR);
	int err;

	ASSERT_LE(0, fd);
	pool_name(name);
	err = pool_create_fd(fd, name, &bad->attrs);
	EXPECT_EQ(-bad->err, err)
		TH_LOG("%s", bad->what);
	EXPECT_FALSE(pool_exists(name))
		TH_LOG("%s: there is a pool all the same", bad->what);
	EXPECT_EQ(-ENXIO, pool_stats(fd, &stats))
		TH_LOG("%s: the file is attached", bad->what);
	if (!err)
		pool_destroy(fd);
	close(fd);
}

TEST(create_refuses_a_bad_attribute)
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
		EXPECT_EQ(-bad_attrs[i].err, err)
			TH_LOG("%s", bad_attrs[i].what);
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

TEST(the_default_pool_can_be_tuned)
{
	int fd = pool_attach("default", 0);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pool_tune(fd, ATTRS(.expiry_ms = 777)));
	EXPECT_EQ(777, attr_number("default", "expiry_ms"));
	EXPECT_EQ(0, pool_tune(fd, ATTRS(.expiry_ms = 1000)));
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
