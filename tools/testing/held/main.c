// SPDX-License-Identifier: GPL-2.0
/*
 * A real-time thread queues works on its own CPU, and then keeps this CPU until it is told to stop,
 * as a program that polls beside a driver does. Parameters:
 *
 *	hold		1 starts the thread, 0 stops it
 *	on_kernel	how many of the 8 works on the kernel's workqueue have run
 *	on_wpool	how many of the 8 works on wpool_wq's workqueue have run
 *	timer_on_wpool	CPU of the timer of a delayed work of wpool_wq that the reader queues
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include "held.h"

#define CPU	1

static struct task_struct *thread;

static int poll_for_itself(void *data)
{
	sched_set_fifo(current);
	held_on_kernel.queue(CPU);
	held_on_wpool.queue(CPU);
	while (!kthread_should_stop())
		cpu_relax();
	return 0;
}

static int hold_set(const char *value, const struct kernel_param *param)
{
	struct task_struct *new;
	bool hold;
	int err;

	err = kstrtobool(value, &hold);
	if (err || hold == !!thread)
		return err;
	if (!hold) {
		kthread_stop(thread);
		thread = NULL;
		return 0;
	}
	if (!cpu_online(CPU))
		return -ENODEV;
	new = kthread_create(poll_for_itself, NULL, "held/%u", CPU);
	if (IS_ERR(new))
		return PTR_ERR(new);
	kthread_bind(new, CPU);
	wake_up_process(new);
	thread = new;
	return 0;
}

static const struct kernel_param_ops hold_ops = { .set = hold_set };
module_param_cb(hold, &hold_ops, NULL, 0200);
MODULE_PARM_DESC(hold, "1: a thread keeps CPU 1, 0: it ends");

static int ran_get(char *buffer, const struct kernel_param *param)
{
	const struct held_works *works = param->arg;

	return sysfs_emit(buffer, "%d\n", works->ran());
}

static const struct kernel_param_ops ran_ops = { .get = ran_get };
module_param_cb(on_kernel, &ran_ops, (void *)&held_on_kernel, 0444);
MODULE_PARM_DESC(on_kernel, "set here: works on the kernel's workqueue that ran");
module_param_cb(on_wpool, &ran_ops, (void *)&held_on_wpool, 0444);
MODULE_PARM_DESC(on_wpool, "set here: works on that of wpool_wq that ran");

static int timer_get(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%d\n", held_on_wpool.timer_cpu());
}

static const struct kernel_param_ops timer_ops = { .get = timer_get };
module_param_cb(timer_on_wpool, &timer_ops, NULL, 0444);
MODULE_PARM_DESC(timer_on_wpool, "set here: CPU of the timer of a delayed work");

static int __init held_init(void)
{
	int err = held_on_kernel.create();

	if (err)
		return err;
	err = held_on_wpool.create();
	if (err)
		held_on_kernel.destroy();
	return err;
}

static void __exit held_exit(void)
{
	if (thread)
		kthread_stop(thread);
	held_on_wpool.destroy();
	held_on_kernel.destroy();
}

module_init(held_init);
module_exit(held_exit);

MODULE_DESCRIPTION("Test: works on a CPU that a thread keeps for itself");
MODULE_LICENSE("GPL");
