// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a pool: create, release, reboot, destroy, references.
 *
 * The device of class wpool is embedded in the pool, and its reference count is the pool's. The
 * memory is freed an RCU grace period after the last reference: lockless sections elsewhere (a
 * task's finish, a cancel that looks for its task) may use the pool until then. No caller waits for
 * the grace period, and pools share one. The monitor has a reference until its next look.
 *
 * All modules share the default pool: it is closed only when wpool is unloaded.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "pool/pool.h"

#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "compat.h"
#include "core/counts.h"
#include "core/current.h"
#include "core/handoff.h"
#include "core/idle.h"
#include "core/notify.h"
#include "core/registry.h"
#include "core/runq_alloc.h"
#include "core/spawn_queue.h"
#include "core/state.h"
#include "core/tidy_queue.h"
#include "inject.h"
#include "pool/attrs.h"
#include "pool/tune.h"
#include "task/flush.h"
#include "task/item.h"
#include "task/waiters.h"
#include "workers/affinity.h"
#include "workers/cgroup.h"
#include "workers/expire.h"
#include "workers/freezer.h"
#include "workers/rescuer.h"
#include "workers/spawner.h"
#include "workers/tidy.h"

static struct kmem_cache *pool_cache;	/* kmalloc() would waste almost half of the memory */
struct workqueue_struct *wpool_free_wq;

/* ---- memory and references ---- */

static void free_pool(struct work_struct *work)
{
	struct wpool *pool = container_of(to_rcu_work(work), struct wpool, free_work);

	/* a grace period after the last reference, nobody queues the work again */
	cancel_delayed_work_sync(&pool->follow_work);
	wpool_handoff_sync(pool);
	wpool_notify_detach(pool);
	wpool_items_shrink(&pool->items, 0);
#ifdef CONFIG_LOCKDEP
	lockdep_unregister_key(&pool->lockdep_key);
#endif
	wpool_runqs_free(pool);
	kfree(pool->cpumask);
	kfree(pool->devpool);
	kmem_cache_free(pool_cache, pool);
}

static void release_device(struct device *dev)
{
	struct wpool *pool = dev_get_drvdata(dev);

	/* the grace period shuts out the lockless sections that still hold the address */
	queue_rcu_work(wpool_free_wq, &pool->free_work);
}

struct class wpool_class = {
	.name = "wpool",
	.dev_release = release_device,
};

struct module *wpool_owner(struct wpool *pool)
{
	return IS_ERR_OR_NULL(pool) ? NULL : pool->owner;
}
EXPORT_SYMBOL_GPL(wpool_owner);

/* ---- create ---- */

static struct wpool *alloc_pool(const struct wpool_attrs *attrs, gfp_t gfp)
{
	struct wpool *pool = kmem_cache_zalloc(pool_cache, gfp);

	if (!pool)
		return NULL;
	pool->gfp = gfp;
	/* three masks in one piece of memory */
	pool->cpumask = kcalloc(3, cpumask_size(), gfp);
	if (wpool_runqs_init(pool) || !pool->cpumask) {
		wpool_runqs_free(pool);
		kfree(pool->cpumask);
		kmem_cache_free(pool_cache, pool);
		return NULL;
	}
	pool->cpuset = (void *)pool->cpumask + cpumask_size();
	pool->homes = (void *)pool->cpuset + cpumask_size();

	strscpy(pool->name, attrs->name, sizeof(pool->name));
#define WPOOL_ATTR(_name, ...)	{ WPOOL_COPY_ATTR(pool, attrs, _name); }
#include "pool/attr_table.h"
	if (pool->prealloc)
		pool->order = WPOOL_FIFO;
	/* the least capacity, until the CPUs are counted */
	if (pool->capacity_per_cpu)
		pool->capacity = max(pool->min_workers, 1U);
	pool->stamps = pool->latency || pool->max_wait_ms;
	pool->hooks.fault = attrs->fault;
	pool->hooks.fault_data = attrs->fault_data;
	pool->hooks.worker_start = attrs->worker_start;
	pool->hooks.worker_end = attrs->worker_end;
	pool->hooks.worker_data = attrs->worker_data;
	pool->abort = attrs->abort;
	pool->follows = !attrs->cpumask;
	if (attrs->cpumask)
		cpumask_copy(pool->cpumask, attrs->cpumask);

	wpool_fifo_init(&pool->globq, pool);
	wpool_fifo_init(&pool->urgent, pool);
	pool->cgroup_nr = wpool_counter_start();
	pool->admission.nr_closes = wpool_counter_start();
	pool->flushes_begun = wpool_counter_start();
	pool->flushes_ended = pool->flushes_begun;
	raw_spin_lock_init(&pool->admission.lock);
	INIT_LIST_HEAD(&pool->admission.waiters);
	init_swait_queue_head(&pool->admission.guests);
	pool->workers.nr_waits = wpool_counter_start();
	pool->workers.nr_lifted = wpool_counter_start();
	raw_spin_lock_init(&pool->workers.lock);
	mutex_init(&pool->workers.mutex);
	INIT_LIST_HEAD(&pool->workers.list);
	INIT_LIST_HEAD(&pool->spawn.node);
	INIT_DELAYED_WORK(&pool->spawn.work, wpool_spawner_serve);
	wpool_tidy_queue_init(&pool->tidy, pool, wpool_tidy_serve);
	wpool_tidy_queue_init(&pool->tidy_joinable, pool, wpool_tidy_serve);
	pool->spawn.prefer = -1;
	pool->spawn.retry_ms = 10;
	timer_setup(&pool->workers.expiry_timer, wpool_expire_timer, 0);
	init_waitqueue_head(&pool->drain_wq);
	mutex_init(&pool->flush_mutex);
	mutex_init(&pool->change_mutex);
	mutex_init(&pool->tune_mutex);
	init_completion(&pool->destroyed);
	wpool_pressure_init(&pool->pressure, ktime_get_mono_fast_ns());
	INIT_RCU_WORK(&pool->free_work, free_pool);
	INIT_DELAYED_WORK(&pool->follow_work, wpool_tune_follow_work);
	spin_lock_init(&pool->items.lock);
#ifdef CONFIG_LOCKDEP
	lockdep_register_key(&pool->lockdep_key);
	lockdep_init_map(&pool->lockdep_map, "wpool", &pool->lockdep_key, 0);
	pool->made_jiffy = jiffies;
#endif

	pool->dev.class = &wpool_class;
	device_initialize(&pool->dev);
	/* the device has nothing to suspend: create no power/ in sysfs */
	device_set_pm_not_required(&pool->dev);
	dev_set_drvdata(&pool->dev, pool);
	return pool;
}

static int prealloc_workers(struct wpool *pool)
{
	u32 nr = pool->prealloc ? pool->capacity : pool->reclaim ? pool->min_workers : 0;
	int err = pool->reclaim ? wpool_worker_create_reserve(pool) : 0;

	return err ?: wpool_worker_create_all(pool, nr);
}

/* Wait until nothing of a closed pool is left but its memory. */
static void end_pool(struct wpool *pool)
{
	wpool_flush_drain(pool, TASK_UNINTERRUPTIBLE, MAX_SCHEDULE_TIMEOUT);
	if (READ_ONCE(pool->reclaim)) {
		wpool_rescuer_dismiss(pool);
		wait_event(pool->drain_wq, !atomic_read(&pool->workers.nr_threads));
	}
	wpool_spawn_end(pool);
	wpool_cgroup_end(pool);
	/* no worker is left to arm the timer, and a tune sees that the pool is destroyed */
	timer_shutdown_sync(&pool->workers.expiry_timer);
	/* waits for readers and writers of attributes */
	if (device_is_registered(&pool->dev))
		device_del(&pool->dev);
	/* frees the name; hotplug and housekeeping no longer find the pool */
	wpool_registry_del(pool);
}

/* Refuse all submits. @drops: tasks that have not started end with -ECANCELED. */
static void close_pool(struct wpool *pool, bool drops)
{
	lockdep_assert_held(&pool->tune_mutex);
	wpool_waiters_close(pool, drops);
	/* wait for submits, and for starts of tasks, that have read the old state */
	synchronize_rcu_expedited();
	/* idle workers see that the pool is closed, and leave */
	wpool_idle_wake_all(pool);
}

/* Logs nothing for a pool without an owner: the program that creates the pool gets the error. */
static int check_create(const struct wpool_attrs *attrs, wpool_arg_fn func, struct module *owner)
{
	const char *tells = owner && attrs ? attrs->name : NULL;
	int err;

	if (!attrs)
		return -EINVAL;
	if (wpool_name_check(attrs->name)) {
		if (owner)
			pr_warn_ratelimited("%.32s is no name of a pool\n", attrs->name ?: "NULL");
		return -EINVAL;
	}
	err = wpool_attrs_check(attrs, ~0U, tells) ?: wpool_attrs_check_together(attrs, tells);
	if (err)
		return err;
	if (func && !wpool_limits_are_items(attrs))
		return wpool_attrs_refuse(-ERANGE, tells,
					  "capacity + queue_depth of a pool with a function is more than %u",
					  WPOOL_MAX_FUNC_ITEMS);
	return 0;
}

/*
 * Create the run queues of the CPUs that are online, and let CPU hotplug see the pool: hotplug
 * creates the run queues of CPUs that come later, but none during this call.
 */
static int enter_registry(struct wpool *pool)
{
	int err = 0, cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		err = err ?: wpool_runqs_add(pool, cpu, pool->gfp);
	err = err ?: wpool_registry_add(pool);
	if (!err)
		wpool_affinity_update(pool, NULL);
	cpus_read_unlock();
	return err;
}

static int add_device(struct wpool *pool)
{
	int err = device_add(&pool->dev);

	if (!err)
		wpool_notify_attach(pool);
	return err;
}

static struct wpool *create_pool(const struct wpool_attrs *attrs, wpool_arg_fn func,
				 struct module *owner, gfp_t gfp)
{
	struct wpool *pool;
	int err;

	err = check_create(attrs, func, owner);
	if (err)
		return ERR_PTR(err);
	pool = alloc_pool(attrs, gfp);
	if (!pool)
		return ERR_PTR(-ENOMEM);
	pool->owner = owner;
	pool->func = func;

	err = pool->freezable ? wpool_freezer_start() : 0;
	err = err ?: dev_set_name(&pool->dev, "%s", pool->name) ?: enter_registry(pool);
	if (err) {
		if (owner && err == -EEXIST)
			pr_warn_ratelimited("%s: there is a pool of that name\n", attrs->name);
		wpool_put(pool);
		return ERR_PTR(err);
	}
	/* a user's pool: its tasks use the CPU time, and the CPUs, of the user's cgroup */
	if (gfp & __GFP_ACCOUNT && IS_ENABLED(CONFIG_CGROUPS))
		err = wpool_cgroup_set(pool, current, NULL);
	/*
	 * Hotplug sees the pool by now: the capacity follows CPUs that go or come from here on. Let
	 * it follow those that are online, and make the items of a pool with a function.
	 */
	err = err ?: wpool_pool_tune(pool, NULL, 0);
	err = err ?: prealloc_workers(pool) ?: add_device(pool);
	if (!err)
		return pool;
	/* follow_work may run now: it sees that the pool is destroyed, and makes no worker */
	wpool_pool_destroy(pool);
	return ERR_PTR(err);
}

struct wpool *__wpool_create(const struct wpool_attrs *attrs, struct module *owner)
{
	return create_pool(attrs, NULL, owner, GFP_KERNEL);
}
EXPORT_SYMBOL_GPL(__wpool_create);

struct wpool *wpool_pool_create_charged(const struct wpool_attrs *attrs)
{
	return create_pool(attrs, NULL, NULL, GFP_KERNEL_ACCOUNT);
}

struct wpool *__wpool_create_func(const struct wpool_attrs *attrs,
				  wpool_arg_fn func, struct module *owner)
{
	if (!func)
		return ERR_PTR(-EINVAL);
	return create_pool(attrs, func, owner, GFP_KERNEL);
}
EXPORT_SYMBOL_GPL(__wpool_create_func);

/* ---- destroy, release, reboot ---- */

void wpool_pool_destroy(struct wpool *pool)
{
	bool first;

	mutex_lock(&pool->tune_mutex);
	first = pool->state != WPOOL_DESTROYED;
	if (first) {
		/* a closed pool has refused all submits for a grace period */
		if (pool->state != WPOOL_CLOSED)
			close_pool(pool, false);
		/* last: a thread that reads this state has its submits refused */
		WRITE_ONCE(pool->state, WPOOL_DESTROYED);
	}
	mutex_unlock(&pool->tune_mutex);
	if (!first) {
		wait_for_completion(&pool->destroyed);
		return;
	}

	end_pool(pool);
	complete_all(&pool->destroyed);
	wpool_put(pool);
}

int wpool_destroy(struct wpool *pool)
{
	/* an error path may pass the result of a failed wpool_create() */
	if (IS_ERR_OR_NULL(pool))
		return 0;
	if (wpool_refuse_own_task(pool, __func__))
		return -EDEADLK;
	if (wpool_is_default(pool))
		return -EBUSY;
	if (completion_done(&pool->destroyed))
		pr_warn_ratelimited("%s: %s() was called for a pool that is already destroyed\n",
				    pool->name, __func__);
	else
		wpool_pool_destroy(pool);
	return 0;
}
EXPORT_SYMBOL_GPL(wpool_destroy);

/* Close an open pool to all but its own events and tasks. Waiting submitters continue to wait. */
static void close_to_others(struct wpool *pool)
{
	mutex_lock(&pool->tune_mutex);
	if (pool->state == WPOOL_OPEN) {
		WRITE_ONCE(pool->state, WPOOL_CLOSING);
		wpool_waiters_tell(pool, WPOOL_ATT_OWN, true);
		/* waits for submits that saw the pool open, as in close_pool() */
		synchronize_rcu_expedited();
	}
	mutex_unlock(&pool->tune_mutex);
}

void wpool_pool_release(struct wpool *pool, unsigned int flags)
{
	bool drops = flags & WPOOL_RELEASE_CANCEL, open;

	mutex_lock(&pool->tune_mutex);
	open = pool->state == WPOOL_OPEN || pool->state == WPOOL_CLOSING;
	if (open)
		WRITE_ONCE(pool->state, WPOOL_CLOSED);
	if (open || drops)
		close_pool(pool, drops);
	mutex_unlock(&pool->tune_mutex);
	/* tidy.c ends the tasks: all workers may sleep, and the caller runs no abort function */
	if (drops)
		wpool_tidy_sweep(&pool->tidy);
}

int wpool_release(struct wpool *pool, unsigned int flags)
{
	if (IS_ERR_OR_NULL(pool) || flags > WPOOL_RELEASE_OWN)
		return -EINVAL;
	if (wpool_is_default(pool))
		return -EBUSY;
	if (flags == WPOOL_RELEASE_OWN)
		close_to_others(pool);
	else
		wpool_pool_release(pool, flags);
	return 0;
}
EXPORT_SYMBOL_GPL(wpool_release);

int wpool_release_timeout(struct wpool *pool, unsigned int flags, long timeout)
{
	int err;

	/* a pool released with OWN may never be empty: its events may still fire */
	if (IS_ERR_OR_NULL(pool) || timeout < 0 || flags == WPOOL_RELEASE_OWN)
		return -EINVAL;
	if (wpool_refuse_own_task(pool, __func__))
		return -EDEADLK;
	err = wpool_release(pool, flags);
	return err ?: wpool_flush_drain(pool, TASK_KILLABLE, timeout);
}
EXPORT_SYMBOL_GPL(wpool_release_timeout);

static void open_pool(struct wpool *pool)
{
	lockdep_assert_held(&pool->tune_mutex);
	WRITE_ONCE(pool->state, WPOOL_OPEN);
	wpool_waiters_tell(pool, WPOOL_ATT_CLOSED | WPOOL_ATT_OWN | WPOOL_ATT_DROPS, false);
}

/* Open a pool, unless it is closed and not empty: then *@empty is false. Returns 0 or -errno. */
static int try_reboot(struct wpool *pool, bool *empty)
{
	int err;

	*empty = true;
	mutex_lock(&pool->tune_mutex);
	/* a closing pool has kept its workers, and need not become empty first */
	if (pool->state == WPOOL_CLOSING)
		open_pool(pool);
	err = pool->state == WPOOL_DESTROYED ? -ESHUTDOWN : 0;
	if (pool->state != WPOOL_CLOSED)
		goto out;
	*empty = !wpool_flush_drain(pool, TASK_KILLABLE, 0);
	if (!*empty)
		goto out;
	open_pool(pool);
	/* end the waits for the pool to become empty: it may never be empty again */
	wake_up_all(&pool->drain_wq);
	/* release the mutex as make_reserve() in tune.c does; end_pool() waits for this thread */
	wpool_threads_enter(pool);
	mutex_unlock(&pool->tune_mutex);
	err = prealloc_workers(pool);
	mutex_lock(&pool->tune_mutex);
	if (err && (pool->state == WPOOL_OPEN || pool->state == WPOOL_CLOSING)) {
		WRITE_ONCE(pool->state, WPOOL_CLOSED);
		close_pool(pool, false);
	}
	wpool_threads_leave(pool);
out:
	mutex_unlock(&pool->tune_mutex);
	return err;
}

int wpool_reboot(struct wpool *pool)
{
	bool empty;
	int err;

	if (IS_ERR_OR_NULL(pool))
		return -EINVAL;
	if (wpool_refuse_own_task(pool, __func__))
		return -EDEADLK;

	for (;;) {
		if (mutex_lock_killable(&pool->change_mutex))
			return -EINTR;
		err = try_reboot(pool, &empty);
		mutex_unlock(&pool->change_mutex);
		if (empty)
			return err;
		/* without the mutex, so that the pool can be tuned meanwhile */
		err = wpool_flush_drain(pool, TASK_KILLABLE, MAX_SCHEDULE_TIMEOUT);
		if (err)
			return err;
	}
}
EXPORT_SYMBOL_GPL(wpool_reboot);

int wpool_pools_init(const struct wpool_attrs *default_attrs)
{
	struct wpool *pool;
	int err;

	pool_cache = KMEM_CACHE(wpool, 0);
	wpool_free_wq = alloc_workqueue("wpool_free", WQ_UNBOUND, 0);
	if (!pool_cache || !wpool_free_wq || wpool_runqs_module_init())
		return -ENOMEM;
	err = class_register(&wpool_class);
	if (err)
		return err;
	pool = wpool_create(default_attrs);
	if (IS_ERR(pool)) {
		class_unregister(&wpool_class);
		return PTR_ERR(pool);
	}
	wpool_default_pool = pool;
	return 0;
}

void wpool_pools_exit(void)
{
	wpool_pool_destroy(wpool_default_pool);
	class_unregister(&wpool_class);
}

void wpool_pools_free(void)
{
	if (wpool_free_wq)
		destroy_workqueue(wpool_free_wq);
	wpool_runqs_module_exit();
	kmem_cache_destroy(pool_cache);
}
