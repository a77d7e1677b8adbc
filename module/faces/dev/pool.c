// SPDX-License-Identifier: GPL-2.0
/*
 * The pools that were made through /dev/wpool, and only those.
 *
 * Such a pool belongs to no module and to no file: this list holds the creator's
 * reference until the pool is destroyed through the device or the module is unloaded.
 * Pools of modules, and the default pool, are not on the list, so nobody can close
 * them through the device.
 *
 * Invariants:
 *   - an entry is on the list from the pool's creation until after its
 *     destruction. Whoever looks for it holds a reference to the pool, so an
 *     address on the list is never that of another, later pool;
 *   - wpool_destroy() is called once for each entry, with the entry's mutex held;
 *   - a reboot and a destroy exclude each other, so a pool that was found empty is
 *     still empty when it is destroyed, which then takes no time.
 */
#include "faces/dev/pool.h"

#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wpool.h>

#include "faces/dev/deadline.h"

/* Longest pause between two checks whether a pool is empty. */
#define DRAIN_POLL_MAX_NS	(10 * NSEC_PER_MSEC)

/**
 * struct devpool - a pool made through the device
 * @node: in devpools, under devpools_mutex
 * @kref: references of the list, and of each caller that uses the entry
 * @pool: the pool; the entry has the creator's reference until @destroyed
 * @mutex: one reboot or destroy at a time; protects @destroyed. Outside of
 *	devpools_mutex.
 * @destroyed: wpool_destroy() was called
 */
struct devpool {
	struct list_head node;
	struct kref kref;
	struct wpool *pool;
	struct mutex mutex;		/* one reboot or destroy at a time */
	bool destroyed;
};

static LIST_HEAD(devpools);

/* Protects devpools. No holder sleeps for long. */
static DEFINE_MUTEX(devpools_mutex);

static void devpool_free(struct kref *kref)
{
	struct devpool *entry = container_of(kref, struct devpool, kref);

	mutex_destroy(&entry->mutex);
	kfree(entry);
}

static void devpool_put(struct devpool *entry)
{
	kref_put(&entry->kref, devpool_free);
}

static struct devpool *devpool_find(struct wpool *pool)
{
	struct devpool *entry, *found = NULL;

	mutex_lock(&devpools_mutex);
	list_for_each_entry(entry, &devpools, node) {
		if (entry->pool == pool) {
			kref_get(&entry->kref);
			found = entry;
			break;
		}
	}
	mutex_unlock(&devpools_mutex);
	return found;
}

/* Result for a pool that is not on the list: destroyed already, or not made here. */
static int not_found(struct wpool *pool, int if_destroyed)
{
	struct wpool_stats stats;

	wpool_get_stats(pool, &stats);
	return stats.state == WPOOL_DESTROYED ? if_destroyed : -EBUSY;
}

/* Is nothing left of a closed pool's tasks and workers, or is the pool open again? */
static bool is_drained(struct wpool *pool)
{
	struct wpool_stats stats;

	wpool_get_stats(pool, &stats);
	return stats.state != WPOOL_CLOSED ||
	       (!stats.outstanding && !stats.workers);
}

/*
 * Wait until a closed pool is empty. wpool_release_timeout() would return more
 * promptly, but it is only killable, and it would close a pool again that was
 * rebooted meanwhile.
 */
static int drain(struct wpool *pool, u64 timeout_ns)
{
	ktime_t end = timeout_ns ? wpool_dev_deadline(timeout_ns) : KTIME_MAX;
	u64 pause_ns = NSEC_PER_MSEC;
	ktime_t now, until;

	while (!is_drained(pool)) {
		now = ktime_get();
		if (ktime_compare(now, end) >= 0)
			return -ETIME;
		until = min_t(ktime_t, ktime_add_ns(now, pause_ns), end);
		/* not freezable, as a mutex may be held: freezing ends the sleep like a signal */
		set_current_state(TASK_INTERRUPTIBLE);
		schedule_hrtimeout_range(&until, current->timer_slack_ns,
					 HRTIMER_MODE_ABS);
		/* a call with a timeout must not start again */
		if (signal_pending(current))
			return timeout_ns ? -EINTR : -ERESTARTSYS;
		pause_ns = min_t(u64, 2 * pause_ns, DRAIN_POLL_MAX_NS);
	}
	return 0;
}

struct wpool *wpool_devpool_create(const struct wpool_attrs *attrs)
{
	struct devpool *entry = kzalloc(sizeof(*entry), GFP_KERNEL_ACCOUNT);
	struct wpool *pool;

	if (!entry)
		return ERR_PTR(-ENOMEM);
	kref_init(&entry->kref);
	mutex_init(&entry->mutex);

	pool = wpool_create(attrs, NULL);
	if (IS_ERR(pool)) {
		devpool_put(entry);
		return pool;
	}
	entry->pool = pool;
	/* before anybody can find the entry, and through it the pool */
	wpool_get(pool);
	mutex_lock(&devpools_mutex);
	list_add_tail(&entry->node, &devpools);
	mutex_unlock(&devpools_mutex);
	return pool;
}

int wpool_devpool_release(struct wpool *pool, unsigned int flags)
{
	struct devpool *entry = devpool_find(pool);
	int err;

	if (!entry)
		return not_found(pool, 0);
	err = wpool_release(pool, flags);
	devpool_put(entry);
	return err;
}

int wpool_devpool_release_timeout(struct wpool *pool, unsigned int flags,
				  u64 timeout_ns)
{
	struct devpool *entry = devpool_find(pool);
	int err;

	if (!entry)
		return not_found(pool, 0);
	err = wpool_release(pool, flags);
	if (!err)
		err = drain(pool, timeout_ns);
	devpool_put(entry);
	return err;
}

int wpool_devpool_reboot(struct wpool *pool)
{
	struct devpool *entry = devpool_find(pool);
	int err = 0;

	if (!entry)
		return not_found(pool, -ESHUTDOWN);
	if (mutex_lock_interruptible(&entry->mutex)) {
		err = -ERESTARTSYS;
		goto out_put;
	}
	/* the long part of the wait is here, where any signal ends it */
	err = entry->destroyed ? -ESHUTDOWN : drain(pool, 0);
	if (!err)
		err = wpool_reboot(pool);
	if (err == -EINTR)
		err = -ERESTARTSYS;
	mutex_unlock(&entry->mutex);
out_put:
	devpool_put(entry);
	return err;
}

/* Destroy the pool, and drop the list's reference to the entry. */
static void devpool_end(struct devpool *entry)
{
	wpool_destroy(entry->pool);
	entry->destroyed = true;

	mutex_lock(&devpools_mutex);
	list_del(&entry->node);
	mutex_unlock(&devpools_mutex);
	devpool_put(entry);
}

int wpool_devpool_destroy(struct wpool *pool)
{
	struct devpool *entry = devpool_find(pool);
	int err = 0;

	if (!entry)
		return not_found(pool, 0);
	if (mutex_lock_interruptible(&entry->mutex)) {
		err = -ERESTARTSYS;
		goto out_put;
	}
	if (!entry->destroyed) {
		err = wpool_release(pool, WPOOL_RELEASE_DRAIN);
		if (!err)
			err = drain(pool, 0);
		if (!err)
			devpool_end(entry);
	}
	mutex_unlock(&entry->mutex);
out_put:
	devpool_put(entry);
	return err;
}

void wpool_devpool_exit(void)
{
	struct devpool *entry, *next;

	/* no file is open, so nobody else uses the list */
	list_for_each_entry_safe(entry, next, &devpools, node)
		devpool_end(entry);
}
