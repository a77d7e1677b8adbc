// SPDX-License-Identifier: GPL-2.0
/*
 * The tasks of an open /dev/wpool, and the records that they become.
 *
 * Each accepted descriptor has one item, which is task and record in one. It is
 * allocated before the submit, so that nothing can fail when the task ends. Tasks are
 * abortable: the pool ends each task once, by its function or by its abort function,
 * even if the task is cancelled or its worker dies.
 *
 *             submit                 function, abort
 *   (nothing) ------> unfinished ----------------------> recorded ----> (freed)
 *                      |                                   ^       read
 *                      | cancelled while queued            | abort
 *                      +-------------------> recorded, ----+
 *                                            still in the pool
 *
 * Invariants:
 *   - an item is on a list of its file while it is unfinished or its record is
 *     unread. It is freed when it is on no list and the pool has let go of it.
 *     A cancelled task gets its record at once, but stays in the pool's queue
 *     until a worker finds it, which may be much later;
 *   - nr_items, which bounds the memory of a file, is at most WPOOL_MAX_INFLIGHT,
 *     apart from items that a submit has not added yet;
 *   - a caller of wpool_task_cancel() or wpool_workload_stop() holds the
 *     file's lock and has found the item on the list of unfinished ones. So neither
 *     the item nor the thread that runs it can end before the caller lets go;
 *   - an event (armed.c) or a turn of a strand (strand.c) stands for a task until it
 *     starts, and ends it in any case;
 *   - a task of the file's group that is cancelled does not run, because its function
 *     finds its record. It may free the last item, but not the file;
 *   - a task that was not accepted leaves no record: a cancel only marks the
 *     tasks of a submit that is under way.
 *
 * This file knows neither what the workloads do nor the structures of the ioctls.
 */
#include "faces/dev/task.h"

#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/wpool.h>

#include "core/state.h"
#include "faces/dev/armed.h"
#include "faces/dev/file.h"
#include "faces/dev/strand.h"
#include "faces/dev/workload.h"

/* Tasks handed to the pool at a time; the array is on the stack. */
#define SUBMIT_CHUNK	64U

/* wpool_dev_record.cpu of a task that never ran */
#define CPU_NONE	((u32)-1)

/**
 * struct item - a task of a file, and its record when it has ended
 * @task: the task
 * @member: the same, of the file's group
 * @node: L: on file->unfinished, file->done or a local list; empty if on none
 * @file: I: the file
 * @load: I: what the task does; has rules of its own
 * @armed: I: what waits instead of the task before it starts, or NULL
 * @turn: I: the same for a task of the file's strand
 * @seq: I: number among the tasks of the file
 * @cookie: I: cookie of the descriptor
 * @submit_ns: I: when it was handed over
 * @start_ns: E: when it started; 0 if it did not
 * @end_ns: L: when it ended
 * @cpu: E: where it started, later where it ended
 * @status: L: how it ended
 * @is_member: I: @member is used
 * @silent: I: no record
 * @started: L: a task of the group has begun to run
 * @recorded: L: it has ended as far as the file is concerned
 * @in_pool: L: the pool may still touch it
 *
 * I: set before it is submitted. L: file->lock. E: the thread that runs the task,
 * or ends it instead; read under file->lock once it is recorded.
 */
struct item {
	union {
		struct wpool_task task;
		struct wpool_group_task member;
	};
	struct list_head node;
	struct wpool_devfile *file;
	struct wpool_workload load;
	struct wpool_devarmed *armed;
	struct wpool_devturn *turn;
	u64 seq;
	u64 cookie;
	u64 submit_ns;
	u64 start_ns;
	u64 end_ns;
	u32 cpu;
	s32 status;
	bool is_member;
	bool silent;
	bool started;
	bool recorded;
	bool in_pool;
};

/* kmem_cache_alloc_bulk() fills an array that then holds the tasks */
static_assert(offsetof(struct item, task) == 0);

/**
 * struct submit - tasks that are being handed over
 * @node: L: on file->submits
 * @first: I: number of the first task
 * @nr: I: how many
 */
struct submit {
	struct list_head node;
	u64 first;
	u32 nr;
};

static struct kmem_cache *item_cache;

/* Called under the lock: when nr_items is 0, all items are really freed. */
static void item_free(struct item *item)
	__must_hold(&item->file->lock)
{
	struct wpool_devfile *file = item->file;

	lockdep_assert_held(&file->lock);
	kmem_cache_free(item_cache, item);
	file->nr_items--;
}

static void hist_add(u64 *hist, u64 ns)
{
	hist[min_t(u32, ilog2(ns | 1), WPOOL_DEV_HIST_BUCKETS - 1)]++;
}

/* The task has ended as far as its file is concerned: make the record. */
static void item_record(struct item *item, int status, u64 end_ns)
	__must_hold(&item->file->lock)
{
	struct wpool_devfile *file = item->file;

	lockdep_assert_held(&file->lock);
	item->recorded = true;
	item->status = status;
	item->end_ns = end_ns;
	if (item->start_ns) {
		hist_add(file->queue_ns, item->start_ns - item->submit_ns);
		hist_add(file->run_ns, end_ns - item->start_ns);
	}
	file->bytes -= wpool_workload_bytes(&item->load);
	file->nr_finished++;
	WRITE_ONCE(file->nr_unfinished, file->nr_unfinished - 1);
	if (file->closing) {
		/* nobody is left to wake */
		list_del_init(&item->node);
		return;
	}
	if (item->silent) {
		list_del_init(&item->node);
	} else {
		list_move_tail(&item->node, &file->done);
		WRITE_ONCE(file->nr_unread, file->nr_unread + 1);
	}
	wpool_devfile_wake(file);
}

/* The pool lets go of a task. */
static void item_end(struct item *item, int status)
{
	struct wpool_devfile *file = item->file;
	u64 now = ktime_get_ns();
	bool last;

	spin_lock(&file->lock);
	if (!item->recorded)
		item_record(item, status, now);
	item->in_pool = false;
	if (list_empty(&item->node))
		item_free(item);
	last = wpool_devfile_is_last(file);
	spin_unlock(&file->lock);

	if (last)
		wpool_devfile_free(file);
}

/* Returns the status; the item may be gone. */
static int item_run(struct item *item)
{
	int status;

	item->cpu = raw_smp_processor_id();
	item->start_ns = ktime_get_ns();
	status = wpool_workload_run(&item->load);
	item->cpu = raw_smp_processor_id();
	item_end(item, status);
	return status;
}

/* One for each kind of work: tracepoints and reports name the function of a task. */
#define DEV_TASK(_name)							\
static void dev_##_name(struct wpool_task *task)			\
{									\
	item_run(container_of(task, struct item, task));		\
}

DEV_TASK(noop)
DEV_TASK(spin)
DEV_TASK(sleep)
DEV_TASK(yield)
DEV_TASK(touch)
DEV_TASK(hash)
DEV_TASK(lock)
DEV_TASK(tree)
DEV_TASK(fault)
DEV_TASK(timer)
DEV_TASK(strand)
DEV_TASK(poll)

static const wpool_task_fn task_fns[] = {
	[WPOOL_WORK_NOOP] = dev_noop,
	[WPOOL_WORK_SPIN] = dev_spin,
	[WPOOL_WORK_SLEEP] = dev_sleep,
	[WPOOL_WORK_YIELD] = dev_yield,
	[WPOOL_WORK_TOUCH] = dev_touch,
	[WPOOL_WORK_HASH] = dev_hash,
	[WPOOL_WORK_LOCK] = dev_lock,
	[WPOOL_WORK_TREE] = dev_tree,
	[WPOOL_WORK_FAULT] = dev_fault,
	[WPOOL_WORK_TIMER] = dev_timer,
	[WPOOL_WORK_STRAND] = dev_strand,
	[WPOOL_WORK_POLL] = dev_poll,
};

static void dev_task_abort(struct wpool_task *task, int status)
{
	item_end(container_of(task, struct item, task), status);
}

static int dev_member(struct wpool_group_task *task)
{
	struct item *item = container_of(task, struct item, member);

	spin_lock(&item->file->lock);
	item->started = !item->recorded;
	spin_unlock(&item->file->lock);
	if (item->started)
		return item_run(item);
	item_end(item, -ECANCELED);
	return -ECANCELED;
}

static void dev_member_abort(struct wpool_group_task *task, int status)
{
	item_end(container_of(task, struct item, member), status);
}

static void item_init(struct item *item, struct wpool_devfile *file,
		      const struct wpool_dev_work *work, struct wpool *pool,
		      u64 submit_ns, bool is_member)
{
	/* an open file pins the module, and the module's exit waits for items */
	if (is_member)
		wpool_group_task_init(&item->member, dev_member, dev_member_abort);
	else
		wpool_task_init_abortable(&item->task, task_fns[work->kind], dev_task_abort,
					  NULL);
	INIT_LIST_HEAD(&item->node);
	item->file = file;
	wpool_workload_init(&item->load, work, pool);
	item->armed = NULL;
	item->turn = NULL;
	item->cookie = work->cookie;
	item->submit_ns = submit_ns;
	item->start_ns = 0;
	item->end_ns = 0;
	item->cpu = CPU_NONE;
	item->status = 0;
	item->is_member = is_member;
	item->silent = work->flags & WPOOL_WORK_SILENT;
	item->started = false;
	item->recorded = false;
	item->in_pool = true;
}

/* May a new item be added to its file? */
static bool item_fits(struct item *item)
	__must_hold(&item->file->lock)
{
	struct wpool_devfile *file = item->file;

	lockdep_assert_held(&file->lock);
	return file->nr_items < WPOOL_MAX_INFLIGHT &&
	       wpool_workload_bytes(&item->load) <= WPOOL_MAX_FILE_BYTES - file->bytes;
}

static void item_add(struct item *item)
	__must_hold(&item->file->lock)
{
	struct wpool_devfile *file = item->file;

	lockdep_assert_held(&file->lock);
	item->seq = file->next_seq++;
	file->nr_items++;
	file->bytes += wpool_workload_bytes(&item->load);
	list_add_tail(&item->node, &file->unfinished);
	WRITE_ONCE(file->nr_unfinished, file->nr_unfinished + 1);
}

/* Add as many of the new items as the file's limits allow, a prefix. */
static void submit_begin(struct wpool_devfile *file, struct submit *submit,
			 struct wpool_task **tasks, u32 nr)
{
	u32 i;

	spin_lock(&file->lock);
	submit->first = file->next_seq;
	for (i = 0; i < nr && item_fits(container_of(tasks[i], struct item, task)); i++)
		item_add(container_of(tasks[i], struct item, task));
	submit->nr = i;
	list_add(&submit->node, &file->submits);
	spin_unlock(&file->lock);
}

/* The pool accepted the first few; nobody else has seen the others. */
static void submit_end(struct wpool_devfile *file, struct submit *submit,
		       struct wpool_task **tasks, u32 nr_accepted)
{
	u32 i;

	spin_lock(&file->lock);
	list_del(&submit->node);
	file->nr_accepted += nr_accepted;
	for (i = nr_accepted; i < submit->nr; i++) {
		struct item *item = container_of(tasks[i], struct item, task);

		file->bytes -= wpool_workload_bytes(&item->load);
		list_del(&item->node);
		item_free(item);
	}
	if (nr_accepted < submit->nr) {
		WRITE_ONCE(file->nr_unfinished, file->nr_unfinished -
			   (submit->nr - nr_accepted));
		wpool_devfile_wake(file);
	}
	spin_unlock(&file->lock);
}

/* Does this item belong to a submit that is under way? */
static bool is_submitting(struct wpool_devfile *file, const struct item *item)
	__must_hold(&file->lock)
{
	struct submit *submit;

	list_for_each_entry(submit, &file->submits, node)
		if (item->seq - submit->first < submit->nr)
			return true;
	return false;
}

/* Submit tasks to the group of their file; how many were accepted, a prefix, or -errno. */
static int submit_members(struct wpool_group *group, struct wpool_task *const *tasks, u32 nr,
			  bool nonblock)
{
	int err = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		struct item *item = container_of(tasks[i], struct item, task);

		err = nonblock ? wpool_group_try_submit(group, &item->member) :
				 wpool_group_submit_interruptible(group, &item->member);
		if (err)
			break;
	}
	return i ?: err;
}

static int submit_chunk(struct wpool_devfile *file, struct wpool *pool,
			const struct wpool_dev_work *works, u32 nr,
			unsigned int flags)
{
	struct wpool_group *group = wpool_devfile_group(file);
	struct wpool_task *tasks[SUBMIT_CHUNK];
	struct submit submit;
	u64 now;
	int ret;
	u32 i;

	if (!kmem_cache_alloc_bulk(item_cache, GFP_KERNEL, nr, (void **)tasks))
		return -ENOMEM;
	now = ktime_get_ns();
	for (i = 0; i < nr; i++)
		item_init(container_of(tasks[i], struct item, task), file,
			  &works[i], pool, now, group);

	submit_begin(file, &submit, tasks, nr);
	if (submit.nr < nr)
		kmem_cache_free_bulk(item_cache, nr - submit.nr,
				     (void **)&tasks[submit.nr]);

	ret = -ENOBUFS;
	/* from here on accepted items belong to their tasks */
	if (submit.nr && group)
		ret = submit_members(group, tasks, submit.nr, flags & WPOOL_BATCH_TRY);
	else if (submit.nr)
		ret = wpool_submit_batch(pool, tasks, submit.nr, flags);
	submit_end(file, &submit, tasks, max(ret, 0));
	return ret;
}

/* Is it a task for which something else stands before it starts? */
static bool is_stood_for(const struct wpool_dev_work *work)
{
	return work->kind == WPOOL_WORK_TIMER || work->kind == WPOOL_WORK_STRAND ||
	       work->kind == WPOOL_WORK_POLL;
}

/* The strand of a file, which it gets with the first task that needs it; or NULL. */
static struct wpool_devstrand *strand_of(struct wpool_devfile *file, struct wpool *pool)
{
	struct wpool_devstrand *strand;

	if (!READ_ONCE(file->strand)) {
		strand = wpool_devstrand_create(pool);
		/* another thread may have been faster */
		if (strand && cmpxchg(&file->strand, NULL, strand))
			wpool_devstrand_free(strand);
	}
	return READ_ONCE(file->strand);
}

static int turn_create(struct item *item, struct wpool *pool)
{
	struct wpool_devstrand *strand = strand_of(item->file, pool);

	if (strand)
		item->turn = wpool_devturn_create(strand, &item->task, dev_strand, dev_task_abort);
	return item->turn ? 0 : -ENOMEM;
}

static int armed_create(struct item *item, struct wpool *pool)
{
	item->armed = wpool_devarmed_create(pool, &item->task, task_fns[item->load.kind],
					    dev_task_abort);
	return item->armed ? 0 : -ENOMEM;
}

static void stand_in_free(struct item *item)
{
	wpool_devarmed_free(item->armed);
	wpool_devturn_free(item->turn);
}

/* Allocate what stands for a task. Returns 0, -ENOMEM, or what is wrong with the file. */
static int stand_in_create(struct item *item, struct wpool *pool)
{
	int err;

	if (item->load.kind == WPOOL_WORK_STRAND)
		return turn_create(item, pool);
	err = armed_create(item, pool);
	if (!err && item->load.kind == WPOOL_WORK_POLL)
		err = wpool_devarmed_set_file(item->armed, item->load.arg,
					      item->file->ops);
	if (err)
		stand_in_free(item);
	return err;
}

/* Returns 0 or -ESHUTDOWN. */
static int stand_in_start(struct item *item)
{
	if (item->turn)
		return wpool_devturn_start(item->turn);
	wpool_devarmed_start(item->armed, item->load.kind == WPOOL_WORK_POLL ?
					  WPOOL_MAX_WORK_NS : item->load.arg);
	return 0;
}

/* Submit tasks that events, or turns of the strand, stand for. */
static int submit_stand_ins(struct wpool_devfile *file, struct wpool *pool,
			    const struct wpool_dev_work *works, u32 max)
{
	struct wpool_task *tasks[SUBMIT_CHUNK];
	struct item *item;
	u32 i, nr, added;
	int err = 0;
	u64 now;

	if (wpool_is_closed(pool))
		return -ESHUTDOWN;
	if (!kmem_cache_alloc_bulk(item_cache, GFP_KERNEL, max, (void **)tasks))
		return -ENOMEM;
	now = ktime_get_ns();
	for (nr = 0; nr < max; nr++) {
		item = container_of(tasks[nr], struct item, task);
		item_init(item, file, &works[nr], pool, now, false);
		err = stand_in_create(item, pool);
		if (err)
			break;
	}
	if (nr < max)
		kmem_cache_free_bulk(item_cache, max - nr, (void **)&tasks[nr]);

	/* one section, so that none ends, or is cancelled, before it is added */
	spin_lock(&file->lock);
	for (added = 0; added < nr; added++) {
		item = container_of(tasks[added], struct item, task);
		err = item_fits(item) ? stand_in_start(item) : -ENOBUFS;
		if (err)
			break;
		item_add(item);
	}
	file->nr_accepted += added;
	spin_unlock(&file->lock);
	for (i = added; i < nr; i++) {
		item = container_of(tasks[i], struct item, task);
		stand_in_free(item);
		kmem_cache_free(item_cache, item);
	}
	return added ?: err;
}

/* How many descriptors at the front are stood for, or none is, up to a chunk? */
static u32 chunk_of(const struct wpool_dev_work *works, u32 nr)
{
	u32 n = 1;

	while (n < min(nr, SUBMIT_CHUNK) && is_stood_for(&works[n]) == is_stood_for(&works[0]))
		n++;
	return n;
}

int wpool_devtask_submit(struct wpool_devfile *file,
			 const struct wpool_dev_work *works, u32 nr,
			 bool nonblock, u32 *accepted)
{
	unsigned int flags = nonblock ? WPOOL_BATCH_TRY :
					WPOOL_BATCH_INTERRUPTIBLE;
	struct wpool *pool = wpool_devfile_pool(file);

	*accepted = 0;
	while (*accepted < nr) {
		const struct wpool_dev_work *chunk = works + *accepted;
		u32 want = chunk_of(chunk, nr - *accepted);
		int ret = is_stood_for(chunk) ?
			  submit_stand_ins(file, pool, chunk, want) :
			  submit_chunk(file, pool, chunk, want, flags);

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

/* The items stay on the caller's list, so that nobody frees them. */
u32 wpool_devtask_take(struct wpool_devfile *file, u32 max,
		       struct list_head *taken,
		       struct wpool_dev_record *records, bool *idle)
{
	struct item *item;
	u32 nr = 0;

	spin_lock(&file->lock);
	while (nr < max && !list_empty(&file->done)) {
		item = list_first_entry(&file->done, struct item, node);
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

void wpool_devtask_drop(struct wpool_devfile *file, struct list_head *taken)
{
	struct item *item, *next;

	spin_lock(&file->lock);
	list_for_each_entry_safe(item, next, taken, node) {
		list_del_init(&item->node);
		if (!item->in_pool)
			item_free(item);
	}
	spin_unlock(&file->lock);
}

void wpool_devtask_return(struct wpool_devfile *file, struct list_head *taken,
			  u32 nr)
{
	spin_lock(&file->lock);
	list_splice(taken, &file->done);
	WRITE_ONCE(file->nr_unread, file->nr_unread + nr);
	wpool_devfile_wake(file);
	spin_unlock(&file->lock);
}

/* Cancel an item; true if it was queued and will not run. */
static bool item_cancel(struct item *item, u64 now)
	__must_hold(&item->file->lock)
{
	lockdep_assert_held(&item->file->lock);
	if (item->armed) {
		if (!wpool_devarmed_cancel(item->armed))
			return false;
	} else if (item->turn) {
		if (!wpool_devturn_cancel(item->turn))
			return false;
	} else if (is_submitting(item->file, item)) {
		return false;
	} else if (item->is_member ? item->started : !wpool_task_cancel(&item->task)) {
		return false;
	}
	item_record(item, -ECANCELED, now);
	return true;
}

/* Stop an item; always true: it runs or is about to, or may not be accepted yet. */
static bool item_stop(struct item *item, u64 now)
	__must_hold(&item->file->lock)
{
	lockdep_assert_held(&item->file->lock);
	wpool_workload_stop(&item->load);
	return true;
}

/*
 * Call @act once for each unfinished item with a number below @end, and drop the
 * lock in between. An item that ends meanwhile takes itself off the list that it
 * is on.
 */
static u32 items_walk(struct wpool_devfile *file, const u64 *cookie, u64 end,
		      bool (*act)(struct item *item, u64 now))
	__must_hold(&file->lock)
{
	u64 now = ktime_get_ns();
	struct item *item;
	LIST_HEAD(ahead);
	u32 nr = 0;

	lockdep_assert_held(&file->cancel_mutex);
	lockdep_assert_held(&file->lock);
	list_splice_init(&file->unfinished, &ahead);
	while (!list_empty(&ahead)) {
		item = list_first_entry(&ahead, struct item, node);
		list_move_tail(&item->node, &file->unfinished);
		if (item->seq < end && (!cookie || item->cookie == *cookie))
			nr += act(item, now);
		cond_resched_lock(&file->lock);
	}
	return nr;
}

/* The queue first, so that a worker that is stopped finds nothing there. */
static void items_cancel(struct wpool_devfile *file, const u64 *cookie,
			 u32 *cancelled, u32 *stopped)
	__must_hold(&file->lock)
{
	u64 end = file->next_seq;

	lockdep_assert_held(&file->lock);
	if (!cookie && file->has_group)
		wpool_group_cancel(&file->group);
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
	struct item *item;

	mutex_lock(&file->cancel_mutex);
	spin_lock(&file->lock);
	/* tasks that end from here on leave no record */
	file->closing = true;
	while (!list_empty(&file->done)) {
		item = list_first_entry(&file->done, struct item, node);
		list_del_init(&item->node);
		if (!item->in_pool)
			item_free(item);
		cond_resched_lock(&file->lock);
	}
	items_cancel(file, NULL, &cancelled, &stopped);
	spin_unlock(&file->lock);
	mutex_unlock(&file->cancel_mutex);
}

int wpool_devtask_init(void)
{
	item_cache = kmem_cache_create("wpool_dev_task", sizeof(struct item), 0,
				       SLAB_HWCACHE_ALIGN | SLAB_ACCOUNT, NULL);
	return item_cache ? 0 : -ENOMEM;
}

void wpool_devtask_exit(void)
{
	kmem_cache_destroy(item_cache);
}
