/* SPDX-License-Identifier: GPL-2.0 */
/* Lists of CPUs in the kernel's format: "0-3,5", "all", and "2-N" with N for the last CPU. */
#ifndef WPOOLCTL_CPULIST_H
#define WPOOLCTL_CPULIST_H

#include "errmsg.h"

#define CPULIST_WORDS	128	/* the largest mask that /dev/wpool takes */
#define CPULIST_CPUS	(CPULIST_WORDS * 64)

struct cpulist {
	__u64 bits[CPULIST_WORDS];
};

/* Parses a list of at least one CPU. Returns 0, or -1 and a message. */
int cpulist_parse(const char *s, struct cpulist *cpus, struct errmsg *e);

#endif /* WPOOLCTL_CPULIST_H */
