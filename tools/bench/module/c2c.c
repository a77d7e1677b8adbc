// SPDX-License-Identifier: GPL-2.0
/*
 * The time that a cache line takes from one CPU to another and back.
 *
 * A host moves its virtual CPUs, so within seconds two of them may begin or cease to share a cache.
 * That changes the cost of a task that one CPU submits and the other runs. Any measurement with
 * c2c=1 puts the round trip just before and just after it, as "c2c_before_ns" and "c2c_after_ns".
 */
#include <linux/cpumask.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "bench.h"

#define CHUNKS		21
#define TRIPS		100
/* The limit of a measurement: if a host runs the two CPUs in turn, each trip takes long. */
#define LONGEST_NS	(20 * NSEC_PER_MSEC)

struct ping_pong {
	struct bench b;
	u32 ball ____cacheline_aligned;	/* odd: answer() is to add 1 */
	bool stop ____cacheline_aligned;
	u32 chunk_ns[CHUNKS];		/* time of one round trip, by chunk */
	u32 nr_chunks;
};

static void serve(struct ping_pong *pp)
{
	u64 begin = ktime_get_ns(), then = begin, now;
	u32 ball = 0;
	int i;

	while (pp->nr_chunks < CHUNKS) {
		for (i = 0; i < TRIPS; i++) {
			WRITE_ONCE(pp->ball, ++ball);
			ball++;
			while (READ_ONCE(pp->ball) != ball) {
				if (ktime_get_ns() - begin > LONGEST_NS)
					return;
			}
		}
		now = ktime_get_ns();
		pp->chunk_ns[pp->nr_chunks++] = div_u64(now - then, TRIPS);
		then = now;
	}
}

static void answer(struct ping_pong *pp)
{
	u32 ball;

	while (!READ_ONCE(pp->stop)) {
		ball = READ_ONCE(pp->ball);
		if (ball % 2)
			WRITE_ONCE(pp->ball, ball + 1);
		else
			cpu_relax();
	}
}

/* Both players run this, each on its own CPU. */
static int play(struct bench_producer *p)
{
	struct ping_pong *pp = p->data;

	if (p->index) {
		answer(pp);
	} else {
		serve(pp);
		WRITE_ONCE(pp->stop, true);
	}
	return 0;
}

u32 bench_c2c_ns(void)
{
	struct ping_pong *pp;
	u32 trip_ns = 0;

	if (num_online_cpus() < 2)
		return 0;
	pp = kzalloc(sizeof(*pp), GFP_KERNEL);
	if (!pp)
		return 0;
	pp->b.producers = 2;
	pp->b.cpu_step = 1;
	bench_produce(&pp->b, false, 2, play);
	if (pp->nr_chunks) {
		sort(pp->chunk_ns, pp->nr_chunks, sizeof(pp->chunk_ns[0]), bench_compare_u32, NULL);
		trip_ns = pp->chunk_ns[pp->nr_chunks / 2];
	}
	kfree(pp);
	return trip_ns;
}
