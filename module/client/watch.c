// SPDX-License-Identifier: GPL-2.0
/*
 * Watches: a wake-up of a file fires an event.
 *
 * A watch is an entry in the file's wait queue. While the watch begins, watch->event is NULL, and a
 * wake-up only sets watch->missed. watch_publish() sets the event under the lock of the wait queue,
 * and fires it if there was such a wake-up, or if the file was ready. After the fire
 * watch_publish() does not touch the watch: the event's function may end and free the watch.
 *
 * If the worker dies in the poll, the watch has not begun, but may be in the wait queue.
 * wpool_watch_end() takes the watch out.
 *
 * If a file's wait queue ends before the watch, the watch is woken with POLLFREE, as epoll is, and
 * the queue is freed a grace period later. So a thread that locks the wait queue must hold the RCU
 * lock from its read of watch->head on.
 *
 * Barrier pair:
 *
 *   watch_woken:A  the entry is out of the queue, then store-release of head <->
 *   head:A         load-acquire of head, which is NULL, then the watch may be freed
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/wpool.h>
#include <linux/wpool_event.h>

static struct wait_queue_head *head_of(struct wpool_watch *watch)
{
	/* head:A, pairs with watch_woken:A */
	return smp_load_acquire(&watch->head);
}

/* The caller holds the lock of the wait queue. */
static void watch_fire(struct wpool_watch *watch)
{
	/* the event's function may free the watch as soon as the lock is free */
	if (watch->event)
		wpool_event_fire(watch->event);
	else
		watch->missed = true;
}

static int watch_woken(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	struct wpool_watch *watch = container_of(entry, struct wpool_watch, entry);
	__poll_t events = key_to_poll(key);

	if (!events || events & watch->events)
		watch_fire(watch);
	if (events & POLLFREE) {
		list_del_init(&entry->entry);
		/* watch_woken:A, the last touch of the watch */
		smp_store_release(&watch->head, NULL);
	}
	return 1;
}

/* A watch that polls its file for the first time. */
struct watch_table {
	poll_table table;
	struct wpool_watch *watch;
	unsigned int queues;	/* number of wait queues that the file's poll has named */
};

static void join_queue(struct file *file, struct wait_queue_head *head, poll_table *table)
{
	struct watch_table *wt = container_of(table, struct watch_table, table);

	if (wt->queues++)
		return;
	wt->watch->head = head;
	add_wait_queue(head, &wt->watch->entry);
}

/* From now on a wake-up fires the event; @ready: fire it now. */
static void watch_publish(struct wpool_watch *watch, struct wpool_event *event, bool ready)
{
	struct wait_queue_head *head;
	unsigned long flags;

	rcu_read_lock();
	head = head_of(watch);
	if (head) {
		spin_lock_irqsave(&head->lock, flags);
		watch->event = event;
		if (ready || watch->missed)
			watch_fire(watch);
		spin_unlock_irqrestore(&head->lock, flags);
	}
	rcu_read_unlock();
	/* the wait queue is gone: no later wake-up fires the event */
	if (!head && (ready || watch->missed))
		wpool_event_fire(event);
}

void wpool_watch_end(struct wpool_watch *watch)
{
	struct file *file = watch->file;
	struct wait_queue_head *head;

	rcu_read_lock();
	head = head_of(watch);
	if (head)
		remove_wait_queue(head, &watch->entry);
	rcu_read_unlock();
	watch->head = NULL;
	watch->file = NULL;
	if (file)
		fput(file);
}
EXPORT_SYMBOL_GPL(wpool_watch_end);

int wpool_watch_file(struct wpool_watch *watch, struct wpool_event *event, struct file *file,
		     __poll_t events)
{
	struct watch_table wt = { .watch = watch };
	__poll_t ready;

	if (head_of(watch) || watch->file)
		return -EBUSY;
	if (!file_can_poll(file))
		return -EPERM;
	events |= EPOLLERR | EPOLLHUP;
	init_waitqueue_func_entry(&watch->entry, watch_woken);
	watch->event = NULL;
	watch->events = events;
	watch->missed = false;
	watch->file = get_file(file);
	init_poll_funcptr(&wt.table, join_queue);
	wt.table._key = events;
	ready = vfs_poll(file, &wt.table);
	/* a file that is at its end may name no wait queue */
	if (wt.queues > 1 || (!wt.queues && !(ready & (EPOLLERR | EPOLLHUP)))) {
		wpool_watch_end(watch);
		return -EOPNOTSUPP;
	}
	watch_publish(watch, event, ready & events);
	return 0;
}
EXPORT_SYMBOL_GPL(wpool_watch_file);

__poll_t wpool_watch_ready(const struct wpool_watch *watch)
{
	return vfs_poll(watch->file, NULL) & watch->events;
}
EXPORT_SYMBOL_GPL(wpool_watch_ready);
