// SPDX-License-Identifier: GPL-2.0
/*
 * The reaper, see reaper.h. It calls no function of a pool's owner, which could be slow: it
 * passes a worker that died on to tidy.c.
 */
#include "workers/reaper.h"

#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/sched.h>

#include "core/reap_queue.h"
#include "core/state.h"
#include "core/tidy_queue.h"
#include "task/finish.h"
#include "workers/create.h"

#define FIRST_LOOK_NS	(20 * NSEC_PER_USEC)

/* Workers taken from the queue whose threads have not ended yet. */
static LIST_HEAD(ending);

static struct task_struct *thread;

/*
 * Skip workers whose thread has not ended yet: at a low priority on a busy CPU that may take long,
 * and other workers wait to be reaped. True if there are any.
 */
static bool reap_all(void)
{
	struct wpool_worker *w, *next;

	wpool_reap_workers(&ending);
	list_for_each_entry_safe(w, next, &ending, dead_node) {
		/* set in do_exit(): from then on the thread never runs the module's code */
		if (!READ_ONCE(w->thread->exit_state))
			continue;
		list_del(&w->dead_node);
		if (!w->leaving || w->in_hook) {
			/* not in tidy.c, which may take long: other pools may wait for it */
			wpool_finish_forget(w->thread);
			wpool_tidy_worker(w);
		} else {
			wpool_worker_reap(w);
		}
	}
	return !list_empty(&ending);
}

/*
 * A thread has some microseconds to go once it is in the list, so the first look comes soon: the
 * end of a pool waits for it. Those that do not get their CPU are looked at once a tick.
 */
static void wait_for_end(u64 *ns)
{
	ktime_t time = ns_to_ktime(*ns);

	schedule_hrtimeout(&time, HRTIMER_MODE_REL);
	*ns = min(2 * *ns, (u64)TICK_NSEC);
}

static int reaper_main(void *unused)
{
	u64 ns = FIRST_LOOK_NS;
	bool more = false;

	/* wpool_destroy() waits for the reaper */
	set_user_nice(current, MIN_NICE);
	for (;;) {
		/* before the lists are checked: a wake-up after the check is not lost */
		set_current_state(TASK_IDLE);
		if (wpool_reap_is_empty()) {
			if (kthread_should_stop())
				break;
			if (more)
				wait_for_end(&ns);
			else
				schedule();
		}
		__set_current_state(TASK_RUNNING);

		more = reap_all();
		if (!more)
			ns = FIRST_LOOK_NS;
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

int wpool_reaper_init(void)
{
	thread = kthread_create(reaper_main, NULL, "wpool_reaper");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	wpool_reap_attach(thread);
	wake_up_process(thread);
	return 0;
}

void wpool_reaper_exit(void)
{
	kthread_stop(thread);
}
