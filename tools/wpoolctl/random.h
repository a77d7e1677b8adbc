/* SPDX-License-Identifier: GPL-2.0 */
/* Random numbers that are the same in every run with the same seed. */
#ifndef WPOOLCTL_RANDOM_H
#define WPOOLCTL_RANDOM_H

#include "base.h"

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014) */
struct random {
	__u64 state;
};

static inline __u64 random_u64(struct random *random)
{
	__u64 z = random->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Streams with the same @seed are independent of each other. */
static inline void random_init(struct random *random, __u64 seed, __u64 stream)
{
	struct random mix = { .state = seed };

	mix.state = random_u64(&mix) ^ stream;
	random->state = random_u64(&mix);
}

/* Uniform in (0, 1]. */
static inline double random_unit(struct random *random)
{
	return (double)((random_u64(random) >> 11) + 1) / (1ULL << 53);
}

#endif /* WPOOLCTL_RANDOM_H */
