// SPDX-License-Identifier: GPL-2.0
/*
 * Watches: a wake-up of a file fires an event.
 *
 * A watch is an entry in the file's wait queue. While the watch begins, watch->event is NULL, and
 * a wake-up only sets watch->missed. publish_watch() sets the event under the lock of the wait
 * queue, and fires it if there was such a wake-up, or if the file was ready.
 *
 *   watch_woken()      holds the lock of the wait queue
 *   publish_watch()    holds begin_lock, and then that one
 *   wpool_watch_end()  takes the entry out under that one; no wake-up comes afterwards
 *
 * While the watch begins, the event may be fired by a call, and its function may end and free
 * the watch. So struct wpool_watch_beginning, on the stack of the thread that begins it, points to
 * the watch, and watch->beginning points back. An end clears both under begin_lock, and the thread
 * touches the watch only if its beginning still points there. If watch->beginning is NULL, an end
 * needs no begin_lock.
 *
 * If a file's wait queue goes before the watch, it sends POLLFREE, as for epoll, and is freed a
 * grace period later. So a thread that locks it holds the RCU lock since it read watch->head.
 *
 * Barrier pairs:
 *
 *   watch_woken:A    the entry is out of the queue, then store-release of head <->
 *   head:A     load-acquire of head, which is NULL, then the watch may be freed
 *   publish_watch:A  all that the beginning did, then store-release of beginning <->
 *   end:A      load-acquire of beginning, which is NULL, then the watch may be freed
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

/* The wait queue, or NULL. */
static struct wait_queue_head *head_of(struct wpool_watch *watch)
{
	/* head:A */
	return smp_load_acquire(&watch->head);
}

/* The caller holds the lock of the wait queue. */
static void watch_fire(struct wpool_watch *watch)
{
	/* the function may free the watch as soon as the lock is free */
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

/*
 * A watch that polls its file for the first time.
 * @watch: B: the watch; NULL if it has ended
 * @queues: how many wait queues the file has put it in, or would have
 *
 * B: begin_lock.
 */
struct wpool_watch_beginning {
	poll_table table;
	struct wpool_watch *watch;
	unsigned int queues;
};

/* Protects beginning->watch, and watch->beginning if it is not NULL. */
static DEFINE_SPINLOCK(begin_lock);

static void join_queue(struct file *file, struct wait_queue_head *head, poll_table *table)
{
	struct wpool_watch_beginning *beginning =
		container_of(table, struct wpool_watch_beginning, table);
	struct wpool_watch *watch;
	unsigned long flags;

	if (beginning->queues++)
		return;
	spin_lock_irqsave(&begin_lock, flags);
	watch = beginning->watch;
	if (watch) {
		watch->head = head;
		add_wait_queue(head, &watch->entry);
	}
	spin_unlock_irqrestore(&begin_lock, flags);
}

/* From now on a wake-up fires the event; @ready: fire it now. */
static void publish_watch(struct wpool_watch *watch, struct wpool_event *event, bool ready)
	__must_hold(&begin_lock)
{
	struct wait_queue_head *head;

	lockdep_assert_held(&begin_lock);
	rcu_read_lock();
	head = head_of(watch);
	if (head) {
		spin_lock(&head->lock);
		watch->event = event;
		if (ready || watch->missed)
			watch_fire(watch);
		spin_unlock(&head->lock);
	}
	rcu_read_unlock();
	/* the queue has gone already: no wake-up fires the event */
	if (!head && (ready || watch->missed))
		wpool_event_fire(event);
}

/* Take the watch out of its queue; the caller puts its file, if there is one. */
static struct file *watch_leave_queue(struct wpool_watch *watch)
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
	return file;
}

int wpool_watch_file(struct wpool_watch *watch, struct wpool_event *event, struct file *file,
		     __poll_t events)
{
	struct wpool_watch_beginning beginning = { .watch = watch };
	struct file *put = NULL;
	unsigned long flags;
	__poll_t ready;
	int err = 0;

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
	watch->beginning = &beginning;
	init_poll_funcptr(&beginning.table, join_queue);
	beginning.table._key = events;
	ready = vfs_poll(file, &beginning.table);

	spin_lock_irqsave(&begin_lock, flags);
	if (beginning.watch) {
		if (beginning.queues == 1) {
			publish_watch(watch, event, ready & events);
		} else {
			put = watch_leave_queue(watch);
			err = -EOPNOTSUPP;
		}
		/* publish_watch:A, the last touch of the watch */
		smp_store_release(&watch->beginning, NULL);
	}
	spin_unlock_irqrestore(&begin_lock, flags);
	if (put)
		fput(put);
	return err;
}
EXPORT_SYMBOL_GPL(wpool_watch_file);

__poll_t wpool_watch_ready(const struct wpool_watch *watch)
{
	return vfs_poll(watch->file, NULL) & watch->events;
}
EXPORT_SYMBOL_GPL(wpool_watch_ready);

void wpool_watch_end(struct wpool_watch *watch)
{
	unsigned long flags;
	struct file *file;

	/* end:A */
	if (unlikely(smp_load_acquire(&watch->beginning))) {
		spin_lock_irqsave(&begin_lock, flags);
		if (watch->beginning)
			watch->beginning->watch = NULL;
		watch->beginning = NULL;
		spin_unlock_irqrestore(&begin_lock, flags);
	}
	file = watch_leave_queue(watch);
	if (file)
		fput(file);
}
EXPORT_SYMBOL_GPL(wpool_watch_end);
