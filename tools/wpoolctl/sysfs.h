/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Transport: the files of pools under /sys/class/wpool. Every user may read them. Nothing here
 * needs /dev/wpool or keeps the module in memory.
 *
 * For tests, WPOOLCTL_SYSFS in the environment names another directory.
 */
#ifndef WPOOLCTL_SYSFS_H
#define WPOOLCTL_SYSFS_H

#include <dirent.h>

#include "hist.h"

#define SYSFS_VALUE_LEN	4097	/* no attribute is longer than a page */

struct sysfs_names {
	struct dirent **entry;
	size_t nr;
};

/* List the names of pools, sorted. Returns 0, or -errno and a message. */
int sysfs_list_pools(struct sysfs_names *names, struct errmsg *e);
/* List a pool's files except histogram and uevent, sorted. Returns 0, or -errno and a message. */
int sysfs_list_attrs(const char *pool, struct sysfs_names *names, struct errmsg *e);
void sysfs_names_exit(struct sysfs_names *names);

/*
 * Read a value without its newline. Returns 0, or -errno and a message: -ENOENT if there is no such
 * attribute.
 */
int sysfs_read(const char *pool, const char *attr, char *buf, size_t len, struct errmsg *e);

/* Returns the contents of a file, which the caller frees; or NULL and errno. */
char *sysfs_read_all(const char *path);

/* Reads the first line of any file. Returns 0 or -errno. */
int sysfs_read_line(const char *path, char *buf, size_t len);

/*
 * Read the file histogram. It has no buckets if the pool has never measured times. Returns 0,
 * -ENOENT if there is no such file (no message), or another negative number and a message.
 */
int sysfs_histograms(const char *pool, struct hists *hists, struct errmsg *e);

/* The directory that a variable of the environment names, for tests; or @preset. */
const char *sysfs_dir(const char *variable, const char *preset);

/* Returns 0, or -errno and a message: the pool or the module is missing. */
int sysfs_find_pool(const char *pool, struct errmsg *e);

/* The figures of a pool, from figure_table.h. */
enum figure {
#define WPOOL_FIGURE(_name, _NAME, ...) FIGURE_##_NAME,
#include "../../module/pool/figure_table.h"
	NR_FIGURES
};

struct figure_info {
	const char *name;	/* the name of its file */
	bool is_counter;
	const char *rate_title;	/* the title of its column; NULL if it has none */
	const char *metric, *help;
};

extern const struct figure_info figures[NR_FIGURES];

#define NR_PRESSURES	3

/* Averages over 10, 60 and 300 s, and a total; 0: older module. */
struct pressure {
	double percent[NR_PRESSURES];
	__u64 total_us;
};

/* Parses "some avg10=... total=...". False if @line is something else. */
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
	struct hists hists;	/* no buckets unless latency is on */
};

/* Read all figures of a pool. Returns 0, or -errno and a message. */
int sysfs_snapshot(const char *pool, struct snapshot *shot, struct errmsg *e);

/*
 * The module's limit on the workers of all pools; 0 if it is unknown. WPOOLCTL_MODULE in the
 * environment names another directory than /sys/module/wpool.
 */
__u64 sysfs_max_workers(void);

#endif /* WPOOLCTL_SYSFS_H */
