// SPDX-License-Identifier: GPL-2.0
/*
 * Items that wait before they start, see armed.h. A cancel makes the item's record and fires the
 * event, and the event's function calls that of the task, which finds the record.
 *
 * An event that waits for a file is fired at once. Its function, not the submit, begins to watch
 * the file and arms the event: a submit holds a lock, and the poll of a file may sleep. From then
 * on each fire, and the end of the time, call the function, which looks at the file again.
 */
#include "faces/dev/load/armed.h"

#include <linux/file.h>
#include <linux/ktime.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "faces/dev/load/item.h"

static struct wpool_devarmed *armed_of(struct wpool_event *event)
{
	return container_of(event, struct wpool_devarmed, event.event);
}

static void armed_end(struct wpool_devarmed *armed, int status)
{
	struct wpool_task *task = &armed->item->task;

	/* also ends a watch that a dead worker has begun; does nothing without a watch */
	wpool_watch_end(&armed->watch);
	if (status)
		task->abort(task, status);
	else
		task->func(task);
	/* until this call a cancel may fire the event */
	wpool_event_finish(&armed->event.event);
	wpool_devarmed_free(armed);
}

/* Returns 0: start the task; -EINPROGRESS: keep waiting; another errno: end the task with it. */
static int await_file(struct wpool_devarmed *armed)
{
	int err = wpool_watch_file(&armed->watch, &armed->event.event, armed->file, EPOLLIN);

	/* -EBUSY: the watch has begun before */
	if (err && err != -EBUSY)
		return err;
	if (wpool_watch_ready(&armed->watch))
		return 0;
	if (wpool_event_timed_out(&armed->event.event))
		return -ETIME;
	wpool_hrevent_arm_at(&armed->event, armed->until);
	return -EINPROGRESS;
}

static void armed_run(struct wpool_event *event)
{
	struct wpool_devarmed *armed = armed_of(event);
	int status = 0;

	/* a cancel after this check fires the event again */
	if (armed->file && !READ_ONCE(armed->item->recorded))
		status = await_file(armed);
	if (status != -EINPROGRESS)
		armed_end(armed, status);
}

static void armed_abort(struct wpool_event *event, int status)
{
	armed_end(armed_of(event), status);
}

static int set_file(struct wpool_devarmed *armed, const struct wpool_devitem *item)
{
	armed->file = item->load.arg <= INT_MAX ? fget(item->load.arg) : NULL;
	if (!armed->file)
		return -EBADF;
	/* a file with a reference to itself would survive its last close */
	if (armed->file->f_op == item->file->ops)
		return -ELOOP;
	return file_can_poll(armed->file) ? 0 : -EPERM;
}

int wpool_devarmed_create(struct wpool_devitem *item)
{
	struct wpool_devarmed *armed = kzalloc(sizeof(*armed), GFP_KERNEL_ACCOUNT);
	int err = armed ? 0 : -ENOMEM;

	if (!err && item->load.kind == WPOOL_WORK_POLL)
		err = set_file(armed, item);
	if (err) {
		wpool_devarmed_free(armed);
		return err;
	}
	wpool_hrevent_init(&armed->event, item->load.pool, armed_run, armed_abort);
	wpool_task_set_urgent(&armed->event.event.task, item->task.flags & WPOOL_TASK_URGENT);
	armed->item = item;
	item->armed = armed;
	return 0;
}

void wpool_devarmed_free(struct wpool_devarmed *armed)
{
	if (armed && armed->file)
		fput(armed->file);
	kfree(armed);
}

void wpool_devarmed_start(struct wpool_devarmed *armed)
{
	if (armed->file) {
		armed->until = ktime_add_ns(ktime_get(), WPOOL_MAX_WORK_NS);
		wpool_event_fire(&armed->event.event);
	} else {
		wpool_hrevent_arm(&armed->event, ns_to_ktime(armed->item->load.arg));
	}
}
