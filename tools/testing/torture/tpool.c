// SPDX-License-Identifier: GPL-2.0
/*
 * Pools under torture. Each slot holds a pool, which all actors use. An actor that exchanges the
 * pool of a slot destroys the old pool while other actors may be in calls on it: they have
 * references.
 *
 * The last tpool_put() of a pool compares its accounts: every item that was submitted to the pool
 * has been settled.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wpool_stats.h>

#include "torture.h"

static DEFINE_SPINLOCK(slots_lock);	/* protects slots */
static struct tpool *slots[TPOOL_SLOTS];
static atomic_t nr_made;

static struct tpool *alloc_tpool(void)
{
	struct tpool *tp = kzalloc(sizeof(*tp), GFP_KERNEL);

	if (!tp)
		return NULL;
	kref_init(&tp->ref);
	mutex_init(&tp->tune_mutex);
	return tp;
}

/* Make the calls that a hook may make while other threads do anything to the pool. */
static void read_in_hook(struct tpool *tp, struct wpool *pool)
{
	struct wpool_attrs attrs;
	struct wpool_stats s;

	wpool_get_attrs(pool, &attrs, NULL);
	torture_check(!strcmp(attrs.name, tp->name), "%s: in a hook it is %s", tp->name,
		      attrs.name);
	wpool_get_stats(pool, &s);
	tpool_check_figures(tp->name, &s);
	cpus_read_lock();
	cpus_read_unlock();
	torture_saw(SAW_HOOKS, 1);
}

/* worker_start: set the worker's own pointer to its thread; worker_end checks the pointer. */
static int prepare_worker(struct wpool *pool, void *data, void **own)
{
	struct tpool *tp = data;

	read_in_hook(tp, pool);
	atomic_inc(&tp->prepared);
	*own = current;
	return 0;
}

static void end_worker(struct wpool *pool, void *own, void *data)
{
	struct tpool *tp = data;

	torture_check(own == current, "%s: the end of another worker", tp->name);
	read_in_hook(tp, pool);
	atomic_dec(&tp->prepared);
}

static struct tpool *create(u32 nr, const struct wpool_attrs *attrs, bool bound)
{
	struct tpool *tp = alloc_tpool();
	struct wpool *pool;

	if (!tp)
		return NULL;
	tp->nr = nr;
	snprintf(tp->name, sizeof(tp->name), "torture%u", tp->nr);
	tp->attrs = *attrs;
	tp->attrs.name = tp->name;
	tp->attrs.worker_start = prepare_worker;
	tp->attrs.worker_end = end_worker;
	tp->attrs.worker_data = tp;
	tp->by_run = attrs->policy == WPOOL_RUN;
	tp->bound = bound;
	tp->limit = attrs->capacity;
	if (bound)
		pool = wpool_create_func(&tp->attrs, titem_arg_fn);
	else
		pool = wpool_create(&tp->attrs);
	if (!torture_check(!IS_ERR(pool), "no pool: %ld", PTR_ERR(pool))) {
		kfree(tp);
		return NULL;
	}
	/* wpool_destroy() puts the first reference; this one is for threads in calls on the pool */
	tp->pool = wpool_get(pool);
	return tp;
}

struct tpool *tpool_create(const struct wpool_attrs *attrs, bool bound)
{
	return create(atomic_inc_return(&nr_made), attrs, bound);
}

/* Make a struct tpool for a pool that this module has not made. */
static struct tpool *wrap(struct wpool *pool)
{
	struct tpool *tp = alloc_tpool();

	if (!tp)
		return NULL;
	tp->pool = wpool_get(pool);
	strscpy(tp->name, "default", sizeof(tp->name));
	tp->shared = true;
	tp->limit = WPOOL_UNLIMITED;
	return tp;
}

struct tpool *tpool_get(struct tpool *tp)
{
	kref_get(&tp->ref);
	return tp;
}

static void release_tpool(struct kref *ref)
{
	struct tpool *tp = container_of(ref, struct tpool, ref);

	if (!tp->shared)
		tpool_check_final(tp);
	torture_count_tasks(atomic64_read(&tp->runs));
	tirq_free(tp);
	wpool_put(tp->pool);
	kfree(tp);
}

void tpool_put(struct tpool *tp)
{
	kref_put(&tp->ref, release_tpool);
}

void tpool_destroy(struct tpool *tp)
{
	struct rnd rnd;
	int err;

	rnd_step(&rnd, seed, RND_POOL, tp->nr);
	switch (rnd_below(&rnd, 4)) {
	case 0:
		/* destroy the pool with all its tasks */
		break;
	case 1:
		WRITE_ONCE(tp->may_drop, true);
		err = wpool_release(tp->pool, WPOOL_RELEASE_CANCEL);
		torture_check(!err, "%s: release: %d", tp->name, err);
		break;
	default:
		err = wpool_release_timeout(tp->pool, WPOOL_RELEASE_DRAIN, TORTURE_PATIENCE);
		if (!torture_check(!err, "%s: release_timeout: %d: not empty in time",
				   tp->name, err)) {
			tpool_show(tp);
			torture_show_threads();
		}
	}
	err = wpool_destroy(tp->pool);
	torture_check(!err, "%s: destroy: %d", tp->name, err);
	torture_check(!atomic_read(&tp->prepared), "%s: %d workers have not called worker_end",
		      tp->name, atomic_read(&tp->prepared));
	tirq_stop(tp);
	err = wpool_try_submit(tp->pool, NULL);
	torture_check(err == -EINVAL, "%s: submit of nothing: %d", tp->name, err);
	tpool_put(tp);
}

void tpool_enter(struct tpool *tp)
{
	/* read limit_gen before the limit; pairs with set_limit() */
	u32 gen = smp_load_acquire(&tp->limit_gen);
	u32 inside = atomic_inc_return(&tp->inside);
	u32 limit = READ_ONCE(tp->limit);

	/* read the limit before limit_gen; pairs with set_limit() */
	smp_rmb();
	if (READ_ONCE(tp->limit_gen) == gen)
		torture_check(inside <= limit, "%s: %u workers in tasks, capacity %u",
			      tp->name, inside, limit);
}

void tpool_leave(struct tpool *tp)
{
	atomic_dec(&tp->inside);
}

void tpool_begin(struct tpool *tp, u32 nr)
{
	atomic64_add(nr, &tp->begun);
	/* count the submits before the pool does; pairs with the barriers of tpool_check() */
	smp_mb__after_atomic();
}

void tpool_end(struct tpool *tp, u32 nr, u32 accepted)
{
	/* count the results after the pool did; pairs with the barriers of tpool_check() */
	smp_mb__before_atomic();
	atomic64_add(accepted, &tp->accepted);
	atomic64_add(nr - accepted, &tp->refused);
}

static void random_attrs(struct wpool_attrs *attrs, bool *bound, u32 nr)
{
	static const u32 capacities[] = { 1, 1, 2, 3, 4, 8, 17, 64, 256, WPOOL_UNLIMITED };
	static const u32 depths[] = { 0, 0, 1, 4, 16, 100, 1000, 50000, WPOOL_UNLIMITED };
	struct rnd rnd;

	rnd_step(&rnd, seed, RND_POOL, nr + (1ULL << 32));
	wpool_attrs_init(attrs);
	attrs->capacity = capacities[rnd_below(&rnd, ARRAY_SIZE(capacities))];
	attrs->queue_depth = depths[rnd_below(&rnd, ARRAY_SIZE(depths))];
	attrs->policy = rnd_one_in(&rnd, 5) ? WPOOL_RUN :
			rnd_one_in(&rnd, 4) ? WPOOL_FAIL : WPOOL_BLOCK;
	attrs->max_blocking = rnd_one_in(&rnd, 4) ? rnd_from_to(&rnd, 1, 3) : 0;
	attrs->expiry_ms = rnd_one_in(&rnd, 3) ? 1000 : rnd_from_to(&rnd, 1, 50);
	attrs->min_workers = min(rnd_below(&rnd, 4), attrs->capacity);
	attrs->concurrency = rnd_from_to(&rnd, 1, 4);
	attrs->spin_us = rnd_one_in(&rnd, 2) ? 0 : rnd_below(&rnd, 100);
	attrs->hog_ms = rnd_from_to(&rnd, 1, 20);
	attrs->handoff = !rnd_one_in(&rnd, 4);
	attrs->latency = rnd_one_in(&rnd, 4);
	attrs->freezable = rnd_one_in(&rnd, 4);
	/* no task here waits for so long: -ETIME would be a violation */
	attrs->max_wait_ms = rnd_one_in(&rnd, 4) ? WPOOL_MAX_WAIT_MS : 0;
	attrs->reclaim = rnd_one_in(&rnd, 3);
	attrs->order = rnd_one_in(&rnd, 4) ? WPOOL_FIFO : WPOOL_LIFO;
	if (attrs->capacity <= 17 && rnd_one_in(&rnd, 5)) {
		attrs->prealloc = true;
		attrs->order = WPOOL_FIFO;
	}
	attrs->nice = rnd_one_in(&rnd, 4) ? rnd_from_to(&rnd, 0, 10) : 0;
	attrs->sched = rnd_one_in(&rnd, 5) ? rnd_from_to(&rnd, 1, WPOOL_MAX_PRIORITY) :
					     WPOOL_SCHED_NORMAL;
	*bound = rnd_one_in(&rnd, 3) && attrs->queue_depth <= 1000;
}

static struct tpool *make_random(void)
{
	struct wpool_attrs attrs;
	u32 nr = atomic_inc_return(&nr_made);
	struct tpool *tp;
	bool bound;

	random_attrs(&attrs, &bound, nr);
	tp = create(nr, &attrs, bound);
	if (tp && tirq_start(tp))
		torture_fail("no memory for interrupts");
	return tp;
}

struct tpool *tpool_from_slot(u32 slot)
{
	struct tpool *tp;

	spin_lock(&slots_lock);
	tp = slots[slot];
	if (tp)
		tpool_get(tp);
	spin_unlock(&slots_lock);
	return tp;
}

static struct tpool *set_slot(u32 slot, struct tpool *tp)
{
	struct tpool *old;

	spin_lock(&slots_lock);
	old = slots[slot];
	slots[slot] = tp;
	spin_unlock(&slots_lock);
	return old;
}

void tpool_exchange(u32 slot)
{
	struct tpool *tp;

	/* the default pool stays; a slot that another thread exchanges is empty */
	if (slot == TPOOL_SLOTS - 1)
		return;
	tp = set_slot(slot, NULL);
	if (!tp)
		return;
	tpool_destroy(tp);
	set_slot(slot, make_random());
}

int tpool_slots_init(void)
{
	u32 slot;

	for (slot = 0; slot < TPOOL_SLOTS; slot++) {
		slots[slot] = slot == TPOOL_SLOTS - 1 ? wrap(wpool_default()) :
							make_random();
		if (!slots[slot])
			return -ENOMEM;
	}
	return 0;
}

void tpool_slots_exit(void)
{
	struct tpool *tp;
	unsigned int tries = TORTURE_PATIENCE;
	bool more;
	u32 slot;
	int err;

	for (slot = 0; slot < TPOOL_SLOTS; slot++) {
		tp = set_slot(slot, NULL);
		if (!tp)
			continue;
		if (tp->shared) {
			/*
			 * Wait for the functions of this module, while programs may still submit. A
			 * flush does not wait for what a task submits meanwhile, but each such item
			 * has a reference. The last flush waits for functions that have put it. The
			 * time of a flush does not count: programs may have left many tasks.
			 */
			do {
				more = kref_read(&tp->ref) > 1;
				err = wpool_flush(tp->pool);
				torture_check(!err, "flush of the default pool: %d", err);
			} while (more && --tries && !schedule_timeout_uninterruptible(1));
			torture_check(!more, "an item of the default pool never ends");
			tpool_put(tp);
		} else {
			tpool_destroy(tp);
		}
	}
}
