// SPDX-License-Identifier: GPL-2.0
/* The grammar of names and attributes. */
#include "fuzz.h"

#include <stdio.h>

#define NR_NAMES		4

/* Pools with an r in their names have policy "run": submitters run tasks that do not fit. */
bool gen_name(struct fuzzer *f, uint8_t *name, bool *runs)
{
	static const char *const bad[] = {
		"", ".", "..", ".hidden", "a/b", "a b", "../default", "\xff\xfe", "a\n", "%s%n",
	};
	char text[WPOOL_DEV_NAME_LEN] = "";
	uint32_t which = below(&f->rng, 40);
	uint32_t nr = below(&f->rng, NR_NAMES);

	*runs = false;
	memset(name, 0, WPOOL_DEV_NAME_LEN);
	if (which == 0) {
		memset(name, 'x', WPOOL_DEV_NAME_LEN);
		return false;
	}
	if (which == 1) {
		nr = below(&f->rng, ARRAY_SIZE(bad));
		memcpy(name, bad[nr], strlen(bad[nr]));
		return false;
	}
	if (which < 5) {
		memcpy(name, "default", sizeof("default"));
		return true;
	}
	*runs = which < 12;
	snprintf(text, sizeof(text), "fuzz-%c%u", *runs ? 'r' : 'b', nr);
	memcpy(name, text, sizeof(text));
	return true;
}

static uint32_t gen_number(struct fuzzer *f, uint32_t small, uint32_t max)
{
	switch (below(&f->rng, 24)) {
	case 0:
		return 0;
	case 1:
		return max;
	case 2:
		return max + 1;
	case 3:
		return WPOOL_DEV_UNLIMITED;
	case 4:
		return rnd(&f->rng);
	default:
		return below(&f->rng, small) + 1;
	}
}

static uint32_t gen_value(struct fuzzer *f, int min, int max)
{
	/* a word or a flag */
	if (max < 4)
		return below(&f->rng, max + 1);
	if (min < 0 && !one_in(&f->rng, 8))
		return min + (int)below(&f->rng, max - min + 1);
	return gen_number(f, 50, max);
}

int gen_attrs(struct fuzzer *f, struct wpool_dev_attrs *attrs, bool create, bool runs)
{
	struct rng *rng = &f->rng;
	uint32_t all = create ? WPOOL_DEV_ALL :
				WPOOL_DEV_ALL & ~(WPOOL_DEV_ORDER | WPOOL_DEV_PREALLOC);
	uint64_t *mask_at = (uint64_t *)f->arena.array;

	memset(attrs, 0, sizeof(*attrs));
	attrs->mask = rnd(rng) & rnd(rng) & all;
#define WPOOL_ATTR(_name, _use, _NAME, _type, _min, _max, ...)	\
	attrs->_name = gen_value(f, _min, _max);
#include "../../../module/pool/attr_table.h"
	attrs->capacity = gen_number(f, 12, 1048576);
	attrs->capacity_per_cpu = one_in(rng, 4) ? 0 : gen_number(f, 6, 1048576);
	attrs->max_blocking = gen_number(f, 4, 1073741824);
	attrs->policy = below(rng, 2);
	attrs->min_workers = one_in(rng, 8) ? gen_number(f, 4, 1048576) : below(rng, 3);
	attrs->concurrency = gen_number(f, 4, 1024);
	attrs->cpumask_bytes = 8 * (1 + below(rng, 3));
	attrs->cpumask = (uintptr_t)mask_at;
	memset(mask_at, 0, 24);
	mask_at[0] = one_in(rng, 16) ? rnd(rng) : below(rng, 4);

	if (create) {
		/* set the policy: a default of "run" would not agree with the pool's name */
		attrs->mask |= WPOOL_DEV_POLICY;
		if (runs)
			attrs->policy = WPOOL_DEV_POLICY_RUN;
		/* preallocate few workers, since other tests make thousands of threads */
		if (attrs->mask & WPOOL_DEV_PREALLOC && attrs->prealloc) {
			attrs->mask |= WPOOL_DEV_CAPACITY;
			attrs->mask &= ~WPOOL_DEV_CAPACITY_PER_CPU;
			if (attrs->capacity > 12)
				attrs->capacity = one_in(rng, 2) ? 1048576 : WPOOL_DEV_UNLIMITED;
		}
	}
	/* capacity and capacity_per_cpu together are refused before the cpumask is read */
	if (attrs->mask & WPOOL_DEV_CAPACITY && attrs->mask & WPOOL_DEV_CAPACITY_PER_CPU &&
	    !one_in(rng, 8))
		attrs->mask &= ~(below(rng, 2) ? WPOOL_DEV_CAPACITY : WPOOL_DEV_CAPACITY_PER_CPU);
	switch (below(rng, 40)) {
	case 0:
		attrs->mask |= (WPOOL_DEV_ALL + 1) << below(rng, __builtin_clz(WPOOL_DEV_ALL));
		return -EOPNOTSUPP;
	case 1:
		attrs->reserved = 1 + below(rng, 1000);
		return -EOPNOTSUPP;
	case 2:
		attrs->mask |= WPOOL_DEV_POLICY;
		attrs->policy = 4 + below(rng, 1000);
		return -EINVAL;
	case 3:
		attrs->mask |= WPOOL_DEV_LATENCY;
		attrs->latency = 2 + below(rng, 1000);
		return -EINVAL;
	case 4:
		attrs->mask |= WPOOL_DEV_CPUMASK;
		attrs->cpumask_bytes = one_in(rng, 2) ? rnd(rng) | 1 : 1032;
		return -EINVAL;
	case 5:
		attrs->mask |= WPOOL_DEV_CPUMASK;
		attrs->mask &= ~WPOOL_DEV_CAPACITY_PER_CPU;
		attrs->cpumask = arena_bad_pointer(f);
		return -EFAULT;
	case 6:
		/* the last words of the mask are not mapped */
		attrs->mask |= WPOOL_DEV_CPUMASK;
		attrs->mask &= ~WPOOL_DEV_CAPACITY_PER_CPU;
		attrs->cpumask_bytes = 64;
		attrs->cpumask = (uintptr_t)f->arena.array + ARRAY_BYTES - 8 * below(rng, 8);
		return -EFAULT;
	case 7:
		attrs->mask |= WPOOL_DEV_CAPACITY | WPOOL_DEV_CAPACITY_PER_CPU;
		attrs->capacity_per_cpu = 1 + (rnd(rng) >> 34);
		return -EINVAL;
	default:
		return 0;
	}
}
