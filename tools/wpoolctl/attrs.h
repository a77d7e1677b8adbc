/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The attributes of a pool that can be set: names, ranges and words, which are
 * those of sysfs, and the structure that carries them to /dev/wpool.
 */
#ifndef WPOOLCTL_ATTRS_H
#define WPOOLCTL_ATTRS_H

#include <limits.h>
#include <linux/wpool.h>
#include <stdbool.h>

#include "cpulist.h"
#include "errmsg.h"

enum attr_use {
	ATTR_CREATE,
	ATTR_TUNE,
};

/* attrs.mask says what was given. attrs.cpumask points into the set. */
struct attr_set {
	struct wpool_dev_attrs attrs;
	struct cpulist cpus;
	char cgroup[PATH_MAX];	/* a directory, or "" */
	bool cgroup_failed;	/* of what was given, this was refused */
};

void attr_set_init(struct attr_set *set);

/*
 * "capacity=4". 0, or -1 and a message; an attribute may be given once. attr_set_add_list() takes
 * several, separated by commas; a part without '=' belongs to the list of CPUs before it.
 */
int attr_set_add(struct attr_set *set, enum attr_use use,
		 const char *assignment, struct errmsg *e);
int attr_set_add_list(struct attr_set *set, enum attr_use use,
		      const char *list, struct errmsg *e);

/* Find values that contradict each other, whatever the pool has. */
int attr_set_check_given(const struct attr_set *set, struct errmsg *e);

/*
 * Find what the kernel would refuse with EINVAL without an explanation, because two attributes
 * exclude each other. @now are the present attributes of the pool; NULL for a pool that is to be
 * created.
 */
int attr_set_check(const struct attr_set *set, const struct wpool_dev_attrs *now,
		   struct errmsg *e);

/*
 * Leave only attributes that change in a pool whose attributes are @now and @cpus. 0, or -1 and a
 * message if the change is not possible.
 */
int attr_set_leave_changes(struct attr_set *set, const struct wpool_dev_attrs *now,
			   const struct cpulist *cpus, struct errmsg *e);

/* Nothing is given. */
bool attr_set_is_empty(const struct attr_set *set);

/* Through an open device, and one that is attached: all of the set. 0, or -errno. */
int attr_set_create(int fd, const char *pool, struct attr_set *set);
int attr_set_tune(int fd, struct attr_set *set);

/* The meaning of -errno of a create or tune with @set. */
void attr_explain(struct errmsg *e, int err, const char *pool,
		  const struct attr_set *set);

/*
 * The default of an attribute if @value, as sysfs shows it, differs from it. NULL if it does not,
 * and if there is no such attribute, or its default depends on the machine. In @buf.
 */
const char *attr_default_unless(const char *name, const char *value, const char *pool,
				bool prealloc, char *buf, size_t len);

/* For the shell, one a line: "name=", and what the value of one may be. */
void attr_put_names(enum attr_use use);
void attr_put_values(const char *name, enum attr_use use);

/* Names of all attributes with their values, for the manual and for the help. */
void attr_print_manual(void);
void attr_print_help(enum attr_use use);

/* The word that stands for a value; "unknown" of a newer module. */
const char *attr_word(const char *name, __u32 value);

/* "max", or the number; for capacity, queue_depth and free. */
const char *attr_format_limit(__u32 value, char *buf, size_t len);

#endif /* WPOOLCTL_ATTRS_H */
