/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random decisions that can be repeated. What a thread decides in its n-th step depends only on the
 * seed, the thread and n, never on the result of earlier steps. So a second run with the same seed
 * makes the same decisions, in whatever order the threads run.
 */
#ifndef TORTURE_RND_H
#define TORTURE_RND_H

#include <linux/types.h>

struct rnd {
	u64 state;
};

/* splitmix64: any seed will do. */
static inline u64 rnd_u64(struct rnd *rnd)
{
	u64 z = rnd->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static inline void rnd_init(struct rnd *rnd, u64 seed)
{
	rnd->state = seed;
}

/* Prepare @rnd for the decisions of one step of one thread. */
static inline void rnd_step(struct rnd *rnd, u64 seed, u32 thread, u64 step)
{
	rnd->state = seed ^ ((u64)thread << 48);
	rnd->state = rnd_u64(rnd) + step;
	rnd->state = rnd_u64(rnd);
}

static inline u32 rnd_below(struct rnd *rnd, u32 nr)
{
	return ((rnd_u64(rnd) >> 32) * nr) >> 32;
}

static inline u32 rnd_from_to(struct rnd *rnd, u32 from, u32 to)
{
	return from + rnd_below(rnd, to - from + 1);
}

static inline bool rnd_one_in(struct rnd *rnd, u32 nr)
{
	return !rnd_below(rnd, nr);
}

#endif /* TORTURE_RND_H */
