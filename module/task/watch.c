// SPDX-License-Identifier: GPL-2.0
/*
 * Watches: a wake-up of a wait queue, of a file perhaps, fires an event.
 *
 * A watch is an entry in a wait queue. While it begins, watch->event is NULL, and a
 * wake-up only leaves a note, because the event's function may end and free the watch.
 * publish() sets the event and, under the lock of the wait queue, does what a wake-up
 * does if one came, or if the file was ready: it is the last one to touch the watch.
 *
 *   woken()            the lock of the wait queue
 *   publish()          the same
 *   wpool_watch_end()  takes the entry out under the same; no wake-up comes afterwards
 *
 * The wait queue of a file that goes before its watch says so by POLLFREE, as to epoll, and
 * lives for a grace period from then on: who locks it holds the RCU lock since it read
 * watch->head.
 *
 * Barrier pair:
 *
 *   woken:A  the entry is out of the queue, then store-release of head <->
 *   head:A   load-acquire of head, which is NULL, then the watch may be freed
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/wait.h>
#include <linux/wpool.h>

/* The wait queue, or NULL. */
static struct wait_queue_head *head_of(struct wpool_watch *watch)
{
	/* head:A */
	return smp_load_acquire(&watch->head);
}

/* Under the lock of the wait queue, as all that follows. */
static void happen(struct wpool_watch *watch)
{
	/* the function may free the watch as soon as the lock is free */
	if (watch->event)
		wpool_event_fire(watch->event);
	else
		watch->missed = true;
}

static int woken(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	struct wpool_watch *watch = container_of(entry, struct wpool_watch, entry);
	/* in the queue of no file the key may be anything, an address for example */
	__poll_t events = watch->file ? key_to_poll(key) : 0;

	if (!events || events & watch->events)
		happen(watch);
	if (events & POLLFREE) {
		list_del_init(&entry->entry);
		/* woken:A, the last touch of the watch */
		smp_store_release(&watch->head, NULL);
	}
	return 1;
}

static void begin(struct wpool_watch *watch, __poll_t events)
{
	init_waitqueue_func_entry(&watch->entry, woken);
	watch->event = NULL;
	watch->events = events;
	watch->missed = false;
}

/* From now on a wake-up fires the event; @ready: as one does now. */
static void publish(struct wpool_watch *watch, struct wpool_event *event, bool ready)
{
	struct wait_queue_head *head;
	unsigned long flags;

	rcu_read_lock();
	head = head_of(watch);
	if (head) {
		spin_lock_irqsave(&head->lock, flags);
		watch->event = event;
		if (ready || watch->missed)
			happen(watch);
		spin_unlock_irqrestore(&head->lock, flags);
	}
	rcu_read_unlock();
	/* the queue has gone already: no wake-up has fired the event, nor will */
	if (!head && (ready || watch->missed))
		wpool_event_fire(event);
}

int wpool_watch_queue(struct wpool_watch *watch, struct wpool_event *event,
		      struct wait_queue_head *head)
{
	if (head_of(watch))
		return -EBUSY;
	begin(watch, 0);
	watch->event = event;
	watch->head = head;
	add_wait_queue(head, &watch->entry);
	return 0;
}
EXPORT_SYMBOL_GPL(wpool_watch_queue);

/* A watch that polls its file for the first time. */
struct polling {
	poll_table table;
	struct wpool_watch *watch;
	unsigned int queues;
};

static void join_queue(struct file *file, struct wait_queue_head *head, poll_table *table)
{
	struct polling *polling = container_of(table, struct polling, table);
	struct wpool_watch *watch = polling->watch;

	if (polling->queues++)
		return;
	watch->head = head;
	add_wait_queue(head, &watch->entry);
}

int wpool_watch_file(struct wpool_watch *watch, struct wpool_event *event, struct file *file,
		     __poll_t events)
{
	struct polling polling = { .watch = watch };
	__poll_t ready;

	if (head_of(watch) || watch->file)
		return -EBUSY;
	if (!file_can_poll(file))
		return -EPERM;
	events |= EPOLLERR | EPOLLHUP;
	begin(watch, events);
	watch->file = get_file(file);
	init_poll_funcptr(&polling.table, join_queue);
	polling.table._key = events;
	ready = vfs_poll(file, &polling.table);
	if (polling.queues != 1) {
		wpool_watch_end(watch);
		return -EOPNOTSUPP;
	}
	publish(watch, event, ready & events);
	return 0;
}
EXPORT_SYMBOL_GPL(wpool_watch_file);

__poll_t wpool_watch_ready(const struct wpool_watch *watch)
{
	return vfs_poll(watch->file, NULL) & watch->events;
}
EXPORT_SYMBOL_GPL(wpool_watch_ready);

void wpool_watch_end(struct wpool_watch *watch)
{
	struct wait_queue_head *head;

	rcu_read_lock();
	head = head_of(watch);
	if (head)
		remove_wait_queue(head, &watch->entry);
	rcu_read_unlock();
	watch->head = NULL;
	if (watch->file)
		fput(watch->file);
	watch->file = NULL;
}
EXPORT_SYMBOL_GPL(wpool_watch_end);
