/* SPDX-License-Identifier: GPL-2.0 */
/* The configuration of a load. */
#ifndef WPOOLCTL_LOAD_CONFIG_H
#define WPOOLCTL_LOAD_CONFIG_H

#include "arrivals.h"
#include "parse.h"
#include "work.h"

#define LOAD_MAX_SUBMITTERS	256
#define LOAD_MAX_TASKS		1000000000000ULL

struct load_config {
	const char *pool;
	unsigned int nr_works;
	struct work works[WORK_MAX_KINDS];	/* take turns */
	__u64 tasks;		/* 0: no limit */
	__u32 batch;		/* maximum of descriptors in one ioctl */
	__u32 submitters;
	__u32 group;		/* bound of each submitter's group; 0: no group */
	bool nonblock;		/* never sleep on a full pool */
	bool urgent;		/* all tasks are urgent */
	__s32 on_cpu;		/* the CPU that the tasks prefer; -1: none */
	struct arrivals_config arrivals;
	__u64 warmup_ns;
	__u64 duration_ns;	/* after the warm-up; 0: until all tasks are submitted */
	__u64 interval_ns;	/* time between interval reports; 0: none */
};

/* The sum of warm-up and duration; 0 if the duration has no end. */
static inline __u64 load_length_ns(const struct load_config *config)
{
	return config->duration_ns ? config->warmup_ns + config->duration_ns : 0;
}

/* Does a work of this kind belong to the load? */
static inline bool load_has_kind(const struct load_config *config, __u32 kind)
{
	unsigned int i;

	for (i = 0; i < config->nr_works; i++)
		if (config->works[i].kind == kind)
			return true;
	return false;
}

#endif /* WPOOLCTL_LOAD_CONFIG_H */
