// SPDX-License-Identifier: GPL-2.0
/* What a pool's cgroup does to its tasks: their CPUs and their time, as cgroups count them. */
#include "cgroup_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/utsname.h>

#define PERIOD_USEC	100000LL
#define CPU1		"/sys/devices/system/cpu/cpu1"

/* Two pools share CPU 0 in the ratio of their cgroups' weights. */
TEST_F(cgroup, weight)
{
	static const char *const weights[] = { "100", "300" };
	long long used[2], begun[2];
	double ratio;
	int i;

	for (i = 0; i < 2; i++) {
		if (group_write(self->group[i], "cpu.weight", weights[i]))
			SKIP(return, "no cpu controller");
		ASSERT_EQ(0, pool_create_in(&self->pool[i], self->group[i], 1));
		ASSERT_EQ(0, attr_write(self->pool[i].name, "cpumask", "0"));
		ASSERT_EQ(0, submit(self->pool[i].fd, WPOOL_WORK_SPIN, LONG, 0));
	}
	/* begin to measure once both pools run */
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(WAIT_FOR(group_figure(self->group[i], "cpu.stat", "usage_usec") >
				     100000));
	}
	for (i = 0; i < 2; i++)
		begun[i] = group_figure(self->group[i], "cpu.stat", "usage_usec");
	do {
		usleep(20000);
		for (i = 0; i < 2; i++)
			used[i] = group_figure(self->group[i], "cpu.stat", "usage_usec") - begun[i];
	} while (used[0] + used[1] < 4000000);
	ratio = (double)used[1] / used[0];
	TH_LOG("weights 100 and 300: %lld and %lld us, 1 : %.2f", used[0], used[1], ratio);
	EXPECT_LT(2.7, ratio);
	EXPECT_GT(3.3, ratio);
}

/* Is this kernel @major.@minor or later? */
static bool is_linux(int major, int minor)
{
	struct utsname name;
	int have[2];

	return !uname(&name) && sscanf(name.release, "%d.%d", &have[0], &have[1]) == 2 &&
	       (have[0] > major || (have[0] == major && have[1] >= minor));
}

/* Does this kernel throttle threads of the kernel? Since 6.18 only on a return to user space. */
static bool has_quota(void)
{
	return !is_linux(6, 18);
}

static bool is_throttled_again(const char *group)
{
	long long before = group_figure(group, "cpu.stat", "nr_throttled");

	return WAIT_FOR(group_figure(group, "cpu.stat", "nr_throttled") > before);
}

/* Wait for @nr periods. Returns @group's CPU time in them, in per cent of one CPU, or -1. */
static double percent_used(const char *group, long long nr)
{
	long long periods = group_figure(group, "cpu.stat", "nr_periods");
	long long used = group_figure(group, "cpu.stat", "usage_usec"), now;

	if (!WAIT_FOR(group_figure(group, "cpu.stat", "nr_periods") >= periods + nr))
		return -1;
	now = group_figure(group, "cpu.stat", "nr_periods");
	used = group_figure(group, "cpu.stat", "usage_usec") - used;
	return 100.0 * used / ((now - periods) * PERIOD_USEC);
}

/* Two workers that spin get a fifth of one CPU, or, if kernel threads have no quota, more. */
TEST_F(cgroup, quota)
{
	struct pool *slow = &self->pool[0];
	double percent;
	int i;

	if (group_write(self->group[0], "cpu.max", "20000 100000"))
		SKIP(return, "no cpu controller");
	ASSERT_EQ(0, pool_create_in(slow, self->group[0], 2));
	ASSERT_EQ(0, submit_many(slow->fd, WPOOL_WORK_SPIN, LONG, 0, 2));
	if (!has_quota()) {
		percent = percent_used(self->group[0], 20);
		TH_LOG("a quota of 20 %%, which this kernel does not enforce: %.1f %%", percent);
		EXPECT_LT(22.0, percent);
		return;
	}
	ASSERT_TRUE(is_throttled_again(self->group[0]));
	/* measure up to six times: CPU time that the host takes away counts as used */
	for (i = 0; i < 6; i++) {
		percent = percent_used(self->group[0], 50);
		TH_LOG("a quota of 20 %%: %.1f %%", percent);
		if (percent >= 18 && percent <= 22)
			break;
	}
	EXPECT_LE(18.0, percent);
	EXPECT_GE(22.0, percent);
	EXPECT_EQ(2, pool_figure(slow->fd, busy));
}

/* A throttled worker does not delay other pools, their release, their end, or CPU hotplug. */
TEST_F(cgroup, throttled_beside_others)
{
	struct pool *slow = &self->pool[0], *other = &self->pool[1];
	int i, cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (!has_quota() || group_write(self->group[0], "cpu.max", "20000 100000"))
		SKIP(return, "no quota for threads of the kernel");
	ASSERT_EQ(0, pool_create_in(slow, self->group[0], cpus));
	ASSERT_EQ(0, submit_many(slow->fd, WPOOL_WORK_SPIN, LONG, 0, cpus));
	ASSERT_TRUE(is_throttled_again(self->group[0]));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pool_create_in(other, i ? self->group[1] : CGROUPS, 4));
		ASSERT_EQ(0, submit_many(other->fd, WPOOL_WORK_SPIN, 1000, 0, 5000));
		EXPECT_EQ(0, wait_tasks(other->fd, WAIT_NS));
		EXPECT_EQ(0, pool_release(other->fd, WPOOL_DEV_RELEASE_WAIT, WAIT_NS));
		EXPECT_EQ(0, pool_reboot(other->fd));
		if (!access(CPU1 "/online", W_OK)) {
			EXPECT_EQ(0, file_write(CPU1 "/online", "0", 1));
			EXPECT_EQ(0, submit_many(other->fd, WPOOL_WORK_SPIN, 1000, 0, 5000));
			EXPECT_EQ(0, wait_tasks(other->fd, WAIT_NS));
			EXPECT_EQ(0, file_write(CPU1 "/online", "1", 1));
		}
		pool_end(other);
		EXPECT_TRUE(is_throttled_again(self->group[0]));
		EXPECT_EQ(cpus, pool_figure(slow->fd, busy));
	}
}

/* Does a task run on @cpu? */
static bool runs_on(struct pool *pool, __u32 cpu)
{
	struct wpool_dev_record record;

	return !submit(pool->fd, WPOOL_WORK_NOOP, 0, 0) &&
	       read_records(pool->fd, &record, 1) == 1 && !record.status && record.cpu == cpu;
}

/*
 * Workers keep to the CPUs of their cgroup's cpuset. cpumask chooses among these; if it has none of
 * them, the cpuset prevails. An idle worker starts no task on a CPU that has left the cpuset, and
 * soon tasks run on CPUs that have joined.
 */
TEST_F(cgroup, cpuset)
{
	struct pool *pool = &self->pool[0];
	char *group = self->group[0];

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs 2 CPUs");
	if (group_write(group, "cpuset.cpus", "0"))
		SKIP(return, "no cpuset controller");
	ASSERT_EQ(0, group_write(self->group[1], "cpuset.cpus", "1"));
	ASSERT_EQ(0, pool_create_in(pool, group, 1));
	ASSERT_EQ(0, attr_write(pool->name, "expiry_ms", "0"));
	EXPECT_TRUE(runs_on(pool, 0));
	ASSERT_EQ(0, attr_write(pool->name, "cpumask", "1"));
	EXPECT_TRUE(runs_on(pool, 0));
	ASSERT_EQ(0, group_write(group, "cpuset.cpus", "0-1"));
	EXPECT_TRUE(WAIT_FOR(runs_on(pool, 1)));
	ASSERT_EQ(0, attr_write(pool->name, "cpumask", "0"));
	EXPECT_TRUE(runs_on(pool, 0));
	ASSERT_EQ(0, group_write(group, "cpuset.cpus", "1"));
	EXPECT_TRUE(runs_on(pool, 1));
	ASSERT_EQ(0, group_write(group, "cpuset.cpus", "0"));
	EXPECT_TRUE(WAIT_FOR(runs_on(pool, 0)));
	ASSERT_EQ(0, cgroup_write_in(pool, self->group[1], "0"));
	EXPECT_TRUE(runs_on(pool, 1));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 1, self->group[1])));
	ASSERT_EQ(0, cgroup_write_in(pool, CGROUPS, "0"));
	EXPECT_TRUE(runs_on(pool, 0));
}

struct masker {
	struct pool *pool;
	atomic_bool stop;
	int err;
};

/* Write the cpumask of a pool again and again. */
static void *write_cpumasks(void *arg)
{
	static const char *const masks[] = { "0", "1", "0-1" };
	struct masker *masker = arg;
	int i;

	for (i = 0; !masker->stop && !masker->err; i++)
		masker->err = attr_write(masker->pool->name, "cpumask", masks[i % 3]);
	return NULL;
}

/* The cpuset prevails also if it changes just when the pool moves its worker. */
TEST_F(cgroup, cpuset_beside_cpumask)
{
	struct masker masker = { .pool = &self->pool[0] };
	char *group = self->group[0];
	pthread_t thread;
	int i;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs 2 CPUs");
	if (group_write(group, "cpuset.cpus", "0-1"))
		SKIP(return, "no cpuset controller");
	ASSERT_EQ(0, pool_create_in(masker.pool, group, 1));
	/* the cpuset gets a worker that is older than the thread that keeps the cgroup */
	ASSERT_EQ(0, submit(masker.pool->fd, WPOOL_WORK_SLEEP, LONG, 0));
	ASSERT_TRUE(WAIT_FOR(pool_figure(masker.pool->fd, busy) == 1));
	ASSERT_EQ(0, cgroup_write_in(masker.pool, CGROUPS, "0"));
	ASSERT_EQ(0, cgroup_write_in(masker.pool, group, "0"));
	EXPECT_EQ(0, cancel_all(masker.pool->fd));
	EXPECT_RECORD(masker.pool->fd, 0, -ECANCELED);
	ASSERT_EQ(0, pthread_create(&thread, NULL, write_cpumasks, &masker));
	for (i = 0; i < 200; i++) {
		EXPECT_EQ(0, group_write(group, "cpuset.cpus", i % 2 ? "0" : "1"));
		EXPECT_TRUE(runs_on(masker.pool, !(i % 2))) TH_LOG("round %d", i);
		EXPECT_EQ(0, group_write(group, "cpuset.cpus", "0-1"));
	}
	masker.stop = true;
	EXPECT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, masker.err);
}

/* A pool with capacity_per_cpu follows the CPUs of its cpuset, also while it is busy. */
TEST_F(cgroup, cpuset_capacity_per_cpu)
{
	struct pool *pool = &self->pool[0];
	char *group = self->group[0];

	if (sysconf(_SC_NPROCESSORS_ONLN) != 2)
		SKIP(return, "needs 2 CPUs");
	if (group_write(group, "cpuset.cpus", "0"))
		SKIP(return, "no cpuset controller");
	ASSERT_EQ(0, pool_create_in(pool, group, 1));
	ASSERT_EQ(0, attr_write(pool->name, "capacity_per_cpu", "1"));
	EXPECT_EQ(1, attr_number(pool->name, "capacity"));
	ASSERT_EQ(0, submit(pool->fd, WPOOL_WORK_SPIN, LONG, 0));
	ASSERT_EQ(0, submit(pool->fd, WPOOL_WORK_NOOP, 0, 0));
	ASSERT_EQ(0, group_write(group, "cpuset.cpus", "0-1"));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool->name, "capacity") == 2));
	if (!file_write(CPU1 "/online", "0", 1)) {
		EXPECT_TRUE(WAIT_FOR(attr_number(pool->name, "capacity") == 1));
		EXPECT_EQ(0, file_write(CPU1 "/online", "1", 1));
		/*
		 * the cpuset gets the CPU a moment later; a new task lets the pool look at it again
		 */
		EXPECT_EQ(0, submit(pool->fd, WPOOL_WORK_SPIN, LONG, 0));
		EXPECT_TRUE(WAIT_FOR(attr_number(pool->name, "busy") == 2));
	}
}

TEST_HARNESS_MAIN
