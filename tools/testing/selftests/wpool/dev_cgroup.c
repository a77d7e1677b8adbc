// SPDX-License-Identifier: GPL-2.0
/*
 * The workers of a pool are in the cgroups of the process that made the pool or wrote "0" to the
 * pool's file cgroup, or in the cgroup that was written to this file or given to WPOOL_IOC_CGROUP.
 * dev_cgroup_cpu.c, dev_cgroup_memory.c and dev_cgroup_io.c test what cgroups do to tasks.
 */
#include "cgroup_fixture.h"

#define NOBODY		65534

/* Create a pool in @group as user @uid. Root opens the device: the user may not. */
static int pool_create_as(struct pool *pool, uid_t uid, const char *group)
{
	int err = group_write(group, "cgroup.procs", "0");

	pool_name(pool->name);
	pool->fd = open(DEV, O_RDWR | O_CLOEXEC);
	err = err ?: seteuid(uid);
	err = err ?: pool_create_fd(pool->fd, pool->name, ATTRS(.capacity = 1));
	return seteuid(0) ?: group_write(CGROUPS, "cgroup.procs", "0") ?: err;
}

/* Does the pool have @nr threads, including the rescuer, and do all of them sleep? */
static bool threads_rest(const struct pool *pool, int nr)
{
	char name[80], state[32];
	pid_t pids[16];
	int i, got;

	snprintf(name, sizeof(name), "wp/%s", pool->name);
	got = threads_named(name, pids, 16);
	for (i = 0; i < got; i++)
		if (thread_status(pids[i], "State", state, sizeof(state)) || state[0] != 'I')
			return false;
	return got == nr;
}

static bool cgroup_is(const struct pool *pool, const char *group)
{
	char text[256];

	return !attr_read(pool->name, "cgroup", text, sizeof(text)) &&
	       !strcmp(text, group + (strcmp(group, "none") ? strlen(CGROUPS) : 0));
}

/* A kernel without cgroups refuses "0" and a path, and the file says "none". */
TEST(without_cgroups)
{
	struct pool pool;

	if (cgroups_mount())
		SKIP(return, "the kernel has cgroups");
	ASSERT_EQ(0, pool_create(&pool, ATTRS(.capacity = 1)));
	EXPECT_EQ(-EOPNOTSUPP, attr_write(pool.name, "cgroup", "0"));
	EXPECT_NE(0, attr_write(pool.name, "cgroup", CGROUPS));
	EXPECT_EQ(0, attr_write(pool.name, "cgroup", "none"));
	EXPECT_TRUE(cgroup_is(&pool, "none"));
	pool_end(&pool);
}

TEST_F(cgroup, is_that_of_who_made_the_pool)
{
	ASSERT_EQ(0, pool_create_in(&self->pool[0], self->group[0], 4));
	EXPECT_TRUE(cgroup_is(&self->pool[0], self->group[0]));
	ASSERT_EQ(0, submit_many(self->pool[0].fd, WPOOL_WORK_SLEEP, LONG, 0, 4));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(&self->pool[0], 4, self->group[0])));
	/* a pool made in the root cgroup has the cgroup "none" */
	ASSERT_EQ(0, pool_create_in(&self->pool[1], CGROUPS, 1));
	EXPECT_TRUE(cgroup_is(&self->pool[1], "none"));
	ASSERT_EQ(0, submit(self->pool[1].fd, WPOOL_WORK_SLEEP, LONG, 0));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(&self->pool[1], 1, CGROUPS)));
}

/*
 * Workers join the cgroup of their pool also when its counter of changes, pool->cgroup_nr, wraps.
 * On kernels with KUnit, inject_start sets the first value of the counter.
 */
TEST_F(cgroup, after_65536_changes)
{
	int err = file_write("/sys/module/wpool/parameters/inject_start", "0xffff", 6);

	if (err == -ENOENT)
		SKIP(return, "no KUnit");
	ASSERT_EQ(0, err);
	err = pool_create_in(&self->pool[0], self->group[0], 4);
	ASSERT_EQ(0, file_write("/sys/module/wpool/parameters/inject_start", "0", 1));
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, submit_many(self->pool[0].fd, WPOOL_WORK_SLEEP, LONG, 0, 4));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(&self->pool[0], 4, self->group[0])));
}

TEST_F(cgroup, bad_values_are_refused_and_change_nothing)
{
	static const char *const bad[] = { "1", "-1", "00", "none0", "sys", "0/" };
	size_t i;

	ASSERT_EQ(0, pool_create_in(&self->pool[0], self->group[0], 1));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, attr_write(self->pool[0].name, "cgroup", bad[i]))
			TH_LOG("value %zu", i);
	}
	EXPECT_TRUE(cgroup_is(&self->pool[0], self->group[0]));
}

static int cgroup_by_fd(int fd, int dir)
{
	struct wpool_dev_cgroup cgroup = { .size = sizeof(cgroup), .fd = dir };

	return ioctl(fd, WPOOL_IOC_CGROUP, &cgroup) ? -errno : 0;
}

/* Set the cgroup by @path, and by a file if @path can be opened. -EPROTO: the results differ. */
static int cgroup_by_both(const struct pool *pool, const char *path)
{
	int err = attr_write(pool->name, "cgroup", path), by_fd;
	int dir = open(path, O_PATH | O_CLOEXEC);

	if (dir < 0)
		return err ?: -EPROTO;
	by_fd = cgroup_by_fd(pool->fd, dir);
	close(dir);
	return by_fd == err ? err : -EPROTO;
}

enum by { BY_PATH, BY_FD };

struct who {
	const char *in;		/* the cgroup that the process joins */
	uid_t uid;
	bool new_namespace;	/* the process makes a cgroup namespace with the root @in */
};

/*
 * Set the cgroup by @path or the file @dir, in a child that becomes like @who. -255: the child
 * cannot become so.
 */
static int cgroup_by_process(const struct pool *pool, struct who who, enum by how,
			     const char *path, int dir)
{
	pid_t pid = fork();
	int err;

	if (!pid) {
		err = group_write(who.in, "cgroup.procs", "0");
		if (!err && who.new_namespace && unshare(CLONE_NEWCGROUP))
			err = -errno;
		if (!err && (setgid(who.uid) || setuid(who.uid)))
			err = -errno;
		if (err)
			_exit(255);
		_exit(-(how == BY_FD ? cgroup_by_fd(pool->fd, dir) :
				      attr_write(pool->name, "cgroup", path)));
	}
	return -child_end(pid);
}

TEST_F(cgroup, a_path_moves_the_workers_there)
{
	struct pool *pool = &self->pool[0];
	char path[80], link[64];

	ASSERT_EQ(0, pool_create_in(pool, CGROUPS, 2));
	ASSERT_EQ(0, attr_write(pool->name, "expiry_ms", "0"));
	ASSERT_EQ(0, occupy(pool->fd, 0, 2));
	ASSERT_EQ(0, cancel_all(pool->fd));
	EXPECT_EQ(0, attr_write(pool->name, "cgroup", self->group[0]));
	EXPECT_TRUE(cgroup_is(pool, self->group[0]));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 2, self->group[0])));
	/* a path with a newline, as echo writes it, and not in its shortest form */
	snprintf(path, sizeof(path), CGROUPS "/./%s/\n", self->group[1] + sizeof(CGROUPS));
	EXPECT_EQ(0, attr_write(pool->name, "cgroup", path));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 2, self->group[1])));
	snprintf(link, sizeof(link), P_tmpdir "/cgroup.%d", getpid());
	ASSERT_EQ(0, symlink(self->group[0], link));
	EXPECT_EQ(0, attr_write(pool->name, "cgroup", link));
	EXPECT_EQ(0, unlink(link));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 2, self->group[0])));
	EXPECT_EQ(0, attr_write(pool->name, "cgroup", CGROUPS));
	EXPECT_TRUE(cgroup_is(pool, "none"));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 2, CGROUPS)));
	/* a cgroup that was given to a pool cannot be removed */
	EXPECT_EQ(0, cgroup_by_both(pool, self->group[1]));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 2, self->group[1])));
	EXPECT_TRUE(rmdir(self->group[1]) && errno == EBUSY);
	/* this process has not moved */
	EXPECT_EQ(0, file_read("/proc/self/cgroup", path, sizeof(path)));
	EXPECT_TRUE(strstr(path, "0::/\n"));
}

TEST_F(cgroup, a_bad_path_is_refused_and_changes_nothing)
{
	struct pool *pool = &self->pool[0];
	char path[8192], below[80], plain[64];
	int dir;

	ASSERT_EQ(0, pool_create_in(pool, self->group[1], 1));
	EXPECT_EQ(-EINVAL, attr_write(pool->name, "cgroup", self->group[0] + 1));
	EXPECT_EQ(-EINVAL, attr_write(pool->name, "cgroup", "."));
	EXPECT_EQ(-EINVAL, cgroup_by_both(pool, "/"));
	EXPECT_EQ(-EINVAL, cgroup_by_both(pool, "/sys/fs"));
	EXPECT_EQ(-ENOTDIR, cgroup_by_both(pool, CGROUPS "/cgroup.procs"));
	EXPECT_EQ(-ENOENT, cgroup_by_both(pool, CGROUPS "/none"));
	snprintf(path, sizeof(path), "%s\n\n", self->group[0]);
	EXPECT_EQ(-ENOENT, attr_write(pool->name, "cgroup", path));
	memset(path, '/', sizeof(path) - 1);
	path[sizeof(path) - 1] = 0;
	EXPECT_EQ(-EINVAL, attr_write(pool->name, "cgroup", path));
	EXPECT_EQ(-EBADF, cgroup_by_fd(pool->fd, -1));
	EXPECT_EQ(-EINVAL, cgroup_by_fd(pool->fd, pool->fd));
	/* a cgroup whose children have the memory controller takes no threads */
	group_write(CGROUPS, "cgroup.subtree_control", "+memory");
	if (!group_write(self->group[0], "cgroup.subtree_control", "+memory")) {
		EXPECT_EQ(-EBUSY, cgroup_by_both(pool, self->group[0]));
		ASSERT_EQ(0, group_write(self->group[0], "cgroup.subtree_control", "-memory"));
	}
	/* a cgroup that was removed after the open */
	snprintf(below, sizeof(below), "%s/below", self->group[0]);
	ASSERT_EQ(0, mkdir(below, 0755));
	dir = open(below, O_PATH | O_CLOEXEC);
	ASSERT_LE(0, dir);
	ASSERT_EQ(0, rmdir(below));
	EXPECT_EQ(-ENOENT, cgroup_by_fd(pool->fd, dir));
	close(dir);
	/* wpool must not write to a file that is mounted on cgroup.procs */
	snprintf(plain, sizeof(plain), P_tmpdir "/cgroup.%d", getpid());
	dir = open(plain, O_CREAT | O_RDWR | O_CLOEXEC, 0644);
	ASSERT_LE(0, dir);
	snprintf(below, sizeof(below), "%s/cgroup.procs", self->group[0]);
	ASSERT_EQ(0, mount(plain, below, NULL, MS_BIND, NULL));
	EXPECT_EQ(-EINVAL, cgroup_by_both(pool, self->group[0]));
	EXPECT_EQ(0, umount(below));
	EXPECT_EQ(0, lseek(dir, 0, SEEK_END));
	snprintf(path, sizeof(path), "%s/cgroup.procs", self->group[1]);
	ASSERT_EQ(0, mount(path, below, NULL, MS_BIND, NULL));
	EXPECT_EQ(-EINVAL, cgroup_by_both(pool, self->group[0]));
	EXPECT_EQ(0, umount(below));
	close(dir);
	EXPECT_EQ(0, unlink(plain));
	/* wpool must not open a FIFO mounted on cgroup.procs: the open would wait for a reader */
	ASSERT_EQ(0, mkfifo(plain, 0600));
	ASSERT_EQ(0, mount(plain, below, NULL, MS_BIND, NULL));
	EXPECT_EQ(-EINVAL, cgroup_by_both(pool, self->group[0]));
	EXPECT_EQ(0, umount(below));
	EXPECT_EQ(0, unlink(plain));
	EXPECT_TRUE(cgroup_is(pool, self->group[1]));
}

/* A user may move a pool to a cgroup if it may move itself there. */
TEST_F(cgroup, by_path_of_a_user)
{
	const struct who in_root = { CGROUPS, NOBODY, false };
	const struct who in_own = { self->group[0], NOBODY, false };
	struct pool *pool = &self->pool[0];
	char path[128], below[80];
	int i, dirs[3];

	ASSERT_EQ(0, pool_create_in(pool, CGROUPS, 1));
	attr_path(path, sizeof(path), pool->name, "cgroup");
	ASSERT_EQ(0, chown(path, NOBODY, -1));
	snprintf(below, sizeof(below), "%s/below", self->group[0]);
	ASSERT_EQ(0, mkdir(below, 0755));
	dirs[0] = open(self->group[0], O_PATH | O_CLOEXEC);
	dirs[1] = open(self->group[1], O_PATH | O_CLOEXEC);
	dirs[2] = open(below, O_PATH | O_CLOEXEC);
	/* the cgroups are owned by root */
	EXPECT_EQ(-EACCES, cgroup_by_process(pool, in_root, BY_PATH, self->group[0], -1));
	EXPECT_EQ(-EACCES, cgroup_by_process(pool, in_own, BY_PATH, below, -1));
	/* from here on the user owns group[0] and below */
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/cgroup.procs", i ? below : self->group[0]);
		ASSERT_EQ(0, chown(path, NOBODY, -1));
	}
	/* the user may not move the pool from the root to group[0], or out of group[0] */
	EXPECT_EQ(-EACCES, cgroup_by_process(pool, in_root, BY_PATH, self->group[0], -1));
	EXPECT_EQ(-EACCES, cgroup_by_process(pool, in_own, BY_PATH, self->group[1], -1));
	EXPECT_EQ(-EACCES, cgroup_by_process(pool, in_own, BY_PATH, CGROUPS, -1));
	EXPECT_TRUE(cgroup_is(pool, "none"));
	EXPECT_EQ(0, cgroup_by_process(pool, in_own, BY_PATH, below, -1));
	EXPECT_TRUE(cgroup_is(pool, below));
	EXPECT_EQ(0, cgroup_by_process(pool, in_own, BY_PATH, self->group[0], -1));
	EXPECT_TRUE(cgroup_is(pool, self->group[0]));
	/* name the cgroup by a file that root has opened: for root's pool, then for the user's */
	EXPECT_EQ(-EPERM, cgroup_by_process(pool, in_own, BY_FD, NULL, dirs[2]));
	ASSERT_EQ(0, pool_create_as(&self->pool[1], NOBODY, CGROUPS));
	pool = &self->pool[1];
	EXPECT_EQ(-EACCES, cgroup_by_process(pool, in_root, BY_FD, NULL, dirs[0]));
	EXPECT_EQ(-EACCES, cgroup_by_process(pool, in_own, BY_FD, NULL, dirs[1]));
	EXPECT_TRUE(cgroup_is(pool, "none"));
	EXPECT_EQ(0, cgroup_by_process(pool, in_own, BY_FD, NULL, dirs[2]));
	EXPECT_TRUE(cgroup_is(pool, below));
	EXPECT_EQ(0, cgroup_by_process(pool, in_own, BY_FD, NULL, dirs[0]));
	for (i = 0; i < 3; i++)
		close(dirs[i]);
	pool_end(pool);
	EXPECT_TRUE(WAIT_FOR(!rmdir(below)));
}

/*
 * With nsdelegate a process cannot give a pool a cgroup outside the process's namespace, by a path
 * or a file.
 */
TEST_F(cgroup, by_path_from_a_namespace)
{
	const struct who who = { self->group[0], 0, true };
	struct pool *pool = &self->pool[0];
	char below[80];
	int dir = open(self->group[1], O_PATH | O_CLOEXEC);

	ASSERT_EQ(0, pool_create_in(pool, CGROUPS, 1));
	snprintf(below, sizeof(below), "%s/below", self->group[0]);
	ASSERT_EQ(0, mkdir(below, 0755));
	ASSERT_EQ(0, mount("none", CGROUPS, NULL, MS_REMOUNT, "nsdelegate"));
	EXPECT_EQ(-ENOENT, cgroup_by_process(pool, who, BY_PATH, self->group[1], -1));
	EXPECT_EQ(-ENOENT, cgroup_by_process(pool, who, BY_FD, NULL, dir));
	EXPECT_EQ(-ENOENT, cgroup_by_process(pool, who, BY_PATH, CGROUPS, -1));
	EXPECT_TRUE(cgroup_is(pool, "none"));
	EXPECT_EQ(0, cgroup_by_process(pool, who, BY_PATH, below, -1));
	EXPECT_TRUE(cgroup_is(pool, below));
	ASSERT_EQ(0, mount("none", CGROUPS, NULL, MS_REMOUNT, ""));
	close(dir);
	pool_end(pool);
	EXPECT_TRUE(WAIT_FOR(!rmdir(below)));
}

/* A user's pool can be in a cpuset, though the user may not attach root's threads to a cpuset. */
TEST_F(cgroup, cpuset_of_a_user)
{
	struct pool *pool = &self->pool[0];

	if (group_write(self->group[0], "cpuset.cpus", "0"))
		SKIP(return, "no cpuset controller");
	ASSERT_EQ(0, pool_create_as(pool, NOBODY, self->group[0]));
	EXPECT_TRUE(cgroup_is(pool, self->group[0]));
	ASSERT_EQ(0, submit(pool->fd, WPOOL_WORK_SLEEP, LONG, 0));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 1, self->group[0])));
}

/* A pool in a cgroup does not keep the parent cgroup from switching cpuset off and on. */
TEST_F(cgroup, cpuset_comes_and_goes)
{
	struct pool *pool = &self->pool[0];
	int i;

	ASSERT_EQ(0, pool_create_in(pool, CGROUPS, 1));
	for (i = 0; i < 2; i++) {
		if (group_write(self->group[i], "cpuset.cpus", "0"))
			SKIP(return, "no cpuset controller");
		/* a new worker joins the cgroup in the first round, and moves in the second */
		ASSERT_EQ(0, cgroup_write_in(pool, self->group[i], "0"));
		EXPECT_EQ(0, run_one(pool->fd));
		EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 1, self->group[i])));
		EXPECT_EQ(0, group_write(CGROUPS, "cgroup.subtree_control", "-cpuset"));
		EXPECT_EQ(0, run_one(pool->fd));
		EXPECT_EQ(0, group_write(CGROUPS, "cgroup.subtree_control", "+cpuset"));
		EXPECT_EQ(0, run_one(pool->fd));
	}
}

/* Idle workers move at once, busy workers after their tasks. */
TEST_F(cgroup, changes_while_in_use)
{
	struct pool *pool = &self->pool[0];

	ASSERT_EQ(0, pool_create_in(pool, self->group[0], 2));
	ASSERT_EQ(0, attr_write(pool->name, "expiry_ms", "0"));
	ASSERT_EQ(0, submit_many(pool->fd, WPOOL_WORK_SLEEP, LONG, 0, 2));
	/* a worker that is not in its task yet would move at once */
	ASSERT_TRUE(WAIT_FOR(attr_number(pool->name, "busy") == 2));
	EXPECT_TRUE(workers_are_in(pool, 2, self->group[0]));
	ASSERT_EQ(0, cgroup_write_in(pool, self->group[1], "0"));
	EXPECT_TRUE(cgroup_is(pool, self->group[1]));
	EXPECT_TRUE(workers_are_in(pool, 2, self->group[0]));
	EXPECT_TRUE(rmdir(self->group[0]) && errno == EBUSY);
	ASSERT_EQ(0, cancel_all(pool->fd));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 2, self->group[1])));
	EXPECT_TRUE(WAIT_FOR(!rmdir(self->group[0])));
	ASSERT_TRUE(WAIT_FOR(attr_number(pool->name, "idle") == 2));
	ASSERT_EQ(0, cgroup_write_in(pool, self->group[1], "none"));
	EXPECT_TRUE(cgroup_is(pool, "none"));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 2, CGROUPS)));
	EXPECT_TRUE(WAIT_FOR(!rmdir(self->group[1])));
	EXPECT_EQ(0, submit(pool->fd, WPOOL_WORK_NOOP, 0, 0));
	EXPECT_EQ(0, wait_tasks(pool->fd, WAIT_NS));
}

/* The rescuer, which is not counted as a worker, moves, too. */
TEST_F(cgroup, the_rescuer_follows)
{
	struct pool *pool = &self->pool[0];

	ASSERT_EQ(0, pool_create_in(pool, self->group[0], 2));
	ASSERT_EQ(0, attr_write(pool->name, "reclaim", "1"));
	/* a rescuer that still runs would notice the change without a wake-up */
	ASSERT_TRUE(WAIT_FOR(threads_rest(pool, attr_number(pool->name, "workers") + 1)));
	ASSERT_EQ(0, attr_write(pool->name, "cgroup", "none"));
	EXPECT_TRUE(WAIT_FOR(!rmdir(self->group[0])));
}

#define INSTANCE	"/sys/kernel/tracing/instances/wpool-cgroup"
#define ATTACHES	INSTANCE "/events/cgroup/cgroup_attach_task"
/* a filter of events: a kworker attaches a thread of wpool */
#define BY_KWORKER	"comm ~ \"wp*\" && COMM ~ \"kworker/*\""

static int events_traced(void)
{
	FILE *trace = fopen(INSTANCE "/trace", "r");
	char line[512];
	int nr = 0;

	while (trace && fgets(line, sizeof(line), trace))
		nr += line[0] != '#';
	if (trace)
		fclose(trace);
	return nr;
}

/*
 * Kworkers attach all threads of a pool to its cgroup, because kworkers are never throttled. A
 * throttled thread that attaches another one would hold the kernel's locks for all cgroups, forks
 * and CPU hotplug until the next period.
 */
TEST_F(cgroup, kworkers_attach_all_threads)
{
	struct pool *pool = &self->pool[0];

	if (mkdir(INSTANCE, 0700))
		SKIP(return, "no tracepoints");
	EXPECT_EQ(0, file_write(ATTACHES "/filter", BY_KWORKER, strlen(BY_KWORKER)));
	EXPECT_EQ(0, file_write(ATTACHES "/enable", "1", 1));
	/* 3 events: an anchor and two workers join; 3 more: a new anchor joins, the workers move */
	EXPECT_EQ(0, pool_create_in(pool, self->group[0], 2));
	EXPECT_EQ(0, attr_write(pool->name, "expiry_ms", "0"));
	EXPECT_EQ(0, occupy(pool->fd, 0, 2));
	EXPECT_EQ(0, cancel_all(pool->fd));
	EXPECT_EQ(0, attr_write(pool->name, "cgroup", self->group[1]));
	/* cgroup hierarchies of version 1 cause more events */
	EXPECT_TRUE(WAIT_FOR(events_traced() >= 6))
		TH_LOG("%d of 6", events_traced());
	EXPECT_EQ(0, rmdir(INSTANCE));
}

TEST_F(cgroup, is_in_use_until_the_pool_ends)
{
	ASSERT_EQ(0, pool_create_in(&self->pool[0], self->group[0], 1));
	EXPECT_TRUE(rmdir(self->group[0]) && errno == EBUSY);
	pool_end(&self->pool[0]);
	EXPECT_TRUE(WAIT_FOR(!rmdir(self->group[0])));
}

TEST_HARNESS_MAIN
