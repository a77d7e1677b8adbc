// SPDX-License-Identifier: GPL-2.0
/*
 * Shuffle: at random moments, threads of this module and of wpoolctl that submit and wait are moved
 * among CPUs. Either all of them leave one CPU, which may then sleep, or some of them are sent to
 * one CPU. Workers are bound to their home CPU, so only the pool may move them: tpool_tune().
 *
 * The idea is from torture_shuffle_tasks() in Linux's kernel/torture.c.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "torture.h"

#define MAX_THREADS	256

static struct task_struct *shuffler;
static struct cpumask *mask;
static struct task_struct **threads;
static u64 nr_moves;

static bool is_to_move(const struct task_struct *t)
{
	if (t->flags & PF_NO_SETAFFINITY)
		return false;
	if (t->flags & PF_KTHREAD)
		return str_has_prefix(t->comm, "torture/");
	return str_has_prefix(t->comm, "wpoolctl");
}

/* Fill threads[], with a reference to each. Returns how many there are. */
static u32 find_threads(void)
{
	struct task_struct *process, *t;
	u32 nr = 0;

	rcu_read_lock();
	for_each_process_thread(process, t)
		if (nr < MAX_THREADS && is_to_move(t))
			threads[nr++] = get_task_struct(t);
	rcu_read_unlock();
	return nr;
}

/*
 * Move each thread with a chance of 1 in @one_in. The caller holds cpus_read_lock(), or a kernel
 * thread might be sent to a CPU that goes offline: it would stay there, and the kernel would warn.
 */
static void move(struct rnd *rnd, u32 one_in)
{
	u32 nr = find_threads(), i;

	for (i = 0; i < nr; i++) {
		if (rnd_one_in(rnd, one_in) && !set_cpus_allowed_ptr(threads[i], mask))
			nr_moves++;
		put_task_struct(threads[i]);
	}
}

static u32 some_online_cpu(struct rnd *rnd)
{
	u32 n = rnd_below(rnd, num_online_cpus());
	int cpu;

	for_each_online_cpu(cpu)
		if (!n--)
			return cpu;
	return 0;
}

static void move_threads(struct rnd *rnd)
{
	u32 cpu;

	cpus_read_lock();
	cpu = some_online_cpu(rnd);
	if (rnd_one_in(rnd, 3)) {
		cpumask_clear(mask);
		cpumask_set_cpu(cpu, mask);
		move(rnd, 3);
	} else {
		cpumask_copy(mask, cpu_online_mask);
		cpumask_clear_cpu(cpu, mask);
		/* threads cannot leave the only CPU */
		if (!cpumask_empty(mask))
			move(rnd, 1);
	}
	cpus_read_unlock();
}

static int shuffle_main(void *data)
{
	struct rnd rnd;
	u64 n = 0;

	while (!kthread_should_stop()) {
		rnd_step(&rnd, seed, RND_SHUFFLE, n++);
		move_threads(&rnd);
		if (stutter_wanted())
			stutter_stay();
		msleep(rnd_from_to(&rnd, 1, shuffle));
	}
	return 0;
}

u32 shuffle_start(void)
{
	if (!shuffle)
		return 0;
	mask = kzalloc(cpumask_size(), GFP_KERNEL);
	threads = kcalloc(MAX_THREADS, sizeof(*threads), GFP_KERNEL);
	if (!torture_check(mask && threads, "no memory"))
		return 0;
	shuffler = kthread_run(shuffle_main, NULL, "torture_shuffle");
	if (!torture_check(!IS_ERR(shuffler), "no thread: %ld", PTR_ERR(shuffler))) {
		shuffler = NULL;
		return 0;
	}
	return 1;
}

void shuffle_stop(void)
{
	if (shuffler) {
		kthread_stop(shuffler);
		pr_info("wpool_torture: shuffle: %llu moves\n", nr_moves);
	}
	kfree(threads);
	kfree(mask);
}
