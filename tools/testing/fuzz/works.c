// SPDX-License-Identifier: GPL-2.0
/*
 * The grammar of task descriptors. Valid tasks are small, so that the run continues. Sleeps that
 * only a cancel ends are rare, and never go to a pool with policy "run", whose submitter would
 * have to run them.
 */
#include "fuzz.h"

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

/* Tasks increment this; nothing reads it. */
static uint64_t counted;

static void gen_work(struct fuzzer *f, struct wpool_dev_work *work, bool runs)
{
	bool patient = !runs && one_in(&f->rng, 100);
	struct rng *rng = &f->rng;

	do
		work->kind = one_in(rng, 2) ? WPOOL_WORK_NOOP : below(rng, WPOOL_WORK_COUNT + 1);
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
	case WPOOL_WORK_COUNT:
		/* a bad address, or a variable that nothing reads */
		work->arg = one_in(rng, 4) ? 8 : (uintptr_t)&counted;
		break;
	case WPOOL_WORK_TREE:
		gen_tree(f, work, runs);
		break;
	default:
		work->arg = rnd(rng);
	}
}

/* Puts one mistake into the descriptor. Returns the -errno that it must give. */
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
		[WPOOL_WORK_LOOP] = WPOOL_MAX_WORK_NS,
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
		work->kind = WPOOL_WORK_COUNT + 1 + below(&f->rng, 1000);
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
		do {
			work->kind = below(&f->rng, ARRAY_SIZE(limits));
		} while (!limits[work->kind]);
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
		/* memcpy: @works may be unaligned */
		memcpy(&works[i], &work, sizeof(work));
	}
	return must;
}
