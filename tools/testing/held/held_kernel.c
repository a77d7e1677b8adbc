// SPDX-License-Identifier: GPL-2.0
/*
 * A real-time thread queues works on its own CPU, and polls until all of them have run, or for
 * hold_ms: the load of a driver beside a program that polls on a CPU. The init function returns
 * when the works have run. Parameters show the results:
 *
 *	ran_meanwhile	how many works had run when the thread stopped to poll
 *	ran		how many in the end
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#ifdef HELD_WPOOL
#include <linux/wpool_wq.h>
#endif

#define NR_WORKS	8

static unsigned int cpu = 1;
module_param(cpu, uint, 0444);
MODULE_PARM_DESC(cpu, "the CPU that the thread keeps");

static unsigned int hold_ms = 2000;
module_param(hold_ms, uint, 0444);
MODULE_PARM_DESC(hold_ms, "how long it polls at most");

static int ran_meanwhile;
module_param(ran_meanwhile, int, 0444);
MODULE_PARM_DESC(ran_meanwhile, "set here: works that ran while it polled");

static int ran;
module_param(ran, int, 0444);
MODULE_PARM_DESC(ran, "set here: works that ran");

static struct workqueue_struct *queue;
static struct work_struct works[NR_WORKS];
static atomic_t nr_run;
static DECLARE_COMPLETION(let_go);

static void count(struct work_struct *work)
{
	atomic_inc(&nr_run);
}

static int poll_for_itself(void *data)
{
	u64 end = ktime_get_ns() + hold_ms * (u64)NSEC_PER_MSEC;
	int i;

	sched_set_fifo(current);
	for (i = 0; i < NR_WORKS; i++)
		queue_work_on(cpu, queue, &works[i]);
	while (atomic_read(&nr_run) < NR_WORKS && ktime_get_ns() < end)
		cpu_relax();
	ran_meanwhile = atomic_read(&nr_run);
	complete(&let_go);
	return 0;
}

static int __init held_init(void)
{
	struct task_struct *thread;
	int i;

	if (!cpu_online(cpu))
		return -ENODEV;
	queue = alloc_workqueue("held", WQ_PERCPU, 0);
	if (!queue)
		return -ENOMEM;
	for (i = 0; i < NR_WORKS; i++)
		INIT_WORK(&works[i], count);
	thread = kthread_create(poll_for_itself, NULL, "held/%u", cpu);
	if (IS_ERR(thread)) {
		destroy_workqueue(queue);
		return PTR_ERR(thread);
	}
	kthread_bind(thread, cpu);
	get_task_struct(thread);
	wake_up_process(thread);
	wait_for_completion(&let_go);
	kthread_stop(thread);
	put_task_struct(thread);
	destroy_workqueue(queue);
	ran = atomic_read(&nr_run);
	return 0;
}

static void __exit held_exit(void)
{
}

module_init(held_init);
module_exit(held_exit);

MODULE_DESCRIPTION("Test: works on a CPU that a thread keeps for itself");
MODULE_LICENSE("GPL");
