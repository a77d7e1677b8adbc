// SPDX-License-Identifier: GPL-2.0
/*
 * The ABI of /dev/wpool as such: sizes, flags, reserved fields, pointers and
 * numbers of every ioctl, who may open it, and what a pool may be made of.
 */
#include "wpool_test.h"

union args {
	__u32 size;
	struct {
		__u32 size;
		__u32 flags;
	} head;
	struct wpool_dev_create create;
	struct wpool_dev_attach attach;
	struct wpool_dev_tune tune;
	struct wpool_dev_release release;
	struct wpool_dev_simple simple;
	struct wpool_dev_submit submit;
	struct wpool_dev_wait wait;
	struct wpool_dev_cancel cancel;
	struct wpool_dev_stats stats;
	struct wpool_dev_info info;
	__u8 bytes[2 * sizeof(struct wpool_dev_stats)];
};

static const struct wpool_dev_work noop = { .kind = WPOOL_WORK_NOOP };

/* ---- every ioctl --------------------------------------------------------- */

FIXTURE(cmd)
{
	struct pool pool;
	char fresh[WPOOL_DEV_NAME_LEN];
	int fd;
	union args args;
};

FIXTURE_VARIANT(cmd)
{
	unsigned long nr;
	size_t size;
	__u32 flags;		/* that are known */
	bool unattached;	/* wants a file without a pool */
	bool writes;		/* has more to tell than its result */
	size_t reserved[2];	/* offsets of fields that have to be 0, or 0 */
};

FIXTURE_VARIANT_ADD(cmd, create) {
	.nr = WPOOL_IOC_CREATE,
	.size = sizeof(struct wpool_dev_create),
	.unattached = true,
	.reserved = { offsetof(struct wpool_dev_create, attrs.reserved) },
};

FIXTURE_VARIANT_ADD(cmd, attach) {
	.nr = WPOOL_IOC_ATTACH,
	.size = sizeof(struct wpool_dev_attach),
	.unattached = true,
};

FIXTURE_VARIANT_ADD(cmd, tune) {
	.nr = WPOOL_IOC_TUNE,
	.size = sizeof(struct wpool_dev_tune),
	.reserved = { offsetof(struct wpool_dev_tune, attrs.reserved) },
};

FIXTURE_VARIANT_ADD(cmd, release) {
	.nr = WPOOL_IOC_RELEASE,
	.size = sizeof(struct wpool_dev_release),
	.flags = WPOOL_DEV_RELEASE_CANCEL | WPOOL_DEV_RELEASE_WAIT,
};

FIXTURE_VARIANT_ADD(cmd, reboot) {
	.nr = WPOOL_IOC_REBOOT,
	.size = sizeof(struct wpool_dev_simple),
};

FIXTURE_VARIANT_ADD(cmd, destroy) {
	.nr = WPOOL_IOC_DESTROY,
	.size = sizeof(struct wpool_dev_simple),
};

FIXTURE_VARIANT_ADD(cmd, submit) {
	.nr = WPOOL_IOC_SUBMIT,
	.size = sizeof(struct wpool_dev_submit),
	.flags = WPOOL_DEV_SUBMIT_NONBLOCK,
	.reserved = { offsetof(struct wpool_dev_submit, reserved) },
};

FIXTURE_VARIANT_ADD(cmd, wait) {
	.nr = WPOOL_IOC_WAIT,
	.size = sizeof(struct wpool_dev_wait),
};

FIXTURE_VARIANT_ADD(cmd, cancel) {
	.nr = WPOOL_IOC_CANCEL,
	.size = sizeof(struct wpool_dev_cancel),
	.flags = WPOOL_DEV_CANCEL_ALL,
};

FIXTURE_VARIANT_ADD(cmd, stats) {
	.nr = WPOOL_IOC_STATS,
	.size = sizeof(struct wpool_dev_stats),
	.writes = true,
};

FIXTURE_VARIANT_ADD(cmd, info) {
	.nr = WPOOL_IOC_INFO,
	.size = sizeof(struct wpool_dev_info),
	.writes = true,
};

FIXTURE_SETUP(cmd)
{
	union args *args = &self->args;

	self->fd = -1;
	ASSERT_EQ(0, pool_create(&self->pool, NULL));
	self->fd = open(DEV, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	if (!variant->unattached)
		ASSERT_EQ(0, pool_attach_fd(self->fd, self->pool.name));
	pool_name(self->fresh);

	/* Arguments that are right. */
	args->size = variant->size;
	switch (variant->nr) {
	case WPOOL_IOC_CREATE:
		memcpy(args->create.name, self->fresh, sizeof(self->fresh));
		break;
	case WPOOL_IOC_ATTACH:
		memcpy(args->attach.name, self->pool.name, sizeof(self->pool.name));
		break;
	case WPOOL_IOC_TUNE:
		args->tune.attrs.mask = WPOOL_DEV_EXPIRY_MS;
		args->tune.attrs.expiry_ms = 2000;
		break;
	case WPOOL_IOC_SUBMIT:
		args->submit.works = (uintptr_t)&noop;
		args->submit.nr = 1;
		args->submit.work_size = sizeof(noop);
		break;
	case WPOOL_IOC_CANCEL:
		args->cancel.flags = WPOOL_DEV_CANCEL_ALL;
		break;
	}
}

FIXTURE_TEARDOWN(cmd)
{
	if (variant->nr == WPOOL_IOC_CREATE)
		pool_destroy(self->fd);
	close(self->fd);
	pool_end(&self->pool);
}

/* One call that works ends each case: what was refused left nothing behind. */
TEST_F(cmd, size)
{
	static const size_t sizes[] = { 0, 1, 4, 7 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		self->args.size = sizes[i];
		EXPECT_ERRNO(EINVAL, ioctl(self->fd, variant->nr, &self->args));
	}
	self->args.size = variant->size - 1;
	EXPECT_ERRNO(EINVAL, ioctl(self->fd, variant->nr, &self->args));

	self->args.size = variant->size + 8;
	self->args.bytes[variant->size] = 1;
	EXPECT_ERRNO(E2BIG, ioctl(self->fd, variant->nr, &self->args));
	self->args.bytes[variant->size] = 0;
	self->args.bytes[variant->size + 7] = 0x80;
	EXPECT_ERRNO(E2BIG, ioctl(self->fd, variant->nr, &self->args));
	self->args.bytes[variant->size + 7] = 0;
	EXPECT_EQ(0, ioctl(self->fd, variant->nr, &self->args));
}

TEST_F(cmd, size_of_a_page)
{
	long page = sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	union args *args = map;

	ASSERT_NE(MAP_FAILED, map);
	memcpy(map, &self->args, sizeof(self->args));
	args->size = UINT32_MAX;
	EXPECT_ERRNO(E2BIG, ioctl(self->fd, variant->nr, map));
	args->size = page + 1;
	EXPECT_ERRNO(E2BIG, ioctl(self->fd, variant->nr, map));
	args->size = page;
	EXPECT_EQ(0, ioctl(self->fd, variant->nr, map));
}

TEST_F(cmd, unknown_flag_or_reserved_field)
{
	__u32 flags = self->args.head.flags;
	unsigned int bit;
	size_t i;

	for (bit = 0; bit < 32; bit++) {
		if (variant->flags & (1U << bit))
			continue;
		self->args.head.flags = flags | 1U << bit;
		EXPECT_ERRNO(EOPNOTSUPP, ioctl(self->fd, variant->nr, &self->args))
			TH_LOG("bit %u", bit);
	}
	self->args.head.flags = flags;
	for (i = 0; i < ARRAY_SIZE(variant->reserved); i++) {
		if (!variant->reserved[i])
			continue;
		self->args.bytes[variant->reserved[i]] = 1;
		EXPECT_ERRNO(EOPNOTSUPP, ioctl(self->fd, variant->nr, &self->args));
		self->args.bytes[variant->reserved[i]] = 0;
	}
	/* one byte more, and a zero */
	self->args.size = variant->size + 1;
	EXPECT_EQ(0, ioctl(self->fd, variant->nr, &self->args));
}

TEST_F(cmd, bad_pointer)
{
	long page = sysconf(_SC_PAGESIZE);
	__u8 *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, mprotect(map + page, page, PROT_NONE));

	EXPECT_ERRNO(EFAULT, ioctl(self->fd, variant->nr, NULL));
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, variant->nr, map + page));
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, variant->nr, 0xffff888000000000UL));
	/* its size can be read, but not all of it */
	memcpy(map + page - 4, &self->args, 4);
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, variant->nr, map + page - 4));
	memcpy(map + page - variant->size + 1, &self->args, variant->size - 1);
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, variant->nr, map + page - variant->size + 1));
	if (variant->writes) {
		memcpy(map, &self->args, variant->size);
		ASSERT_EQ(0, mprotect(map, page, PROT_READ));
		EXPECT_ERRNO(EFAULT, ioctl(self->fd, variant->nr, map));
		ASSERT_EQ(0, mprotect(map, page, PROT_READ | PROT_WRITE));
	}
	/* not a byte more than its size is touched */
	memcpy(map + page - variant->size, &self->args, variant->size);
	EXPECT_EQ(0, ioctl(self->fd, variant->nr, map + page - variant->size));
}

TEST_F(cmd, wrong_attachment_or_number)
{
	unsigned int nr = _IOC_NR(variant->nr);
	int fd = open(DEV, O_RDWR);

	ASSERT_LE(0, fd);
	if (!variant->unattached) {
		EXPECT_ERRNO(ENXIO, ioctl(fd, variant->nr, &self->args));
	} else {
		ASSERT_EQ(0, pool_attach_fd(fd, self->pool.name));
		EXPECT_ERRNO(EISCONN, ioctl(fd, variant->nr, &self->args));
		EXPECT_FALSE(pool_exists(self->fresh));
	}
	close(fd);

	EXPECT_ERRNO(ENOTTY, ioctl(self->fd, _IO(WPOOL_IOC_TYPE + 1, nr), &self->args));
	EXPECT_ERRNO(ENOTTY, ioctl(self->fd, _IO(WPOOL_IOC_TYPE - 1, nr), &self->args));
	EXPECT_ERRNO(ENOTTY, ioctl(self->fd, _IOC(_IOC_READ | _IOC_WRITE, WPOOL_IOC_TYPE, nr,
						  variant->size), &self->args));
	EXPECT_EQ(0, ioctl(self->fd, variant->nr, &self->args));
}

/* ---- the device ---------------------------------------------------------- */

TEST(unknown_number)
{
	union args args = { .size = sizeof(args.stats) };
	int fd = open(DEV, O_RDWR);
	unsigned int nr;

	ASSERT_LE(0, fd);
	for (nr = _IOC_NR(WPOOL_IOC_INFO) + 1; nr < 256; nr++)
		EXPECT_ERRNO(ENOTTY, ioctl(fd, _IO(WPOOL_IOC_TYPE, nr), &args));
	close(fd);
}

TEST(device_mode)
{
	struct stat st;

	ASSERT_EQ(0, stat(DEV, &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	EXPECT_EQ(0600, st.st_mode & 07777);
	EXPECT_EQ(0, st.st_uid);
}

TEST(open_unprivileged)
{
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(2);
		if (open(DEV, O_RDWR) >= 0)
			_exit(3);
		_exit(errno == EACCES ? 0 : 4);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

TEST(answer_is_zeroed)
{
	struct wpool_dev_stats stats;
	struct wpool_dev_info info;
	struct pool pool;
	size_t i;

	ASSERT_EQ(0, pool_create(&pool, NULL));
	EXPECT_EQ(0, pool_stats(pool.fd, &stats));
	EXPECT_EQ(sizeof(stats), stats.size);
	EXPECT_EQ(0, stats.reserved);
	EXPECT_STREQ(pool.name, (char *)stats.name);
	for (i = strlen(pool.name); i < sizeof(stats.name); i++)
		EXPECT_EQ(0, stats.name[i]);

	memset(&info, 0, sizeof(info));
	memset(info.name, 0xff, sizeof(info.name));
	info.size = sizeof(info);
	EXPECT_EQ(0, ioctl(pool.fd, WPOOL_IOC_INFO, &info));
	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_EQ(0, info.attrs.reserved);
	EXPECT_STREQ(pool.name, (char *)info.name);
	for (i = strlen(pool.name); i < sizeof(info.name); i++)
		EXPECT_EQ(0, info.name[i]);
	pool_end(&pool);
}

/* ---- names --------------------------------------------------------------- */

/* A name of that many bytes, put in as it is. */
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

static unsigned int nr_pools(void)
{
	DIR *dir = opendir(CLASS);
	unsigned int nr = 0;

	if (!dir)
		return 0;
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
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
	unsigned int before = nr_pools();
	struct wpool_dev_stats stats;
	size_t i;

	ASSERT_LE(0, fd);
	for (i = 0; i < ARRAY_SIZE(bad_names); i++)
		EXPECT_EQ(-EINVAL, create_raw(fd, bad_names[i], strlen(bad_names[i])))
			TH_LOG("name '%s'", bad_names[i]);
	/* no room for a NUL is too long by one */
	EXPECT_EQ(-EINVAL, create_raw(fd, no_nul, sizeof(((struct wpool_dev_create *)0)->name)));
	EXPECT_EQ(before, nr_pools());
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
	/* the file and the name can both be used afterwards */
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
	/* such a pool cannot be, and a name that cannot be is as wrong */
	for (i = 0; i < ARRAY_SIZE(bad_names); i++) {
		err = attach_raw(fd, bad_names[i], strlen(bad_names[i]));
		EXPECT_TRUE(err == -ENOENT || err == -EINVAL)
			TH_LOG("name '%s': %d", bad_names[i], err);
	}
	EXPECT_EQ(-EINVAL, attach_raw(fd, no_nul, sizeof(((struct wpool_dev_attach *)0)->name)));
	/* prefixes and other cases are other names */
	EXPECT_EQ(-ENOENT, pool_attach_fd(fd, "def"));
	EXPECT_EQ(-ENOENT, pool_attach_fd(fd, "Default"));
	EXPECT_EQ(0, pool_attach_fd(fd, "default"));
	close(fd);
}

/* ---- attributes ---------------------------------------------------------- */

static __u64 no_cpu[1];
static __u64 far_cpu[2] = { 0, 1ULL << 63 };	/* CPU 127 */
static __u64 most_cpus[16] = { 1, [15] = 1ULL << 63 };	/* CPU 0 and CPU 1023 */
static __u64 one_cpu[1] = { 1 };

#define CPUS(bits, nr_bytes)				\
	.cpumask_bytes = (nr_bytes), .cpumask = (uintptr_t)(bits)

/* One attribute that is wrong, and what is to be said about it. */
static const struct bad_attr {
	const char *what;
	int err;
	int or_err;	/* where the contract leaves a choice */
	struct wpool_dev_attrs attrs;
} bad_attrs[] = {
	{ "capacity 0", EINVAL, 0,
	  { .mask = WPOOL_DEV_CAPACITY, .capacity = 0 } },
	{ "capacity too large", ERANGE, 0,
	  { .mask = WPOOL_DEV_CAPACITY, .capacity = (1U << 20) + 1 } },
	{ "capacity next to unlimited", ERANGE, 0,
	  { .mask = WPOOL_DEV_CAPACITY, .capacity = WPOOL_DEV_UNLIMITED - 1 } },
	{ "queue_depth too large", ERANGE, 0,
	  { .mask = WPOOL_DEV_QUEUE_DEPTH, .queue_depth = (1U << 29) + 1 } },
	{ "max_blocking too large", ERANGE, 0,
	  { .mask = WPOOL_DEV_MAX_BLOCKING, .max_blocking = (1U << 30) + 1 } },
	{ "policy 3", EINVAL, ERANGE,
	  { .mask = WPOOL_DEV_POLICY, .policy = 3 } },
	{ "policy -1", EINVAL, ERANGE,
	  { .mask = WPOOL_DEV_POLICY, .policy = UINT32_MAX } },
	{ "expiry_ms too large", ERANGE, 0,
	  { .mask = WPOOL_DEV_EXPIRY_MS, .expiry_ms = 24 * 60 * 60 * 1000 + 1 } },
	{ "min_workers above capacity", EINVAL, ERANGE,
	  { .mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_MIN_WORKERS, .capacity = 4, .min_workers = 5 } },
	{ "min_workers above the default capacity", EINVAL, ERANGE,
	  { .mask = WPOOL_DEV_MIN_WORKERS, .min_workers = 257 } },
	{ "min_workers too large", EINVAL, ERANGE,
	  { .mask = WPOOL_DEV_MIN_WORKERS, .min_workers = UINT32_MAX } },
	{ "concurrency 0", ERANGE, EINVAL,
	  { .mask = WPOOL_DEV_CONCURRENCY, .concurrency = 0 } },
	{ "concurrency too large", ERANGE, 0,
	  { .mask = WPOOL_DEV_CONCURRENCY, .concurrency = 1025 } },
	{ "spin_us too large", ERANGE, 0,
	  { .mask = WPOOL_DEV_SPIN_US, .spin_us = 1001 } },
	{ "hog_ms 0", ERANGE, EINVAL,
	  { .mask = WPOOL_DEV_HOG_MS, .hog_ms = 0 } },
	{ "hog_ms too large", ERANGE, 0,
	  { .mask = WPOOL_DEV_HOG_MS, .hog_ms = 10001 } },
	{ "handoff 2", EINVAL, ERANGE,
	  { .mask = WPOOL_DEV_HANDOFF, .handoff = 2 } },
	{ "steal 2", EINVAL, ERANGE,
	  { .mask = WPOOL_DEV_STEAL, .steal = 2 } },
	{ "latency 256", EINVAL, ERANGE,
	  { .mask = WPOOL_DEV_LATENCY, .latency = 256 } },
	{ "nice -21", ERANGE, 0,
	  { .mask = WPOOL_DEV_NICE, .nice = -21 } },
	{ "nice 20", ERANGE, 0,
	  { .mask = WPOOL_DEV_NICE, .nice = 20 } },
	{ "cpumask empty", EINVAL, 0,
	  { .mask = WPOOL_DEV_CPUMASK, CPUS(no_cpu, 8) } },
	{ "cpumask without a CPU that is there", EINVAL, 0,
	  { .mask = WPOOL_DEV_CPUMASK, CPUS(far_cpu, 16) } },
	{ "cpumask with a CPU that cannot be", EINVAL, 0,
	  { .mask = WPOOL_DEV_CPUMASK, CPUS(most_cpus, 128) } },
	{ "cpumask of 0 bytes", EINVAL, 0,
	  { .mask = WPOOL_DEV_CPUMASK, CPUS(one_cpu, 0) } },
	{ "cpumask of 4 bytes", EINVAL, 0,
	  { .mask = WPOOL_DEV_CPUMASK, CPUS(one_cpu, 4) } },
	{ "cpumask of 12 bytes", EINVAL, 0,
	  { .mask = WPOOL_DEV_CPUMASK, CPUS(far_cpu, 12) } },
	{ "cpumask of 1032 bytes", EINVAL, ERANGE,
	  { .mask = WPOOL_DEV_CPUMASK, CPUS(one_cpu, 1032) } },
	{ "cpumask without a pointer", EFAULT, EINVAL,
	  { .mask = WPOOL_DEV_CPUMASK, CPUS(NULL, 8) } },
	{ "cpumask nowhere", EFAULT, 0,
	  { .mask = WPOOL_DEV_CPUMASK, CPUS(0xffff888000000000UL, 8) } },
	{ "unknown attribute 16", EOPNOTSUPP, 0,
	  { .mask = 1U << 16 } },
	{ "unknown attribute 31", EOPNOTSUPP, 0,
	  { .mask = 1U << 31 } },
};

static const struct bad_attr bad_create_attrs[] = {
	{ "order 2", EINVAL, ERANGE,
	  { .mask = WPOOL_DEV_ORDER, .order = 2 } },
	{ "prealloc 2", EINVAL, ERANGE,
	  { .mask = WPOOL_DEV_PREALLOC | WPOOL_DEV_CAPACITY, .prealloc = 2, .capacity = 2 } },
	{ "prealloc of an unlimited pool", EINVAL, 0,
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
	EXPECT_TRUE(err == -bad->err || (bad->or_err && err == -bad->or_err))
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

/* What is not in the mask does not count, however wrong it is. */
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
		/* together with one that is right */
		attrs = bad_attrs[i].attrs;
		if (!(attrs.mask & WPOOL_DEV_EXPIRY_MS)) {
			attrs.mask |= WPOOL_DEV_EXPIRY_MS;
			attrs.expiry_ms = 4321;
		}
		err = pool_tune(pool.fd, &attrs);
		EXPECT_TRUE(err == -bad_attrs[i].err ||
			    (bad_attrs[i].or_err && err == -bad_attrs[i].or_err))
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
	struct wpool_dev_attrs order = { .mask = WPOOL_DEV_ORDER };
	struct wpool_dev_attrs prealloc = { .mask = WPOOL_DEV_PREALLOC, .prealloc = 1 };
	struct wpool_dev_attrs run = { .mask = WPOOL_DEV_POLICY, .policy = WPOOL_DEV_POLICY_RUN };
	struct wpool_dev_attrs block = { .mask = WPOOL_DEV_POLICY };
	struct pool pool;

	ASSERT_EQ(0, pool_create(&pool, NULL));
	EXPECT_EQ(-EINVAL, pool_tune(pool.fd, &order));
	EXPECT_EQ(-EINVAL, pool_tune(pool.fd, &prealloc));
	EXPECT_EQ(-EINVAL, pool_tune(pool.fd, &run));
	pool_end(&pool);

	ASSERT_EQ(0, pool_create(&pool, &run));
	EXPECT_EQ(-EINVAL, pool_tune(pool.fd, &block));
	pool_end(&pool);
}

/* Any pool may be tuned, the one that is not ours included. */
TEST(tune_default_pool)
{
	struct wpool_dev_attrs attrs = { .mask = WPOOL_DEV_EXPIRY_MS, .expiry_ms = 777 };
	int fd = pool_attach("default", 0);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pool_tune(fd, &attrs));
	EXPECT_EQ(777, attr_number("default", "expiry_ms"));
	attrs.expiry_ms = 1000;
	EXPECT_EQ(0, pool_tune(fd, &attrs));
	close(fd);
}

TEST(create_every_attribute)
{
	struct wpool_dev_attrs attrs = {
		.mask = 0xffff & ~WPOOL_DEV_CPUMASK,
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
		.steal = 0,
		.latency = 1,
		.order = WPOOL_DEV_ORDER_FIFO,
		.prealloc = 0,
		.nice = -20,
	};
	struct wpool_dev_info info;
	struct pool pool;

	ASSERT_EQ(0, pool_create(&pool, &attrs));
	ASSERT_EQ(0, pool_info(pool.fd, &info));
	EXPECT_EQ(attrs.mask, info.attrs.mask & ~WPOOL_DEV_CPUMASK);
	EXPECT_EQ(attrs.capacity, info.attrs.capacity);
	EXPECT_EQ(attrs.queue_depth, info.attrs.queue_depth);
	EXPECT_EQ(attrs.max_blocking, info.attrs.max_blocking);
	EXPECT_EQ(attrs.policy, info.attrs.policy);
	EXPECT_EQ(attrs.expiry_ms, info.attrs.expiry_ms);
	EXPECT_EQ(attrs.min_workers, info.attrs.min_workers);
	EXPECT_EQ(attrs.concurrency, info.attrs.concurrency);
	EXPECT_EQ(attrs.spin_us, info.attrs.spin_us);
	EXPECT_EQ(attrs.hog_ms, info.attrs.hog_ms);
	EXPECT_EQ(attrs.handoff, info.attrs.handoff);
	EXPECT_EQ(attrs.steal, info.attrs.steal);
	EXPECT_EQ(attrs.latency, info.attrs.latency);
	EXPECT_EQ(attrs.order, info.attrs.order);
	EXPECT_EQ(attrs.prealloc, info.attrs.prealloc);
	EXPECT_EQ(attrs.nice, info.attrs.nice);
	pool_end(&pool);
}

/* ---- the array of a submit ----------------------------------------------- */

FIXTURE(array)
{
	struct pool pool;
	struct wpool_dev_submit submit;
};

FIXTURE_SETUP(array)
{
	ASSERT_EQ(0, pool_create(&self->pool, NULL));
	self->submit.size = sizeof(self->submit);
	self->submit.works = (uintptr_t)&noop;
	self->submit.nr = 1;
	self->submit.work_size = sizeof(noop);
	self->submit.accepted = 0xdeadbeef;
}

FIXTURE_TEARDOWN(array)
{
	pool_end(&self->pool);
}

static int submit_raw(int fd, struct wpool_dev_submit *submit)
{
	return ioctl(fd, WPOOL_IOC_SUBMIT, submit);
}

TEST_F(array, length_out_of_range)
{
	self->submit.nr = 0;
	EXPECT_ERRNO(ERANGE, submit_raw(self->pool.fd, &self->submit));
	self->submit.nr = WPOOL_MAX_BATCH + 1;
	EXPECT_ERRNO(ERANGE, submit_raw(self->pool.fd, &self->submit));
	self->submit.nr = UINT32_MAX;
	EXPECT_ERRNO(ERANGE, submit_raw(self->pool.fd, &self->submit));
	EXPECT_EQ(0, pool_figure(self->pool.fd, file_submitted));
}

TEST_F(array, bad_pointer)
{
	long page = sysconf(_SC_PAGESIZE);
	__u8 *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, mprotect(map + page, page, PROT_NONE));
	self->submit.works = 0;
	EXPECT_ERRNO(EFAULT, submit_raw(self->pool.fd, &self->submit));
	self->submit.works = (uintptr_t)map + page;
	EXPECT_ERRNO(EFAULT, submit_raw(self->pool.fd, &self->submit));
	self->submit.works = 0xffff888000000000UL;
	EXPECT_ERRNO(EFAULT, submit_raw(self->pool.fd, &self->submit));
	/* the second descriptor cannot be read: nothing is accepted */
	self->submit.works = (uintptr_t)map + page - sizeof(noop);
	self->submit.nr = 2;
	EXPECT_ERRNO(EFAULT, submit_raw(self->pool.fd, &self->submit));
	EXPECT_EQ(0, self->submit.accepted);
	EXPECT_EQ(0, pool_figure(self->pool.fd, file_submitted));
	self->submit.nr = 1;
	EXPECT_EQ(0, submit_raw(self->pool.fd, &self->submit));
	EXPECT_EQ(1, self->submit.accepted);
}

TEST_F(array, descriptor_size)
{
	struct {
		struct wpool_dev_work work;
		__u64 future;
	} longer[3] = { };

	self->submit.work_size = 0;
	EXPECT_ERRNO(EINVAL, submit_raw(self->pool.fd, &self->submit));
	self->submit.work_size = sizeof(noop) - 1;
	EXPECT_ERRNO(EINVAL, submit_raw(self->pool.fd, &self->submit));
	EXPECT_EQ(0, pool_figure(self->pool.fd, file_submitted));

	self->submit.works = (uintptr_t)longer;
	self->submit.work_size = sizeof(longer[0]);
	self->submit.nr = 3;
	longer[2].future = 1;
	EXPECT_ERRNO(E2BIG, submit_raw(self->pool.fd, &self->submit));
	EXPECT_EQ(0, pool_figure(self->pool.fd, file_submitted));
	longer[2].future = 0;
	EXPECT_EQ(0, submit_raw(self->pool.fd, &self->submit));
	EXPECT_EQ(3, self->submit.accepted);
}

TEST_F(array, descriptor_unknown)
{
	struct wpool_dev_work work = noop;
	unsigned int bit;

	self->submit.works = (uintptr_t)&work;
	for (bit = 0; bit < 32; bit++) {
		if (WPOOL_WORK_SILENT & (1U << bit))
			continue;
		work.flags = 1U << bit;
		EXPECT_ERRNO(EOPNOTSUPP, submit_raw(self->pool.fd, &self->submit))
			TH_LOG("bit %u", bit);
	}
	work.flags = 0;
	work.kind = WPOOL_WORK_FAULT + 1;
	EXPECT_ERRNO(EINVAL, submit_raw(self->pool.fd, &self->submit));
	work.kind = UINT32_MAX;
	EXPECT_ERRNO(EINVAL, submit_raw(self->pool.fd, &self->submit));
	EXPECT_EQ(0, self->submit.accepted);
	EXPECT_EQ(0, pool_figure(self->pool.fd, file_submitted));
}

/* ---- read() -------------------------------------------------------------- */

TEST_F(array, read_into_bad_buffer_loses_nothing)
{
	struct wpool_dev_record record;

	ASSERT_EQ(0, submit_raw(self->pool.fd, &self->submit));
	ASSERT_EQ(0, wait_tasks(self->pool.fd, 0));
	EXPECT_ERRNO(EFAULT, read(self->pool.fd, (void *)0xffff888000000000UL, sizeof(record)));
	EXPECT_ERRNO(EINVAL, read(self->pool.fd, &record, sizeof(record) - 1));
	EXPECT_ERRNO(EINVAL, read(self->pool.fd, &record, 1));
	EXPECT_EQ(1, pool_figure(self->pool.fd, file_unread));
	EXPECT_EQ((ssize_t)sizeof(record), read(self->pool.fd, &record, sizeof(record)));
}

TEST_HARNESS_MAIN
