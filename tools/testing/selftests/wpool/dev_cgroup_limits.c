// SPDX-License-Identifier: GPL-2.0
/*
 * What a pool's cgroup does to its tasks: the CPUs, the time, the memory and the disks that they
 * use. All figures are those that cgroups count.
 */
#include "cgroup_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/utsname.h>

#define PERIOD_USEC	100000LL
#define CPU1		"/sys/devices/system/cpu/cpu1"

/* Return N of the first "@word N" or "@word=N" in the file @name of a cgroup, or -1. */
static long long group_figure(const char *group, const char *name, const char *word)
{
	char path[128], text[4096], *at;

	snprintf(path, sizeof(path), "%s/%s", group, name);
	if (file_read(path, text, sizeof(text)))
		return -1;
	for (at = text; *at; at += strcspn(at, "\n "), at += !!*at)
		if (!strncmp(at, word, strlen(word)) && strchr(" =", at[strlen(word)]))
			return atoll(at + strlen(word) + 1);
	return -1;
}

/* Submit a touch through a file opened in the root cgroup. Returns its status or -errno. */
static int touch_status(const struct pool *pool, long long bytes)
{
	int fd = pool_attach(pool->name, 0), status = fd < 0 ? fd : touch(fd, bytes);

	close(fd);
	return status;
}

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

/* Returns how many pages have been taken from the memory node @node. */
static long long pages_taken(int node)
{
	char dir[64];

	snprintf(dir, sizeof(dir), "/sys/devices/system/node/node%d", node);
	return group_figure(dir, "numastat", "numa_hit") +
	       group_figure(dir, "numastat", "numa_miss");
}

/* Tasks get memory from the nodes of their pool's cpuset, also after these have changed. */
TEST_F(cgroup, cpuset_mems)
{
	static const char *const nodes[] = { "0", "1" };
	const long long pages = WPOOL_MAX_WORK_BYTES / 4096;
	struct pool *pool = &self->pool[0];
	long long taken[2];
	int i;

	if (access("/sys/devices/system/node/node1", F_OK))
		SKIP(return, "needs 2 memory nodes");
	if (group_write(self->group[0], "cpuset.mems", nodes[1]))
		SKIP(return, "no cpuset controller");
	ASSERT_EQ(0, pool_create_in(pool, self->group[0], 1));
	ASSERT_EQ(0, attr_write(pool->name, "expiry_ms", "0"));
	for (i = 1; i >= 0; i--) {
		ASSERT_EQ(0, group_write(self->group[0], "cpuset.mems", nodes[i]));
		taken[0] = pages_taken(0);
		taken[1] = pages_taken(1);
		EXPECT_EQ(0, touch_status(pool, WPOOL_MAX_WORK_BYTES));
		EXPECT_LE(pages, pages_taken(i) - taken[i]);
		/* other threads may take pages, too, but few */
		EXPECT_GT(pages / 2, pages_taken(!i) - taken[!i]);
	}
}

static bool has_memory(const char *group)
{
	group_write(CGROUPS, "cgroup.subtree_control", "+memory");
	return group_number(group, "memory.peak") >= 0;
}

TEST_F(cgroup, the_memory_of_tasks_counts_in_the_cgroup)
{
	const long long bytes = WPOOL_MAX_WORK_BYTES;
	struct pool *pool = &self->pool[0];
	int i;

	if (!has_memory(self->group[0]))
		SKIP(return, "no memory cgroups of version 2");
	ASSERT_EQ(0, pool_create_in(&self->pool[1], CGROUPS, 1));
	ASSERT_EQ(0, touch_status(&self->pool[1], bytes));
	ASSERT_EQ(0, pool_create_in(pool, self->group[0], 1));
	ASSERT_EQ(0, attr_write(pool->name, "expiry_ms", "0"));
	for (i = 0; i < 2; i++) {
		EXPECT_GT(bytes / 2, group_number(self->group[i], "memory.peak"));
		EXPECT_EQ(0, touch_status(pool, bytes));
		EXPECT_LE(bytes, group_number(self->group[i], "memory.peak"));
		EXPECT_GT(bytes / 2, group_number(self->group[i], "memory.current"));
		if (!i) {
			EXPECT_GT(bytes / 2, group_number(self->group[1], "memory.peak"));
			ASSERT_EQ(0, cgroup_write_in(pool, self->group[1], "0"));
			EXPECT_TRUE(WAIT_FOR(!rmdir(self->group[0])));
		}
	}
	/* a touch beyond memory.max fails; in the root cgroup it succeeds */
	ASSERT_EQ(0, group_write(self->group[1], "memory.max", "16777216"));
	EXPECT_EQ(-ENOMEM, touch_status(pool, bytes));
	ASSERT_EQ(0, attr_write(pool->name, "cgroup", "none"));
	/* a searching worker may run one more task in the old cgroup: wait until it has moved */
	ASSERT_TRUE(WAIT_FOR(workers_are_in(pool, 1, CGROUPS)));
	EXPECT_EQ(0, touch_status(pool, bytes));
}

/* Returns a process that waits in @group. */
static pid_t member_of(const char *group)
{
	pid_t pid = fork();

	if (!pid) {
		if (group_write(group, "cgroup.procs", "0"))
			_exit(1);
		for (;;)
			pause();
	}
	WAIT_FOR(group_number(group, "cgroup.procs") == pid);
	return pid;
}

/* At the limit a touch fails, and neither a member of the cgroup nor another process is killed. */
TEST_F(cgroup, memory_max)
{
	struct pool *pool = &self->pool[0];
	pid_t member;

	if (!has_memory(self->group[0]))
		SKIP(return, "no memory cgroups of version 2");
	member = member_of(self->group[0]);
	ASSERT_EQ(0, pool_create_in(pool, self->group[0], 1));
	ASSERT_EQ(0, group_write(self->group[0], "memory.max", "16777216"));
	EXPECT_EQ(-ENOMEM, touch_status(pool, WPOOL_MAX_WORK_BYTES));
	EXPECT_EQ(0, touch_status(pool, 1024 * 1024));
	EXPECT_EQ(0, group_figure(self->group[0], "memory.events", "oom_kill"));
	EXPECT_EQ(0, group_figure(self->group[1], "memory.events", "oom_kill"));
	EXPECT_EQ(0, waitpid(member, NULL, WNOHANG));
	EXPECT_TRUE(child_kill(member));
}

/* Join @group, and let tasks write to @pages pages of this process. Exits. */
static void count_in_pages(int fd, const char *group, size_t pages)
{
	char *map = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	size_t i;

	if (map == MAP_FAILED || group_write(group, "cgroup.procs", "0") ||
	    group_init_flags(fd, WPOOL_DEV_UNLIMITED, WPOOL_DEV_GROUP_MM))
		_exit(1);
	for (i = 0; i < pages; i++)
		if (submit(fd, WPOOL_WORK_COUNT, (uintptr_t)map + i * 4096, i))
			_exit(2);
	_exit(wait_tasks(fd, 0) ? 3 : 0);
}

/* If a task exceeds memory.max of the process that it acts for, only that process is killed. */
TEST_F(cgroup, memory_max_of_a_process)
{
	const size_t pages = 8192;
	struct pool *pool = &self->pool[0];
	struct wpool_dev_record record;
	int nr[2] = { };
	pid_t victim, bystander;

	if (!has_memory(self->group[0]))
		SKIP(return, "no memory cgroups of version 2");
	ASSERT_EQ(0, pool_create_in(pool, self->group[0], 2));
	ASSERT_EQ(0, group_write(self->group[0], "memory.max", "16777216"));
	group_write(self->group[0], "memory.swap.max", "0");
	bystander = member_of(self->group[1]);
	victim = fork();
	if (!victim)
		count_in_pages(pool->fd, self->group[0], pages);
	EXPECT_EQ(1000 + SIGKILL, child_end(victim));
	EXPECT_LE(1, group_figure(self->group[0], "memory.events", "oom_kill"));
	EXPECT_EQ(0, group_figure(self->group[1], "memory.events", "oom_kill"));
	EXPECT_EQ(0, waitpid(bystander, NULL, WNOHANG));
	EXPECT_TRUE(child_kill(bystander));
	EXPECT_TRUE(WAIT_FOR(!pool_figure(pool->fd, outstanding)));
	while (read_records(pool->fd, &record, 1) == 1) {
		EXPECT_TRUE(!record.status || record.status == -EFAULT || record.status == -ESRCH)
			TH_LOG("status %d", record.status);
		nr[!!record.status]++;
	}
	TH_LOG("%d pages before the kill, %d tasks without memory", nr[0], nr[1]);
	EXPECT_LT(0, nr[0]);
	EXPECT_GT(4096, nr[0]);
	EXPECT_EQ(0, pool_figure(pool->fd, faults));
	EXPECT_EQ(0, touch_status(pool, 1024 * 1024));
}

/* memory.oom.group does not kill a bystander whose mm a worker of the cgroup uses. */
TEST_F(cgroup, memory_oom_group)
{
	const size_t bytes = 64 * 1024 * 1024;
	struct pool *pool = &self->pool[0];
	pid_t victim, bystander;
	char byte = 0;
	int go[2];

	if (!has_memory(self->group[0]))
		SKIP(return, "no memory cgroups of version 2");
	ASSERT_EQ(0, pool_create_in(pool, self->group[0], 1));
	ASSERT_EQ(0, pipe(go));
	bystander = fork();
	if (!bystander) {
		if (group_write(self->group[1], "cgroup.procs", "0") ||
		    group_init_flags(pool->fd, WPOOL_DEV_UNLIMITED, WPOOL_DEV_GROUP_MM) ||
		    submit(pool->fd, WPOOL_WORK_SLEEP, LONG, 0))
			_exit(1);
		_exit(read(go[0], &byte, 1) == 1 ? 0 : 2);
	}
	ASSERT_TRUE(WAIT_FOR(attr_number(pool->name, "busy") == 1));
	ASSERT_EQ(0, group_write(self->group[0], "memory.max", "16777216"));
	ASSERT_EQ(0, group_write(self->group[0], "memory.oom.group", "1"));
	victim = fork();
	if (!victim) {
		if (!group_write(self->group[0], "cgroup.procs", "0"))
			mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		_exit(1);
	}
	EXPECT_EQ(1000 + SIGKILL, child_end(victim));
	ASSERT_EQ(1, write(go[1], &byte, 1));
	EXPECT_EQ(0, child_end(bystander));
}

/* If the workers' cgroup gets the memory controller later, touches are charged from then on. */
TEST_F(cgroup, memory_is_given)
{
	struct pool *pool = &self->pool[0];

	if (!has_memory(self->group[0]))
		SKIP(return, "no memory cgroups of version 2");
	ASSERT_EQ(0, group_write(CGROUPS, "cgroup.subtree_control", "-memory"));
	ASSERT_EQ(0, pool_create_in(pool, self->group[0], 1));
	EXPECT_EQ(0, touch_status(pool, 1024));
	ASSERT_TRUE(WAIT_FOR(attr_number(pool->name, "idle") == 1));
	ASSERT_TRUE(has_memory(self->group[0]));
	/* before its next task the idle worker notices the new memory cgroup */
	EXPECT_EQ(0, touch_status(pool, WPOOL_MAX_WORK_BYTES));
	EXPECT_LE(WPOOL_MAX_WORK_BYTES, group_number(self->group[0], "memory.peak"));
}

/* If the parent of a cgroup takes the memory controller away, the workers still run tasks. */
TEST_F(cgroup, memory_is_taken_away)
{
	struct pool *pool = &self->pool[0];

	if (!has_memory(self->group[0]))
		SKIP(return, "no memory cgroups of version 2");
	ASSERT_EQ(0, pool_create_in(pool, self->group[0], 1));
	EXPECT_EQ(0, touch_status(pool, 1024 * 1024));
	ASSERT_EQ(0, group_write(CGROUPS, "cgroup.subtree_control", "-memory"));
	EXPECT_EQ(0, touch_status(pool, WPOOL_MAX_WORK_BYTES));
	EXPECT_EQ(0, cgroup_write_in(pool, self->group[1], "0"));
	EXPECT_EQ(0, touch_status(pool, WPOOL_MAX_WORK_BYTES));
}

#define DISK		"/dev/loop%d"
#define DISK_FILE	P_tmpdir "/wpool-disk%d"
#define DISK_PAGES	2048
#define DISK_BYTES	(DISK_PAGES * 4096)

static int shell(const char *format, ...)
{
	char command[256];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return system(command);
}

/* Load the driver of two disks. Returns NULL, or why a cgroup can have no limit for them. */
static const char *disks_load(const char *group)
{
	const char *modules = getenv("WPOOL_SAMPLES") ?: "/wpool";
	char path[128];

	group_write(CGROUPS, "cgroup.subtree_control", "+io");
	snprintf(path, sizeof(path), "%s/io.max", group);
	if (access(path, F_OK))
		return "no io controller";
	snprintf(path, sizeof(path), "%s/loop_kernel.ko", modules);
	if (access(path, F_OK))
		return "loop_kernel.ko is not built for this kernel";
	if (!access("/sys/module/loop", F_OK))
		return "the kernel has a loop driver of its own, which is loaded";
	return shell("insmod %s max_loop=2", path) ? "loop_kernel.ko cannot be loaded" : NULL;
}

/* Map the disk @nr, which has the number 7:@nr. @flags: of mmap() */
static char *disk_map(int nr, int flags)
{
	char path[32];
	void *map;
	int fd;

	/* allocate the file's pages here: the driver would charge them to the writer's cgroup */
	if (shell("head -c %u /dev/zero >" DISK_FILE, DISK_BYTES, nr) ||
	    !WAIT_FOR(!shell("losetup " DISK " " DISK_FILE " 2>/dev/null", nr, nr)))
		return MAP_FAILED;
	snprintf(path, sizeof(path), DISK, nr);
	fd = open(path, O_RDWR | O_CLOEXEC);
	map = mmap(NULL, DISK_BYTES, PROT_READ | PROT_WRITE, flags, fd, 0);
	close(fd);
	return map;
}

/* Returns 0 if nobody uses the disk @nr any more. */
static int disk_unmap(int nr, char *map)
{
	return munmap(map, DISK_BYTES) ?: shell("losetup -d " DISK " && rm " DISK_FILE, nr, nr);
}

static bool disks_unload(void)
{
	return WAIT_FOR(!system("rmmod loop_kernel 2>/dev/null"));
}

/* Let tasks add 1 to a byte of each of @nr pages from @page. Returns 0 or -errno. */
static int count_pages(const struct pool *pool, char *page, int nr)
{
	int err = 0;

	for (; nr && !err; nr--, page += 4096)
		err = submit(pool->fd, WPOOL_WORK_COUNT, (uintptr_t)page, 0);
	return err;
}

/*
 * If a task reads a disk at the limit io.max of its pool's cgroup, it waits until the limit is
 * lifted. A task of another pool does not wait.
 */
TEST_F(cgroup, io)
{
	struct pool *slow = &self->pool[0], *other = &self->pool[1];
	const char *why = disks_load(self->group[0]);
	char *map;
	int i;

	if (why)
		SKIP(return, "%s", why);
	map = disk_map(0, MAP_PRIVATE);
	EXPECT_NE(MAP_FAILED, map);
	EXPECT_EQ(0, group_write(self->group[0], "io.max", "7:0 rbps=2"));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, pool_create_in(&self->pool[i], self->group[i], 1));
		EXPECT_EQ(0, group_init_flags(self->pool[i].fd, 1, WPOOL_DEV_GROUP_MM));
		EXPECT_EQ(0, count_pages(&self->pool[i], map + i * DISK_BYTES / 2, 1));
	}
	EXPECT_TRUE(all_have_status(other->fd, 1, 0));
	EXPECT_LE(4096, group_figure(self->group[1], "io.stat", "rbytes"));
	EXPECT_EQ(1, pool_figure(slow->fd, outstanding));
	EXPECT_GE(0, group_figure(self->group[0], "io.stat", "rbytes"));
	EXPECT_EQ(0, group_write(self->group[0], "io.max", "7:0 rbps=max"));
	EXPECT_TRUE(all_have_status(slow->fd, 1, 0));
	EXPECT_LE(4096, group_figure(self->group[0], "io.stat", "rbytes"));
	EXPECT_EQ(0, disk_unmap(0, map));
	EXPECT_TRUE(disks_unload());
}

/*
 * Let a task read a page of a disk at the cost of @group, of which this process is a member only
 * before. Exits when the task has ended.
 */
static void count_for_group(int fd, const char *group, char *page)
{
	struct wpool_dev_record record;

	if (group_write(group, "cgroup.procs", "0") ||
	    group_init_flags(fd, WPOOL_DEV_UNLIMITED,
			     WPOOL_DEV_GROUP_MM | WPOOL_DEV_GROUP_BLKCG) ||
	    group_write(CGROUPS, "cgroup.procs", "0") ||
	    submit(fd, WPOOL_WORK_COUNT, (uintptr_t)page, 0))
		_exit(1);
	_exit(wait_tasks(fd, 0) || read_records(fd, &record, 1) != 1 || record.status);
}

/*
 * If a task acts for a process of another cgroup and reads a disk at the limit io.max of that
 * cgroup, it waits. The next task of the worker does not wait. Under policy "run", another process
 * that submits a task cannot run it: the task gets -EPERM. No reference to the cgroup is left.
 */
TEST_F(cgroup, io_on_behalf)
{
	struct pool *slow = &self->pool[0], *other = &self->pool[1];
	const char *why = disks_load(self->group[0]);
	long long dying = group_figure(CGROUPS, "cgroup.stat", "nr_dying_subsys_io");
	struct wpool_dev_record record;
	pid_t client;
	char *map;
	int fd;

	if (why)
		SKIP(return, "%s", why);
	map = disk_map(0, MAP_PRIVATE);
	EXPECT_NE(MAP_FAILED, map);
	EXPECT_EQ(0, group_write(self->group[0], "io.max", "7:0 rbps=2"));
	EXPECT_EQ(0, pool_create_in(slow, self->group[1], 1));
	EXPECT_EQ(0, pool_create_in(other, self->group[1], 1));
	EXPECT_EQ(0, group_init_flags(other->fd, 1, WPOOL_DEV_GROUP_MM));
	fd = pool_attach(slow->name, 0);
	client = fork();
	if (!client)
		count_for_group(fd, self->group[0], map);
	EXPECT_TRUE(WAIT_FOR(pool_figure(slow->fd, busy) == 1));
	EXPECT_EQ(0, count_pages(other, map + DISK_BYTES / 2, 1));
	EXPECT_TRUE(all_have_status(other->fd, 1, 0));
	EXPECT_EQ(1, pool_figure(slow->fd, outstanding));
	EXPECT_GE(0, group_figure(self->group[0], "io.stat", "rbytes"));
	EXPECT_EQ(0, group_write(self->group[0], "io.max", "7:0 rbps=max"));
	EXPECT_EQ(0, child_end(client));
	EXPECT_LE(4096, group_figure(self->group[0], "io.stat", "rbytes"));

	EXPECT_EQ(0, group_write(self->group[0], "io.max", "7:0 rbps=2"));
	EXPECT_EQ(0, group_init_flags(slow->fd, 1, WPOOL_DEV_GROUP_MM));
	EXPECT_EQ(0, count_pages(slow, map + DISK_BYTES / 4, 1));
	EXPECT_TRUE(all_have_status(slow->fd, 1, 0));
	EXPECT_EQ(0, group_write(self->group[0], "io.max", "7:0 rbps=max"));

	close(fd);
	pool_end(slow);
	EXPECT_EQ(0, pool_create(slow, ATTRS(.capacity = 1, .policy = WPOOL_DEV_POLICY_RUN)));
	fd = pool_attach(slow->name, 0);
	EXPECT_EQ(0, submit(slow->fd, WPOOL_WORK_SLEEP, LONG, 0));
	client = fork();
	if (!client)
		_exit(group_write(self->group[0], "cgroup.procs", "0") ||
		      group_init_flags(fd, 1, WPOOL_DEV_GROUP_BLKCG) ||
		      submit(fd, WPOOL_WORK_NOOP, 0, 0) ||
		      read_records(fd, &record, 1) != 1 || record.status);
	EXPECT_EQ(0, child_end(client));
	EXPECT_EQ(0, submit(fd, WPOOL_WORK_NOOP, 0, 0));
	EXPECT_TRUE(all_have_status(fd, 1, -EPERM));
	close(fd);
	EXPECT_EQ(0, cancel_all(slow->fd));
	EXPECT_EQ(0, disk_unmap(0, map));
	EXPECT_TRUE(disks_unload());
	EXPECT_EQ(0, rmdir(self->group[0]));
	EXPECT_TRUE(WAIT_FOR(group_figure(CGROUPS, "cgroup.stat", "nr_dying_subsys_io") <= dying));
}

/* Bytes of @group's memory that are not yet on a disk. Reading them makes the kernel count them. */
static long long unwritten(const char *group)
{
	return group_figure(group, "memory.stat", "file_dirty") +
	       group_figure(group, "memory.stat", "file_writeback");
}

/*
 * If too much memory of a pool's cgroup is unwritten, a task that writes to pages of a disk waits:
 * at the limit io.max until the limit is lifted. Workers bring the pages into memory, so the kernel
 * writes them to the disk at the cost of that cgroup. The tasks of another pool, which has a disk
 * of its own, do not wait.
 */
TEST_F(cgroup, io_write)
{
	const int half = DISK_PAGES / 2;
	struct pool *slow = &self->pool[0], *other = &self->pool[1];
	const char *why;
	char *map[2], limit[16];
	int i;

	if (!has_memory(self->group[0]))
		SKIP(return, "no memory cgroups of version 2");
	why = disks_load(self->group[0]);
	if (why)
		SKIP(return, "%s", why);
	for (i = 0; i < 2; i++) {
		map[i] = disk_map(i, MAP_SHARED);
		EXPECT_NE(MAP_FAILED, map[i]);
		snprintf(limit, sizeof(limit), "7:%d wbps=2", i);
		EXPECT_EQ(0, group_write(self->group[0], "io.max", limit));
		EXPECT_EQ(0, pool_create_in(&self->pool[i], self->group[i], 1));
		EXPECT_EQ(0, group_init_flags(self->pool[i].fd, WPOOL_DEV_UNLIMITED,
					      WPOOL_DEV_GROUP_MM));
		EXPECT_EQ(0, count_pages(&self->pool[i], map[i], half));
		EXPECT_TRUE(all_have_status(self->pool[i].fd, half, 0));
	}
	EXPECT_TRUE(WAIT_FOR(unwritten(self->group[0]) >= half * 3072));
	for (i = 0; i < 2; i++) {
		/* a fifth of this may be unwritten, which is less than the half of the disk */
		EXPECT_EQ(0, group_write(self->group[i], "memory.max", "12582912"));
		EXPECT_EQ(0, count_pages(&self->pool[i], map[i] + DISK_BYTES / 2, half));
	}
	EXPECT_TRUE(all_have_status(other->fd, half, 0));
	EXPECT_EQ(0, msync(map[1], DISK_BYTES, MS_SYNC));
	EXPECT_LE(DISK_BYTES, group_figure(self->group[1], "io.stat", "wbytes"));
	EXPECT_LT(0, pool_figure(slow->fd, outstanding));
	EXPECT_GE(0, group_figure(self->group[0], "io.stat", "wbytes"));
	EXPECT_EQ(0, group_write(self->group[0], "io.max", "7:0 wbps=max"));
	EXPECT_TRUE(all_have_status(slow->fd, half, 0));
	EXPECT_EQ(0, msync(map[0], DISK_BYTES, MS_SYNC));
	EXPECT_LE(DISK_BYTES, group_figure(self->group[0], "io.stat", "wbytes"));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, disk_unmap(i, map[i]));
	EXPECT_TRUE(disks_unload());
}

TEST_HARNESS_MAIN
