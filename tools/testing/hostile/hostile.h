/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that these programs share, in addition to the library of the selftests. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include "wpool_test.h"

#include <sys/klog.h>
#include <sys/mount.h>

#define CGROUPS	"/sys/fs/cgroup"

/* Mount cgroups, which stay mounted, and make the cgroup @path. False if that is impossible. */
static inline bool cgroup_make(const char *path)
{
	return (!mount("none", CGROUPS, "cgroup2", 0, NULL) || errno == EBUSY) &&
	       (!mkdir(path, 0755) || errno == EEXIST);
}

/* No task is left or lost, nobody waits, all tokens are free. */
static inline bool is_whole(int fd, __u64 tokens)
{
	struct wpool_dev_stats stats;

	return !pool_stats(fd, &stats) && !stats.outstanding && !stats.waiting &&
	       !stats.queued && !stats.busy && stats.free == tokens &&
	       stats.submitted == stats.completed + stats.failed + stats.cancelled + stats.overdue;
}

#define EXPECT_WHOLE(fd, tokens)						\
	do {									\
		struct wpool_dev_stats whole_;					\
		__u64 tokens_ = (tokens);					\
		int fd_ = (fd);							\
										\
		EXPECT_TRUE(WAIT_FOR(is_whole(fd_, tokens_)));			\
		ASSERT_EQ(0, pool_stats(fd_, &whole_));				\
		EXPECT_EQ(tokens_, whole_.free);				\
		EXPECT_EQ(0, whole_.outstanding);				\
		EXPECT_EQ(0, whole_.waiting);					\
	} while (0)

/*
 * Check that exactly @tokens tasks that do not end fit into an idle pool, and cancel them. If
 * tokens are lost, the pool's figures might still say that all are free.
 */
#define EXPECT_ROOM(which, tokens)						\
	do {									\
		const struct pool *pool_ = (which);				\
		int room_fd_ = pool_attach(pool_->name, O_NONBLOCK);		\
		__u64 room_ = 0, most_ = (tokens);				\
										\
		ASSERT_LE(0, room_fd_);						\
		while (room_ <= most_ && !submit(room_fd_, WPOOL_WORK_SLEEP, LONG, room_))	\
			room_++;						\
		EXPECT_EQ(most_, room_);					\
		EXPECT_EQ(0, cancel_all(room_fd_));				\
		EXPECT_EQ(0, wait_tasks(room_fd_, WAIT_NS));			\
		close(room_fd_);						\
		EXPECT_WHOLE(pool_->fd, most_);					\
	} while (0)

static inline int put_number(const char *path, long number)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%ld", number);

	return file_write(path, text, len);
}

/* The number of lines in the kernel's log with "@pool: " and then @text; -1: not readable. */
static inline int kmsg_lines(const char *pool, const char *text)
{
	static char log[1 << 22];
	char about[64], *line, *next;
	int len, nr = 0;

	/* 3 is SYSLOG_ACTION_READ_ALL */
	len = klogctl(3, log, sizeof(log) - 1);
	if (len < 0)
		return -1;
	log[len] = '\0';
	snprintf(about, sizeof(about), "%s: ", pool);
	for (line = log; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line = strstr(line, about);
		nr += line && strstr(line, text);
	}
	return nr;
}

#endif /* HOSTILE_H */
