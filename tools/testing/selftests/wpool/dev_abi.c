// SPDX-License-Identifier: GPL-2.0
/*
 * The form of the ABI of /dev/wpool: sizes, flags, reserved fields, pointers and
 * numbers of every ioctl and of read(), and who may open the device.
 */
#include "wpool_test.h"

#include <sys/mount.h>

#define CGROUPS	"/sys/fs/cgroup"

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
	struct wpool_dev_group group;
	struct wpool_dev_cgroup cgroup;
	__u8 bytes[2 * sizeof(struct wpool_dev_stats)];
};

static const struct wpool_dev_work noop = { .kind = WPOOL_WORK_NOOP };

/* Map a page with an inaccessible page behind it. Returns the page, or MAP_FAILED. */
static void *page_with_an_end(void)
{
	long page = sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return map == MAP_FAILED || mprotect(map + page, page, PROT_NONE) ? MAP_FAILED : map;
}

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
	__u32 flags;		/* known flags */
	bool unattached;	/* needs a file without a pool */
	bool writes;		/* writes an answer into the structure */
	size_t reserved;	/* offset of a field that must be 0; 0: none */
};

#define CMD(_NR, _type)	.nr = WPOOL_IOC_##_NR, .size = sizeof(struct wpool_dev_##_type)
#define RESERVED(_type, _field)	.reserved = offsetof(struct wpool_dev_##_type, _field)

FIXTURE_VARIANT_ADD(cmd, create) {
	CMD(CREATE, create), .unattached = true, RESERVED(create, attrs.reserved),
};

FIXTURE_VARIANT_ADD(cmd, attach) { CMD(ATTACH, attach), .unattached = true };
FIXTURE_VARIANT_ADD(cmd, tune) { CMD(TUNE, tune), RESERVED(tune, attrs.reserved) };
FIXTURE_VARIANT_ADD(cmd, release) {
	CMD(RELEASE, release),
	.flags = WPOOL_DEV_RELEASE_CANCEL | WPOOL_DEV_RELEASE_WAIT | WPOOL_DEV_RELEASE_OWN,
};

FIXTURE_VARIANT_ADD(cmd, reboot) { CMD(REBOOT, simple) };
FIXTURE_VARIANT_ADD(cmd, destroy) { CMD(DESTROY, simple) };
/* without the flag ON, the field cpu is reserved */
FIXTURE_VARIANT_ADD(cmd, submit) {
	CMD(SUBMIT, submit), .flags = WPOOL_DEV_SUBMIT_NONBLOCK | WPOOL_DEV_SUBMIT_ON,
	RESERVED(submit, cpu),
};

FIXTURE_VARIANT_ADD(cmd, wait) { CMD(WAIT, wait) };
FIXTURE_VARIANT_ADD(cmd, cancel) { CMD(CANCEL, cancel), .flags = WPOOL_DEV_CANCEL_ALL };
FIXTURE_VARIANT_ADD(cmd, stats) { CMD(STATS, stats), .writes = true };
FIXTURE_VARIANT_ADD(cmd, info) { CMD(INFO, info), .writes = true };
FIXTURE_VARIANT_ADD(cmd, group) {
	CMD(GROUP, group), RESERVED(group, reserved),
	.flags = WPOOL_DEV_GROUP_MM | WPOOL_DEV_GROUP_CREDS | WPOOL_DEV_GROUP_MEMCG |
		 WPOOL_DEV_GROUP_BLKCG,
};

FIXTURE_VARIANT_ADD(cmd, cgroup) { CMD(CGROUP, cgroup), RESERVED(cgroup, reserved) };

FIXTURE_SETUP(cmd)
{
	union args *args = &self->args;

	ASSERT_EQ(0, pool_create(&self->pool, NULL));
	self->fd = open(DEV, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	if (!variant->unattached)
		ASSERT_EQ(0, pool_attach_fd(self->fd, self->pool.name));
	pool_name(self->fresh);

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
	case WPOOL_IOC_GROUP:
		args->group.max_outstanding = 1;
		break;
	case WPOOL_IOC_CGROUP:
		if (mount("none", CGROUPS, "cgroup2", 0, NULL) && errno != EBUSY)
			SKIP(return, "no cgroups");
		args->cgroup.fd = open(CGROUPS, O_PATH | O_CLOEXEC);
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

/*
 * A structure that is too short, or has bytes that are not zero beyond what the kernel knows, is
 * refused. Each test of this fixture ends with a call that succeeds, which shows that the refused
 * calls have changed nothing.
 */
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
	union args *args = calloc(2, page);

	ASSERT_NE(NULL, args);
	*args = self->args;
	args->size = UINT32_MAX;
	EXPECT_ERRNO(E2BIG, ioctl(self->fd, variant->nr, args));
	args->size = page + 1;
	EXPECT_ERRNO(E2BIG, ioctl(self->fd, variant->nr, args));
	args->size = page;
	EXPECT_EQ(0, ioctl(self->fd, variant->nr, args));
}

TEST_F(cmd, unknown_flag_or_reserved_field)
{
	__u32 flags = self->args.head.flags;
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		if (variant->flags & (1U << bit))
			continue;
		self->args.head.flags = flags | 1U << bit;
		EXPECT_ERRNO(EOPNOTSUPP, ioctl(self->fd, variant->nr, &self->args))
			TH_LOG("bit %u", bit);
	}
	self->args.head.flags = flags;
	if (variant->reserved) {
		self->args.bytes[variant->reserved] = 1;
		EXPECT_ERRNO(EOPNOTSUPP, ioctl(self->fd, variant->nr, &self->args));
		self->args.bytes[variant->reserved] = 0;
	}
	/* a structure with one more byte, which is zero */
	self->args.size = variant->size + 1;
	EXPECT_EQ(0, ioctl(self->fd, variant->nr, &self->args));
}

TEST_F(cmd, a_bad_pointer_is_refused)
{
	long page = sysconf(_SC_PAGESIZE);
	__u8 *map = page_with_an_end();

	ASSERT_NE(MAP_FAILED, map);

	EXPECT_ERRNO(EFAULT, ioctl(self->fd, variant->nr, NULL));
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, variant->nr, map + page));
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, variant->nr, 0xffff888000000000UL));
	/* the size is readable, the rest of the structure is not */
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
	/* the kernel does not read a byte after the structure */
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

TEST(an_unknown_number_is_refused)
{
	union args args = { .size = sizeof(args.stats) };
	int fd = open(DEV, O_RDWR);
	unsigned int nr;

	ASSERT_LE(0, fd);
	for (nr = _IOC_NR(WPOOL_IOC_CGROUP) + 1; nr < 256; nr++)
		EXPECT_ERRNO(ENOTTY, ioctl(fd, _IO(WPOOL_IOC_TYPE, nr), &args));
}

TEST(only_root_may_open_the_device)
{
	struct stat st;

	ASSERT_EQ(0, stat(DEV, &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	EXPECT_EQ(0600, st.st_mode & 07777);
	EXPECT_EQ(0, st.st_uid);
}

TEST(others_than_root_cannot_open_the_device)
{
	pid_t pid = fork();

	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(2);
		if (open(DEV, O_RDWR) >= 0)
			_exit(3);
		_exit(errno == EACCES ? 0 : 4);
	}
	EXPECT_EQ(0, child_end(pid));
}

TEST(an_answer_has_no_old_memory)
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
	static const __u32 bad[] = { 0, WPOOL_MAX_BATCH + 1, UINT32_MAX };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		self->submit.nr = bad[i];
		EXPECT_ERRNO(ERANGE, submit_raw(self->pool.fd, &self->submit));
	}
	EXPECT_EQ(0, pool_figure(self->pool.fd, file_submitted));
}

TEST_F(array, a_bad_pointer_is_refused)
{
	long page = sysconf(_SC_PAGESIZE);
	__u8 *map = page_with_an_end();

	ASSERT_NE(MAP_FAILED, map);
	self->submit.works = 0;
	EXPECT_ERRNO(EFAULT, submit_raw(self->pool.fd, &self->submit));
	self->submit.works = (uintptr_t)map + page;
	EXPECT_ERRNO(EFAULT, submit_raw(self->pool.fd, &self->submit));
	self->submit.works = 0xffff888000000000UL;
	EXPECT_ERRNO(EFAULT, submit_raw(self->pool.fd, &self->submit));
	/* the second descriptor is not readable: nothing is accepted */
	self->submit.works = (uintptr_t)map + page - sizeof(noop);
	self->submit.nr = 2;
	EXPECT_ERRNO(EFAULT, submit_raw(self->pool.fd, &self->submit));
	EXPECT_EQ(0, self->submit.accepted);
	EXPECT_EQ(0, pool_figure(self->pool.fd, file_submitted));
	self->submit.nr = 1;
	EXPECT_EQ(0, submit_raw(self->pool.fd, &self->submit));
	EXPECT_EQ(1, self->submit.accepted);
}

/* A cancel whose figures cannot be written cancels nothing. */
TEST_F(array, cancel_into_bad_memory)
{
	struct wpool_dev_cancel cancel = {
		.size = sizeof(cancel),
		.flags = WPOOL_DEV_CANCEL_ALL,
	};
	long page = sysconf(_SC_PAGESIZE);
	__u8 *map = page_with_an_end();

	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, occupy(self->pool.fd, 0, 1));
	memcpy(map, &cancel, sizeof(cancel));
	ASSERT_EQ(0, mprotect(map, page, PROT_READ));
	EXPECT_ERRNO(EFAULT, ioctl(self->pool.fd, WPOOL_IOC_CANCEL, map));
	ASSERT_EQ(0, mprotect(map, page, PROT_READ | PROT_WRITE));
	/* the next cancel finds the task */
	EXPECT_EQ(0, ioctl(self->pool.fd, WPOOL_IOC_CANCEL, map));
	memcpy(&cancel, map, sizeof(cancel));
	EXPECT_EQ(1, cancel.stopped);
}

TEST_F(array, descriptors_have_their_own_size)
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

TEST_F(array, unknown_flags_of_a_descriptor_are_refused)
{
	struct wpool_dev_work work = noop;
	unsigned int bit;

	self->submit.works = (uintptr_t)&work;
	for (bit = 0; bit < 32; bit++) {
		if ((WPOOL_WORK_SILENT | WPOOL_WORK_URGENT) & (1U << bit))
			continue;
		work.flags = 1U << bit;
		EXPECT_ERRNO(EOPNOTSUPP, submit_raw(self->pool.fd, &self->submit))
			TH_LOG("bit %u", bit);
	}
	work.flags = 0;
	work.kind = WPOOL_WORK_COUNT + 1;
	EXPECT_ERRNO(EINVAL, submit_raw(self->pool.fd, &self->submit));
	work.kind = UINT32_MAX;
	EXPECT_ERRNO(EINVAL, submit_raw(self->pool.fd, &self->submit));
	EXPECT_EQ(0, self->submit.accepted);
	EXPECT_EQ(0, pool_figure(self->pool.fd, file_submitted));
}

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
