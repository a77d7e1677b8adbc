// SPDX-License-Identifier: GPL-2.0
/*
 * An open /dev/wpool: the pool it is attached to, read, poll and wait.
 *
 * Invariants:
 *   - a file is attached to one pool for all its life and holds a reference
 *     to it, which keeps the memory, not the pool open;
 *   - its memory lives until it is closed and its last task is freed, so tasks
 *     hold no reference each;
 *   - nobody is woken who would not find something: readers if there is a record
 *     or no unfinished task, waiters if there is no unfinished task.
 *
 * What the tasks are and how they end is in devtask.c.
 */
#include "devfile.h"

#include <linux/atomic.h>
#include <linux/freezer.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/wait_bit.h>
#include <linux/wpool.h>

#include "chardev.h"
#include "devtask.h"

/* Records copied to user space at a time; the array is on the stack. */
#define READ_CHUNK	16U

/* Files whose memory is not freed yet: they outlive their struct file. */
static atomic_t nr_files;

void wpool_devfile_free(struct wpool_devfile *file)
{
	wpool_put(file->pool);
	mutex_destroy(&file->cancel_mutex);
	mutex_destroy(&file->attach_mutex);
	kfree(file);
	if (atomic_dec_and_test(&nr_files))
		wake_up_var(&nr_files);
}

bool wpool_devfile_is_last(const struct wpool_devfile *file)
	__must_hold(&file->lock)
{
	lockdep_assert_held(&file->lock);
	return file->closed && !file->nr_items;
}

/*
 * The counts are written before the queues are looked at, and a sleeper is on
 * its queue before it looks at the counts: wq_has_sleeper() has the barrier
 * that pairs with set_current_state() in wait_event(), and, for poll, with
 * the one in wpool_devfile_poll():A.
 */
void wpool_devfile_wake(struct wpool_devfile *file)
	__must_hold(&file->lock)
{
	lockdep_assert_held(&file->lock);
	if ((file->nr_unread || !file->nr_unfinished) &&
	    wq_has_sleeper(&file->readers))
		wake_up_interruptible_poll(&file->readers,
					   EPOLLIN | EPOLLRDNORM);
	if (!file->nr_unfinished && wq_has_sleeper(&file->waiters))
		wake_up(&file->waiters);
}

static bool file_readable(const struct wpool_devfile *file)
{
	return READ_ONCE(file->nr_unread) || !READ_ONCE(file->nr_unfinished);
}

/* What is there, without sleeping. */
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
		u32 nr = wpool_devtask_take(file, max, &taken, records, idle);

		if (!nr)
			break;
		if (copy_to_user(buf + done, records, nr * sizeof(records[0]))) {
			wpool_devtask_return(file, &taken, nr);
			return done ?: -EFAULT;
		}
		wpool_devtask_drop(file, &taken);
		done += nr * sizeof(records[0]);
		/* there may be more as fast as they are read */
		if (signal_pending(current))
			break;
		cond_resched();
	}
	return done;
}

ssize_t wpool_devfile_read(struct wpool_devfile *file, char __user *buf,
			   size_t count, bool nonblock)
{
	ssize_t ret;
	bool idle;
	int err;

	if (count < sizeof(struct wpool_dev_record))
		return -EINVAL;
	/* far more than there can be, and no overflow in what is returned */
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

__poll_t wpool_devfile_poll(struct wpool_devfile *file, struct file *opened,
			    poll_table *table)
{
	poll_wait(opened, &file->readers, table);
	/*
	 * A: on the queue before the counts are read; pairs with wpool_devfile_wake().
	 * Without it a task that ends now could be missed by both.
	 */
	smp_mb();
	return file_readable(file) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* As wait_event_freezable_timeout(), to the moment and not to the tick. */
static int wait_until(struct wpool_devfile *file, ktime_t until)
{
	DEFINE_WAIT(wait);
	int err = 0;

	for (;;) {
		prepare_to_wait(&file->waiters, &wait,
				TASK_INTERRUPTIBLE | TASK_FREEZABLE);
		if (!READ_ONCE(file->nr_unfinished) || err)
			break;
		/* not to be restarted: that would be with the whole time again */
		if (signal_pending(current))
			err = -EINTR;
		else if (!schedule_hrtimeout_range(&until, current->timer_slack_ns,
						   HRTIMER_MODE_ABS))
			err = -ETIME;
	}
	finish_wait(&file->waiters, &wait);
	return READ_ONCE(file->nr_unfinished) ? err : 0;
}

int wpool_devfile_wait(struct wpool_devfile *file, u64 timeout_ns)
{
	if (timeout_ns)
		return wait_until(file, wpool_chardev_deadline(timeout_ns));
	return wait_event_freezable(file->waiters,
				    !READ_ONCE(file->nr_unfinished));
}

void wpool_devfile_stats(struct wpool_devfile *file,
			 struct wpool_dev_stats *stats)
{
	spin_lock(&file->lock);
	/* a submit that is under way learns last what it got accepted */
	stats->file_submitted = max(file->nr_accepted, file->nr_finished);
	stats->file_finished = file->nr_finished;
	stats->file_unread = file->nr_unread;
	memcpy(stats->queue_ns, file->queue_ns, sizeof(stats->queue_ns));
	memcpy(stats->run_ns, file->run_ns, sizeof(stats->run_ns));
	spin_unlock(&file->lock);
}

int wpool_devfile_attach_begin(struct wpool_devfile *file)
{
	if (mutex_lock_interruptible(&file->attach_mutex))
		return -ERESTARTSYS;
	if (!wpool_devfile_pool(file))
		return 0;
	mutex_unlock(&file->attach_mutex);
	return -EISCONN;
}

void wpool_devfile_attach_end(struct wpool_devfile *file, struct wpool *pool)
{
	lockdep_assert_held(&file->attach_mutex);
	if (pool) {
		spin_lock(&file->lock);
		file->pool = pool;
		spin_unlock(&file->lock);
	}
	mutex_unlock(&file->attach_mutex);
}

struct wpool *wpool_devfile_pool(struct wpool_devfile *file)
{
	struct wpool *pool;

	spin_lock(&file->lock);
	pool = file->pool;
	spin_unlock(&file->lock);
	return pool;
}

struct wpool_devfile *wpool_devfile_create(void)
{
	struct wpool_devfile *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&file->lock);
	INIT_LIST_HEAD(&file->unfinished);
	INIT_LIST_HEAD(&file->done);
	INIT_LIST_HEAD(&file->submits);
	init_waitqueue_head(&file->readers);
	init_waitqueue_head(&file->waiters);
	mutex_init(&file->attach_mutex);
	mutex_init(&file->cancel_mutex);
	atomic_inc(&nr_files);
	return file;
}

void wpool_devfile_close(struct wpool_devfile *file)
{
	bool last;

	wpool_devtask_close(file);

	/* from here on the last task frees the file, unless there is none */
	spin_lock(&file->lock);
	file->closed = true;
	last = wpool_devfile_is_last(file);
	spin_unlock(&file->lock);
	if (last)
		wpool_devfile_free(file);
}

int wpool_devfile_init(void)
{
	return wpool_devtask_init();
}

void wpool_devfile_exit(void)
{
	/*
	 * No file is open and every task was told to end, but the default pool's
	 * may not have got round to it.
	 */
	wait_var_event(&nr_files, !atomic_read(&nr_files));
	wpool_devtask_exit();
}
