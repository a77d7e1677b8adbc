// SPDX-License-Identifier: GPL-2.0
/* What a pool's cgroup does to its tasks: their memory, as cgroups count it. */
#include "cgroup_fixture.h"

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

TEST_HARNESS_MAIN
