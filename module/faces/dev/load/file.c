// SPDX-License-Identifier: GPL-2.0
/*
 * An open /dev/wpool: its memory, the pool to which it is attached, its counts.
 *
 * Invariants:
 *   - once attached, a file stays attached to its pool, and holds a reference, which keeps the
 *     pool's memory but does not keep the pool open;
 *   - the memory of a file lives until the file is closed and its last task is freed, so the tasks
 *     hold no references.
 *
 * Barrier pair:
 *
 *   devfile_wake:A  the counts are written, full barrier, look for sleepers
 *                   <-> devread_poll:A (read.c), and set_current_state() in
 *                   wait_event(): a sleeper joins the queue, full barrier, then it
 *                   reads the counts. Either the sleeper sees the new counts, or the
 *                   writer sees the sleeper, and wakes it. Without the barriers the
 *                   sleeper could miss the wake-up.
 *
 * The tasks are in task.c, and how they end is in item.c.
 */
#include "faces/dev/load/file.h"

#include <linux/atomic.h>
#include <linux/lockdep.h>
#include <linux/memcontrol.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wait_bit.h>

#include "pool/pool.h"
#include "workers/cgroup.h"

/* Number of struct wpool_devfile not freed yet; each may outlive its struct file. */
static atomic_t nr_files;

static void free_file(struct wpool_devfile *file)
{
	wpool_put(file->pool);
	mutex_destroy(&file->cancel_mutex);
	mutex_destroy(&file->attach_mutex);
	mem_cgroup_put(file->memcg);
	kfree(file);
	if (atomic_dec_and_test(&nr_files))
		wake_up_var(&nr_files);
}

static void file_free_late(struct work_struct *work)
{
	struct wpool_devfile *file = container_of(work, struct wpool_devfile, free_work);

	/*
	 * Both wait until the functions of all tasks have returned. The first ignores a group that
	 * was never set up.
	 */
	wpool_group_exit(&file->group);
	wpool_strand_destroy(&file->strand);
	free_file(file);
}

void wpool_devfile_free(struct wpool_devfile *file)
{
	if (file->has_group || file->has_strand)
		queue_work(wpool_free_wq, &file->free_work);
	else
		free_file(file);
}

bool wpool_devfile_is_last(const struct wpool_devfile *file)
	__must_hold(&file->lock)
{
	lockdep_assert_held(&file->lock);
	return file->closing && !file->nr_items;
}

/* devfile_wake:A is in wq_has_sleeper(). */
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

void wpool_devfile_stats(struct wpool_devfile *file,
			 struct wpool_dev_stats *stats)
{
	spin_lock(&file->lock);
	/* tasks of a submit in progress may have finished, but are not in nr_accepted yet */
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
		wpool_strand_init(&file->strand, pool, WPOOL_UNLIMITED);
		/* the strand is ready; pairs with the acquire in wpool_devfile_pool() */
		smp_store_release(&file->pool, pool);
	}
	mutex_unlock(&file->attach_mutex);
}

int wpool_devfile_group_init(struct wpool_devfile *file, u32 max_outstanding, unsigned int what)
{
	int err = -EISCONN;

	if (mutex_lock_interruptible(&file->attach_mutex))
		return -ERESTARTSYS;
	if (!wpool_devfile_group(file)) {
		/* no owner: an open file pins the module, whose exit waits for files */
		err = wpool_group_init(&file->group, wpool_devfile_pool(file), max_outstanding,
				       NULL);
		if (!err && what)
			err = wpool_group_act_for_me(&file->group, what);
		if (err)
			wpool_group_exit(&file->group);
		file->group_has_memcg = what & WPOOL_AS_MEMCG;
		/* @group is ready; pairs with the acquire in wpool_devfile_group() */
		smp_store_release(&file->has_group, !err);
	}
	mutex_unlock(&file->attach_mutex);
	return err;
}

struct wpool_devfile *wpool_devfile_create(const struct file_operations *ops, bool is_limited)
{
	struct wpool_devfile *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return ERR_PTR(-ENOMEM);
	file->ops = ops;
	file->is_limited = is_limited;
	file->memcg = wpool_cgroup_get_memcg(current);
	spin_lock_init(&file->lock);
	INIT_LIST_HEAD(&file->unfinished);
	INIT_LIST_HEAD(&file->done);
	INIT_LIST_HEAD(&file->submits);
	init_waitqueue_head(&file->readers);
	init_waitqueue_head(&file->waiters);
	mutex_init(&file->attach_mutex);
	mutex_init(&file->cancel_mutex);
	INIT_WORK(&file->free_work, file_free_late);
	atomic_inc(&nr_files);
	return file;
}

void wpool_devfile_exit(void)
{
	/* no file is open, and all tasks were told to end, but some may not have ended yet */
	wait_var_event(&nr_files, !atomic_read(&nr_files));
}
