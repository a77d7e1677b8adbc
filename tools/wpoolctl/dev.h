/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Transport: /dev/wpool. Each function returns 0 or more, or -errno, and prints nothing.
 *
 * An open file keeps the module in memory. Its close cancels the tasks that were submitted through
 * it.
 */
#ifndef WPOOLCTL_DEV_H
#define WPOOLCTL_DEV_H

#include <linux/wpool.h>
#include <sys/types.h>

#include "cpulist.h"

#define DEV_PATH	"/dev/wpool"

/* Returns a file descriptor. */
int dev_open(void);

int dev_attach(int fd, const char *pool);
int dev_create(int fd, const char *pool, const struct wpool_dev_attrs *attrs);
int dev_tune(int fd, const struct wpool_dev_attrs *attrs);
/* @dir: a directory of cgroup version 2 */
int dev_cgroup(int fd, const char *dir);
int dev_release(int fd, __u32 flags, __u64 timeout_ns);
/* WPOOL_IOC_REBOOT or WPOOL_IOC_DESTROY */
int dev_simple(int fd, unsigned long request);

/* @cpus: out: the pool's cpumask, or NULL */
int dev_info(int fd, struct wpool_dev_attrs *attrs, struct cpulist *cpus);
int dev_stats(int fd, struct wpool_dev_stats *stats);

/* @cpu: only with WPOOL_DEV_SUBMIT_ON, else 0. Sets *@accepted also on an error. */
int dev_submit(int fd, const struct wpool_dev_work *works, __u32 nr, __u32 flags,
	       __u32 cpu, __u32 *accepted);
int dev_cancel_all(int fd);
int dev_group(int fd, __u32 max_outstanding, __u32 flags);

/* Sleeps until there is a record. Returns the records read; 0: the file has no unfinished task. */
ssize_t dev_read(int fd, struct wpool_dev_record *records, size_t max);

/* Open and attach. Returns the file descriptor, or -errno and a message. */
int dev_open_pool(const char *pool, struct errmsg *e);

/* Sets the message for @err of a request on @pool. Returns @err. */
int dev_explain(struct errmsg *e, int err, const char *pool);

#endif /* WPOOLCTL_DEV_H */
