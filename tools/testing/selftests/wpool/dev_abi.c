// SPDX-License-Identifier: GPL-2.0
/*
 * The form of the ABI of /dev/wpool: sizes, flags, reserved fields, pointers and numbers of every
 * ioctl, and who may open the device.
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
FIXTURE_VARIANT_ADD(cmd, release) { CMD(RELEASE, release) };
FIXTURE_VARIANT_ADD(cmd, reboot) { CMD(REBOOT, simple) };
FIXTURE_VARIANT_ADD(cmd, destroy) { CMD(DESTROY, simple) };
/* without the flag ON, the field cpu is reserved */
FIXTURE_VARIANT_ADD(cmd, submit) { CMD(SUBMIT, submit), RESERVED(submit, cpu) };
FIXTURE_VARIANT_ADD(cmd, wait) { CMD(WAIT, wait) };
FIXTURE_VARIANT_ADD(cmd, cancel) { CMD(CANCEL, cancel) };
FIXTURE_VARIANT_ADD(cmd, stats) { CMD(STATS, stats), .writes = true };
FIXTURE_VARIANT_ADD(cmd, info) { CMD(INFO, info), .writes = true };
FIXTURE_VARIANT_ADD(cmd, group) { CMD(GROUP, group), RESERVED(group, reserved) };
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
 * One mistake of each kind is refused. The call without a mistake at the end succeeds, which shows
 * that the others have changed nothing. dev_fuzz makes all other mistakes.
 */
TEST_F(cmd, each_mistake_is_refused)
{
	__u32 flags = self->args.head.flags;
	long page = sysconf(_SC_PAGESIZE);
	__u8 *map = page_with_an_end(), *at = map + page - variant->size;

	ASSERT_NE(MAP_FAILED, map);
	self->args.size = variant->size - 1;
	EXPECT_ERRNO(EINVAL, ioctl(self->fd, variant->nr, &self->args));
	self->args.size = variant->size + 8;
	self->args.bytes[variant->size + 7] = 0x80;
	EXPECT_ERRNO(E2BIG, ioctl(self->fd, variant->nr, &self->args));
	self->args.bytes[variant->size + 7] = 0;
	self->args.head.flags = 1U << 31;
	EXPECT_ERRNO(EOPNOTSUPP, ioctl(self->fd, variant->nr, &self->args));
	self->args.head.flags = flags;
	if (variant->reserved) {
		self->args.bytes[variant->reserved] = 1;
		EXPECT_ERRNO(EOPNOTSUPP, ioctl(self->fd, variant->nr, &self->args));
		self->args.bytes[variant->reserved] = 0;
	}
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, variant->nr, NULL));
	if (variant->writes) {
		self->args.size = variant->size;
		memcpy(at, &self->args, variant->size);
		ASSERT_EQ(0, mprotect(map, page, PROT_READ));
		EXPECT_ERRNO(EFAULT, ioctl(self->fd, variant->nr, at));
		ASSERT_EQ(0, mprotect(map, page, PROT_READ | PROT_WRITE));
	}
	/* the kernel does not read a byte after the structure */
	self->args.size = variant->size;
	memcpy(at, &self->args, variant->size);
	EXPECT_EQ(0, ioctl(self->fd, variant->nr, at));
}

/* Tasks and figures need a pool, and a file with a pool takes no other. */
TEST_F(cmd, wrong_attachment)
{
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
	EXPECT_EQ(0, ioctl(self->fd, variant->nr, &self->args));
}

TEST(an_unknown_number_is_refused)
{
	int fd = open(DEV, O_RDWR);

	ASSERT_LE(0, fd);
	EXPECT_ERRNO(ENOTTY, ioctl(fd, _IO(WPOOL_IOC_TYPE, _IOC_NR(WPOOL_IOC_CGROUP) + 1), NULL));
}

TEST(only_root_may_open_the_device)
{
	struct stat st;

	ASSERT_EQ(0, stat(DEV, &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	EXPECT_EQ(0600, st.st_mode & 07777);
	EXPECT_EQ(0, st.st_uid);
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

/* A cancel whose figures cannot be written cancels nothing. */
TEST(cancel_into_bad_memory)
{
	struct wpool_dev_cancel cancel = {
		.size = sizeof(cancel),
		.flags = WPOOL_DEV_CANCEL_ALL,
	};
	long page = sysconf(_SC_PAGESIZE);
	__u8 *map = page_with_an_end();
	struct pool pool;

	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, pool_create(&pool, NULL));
	ASSERT_EQ(0, occupy(pool.fd, 0, 1));
	memcpy(map, &cancel, sizeof(cancel));
	ASSERT_EQ(0, mprotect(map, page, PROT_READ));
	EXPECT_ERRNO(EFAULT, ioctl(pool.fd, WPOOL_IOC_CANCEL, map));
	ASSERT_EQ(0, mprotect(map, page, PROT_READ | PROT_WRITE));
	/* the next cancel finds the task */
	EXPECT_EQ(0, ioctl(pool.fd, WPOOL_IOC_CANCEL, map));
	memcpy(&cancel, map, sizeof(cancel));
	EXPECT_EQ(1, cancel.stopped);
	pool_end(&pool);
}

TEST_HARNESS_MAIN
