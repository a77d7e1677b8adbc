// SPDX-License-Identifier: GPL-2.0
/*
 * Read, poll and wait of an open /dev/wpool, see read.h.
 *
 * A thread is woken only if its wait is over: a reader if there is a record or no unfinished task,
 * a waiter if there is no unfinished task. The barrier devread_poll:A is explained in file.c.
 */
#include "faces/dev/load/read.h"

#include <linux/freezer.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "faces/dev/load/file.h"
#include "faces/dev/load/item.h"

/* The most records copied to user space at a time; the array is on the stack. */
#define READ_CHUNK	16U

static bool file_readable(const struct wpool_devfile *file)
{
	return READ_ONCE(file->nr_unread) || !READ_ONCE(file->nr_unfinished);
}

/*
 * Take the oldest records, @max at most. Their items go to the caller's list @taken, so that no
 * other thread frees them. @idle: out: there is no record, and no task is unfinished.
 */
static u32 records_take(struct wpool_devfile *file, u32 max, struct list_head *taken,
			struct wpool_dev_record *records, bool *idle)
{
	struct wpool_devitem *item;
	u32 nr = 0;

	spin_lock(&file->lock);
	while (nr < max && !list_empty(&file->done)) {
		item = list_first_entry(&file->done, struct wpool_devitem, node);
		list_move_tail(&item->node, taken);
		records[nr++] = (struct wpool_dev_record) {
			.cookie = item->cookie,
			.status = item->status,
			.cpu = item->cpu,
			.submit_ns = item->submit_ns,
			.start_ns = item->start_ns,
			.end_ns = item->end_ns,
		};
	}
	WRITE_ONCE(file->nr_unread, file->nr_unread - nr);
	*idle = !nr && !file->nr_unfinished;
	spin_unlock(&file->lock);
	return nr;
}

/* Put back records that the reader could not get; they become the oldest again. */
static void records_return(struct wpool_devfile *file, struct list_head *taken, u32 nr)
{
	spin_lock(&file->lock);
	list_splice(taken, &file->done);
	WRITE_ONCE(file->nr_unread, file->nr_unread + nr);
	wpool_devfile_wake(file);
	spin_unlock(&file->lock);
}

/* Copy the records that exist now, without a wait for further ones. */
static ssize_t records_read(struct wpool_devfile *file, char __user *buf,
			    size_t count, bool *idle)
{
	struct wpool_dev_record records[READ_CHUNK];
	size_t done = 0;

	*idle = false;
	while (count - done >= sizeof(records[0])) {
		u32 max = min_t(size_t, READ_CHUNK,
				(count - done) / sizeof(records[0]));
		LIST_HEAD(taken);
		u32 nr = records_take(file, max, &taken, records, idle);

		if (!nr)
			break;
		if (copy_to_user(buf + done, records, nr * sizeof(records[0]))) {
			records_return(file, &taken, nr);
			return done ?: -EFAULT;
		}
		spin_lock(&file->lock);
		wpool_devitem_drop(file, &taken);
		spin_unlock(&file->lock);
		done += nr * sizeof(records[0]);
		/* let a signal end the loop: tasks may finish as fast as their records are read */
		if (signal_pending(current))
			break;
		cond_resched();
	}
	return done;
}

ssize_t wpool_devread(struct wpool_devfile *file, char __user *buf,
		      size_t count, bool nonblock)
{
	ssize_t ret;
	bool idle;
	int err;

	if (count < sizeof(struct wpool_dev_record))
		return -EINVAL;
	/* INT_MAX bytes hold far more records than can exist, and fit the return value */
	count = min_t(size_t, count, INT_MAX);
	for (;;) {
		ret = records_read(file, buf, count, &idle);
		if (ret || idle)
			return ret;
		if (nonblock)
			return -EAGAIN;
		err = wait_event_freezable(file->readers, file_readable(file));
		if (err)
			return err;
	}
}

__poll_t wpool_devread_poll(struct wpool_devfile *file, struct file *opened,
			    poll_table *table)
{
	poll_wait(opened, &file->readers, table);
	/*
	 * devread_poll:A, the poller joins the queue, then reads the counts; pairs with
	 * devfile_wake:A. Without the barrier both sides could miss a task that ends now.
	 */
	smp_mb();
	return file_readable(file) ? EPOLLIN | EPOLLRDNORM : 0;
}

int wpool_devread_wait(struct wpool_devfile *file, u64 timeout_ns)
{
	ktime_t timeout = min_t(u64, timeout_ns, KTIME_MAX);
	int err;

	if (!timeout_ns)
		return wait_event_freezable(file->waiters, !READ_ONCE(file->nr_unfinished));
	/* the kernel has no freezable form of this macro */
	err = __wait_event_hrtimeout(file->waiters, !READ_ONCE(file->nr_unfinished), timeout,
				     (TASK_INTERRUPTIBLE | TASK_FREEZABLE));
	/* a restart would wait for the whole time again */
	return err == -ERESTARTSYS ? -EINTR : err;
}
