// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that wait for a time before they start, see timer.h: an event each. A cancelled
 * one is fired, so that its function ends it, in a thread.
 */
#include "faces/dev/timer.h"

#include <linux/compiler.h>
#include <linux/gfp.h>
#include <linux/ktime.h>
#include <linux/slab.h>

/**
 * struct wpool_devtimer - an event that stands for a task
 * @event: the event
 * @task: I: the task
 * @run: I: its function
 * @abort: I: its abort function
 * @is_cancelled: set before the event is fired
 *
 * I: set before the event is armed.
 */
struct wpool_devtimer {
	struct wpool_hrevent event;
	struct wpool_task *task;
	wpool_task_fn run;
	wpool_abort_fn abort;
	bool is_cancelled;
};

static struct wpool_devtimer *timer_of(struct wpool_event *event)
{
	return container_of(event, struct wpool_devtimer, event.event);
}

static void timer_end(struct wpool_devtimer *timer, int status)
{
	if (status)
		timer->abort(timer->task, status);
	else
		timer->run(timer->task);
	/* until then it may be cancelled */
	wpool_event_finish(&timer->event.event);
	kfree(timer);
}

static void timer_run(struct wpool_event *event)
{
	struct wpool_devtimer *timer = timer_of(event);

	timer_end(timer, timer->is_cancelled ? -ECANCELED : 0);
}

static void timer_abort(struct wpool_event *event, int status)
{
	struct wpool_devtimer *timer = timer_of(event);

	timer_end(timer, timer->is_cancelled ? -ECANCELED : status);
}

struct wpool_devtimer *wpool_devtimer_create(struct wpool *pool, struct wpool_task *task,
					     wpool_task_fn run, wpool_abort_fn abort)
{
	struct wpool_devtimer *timer = kmalloc(sizeof(*timer), GFP_KERNEL_ACCOUNT);

	if (!timer)
		return NULL;
	wpool_hrevent_init(&timer->event, pool, timer_run, timer_abort);
	timer->task = task;
	timer->run = run;
	timer->abort = abort;
	timer->is_cancelled = false;
	return timer;
}

void wpool_devtimer_free(struct wpool_devtimer *timer)
{
	kfree(timer);
}

void wpool_devtimer_start(struct wpool_devtimer *timer, u64 delay_ns)
{
	wpool_hrevent_arm(&timer->event, ns_to_ktime(delay_ns));
}

bool wpool_devtimer_cancel(struct wpool_devtimer *timer)
{
	if (!wpool_event_cancel(&timer->event.event))
		return false;
	timer->is_cancelled = true;
	wpool_event_fire(&timer->event.event);
	return true;
}
