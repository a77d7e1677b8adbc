// SPDX-License-Identifier: GPL-2.0
/*
 * Permissions of a user that can open /dev/wpool and has no other privilege, such as a member of a
 * group that a udev rule admits. Also permissions of root with a single capability.
 */
#include <linux/capability.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "work_fixture.h"

#define LIMIT	"/sys/module/wpool/parameters/max_user_workers"
#define WORKERS	"/sys/module/wpool/parameters/max_workers"
#define NOBODY	65534
#define MIB	(1024 * 1024)
#define MAX_WAITS 65536		/* timers and polls of all files opened without privileges */

FIXTURE(permit)
{
	struct pool root;	/* made by root */
	int own;		/* opened by user "nobody", who made its pool and runs the test */
	int limit;		/* max_user_workers, or half of max_workers if that is less */
	char name[WPOOL_DEV_NAME_LEN];
	char second[WPOOL_DEV_NAME_LEN];	/* for another pool */
};

static int become(uid_t uid)
{
	return seteuid(uid);
}

/* Leave root only the capabilities @caps, until the next call. */
static int keep_capabilities(__u64 caps)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	data[0].effective = data[0].permitted & caps;
	data[1].effective = data[1].permitted & (caps >> 32);
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

/* Open the device, and make a pool of this capacity. Returns the file or -errno. */
static int open_pool(const char *name, __u32 capacity)
{
	int fd = open(DEV, O_RDWR | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = pool_create_fd(fd, name, ATTRS(.capacity = capacity));
	if (err)
		close(fd);
	return err ?: fd;
}

FIXTURE_SETUP(permit)
{
	self->limit = file_number(WORKERS, -1) / 2;
	if (self->limit > file_number(LIMIT, -1))
		self->limit = file_number(LIMIT, -1);
	ASSERT_LT(8, self->limit);
	ASSERT_EQ(0, pool_create(&self->root, SMALL_POOL));
	ASSERT_EQ(0, chmod(DEV, 0666));
	ASSERT_EQ(0, become(NOBODY));
	snprintf(self->name, sizeof(self->name), "nobody.%d", getpid());
	snprintf(self->second, sizeof(self->second), "second.%d", getpid());
	self->own = open_pool(self->name, 4);
	ASSERT_LE(0, self->own);
}

FIXTURE_TEARDOWN(permit)
{
	become(0);
	chmod(DEV, 0600);
	pool_destroy(self->own);
	close(self->own);
	pool_end(&self->root);
}

static int tune(int fd, __u32 bit, __s32 value)
{
	return pool_tune(fd, &(struct wpool_dev_attrs) {
		.mask = bit,
		.capacity = value,
		.capacity_per_cpu = value,
		.min_workers = value,
		.nice = value,
		.sched = value,
		.freezable = value,
		.reclaim = value,
	});
}

#define tune_capacity(fd, value)	tune(fd, WPOOL_DEV_CAPACITY, value)
#define tune_nice(fd, value)		tune(fd, WPOOL_DEV_NICE, value)
#define tune_sched(fd, value)		tune(fd, WPOOL_DEV_SCHED, value)
#define tune_freezable(fd, value)	tune(fd, WPOOL_DEV_FREEZABLE, value)
#define tune_reclaim(fd, value)		tune(fd, WPOOL_DEV_RECLAIM, value)

TEST_F(permit, a_user_may_tune_its_own_pool)
{
	struct wpool_dev_info info;

	EXPECT_EQ(0, run_one(self->own));
	EXPECT_EQ(0, tune_capacity(self->own, 8));
	EXPECT_EQ(0, tune_nice(self->own, 5));
	EXPECT_EQ(0, tune_nice(self->own, 0));
	EXPECT_EQ(-EPERM, tune_nice(self->own, -1));
	EXPECT_EQ(0, tune_sched(self->own, WPOOL_DEV_SCHED_NORMAL));
	EXPECT_EQ(-EPERM, tune_sched(self->own, WPOOL_DEV_SCHED_FIFO_LOW));
	EXPECT_EQ(-EPERM, tune_sched(self->own, WPOOL_DEV_SCHED_FIFO));
	EXPECT_EQ(-EPERM, tune_sched(self->own, 2));
	EXPECT_EQ(-EPERM, tune_sched(self->own, 99));
	EXPECT_EQ(0, tune_freezable(self->own, 0));
	EXPECT_EQ(-EPERM, tune_freezable(self->own, 1));
	EXPECT_EQ(0, tune_reclaim(self->own, 0));
	EXPECT_EQ(-EPERM, tune_reclaim(self->own, 1));
	ASSERT_EQ(0, pool_info(self->own, &info));
	EXPECT_EQ(0, info.attrs.nice);
	EXPECT_EQ(WPOOL_DEV_SCHED_NORMAL, info.attrs.sched);
	EXPECT_EQ(0, info.attrs.freezable);
	EXPECT_EQ(0, info.attrs.reclaim);
	EXPECT_EQ(8, info.attrs.capacity);
	EXPECT_EQ(0, pool_release(self->own, 0, 0));
	EXPECT_EQ(0, pool_reboot(self->own));
	EXPECT_EQ(0, pool_destroy(self->own));
	EXPECT_EQ(-ESHUTDOWN, tune_capacity(self->own, 2));
}

TEST_F(permit, pool_of_another_user)
{
	struct wpool_dev_stats stats;
	int fd = pool_attach(self->root.name, 0);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, run_one(fd));
	EXPECT_EQ(0, pool_stats(fd, &stats));
	EXPECT_EQ(-EPERM, tune_capacity(fd, 1));
	EXPECT_EQ(-EPERM, pool_release(fd, 0, 0));
	EXPECT_EQ(-EPERM, pool_reboot(fd));
	EXPECT_EQ(-EPERM, pool_destroy(fd));
	/* a file that root has opened gives the user no further rights */
	EXPECT_EQ(-EPERM, pool_destroy(self->root.fd));
	EXPECT_EQ(0, submit(fd, WPOOL_WORK_NOOP, 0, 2));
	ASSERT_EQ(0, become(0));
	EXPECT_EQ(0, tune_capacity(self->own, 2));
	EXPECT_EQ(0, pool_destroy(self->own));
}

/* Pools of modules, such as the default pool, take tasks of root only. */
TEST_F(permit, pool_of_a_module)
{
	struct wpool_dev_stats stats;
	int fd = pool_attach("default", 0);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pool_stats(fd, &stats));
	EXPECT_EQ(-EPERM, submit(fd, WPOOL_WORK_NOOP, 0, 1));
	EXPECT_EQ(-EPERM, tune_capacity(fd, 1));
	EXPECT_EQ(-EBUSY, pool_destroy(fd));
	ASSERT_EQ(0, become(0));
	EXPECT_EQ(0, run_one(fd));
}

/* Tuning another user's pool needs CAP_SYS_ADMIN, and the capability of each attribute. */
TEST_F(permit, each_privilege_by_itself)
{
	int fds[2] = { pool_attach("default", 0), self->own };
	unsigned int i;

	ASSERT_LE(0, fds[0]);
	ASSERT_EQ(0, become(0));
	ASSERT_EQ(0, keep_capabilities(1ULL << CAP_SYS_ADMIN));
	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		EXPECT_EQ(0, tune_nice(fds[i], 1));
		EXPECT_EQ(0, tune_nice(fds[i], 0));
		EXPECT_EQ(-EPERM, tune_nice(fds[i], -1));
		EXPECT_EQ(-EPERM, tune_sched(fds[i], WPOOL_DEV_SCHED_FIFO_LOW));
		EXPECT_EQ(-EPERM, tune_freezable(fds[i], 1));
		EXPECT_EQ(-EPERM, tune_reclaim(fds[i], 1));
	}
	ASSERT_EQ(0, keep_capabilities(~0ULL));
	EXPECT_EQ(0, tune_nice(fds[0], -1));
	EXPECT_EQ(0, tune_nice(fds[0], 0));
}

/*
 * A user can submit polls and counts only to its own pools: such a task may hold a worker until a
 * program answers.
 */
TEST_F(permit, poll_and_count_only_in_own_pool)
{
	int event = eventfd(1, EFD_NONBLOCK), fd = pool_attach(self->root.name, 0);
	struct wpool_dev_work works[2] = { { .kind = WPOOL_WORK_NOOP } };
	__u32 accepted;
	__u64 count = 0;

	ASSERT_LE(0, event);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EPERM, submit(fd, WPOOL_WORK_POLL, event, 0));
	/* a poll is refused through a file of root, too, and so is a batch with a poll */
	EXPECT_EQ(-EPERM, submit(self->root.fd, WPOOL_WORK_POLL, event, 0));
	works[1].kind = WPOOL_WORK_POLL;
	works[1].arg = event;
	EXPECT_EQ(-EPERM, submit_flags(fd, works, 2, 0, &accepted));
	EXPECT_EQ(0, accepted);
	EXPECT_EQ(0, submit(self->own, WPOOL_WORK_POLL, event, 0));
	EXPECT_EQ(0, wait_tasks(self->own, 0));
	EXPECT_EQ(0, group_init_flags(fd, 1, WPOOL_DEV_GROUP_MM));
	EXPECT_EQ(-EPERM, submit(fd, WPOOL_WORK_COUNT, (uintptr_t)&count, 0));
	EXPECT_EQ(0, group_init_flags(self->own, 1, WPOOL_DEV_GROUP_MM));
	EXPECT_EQ(0, submit(self->own, WPOOL_WORK_COUNT, (uintptr_t)&count, 0));
	EXPECT_EQ(0, wait_tasks(self->own, 0));
	EXPECT_EQ(1, __atomic_load_n(&count, __ATOMIC_RELAXED));
	ASSERT_EQ(0, become(0));
	EXPECT_EQ(0, submit(self->own, WPOOL_WORK_POLL, event, 0));
	EXPECT_EQ(0, wait_tasks(self->own, 0));
	ASSERT_EQ(0, become(NOBODY));
	/* if the pool is destroyed, no privilege is checked */
	EXPECT_EQ(0, pool_destroy(self->own));
	EXPECT_EQ(-ESHUTDOWN, submit(self->own, WPOOL_WORK_POLL, event, 0));
}

/*
 * If root's pool has a negative nice, a sched other than normal, or freezable, a user cannot submit
 * to that pool. The user's own pool still takes the user's tasks.
 */
TEST_F(permit, pool_that_took_a_capability)
{
	static const struct {
		__u32 bit;
		__s32 value, otherwise;
	} raised[] = {
		{ WPOOL_DEV_NICE, -1, 0 },
		{ WPOOL_DEV_SCHED, WPOOL_DEV_SCHED_FIFO_LOW, WPOOL_DEV_SCHED_NORMAL },
		{ WPOOL_DEV_FREEZABLE, 1, 0 },
	};
	int fd = pool_attach(self->root.name, 0);
	unsigned int i;

	ASSERT_LE(0, fd);
	for (i = 0; i < ARRAY_SIZE(raised); i++) {
		ASSERT_EQ(0, become(0));
		ASSERT_EQ(0, tune(fd, raised[i].bit, raised[i].value));
		ASSERT_EQ(0, tune(self->own, raised[i].bit, raised[i].value));
		EXPECT_EQ(0, run_one(self->own));
		ASSERT_EQ(0, become(NOBODY));
		EXPECT_EQ(-EPERM, submit(fd, WPOOL_WORK_NOOP, 0, 1));
		EXPECT_EQ(0, run_one(self->own));
		ASSERT_EQ(0, become(0));
		ASSERT_EQ(0, tune(fd, raised[i].bit, raised[i].otherwise));
		ASSERT_EQ(0, become(NOBODY));
		EXPECT_EQ(0, run_one(fd));
	}
}

TEST_F(permit, a_user_may_submit_no_fault)
{
	EXPECT_EQ(-EPERM, submit(self->own, WPOOL_WORK_FAULT, 0, 1));
}

/* The limit counts capacity_per_cpu for all possible CPUs, or min_workers if that is more. */
TEST_F(permit, workers_per_cpu)
{
	const char *name = self->second;
	unsigned int last = 0, nr;
	FILE *possible;
	int fd;

	possible = fopen("/sys/devices/system/cpu/possible", "re");
	ASSERT_NE(NULL, possible);
	/* the file has "0" or "0-N" */
	EXPECT_LE(0, fscanf(possible, "0-%u", &last));
	fclose(possible);
	nr = last + 1;
	if ((int)nr > self->limit)
		SKIP(return, "more CPUs than workers");
	EXPECT_EQ(-EDQUOT, tune(self->own, WPOOL_DEV_CAPACITY_PER_CPU, self->limit / nr + 1));
	EXPECT_EQ(4, attr_number(self->name, "capacity"));
	EXPECT_EQ(0, tune(self->own, WPOOL_DEV_CAPACITY_PER_CPU, self->limit / nr));
	EXPECT_EQ(-EDQUOT, open_pool(name, self->limit % nr + 1));
	EXPECT_EQ(-EDQUOT, tune(self->own, WPOOL_DEV_MIN_WORKERS, self->limit + 1));
	/* a pool counts as before until its capacity is set, however many CPUs it has */
	ASSERT_EQ(0, become(0));
	ASSERT_EQ(0, attr_write(self->name, "cpumask", "0"));
	ASSERT_EQ(0, become(NOBODY));
	EXPECT_EQ(0, tune(self->own, WPOOL_DEV_CAPACITY_PER_CPU, 0));
	EXPECT_EQ(self->limit / nr, attr_number(self->name, "capacity"));
	EXPECT_EQ(-EDQUOT, open_pool(name, self->limit % nr + 1));
	/* a fixed capacity is not multiplied by the number of CPUs */
	EXPECT_EQ(0, tune_capacity(self->own, 4));
	fd = open_pool(name, self->limit - 4);
	ASSERT_LE(0, fd);
	/* min_workers does not count for a pool with a fixed capacity */
	EXPECT_EQ(0, tune(self->own, WPOOL_DEV_MIN_WORKERS, 4));
	EXPECT_EQ(0, pool_destroy(fd));
	/* min_workers below the capacity that root has given changes nothing */
	ASSERT_EQ(0, become(0));
	EXPECT_EQ(0, tune(self->own, WPOOL_DEV_CAPACITY_PER_CPU, self->limit / nr + 1));
	ASSERT_EQ(0, become(NOBODY));
	EXPECT_EQ(0, tune(self->own, WPOOL_DEV_MIN_WORKERS, 1));
	/* what the pool has on one CPU now is less than what it could have had on all */
	if (nr > 1)
		EXPECT_EQ(-EDQUOT, tune_capacity(self->own, (self->limit / nr + 1) * nr));
}

TEST_F(permit, the_workers_of_a_user_are_limited)
{
	const char *name = self->second;
	int fd;

	EXPECT_EQ(-EDQUOT, open_pool(name, WPOOL_DEV_UNLIMITED));
	EXPECT_EQ(-EDQUOT, open_pool(name, self->limit - 3));
	EXPECT_FALSE(pool_exists(name));
	fd = open_pool(name, self->limit - 4);
	ASSERT_LE(0, fd);
	/* the user's limit of workers is reached; a refusal changes nothing */
	EXPECT_EQ(-EDQUOT, tune_capacity(self->own, 5));
	EXPECT_EQ(4, attr_number(self->name, "capacity"));
	EXPECT_EQ(0, tune_capacity(self->own, 4));
	EXPECT_EQ(-EINVAL, tune_capacity(self->own, 0));
	EXPECT_EQ(-EDQUOT, tune_capacity(self->own, 5));
	EXPECT_EQ(0, tune_capacity(fd, self->limit - 5));
	EXPECT_EQ(0, tune_capacity(self->own, 5));
	/* the second destroy does not give workers back again */
	EXPECT_EQ(0, pool_destroy(fd));
	EXPECT_EQ(0, pool_destroy(fd));
	EXPECT_EQ(-ESHUTDOWN, tune_capacity(fd, 1));
	close(fd);
	EXPECT_EQ(0, tune_capacity(self->own, self->limit));
	EXPECT_EQ(-EDQUOT, open_pool(name, 1));
	/* root is not limited; what root takes from a pool, the users may have */
	ASSERT_EQ(0, become(0));
	fd = open_pool(name, self->limit + 1);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, pool_destroy(fd));
	close(fd);
	EXPECT_EQ(0, tune_capacity(self->own, 1));
	ASSERT_EQ(0, become(NOBODY));
	EXPECT_EQ(-EDQUOT, open_pool(name, self->limit));
	fd = open_pool(name, self->limit - 1);
	ASSERT_LE(0, fd);
	/* what root gives to a pool does not count, even if it is used */
	EXPECT_EQ(0, tune_capacity(fd, 1));
	ASSERT_EQ(0, become(0));
	EXPECT_EQ(0, tune_capacity(fd, 8));
	ASSERT_EQ(0, become(NOBODY));
	ASSERT_EQ(0, occupy(fd, 0, 8));
	EXPECT_EQ(0, tune_capacity(self->own, self->limit - 1));
	EXPECT_EQ(-EDQUOT, tune_capacity(self->own, self->limit));
	EXPECT_EQ(0, cancel_all(fd));
	/* to take back a part of what root has given costs nothing, to add to it costs all */
	EXPECT_EQ(0, tune_capacity(fd, 6));
	EXPECT_EQ(-EDQUOT, tune_capacity(fd, 7));
	EXPECT_EQ(6, attr_number(name, "capacity"));
	EXPECT_EQ(0, pool_destroy(fd));
}

/* After a decrease of the capacity, the limit counts the workers until they have left. */
TEST_F(permit, workers_of_a_pool_that_shrinks)
{
	const char *name = self->second;
	int fd;

	ASSERT_EQ(0, tune_capacity(self->own, 8));
	ASSERT_EQ(0, occupy(self->own, 0, 8));
	EXPECT_EQ(0, tune_capacity(self->own, 1));
	EXPECT_EQ(-EDQUOT, open_pool(name, self->limit - 7));
	fd = open_pool(name, self->limit - 8);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EDQUOT, tune_capacity(fd, self->limit - 7));
	/* the limit still counts all 8 workers of this pool, so its capacity may be 8 again */
	EXPECT_EQ(0, tune_capacity(self->own, 8));
	EXPECT_EQ(-EDQUOT, tune_capacity(self->own, 9));
	EXPECT_EQ(0, tune_capacity(self->own, 1));
	EXPECT_EQ(0, cancel_all(self->own));
	EXPECT_TRUE(WAIT_FOR(!tune_capacity(fd, self->limit - 1)));
	EXPECT_EQ(0, pool_destroy(fd));
}

/* Occupy the four workers of a pool by tasks that do not end, and make its queue unlimited. */
static int occupy_all(int fd)
{
	int err = submit_many(fd, WPOOL_WORK_SLEEP, LONG, 0, 4);

	if (err)
		return err;
	if (!WAIT_FOR(pool_figure(fd, blocked) == 4))
		return -ETIME;
	return pool_tune(fd, ATTRS(.queue_depth = WPOOL_DEV_UNLIMITED));
}

/* Tasks of all files opened without privileges take at most a quarter of the memory. */
TEST_F(permit, memory)
{
	struct wpool_dev_work works[WPOOL_MAX_FILE_BYTES / (16 * MIB)] = { };
	__u64 quarter = (__u64)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 4, all = 0;
	__u32 accepted;
	unsigned int i;
	int fds[64];

	for (i = 0; i < ARRAY_SIZE(works); i++)
		works[i] = (struct wpool_dev_work){ .kind = WPOOL_WORK_TOUCH, .arg = 16 * MIB };
	ASSERT_EQ(0, occupy_all(self->own));
	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = pool_attach(self->name, 0);
		ASSERT_LE(0, fds[i]);
		if (submit_flags(fds[i], works, ARRAY_SIZE(works), 0, &accepted))
			break;
		all += accepted * 16ULL * MIB;
		if (accepted < ARRAY_SIZE(works))
			break;
	}
	if (i == ARRAY_SIZE(fds)) {
		i--;
		SKIP(goto out, "too much memory");
	}
	EXPECT_LE(all, quarter);
	EXPECT_LT(quarter, all + 17 * MIB);
	EXPECT_EQ(-ENOBUFS, submit_all(self->own, works, 1));
	EXPECT_EQ(0, cancel_all(fds[0]));
	EXPECT_EQ(0, submit_all(self->own, works, 1));
	/* root's files do not count */
	ASSERT_EQ(0, become(0));
	EXPECT_EQ(0, submit_all(self->root.fd, works, 1));
	EXPECT_EQ(0, wait_tasks(self->root.fd, 0));
out:
	become(0);
	for (i++; i--;)
		close(fds[i]);
	EXPECT_EQ(0, cancel_all(self->own));
}

/* The number of timers and polls of users is limited, as one wake-up may fire all of them. */
TEST_F(permit, timers_and_polls)
{
	int event = eventfd(0, EFD_NONBLOCK), second = pool_attach(self->name, 0), err;
	__u64 end = now_ns() + LONG;

	ASSERT_LE(0, event);
	ASSERT_LE(0, second);
	err = submit_many(self->own, WPOOL_WORK_TIMER, LONG, 0, MAX_WAITS - 1);
	if (err == -ENOBUFS)
		SKIP(goto out, "too little memory");
	EXPECT_EQ(0, err);
	EXPECT_EQ(0, submit(second, WPOOL_WORK_POLL, event, 0));
	err = submit(second, WPOOL_WORK_POLL, event, 0);
	if (now_ns() >= end)
		SKIP(goto out, "too slow: the first timers have ended");
	EXPECT_EQ(-ENOBUFS, err);
	EXPECT_EQ(-ENOBUFS, submit(second, WPOOL_WORK_TIMER, LONG, 0));
	/* other tasks do not count, nor do files of root */
	EXPECT_EQ(0, submit(second, WPOOL_WORK_NOOP, 0, 0));
	EXPECT_EQ(0, submit(second, WPOOL_WORK_STRAND, 0, 0));
	ASSERT_EQ(0, become(0));
	EXPECT_EQ(0, submit(self->root.fd, WPOOL_WORK_TIMER, 1, 0));
	ASSERT_EQ(0, become(NOBODY));
	EXPECT_EQ(0, cancel_all(second));
	EXPECT_TRUE(WAIT_FOR(!submit(second, WPOOL_WORK_TIMER, LONG, 0)));
	EXPECT_EQ(-ENOBUFS, submit(second, WPOOL_WORK_TIMER, LONG, 0));
out:
	EXPECT_EQ(0, cancel_all(self->own));
	close(second);
	close(event);
}

/* The polls of users have a smaller limit: a wake-up fires all of a file with interrupts off. */
TEST_F(permit, polls)
{
	int event = eventfd(0, EFD_NONBLOCK), second = pool_attach(self->name, 0), err;
	__u64 end = now_ns() + LONG;

	ASSERT_LE(0, event);
	ASSERT_LE(0, second);
	EXPECT_EQ(0, submit_many(self->own, WPOOL_WORK_POLL, event, 0, WPOOL_MAX_POLLS - 1));
	EXPECT_EQ(0, submit(second, WPOOL_WORK_POLL, event, 0));
	err = submit(second, WPOOL_WORK_POLL, event, 0);
	if (now_ns() >= end)
		SKIP(goto out, "too slow: the first polls have ended");
	EXPECT_EQ(-ENOBUFS, err);
	/* timers do not count, nor do files of root */
	EXPECT_EQ(0, submit(second, WPOOL_WORK_TIMER, 1, 0));
	ASSERT_EQ(0, become(0));
	EXPECT_EQ(0, submit(self->root.fd, WPOOL_WORK_POLL, event, 0));
	EXPECT_EQ(0, cancel_all(self->root.fd));
	ASSERT_EQ(0, become(NOBODY));
	EXPECT_EQ(0, cancel_all(second));
	EXPECT_TRUE(WAIT_FOR(!submit(second, WPOOL_WORK_POLL, event, 0)));
	EXPECT_EQ(-ENOBUFS, submit(second, WPOOL_WORK_POLL, event, 0));
out:
	EXPECT_EQ(0, cancel_all(self->own));
	close(second);
	close(event);
}

static __u32 accepted_of_batch(int fd, __u32 kind, __u64 arg)
{
	struct wpool_dev_work *works = works_alloc(kind, arg, 0, WPOOL_MAX_BATCH);
	__u32 accepted;

	if (!works || submit_flags(fd, works, WPOOL_MAX_BATCH, 0, &accepted))
		accepted = 0;
	free(works);
	return accepted;
}

/* Tasks and unread records count for the limit of memory, even if the tasks allocate nothing. */
TEST_F(permit, tasks_and_records)
{
	static struct wpool_dev_record records[WPOOL_MAX_BATCH];
	/* touches leave less than 2 * @least bytes of memory; a task takes at least 128 bytes */
	const __u64 least = 64 * 1024, most = 2 * least / 128;
	int fds[64], second, spare;
	__u64 bytes, of_file;
	unsigned int i;
	__u32 nr;

	second = open_pool(self->second, 4);
	ASSERT_LE(0, second);
	ASSERT_EQ(0, pool_tune(second, ATTRS(.queue_depth = WPOOL_DEV_UNLIMITED)));
	/* queued touches take all the memory; then the touch of @spare is cancelled */
	ASSERT_EQ(0, occupy_all(self->own));
	spare = pool_attach(self->name, 0);
	ASSERT_LE(0, spare);
	ASSERT_EQ(0, submit(spare, WPOOL_WORK_TOUCH, least, 0));
	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = pool_attach(self->name, 0);
		ASSERT_LE(0, fds[i]);
		of_file = 0;
		for (bytes = 16 * MIB; bytes >= least; bytes /= 16)
			of_file += accepted_of_batch(fds[i], WPOOL_WORK_TOUCH, bytes) * bytes;
		if (of_file < WPOOL_MAX_FILE_BYTES)
			break;
	}
	if (i == ARRAY_SIZE(fds)) {
		i--;
		SKIP(goto out, "too much memory");
	}
	EXPECT_EQ(0, cancel_all(spare));
	nr = accepted_of_batch(second, WPOOL_WORK_NOOP, 0);
	EXPECT_LT(0, nr);
	EXPECT_GT(most, nr);
	EXPECT_EQ(0, wait_tasks(second, 0));
	EXPECT_EQ(-ENOBUFS, submit(second, WPOOL_WORK_NOOP, 0, 1));
	EXPECT_EQ(-ENOBUFS, submit(second, WPOOL_WORK_TIMER, 0, 1));
	EXPECT_EQ(-ENOBUFS, submit(second, WPOOL_WORK_STRAND, 0, 1));
	/* a timer takes more memory than a noop */
	EXPECT_EQ(1, read_records(second, records, 1));
	EXPECT_EQ(-ENOBUFS, submit(second, WPOOL_WORK_TIMER, 0, 1));
	EXPECT_EQ(0, submit(second, WPOOL_WORK_NOOP, 0, 1));
	EXPECT_EQ(nr, (__u32)read_records(second, records, nr));
	EXPECT_EQ(nr, accepted_of_batch(second, WPOOL_WORK_NOOP, 0));
	EXPECT_EQ(0, wait_tasks(second, 0));
	EXPECT_EQ(nr, (__u32)read_records(second, records, nr));
	nr = accepted_of_batch(second, WPOOL_WORK_TIMER, 0);
	EXPECT_LT(0, nr);
	EXPECT_GT(most, nr);
	EXPECT_EQ(0, wait_tasks(second, 0));
	EXPECT_EQ(nr, (__u32)read_records(second, records, nr));
	EXPECT_EQ(nr, accepted_of_batch(second, WPOOL_WORK_TIMER, 0));
	/* unread records are freed with their file */
	EXPECT_EQ(0, wait_tasks(second, 0));
	close(second);
	EXPECT_EQ(0, submit(fds[i], WPOOL_WORK_NOOP, 0, 1));
	second = pool_attach(self->second, 0);
out:
	EXPECT_EQ(0, pool_destroy(second));
	close(second);
	close(spare);
	for (i++; i--;)
		close(fds[i]);
	EXPECT_EQ(0, cancel_all(self->own));
}

TEST_HARNESS_MAIN
