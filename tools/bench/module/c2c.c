// SPDX-License-Identifier: GPL-2.0
/*
 * The time that a cache line takes from one CPU to another and back.
 *
 * A host moves its virtual CPUs: whether two of them share a cache, and so what a
 * task costs that one of them submits and the other one runs, changes within
 * seconds. Any measurement with c2c=1 puts the round trip just before it and just
 * after it, as "c2c_before_ns" and "c2c_after_ns".
 */
#include "bench.h"

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sort.h>

#define CHUNKS		21
#define TRIPS		100
/* A machine whose CPUs take turns needs a switch of threads for each trip. */
#define LONGEST_NS	(20 * NSEC_PER_MSEC)

struct ping_pong {
	u32 ball ____cacheline_aligned;	/* odd: it is the answerer's turn */
	bool stop ____cacheline_aligned;
	u32 chunk_ns[CHUNKS];		/* of one round trip */
	u32 nr_chunks;
	struct completion ready[2], go, done[2];
};

static void wait_for_stop(void)
{
	set_current_state(TASK_IDLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_IDLE);
	}
	__set_current_state(TASK_RUNNING);
}

static int server_main(void *data)
{
	struct ping_pong *pp = data;
	u64 begin, then, now;
	u32 ball = 0;
	int i;

	complete(&pp->ready[0]);
	wait_for_completion(&pp->go);
	begin = ktime_get_ns();
	then = begin;
	while (pp->nr_chunks < CHUNKS) {
		for (i = 0; i < TRIPS; i++) {
			WRITE_ONCE(pp->ball, ++ball);
			ball++;
			while (READ_ONCE(pp->ball) != ball) {
				if (ktime_get_ns() - begin > LONGEST_NS)
					goto out;
			}
		}
		now = ktime_get_ns();
		pp->chunk_ns[pp->nr_chunks++] = div_u64(now - then, TRIPS);
		then = now;
	}
out:
	WRITE_ONCE(pp->stop, true);
	complete(&pp->done[0]);
	wait_for_stop();
	return 0;
}

static int answerer_main(void *data)
{
	struct ping_pong *pp = data;
	u32 ball;

	complete(&pp->ready[1]);
	wait_for_completion(&pp->go);
	while (!READ_ONCE(pp->stop)) {
		ball = READ_ONCE(pp->ball);
		if (ball % 2)
			WRITE_ONCE(pp->ball, ball + 1);
		else
			cpu_relax();
	}
	complete(&pp->done[1]);
	wait_for_stop();
	return 0;
}

u32 bench_c2c_ns(void)
{
	int (*const mains[])(void *) = { server_main, answerer_main };
	int cpu = cpumask_first(cpu_online_mask), i;
	struct task_struct *threads[2] = { };
	struct ping_pong pp = { };

	if (num_online_cpus() < 2)
		return 0;
	init_completion(&pp.go);
	for (i = 0; i < 2; i++) {
		init_completion(&pp.ready[i]);
		init_completion(&pp.done[i]);
		threads[i] = kthread_create(mains[i], &pp, "bench_c2c/%d", i);
		if (IS_ERR(threads[i]))
			goto out;
		kthread_bind(threads[i], cpu);
		cpu = cpumask_next(cpu, cpu_online_mask);
	}
	for (i = 0; i < 2; i++)
		wake_up_process(threads[i]);
	for (i = 0; i < 2; i++)
		wait_for_completion(&pp.ready[i]);
	complete_all(&pp.go);
	for (i = 0; i < 2; i++)
		wait_for_completion(&pp.done[i]);
out:
	for (i = 0; i < 2; i++)
		if (!IS_ERR_OR_NULL(threads[i]))
			kthread_stop(threads[i]);
	if (!pp.nr_chunks)
		return 0;
	sort(pp.chunk_ns, pp.nr_chunks, sizeof(pp.chunk_ns[0]), bench_compare_u32, NULL);
	return pp.chunk_ns[pp.nr_chunks / 2];
}
