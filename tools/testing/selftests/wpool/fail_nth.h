/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's fault injection: fail the n-th point of failure in a thread, or the creation of
 * workers.
 */
#ifndef FAIL_NTH_H
#define FAIL_NTH_H

#include "wpool_test.h"

#define DEBUGFS		"/sys/kernel/debug"
#define INJECT		DEBUGFS "/fail_wpool_spawn"
#define MAX_NTH		2000

static inline int put(const char *path, const char *text)
{
	return file_write(path, text, strlen(text));
}

/* Let any allocation fail, without a message in the log. Returns -errno if that is impossible. */
static inline int inject_init(void)
{
	int err = put(DEBUGFS "/failslab/ignore-gfp-wait", "N");

	return err ?: put(DEBUGFS "/failslab/verbose", "0") ?:
	       put(DEBUGFS "/fail_page_alloc/ignore-gfp-wait", "N") ?:
	       put(DEBUGFS "/fail_page_alloc/ignore-gfp-highmem", "N") ?:
	       put(DEBUGFS "/fail_page_alloc/min-order", "0") ?:
	       put(DEBUGFS "/fail_page_alloc/verbose", "0") ?:
	       put(DEBUGFS "/fail_usercopy/verbose", "0") ?:
	       put(INJECT "/verbose", "0");
}

static inline bool has_injection(void)
{
	return !access(DEBUGFS "/failslab", F_OK);
}

static inline int nth_open(pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/fail-nth", tid, tid);
	return open(path, O_RDWR | O_CLOEXEC);
}

static inline int nth_set(int fd, unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	return pwrite(fd, text, len, 0) == len ? 0 : -errno;
}

/*
 * Stop injecting. Returns 1 if a failure was injected before this call, 0 if none was, or -errno.
 * A failure that is injected into this call does not count.
 */
static inline int nth_end(int fd)
{
	char text[16] = "";
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);
	bool asked_in_vain = len < 0;

	if (nth_set(fd, 0)) {
		asked_in_vain = true;
		if (nth_set(fd, 0))
			return -errno;
	}
	return !asked_in_vain && !atoi(text);
}

/* No task of this pool is left, and none has failed. */
static inline bool is_quiet(int fd)
{
	struct wpool_dev_stats stats;

	return !pool_stats(fd, &stats) && !stats.outstanding && !stats.queued &&
	       !stats.busy && stats.submitted == stats.completed + stats.cancelled;
}

#endif /* FAIL_NTH_H */
