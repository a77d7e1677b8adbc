// SPDX-License-Identifier: GPL-2.0
/*
 * The grammar of names, attributes and task descriptors. What is valid stays
 * small enough for a run to go on: sleeps that only a cancel ends are rare, and
 * never go to a pool whose submitter would have to run them itself.
 */
#include "fuzz.h"

#include <stdio.h>

#define NR_NAMES		4

/* The pools with an r run in their submitter what does not fit. */
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

/* ---- attributes ----------------------------------------------------------------- */

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

int gen_attrs(struct fuzzer *f, struct wpool_dev_attrs *attrs, bool create, bool runs)
{
	struct rng *rng = &f->rng;
	uint32_t all = create ? WPOOL_DEV_ALL :
				WPOOL_DEV_ALL & ~(WPOOL_DEV_ORDER | WPOOL_DEV_PREALLOC);
	uint64_t *mask_at = (uint64_t *)f->arena.array;

	memset(attrs, 0, sizeof(*attrs));
	attrs->mask = rnd(rng) & rnd(rng) & all;
	attrs->capacity = gen_number(f, 12, 1048576);
	attrs->capacity_per_cpu = one_in(rng, 4) ? 0 : gen_number(f, 6, 1048576);
	attrs->queue_depth = gen_number(f, 100, 536870912);
	attrs->max_blocking = gen_number(f, 4, 1073741824);
	attrs->policy = below(rng, 2);
	attrs->expiry_ms = gen_number(f, 50, 86400000);
	attrs->min_workers = one_in(rng, 8) ? gen_number(f, 4, 1048576) : below(rng, 3);
	attrs->concurrency = gen_number(f, 4, 1024);
	attrs->spin_us = gen_number(f, 50, 1000);
	attrs->hog_ms = gen_number(f, 50, 10000);
	attrs->max_wait_ms = gen_number(f, 50, 86400000);
	attrs->handoff = below(rng, 2);
	attrs->latency = below(rng, 2);
	attrs->freezable = below(rng, 2);
	attrs->reclaim = below(rng, 2);
	attrs->sched = one_in(rng, 8) ? gen_number(f, 99, 99) : below(rng, 3);
	attrs->order = below(rng, 2);
	attrs->prealloc = below(rng, 2);
	attrs->nice = one_in(rng, 8) ? (int)rnd(rng) : (int)below(rng, 40) - 20;
	attrs->cpumask_bytes = 8 * (1 + below(rng, 3));
	attrs->cpumask = (uintptr_t)mask_at;
	memset(mask_at, 0, 24);
	mask_at[0] = one_in(rng, 16) ? rnd(rng) : below(rng, 4);

	if (create) {
		/* else a pool could run what does not fit without our knowing */
		attrs->mask |= WPOOL_DEV_POLICY;
		if (runs)
			attrs->policy = WPOOL_DEV_POLICY_RUN;
		/* thousands of threads are somebody else's test */
		if (attrs->mask & WPOOL_DEV_PREALLOC && attrs->prealloc) {
			attrs->mask |= WPOOL_DEV_CAPACITY;
			attrs->mask &= ~WPOOL_DEV_CAPACITY_PER_CPU;
			if (attrs->capacity > 12)
				attrs->capacity = one_in(rng, 2) ? 1048576 : WPOOL_DEV_UNLIMITED;
		}
	}
	/* both are refused, and before the cpumask is read */
	if (attrs->mask & WPOOL_DEV_CAPACITY && attrs->mask & WPOOL_DEV_CAPACITY_PER_CPU &&
	    !one_in(rng, 8))
		attrs->mask &= ~(below(rng, 2) ? WPOOL_DEV_CAPACITY : WPOOL_DEV_CAPACITY_PER_CPU);
	switch (below(rng, 40)) {
	case 0:
		attrs->mask |= 1U << (20 + below(rng, 12));
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
		/* the last words are beyond the end of what is there */
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

/* ---- descriptors ------------------------------------------------------------------ */

static void gen_tree(struct fuzzer *f, struct wpool_dev_work *work, bool runs)
{
	work->arg = below(&f->rng, 500);
	work->depth = below(&f->rng, 4);
	work->fanout = 1 + below(&f->rng, 4);
	if (!runs && one_in(&f->rng, 300)) {
		work->depth = 5;
		work->fanout = 4;
	}
}

static void gen_work(struct fuzzer *f, struct wpool_dev_work *work, bool runs)
{
	bool patient = !runs && one_in(&f->rng, 100);
	struct rng *rng = &f->rng;

	do
		work->kind = one_in(rng, 2) ? WPOOL_WORK_NOOP : below(rng, WPOOL_WORK_LOOP + 1);
	while (work->kind == WPOOL_WORK_FAULT);
	work->flags = one_in(rng, 8) ? WPOOL_WORK_SILENT : 0;
	work->flags |= one_in(rng, 8) ? WPOOL_WORK_URGENT : 0;
	work->depth = rnd(rng);
	work->fanout = rnd(rng);
	switch (work->kind) {
	case WPOOL_WORK_SPIN:
	case WPOOL_WORK_LOCK:
	case WPOOL_WORK_STRAND:
	case WPOOL_WORK_LOOP:
		work->arg = patient ? 5000000 : below(rng, 10000);
		break;
	case WPOOL_WORK_SLEEP:
	case WPOOL_WORK_TIMER:
		work->arg = patient ? WPOOL_MAX_WORK_NS : below(rng, 500000);
		break;
	case WPOOL_WORK_YIELD:
		work->arg = patient ? 5000 : below(rng, 20);
		break;
	case WPOOL_WORK_TOUCH:
		work->arg = patient ? 1 << 20 : below(rng, 3 * PAGE);
		break;
	case WPOOL_WORK_HASH:
		work->arg = patient ? 1 << 20 : below(rng, 3 * PAGE);
		break;
	case WPOOL_WORK_POLL:
		work->arg = ready_fd;
		break;
	case WPOOL_WORK_TREE:
		gen_tree(f, work, runs);
		break;
	default:
		work->arg = rnd(rng);
	}
}

/* One thing wrong with it; returns the errno that says so. */
static int spoil_work(struct fuzzer *f, struct wpool_dev_work *work)
{
	static const uint64_t limits[] = {
		[WPOOL_WORK_SPIN] = WPOOL_MAX_WORK_NS,
		[WPOOL_WORK_SLEEP] = WPOOL_MAX_WORK_NS,
		[WPOOL_WORK_YIELD] = WPOOL_MAX_WORK_YIELDS,
		[WPOOL_WORK_TOUCH] = WPOOL_MAX_WORK_BYTES,
		[WPOOL_WORK_HASH] = WPOOL_MAX_WORK_BYTES,
		[WPOOL_WORK_LOCK] = WPOOL_MAX_WORK_NS,
		[WPOOL_WORK_TREE] = WPOOL_MAX_WORK_NS,
		[WPOOL_WORK_TIMER] = WPOOL_MAX_WORK_NS,
		[WPOOL_WORK_STRAND] = WPOOL_MAX_WORK_NS,
	};
	static const struct {
		uint32_t depth;
		uint32_t fanout;
	} trees[] = {
		{ WPOOL_MAX_TREE_DEPTH + 1, 1 }, { 20, 2 }, { 5, 16 }, { 20, 16 },
		{ 1, WPOOL_MAX_TREE_FANOUT + 1 }, { 1, 0 }, { 0, 0 }, { -1U, -1U },
		{ 2, -1U }, { -1U, 1 }, { 0x80000000, 16 },
	};
	uint32_t which;

	switch (below(&f->rng, 4)) {
	case 0:
		work->kind = WPOOL_WORK_LOOP + 1 + below(&f->rng, 1000);
		return -EINVAL;
	case 1:
		work->flags |= 4U << below(&f->rng, 30);
		return -EOPNOTSUPP;
	case 2:
		work->kind = WPOOL_WORK_TREE;
		work->arg = 0;
		which = below(&f->rng, ARRAY_SIZE(trees));
		work->depth = trees[which].depth;
		work->fanout = trees[which].fanout;
		return -ERANGE;
	default:
		work->kind = 1 + below(&f->rng, WPOOL_WORK_TREE);
		work->depth = 1;
		work->fanout = 1;
		work->arg = limits[work->kind] + 1;
		if (one_in(&f->rng, 2))
			work->arg = -1ULL - below(&f->rng, 1000);
		return -ERANGE;
	}
}

int gen_works(struct fuzzer *f, struct file *file, struct wpool_dev_work *works, uint32_t nr,
	      int bad)
{
	struct wpool_dev_work work;
	int must = 0;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		memset(&work, 0, sizeof(work));
		gen_work(f, &work, file->runs);
		work.cookie = cookie_new(file, work.flags & WPOOL_WORK_SILENT);
		f->recent[f->nr_recent++ % ARRAY_SIZE(f->recent)] = work.cookie;
		if ((int)i == bad)
			must = spoil_work(f, &work);
		/* wherever it is */
		memcpy(&works[i], &work, sizeof(work));
	}
	return must;
}
