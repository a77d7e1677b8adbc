// SPDX-License-Identifier: GPL-2.0
/*
 * The pools that were made through /dev/wpool, and only these.
 *
 * Such a pool belongs to no module and to no file: the list devpools holds the creator's reference
 * until the pool is destroyed through the device or the module is unloaded. Pools of modules, and
 * the default pool, are not on the list, so no user can close them through the device.
 *
 * Permissions: the user who made a pool, or CAP_SYS_ADMIN, may change and end it. To tune a pool
 * that is not on the list takes CAP_SYS_ADMIN, too. max_user_workers, and half of max_workers,
 * limit the sum of the capacities that callers without CAP_SYS_RESOURCE have set. So these callers
 * leave workers to the pools of modules. After a decrease a pool may have more workers than its
 * capacity; then those in excess count, too.
 *
 * Invariants:
 *   - an entry is on the list from before the pool's creation until after its destruction; it is
 *     freed with the pool, to which each thread that uses the entry holds a reference;
 *   - wpool_destroy() is called once for each entry: under the entry's mutex, or at module exit;
 *   - a reboot and a destroy exclude each other, so a pool that was found empty is still empty when
 *     it is destroyed, and the destroy then takes no time.
 */
#include "faces/dev/control/pool.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/uidgid.h>

#include "core/counts.h"
#include "core/state.h"
#include "pool/attrs.h"
#include "pool/pool.h"
#include "pool/tune.h"
#include "task/flush.h"

/* A pool made through the device. D: under devpools_mutex, taken after @mutex and @tune_mutex. */
struct devpool {
	struct list_head node;		/* D: in devpools */
	struct wpool *pool;		/* D: NULL until the pool is made; holds the creator's
					 *    reference until the pool is destroyed
					 */
	struct mutex mutex;		/* one reboot or destroy at a time */
	kuid_t owner;			/* user who made the pool */
	struct mutex tune_mutex;	/* one change of the capacity, and of @workers, at a time */
	u32 workers;			/* D: capacity to charge for; 0: the pool is not limited */
};

static unsigned int max_user_workers = 256;
module_param(max_user_workers, uint, 0444);
MODULE_PARM_DESC(max_user_workers,
		 "capacity of all pools of /dev/wpool made without CAP_SYS_RESOURCE (default: 256)");

static LIST_HEAD(devpools);

/* Protects devpools. No holder sleeps for long. */
static DEFINE_MUTEX(devpools_mutex);

static bool may_change(const struct devpool *entry)
{
	return uid_eq(entry->owner, current_euid()) || capable(CAP_SYS_ADMIN);
}

/* Has the caller the capabilities that these attributes take? Defaults take none. */
static bool may_have(const struct wpool_attrs *attrs)
{
	return ((attrs->nice >= 0 && attrs->sched == WPOOL_SCHED_NORMAL) ||
		capable(CAP_SYS_NICE)) &&
	       (!attrs->freezable || capable(CAP_BLOCK_SUSPEND)) &&
	       (!attrs->reclaim || capable(CAP_SYS_RESOURCE));
}

bool wpool_devpool_is_limited(void)
{
	return !ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE);
}

/*
 * Returns the number of workers that a pool is charged for if the caller sets its limits: all of
 * them, if the caller is limited and @raises the capacity; else never more than it is charged for
 * already.
 */
static u32 workers_charged(const struct devpool *entry, const struct wpool_attrs *attrs,
			   bool raises)
{
	u32 most = wpool_limits_most(attrs);

	return raises && wpool_devpool_is_limited() ? most : min(entry->workers, most);
}

/* Does the capacity of a pool, or what it may become with all CPUs, grow from @old to @now? */
static bool is_raised(struct wpool *pool, const struct wpool_attrs *old,
		      const struct wpool_attrs *now)
{
	u32 capacity = now->capacity;

	if (now->capacity_per_cpu)
		capacity = max(now->capacity_per_cpu * READ_ONCE(pool->nr_cpus), now->min_workers);
	return capacity > old->capacity || wpool_limits_most(now) > wpool_limits_most(old);
}

/* As workers_charged(), for a tune: limits in @mask come from @attrs, the others from the pool. */
static u32 workers_charged_tuned(struct devpool *entry, const struct wpool_attrs *attrs, u32 mask)
{
	struct wpool_attrs now, old;

	wpool_get_attrs(entry->pool, &old, NULL);
	now = old;
	wpool_attrs_merge(&now, attrs, mask);
	/* what a pool keeps of a capacity that follows the CPUs is known only after the tune */
	if (old.capacity_per_cpu && !now.capacity_per_cpu && !(mask & WPOOL_TUNE_CAPACITY))
		return entry->workers;
	return workers_charged(entry, &now, is_raised(entry->pool, &old, &now));
}

/*
 * What a pool takes of max_user_workers: what it is charged for, and, after a decrease, also its
 * workers beyond the capacity.
 */
static u32 workers_taken(const struct devpool *entry)
{
	u32 nr, over;

	if (!entry->workers || !entry->pool)
		return entry->workers;
	nr = READ_ONCE(entry->pool->nr_workers);
	over = nr - min(nr, READ_ONCE(entry->pool->capacity));
	return max(entry->workers, min(nr, entry->workers + over));
}

/* Charge a pool on the list for @workers. Returns 0, or -EDQUOT and changes nothing. */
static int charge_workers(struct devpool *entry, u32 workers)
{
	struct devpool *other;
	u32 most = min(max_user_workers, wpool_max_workers / 2);
	u64 sum = workers;
	int err = 0;

	mutex_lock(&devpools_mutex);
	list_for_each_entry(other, &devpools, node)
		sum += other == entry ? 0 : workers_taken(other);
	if (workers > entry->workers && sum > most)
		err = -EDQUOT;
	else
		entry->workers = workers;
	mutex_unlock(&devpools_mutex);
	return err;
}

static bool is_destroyed(struct wpool *pool)
{
	return READ_ONCE(pool->state) == WPOOL_DESTROYED;
}

/* The entry of a pool that was made here, while it is on the list; or NULL. */
static struct devpool *devpool_of(struct wpool *pool)
{
	/* pairs with the release in wpool_devpool_create() */
	struct devpool *entry = smp_load_acquire(&pool->devpool);

	/* pairs with devpool_remove(): an entry off the list has a destroyed pool, a free name */
	return entry && !list_empty_careful(&entry->node) ? entry : NULL;
}

/* The pool has no entry: returns @if_destroyed, or -EBUSY if it was not made here. */
static int not_found(struct wpool *pool, int if_destroyed)
{
	return is_destroyed(pool) ? if_destroyed : -EBUSY;
}

/*
 * Wait until a closed pool is empty, or open again. wpool_release_timeout() is only killable, and
 * would close a pool again that was rebooted meanwhile. The caller holds entry->mutex, so the wait
 * is not freezable: freezing ends it like a signal.
 */
static int drain_locked(struct wpool *pool)
{
	return wpool_flush_drain(pool, TASK_INTERRUPTIBLE, MAX_SCHEDULE_TIMEOUT);
}

static void devpool_remove(struct devpool *entry)
{
	mutex_lock(&devpools_mutex);
	list_del_init_careful(&entry->node);
	mutex_unlock(&devpools_mutex);
}

struct wpool *wpool_devpool_create(const struct wpool_attrs *attrs)
{
	struct devpool *entry;
	struct wpool *pool;
	int err;

	if (!may_have(attrs))
		return ERR_PTR(-EPERM);
	entry = kzalloc(sizeof(*entry), GFP_KERNEL_ACCOUNT);
	if (!entry)
		return ERR_PTR(-ENOMEM);
	mutex_init(&entry->mutex);
	mutex_init(&entry->tune_mutex);
	entry->owner = current_euid();
	mutex_lock(&devpools_mutex);
	list_add_tail(&entry->node, &devpools);
	mutex_unlock(&devpools_mutex);

	err = charge_workers(entry, workers_charged(entry, attrs, true));
	pool = err ? ERR_PTR(err) : wpool_pool_create_charged(attrs);
	if (IS_ERR(pool)) {
		devpool_remove(entry);
		kfree(entry);
		return pool;
	}
	/* take the caller's reference first: a thread that finds the entry may destroy the pool */
	wpool_get(pool);
	mutex_lock(&devpools_mutex);
	entry->pool = pool;
	mutex_unlock(&devpools_mutex);
	/* the entry is complete; pairs with devpool_of() */
	smp_store_release(&pool->devpool, entry);
	return pool;
}

bool wpool_devpool_may_change(struct wpool *pool)
{
	struct devpool *entry = devpool_of(pool);

	return entry ? may_change(entry) : !not_found(pool, 0) || capable(CAP_SYS_ADMIN);
}

/* As wpool_pool_tune(), and charge the pool for a new capacity. */
static int tune_charged(struct devpool *entry, const struct wpool_attrs *attrs, u32 mask)
{
	u32 old, new;
	int err;

	/* min_workers may raise a capacity that follows the CPUs */
	if (!(mask & (WPOOL_TUNE_CAPACITY | WPOOL_TUNE_CAPACITY_PER_CPU | WPOOL_TUNE_MIN_WORKERS)))
		return wpool_pool_tune(entry->pool, attrs, mask);
	mutex_lock(&entry->tune_mutex);
	old = entry->workers;
	new = workers_charged_tuned(entry, attrs, mask);
	/*
	 * Charge a growing pool before it gets workers. Charge a shrinking pool afterwards, when
	 * the number of its workers only falls.
	 */
	err = new > old ? charge_workers(entry, new) : 0;
	if (!err) {
		err = wpool_pool_tune(entry->pool, attrs, mask);
		charge_workers(entry, err ? old : new);
	}
	mutex_unlock(&entry->tune_mutex);
	return err;
}

int wpool_devpool_tune(struct wpool *pool, const struct wpool_attrs *attrs, u32 mask)
{
	struct devpool *entry;

	/* attributes that are not in @mask have their defaults, which may_have() allows */
	if (!wpool_devpool_may_change(pool) || !may_have(attrs))
		return -EPERM;
	entry = devpool_of(pool);
	return entry ? tune_charged(entry, attrs, mask) : wpool_pool_tune(pool, attrs, mask);
}

int wpool_devpool_release(struct wpool *pool, unsigned int flags, bool wait, u64 timeout_ns)
{
	/* in ticks; 2 more, as the division rounds down and the first tick has begun already */
	long timeout = timeout_ns ? timeout_ns / TICK_NSEC + 2 : MAX_SCHEDULE_TIMEOUT;
	struct devpool *entry = devpool_of(pool);
	int err;

	if (!entry)
		return not_found(pool, 0);
	err = may_change(entry) ? wpool_release(pool, flags) : -EPERM;
	/* never restarted: another thread may have rebooted the pool meanwhile */
	if (!err && wait)
		err = wpool_flush_drain(pool, TASK_INTERRUPTIBLE | TASK_FREEZABLE, timeout);
	return err;
}

/* Returns the entry with @mutex held; or the ioctl's result as ERR_PTR(), which is NULL for 0. */
static struct devpool *devpool_lock(struct wpool *pool, int if_destroyed)
{
	struct devpool *entry = devpool_of(pool);

	if (!entry)
		return ERR_PTR(not_found(pool, if_destroyed));
	if (!may_change(entry))
		return ERR_PTR(-EPERM);
	return mutex_lock_interruptible(&entry->mutex) ? ERR_PTR(-ERESTARTSYS) : entry;
}

int wpool_devpool_reboot(struct wpool *pool)
{
	struct devpool *entry = devpool_lock(pool, -ESHUTDOWN);
	int err;

	if (IS_ERR(entry))
		return PTR_ERR(entry);
	/* wait here, where any signal ends the wait: wpool_reboot() is only killable */
	err = is_destroyed(pool) ? -ESHUTDOWN : drain_locked(pool);
	if (!err)
		err = wpool_reboot(pool);
	mutex_unlock(&entry->mutex);
	return err == -EINTR ? -ERESTARTSYS : err;
}

static void devpool_end(struct devpool *entry)
{
	struct wpool *pool = entry->pool;

	/* workers_taken() reads a pool on the list, and the entry is freed with the pool */
	wpool_get(pool);
	wpool_destroy(pool);
	devpool_remove(entry);
	wpool_put(pool);
}

int wpool_devpool_destroy(struct wpool *pool)
{
	struct devpool *entry = devpool_lock(pool, 0);
	int err = 0;

	if (IS_ERR_OR_NULL(entry))
		return PTR_ERR(entry);
	if (!is_destroyed(pool)) {
		err = wpool_release(pool, WPOOL_RELEASE_DRAIN);
		if (!err)
			err = drain_locked(pool);
		if (!err)
			devpool_end(entry);
	}
	mutex_unlock(&entry->mutex);
	return err == -EINTR ? -ERESTARTSYS : err;
}

void wpool_devpool_exit(void)
{
	struct devpool *entry, *next;

	/* no file is open, so no other thread uses the list */
	list_for_each_entry_safe(entry, next, &devpools, node)
		devpool_end(entry);
}
