/* SPDX-License-Identifier: GPL-2.0 */
/* Two cgroups, two pools, and helpers to read and write the files of cgroups. */
#ifndef CGROUP_FIXTURE_H
#define CGROUP_FIXTURE_H

#include "wpool_test.h"

#include <sys/mount.h>

#define CGROUPS		"/sys/fs/cgroup"

/* Mount cgroups, which stay mounted. False if the kernel has none. */
static inline bool cgroups_mount(void)
{
	return !mount("none", CGROUPS, "cgroup2", 0, NULL) || errno == EBUSY;
}

static inline int group_write(const char *group, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", group, name);
	return file_write(path, text, strlen(text));
}

/* The number in the file @name of a cgroup, or -1. */
static inline long long group_number(const char *group, const char *name)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), "%s/%s", group, name);
	return file_read(path, text, sizeof(text)) ? -1 : strtoll(text, NULL, 10);
}

/* Return N of the first "@word N" or "@word=N" in the file @name of a cgroup, or -1. */
static inline long long group_figure(const char *group, const char *name, const char *word)
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

static inline bool has_memory(const char *group)
{
	group_write(CGROUPS, "cgroup.subtree_control", "+memory");
	return group_number(group, "memory.peak") >= 0;
}

static inline int pool_create_in(struct pool *pool, const char *group, __u32 capacity)
{
	int err = group_write(group, "cgroup.procs", "0");

	err = err ?: pool_create(pool, ATTRS(.capacity = capacity,
					     .queue_depth = WPOOL_DEV_UNLIMITED));
	return group_write(CGROUPS, "cgroup.procs", "0") ?: err;
}

static inline int cgroup_write_in(const struct pool *pool, const char *group, const char *text)
{
	int err = group_write(group, "cgroup.procs", "0");

	err = err ?: attr_write(pool->name, "cgroup", text);
	return group_write(CGROUPS, "cgroup.procs", "0") ?: err;
}

/* Run a touch. Returns its status, or -errno. */
static inline int touch(int fd, __u64 bytes)
{
	struct wpool_dev_record record;
	int err = submit(fd, WPOOL_WORK_TOUCH, bytes, 0);

	return err ?: read_records(fd, &record, 1) == 1 ? record.status : -EIO;
}

/* Submit a touch through a file opened in the root cgroup. Returns its status or -errno. */
static inline int touch_status(const struct pool *pool, long long bytes)
{
	int fd = pool_attach(pool->name, 0), status = fd < 0 ? fd : touch(fd, bytes);

	close(fd);
	return status;
}

/* Does the pool have @nr workers, all in @group? @group may be CGROUPS. */
static inline bool workers_are_in(const struct pool *pool, int nr, const char *group)
{
	char name[80], path[64], text[256], want[256];
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

FIXTURE(cgroup)
{
	char group[2][64];
	struct pool pool[2];
};

FIXTURE_SETUP(cgroup)
{
	int i;

	self->pool[0].fd = -1;
	self->pool[1].fd = -1;
	if (!cgroups_mount())
		SKIP(return, "no cgroups");
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
		/* wait: the pool's threads may still be exiting */
		EXPECT_TRUE(WAIT_FOR(!rmdir(self->group[i]) || errno == ENOENT));
	}
}

#endif /* CGROUP_FIXTURE_H */
