// SPDX-License-Identifier: GPL-2.0
/*
 * The queue of the spawners, see spawn_queue.h.
 *
 * A request is a flag and a place on a list. The spawner clears the flag before it looks
 * at the pool: spawn_worker:A, in workers/spawner.c.
 *
 * A pool that has a worker in reserve takes that one at once: it needs no spawner, all of which
 * may be waiting for memory. The request is then for the next one in reserve.
 *
 * A pool that has work but no worker, because max_workers is reached, starves. While a
 * pool starves, the other pools create no worker. While more pools starve than there are
 * free places, workers of other pools leave. Each place that becomes free makes the
 * first starved pool due at once.
 */
#include "core/spawn_queue.h"

#include <linux/jiffies.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "core/counts.h"
#include "core/registry.h"
#include "core/rescue.h"
#include "core/state.h"

/* Protects the list and the fields marked S; raw: submitters and ending threads take it. */
static DEFINE_RAW_SPINLOCK(lock);
/* Pools that asked for a worker, each with a reference. */
static LIST_HEAD(asking);
/* How many of these pools, and of those being served, starve; read anywhere. */
static u32 nr_starved;

/* The threads that create workers; @is_idle is under the lock. */
struct spawner {
	struct task_struct *thread;
	bool is_idle;
};

static struct spawner spawners[WPOOL_NR_SPAWNERS];

/* Pick an idle spawner to wake for a pool that is due. A busy one looks again anyway. */
static struct task_struct *pick_idle(void)
	__must_hold(&lock)
{
	int i;

	lockdep_assert_held(&lock);
	for (i = 0; i < WPOOL_NR_SPAWNERS; i++) {
		if (spawners[i].is_idle) {
			spawners[i].is_idle = false;
			return spawners[i].thread;
		}
	}
	return NULL;
}

void wpool_spawn_look(struct wpool *pool)
{
	struct task_struct *thread = NULL;
	unsigned long flags;

	if (READ_ONCE(pool->spawn_wanted))
		return;
	raw_spin_lock_irqsave(&lock, flags);
	if (!pool->spawn_wanted && list_empty(&pool->spawn.node) &&
	    /* the monitor may still look at a pool whose last reference is gone */
	    kobject_get_unless_zero(&pool->dev.kobj)) {
		WRITE_ONCE(pool->spawn_wanted, true);
		pool->spawn.due = jiffies;
		list_add_tail(&pool->spawn.node, &asking);
		/* a spawner that serves it now will look again */
		if (!pool->spawn.busy)
			thread = pick_idle();
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	if (thread)
		wake_up_process(thread);
}

void wpool_spawn_ask(struct wpool *pool, int prefer)
{
	/* the spawner replaces it */
	if (unlikely(READ_ONCE(pool->reserve.rescuer)))
		wpool_reserve_take(pool, prefer);
	wpool_spawn_look(pool);
}

/* ---- places ---- */

u32 wpool_spawn_nr_starved(void)
{
	return READ_ONCE(nr_starved);
}

bool wpool_spawn_wants_place(void)
{
	u32 nr = READ_ONCE(nr_starved);

	return unlikely(nr) && nr > wpool_workers_room();
}

/* @refused: max_workers is reached, or other pools starve. */
static void set_refused(struct wpool *pool, bool refused)
	__must_hold(&lock)
{
	bool starved = refused && !READ_ONCE(pool->nr_workers);

	lockdep_assert_held(&lock);
	WRITE_ONCE(pool->spawn.refused, refused);
	if (pool->spawn.starved != starved)
		WRITE_ONCE(nr_starved, nr_starved + (starved ? 1 : -1));
	WRITE_ONCE(pool->spawn.starved, starved);
}

void wpool_spawn_set_refused(struct wpool *pool, bool refused)
{
	raw_spin_lock_irq(&lock);
	set_refused(pool, refused);
	raw_spin_unlock_irq(&lock);
}

static struct task_struct *serve_starved(void)
	__must_hold(&lock)
{
	struct wpool *pool;

	lockdep_assert_held(&lock);
	if (!nr_starved || !wpool_workers_room())
		return NULL;
	list_for_each_entry(pool, &asking, spawn.node) {
		if (pool->spawn.starved) {
			pool->spawn.due = jiffies;
			return pick_idle();
		}
	}
	return NULL;
}

void wpool_spawn_place_free(struct wpool *pool)
{
	struct task_struct *thread;
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	/* the pool may have lost its last worker */
	if (pool->spawn.refused)
		set_refused(pool, true);
	thread = serve_starved();
	raw_spin_unlock_irqrestore(&lock, flags);
	if (thread)
		wake_up_process(thread);
}

/* ---- for the spawners ---- */

struct wpool *wpool_spawn_next(unsigned int nr, unsigned long *timeout)
{
	struct wpool *pool, *found = NULL;
	unsigned long now;

	*timeout = MAX_SCHEDULE_TIMEOUT;
	raw_spin_lock_irq(&lock);
	now = jiffies;
	list_for_each_entry(pool, &asking, spawn.node) {
		if (pool->spawn.busy)
			continue;
		if (time_after_eq(now, pool->spawn.due)) {
			list_del_init(&pool->spawn.node);
			pool->spawn.busy = true;
			found = pool;
			break;
		}
		*timeout = min(*timeout, pool->spawn.due - now);
	}
	spawners[nr].is_idle = !found;
	raw_spin_unlock_irq(&lock);
	return found;
}

void wpool_spawn_done(struct wpool *pool)
{
	struct task_struct *thread;

	raw_spin_lock_irq(&lock);
	pool->spawn.busy = false;
	/* wake another spawner if there is a place for a starved pool */
	thread = serve_starved();
	raw_spin_unlock_irq(&lock);
	if (thread)
		wake_up_process(thread);
	wpool_put(pool);
}

void wpool_spawn_retry(struct wpool *pool, unsigned int ms)
{
	raw_spin_lock_irq(&lock);
	WRITE_ONCE(pool->spawn_wanted, true);
	pool->spawn.due = jiffies + msecs_to_jiffies(ms);
	if (list_empty(&pool->spawn.node)) {
		list_add_tail(&pool->spawn.node, &asking);
		wpool_get(pool);
	}
	raw_spin_unlock_irq(&lock);
}

void wpool_spawn_attach(unsigned int nr, struct task_struct *thread)
{
	spawners[nr].thread = thread;
}

void wpool_spawn_forget(void)
{
	struct wpool *pool, *next;

	/* pools that were destroyed while they waited for a retry */
	list_for_each_entry_safe(pool, next, &asking, spawn.node) {
		list_del_init(&pool->spawn.node);
		wpool_put(pool);
	}
}
