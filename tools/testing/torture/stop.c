// SPDX-License-Identifier: GPL-2.0
/* When threads stop: because the time of the phase is over, or the module is being unloaded. */
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include "torture.h"

static unsigned int seconds = 10;
module_param(seconds, uint, 0644);
MODULE_PARM_DESC(seconds, "how long the phase lasts; may be changed (default: 10)");

static DECLARE_COMPLETION(leaving);
static unsigned long begin;
static bool stopping;

void torture_begin(void)
{
	begin = jiffies;
}

bool torture_stopping(void)
{
	return READ_ONCE(stopping);
}

bool torture_pause(unsigned int ms)
{
	if (wait_for_completion_timeout(&leaving, msecs_to_jiffies(ms)) ||
	    time_after(jiffies, begin + READ_ONCE(seconds) * HZ))
		WRITE_ONCE(stopping, true);
	return !torture_stopping();
}

bool torture_leaving(void)
{
	return completion_done(&leaving);
}

void torture_leave(void)
{
	complete_all(&leaving);
}

void torture_await_leave(void)
{
	wait_for_completion(&leaving);
}

void torture_await_stop(void)
{
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ / 10);
}

void torture_stop_thread(struct task_struct *thread, struct completion *ended)
{
	if (!torture_check(wait_for_completion_timeout(ended, TORTURE_PATIENCE),
			   "%s does not end", thread->comm))
		torture_show_threads();
	kthread_stop(thread);
}
