// SPDX-License-Identifier: GPL-2.0
/*
 * The tasks of an open /dev/wpool: submit, cancel, close. item.c decides how a task ends.
 *
 * Invariants:
 *   - a caller of wpool_task_cancel() or wpool_workload_stop() holds the file's lock and has found
 *     the item on the list of unfinished ones. So neither the item nor the thread that runs it can
 *     end before the caller drops the lock;
 *   - an event may stand for a task until the task starts, and ends it in any case;
 *   - a task that was not accepted leaves no record: while tasks are being submitted, a cancel only
 *     stops their workloads.
 */
#include "faces/dev/load/task.h"

#include <linux/file.h>
#include <linux/ktime.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wpool_group.h>

#include "core/state.h"
#include "faces/dev/load/file.h"
#include "faces/dev/load/item.h"
#include "faces/dev/load/workload.h"
#include "task/submit.h"
#include "task/tokens.h"

/* The most tasks handed to the pool at a time; the array is on the stack. */
#define SUBMIT_CHUNK	64U

/* Tasks that are being handed over */
struct submit {
	struct list_head node;	/* L: on file->submits */
	u64 first;	/* I: @seq of the first task */
	u32 nr;	/* I: number of tasks */
};

static struct wpool_devitem *item_of(struct wpool_task *task)
{
	return container_of(task, struct wpool_devitem, task);
}

/* ---- items that wait before they start ---- */

/*
 * An item waits for a time or a file without a worker: an event waits in place of the task. When
 * the wait is over, or the item was cancelled, the event calls the task's function, in a task of
 * the pool; otherwise the abort function, with an error of wpool_watch_file(), -ETIME if the file
 * was not ready in time, or a status of &typedef wpool_event_abort_fn. Then the event frees itself.
 * A cancel makes the item's record and fires the event; the task's function finds the record.
 *
 * An event that waits for a file is fired at once. Its function, not the submit, begins to watch
 * the file and arms the event: a submit holds a lock, and the poll of a file may sleep. From then
 * on each fire, and the end of the time, call the function, which looks at the file again.
 */
static struct wpool_devarmed *armed_of(struct wpool_event *event)
{
	return container_of(event, struct wpool_devarmed, event.event);
}

/* Free an event that was not started, or has ended. */
static void armed_free(struct wpool_devarmed *armed)
{
	if (armed && armed->file)
		fput(armed->file);
	kfree(armed);
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
	armed_free(armed);
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

/*
 * Allocate the event of a timer or a poll. Returns 0; -ENOMEM; -EBADF; -EPERM: the file cannot be
 * polled; -ELOOP: it is a /dev/wpool.
 */
static int armed_create(struct wpool_devitem *item)
{
	struct wpool_devarmed *armed = kzalloc(sizeof(*armed), GFP_KERNEL_ACCOUNT);
	int err = armed ? 0 : -ENOMEM;

	if (!err && item->load.kind == WPOOL_WORK_POLL)
		err = set_file(armed, item);
	if (err) {
		armed_free(armed);
		return err;
	}
	wpool_hrevent_init(&armed->event, item->load.pool, armed_run, armed_abort);
	wpool_task_set_urgent(&armed->event.event.task, item->task.flags & WPOOL_TASK_URGENT);
	armed->item = item;
	item->armed = armed;
	return 0;
}

static void armed_start(struct wpool_devarmed *armed)
{
	if (armed->file) {
		armed->until = ktime_add_ns(ktime_get(), WPOOL_MAX_WORK_NS);
		wpool_event_fire(&armed->event.event);
	} else {
		wpool_hrevent_arm(&armed->event, ns_to_ktime(armed->item->load.arg));
	}
}

/* ---- submit ---- */

/* Add the new items in order, until one would exceed the file's limits. */
static void submit_begin(struct wpool_devfile *file, struct submit *submit,
			 struct wpool_task **tasks, u32 nr)
{
	u32 i;

	spin_lock(&file->lock);
	submit->first = file->next_seq;
	for (i = 0; i < nr && wpool_devitem_add(item_of(tasks[i])); i++)
		;
	submit->nr = i;
	list_add(&submit->node, &file->submits);
	spin_unlock(&file->lock);
}

/* The pool accepted the first @nr_accepted tasks; only this thread still uses the others. */
static void submit_end(struct wpool_devfile *file, struct submit *submit,
		       struct wpool_task **tasks, u32 nr_accepted)
{
	u32 i;

	spin_lock(&file->lock);
	list_del(&submit->node);
	file->nr_accepted += nr_accepted;
	for (i = nr_accepted; i < submit->nr; i++)
		wpool_devitem_take_back(item_of(tasks[i]));
	spin_unlock(&file->lock);
}

static bool is_submitting(struct wpool_devfile *file, const struct wpool_devitem *item)
	__must_hold(&file->lock)
{
	struct submit *submit;

	list_for_each_entry(submit, &file->submits, node)
		if (item->seq - submit->first < submit->nr)
			return true;
	return false;
}

/* May the submitter run its tasks itself? The policy run never changes. */
static bool may_run(const struct wpool *pool, unsigned int flags)
{
	return READ_ONCE(pool->policy) == WPOOL_RUN && !(flags & WPOOL_BATCH_TRY);
}

/*
 * Submit tasks in order, one by one: to @group, their file's, or without a group as tasks that
 * prefer @cpu, or, if that is -1, as a batch of one. A submitter that may run tasks handles a
 * signal after each. Returns how many were accepted, or -errno.
 */
static int submit_each(struct wpool *pool, struct wpool_group *group, int cpu,
		       struct wpool_task *const *tasks, u32 nr, unsigned int flags)
{
	bool nonblock = flags & WPOOL_BATCH_TRY, runs = may_run(pool, flags);
	int err = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		struct wpool_group_task *member = &item_of(tasks[i])->member;

		if (group)
			err = nonblock ? wpool_group_try_submit(group, member) :
					 wpool_group_submit_interruptible(group, member);
		else if (cpu < 0)
			err = min(wpool_submit_batch(pool, &tasks[i], 1, flags), 0);
		else
			err = nonblock ? wpool_try_submit_on(pool, cpu, tasks[i]) :
					 wpool_submit_on_state(pool, cpu, tasks[i],
							       TASK_INTERRUPTIBLE | TASK_FREEZABLE);
		if (err || (runs && signal_pending(current))) {
			i += !err;
			break;
		}
	}
	return i ?: err;
}

static int submit_chunk(struct wpool_devfile *file, struct wpool *pool,
			const struct wpool_dev_work *works, u32 nr,
			unsigned int flags, int cpu)
{
	struct wpool_group *group = wpool_devfile_group(file);
	struct wpool_task *tasks[SUBMIT_CHUNK];
	struct submit submit;
	u32 accepted, i;
	u64 now;
	int ret;

	if (wpool_devitem_alloc(tasks, nr))
		return -ENOMEM;
	now = ktime_get_ns();
	for (i = 0; i < nr; i++)
		wpool_devitem_init(item_of(tasks[i]), file, &works[i], pool, now, group);

	submit_begin(file, &submit, tasks, nr);
	ret = -ENOBUFS;
	/* an accepted item may end, and be freed, at any time from here on */
	if (submit.nr && (group || cpu >= 0 || may_run(pool, flags)))
		ret = submit_each(pool, group, cpu, tasks, submit.nr, flags);
	else if (submit.nr)
		ret = wpool_submit_batch(pool, tasks, submit.nr, flags);
	accepted = max(ret, 0);
	submit_end(file, &submit, tasks, accepted);
	wpool_devitem_free_new(&tasks[accepted], nr - accepted);
	return ret;
}

/* Is this task started by an event, or by the strand of the file? */
static bool is_started_later(const struct wpool_dev_work *work)
{
	return work->kind == WPOOL_WORK_TIMER || work->kind == WPOOL_WORK_STRAND ||
	       work->kind == WPOOL_WORK_POLL;
}

/* Returns 0 or -ESHUTDOWN. */
static int start_later(struct wpool_devitem *item)
{
	if (!wpool_devitem_waits(item))
		return wpool_strand_try_submit(&item->turn);
	armed_start(item->armed);
	return 0;
}

/* Submit timers, polls and tasks of the strand. */
static int submit_for_later(struct wpool_devfile *file, struct wpool *pool,
			    const struct wpool_dev_work *works, u32 max)
{
	struct wpool_task *tasks[SUBMIT_CHUNK];
	struct wpool_devitem *item;
	u32 i, nr, added;
	int err = 0;
	u64 now;

	if (wpool_refuses(pool))
		return -ESHUTDOWN;
	if (wpool_devitem_alloc(tasks, max))
		return -ENOMEM;
	now = ktime_get_ns();
	for (nr = 0; nr < max; nr++) {
		item = item_of(tasks[nr]);
		wpool_devitem_init(item, file, &works[nr], pool, now, false);
		err = wpool_devitem_waits(item) ? armed_create(item) : 0;
		if (err)
			break;
	}

	/* under the lock no task ends, or is cancelled, between its add and its start */
	spin_lock(&file->lock);
	for (added = 0; added < nr; added++) {
		item = item_of(tasks[added]);
		if (!wpool_devitem_add(item)) {
			err = -ENOBUFS;
			break;
		}
		err = start_later(item);
		if (err) {
			wpool_devitem_take_back(item);
			break;
		}
	}
	file->nr_accepted += added;
	spin_unlock(&file->lock);
	for (i = added; i < nr; i++)
		if (wpool_devitem_waits(item_of(tasks[i])))
			armed_free(item_of(tasks[i])->armed);
	wpool_devitem_free_new(&tasks[added], max - added);
	return added ?: err;
}

/* How many of the first tasks are alike, as is_started_later() tells? */
static u32 chunk_of(const struct wpool_dev_work *works, u32 nr)
{
	bool later = is_started_later(&works[0]);
	u32 n = 1;

	while (n < min(nr, SUBMIT_CHUNK) && is_started_later(&works[n]) == later)
		n++;
	return n;
}

static bool may_submit_on(struct wpool_devfile *file, const struct wpool_dev_work *works, u32 nr)
{
	u32 i;

	for (i = 0; i < nr && !is_started_later(&works[i]); i++)
		;
	return i == nr && !wpool_devfile_group(file);
}

int wpool_devtask_submit(struct wpool_devfile *file,
			 const struct wpool_dev_work *works, u32 nr,
			 bool nonblock, int cpu, u32 *accepted)
{
	unsigned int flags = nonblock ? WPOOL_BATCH_TRY :
					WPOOL_BATCH_INTERRUPTIBLE;
	struct wpool *pool = wpool_devfile_pool(file);

	*accepted = 0;
	if (cpu >= 0 && !may_submit_on(file, works, nr))
		return -EINVAL;
	while (*accepted < nr) {
		const struct wpool_dev_work *chunk = works + *accepted;
		u32 want = chunk_of(chunk, nr - *accepted);
		int ret = is_started_later(chunk) ?
			  submit_for_later(file, pool, chunk, want) :
			  submit_chunk(file, pool, chunk, want, flags, cpu);

		if (ret < 0 && !*accepted)
			return ret == -EINTR ? -ERESTARTSYS : ret;
		if (ret < 0)
			break;
		*accepted += ret;
		if (ret < want || signal_pending(current))
			break;
		cond_resched();
	}
	return 0;
}

/* ---- cancel ---- */

/* Cancel an item; true if it was queued and will not run. */
static bool item_cancel(struct wpool_devitem *item)
	__must_hold(&item->file->lock)
{
	lockdep_assert_held(&item->file->lock);
	if (is_submitting(item->file, item))
		return false;
	if (wpool_devitem_is_plain(item) ? !wpool_task_cancel(&item->task) : item->started)
		return false;
	wpool_devitem_record(item, -ECANCELED, ktime_get_ns());
	/* after the record, which the event's function looks for */
	if (wpool_devitem_waits(item))
		wpool_event_fire(&item->armed->event.event);
	return true;
}

/* Stop an item. Returns true: it runs, is about to run, or may not be accepted yet. */
static bool item_stop(struct wpool_devitem *item)
	__must_hold(&item->file->lock)
{
	lockdep_assert_held(&item->file->lock);
	wpool_workload_stop(&item->load);
	return true;
}

/*
 * Call @act once for each unfinished item that has a number below @end and, if @cookie is not NULL,
 * that cookie. May drop the lock between two calls: an item that ends meanwhile takes itself off.
 */
static u32 items_walk(struct wpool_devfile *file, const u64 *cookie, u64 end,
		      bool (*act)(struct wpool_devitem *item))
	__must_hold(&file->lock)
{
	struct wpool_devitem *item;
	LIST_HEAD(ahead);
	u32 nr = 0;

	lockdep_assert_held(&file->cancel_mutex);
	lockdep_assert_held(&file->lock);
	list_splice_init(&file->unfinished, &ahead);
	while (!list_empty(&ahead)) {
		item = list_first_entry(&ahead, struct wpool_devitem, node);
		list_move_tail(&item->node, &file->unfinished);
		if (item->seq < end && (!cookie || item->cookie == *cookie))
			nr += act(item);
		cond_resched_lock(&file->lock);
	}
	return nr;
}

/* Cancel queued items first, so that a stopped worker does not start one of them. */
static void items_cancel(struct wpool_devfile *file, const u64 *cookie,
			 u32 *cancelled, u32 *stopped)
	__must_hold(&file->lock)
{
	struct wpool_group *group = wpool_devfile_group(file);
	u64 end = file->next_seq;

	lockdep_assert_held(&file->lock);
	if (!cookie && group)
		wpool_group_cancel(group);
	*cancelled = items_walk(file, cookie, end, item_cancel);
	*stopped = items_walk(file, cookie, end, item_stop);
}

int wpool_devtask_cancel(struct wpool_devfile *file, const u64 *cookie,
			 u32 *cancelled, u32 *stopped)
{
	if (mutex_lock_interruptible(&file->cancel_mutex))
		return -ERESTARTSYS;
	spin_lock(&file->lock);
	items_cancel(file, cookie, cancelled, stopped);
	spin_unlock(&file->lock);
	mutex_unlock(&file->cancel_mutex);
	return cookie && !*cancelled && !*stopped ? -ENOENT : 0;
}

void wpool_devtask_close(struct wpool_devfile *file)
{
	u32 cancelled, stopped;
	LIST_HEAD(unread);
	bool last;

	mutex_lock(&file->cancel_mutex);
	spin_lock(&file->lock);
	/* tasks that end from here on leave no record, and none frees the file before this call */
	file->closing = true;
	file->nr_items++;
	list_splice_init(&file->done, &unread);
	wpool_devitem_drop(file, &unread);
	items_cancel(file, NULL, &cancelled, &stopped);
	spin_unlock(&file->lock);
	mutex_unlock(&file->cancel_mutex);

	/* from here on the last task frees the file; if no task is left, this call does */
	spin_lock(&file->lock);
	file->nr_items--;
	last = wpool_devfile_is_last(file);
	spin_unlock(&file->lock);
	if (last)
		wpool_devfile_free(file);
}

