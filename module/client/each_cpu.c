// SPDX-License-Identifier: GPL-2.0
/*
 * A function on each CPU: wpool_on_each_cpu().
 *
 * There is a task for each CPU, which is queued there. A worker of another CPU may take it
 * nevertheless, so a task does not belong to a CPU. Each task that starts takes one CPU out
 * of round->left, its own if that is still there, and, if it is another one, moves its
 * worker there. A worker may do that: it is asleep meanwhile, so that its run queue is handed
 * over, and finds in its next look for work that it is not at home (rehome() in worker.c).
 *
 * While the function runs its CPU does not go offline: the task holds cpu_hotplug_lock, not
 * the caller, since what is queued before the tasks may want it, too. So a CPU that has gone
 * offline before its turn is left out.
 *
 * The caller waits until all tasks have ended. The last touch of the round is the call of
 * complete().
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/wpool.h>
#include <linux/wpool_parallel.h>

#include "core/current.h"
#include "core/state.h"
#include "task/submit.h"

/**
 * struct visit - a task of a round
 * @task: the task
 * @round: I: the round
 * @cpu: I: where it is queued
 */
struct visit {
	struct wpool_task task;
	struct round *round;
	int cpu;
};

/**
 * struct round - a call of wpool_on_each_cpu()
 * @fn: I: the caller's function
 * @arg: I: its argument
 * @left: X: CPUs that no task has taken; as many as tasks have not started
 * @nr_left: X: the caller, and tasks that have not ended
 * @error: X: why a task did not run, or -EIO
 * @ended: K: @nr_left is 0
 * @visits: the tasks
 *
 * I: constant from the first submit on; X: atomic operations; K: does its own locking.
 */
struct round {
	wpool_arg_fn fn;
	void *arg;
	cpumask_var_t left;
	refcount_t nr_left;
	int error;
	struct completion ended;
	struct visit visits[];
};

static void leave_round(struct round *round)
{
	if (refcount_dec_and_test(&round->nr_left))
		complete(&round->ended);
}

/* Take a CPU, this one if nobody has: there is one for each task. */
static int take_cpu(struct round *round)
{
	int cpu = raw_smp_processor_id();

	while (!cpumask_test_and_clear_cpu(cpu, round->left))
		cpu = wpool_next_bit(cpumask_bits(round->left), nr_cpu_ids, 0);
	return cpu;
}

/* Move this worker to a CPU that is online and stays so; its loop sends it home. */
static bool go_to(int cpu)
{
	if (!cpu_online(cpu))
		return false;
	if (raw_smp_processor_id() == cpu && current->nr_cpus_allowed == 1)
		return true;
	return !set_cpus_allowed_ptr(current, cpumask_of(cpu)) && raw_smp_processor_id() == cpu;
}

/* The function of a task, which only workers run: no policy runs it in its submitter. */
static void visit_cpu(struct wpool_task *task)
{
	struct round *round = container_of(task, struct visit, task)->round;
	int cpu = take_cpu(round);

	/* shown for the worker */
	WRITE_ONCE(wpool_worker_self()->func, round->fn);
	cpus_read_lock();
	if (go_to(cpu))
		round->fn(round->arg);
	cpus_read_unlock();
	leave_round(round);
}

/* It was cancelled, or its worker died in the function. */
static void visit_ends(struct wpool_task *task, int status)
{
	struct round *round = container_of(task, struct visit, task)->round;

	if (status == -EIO)
		/* what the worker held; nobody watches locks after an oops */
		cpus_read_unlock();
	cmpxchg(&round->error, 0, status);
	leave_round(round);
}

/* The tasks, for the CPUs that are online and that the pool may use; returns how many. */
static u32 place_round(struct round *round, struct wpool *pool)
{
	struct wpool_runq *rq;
	struct visit *next;
	u32 nr = 0;
	int cpu;

	/* while the mask changes from one CPU to another, neither may be in it */
	mutex_lock(&pool->tune_mutex);
	for_each_online_cpu(cpu) {
		rq = wpool_runq(pool, cpu);
		if (!rq || READ_ONCE(rq->redirect))
			continue;
		next = &round->visits[nr++];
		wpool_task_init_abortable(&next->task, visit_cpu, visit_ends, NULL);
		next->round = round;
		next->cpu = cpu;
		cpumask_set_cpu(cpu, round->left);
	}
	mutex_unlock(&pool->tune_mutex);
	return nr;
}

static int submit_all(struct wpool *pool, struct round *round, u32 nr)
{
	int err = 0;
	u32 i;

	for (i = 0; i < nr && !err; i++) {
		refcount_inc(&round->nr_left);
		err = wpool_submit_waiting_on(pool, round->visits[i].cpu,
					      &round->visits[i].task);
		if (err)
			leave_round(round);
	}
	return err;
}

int wpool_on_each_cpu(struct wpool *pool, wpool_arg_fn fn, void *arg)
{
	struct wpool_worker *w = wpool_worker_current();
	struct round *round;
	int err = -ENOMEM;

	might_sleep();
	if (IS_ERR_OR_NULL(pool) || !fn)
		return -EINVAL;
	if (w && w->pool == pool)
		return -EDEADLK;
	wpool_lockdep_wait(pool);
	round = kvmalloc(struct_size(round, visits, nr_cpu_ids), GFP_KERNEL);
	if (!round)
		return -ENOMEM;
	if (!zalloc_cpumask_var(&round->left, GFP_KERNEL))
		goto out;
	round->fn = fn;
	round->arg = arg;
	round->error = 0;
	refcount_set(&round->nr_left, 1);
	init_completion(&round->ended);
	err = submit_all(pool, round, place_round(round, pool));
	leave_round(round);
	wait_for_completion(&round->ended);
	err = err ?: round->error;
	free_cpumask_var(round->left);
out:
	kvfree(round);
	return err;
}
EXPORT_SYMBOL_GPL(wpool_on_each_cpu);
