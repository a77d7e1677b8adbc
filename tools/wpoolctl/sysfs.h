/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Transport: what pools show under /sys/class/wpool. Anybody may read there;
 * nothing here needs /dev/wpool or keeps the module in memory.
 *
 * WPOOLCTL_SYSFS in the environment names another directory, for tests.
 */
#ifndef WPOOLCTL_SYSFS_H
#define WPOOLCTL_SYSFS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "errmsg.h"
#include "hist.h"

#define SYSFS_VALUE_LEN	4097	/* no attribute is longer than a page */

struct sysfs_names {
	char **name;
	size_t nr;
};

/* Sorted. 0, or -errno and a message. */
int sysfs_list_pools(struct sysfs_names *names, struct errmsg *e);
/* The files of one pool that hold a value, sorted. */
int sysfs_list_attrs(const char *pool, struct sysfs_names *names,
		     struct errmsg *e);
void sysfs_names_exit(struct sysfs_names *names);

/*
 * The value without its newline. 0, -ENOENT if there is no such attribute (no
 * message), or another -errno and a message.
 */
int sysfs_read(const char *pool, const char *attr, char *buf, size_t len,
	       struct errmsg *e);

/*
 * The file histogram; without a bucket if the pool has never counted. 0, -ENOENT if there
 * is no such file (no message), or another negative number and a message.
 */
int sysfs_histograms(const char *pool, struct hists *hists, struct errmsg *e);

/* 0, or -errno and a message that says whether pool or module is missing. */
int sysfs_find_pool(const char *pool, struct errmsg *e);

/* The machine's CPUs as a list, "0-3". 0 or -1. */
int sysfs_cpus(char *buf, size_t len);

/* Figures of a pool, for lists and rates; the names are those of sysfs. */
enum figure {
	FIGURE_WORKERS,
	FIGURE_IDLE,
	FIGURE_SEARCHING,
	FIGURE_BUSY,
	FIGURE_BLOCKED,
	FIGURE_WAITING,
	FIGURE_QUEUED,
	FIGURE_OUTSTANDING,
	FIGURE_SUBMITTED,
	FIGURE_COMPLETED,
	FIGURE_FAILED,
	FIGURE_CANCELLED,
	FIGURE_REFUSED,
	FIGURE_STOLEN,
	FIGURE_HANDOFFS,
	FIGURE_HOGS,
	FIGURE_SPAWNED,
	FIGURE_EXPIRED,
	FIGURE_FAULTS,
	FIGURE_SPAWN_FAILED,
	FIGURE_EXHAUSTED,
	FIGURE_OVERDUE,
	FIGURE_ERRORS,
	FIGURE_RESCUED,
	NR_FIGURES
};

extern const char *const figure_names[NR_FIGURES];

#define NR_PRESSURES	3

/* Averages over the last 10, 60 and 300 s; 0 if the module is too old to have them. */
struct pressure {
	double percent[NR_PRESSURES];
	__u64 total_us;
};

/* "some avg10=... total=...". False if it is something else. */
bool pressure_parse(struct pressure *pressure, const char *line);

struct snapshot {
	__u64 when_ns;		/* CLOCK_MONOTONIC */
	char state[16];
	char owner[64];		/* the module that made it, or "-" */
	char capacity[16];
	char queue_depth[16];
	__u64 value[NR_FIGURES];
	struct pressure pressure;
	bool latency;
	struct hists hists;	/* without a bucket unless latency is on */
};

/* 0, or -errno and a message. */
int sysfs_snapshot(const char *pool, struct snapshot *shot, struct errmsg *e);

/* Completed tasks a second between two looks. */
double snapshot_done_per_s(const struct snapshot *last, const struct snapshot *now);

/*
 * The module's limit of workers over all pools; 0 if that is not known. WPOOLCTL_MODULE
 * in the environment names another directory than /sys/module/wpool.
 */
__u64 sysfs_max_workers(void);

#endif /* WPOOLCTL_SYSFS_H */
