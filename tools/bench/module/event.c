// SPDX-License-Identifier: GPL-2.0
/*
 * Events: tasks that wait without a worker.
 *
 *	event_wheel kind=bare|padded|work|event n=N [us=US] [capacity=W] [depth=D]
 *	event_armed n=N
 *	event_fire n=N [cpu=C] [pause=US]
 *
 * "event_wheel": one producer on CPU 0 arms N timers of US microseconds, one after the
 * other, and all is over when the last has expired: bare ones, whose functions count, the
 * same in objects as large as an event, delayed works of a per-CPU workqueue, or events,
 * whose functions count in one of W workers.
 *
 * "event_armed": N events are armed for a time that does not come, and cancelled again:
 * how long one takes, what the machine's memory shrinks by, how many workers were made, and
 * how often a thread of wpool was woken ("quiet_switches", of a second).
 *
 * "event_fire": the pool is quiet. A producer on CPU 0 submits a task, and the next time
 * it fires an event, which is how it continues: "submit_*" and "fire_*" are the times from
 * before the call to the start, in ns.
 */
#include "bench.h"

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <linux/wpool_event.h>
#include <linux/wpool_stats.h>

#include "compat.h"
#include "peers.h"
#include "producers.h"

#define FAR	(3600 * HZ)

/* Something that waits for a time, and the object that it is in. */
struct wheel_kind {
	const char *name;
	size_t bytes;
	void (*init)(void *object);
	void (*arm)(void *object, unsigned long delay);
	void (*cancel)(void *object);
};

struct events {
	const struct wheel_kind *kind;
	void *objects;
	unsigned long delay;
	struct bench_meter meter;
};

static void event_count(struct wpool_event *event)
{
	bench_count();
}

static void timer_count(struct timer_list *timer)
{
	bench_count();
}

static struct wpool *pool_create(const struct bench_run *run, u32 capacity)
{
	struct wpool_attrs attrs;

	wpool_attrs_init(&attrs);
	attrs.name = "bench";
	attrs.capacity = bench_num(run, "capacity", capacity);
	attrs.queue_depth = bench_num(run, "depth", 0);
	return wpool_create(&attrs, THIS_MODULE);
}

/* One case runs at a time. */
static struct wpool *wheel_pool;
static struct workqueue_struct *wheel_wq;

static void event_init(void *object)
{
	wpool_event_init(object, wheel_pool, event_count, NULL);
}

static void event_arm(void *object, unsigned long delay)
{
	wpool_event_arm(object, delay);
}

static void event_cancel(void *object)
{
	wpool_event_cancel_sync(object);
}

static void bare_init(void *object)
{
	timer_setup((struct timer_list *)object, timer_count, 0);
}

static void bare_arm(void *object, unsigned long delay)
{
	mod_timer(object, jiffies + delay);
}

static void bare_cancel(void *object)
{
	timer_delete_sync(object);
}

static void work_count(struct work_struct *work)
{
	bench_count();
}

static void work_init(void *object)
{
	INIT_DELAYED_WORK((struct delayed_work *)object, work_count);
}

static void work_arm(void *object, unsigned long delay)
{
	queue_delayed_work(wheel_wq, object, delay);
}

static void work_cancel(void *object)
{
	cancel_delayed_work_sync(object);
}

static const struct wheel_kind kinds[] = {
	{ "event", sizeof(struct wpool_event), event_init, event_arm, event_cancel },
	{ "bare", sizeof(struct timer_list), bare_init, bare_arm, bare_cancel },
	{ "padded", sizeof(struct wpool_event), bare_init, bare_arm, bare_cancel },
	{ "work", sizeof(struct delayed_work), work_init, work_arm, work_cancel },
};

static const struct wheel_kind *kind_named(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

static int wheel_produce(struct bench_producer *p)
{
	struct events *b = p->data;
	u64 i;

	for (i = 0; i < p->nr; i++) {
		b->kind->arm(b->objects + i * b->kind->bytes, b->delay);
		if (i % 1024 == 0)
			cond_resched();
	}
	return 0;
}

int bench_event_wheel(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 1000000), i;
	struct events b = {
		.kind = kind_named(bench_text(run, "kind", "event")),
		.delay = usecs_to_jiffies(bench_num(run, "us", 10000)),
	};
	int err;

	if (!n || !b.kind)
		return -EINVAL;
	wheel_pool = pool_create(run, 8);
	if (IS_ERR(wheel_pool))
		return PTR_ERR(wheel_pool);
	err = -ENOMEM;
	wheel_wq = alloc_workqueue("bench_wheel", WQ_PERCPU, 0);
	b.objects = kvcalloc(n, b.kind->bytes, GFP_KERNEL);
	if (!wheel_wq || !b.objects)
		goto out_destroy;
	for (i = 0; i < n; i++)
		b.kind->init(b.objects + i * b.kind->bytes);
	/* unmeasured, so that there are workers */
	bench_count_reset();
	err = bench_produce(NULL, 1, DIV_ROUND_UP(n, 10), wheel_produce, &b, NULL) ?:
	      bench_count_wait(DIV_ROUND_UP(n, 10));
	if (err)
		return bench_lost(err);
	err = bench_produce_counted(run, 1, n, wheel_produce, &b, &b.meter);
	if (err)
		return bench_lost(err);
	bench_meter_stop(&b.meter, run);
	for (i = 0; i < n; i++)
		b.kind->cancel(b.objects + i * b.kind->bytes);
out_destroy:
	wpool_destroy(wheel_pool);
	if (wheel_wq)
		destroy_workqueue(wheel_wq);
	kvfree(b.objects);
	return err;
}

int bench_event_armed(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 1000000), i, before, after, start, switches;
	struct wpool_event *events;
	struct wpool_stats stats;
	struct wpool *pool;
	int err = -ENOMEM;
	u32 threads;

	pool = pool_create(run, 8);
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	before = bench_free_memory();
	events = kvcalloc(n, sizeof(*events), GFP_KERNEL);
	if (!events)
		goto out_destroy;
	for (i = 0; i < n; i++)
		wpool_event_init(&events[i], pool, event_count, NULL);
	bench_count_reset();
	start = ktime_get_ns();
	for (i = 0; i < n; i++) {
		wpool_event_arm(&events[i], FAR + i % FAR);
		if (i % 1024 == 0)
			cond_resched();
	}
	bench_put(run, "arm_ns", ktime_get_ns() - start);
	after = bench_free_memory();
	bench_put(run, "used_bytes", before > after ? before - after : 0);
	bench_put(run, "event_bytes", sizeof(*events));
	switches = bench_switches(&threads);
	bench_sleep_us(USEC_PER_SEC);
	bench_put(run, "quiet_switches", bench_switches(&threads) - switches);
	wpool_get_stats(pool, &stats);
	bench_put(run, "spawned", stats.spawned);
	err = stats.outstanding || stats.waiting || bench_count_sum() ? -EBADE : 0;
	start = ktime_get_ns();
	for (i = 0; i < n; i++) {
		if (wpool_event_cancel_sync(&events[i]) != -ECANCELED)
			err = -EBADE;
		if (i % 1024 == 0)
			cond_resched();
	}
	bench_put(run, "cancel_sync_ns", ktime_get_ns() - start);
	kvfree(events);
out_destroy:
	wpool_destroy(pool);
	return err;
}

/* ---- from a fire, or a submit, to the start -------------------------------- */

struct shots {
	struct wpool_event event;
	struct bench_item item;
	struct bench_pool pool;
	struct completion done;
	u64 started_ns;
	u32 *submit_ns, *fire_ns;
	u64 pause_us;
};

static void hit_event(struct wpool_event *event)
{
	struct shots *b = container_of(event, struct shots, event);

	b->started_ns = ktime_get_ns();
	complete(&b->done);
}

static void hit(struct bench_item *item)
{
	struct shots *b = container_of(item, struct shots, item);

	b->started_ns = ktime_get_ns();
	complete(&b->done);
}

BENCH_FN(hit);

static int shoot(struct bench_producer *p)
{
	struct shots *b = p->data;
	u64 i, before;
	int err;

	for (i = 0; i < 2 * p->nr; i++) {
		/* its last run is over, and the worker parks */
		wpool_flush(b->pool.wpool);
		bench_sleep_us(b->pause_us);
		before = ktime_get_ns();
		if (i & 1) {
			wpool_event_fire(&b->event);
		} else {
			err = wpool_try_submit(b->pool.wpool, &b->item.task);
			if (err)
				return err;
		}
		wait_for_completion(&b->done);
		(i & 1 ? b->fire_ns : b->submit_ns)[i / 2] =
			min_t(u64, b->started_ns - before, U32_MAX);
	}
	return 0;
}

int bench_event_fire(struct bench_run *run)
{
	u64 n = bench_num(run, "n", 2000);
	struct shots *b;
	int err = -ENOMEM;

	b = kzalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return -ENOMEM;
	b->submit_ns = kvcalloc(n, sizeof(u32), GFP_KERNEL);
	b->fire_ns = kvcalloc(n, sizeof(u32), GFP_KERNEL);
	b->pause_us = bench_num(run, "pause", 200);
	init_completion(&b->done);
	if (!b->submit_ns || !b->fire_ns)
		goto out_free;
	err = bench_pool_create(&b->pool, run, &hit_fn);
	if (err)
		goto out_free;
	b->pool.peer->init(&b->pool, &b->item);
	wpool_event_init(&b->event, b->pool.wpool, hit_event, NULL);
	err = bench_produce(NULL, 1, DIV_ROUND_UP(n, 10), shoot, b, NULL);
	if (!err)
		err = bench_produce(run, 1, n, shoot, b, NULL);
	if (err)
		return bench_lost(err);
	bench_put_percentiles(run, "submit", b->submit_ns, n);
	bench_put_percentiles(run, "fire", b->fire_ns, n);
	wpool_event_cancel_sync(&b->event);
	bench_pool_destroy(&b->pool);
out_free:
	kvfree(b->submit_ns);
	kvfree(b->fire_ns);
	kfree(b);
	return err;
}
