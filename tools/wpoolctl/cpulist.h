/* SPDX-License-Identifier: GPL-2.0 */
/* Lists of CPUs as the kernel prints them, "0-3,5", and takes them: "all", "2-N". */
#ifndef WPOOLCTL_CPULIST_H
#define WPOOLCTL_CPULIST_H

#include <linux/types.h>
#include <stddef.h>

#include "errmsg.h"

#define CPULIST_WORDS	128	/* the largest mask that /dev/wpool takes */
#define CPULIST_CPUS	(CPULIST_WORDS * 64)

struct cpulist {
	__u64 bits[CPULIST_WORDS];
};

/* At least one CPU. 0, or -1 and a message. */
int cpulist_parse(const char *s, struct cpulist *cpus, struct errmsg *e);

/* Bytes of @bits that are needed up to the last CPU, a multiple of 8. */
unsigned int cpulist_bytes(const struct cpulist *cpus);

/* The CPU number @n of the list, from 0, which is taken again when it ends. */
int cpulist_nth(const struct cpulist *cpus, unsigned int n);

/* The last CPU of the list, -1 if there is none. */
int cpulist_last(const struct cpulist *cpus);

#endif /* WPOOLCTL_CPULIST_H */
