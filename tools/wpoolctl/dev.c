// SPDX-License-Identifier: GPL-2.0
/* The ioctls of /dev/wpool. */
#include "dev.h"

#include <fcntl.h>
#include <sys/ioctl.h>

static int do_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

static void copy_name(__u8 *to, const char *name)
{
	memcpy(to, name, strnlen(name, WPOOL_DEV_NAME_LEN - 1));
}

int dev_open(void)
{
	int fd = open(DEV_PATH, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int dev_attach(int fd, const char *pool)
{
	struct wpool_dev_attach arg = { .size = sizeof(arg) };

	copy_name(arg.name, pool);
	return do_ioctl(fd, WPOOL_IOC_ATTACH, &arg);
}

int dev_create(int fd, const char *pool, const struct wpool_dev_attrs *attrs)
{
	struct wpool_dev_create arg = { .size = sizeof(arg), .attrs = *attrs };

	copy_name(arg.name, pool);
	return do_ioctl(fd, WPOOL_IOC_CREATE, &arg);
}

int dev_tune(int fd, const struct wpool_dev_attrs *attrs)
{
	struct wpool_dev_tune arg = { .size = sizeof(arg), .attrs = *attrs };

	return do_ioctl(fd, WPOOL_IOC_TUNE, &arg);
}

int dev_cgroup(int fd, const char *dir)
{
	struct wpool_dev_cgroup arg = { .size = sizeof(arg), .fd = open(dir, O_PATH | O_CLOEXEC) };
	int err;

	if (arg.fd < 0)
		return -errno;
	err = do_ioctl(fd, WPOOL_IOC_CGROUP, &arg);
	close(arg.fd);
	return err;
}

int dev_release(int fd, __u32 flags, __u64 timeout_ns)
{
	struct wpool_dev_release arg = {
		.size = sizeof(arg), .flags = flags, .timeout_ns = timeout_ns,
	};

	return do_ioctl(fd, WPOOL_IOC_RELEASE, &arg);
}

int dev_simple(int fd, unsigned long request)
{
	struct wpool_dev_simple arg = { .size = sizeof(arg) };

	return do_ioctl(fd, request, &arg);
}

int dev_info(int fd, struct wpool_dev_attrs *attrs, struct cpulist *cpus)
{
	struct wpool_dev_info arg = { .size = sizeof(arg) };
	int err;

	if (cpus) {
		arg.attrs.cpumask = (unsigned long)cpus->bits;
		arg.attrs.cpumask_bytes = sizeof(cpus->bits);
	}
	err = do_ioctl(fd, WPOOL_IOC_INFO, &arg);
	if (!err)
		*attrs = arg.attrs;
	return err;
}

int dev_stats(int fd, struct wpool_dev_stats *stats)
{
	*stats = (struct wpool_dev_stats){ .size = sizeof(*stats) };
	return do_ioctl(fd, WPOOL_IOC_STATS, stats);
}

int dev_submit(int fd, const struct wpool_dev_work *works, __u32 nr, __u32 flags,
	       __u32 cpu, __u32 *accepted)
{
	struct wpool_dev_submit arg = {
		.size = sizeof(arg), .flags = flags, .works = (unsigned long)works, .nr = nr,
		.work_size = sizeof(*works), .cpu = cpu,
	};
	int err = do_ioctl(fd, WPOOL_IOC_SUBMIT, &arg);

	*accepted = arg.accepted;
	return err;
}

int dev_cancel_all(int fd)
{
	struct wpool_dev_cancel arg = { .size = sizeof(arg), .flags = WPOOL_DEV_CANCEL_ALL };

	return do_ioctl(fd, WPOOL_IOC_CANCEL, &arg);
}

int dev_group(int fd, __u32 max_outstanding, __u32 flags)
{
	struct wpool_dev_group arg = {
		.size = sizeof(arg), .flags = flags, .max_outstanding = max_outstanding,
	};

	return do_ioctl(fd, WPOOL_IOC_GROUP, &arg);
}

ssize_t dev_read(int fd, struct wpool_dev_record *records, size_t max)
{
	ssize_t got = read(fd, records, max * sizeof(*records));

	return got < 0 ? -errno : got / (ssize_t)sizeof(*records);
}
