// SPDX-License-Identifier: GPL-2.0
/*
 * The spawners and the reaper, see spawner.h.
 *
 * A request is a flag and a place on a list. The flag is cleared before the
 * spawner looks at the pool (spawn:A, a full barrier between the two), so that
 * a task queued after the look finds the flag clear and asks again; it pairs
 * with push:A in sched.h. Also before the look the spawner counts as a thread
 * of the pool: who drains looks first for tasks and then for threads (flush.c),
 * so no worker is made behind its back.
 *
 * While tasks keep the CPUs busy, kthreadd and the new thread wait for theirs, so it
 * may take long to make one worker. Several spawners make workers of several pools
 * at the same time. One spawner at a time serves a pool, and looks again afterwards
 * if it was asked meanwhile.
 *
 * A worker that could not be made is tried again after 10 ms, and twice as long
 * after each further failure up to 1 s, as long as anything is queued.
 * Meanwhile the flag stays set.
 *
 * A pool that has work but no worker, because max_workers is reached, starves. While
 * any pool does, the other pools make no worker, and while more pools do than there
 * are places free, workers of other pools give up theirs. Each place that comes free
 * makes the first starved pool due at once.
 */
#include "spawner.h"

#include <linux/kobject.h>
#include <linux/kthread.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "fault.h"
#include "finish.h"
#include "handoff.h"
#include "idle.h"
#include "pool.h"
#include "sched.h"
#include "task.h"
#include "wake.h"
#include "worker.h"

#define RETRY_MIN_MS	10
#define RETRY_MAX_MS	1000
#define NR_SPAWNERS	4

/* Protects the lists; raw: taken by submitters and ending threads. */
static DEFINE_RAW_SPINLOCK(lock);
/* Pools that asked, each with a reference. */
static LIST_HEAD(asking);
/* Of these, and of those that are served just now, how many starve; read anywhere. */
static u32 nr_starved;
/* Workers that ended, or are about to. */
static LIST_HEAD(dead);
/* Of these, those that the reaper has looked at; its own. */
static LIST_HEAD(ending);

/* Tasks that were cancelled, linked by their node. */
static LIST_HEAD(dropped);

/* A thread that makes workers; @is_idle is under the lock. */
struct spawner {
	struct task_struct *thread;
	bool is_idle;
};

static struct spawner spawners[NR_SPAWNERS];
static struct task_struct *reaper;

/* Pick an idle spawner to wake for a pool that is due. A busy one looks again anyway. */
static struct task_struct *pick_idle(void)
	__must_hold(&lock)
{
	int i;

	lockdep_assert_held(&lock);
	for (i = 0; i < NR_SPAWNERS; i++) {
		if (spawners[i].is_idle) {
			spawners[i].is_idle = false;
			return spawners[i].thread;
		}
	}
	return NULL;
}

void wpool_spawner_ask(struct wpool *pool)
{
	struct task_struct *thread = NULL;
	unsigned long flags;

	if (READ_ONCE(pool->spawn_wanted))
		return;
	raw_spin_lock_irqsave(&lock, flags);
	if (!pool->spawn_wanted && list_empty(&pool->spawn_node) &&
	    /* the monitor may still look at a pool that is gone */
	    kobject_get_unless_zero(&pool->dev.kobj)) {
		WRITE_ONCE(pool->spawn_wanted, true);
		pool->spawn_due = jiffies;
		list_add_tail(&pool->spawn_node, &asking);
		/* or else the one that serves it now looks again */
		if (!pool->spawn_busy)
			thread = pick_idle();
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	if (thread)
		wake_up_process(thread);
}

/* ---- places ---- */

u32 wpool_spawner_nr_starved(void)
{
	return READ_ONCE(nr_starved);
}

/* @refused: max_workers is reached, or other pools starve. */
static void set_refused(struct wpool *pool, bool refused)
	__must_hold(&lock)
{
	bool starved = refused && !READ_ONCE(pool->nr_workers);

	lockdep_assert_held(&lock);
	pool->spawn_refused = refused;
	if (pool->spawn_starved != starved)
		WRITE_ONCE(nr_starved, nr_starved + (starved ? 1 : -1));
	WRITE_ONCE(pool->spawn_starved, starved);
}

static void clear_refused(struct wpool *pool)
{
	raw_spin_lock_irq(&lock);
	set_refused(pool, false);
	raw_spin_unlock_irq(&lock);
}

static struct task_struct *serve_starved(void)
	__must_hold(&lock)
{
	struct wpool *pool;

	lockdep_assert_held(&lock);
	if (!nr_starved || !wpool_worker_room())
		return NULL;
	list_for_each_entry(pool, &asking, spawn_node) {
		if (pool->spawn_starved) {
			pool->spawn_due = jiffies;
			return pick_idle();
		}
	}
	return NULL;
}

void wpool_spawner_place_free(struct wpool *pool)
{
	struct task_struct *thread;
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	/* it may have lost its last worker */
	if (pool->spawn_refused)
		set_refused(pool, true);
	thread = serve_starved();
	raw_spin_unlock_irqrestore(&lock, flags);
	if (thread)
		wake_up_process(thread);
}

void wpool_spawner_ended(struct wpool_worker *w)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	list_add_tail(&w->dead_node, &dead);
	raw_spin_unlock_irqrestore(&lock, flags);
	wake_up_process(reaper);
}

/* ---- dropping ---- */

void wpool_spawner_drop(struct wpool_task *task)
{
	bool first;

	raw_spin_lock(&lock);
	first = list_empty(&dropped);
	list_add_tail(&task->node, &dropped);
	raw_spin_unlock(&lock);
	/* else it is on its way, and looks until there are none */
	if (first)
		wake_up_process(reaper);
}

static struct wpool_task *next_dropped(void)
{
	struct wpool_task *task;

	raw_spin_lock_irq(&lock);
	task = list_first_entry_or_null(&dropped, struct wpool_task, node);
	if (task)
		list_del(&task->node);
	raw_spin_unlock_irq(&lock);
	return task;
}

static void drop_all(void)
{
	struct wpool_task *task;

	/* unfinished: it keeps its pool */
	while ((task = next_dropped())) {
		wpool_task_put_down(task->pool, task);
		cond_resched();
	}
}

/* ---- reaping ---- */

/* A worker died in a task: what it leaves behind is put right here. */
static void repair(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;

	/* before anybody who waits for its tasks is woken */
	wpool_finish_forget(w->thread);
	wpool_fault_report(w);
	/* one that died between two tasks, of what a task broke, holds none */
	if (w->task)
		wpool_task_fail(w);

	/* it may also have died between two tasks, of what a task broke */
	wpool_idle_forget(w);
	local_irq_disable();
	raw_spin_lock(&pool->workers_lock);
	WRITE_ONCE(pool->nr_workers, pool->nr_workers - 1);
	pool->nr_awaiting -= !!w->awaits;
	w->awaits = NULL;
	raw_spin_unlock(&pool->workers_lock);
	raw_spin_lock(&w->rq->lock);
	WRITE_ONCE(w->rq->nr_workers, w->rq->nr_workers - 1);
	raw_spin_unlock(&w->rq->lock);
	wpool_sched_give_up(w);
	wpool_running_leave(w);
	wpool_worker_left(pool);
	local_irq_enable();
}

/* One thread less: the last word to a pool whose destroyer may wait for it. */
static void thread_gone(struct wpool *pool)
{
	/* keeps the pool until the wake-up is through */
	rcu_read_lock();
	if (atomic_dec_and_test(&pool->nr_threads))
		wake_up_all(&pool->drain_wq);
	rcu_read_unlock();
}

static void reap(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;

	if (!w->leaving)
		repair(w);

	mutex_lock(&pool->workers_mutex);
	list_del_rcu(&w->node);
	mutex_unlock(&pool->workers_mutex);
	wpool_worker_free(w);
	thread_gone(pool);
}

/*
 * Not in place of one that has a low priority on a busy CPU: others may wait for
 * a worker. True if there are some to come back for.
 */
static bool reap_all(void)
{
	struct wpool_worker *w, *next;

	raw_spin_lock_irq(&lock);
	list_splice_tail_init(&dead, &ending);
	raw_spin_unlock_irq(&lock);
	list_for_each_entry_safe(w, next, &ending, dead_node) {
		/* in do_exit(): once this is set it never runs our code again */
		if (!READ_ONCE(w->thread->exit_state))
			continue;
		list_del(&w->dead_node);
		reap(w);
	}
	return !list_empty(&ending);
}

/* ---- spawning ---- */

/* The CPU whose ring holds most: the worker may as well be made there. */
static int longest_ring(struct wpool *pool)
{
	u32 len, most = 0;
	int cpu, best = -1;

	for_each_possible_cpu(cpu) {
		len = wpool_ring_len(&wpool_runq(pool, cpu)->ring);
		if (len > most) {
			most = len;
			best = cpu;
		}
	}
	return best;
}

/*
 * Is there work that no worker awake, idle or on the way will take, and a place for
 * one more? One that is on the way takes a task, and asks again if there are more.
 */
static bool is_short_handed(struct wpool *pool)
{
	u32 coming = wpool_wake_nr_coming(pool);

	/* in the order of a worker's life: it is on the way, it searches, it has a task */
	smp_rmb();
	if (atomic_read(&pool->nr_searching))
		return false;
	/* as above */
	smp_rmb();
	return wpool_sched_queued(pool) > coming && wpool_wake_has_vacancy(pool);
}

/* Make a worker if one is needed; true if it has to be tried again. */
static bool try_spawn(struct wpool *pool)
{
	int err;

	if (!is_short_handed(pool)) {
		pool->spawn_retry_ms = RETRY_MIN_MS;
		clear_refused(pool);
		return false;
	}
	err = wpool_worker_count_in(pool);
	if (err == -EAGAIN) {
		raw_spin_lock_irq(&lock);
		set_refused(pool, true);
		raw_spin_unlock_irq(&lock);
		return true;
	}
	clear_refused(pool);
	/* at capacity a busy worker will come */
	if (err)
		return false;
	if (wpool_worker_create(pool, wpool_worker_place(pool, longest_ring(pool)))) {
		wpool_worker_count_out(pool);
		return true;
	}
	pool->spawn_retry_ms = RETRY_MIN_MS;
	return false;
}

static void retry_later(struct wpool *pool)
{
	unsigned int ms = pool->spawn_retry_ms;

	/* a starved pool becomes due when a place comes free; the timer is a fallback */
	if (READ_ONCE(pool->spawn_starved))
		ms = RETRY_MAX_MS;
	else
		pool->spawn_retry_ms = min(2 * ms, RETRY_MAX_MS);
	raw_spin_lock_irq(&lock);
	WRITE_ONCE(pool->spawn_wanted, true);
	pool->spawn_due = jiffies + msecs_to_jiffies(ms);
	if (list_empty(&pool->spawn_node)) {
		list_add_tail(&pool->spawn_node, &asking);
		wpool_get(pool);
	}
	raw_spin_unlock_irq(&lock);
}

static void spawn(struct wpool *pool)
{
	bool again;

	atomic_inc(&pool->nr_threads);
	/* spawn:A */
	smp_store_mb(pool->spawn_wanted, false);
	again = try_spawn(pool);
	thread_gone(pool);
	if (!again)
		return;
	retry_later(pool);
	if (!READ_ONCE(pool->spawn_starved))
		return;
	/*
	 * Count it as starved, then check for places and idle workers: pairs with
	 * leave:A and park:A, after which a worker that leaves or parks checks for
	 * starved pools.
	 */
	smp_mb();
	wpool_worker_make_room();
}

/* ---- threads ---- */

/* The next pool that is due, with its reference; else how long until one is. */
static struct wpool *next_due(struct spawner *me, unsigned long *timeout)
{
	struct wpool *pool, *found = NULL;
	unsigned long now;

	*timeout = MAX_SCHEDULE_TIMEOUT;
	raw_spin_lock_irq(&lock);
	now = jiffies;
	list_for_each_entry(pool, &asking, spawn_node) {
		if (pool->spawn_busy)
			continue;
		if (time_after_eq(now, pool->spawn_due)) {
			list_del_init(&pool->spawn_node);
			pool->spawn_busy = true;
			found = pool;
			break;
		}
		*timeout = min(*timeout, pool->spawn_due - now);
	}
	me->is_idle = !found;
	raw_spin_unlock_irq(&lock);
	return found;
}

/* Done with a pool; wake another spawner if there is a place for a starved pool. */
static void end_busy(struct wpool *pool)
{
	struct task_struct *thread;

	raw_spin_lock_irq(&lock);
	pool->spawn_busy = false;
	thread = serve_starved();
	raw_spin_unlock_irq(&lock);
	if (thread)
		wake_up_process(thread);
	wpool_put(pool);
}

static int spawner_main(void *data)
{
	struct spawner *me = data;
	unsigned long timeout;
	struct wpool *pool;

	/* all pools wait for it, whatever their own nice value is */
	set_user_nice(current, MIN_NICE);
	for (;;) {
		/* before the look at the list: a wake-up after it is not lost */
		set_current_state(TASK_IDLE);
		pool = next_due(me, &timeout);
		if (!pool) {
			if (kthread_should_stop())
				break;
			schedule_timeout(timeout);
			continue;
		}
		__set_current_state(TASK_RUNNING);
		spawn(pool);
		end_busy(pool);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static bool has_ended(void)
{
	bool ret;

	raw_spin_lock_irq(&lock);
	ret = !list_empty(&dead) || !list_empty(&dropped);
	raw_spin_unlock_irq(&lock);
	return ret;
}

static int reaper_main(void *unused)
{
	bool more = false;

	/* wpool_destroy() waits for it */
	set_user_nice(current, MIN_NICE);
	for (;;) {
		/* before the look at the lists: a wake-up after it is not lost */
		set_current_state(TASK_IDLE);
		if (!has_ended()) {
			if (kthread_should_stop())
				break;
			schedule_timeout(more ? 1 : MAX_SCHEDULE_TIMEOUT);
		}
		__set_current_state(TASK_RUNNING);

		drop_all();
		more = reap_all();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static void stop_spawners(void)
{
	struct wpool *pool, *next;
	int i;

	for (i = 0; i < NR_SPAWNERS; i++)
		if (spawners[i].thread)
			kthread_stop(spawners[i].thread);
	/* pools that were destroyed while they waited for another try */
	list_for_each_entry_safe(pool, next, &asking, spawn_node) {
		list_del_init(&pool->spawn_node);
		wpool_put(pool);
	}
}

int wpool_spawner_init(void)
{
	struct task_struct *thread;
	int i, err;

	thread = kthread_run(reaper_main, NULL, "wpool_reaper");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	reaper = thread;
	for (i = 0; i < NR_SPAWNERS; i++) {
		thread = kthread_create(spawner_main, &spawners[i], "wpool_spawner/%d", i);
		if (IS_ERR(thread)) {
			err = PTR_ERR(thread);
			goto err_spawners;
		}
		spawners[i].thread = thread;
		wake_up_process(thread);
	}
	return 0;

err_spawners:
	stop_spawners();
	kthread_stop(reaper);
	return err;
}

void wpool_spawner_exit(void)
{
	stop_spawners();
	kthread_stop(reaper);
}
