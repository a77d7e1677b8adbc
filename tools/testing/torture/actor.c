// SPDX-License-Identifier: GPL-2.0
/*
 * Phase nasty: actors are threads that make one random call after the other. One more thread, the
 * conductor, compares figures meanwhile and checks that no actor is stuck.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/wpool_stats.h>

#include "torture.h"

#define NR_ITEMS	64
#define MAX_BATCH	8

struct actor {
	u32 nr;
	struct task_struct *thread;
	struct completion ended;
	const char *what;
	unsigned long since;
	/* number of ended tasks at which the flush of the default pool must return; 0: no flush */
	u64 flush_to;
	/* number of ended tasks when flush_goes_on() last read the figures */
	u64 flush_at;
	u64 step;
	DECLARE_BITMAP(in_flight, NR_ITEMS);
	struct titem items[NR_ITEMS];
};

static struct actor *all;

bool actor_is_current(void)
{
	return current->flags & PF_KTHREAD && kthread_func(current) == actor_main;
}

struct titem *actor_pin_any(struct rnd *rnd)
{
	struct actor *a = &all[rnd_below(rnd, actors)];
	struct titem *item = &a->items[rnd_below(rnd, NR_ITEMS)];

	return titem_pin(item) ? item : NULL;
}

static void doing(struct actor *a, const char *what)
{
	WRITE_ONCE(a->what, what);
	WRITE_ONCE(a->since, jiffies);
}

/* Returns a random item of the actor that is in flight, or NULL. */
static struct titem *any_in_flight(struct actor *a, struct rnd *rnd)
{
	u32 start = rnd_below(rnd, NR_ITEMS);
	u32 i = find_next_bit(a->in_flight, NR_ITEMS, start);

	if (i == NR_ITEMS)
		i = find_first_bit(a->in_flight, NR_ITEMS);
	return i == NR_ITEMS ? NULL : &a->items[i];
}

static void landed(struct actor *a, struct titem *item)
{
	__clear_bit(item - a->items, a->in_flight);
}

static void submit(struct actor *a, struct tpool *tp, struct rnd *rnd)
{
	enum titem_how how = rnd_below(rnd, NR_HOW);
	u32 want = how == BY_BATCH || how == BY_BATCH_TRY ? rnd_from_to(rnd, 1, MAX_BATCH) : 1;
	u32 start = rnd_below(rnd, NR_ITEMS), nr = 0, i, accepted;
	struct titem *items[MAX_BATCH], *item;
	int err;

	for (i = 0; i < NR_ITEMS && nr < want; i++) {
		item = &a->items[(start + i) % NR_ITEMS];
		if (test_bit(item - a->items, a->in_flight))
			continue;
		titem_prepare(item, tp, rnd_u64(rnd), 0);
		items[nr++] = item;
	}
	if (!nr)
		return;
	err = titem_submit(tp, items, nr, how, &accepted);
	titem_check_error(tp, how, err, false);
	/* only this thread submits these items, and they are not in flight */
	torture_check(err != -EALREADY, "%s: a task that is not in flight is pending", tp->name);
	for (i = 0; i < nr; i++)
		if (i < accepted)
			__set_bit(items[i] - a->items, a->in_flight);
		else
			titem_drop(items[i]);
}

/* The item may be pending, cancelled, running, or finished. */
static void submit_again(struct actor *a, struct tpool *tp, struct rnd *rnd)
{
	enum titem_how how = rnd_below(rnd, NR_HOW);
	struct titem *item = any_in_flight(a, rnd);

	if (item)
		titem_submit_one(item->tp, item, how, false);
}

static void wait(struct actor *a, struct tpool *tp, struct rnd *rnd)
{
	struct titem *item = any_in_flight(a, rnd);

	if (!item)
		return;
	titem_wait(item);
	landed(a, item);
}

static void cancel_sync(struct actor *a, struct tpool *tp, struct rnd *rnd)
{
	struct titem *item = any_in_flight(a, rnd);

	if (!item)
		return;
	titem_cancel_sync(item);
	landed(a, item);
}

static void cancel(struct actor *a, struct tpool *tp, struct rnd *rnd)
{
	struct titem *item = any_in_flight(a, rnd);

	if (item)
		titem_cancel(item);
}

static void cancel_others(struct actor *a, struct tpool *tp, struct rnd *rnd)
{
	struct titem *item = actor_pin_any(rnd);
	unsigned long flags;

	if (!item)
		return;
	if (rnd_one_in(rnd, 2)) {
		titem_cancel(item);
	} else {
		local_irq_save(flags);
		titem_cancel(item);
		local_irq_restore(flags);
	}
	titem_unpin(item);
}

static void submit_detached(struct actor *a, struct tpool *tp, struct rnd *rnd)
{
	enum titem_how how = rnd_below(rnd, NR_HOW);

	titem_submit_freeing(tp, rnd_u64(rnd), how, false);
}

static void submit_fn(struct actor *a, struct tpool *tp, struct rnd *rnd)
{
	bool invoke = tp->bound && rnd_one_in(rnd, 2);
	gfp_t gfp = rnd_one_in(rnd, 2) ? GFP_KERNEL : GFP_NOWAIT;
	int err;

	tpool_begin(tp, 1);
	err = invoke ? wpool_invoke(tp->pool, tp) :
		       wpool_submit_fn(tp->pool, titem_arg_fn, tp, THIS_MODULE, gfp);
	if (!err)
		atomic64_inc(&tp->fn_accepted);
	tpool_end(tp, 1, !err);
	torture_check(!err || err == -ESHUTDOWN || err == -EAGAIN || err == -ENOMEM,
		      "%s: %s: %d", tp->name, invoke ? "invoke" : "submit_fn", err);
}

static void tune(struct actor *a, struct tpool *tp, struct rnd *rnd)
{
	u64 how = rnd_u64(rnd);

	if (tp->shared)
		return;
	tpool_tune(tp, how);
}

static void flush(struct actor *a, struct tpool *tp, struct rnd *rnd)
{
	int accepted[NR_ITEMS];
	struct wpool_stats s;
	u32 i;
	int err;

	if (rnd_one_in(rnd, 2)) {
		submit(a, tp, rnd);
		doing(a, "flush");
	}
	for_each_set_bit(i, a->in_flight, NR_ITEMS)
		accepted[i] = atomic_read(&a->items[i].accepted);
	if (tp->shared) {
		wpool_get_stats(tp->pool, &s);
		WRITE_ONCE(a->flush_to, s.submitted);
	}
	err = wpool_flush(tp->pool);
	WRITE_ONCE(a->flush_to, 0);
	torture_check(!err, "%s: not flushed: %d", tp->name, err);
	for_each_set_bit(i, a->in_flight, NR_ITEMS)
		if (!err && a->items[i].tp == tp)
			titem_check_flushed(&a->items[i], accepted[i]);
}

static void release(struct actor *a, struct tpool *tp, struct rnd *rnd)
{
	/* one of WPOOL_RELEASE_DRAIN, _CANCEL and _OWN */
	u32 flags = rnd_below(rnd, 3);
	long timeout = rnd_below(rnd, HZ / 4);
	int err;

	if (tp->shared)
		return;
	if (flags & WPOOL_RELEASE_CANCEL)
		WRITE_ONCE(tp->may_drop, true);
	if (flags == WPOOL_RELEASE_OWN || rnd_one_in(rnd, 2)) {
		err = wpool_release(tp->pool, flags);
	} else {
		err = wpool_release_timeout(tp->pool, flags, timeout);
		if (err == -ETIME)
			err = 0;
	}
	torture_check(!err, "%s: not released: %d", tp->name, err);
}

static void reboot(struct actor *a, struct tpool *tp, struct rnd *rnd)
{
	int err;

	if (tp->shared)
		return;
	err = wpool_reboot(tp->pool);
	torture_check(!err || err == -ESHUTDOWN, "%s: not rebooted: %d", tp->name, err);
}

static void look(struct actor *a, struct tpool *tp, struct rnd *rnd)
{
	struct wpool_cpu_stats stats;
	struct wpool_attrs attrs;
	struct wpool *found;
	int cpu;

	tpool_check(tp);
	wpool_get_attrs(tp->pool, &attrs, NULL);
	torture_check(!strcmp(attrs.name, tp->name), "it is %s", attrs.name);
	cpu = rnd_below(rnd, nr_cpu_ids);
	if (cpu_possible(cpu)) {
		wpool_get_cpu_stats(tp->pool, cpu, &stats);
		torture_check(stats.idle <= nr_cpu_ids * 100000, "%u idle on %d", stats.idle, cpu);
	}
	found = wpool_find(tp->name);
	torture_check(!found || found == tp->pool, "%s: found another one", tp->name);
	wpool_put(found);
}

/* An actor draws a number and calls the first @fn whose @below is larger than the number. */
static const struct act {
	u32 below;
	const char *what;
	void (*fn)(struct actor *a, struct tpool *tp, struct rnd *rnd);
} acts[] = {
	{ 350, "submit", submit },
	{ 400, "submit again", submit_again },
	{ 550, "wait", wait },
	{ 600, "cancel", cancel },
	{ 680, "cancel_sync", cancel_sync },
	{ 730, "cancel of others", cancel_others },
	{ 800, "submit detached", submit_detached },
	{ 860, "submit_fn or invoke", submit_fn },
	{ 900, "tune", tune },
	{ 920, "flush", flush },
	{ 930, "release", release },
	{ 960, "reboot", reboot },
	{ 1000, "look", look },
};

static void step(struct actor *a)
{
	const struct act *act = acts;
	u32 what, slot;
	struct tpool *tp;
	struct rnd rnd;

	rnd_step(&rnd, seed, a->nr, a->step);
	what = rnd_below(&rnd, 1000);
	slot = rnd_below(&rnd, TPOOL_SLOTS);
	if (a->step < TORTURE_DIGEST_STEPS)
		torture_digest(a->nr, a->step << 40 | what << 8 | slot);
	a->step++;

	if (what < 4) {
		doing(a, "exchange");
		tpool_exchange(slot);
		return;
	}
	tp = tpool_from_slot(slot);
	if (!tp) {
		/* another thread is exchanging this pool */
		doing(a, "nothing");
		usleep_range(100, 200);
		return;
	}
	while (what >= act->below)
		act++;
	doing(a, act->what);
	act->fn(a, tp, &rnd);
	tpool_put(tp);
}

static void finish(struct actor *a, const char *why)
{
	u32 i;

	doing(a, why);
	for_each_set_bit(i, a->in_flight, NR_ITEMS) {
		titem_wait(&a->items[i]);
		landed(a, &a->items[i]);
	}
	doing(a, NULL);
}

int actor_main(void *data)
{
	struct actor *a = data;

	while (!torture_stopping() || a->step < TORTURE_DIGEST_STEPS) {
		step(a);
		cond_resched();
		if (stutter_wanted()) {
			finish(a, "wait for silence");
			stutter_stay();
		}
	}
	finish(a, "wait at the end");
	complete(&a->ended);
	/* kthread_stop() may be called only now: it wakes an actor that sleeps in a call */
	torture_await_stop();
	return 0;
}

static void for_all_pools(void (*fn)(struct tpool *tp))
{
	struct tpool *tp;
	u32 slot;

	for (slot = 0; slot < TPOOL_SLOTS; slot++) {
		tp = tpool_from_slot(slot);
		if (!tp)
			continue;
		fn(tp);
		tpool_put(tp);
	}
}

/*
 * True if a flush of the default pool may still have to wait. Killed programs leave hundreds of
 * thousands of tasks there, and a flush waits for all tasks submitted before it. As long as tasks
 * end, the flush is not stuck.
 */
static bool flush_goes_on(struct actor *a)
{
	u64 to = READ_ONCE(a->flush_to);
	struct wpool_stats s;
	u64 ended;

	if (!to)
		return false;
	wpool_get_stats(wpool_default(), &s);
	ended = s.submitted - s.outstanding;
	if (ended >= to || ended == a->flush_at)
		return false;
	a->flush_at = ended;
	return true;
}

static void look_at_actors(void)
{
	struct actor *a;
	u32 i;

	for (i = 0; i < actors; i++) {
		a = &all[i];
		if (flush_goes_on(a))
			WRITE_ONCE(a->since, jiffies);
		if (!READ_ONCE(a->what) ||
		    time_before(jiffies, READ_ONCE(a->since) + TORTURE_PATIENCE))
			continue;
		torture_fail("actor %u is stuck: %s", i, a->what);
		torture_show_threads();
		for_all_pools(tpool_show);
		doing(a, a->what);
	}
}

void phase_nasty(u32 others)
{
	u32 i;

	all = kvcalloc(actors, sizeof(*all), GFP_KERNEL);
	if (!all || tpool_slots_init()) {
		torture_fail("no memory");
		return;
	}
	for (i = 0; i < actors; i++) {
		all[i].nr = i;
		all[i].since = jiffies;
		init_completion(&all[i].ended);
		all[i].thread = kthread_run(actor_main, &all[i], "torture/%u", i);
		if (IS_ERR(all[i].thread)) {
			torture_fail("actor %u: %ld", i, PTR_ERR(all[i].thread));
			return;
		}
	}
	stutter_open();
	while (torture_pause(50)) {
		look_at_actors();
		for_all_pools(tpool_check);
		stutter_serve(actors + others, look_at_actors, for_all_pools);
	}
	stutter_close();
	for (i = 0; i < actors; i++) {
		while (!wait_for_completion_timeout(&all[i].ended, HZ)) {
			look_at_actors();
			for_all_pools(tpool_check);
		}
		kthread_stop(all[i].thread);
	}
	tpool_slots_exit();
	kvfree(all);
}
