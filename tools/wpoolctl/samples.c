// SPDX-License-Identifier: GPL-2.0
/* Durations and their percentiles. */
#include "samples.h"

#include <stdlib.h>

#define FIRST_ROOM	1024U

/* xorshift64: the choice must be even, not unpredictable */
static __u64 next_random(struct samples *set)
{
	__u64 x = set->random ? set->random : 0x9e3779b97f4a7c15ULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	set->random = x;
	return x;
}

static int make_room(struct samples *set)
{
	__u32 room = set->room ? set->room * 2 : FIRST_ROOM;
	__u64 *value = realloc(set->value, room * sizeof(*value));

	if (!value)
		return -1;
	set->value = value;
	set->room = room;
	return 0;
}

int samples_add(struct samples *set, __u64 value)
{
	__u64 slot;

	if (set->nr < SAMPLES_MAX && set->nr == set->room && make_room(set))
		return -1;
	if (!set->seen || value < set->min)
		set->min = value;
	if (value > set->max)
		set->max = value;
	set->sum += value;
	set->seen++;
	if (set->nr < SAMPLES_MAX) {
		set->value[set->nr++] = value;
		return 0;
	}
	/* reservoir: the new one stays with the probability max / seen */
	slot = next_random(set) % set->seen;
	if (slot < SAMPLES_MAX)
		set->value[slot] = value;
	return 0;
}

void samples_exit(struct samples *set)
{
	free(set->value);
	*set = (struct samples){ };
}

static int compare(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

void samples_sort(struct samples *set)
{
	if (set->nr)
		qsort(set->value, set->nr, sizeof(*set->value), compare);
}

__u64 samples_percentile(const struct samples *set, unsigned int per_mille)
{
	__u64 rank;

	if (!set->nr)
		return 0;
	rank = ((__u64)set->nr * per_mille + 999) / 1000;
	return set->value[rank ? rank - 1 : 0];
}

__u64 samples_mean(const struct samples *set)
{
	return set->seen ? set->sum / set->seen : 0;
}
