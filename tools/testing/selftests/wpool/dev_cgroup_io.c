// SPDX-License-Identifier: GPL-2.0
/* What a pool's cgroup does to its tasks: the disks that they use, as cgroups count that. */
#include "cgroup_fixture.h"

#define DISK		"/dev/loop%d"
#define DISK_FILE	P_tmpdir "/wpool-disk%d"
#define DISK_PAGES	2048
#define DISK_BYTES	(DISK_PAGES * 4096)

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
