// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/wpool charges tasks and pools to the caller's memory cgroup, and the memory of a touch to
 * that of the file's opener or, with WPOOL_DEV_GROUP_MEMCG, of the group's maker. Each test runs in
 * a cgroup of its own, alone.
 */
#include "cgroup_fixture.h"

#define MIB		(1024LL * 1024)
/* The kernel charges memory in advance, for each CPU. */
#define SLACK_PAGES	64

FIXTURE(memcg)
{
	struct pool pool;		/* made in the root cgroup */
	char group[64];
};

static int group_enter(const char *group)
{
	return group_write(group, "cgroup.procs", "0");
}

/* By how many bytes memory.current may differ from what was allocated. */
static long long slack(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) * sysconf(_SC_PAGESIZE) * SLACK_PAGES;
}

FIXTURE_SETUP(memcg)
{
	if (!cgroups_mount())
		SKIP(return, "no cgroups");
	group_write(CGROUPS, "cgroup.subtree_control", "+memory");
	snprintf(self->group, sizeof(self->group), CGROUPS "/wpool.%d", getpid());
	ASSERT_EQ(0, mkdir(self->group, 0755));
	if (group_number(self->group, "memory.peak") < 0) {
		rmdir(self->group);
		SKIP(return, "no memory cgroups of version 2");
	}
	ASSERT_EQ(0, pool_create(&self->pool, ATTRS(.capacity = 1,
						    .queue_depth = WPOOL_DEV_UNLIMITED)));
	ASSERT_EQ(0, group_enter(self->group));
}

FIXTURE_TEARDOWN(memcg)
{
	group_enter(CGROUPS);
	pool_end(&self->pool);
	/* memory that is still charged keeps the memory cgroup, but not its directory */
	rmdir(self->group);
}

/* Queued tasks are charged to the memory cgroup of their submitter. */
TEST_F(memcg, tasks)
{
	const long long nr = 50000, least_each = 128;
	int fd = pool_attach(self->pool.name, 0);
	long long before;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, submit(fd, WPOOL_WORK_SLEEP, LONG, 0));
	before = group_number(self->group, "memory.current");
	ASSERT_EQ(0, submit_many(fd, WPOOL_WORK_NOOP, 0, 1, nr));
	EXPECT_LE(before + nr * least_each - slack(),
		  group_number(self->group, "memory.current"));
	close(fd);
}

/* A touch is charged to the opener of the file, though a worker in the root cgroup allocates. */
TEST_F(memcg, touch)
{
	const long long bytes = WPOOL_MAX_WORK_BYTES;
	int fd = pool_attach(self->pool.name, 0);

	ASSERT_GT(bytes / 2, group_number(self->group, "memory.peak"));
	EXPECT_EQ(0, touch(fd, bytes));
	EXPECT_LE(bytes, group_number(self->group, "memory.peak"));
	/* the worker has freed the memory */
	EXPECT_GT(bytes / 2, group_number(self->group, "memory.current"));
}

/* With WPOOL_DEV_GROUP_MEMCG the maker of the group is charged, not the opener of the file. */
TEST_F(memcg, touch_on_behalf)
{
	const long long bytes = WPOOL_MAX_WORK_BYTES;
	int i, fd;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, group_enter(CGROUPS));
		fd = pool_attach(self->pool.name, 0);
		ASSERT_EQ(0, group_enter(self->group));
		ASSERT_EQ(0, group_init_flags(fd, 1, i ? WPOOL_DEV_GROUP_MEMCG : 0));
		EXPECT_EQ(0, touch(fd, bytes));
		EXPECT_EQ(i, group_number(self->group, "memory.peak") >= bytes);
	}
	EXPECT_GT(bytes / 2, group_number(self->group, "memory.current"));
}

/* If the cgroup is at its limit, the touch fails, and no process is killed. */
TEST_F(memcg, touch_beyond_limit)
{
	int fd = pool_attach(self->pool.name, 0);

	ASSERT_EQ(0, group_write(self->group, "memory.max", "33554432"));
	EXPECT_EQ(-ENOMEM, touch(fd, WPOOL_MAX_WORK_BYTES));
	EXPECT_EQ(0, touch(fd, MIB));
}

/* Returns by how much @nr new pools, whose files are closed, raise memory.current of @group. */
static long long bytes_of_pools(const char *group, unsigned int nr, __u32 latency)
{
	const struct wpool_dev_attrs *attrs = ATTRS(.capacity = 1, .latency = latency);
	long long before = group_number(group, "memory.current"), after;
	struct pool *pools = calloc(nr, sizeof(*pools));
	unsigned int i;

	for (i = 0; pools && i < nr; i++) {
		if (pool_create(&pools[i], attrs))
			break;
		close(pools[i].fd);
	}
	after = group_number(group, "memory.current");
	while (pools && i--) {
		pools[i].fd = pool_attach(pools[i].name, 0);
		pool_end(&pools[i]);
	}
	free(pools);
	return after - before;
}

/*
 * The histograms of a pool with latency=1 take at least 8,000 bytes for each CPU. Other memory,
 * such as that of the files in sysfs, does not depend on latency.
 */
TEST_F(memcg, pools)
{
	const unsigned int nr = 200;
	long long hists = nr * 8000LL * sysconf(_SC_NPROCESSORS_ONLN);
	long long plain = bytes_of_pools(self->group, nr, 0);
	long long bytes = bytes_of_pools(self->group, nr, 1);

	TH_LOG("%lld bytes for a pool, %lld for one that measures", plain / nr, bytes / nr);
	EXPECT_LE(plain + hists - 2 * slack(), bytes);
}

TEST_HARNESS_MAIN
