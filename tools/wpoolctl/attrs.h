/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The attributes of a pool that can be set: names, ranges and words, as in sysfs, and the structure
 * for /dev/wpool.
 */
#ifndef WPOOLCTL_ATTRS_H
#define WPOOLCTL_ATTRS_H

#include <linux/wpool.h>

#include "cpulist.h"

/* where cgroup version 2 is mounted in most systems */
#define ATTR_CGROUPS	"/sys/fs/cgroup"

enum attr_use {
	ATTR_CREATE,
	ATTR_TUNE,
};

/*
 * A set of zeros is empty. attrs.mask has a bit for each attribute given, except cgroup.
 * attrs.cpumask points to the set's own cpus.
 */
struct attr_set {
	struct wpool_dev_attrs attrs;
	struct cpulist cpus;
	char cgroup[PATH_MAX];	/* a directory; ATTR_CGROUPS: no cgroup; "": not given */
	bool cgroup_failed;	/* @cgroup was refused, not with -ENOTTY or -EPERM */
};

/*
 * Add "capacity=4". An attribute may be given once. attr_set_add_list() takes several, separated by
 * commas; a part without '=' belongs to the list of CPUs before it. Returns 0, or -1 and a message.
 */
int attr_set_add(struct attr_set *set, enum attr_use use, const char *assignment, struct errmsg *e);
int attr_set_add_list(struct attr_set *set, enum attr_use use, const char *list, struct errmsg *e);

/* Find given values that contradict each other in every pool. Returns 0, or -1 and a message. */
int attr_set_check_given(const struct attr_set *set, struct errmsg *e);

/*
 * Find values that contradict each other or @now, for which the kernel would return EINVAL without
 * a reason. @now: the pool's attributes; NULL: it is not created yet. Returns 0, or -1 and a
 * message.
 */
int attr_set_check(const struct attr_set *set, const struct wpool_dev_attrs *now, struct errmsg *e);

/*
 * Remove attributes whose values a pool with the attributes @now and the mask @cpus already has.
 * Returns 0, or -1 and a message if an attribute that differs can be set at creation only.
 */
int attr_set_leave_changes(struct attr_set *set, const struct wpool_dev_attrs *now,
			   const struct cpulist *cpus, struct errmsg *e);

bool attr_set_is_empty(const struct attr_set *set);

/* Create @pool. Returns a file descriptor of /dev/wpool, or -errno and a message. */
int attr_set_create(const char *pool, struct attr_set *set, struct errmsg *e);

/* Tune the pool of @fd. Returns 0 or -errno. */
int attr_set_tune(int fd, struct attr_set *set);

/* Set the message for the error @err of attr_set_tune(). */
void attr_explain(struct errmsg *e, int err, const char *pool, const struct attr_set *set);

/*
 * Returns the default of attribute @name, in @buf, if it differs from @value, the text in sysfs.
 * Returns NULL if they are equal, if @name is no attribute, or if it is cpumask or cgroup.
 */
const char *attr_default_unless(const char *name, const char *value, const char *pool,
				bool prealloc, char *buf, size_t len);

/* For completion, one a line: print each "name=", or the words that @name may be. */
void attr_put_names(enum attr_use use);
void attr_put_words(const char *name, enum attr_use use);

/* Print the names of all attributes and their values, for the manual and for the help. */
void attr_print_manual(void);
void attr_print_help(int use);	/* an enum attr_use */

/* The word for a value; "unknown" for a value that only a newer module has. */
const char *attr_word(const char *name, __u32 value);

/* "max" or the number, for attributes that may be unlimited. */
const char *attr_format_limit(__u32 value, char *buf, size_t len);

#endif /* WPOOLCTL_ATTRS_H */
