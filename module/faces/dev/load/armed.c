// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that wait before they start, see armed.h. An event stands for each task. A cancel fires the
 * event, and the event's function calls that of the task, which finds out that it is cancelled.
 *
 * An event that waits for a file is fired at once. Its function, not the submit, begins to watch
 * the file and arms the event: a submit holds a lock, and the poll of a file may sleep. From then
 * on each fire, and the end of the time, call the function, which looks at the file again.
 */
#include "faces/dev/load/armed.h"

#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/wpool_event.h>

/* An event that stands for a task. I: set before the event is armed or fired. */
struct wpool_devarmed {
	struct wpool_hrevent event;
	struct wpool_task *task;	/* I: task whose functions are called; never submitted */
	struct file *file;	/* I: file to wait for; NULL: wait for a time */
	ktime_t until;	/* I: with a file: when the wait ends at the latest */
	struct wpool_watch watch;	/* watches @file; only the event's function uses it */
	bool cancelled;	/* the task was cancelled: wait no longer for @file; set before a fire */
};

static struct wpool_devarmed *armed_of(struct wpool_event *event)
{
	return container_of(event, struct wpool_devarmed, event.event);
}

static void armed_end(struct wpool_devarmed *armed, int status)
{
	/* also ends a watch that a dead worker has begun; does nothing without a watch */
	wpool_watch_end(&armed->watch);
	if (status)
		armed->task->abort(armed->task, status);
	else
		armed->task->func(armed->task);
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
	if (armed->file && !READ_ONCE(armed->cancelled))
		status = await_file(armed);
	if (status != -EINPROGRESS)
		armed_end(armed, status);
}

static void armed_abort(struct wpool_event *event, int status)
{
	armed_end(armed_of(event), status);
}

size_t wpool_devarmed_bytes(void)
{
	return sizeof(struct wpool_devarmed);
}

static int set_file(struct wpool_devarmed *armed, u64 fd, const struct file_operations *own)
{
	armed->file = fd <= INT_MAX ? fget(fd) : NULL;
	if (!armed->file)
		return -EBADF;
	/* a file with a reference to itself would survive its last close */
	if (armed->file->f_op == own)
		return -ELOOP;
	return file_can_poll(armed->file) ? 0 : -EPERM;
}

struct wpool_devarmed *wpool_devarmed_create(struct wpool *pool, struct wpool_task *task,
					     bool urgent, const u64 *fd,
					     const struct file_operations *own)
{
	struct wpool_devarmed *armed = kzalloc(sizeof(*armed), GFP_KERNEL_ACCOUNT);
	int err = armed ? 0 : -ENOMEM;

	if (!err && fd)
		err = set_file(armed, *fd, own);
	if (err) {
		wpool_devarmed_free(armed);
		return ERR_PTR(err);
	}
	wpool_hrevent_init(&armed->event, pool, armed_run, armed_abort);
	wpool_task_set_urgent(&armed->event.event.task, urgent);
	armed->task = task;
	return armed;
}

void wpool_devarmed_free(struct wpool_devarmed *armed)
{
	if (armed && armed->file)
		fput(armed->file);
	kfree(armed);
}

void wpool_devarmed_start(struct wpool_devarmed *armed, u64 wait_ns)
{
	if (armed->file) {
		armed->until = ktime_add_ns(ktime_get(), wait_ns);
		wpool_event_fire(&armed->event.event);
	} else {
		wpool_hrevent_arm(&armed->event, ns_to_ktime(wait_ns));
	}
}

void wpool_devarmed_cancel(struct wpool_devarmed *armed)
{
	WRITE_ONCE(armed->cancelled, true);
	wpool_event_fire(&armed->event.event);
}
