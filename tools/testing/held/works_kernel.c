// SPDX-License-Identifier: GPL-2.0
/* Works that count their runs, on a workqueue that is bound to CPUs. */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include "held.h"
#ifdef HELD_WPOOL
#include <linux/wpool_wq.h>
#define HELD_WORKS	held_on_wpool
#else
#define HELD_WORKS	held_on_kernel
#endif

#define NR_WORKS	8

static struct workqueue_struct *queue;
static struct work_struct works[NR_WORKS];
static struct delayed_work delayed;
static atomic_t nr_run;

static void count(struct work_struct *work)
{
	atomic_inc(&nr_run);
}

static int create(void)
{
	int i;

	for (i = 0; i < NR_WORKS; i++)
		INIT_WORK(&works[i], count);
	INIT_DELAYED_WORK(&delayed, count);
	queue = alloc_workqueue("held", WQ_PERCPU, 0);
	return queue ? 0 : -ENOMEM;
}

static void queue_all(int cpu)
{
	int i;

	for (i = 0; i < NR_WORKS; i++)
		queue_work_on(cpu, queue, &works[i]);
}

static int ran(void)
{
	return atomic_read(&nr_run);
}

/* The CPU of the timer of a delayed work that the caller queues. */
static int timer_cpu(void)
{
	int cpu;

	queue_delayed_work(queue, &delayed, HZ * 3600);
	cpu = delayed.timer.flags & TIMER_CPUMASK;
	cancel_delayed_work_sync(&delayed);
	return cpu;
}

static void destroy(void)
{
	destroy_workqueue(queue);
}

const struct held_works HELD_WORKS = {
	.create = create, .queue = queue_all, .ran = ran, .timer_cpu = timer_cpu,
	.destroy = destroy,
};
