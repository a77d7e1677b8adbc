// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of tasks, see fifo.h.
 *
 * One lock for each list is enough, because most tasks pass only the ring. A push takes the lock of
 * the backlog if the ring is full, and that of the global queue on a CPU without a worker, or if
 * tasks may be long.
 */
#include "core/fifo.h"

#include <linux/irqflags.h>

#include "inject.h"

void wpool_fifo_init(struct wpool_fifo *fifo, struct wpool *pool)
{
	raw_spin_lock_init(&fifo->lock);
	INIT_LIST_HEAD(&fifo->tasks);
	fifo->popped = wpool_counter_start();
	fifo->pool = pool;
}

/* Set nr and jiffy. Readers have no lock: barriers of the callers order the stores. */
static void set_nr(struct wpool_fifo *fifo, u32 nr)
	__must_hold(&fifo->lock)
{
	if (nr)
		WRITE_ONCE(fifo->jiffy,
			   list_first_entry(&fifo->tasks, struct wpool_task, node)->jiffy);
	WRITE_ONCE(fifo->nr, nr);
}

static u64 submit_ns_at(const struct wpool_task *task, u64 now, u32 now_jiffy)
{
	u64 about = now - (u64)(now_jiffy - task->jiffy) * TICK_NSEC;

	/* @about is at most two ticks off, so the lower half of the time gives the exact time */
	return task->submit_ns ? about + (s32)(task->submit_ns - (u32)about) : 0;
}

u64 wpool_task_submit_ns(const struct wpool_task *task)
{
	return task->submit_ns ? submit_ns_at(task, ktime_get_mono_fast_ns(), jiffies) : 0;
}

/*
 * Do not use list_add() here, nor list_del() in wpool_fifo_pop(): with CONFIG_LIST_HARDENED both
 * check each task, and there may be hundreds.
 */
static void link_behind(struct wpool_fifo *fifo, struct list_head *last,
			struct wpool_task *const *tasks, u32 nr)
	__must_hold(&fifo->lock)
{
	unsigned long word = (unsigned long)fifo | WPOOL_TASK_IN_FIFO;
	struct list_head *first = last->next;
	u32 i;

	for (i = 0; i < nr; i++) {
		last->next = &tasks[i]->node;
		tasks[i]->node.prev = last;
		WRITE_ONCE(tasks[i]->pool, (struct wpool *)word);
		last = &tasks[i]->node;
	}
	last->next = first;
	first->prev = last;
	set_nr(fifo, fifo->nr + nr);
}

u32 wpool_fifo_push(struct wpool_fifo *fifo, struct wpool_task *const *tasks, u32 nr)
{
	u32 end;

	raw_spin_lock(&fifo->lock);
	link_behind(fifo, fifo->tasks.prev, tasks, nr);
	end = fifo->popped + fifo->nr;
	raw_spin_unlock(&fifo->lock);
	return end;
}

void wpool_fifo_push_first(struct wpool_fifo *fifo, struct wpool_task *const *tasks, u32 nr)
{
	raw_spin_lock(&fifo->lock);
	link_behind(fifo, &fifo->tasks, tasks, nr);
	/* undo the count of their pop: results of wpool_fifo_push() stay valid */
	WRITE_ONCE(fifo->popped, fifo->popped - nr);
	raw_spin_unlock(&fifo->lock);
}

u32 wpool_fifo_pop(struct wpool_fifo *fifo, struct wpool_task **tasks, u32 max)
{
	struct list_head *first;
	u32 n = 0;

	raw_spin_lock(&fifo->lock);
	for (first = fifo->tasks.next; n < max && first != &fifo->tasks; n++) {
		tasks[n] = list_entry(first, struct wpool_task, node);
		WRITE_ONCE(tasks[n]->pool, fifo->pool);
		first = first->next;
	}
	fifo->tasks.next = first;
	first->prev = &fifo->tasks;
	set_nr(fifo, fifo->nr - n);
	WRITE_ONCE(fifo->popped, fifo->popped + n);
	raw_spin_unlock(&fifo->lock);
	return n;
}

struct wpool_task *__wpool_fifo_pop_first(struct wpool_fifo *fifo)
{
	struct wpool_task *task;
	unsigned long flags;
	u32 nr;

	local_irq_save(flags);
	nr = wpool_fifo_pop(fifo, &task, 1);
	local_irq_restore(flags);
	return nr ? task : NULL;
}

static void unlink_task(struct wpool_fifo *fifo, struct wpool_task *task)
	__must_hold(&fifo->lock)
{
	list_del(&task->node);
	WRITE_ONCE(task->pool, fifo->pool);
	set_nr(fifo, fifo->nr - 1);
}

struct wpool_task *wpool_fifo_pop_older(struct wpool_fifo *fifo, u64 from, u64 ns)
{
	u64 now = ktime_get_mono_fast_ns(), submit_ns;
	u32 now_jiffy = jiffies, nr = WPOOL_FIFO_MAX_PASSED;
	struct wpool_task *task, *found = NULL;

	if (!wpool_fifo_len(fifo))
		return NULL;
	raw_spin_lock(&fifo->lock);
	list_for_each_entry(task, &fifo->tasks, node) {
		submit_ns = submit_ns_at(task, now, now_jiffy);
		if (submit_ns >= from && (s64)(ns - submit_ns) > 0)
			found = task;
		if (found || !--nr)
			break;
	}
	if (found) {
		unlink_task(fifo, found);
		WRITE_ONCE(fifo->popped, fifo->popped + 1);
	}
	raw_spin_unlock(&fifo->lock);
	return found;
}

bool wpool_fifo_remove(struct wpool *pool, struct wpool_task *task)
{
	unsigned long word = (unsigned long)READ_ONCE(task->pool);
	struct wpool_fifo *fifo;
	bool found;

	if (!(word & WPOOL_TASK_IN_FIFO))
		return false;
	/* interrupts are off, so the list exists, though the task may have left it by now */
	fifo = (struct wpool_fifo *)(word & ~WPOOL_TASK_IN_FIFO);
	if (fifo->pool != pool)
		return false;
	raw_spin_lock(&fifo->lock);
	found = (unsigned long)READ_ONCE(task->pool) == word;
	if (found)
		unlink_task(fifo, task);
	raw_spin_unlock(&fifo->lock);
	return found;
}
