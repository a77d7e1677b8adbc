// SPDX-License-Identifier: GPL-2.0
/*
 * A 32-bit program on a 64-bit kernel: every ioctl of /dev/wpool, read and poll, with the
 * structures as a 32-bit compiler lays them out. Prints TAP.
 *
 * It makes system calls without the C library: the 32-bit library would be another package.
 */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/poll.h>
#include <linux/wpool.h>

#define NR_EXIT		1
#define NR_READ		3
#define NR_WRITE	4
#define NR_OPEN		5
#define NR_CLOSE	6
#define NR_IOCTL	54
#define NR_POLL		168

#define SEC		1000000000ULL
#define ALL_ATTRS	((1U << 20) - 1)

static int call(int nr, long a, long b, long c)
{
	int ret;

	asm volatile("int $0x80" : "=a"(ret) : "a"(nr), "b"(a), "c"(b), "d"(c) : "memory");
	return ret;
}

static unsigned int length(const char *text)
{
	unsigned int len = 0;

	while (text[len])
		len++;
	return len;
}

static void say(const char *text)
{
	call(NR_WRITE, 1, (long)text, length(text));
}

static void say_number(long number)
{
	char digits[12], *at = digits + sizeof(digits) - 1;
	unsigned long left = number < 0 ? -number : number;

	*at = 0;
	do {
		*--at = '0' + left % 10;
	} while (left /= 10);
	if (number < 0)
		*--at = '-';
	say(at);
}

void *memset(void *to, int c, unsigned int len)
{
	while (len)
		((char *)to)[--len] = c;
	return to;
}

void *memcpy(void *to, const void *from, unsigned int len)
{
	while (len--)
		((char *)to)[len] = ((const char *)from)[len];
	return to;
}

static int nr, failed;

static void check(const char *name, long expected, long got)
{
	nr++;
	if (expected != got) {
		failed++;
		say("# expected ");
		say_number(expected);
		say(", got ");
		say_number(got);
		say("\nnot ");
	}
	say("ok ");
	say_number(nr);
	say(" ");
	say(name);
	say("\n");
}

static int open_dev(void)
{
	return call(NR_OPEN, (long)"/dev/wpool", O_RDWR, 0);
}

#define IOCTL(fd, cmd, arg)	call(NR_IOCTL, fd, cmd, (long)(arg))
#define SIZED(type, ...)	((type) { .size = sizeof(type), ##__VA_ARGS__ })

static const char name[] = "compat";

static void set_name(__u8 *to)
{
	memcpy(to, name, sizeof(name));
}

static int attach(void)
{
	struct wpool_dev_attach arg = SIZED(struct wpool_dev_attach);
	int fd = open_dev();

	set_name(arg.name);
	return IOCTL(fd, WPOOL_IOC_ATTACH, &arg) ?: fd;
}

/* The structures have the same layout as in 64-bit programs, as the kernel expects. */
static void check_layout(void)
{
	check("sizes", 0, (sizeof(struct wpool_dev_work) - 32) |
			  (sizeof(struct wpool_dev_submit) - 32) |
			  (sizeof(struct wpool_dev_record) - 40) |
			  (sizeof(struct wpool_dev_wait) - 16) |
			  (sizeof(struct wpool_dev_cancel) - 24) |
			  (sizeof(struct wpool_dev_release) - 16));
}

static void check_pool(int fd)
{
	__u64 mask = 1;
	struct wpool_dev_create create = SIZED(struct wpool_dev_create, .attrs = {
		.mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_QUEUE_DEPTH | WPOOL_DEV_CPUMASK,
		.capacity = 3, .queue_depth = 20,
		.cpumask_bytes = sizeof(mask), .cpumask = (unsigned long)&mask,
	});
	struct wpool_dev_tune tune = SIZED(struct wpool_dev_tune, .attrs = {
		.mask = WPOOL_DEV_CAPACITY, .capacity = 2,
	});
	struct wpool_dev_info info = SIZED(struct wpool_dev_info);
	struct wpool_dev_cgroup cgroup = SIZED(struct wpool_dev_cgroup, .fd = fd);

	set_name(create.name);
	check("create", 0, IOCTL(fd, WPOOL_IOC_CREATE, &create));
	check("tune", 0, IOCTL(fd, WPOOL_IOC_TUNE, &tune));
	mask = 0;
	info.attrs.cpumask_bytes = sizeof(mask);
	info.attrs.cpumask = (unsigned long)&mask;
	check("info", 0, IOCTL(fd, WPOOL_IOC_INFO, &info));
	check("info_attributes", 2 | 20 << 8, info.attrs.capacity | info.attrs.queue_depth << 8);
	check("info_mask", ALL_ATTRS, info.attrs.mask);
	check("info_cpumask", 1, mask);
	check("cgroup", -EINVAL, IOCTL(fd, WPOOL_IOC_CGROUP, &cgroup));
}

static void check_tasks(int fd)
{
	struct wpool_dev_work works[] = {
		{ .kind = WPOOL_WORK_NOOP, .cookie = 0x123456789abcdef0ULL },
		{ .kind = WPOOL_WORK_SLEEP, .arg = 60 * SEC, .cookie = 2 },
	};
	struct wpool_dev_submit submit = SIZED(struct wpool_dev_submit,
		.works = (unsigned long)works, .nr = 2, .work_size = sizeof(works[0]));
	struct wpool_dev_wait wait = SIZED(struct wpool_dev_wait, .timeout_ns = SEC / 100);
	struct wpool_dev_cancel cancel = SIZED(struct wpool_dev_cancel, .cookie = 2);
	struct wpool_dev_group group = SIZED(struct wpool_dev_group, .max_outstanding = 1000);
	struct wpool_dev_stats stats = SIZED(struct wpool_dev_stats);
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct wpool_dev_record records[3];

	check("group", 0, IOCTL(fd, WPOOL_IOC_GROUP, &group));
	check("submit", 0, IOCTL(fd, WPOOL_IOC_SUBMIT, &submit));
	check("accepted", 2, submit.accepted);
	check("poll", 1, call(NR_POLL, (long)&pfd, 1, 60000));
	check("wait_times_out", -ETIME, IOCTL(fd, WPOOL_IOC_WAIT, &wait));
	check("cancel", 0, IOCTL(fd, WPOOL_IOC_CANCEL, &cancel));
	check("cancelled", 1, cancel.cancelled + cancel.stopped);
	wait.timeout_ns = 60 * SEC;
	check("wait", 0, IOCTL(fd, WPOOL_IOC_WAIT, &wait));
	check("stats", 0, IOCTL(fd, WPOOL_IOC_STATS, &stats));
	check("stats_of_the_file", 2 | 2 << 8 | 2 << 16, stats.file_submitted |
	      stats.file_finished << 8 | stats.file_unread << 16);
	check("read", 2 * sizeof(records[0]),
	      call(NR_READ, fd, (long)records, sizeof(records)));
	check("record", works[0].cookie, records[0].cookie);
	check("record_status", 0, records[0].status);
	check("record_times", 1, records[0].submit_ns <= records[0].start_ns);
}

static void check_end(int fd)
{
	struct wpool_dev_release release = SIZED(struct wpool_dev_release,
		.flags = WPOOL_DEV_RELEASE_WAIT, .timeout_ns = 60 * SEC);
	struct wpool_dev_simple simple = SIZED(struct wpool_dev_simple);
	struct wpool_dev_work work = { .kind = WPOOL_WORK_NOOP };
	struct wpool_dev_submit submit = SIZED(struct wpool_dev_submit,
		.works = (unsigned long)&work, .nr = 1, .work_size = sizeof(work));

	check("release", 0, IOCTL(fd, WPOOL_IOC_RELEASE, &release));
	check("submit_to_a_closed_pool", -ESHUTDOWN, IOCTL(fd, WPOOL_IOC_SUBMIT, &submit));
	check("reboot", 0, IOCTL(fd, WPOOL_IOC_REBOOT, &simple));
	check("submit_to_a_reopened_pool", 0, IOCTL(fd, WPOOL_IOC_SUBMIT, &submit));
	check("destroy", 0, IOCTL(fd, WPOOL_IOC_DESTROY, &simple));
	check("no_such_ioctl", -ENOTTY, IOCTL(fd, WPOOL_IOC_TYPE << 8 | 0xff, &simple));
}

void _start(void)
{
	int fd, second;

	say("TAP version 13\n");
	check_layout();
	fd = open_dev();
	check_pool(fd);
	second = attach();
	check("attach", 1, second > 0);
	check_tasks(second);
	check_end(fd);
	call(NR_CLOSE, second, 0, 0);
	call(NR_CLOSE, fd, 0, 0);
	say("1..");
	say_number(nr);
	say("\n");
	call(NR_EXIT, failed != 0, 0, 0);
	__builtin_unreachable();
}
