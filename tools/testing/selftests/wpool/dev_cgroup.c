// SPDX-License-Identifier: GPL-2.0
/*
 * The workers of a pool are in the cgroups of the process that made it, or that wrote to its file
 * in sysfs, or in one that was named there or to /dev/wpool: the time that they use is taken from
 * the share of these. All figures are those that cgroups count.
 */
#include "wpool_test.h"

#include <sys/mount.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#define CGROUPS		"/sys/fs/cgroup"
#define PERIOD_USEC	100000LL
#define NOBODY		65534
#define CPU1		"/sys/devices/system/cpu/cpu1"

FIXTURE(cgroup)
{
	char group[2][64];
	struct pool pool[2];
};

static int group_write(const char *group, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", group, name);
	return file_write(path, text, strlen(text));
}

/* A number behind a word in a file of a cgroup, or -1. */
static long long group_figure(const char *group, const char *name, const char *word)
{
	char path[128], text[4096], *at;

	snprintf(path, sizeof(path), "%s/%s", group, name);
	if (file_read(path, text, sizeof(text)))
		return -1;
	for (at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		if (!strncmp(at, word, strlen(word)) && at[strlen(word)] == ' ')
			return atoll(at + strlen(word));
	return -1;
}

/* The number in a file of a cgroup, or -1. */
static long long group_number(const char *group, const char *name)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), "%s/%s", group, name);
	return file_read(path, text, sizeof(text)) ? -1 : strtoll(text, NULL, 10);
}

/* The status of one touch, by a worker of the pool, for a file that the root has opened. */
static int touch_status(const struct pool *pool, long long bytes)
{
	struct wpool_dev_record record;
	int fd = pool_attach(pool->name, 0), err;

	if (fd < 0)
		return fd;
	err = submit(fd, WPOOL_WORK_TOUCH, bytes, 0);
	if (!err)
		err = read_records(fd, &record, 1) == 1 ? record.status : -EIO;
	close(fd);
	return err;
}

/* By a member of the cgroup, which leaves it afterwards. */
static int pool_create_in(struct pool *pool, const char *group, __u32 capacity)
{
	const struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_QUEUE_DEPTH,
		.capacity = capacity,
		.queue_depth = WPOOL_DEV_UNLIMITED,
	};
	int err = group_write(group, "cgroup.procs", "0");

	err = err ?: pool_create(pool, &attrs);
	return group_write(CGROUPS, "cgroup.procs", "0") ?: err;
}

/* Of another user than root, who cannot open the device, in the cgroup. */
static int pool_create_as(struct pool *pool, uid_t uid, const char *group)
{
	int err = group_write(group, "cgroup.procs", "0");

	pool_name(pool->name);
	pool->fd = open(DEV, O_RDWR | O_CLOEXEC);
	err = err ?: seteuid(uid);
	err = err ?: pool_create_fd(pool->fd, pool->name, ATTRS(.capacity = 1));
	return seteuid(0) ?: group_write(CGROUPS, "cgroup.procs", "0") ?: err;
}

static int cgroup_write_in(const struct pool *pool, const char *group, const char *text)
{
	int err = group_write(group, "cgroup.procs", "0");

	err = err ?: attr_write(pool->name, "cgroup", text);
	return group_write(CGROUPS, "cgroup.procs", "0") ?: err;
}

/* That many workers, all of them in the cgroup, which may be CGROUPS. */
static bool workers_are_in(const struct pool *pool, int nr, const char *group)
{
	char name[80], path[64], text[256], want[80];
	pid_t pids[16];
	int i, got;

	snprintf(name, sizeof(name), "wp/%s", pool->name);
	snprintf(want, sizeof(want), "0::%s\n",
		 strcmp(group, CGROUPS) ? group + strlen(CGROUPS) : "/");
	got = threads_named(name, pids, 16);
	for (i = 0; i < got; i++) {
		snprintf(path, sizeof(path), "/proc/%d/cgroup", pids[i]);
		if (file_read(path, text, sizeof(text)) || !strstr(text, want))
			return false;
	}
	return got == nr;
}

/* That many threads, workers and the rescuer, all of which have come to rest. */
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

FIXTURE_SETUP(cgroup)
{
	int i;

	self->pool[0].fd = -1;
	self->pool[1].fd = -1;
	if (mount("none", CGROUPS, "cgroup2", 0, NULL) && errno != EBUSY)
		SKIP(return, "this kernel has no cgroups");
	group_write(CGROUPS, "cgroup.subtree_control", "+cpu");
	group_write(CGROUPS, "cgroup.subtree_control", "+cpuset");
	for (i = 0; i < 2; i++) {
		snprintf(self->group[i], sizeof(self->group[i]), CGROUPS "/wp%d.%d", i, getpid());
		ASSERT_EQ(0, mkdir(self->group[i], 0755));
	}
}

FIXTURE_TEARDOWN(cgroup)
{
	int i;

	group_write(CGROUPS, "cgroup.procs", "0");
	for (i = 0; i < 2; i++) {
		pool_end(&self->pool[i]);
		/* the threads of the pool are gone, or about to go */
		EXPECT_TRUE(WAIT_FOR(!rmdir(self->group[i]) || errno == ENOENT));
	}
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

/* The count of changes wraps, which on kernels with KUnit is where we say. */
TEST_F(cgroup, after_65536_changes)
{
	int err = file_write("/sys/module/wpool/parameters/inject_start", "0xffff", 6);

	if (err == -ENOENT)
		SKIP(return, "this kernel has no KUnit");
	ASSERT_EQ(0, err);
	err = pool_create_in(&self->pool[0], self->group[0], 4);
	ASSERT_EQ(0, file_write("/sys/module/wpool/parameters/inject_start", "0", 1));
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, submit_many(self->pool[0].fd, WPOOL_WORK_SLEEP, LONG, 0, 4));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(&self->pool[0], 4, self->group[0])));
}

TEST_F(cgroup, bad_values)
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

/* ---- a cgroup by its path, or by a file ---- */

static int cgroup_by_fd(int fd, int dir)
{
	struct wpool_dev_cgroup cgroup = { .size = sizeof(cgroup), .fd = dir };

	return ioctl(fd, WPOOL_IOC_CGROUP, &cgroup) ? -errno : 0;
}

/* By a path, and by a file if that can be opened; both must give the same. */
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
	const char *in;		/* the cgroup that this process is in */
	uid_t uid;
	bool new_namespace;	/* of cgroups: it sees no other than @in, and what is below */
};

/* What such a process gets that names the cgroup. @dir: an open file, for BY_FD */
static int cgroup_by_process(const struct pool *pool, struct who who, enum by how,
			     const char *path, int dir)
{
	int status, err;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
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
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -EPROTO;
	return -WEXITSTATUS(status);
}

TEST_F(cgroup, by_path)
{
	struct pool *pool = &self->pool[0];
	char path[80], link[64];

	ASSERT_EQ(0, pool_create_in(pool, CGROUPS, 2));
	ASSERT_EQ(0, attr_write(pool->name, "expiry_ms", "0"));
	ASSERT_EQ(0, submit_many(pool->fd, WPOOL_WORK_SLEEP, MSEC, 0, 2));
	EXPECT_EQ(0, attr_write(pool->name, "cgroup", self->group[0]));
	EXPECT_TRUE(cgroup_is(pool, self->group[0]));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 2, self->group[0])));
	/* as echo writes it, and not the shortest way */
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
	/* the cgroup is in use as if a process of it had written */
	EXPECT_EQ(0, cgroup_by_both(pool, self->group[1]));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 2, self->group[1])));
	EXPECT_TRUE(rmdir(self->group[1]) && errno == EBUSY);
	/* this process has not moved */
	EXPECT_EQ(0, file_read("/proc/self/cgroup", path, sizeof(path)));
	EXPECT_TRUE(strstr(path, "0::/\n"));
}

TEST_F(cgroup, by_bad_path)
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
	/* one that hands memory on to cgroups below takes no threads */
	group_write(CGROUPS, "cgroup.subtree_control", "+memory");
	if (!group_write(self->group[0], "cgroup.subtree_control", "+memory")) {
		EXPECT_EQ(-EBUSY, cgroup_by_both(pool, self->group[0]));
		ASSERT_EQ(0, group_write(self->group[0], "cgroup.subtree_control", "-memory"));
	}
	/* one that is removed meanwhile */
	snprintf(below, sizeof(below), "%s/below", self->group[0]);
	ASSERT_EQ(0, mkdir(below, 0755));
	dir = open(below, O_PATH | O_CLOEXEC);
	ASSERT_LE(0, dir);
	ASSERT_EQ(0, rmdir(below));
	EXPECT_EQ(-ENOENT, cgroup_by_fd(pool->fd, dir));
	close(dir);
	/* the kernel must not write to a file that is mounted there */
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
	EXPECT_TRUE(cgroup_is(pool, self->group[1]));
}

/* A user may do with a pool what it may do with itself. */
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
	/* root's cgroups */
	EXPECT_EQ(-EACCES, cgroup_by_process(pool, in_root, BY_PATH, self->group[0], -1));
	EXPECT_EQ(-EACCES, cgroup_by_process(pool, in_own, BY_PATH, below, -1));
	/* from here on one is the user's */
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/cgroup.procs", i ? below : self->group[0]);
		ASSERT_EQ(0, chown(path, NOBODY, -1));
	}
	/* but not the way there from the root, nor the way out */
	EXPECT_EQ(-EACCES, cgroup_by_process(pool, in_root, BY_PATH, self->group[0], -1));
	EXPECT_EQ(-EACCES, cgroup_by_process(pool, in_own, BY_PATH, self->group[1], -1));
	EXPECT_EQ(-EACCES, cgroup_by_process(pool, in_own, BY_PATH, CGROUPS, -1));
	EXPECT_TRUE(cgroup_is(pool, "none"));
	EXPECT_EQ(0, cgroup_by_process(pool, in_own, BY_PATH, below, -1));
	EXPECT_TRUE(cgroup_is(pool, below));
	EXPECT_EQ(0, cgroup_by_process(pool, in_own, BY_PATH, self->group[0], -1));
	EXPECT_TRUE(cgroup_is(pool, self->group[0]));
	/* by a file, that root has opened: of root's pool, of the user's own */
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

/* Where namespaces are boundaries, nobody leaves its own, whatever it can see in a mount. */
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

/* ---- a pool in use ---- */

/* Idle workers at once, and those in a task when that has ended. */
TEST_F(cgroup, changes_while_in_use)
{
	struct pool *pool = &self->pool[0];

	ASSERT_EQ(0, pool_create_in(pool, self->group[0], 2));
	ASSERT_EQ(0, attr_write(pool->name, "expiry_ms", "0"));
	ASSERT_EQ(0, submit_many(pool->fd, WPOOL_WORK_SLEEP, LONG, 0, 2));
	/* one that has not got to its task would follow at once */
	ASSERT_TRUE(WAIT_FOR(attr_number(pool->name, "busy") == 2));
	EXPECT_TRUE(workers_are_in(pool, 2, self->group[0]));
	ASSERT_EQ(0, cgroup_write_in(pool, self->group[1], "0"));
	EXPECT_TRUE(cgroup_is(pool, self->group[1]));
	EXPECT_TRUE(workers_are_in(pool, 2, self->group[0]));
	EXPECT_TRUE(rmdir(self->group[0]) && errno == EBUSY);
	ASSERT_EQ(0, cancel_all(pool->fd));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 2, self->group[1])));
	EXPECT_TRUE(WAIT_FOR(!rmdir(self->group[0])));
	/* idle by now, or about to be */
	ASSERT_TRUE(WAIT_FOR(attr_number(pool->name, "idle") == 2));
	ASSERT_EQ(0, cgroup_write_in(pool, self->group[1], "none"));
	EXPECT_TRUE(cgroup_is(pool, "none"));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 2, CGROUPS)));
	EXPECT_TRUE(WAIT_FOR(!rmdir(self->group[1])));
	EXPECT_EQ(0, submit(pool->fd, WPOOL_WORK_NOOP, 0, 0));
	EXPECT_EQ(0, wait_tasks(pool->fd, WAIT_NS));
}

/* The worker in reserve is no worker, but must not keep a cgroup. */
TEST_F(cgroup, the_rescuer_follows)
{
	struct pool *pool = &self->pool[0];

	ASSERT_EQ(0, pool_create_in(pool, self->group[0], 2));
	ASSERT_EQ(0, attr_write(pool->name, "reclaim", "1"));
	/* on its way there it would look by itself */
	ASSERT_TRUE(WAIT_FOR(threads_rest(pool, attr_number(pool->name, "workers") + 1)));
	ASSERT_EQ(0, attr_write(pool->name, "cgroup", "none"));
	EXPECT_TRUE(WAIT_FOR(!rmdir(self->group[0])));
}

#define INSTANCE	"/sys/kernel/tracing/instances/wpool-cgroup"
#define ATTACHES	INSTANCE "/events/cgroup/cgroup_attach_task"
/* threads of wpool that a kworker attaches */
#define BY_KWORKER	"comm ~ \"wp*\" && COMM ~ \"kworker/*\""

/*
 * A kworker is never out of quota. A thread in a cgroup without quota would keep the kernel's locks
 * for all cgroups, for forks and for CPU hotplug until the next period.
 */
TEST_F(cgroup, kworkers_attach_all_threads)
{
	struct pool *pool = &self->pool[0];
	char line[512];
	FILE *trace;
	int nr = 0;

	if (mkdir(INSTANCE, 0700))
		SKIP(return, "no instances of the trace");
	EXPECT_EQ(0, file_write(ATTACHES "/filter", BY_KWORKER, strlen(BY_KWORKER)));
	EXPECT_EQ(0, file_write(ATTACHES "/enable", "1", 1));
	/* an anchor and two workers; then another anchor, which the workers follow */
	EXPECT_EQ(0, pool_create_in(pool, self->group[0], 2));
	EXPECT_EQ(0, attr_write(pool->name, "expiry_ms", "0"));
	EXPECT_EQ(0, occupy(pool->fd, 0, 2));
	EXPECT_EQ(0, cancel_all(pool->fd));
	EXPECT_EQ(0, attr_write(pool->name, "cgroup", self->group[1]));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 2, self->group[1])));
	trace = fopen(INSTANCE "/trace", "r");
	while (trace && fgets(line, sizeof(line), trace))
		nr += line[0] != '#';
	/* cgroups of version 1 add others */
	EXPECT_LE(6, nr);
	if (trace)
		fclose(trace);
	EXPECT_EQ(0, rmdir(INSTANCE));
}

TEST_F(cgroup, is_in_use_until_the_pool_ends)
{
	ASSERT_EQ(0, pool_create_in(&self->pool[0], self->group[0], 1));
	EXPECT_TRUE(rmdir(self->group[0]) && errno == EBUSY);
	pool_end(&self->pool[0]);
	EXPECT_TRUE(WAIT_FOR(!rmdir(self->group[0])));
}

/* Two pools on one CPU share it as their cgroups' weights say. */
TEST_F(cgroup, weight)
{
	static const char *const weights[] = { "100", "300" };
	long long used[2], begun[2];
	double ratio;
	int i;

	for (i = 0; i < 2; i++) {
		if (group_write(self->group[i], "cpu.weight", weights[i]))
			SKIP(return, "this kernel has no cpu controller");
		ASSERT_EQ(0, pool_create_in(&self->pool[i], self->group[i], 1));
		ASSERT_EQ(0, attr_write(self->pool[i].name, "cpumask", "0"));
		ASSERT_EQ(0, submit(self->pool[i].fd, WPOOL_WORK_SPIN, LONG, 0));
	}
	/* from when both are at it */
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

/* Is this Linux that, or a later one? */
static bool is_linux(int major, int minor)
{
	struct utsname name;
	int have[2];

	return !uname(&name) && sscanf(name.release, "%d.%d", &have[0], &have[1]) == 2 &&
	       (have[0] > major || (have[0] == major && have[1] >= minor));
}

/* A quota for the first cgroup; false if this kernel has none that holds. */
static bool set_quota(const char *group, const char *quota)
{
	/* since Linux 6.18 a thread waits only on the way back to user space */
	return !group_write(group, "cpu.max", quota) && !is_linux(6, 18);
}

static bool is_throttled_again(const char *group)
{
	long long before = group_figure(group, "cpu.stat", "nr_throttled");

	return WAIT_FOR(group_figure(group, "cpu.stat", "nr_throttled") > before);
}

/* What it used of that many periods, or some more, in per cent of one CPU. */
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

/* Of two CPUs' work it gets a fifth of one. */
TEST_F(cgroup, quota)
{
	struct pool *slow = &self->pool[0];
	double percent;
	int i;

	if (!set_quota(self->group[0], "20000 100000"))
		SKIP(return, "this kernel has no quota for threads of the kernel");
	ASSERT_EQ(0, pool_create_in(slow, self->group[0], 2));
	ASSERT_EQ(0, submit_many(slow->fd, WPOOL_WORK_SPIN, LONG, 0, 2));
	ASSERT_TRUE(is_throttled_again(self->group[0]));
	/* a machine that stands still counts as used what it repays later, and misses periods */
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

/* Other pools, their joins and their ends, and CPU hotplug do not wait for a throttled worker. */
TEST_F(cgroup, throttled_beside_others)
{
	struct pool *slow = &self->pool[0], *other = &self->pool[1];
	int i, cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (!set_quota(self->group[0], "20000 100000"))
		SKIP(return, "this kernel has no quota for threads of the kernel");
	ASSERT_EQ(0, pool_create_in(slow, self->group[0], cpus));
	ASSERT_EQ(0, submit_many(slow->fd, WPOOL_WORK_SPIN, LONG, 0, cpus));
	ASSERT_TRUE(is_throttled_again(self->group[0]));
	/* beside it, with workers that are made now, and one that is in the other cgroup */
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

/* A cpuset takes the workers; which CPUs they use is the pool's own. */
TEST_F(cgroup, cpuset)
{
	struct wpool_dev_record record;
	struct pool *pool = &self->pool[0];
	int i;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs 2 CPUs");
	for (i = 0; i < 2; i++)
		if (group_write(self->group[i], "cpuset.cpus", "0"))
			SKIP(return, "this kernel has no cpuset controller");
	ASSERT_EQ(0, pool_create_in(pool, self->group[0], 1));
	ASSERT_EQ(0, attr_write(pool->name, "expiry_ms", "0"));
	ASSERT_EQ(0, attr_write(pool->name, "cpumask", "1"));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, submit(pool->fd, WPOOL_WORK_NOOP, 0, 0));
		ASSERT_EQ(1, read_records(pool->fd, &record, 1));
		EXPECT_EQ(0, record.status);
		EXPECT_EQ(1, record.cpu);
		EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 1, self->group[i])));
		if (!i) {
			ASSERT_EQ(0, cgroup_write_in(pool, self->group[1], "0"));
			EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 1, self->group[1])));
		}
	}
}

/* Though a user may attach no thread of root to a cpuset. */
TEST_F(cgroup, cpuset_of_a_user)
{
	struct pool *pool = &self->pool[0];

	if (group_write(self->group[0], "cpuset.cpus", "0"))
		SKIP(return, "this kernel has no cpuset controller");
	ASSERT_EQ(0, pool_create_as(pool, NOBODY, self->group[0]));
	EXPECT_TRUE(cgroup_is(pool, self->group[0]));
	ASSERT_EQ(0, submit(pool->fd, WPOOL_WORK_SLEEP, LONG, 0));
	EXPECT_TRUE(WAIT_FOR(workers_are_in(pool, 1, self->group[0])));
}

static bool has_memory(const char *group)
{
	group_write(CGROUPS, "cgroup.subtree_control", "+memory");
	return group_number(group, "memory.peak") >= 0;
}

TEST_F(cgroup, memory)
{
	const long long bytes = WPOOL_MAX_WORK_BYTES;
	struct pool *pool = &self->pool[0];
	int i;

	if (!has_memory(self->group[0]))
		SKIP(return, "this kernel has no memory cgroups of version 2");
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
	/* beyond the limit of the cgroup, then back in the root */
	ASSERT_EQ(0, group_write(self->group[1], "memory.max", "16777216"));
	EXPECT_EQ(-ENOMEM, touch_status(pool, bytes));
	ASSERT_EQ(0, attr_write(pool->name, "cgroup", "none"));
	EXPECT_EQ(0, touch_status(pool, bytes));
}

/* At the limit a touch fails, and neither a member of the cgroup nor another process is killed. */
TEST_F(cgroup, memory_max)
{
	struct pool *pool = &self->pool[0];

	if (!has_memory(self->group[0]))
		SKIP(return, "this kernel has no memory cgroups of version 2");
	ASSERT_EQ(0, pool_create_in(pool, self->group[0], 1));
	ASSERT_EQ(0, group_write(self->group[0], "memory.max", "16777216"));
	EXPECT_EQ(-ENOMEM, touch_status(pool, WPOOL_MAX_WORK_BYTES));
	EXPECT_EQ(0, touch_status(pool, 1024 * 1024));
	EXPECT_EQ(0, group_figure(self->group[0], "memory.events", "oom_kill"));
	EXPECT_EQ(0, group_figure(self->group[1], "memory.events", "oom_kill"));
}

/* Touches more memory of its own than its cgroup may have, by tasks. Does not return. */
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

/* The OOM killer, called by a worker, kills a process of that cgroup, and no other one. */
TEST_F(cgroup, memory_max_of_a_process)
{
	const size_t pages = 8192;
	struct pool *pool = &self->pool[0];
	struct wpool_dev_record record;
	int status, nr[2] = { };
	pid_t victim, bystander;

	if (!has_memory(self->group[0]))
		SKIP(return, "this kernel has no memory cgroups of version 2");
	ASSERT_EQ(0, pool_create_in(pool, self->group[0], 2));
	ASSERT_EQ(0, group_write(self->group[0], "memory.max", "16777216"));
	group_write(self->group[0], "memory.swap.max", "0");
	bystander = fork();
	if (!bystander) {
		group_write(self->group[1], "cgroup.procs", "0");
		for (;;)
			pause();
	}
	victim = fork();
	if (!victim)
		count_in_pages(pool->fd, self->group[0], pages);
	ASSERT_EQ(victim, waitpid(victim, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		TH_LOG("status %x", status);
	EXPECT_LE(1, group_figure(self->group[0], "memory.events", "oom_kill"));
	EXPECT_EQ(0, group_figure(self->group[1], "memory.events", "oom_kill"));
	EXPECT_EQ(0, waitpid(bystander, &status, WNOHANG));
	EXPECT_EQ(0, kill(bystander, SIGKILL));
	EXPECT_EQ(bystander, waitpid(bystander, &status, 0));
	/* its tasks end, and the workers go on */
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

/* The memory cgroup ends when its parent takes the controller away; its workers go on. */
TEST_F(cgroup, memory_is_taken_away)
{
	struct pool *pool = &self->pool[0];

	if (!has_memory(self->group[0]))
		SKIP(return, "this kernel has no memory cgroups of version 2");
	ASSERT_EQ(0, pool_create_in(pool, self->group[0], 1));
	EXPECT_EQ(0, touch_status(pool, 1024 * 1024));
	ASSERT_EQ(0, group_write(CGROUPS, "cgroup.subtree_control", "-memory"));
	EXPECT_EQ(0, touch_status(pool, WPOOL_MAX_WORK_BYTES));
	EXPECT_EQ(0, cgroup_write_in(pool, self->group[1], "0"));
	EXPECT_EQ(0, touch_status(pool, WPOOL_MAX_WORK_BYTES));
}

TEST_HARNESS_MAIN
