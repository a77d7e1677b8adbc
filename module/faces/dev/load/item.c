// SPDX-License-Identifier: GPL-2.0
/*
 * A task of an open /dev/wpool: what it runs, how it ends, and how much of its file's memory it
 * uses. See item.h.
 */
#include "faces/dev/load/item.h"

#include <linux/atomic.h>
#include <linux/kcov.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "compat.h"

/* wpool_dev_record.cpu of a task that never ran */
#define CPU_NONE	((u32)-1)

/* wpool_devitem_alloc() uses the addresses of items as those of their tasks */
static_assert(offsetof(struct wpool_devitem, task) == 0);
/* wpool_devitem_init() makes @member and @turn urgent as @task */
static_assert(offsetof(struct wpool_devitem, member.task) == 0);
static_assert(offsetof(struct wpool_devitem, turn.task) == 0);
/* one more field would make the slab object half as large again */
static_assert(sizeof(struct wpool_devitem) <= 256 || IS_ENABLED(CONFIG_DEBUG_LOCK_ALLOC));

static struct kmem_cache *item_cache;

/*
 * The memory of all limited files, at most a quarter of the machine's. It covers the items of their
 * tasks, until the records are gone, and the memory that the tasks may allocate, until they end.
 */
static atomic64_t limited_bytes;

/*
 * The unfinished timers and polls of all limited files, and the polls among them. One softirq may
 * fire all timers, and one wake-up of a file, with interrupts off, all polls.
 */
static atomic_t limited_waits, limited_polls;
#define MAX_LIMITED_WAITS	65536

static u64 max_limited_bytes(void)
{
	return ((u64)totalram_pages() << PAGE_SHIFT) / 4;
}

static bool limited_get(const struct wpool_devfile *file, u64 bytes)
{
	if (!file->is_limited)
		return true;
	if (atomic64_add_return(bytes, &limited_bytes) <= max_limited_bytes())
		return true;
	atomic64_sub(bytes, &limited_bytes);
	return false;
}

static void limited_put(const struct wpool_devfile *file, u64 bytes)
{
	if (bytes && file->is_limited)
		atomic64_sub(bytes, &limited_bytes);
}

/* The memory of an item, and of the event that stands for its task. */
static u64 item_bytes(const struct wpool_devitem *item)
{
	return sizeof(*item) + (wpool_devitem_waits(item) ? sizeof(struct wpool_devarmed) : 0);
}

static void bytes_put(struct wpool_devfile *file, u64 bytes)
	__must_hold(&file->lock)
{
	lockdep_assert_held(&file->lock);
	limited_put(file, bytes);
	file->bytes -= bytes;
}

/* Free an item that is on no list and not in the pool. */
static void item_free(struct wpool_devitem *item)
	__must_hold(&item->file->lock)
{
	struct wpool_devfile *file = item->file;

	lockdep_assert_held(&file->lock);
	limited_put(file, item_bytes(item));
	kmem_cache_free(item_cache, item);
	file->nr_items--;
}

static bool is_poll(const struct wpool_devitem *item)
{
	return item->load.kind == WPOOL_WORK_POLL;
}

static bool is_limited_wait(const struct wpool_devitem *item)
{
	return wpool_devitem_waits(item) && item->file->is_limited;
}

static bool wait_get(const struct wpool_devitem *item)
{
	if (!is_limited_wait(item))
		return true;
	if (is_poll(item) && !atomic_add_unless(&limited_polls, 1, WPOOL_MAX_POLLS))
		return false;
	if (atomic_add_unless(&limited_waits, 1, MAX_LIMITED_WAITS))
		return true;
	atomic_sub(is_poll(item), &limited_polls);
	return false;
}

static void wait_put(const struct wpool_devitem *item)
{
	if (!is_limited_wait(item))
		return;
	atomic_dec(&limited_waits);
	atomic_sub(is_poll(item), &limited_polls);
}

static void hist_add(u64 *hist, u64 ns)
{
	hist[min_t(u32, ilog2(ns | 1), WPOOL_DEV_HIST_BUCKETS - 1)]++;
}

void wpool_devitem_record(struct wpool_devitem *item, int status, u64 now)
	__must_hold(&item->file->lock)
{
	struct wpool_devfile *file = item->file;

	lockdep_assert_held(&file->lock);
	WRITE_ONCE(item->recorded, true);
	item->status = status;
	/* records come in the order of this time */
	file->last_end_ns = max(now, file->last_end_ns);
	item->end_ns = file->last_end_ns;
	if (item->start_ns) {
		hist_add(file->queue_ns, item->start_ns - item->submit_ns);
		hist_add(file->run_ns, item->end_ns - item->start_ns);
	}
	bytes_put(file, wpool_workload_bytes(&item->load));
	file->nr_finished++;
	WRITE_ONCE(file->nr_unfinished, file->nr_unfinished - 1);
	if (file->closing) {
		/* no thread is left to wake */
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

/* A task has ended, and the pool does not touch it any more. Afterwards the item may be gone. */
static void item_end(struct wpool_devitem *item, int status)
{
	struct wpool_devfile *file = item->file;
	u64 now = ktime_get_ns();
	bool last;

	spin_lock(&file->lock);
	if (!item->recorded)
		wpool_devitem_record(item, status, now);
	item->in_pool = false;
	/* a cancelled poll counts until here, as its event has kept the polled file */
	file->nr_polls -= is_poll(item);
	wait_put(item);
	if (list_empty(&item->node))
		item_free(item);
	last = wpool_devfile_is_last(file);
	spin_unlock(&file->lock);

	if (last)
		wpool_devfile_free(file);
}

/*
 * Coverage of workers: a fuzzer that asks KCOV for remote coverage has a handle, which its tasks
 * carry to the worker that runs them. What the worker executes for such a task counts as reached by
 * the fuzzer. A task that ends by a fault leaves its section open, and KCOV warns of that; so a
 * fuzzer submits no such task. KCOV cannot nest. Returns true if kcov_remote_stop() must follow.
 */
static bool cover_start(const struct wpool_devitem *item)
{
	if (!item->cover || compat_kcov_is_on())
		return false;
	kcov_remote_start(kcov_remote_handle(KCOV_SUBSYSTEM_COMMON, item->cover));
	return true;
}

/* Begin to run an item: from then on no cancel makes its record. False if a cancel has made it. */
static bool item_start(struct wpool_devitem *item)
{
	if (wpool_devitem_is_plain(item))
		return true;
	spin_lock(&item->file->lock);
	item->started = !item->recorded;
	spin_unlock(&item->file->lock);
	return item->started;
}

/* Run the workload of an item. Returns its status; afterwards the item may be gone. */
static int item_run(struct wpool_devitem *item)
{
	int status = -ECANCELED;
	bool covers;

	if (!item_start(item)) {
		item_end(item, status);
		return status;
	}
	covers = cover_start(item);
	item->cpu = raw_smp_processor_id();
	item->start_ns = ktime_get_ns();
	status = wpool_workload_run(&item->load);
	item->cpu = raw_smp_processor_id();
	item_end(item, status);
	if (covers)
		kcov_remote_stop();
	return status;
}

/*
 * A function for each kind of work: tracepoints and reports name the function of a task. The
 * barrier prevents a tail call, so that traces of the stack name it, too.
 */
#define DEV_TASK(_name)							\
static void dev_##_name(struct wpool_task *task)			\
{									\
	item_run(container_of(task, struct wpool_devitem, task));		\
	barrier();							\
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
DEV_TASK(poll)
DEV_TASK(loop)
DEV_TASK(count)

static const wpool_task_fn item_fns[] = {
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
	[WPOOL_WORK_POLL] = dev_poll,
	[WPOOL_WORK_LOOP] = dev_loop,
	[WPOOL_WORK_COUNT] = dev_count,
};

static void dev_abort(struct wpool_task *task, int status)
{
	item_end(container_of(task, struct wpool_devitem, task), status);
}

static void dev_strand(struct wpool_strand_task *task)
{
	item_run(container_of(task, struct wpool_devitem, turn));
	barrier();	/* as in DEV_TASK() */
}

static void dev_strand_abort(struct wpool_strand_task *task, int status)
{
	item_end(container_of(task, struct wpool_devitem, turn), status);
}

static int dev_member(struct wpool_group_task *task)
{
	int status = item_run(container_of(task, struct wpool_devitem, member));

	barrier();	/* as in DEV_TASK() */
	return status;
}

static void dev_member_abort(struct wpool_group_task *task, int status)
{
	item_end(container_of(task, struct wpool_devitem, member), status);
}

void wpool_devitem_init(struct wpool_devitem *item, struct wpool_devfile *file,
			const struct wpool_dev_work *work, struct wpool *pool,
			u64 submit_ns, bool is_member)
{
	/* no owner: an open file pins the module, and the module's exit waits for items */
	if (is_member)
		wpool_group_task_init(&item->member, dev_member, dev_member_abort);
	else if (work->kind == WPOOL_WORK_STRAND)
		wpool_strand_task_init(&item->turn, &file->strand, dev_strand, dev_strand_abort);
	else
		wpool_task_init_abortable(&item->task, item_fns[work->kind], dev_abort, NULL);
	/* armed_create() in task.c also makes the event that stands for the task urgent */
	wpool_task_set_urgent(&item->task, work->flags & WPOOL_WORK_URGENT);
	INIT_LIST_HEAD(&item->node);
	item->file = file;
	/* only trees, which were checked, use @depth and @fanout */
	item->load = (struct wpool_workload) {
		.arg = work->arg,
		.pool = pool,
		.memcg = is_member && file->group_has_memcg ? NULL : file->memcg,
		.kind = work->kind,
		.depth = work->depth,
		.fanout = work->fanout,
	};
	item->cover = compat_kcov_handle();
	item->cookie = work->cookie;
	item->submit_ns = submit_ns;
	item->cpu = CPU_NONE;
	item->is_member = is_member;
	item->silent = work->flags & WPOOL_WORK_SILENT;
	item->in_pool = true;
}

bool wpool_devitem_add(struct wpool_devitem *item)
	__must_hold(&item->file->lock)
{
	struct wpool_devfile *file = item->file;
	u64 bytes = wpool_workload_bytes(&item->load);

	lockdep_assert_held(&file->lock);
	if (file->nr_items >= WPOOL_MAX_INFLIGHT || bytes > WPOOL_MAX_FILE_BYTES - file->bytes ||
	    (is_poll(item) && file->nr_polls >= WPOOL_MAX_POLLS) || !wait_get(item))
		return false;
	if (!limited_get(file, item_bytes(item) + bytes)) {
		wait_put(item);
		return false;
	}
	file->bytes += bytes;
	item->seq = file->next_seq++;
	file->nr_items++;
	file->nr_polls += is_poll(item);
	file->has_strand |= item->load.kind == WPOOL_WORK_STRAND;
	list_add_tail(&item->node, &file->unfinished);
	WRITE_ONCE(file->nr_unfinished, file->nr_unfinished + 1);
	return true;
}

void wpool_devitem_take_back(struct wpool_devitem *item)
	__must_hold(&item->file->lock)
{
	struct wpool_devfile *file = item->file;

	lockdep_assert_held(&file->lock);
	bytes_put(file, wpool_workload_bytes(&item->load));
	limited_put(file, item_bytes(item));
	wait_put(item);
	file->nr_items--;
	file->nr_polls -= is_poll(item);
	list_del(&item->node);
	WRITE_ONCE(file->nr_unfinished, file->nr_unfinished - 1);
	/* a thread that has read the counts since the add may have gone to sleep */
	wpool_devfile_wake(file);
}

void wpool_devitem_drop(struct wpool_devfile *file, struct list_head *list)
	__must_hold(&file->lock)
{
	struct wpool_devitem *item;

	lockdep_assert_held(&file->lock);
	while (!list_empty(list)) {
		item = list_first_entry(list, struct wpool_devitem, node);
		list_del_init(&item->node);
		if (!item->in_pool)
			item_free(item);
		cond_resched_lock(&file->lock);
	}
}

int wpool_devitem_alloc(struct wpool_task **tasks, u32 nr)
{
	return kmem_cache_alloc_bulk(item_cache, GFP_KERNEL | __GFP_ZERO, nr, (void **)tasks) ?
	       0 : -ENOMEM;
}

void wpool_devitem_free_new(struct wpool_task **tasks, u32 nr)
{
	kmem_cache_free_bulk(item_cache, nr, (void **)tasks);
}

int wpool_devitem_cache_init(void)
{
	item_cache = kmem_cache_create("wpool_dev_task", sizeof(struct wpool_devitem), 0,
				       SLAB_HWCACHE_ALIGN | SLAB_ACCOUNT, NULL);
	return item_cache ? 0 : -ENOMEM;
}

void wpool_devitem_cache_exit(void)
{
	kmem_cache_destroy(item_cache);
}
