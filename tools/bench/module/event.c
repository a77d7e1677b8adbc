// SPDX-License-Identifier: GPL-2.0
/*
 * Events: tasks that wait without a worker.
 *
 *	event_wheel kind=bare|padded|work|event n=N [us=US] [capacity=W] [depth=D]
 *	event_armed n=N [capacity=W] [depth=D]
 *	event_fire n=N [cpu=C]
 *
 * "event_wheel": one producer on CPU 0 arms N timers of US microseconds, one after the other. The
 * measurement ends when the last has expired. Their functions call bench_count(). bare: timers;
 * padded: timers in objects as large as an event; work: delayed works of a per-CPU workqueue;
 * event: events of a pool of W workers.
 *
 * "event_armed": N events are armed for a time that does not come, and cancelled again. Figures:
 * the times to arm and to cancel all N, the memory used, the workers made, and the context
 * switches of wpool's threads in a second ("quiet_switches").
 *
 * "event_fire": the pool is quiet; cpu=C: its workers run on CPU C only. A producer on CPU 0
 * alternately submits a task and fires an event. "submit_*" and "fire_*" are the times from before
 * the call to the start, in ns.
 */
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <linux/wpool_event.h>
#include <linux/wpool_stats.h>

#include "bench.h"
#include "compat.h"

#define FAR	(3600 * HZ)

/* A kind of timer, and the object that contains it. */
struct wheel_kind {
	const char *name;
	size_t bytes;
	void (*init)(void *object);
	void (*arm)(void *object, unsigned long delay);
	void (*cancel)(void *object);
};

struct wheel {
	struct bench b;
	const struct wheel_kind *kind;
	void *objects;
	unsigned long delay;
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
	return wpool_create(&attrs);
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

static void *object_of(struct wheel *w, u64 i)
{
	return w->objects + i * w->kind->bytes;
}

static int wheel_produce(struct bench_producer *p)
{
	struct wheel *w = p->data;
	u64 i;

	for (i = 0; i < p->nr; i++) {
		w->kind->arm(object_of(w, i), w->delay);
		if (i % 1024 == 0)
			cond_resched();
	}
	return 0;
}

static int prepare_wheel(struct bench *b)
{
	struct wheel *w = container_of(b, struct wheel, b);

	w->delay = usecs_to_jiffies(bench_num(b->run, "us", 10000));
	for (w->kind = kinds; !bench_is(b->run, "kind", w->kind->name); w->kind++)
		if (w->kind == &kinds[ARRAY_SIZE(kinds) - 1])
			return -EINVAL;
	w->objects = bench_zalloc(b, b->n, w->kind->bytes);
	return 0;
}

static int measure_wheel(struct bench *b)
{
	struct wheel *w = container_of(b, struct wheel, b);
	u64 i;
	int err;

	wheel_pool = pool_create(b->run, 8);
	if (IS_ERR(wheel_pool))
		return PTR_ERR(wheel_pool);
	wheel_wq = alloc_workqueue("bench_wheel", WQ_PERCPU, 0);
	if (!wheel_wq)
		return -ENOMEM;
	for (i = 0; i < b->n; i++)
		w->kind->init(object_of(w, i));
	/* the first timers make the workers, and are not measured */
	err = bench_measure(b, DIV_ROUND_UP(b->n, 10), wheel_produce);
	if (err)
		return err;
	for (i = 0; i < b->n; i++)
		w->kind->cancel(object_of(w, i));
	wpool_destroy(wheel_pool);
	destroy_workqueue(wheel_wq);
	return 0;
}

const struct bench_case bench_event_wheel = {
	.name = "event_wheel",
	.size = sizeof(struct wheel),
	.n = 1000000,
	.prepare = prepare_wheel,
	.measure = measure_wheel,
};

static int measure_armed(struct bench *b)
{
	struct wpool *pool = pool_create(b->run, 8);
	struct wpool_event *events;
	u64 i, before, start, switches;
	struct wpool_stats stats;
	int err = 0;
	u32 threads;

	if (IS_ERR(pool))
		return PTR_ERR(pool);
	before = bench_free_memory();
	events = bench_zalloc(b, b->n, sizeof(*events));
	if (!events)
		return -ENOMEM;
	for (i = 0; i < b->n; i++)
		wpool_event_init(&events[i], pool, event_count, NULL);
	bench_count_reset();
	start = ktime_get_ns();
	for (i = 0; i < b->n; i++) {
		wpool_event_arm(&events[i], FAR + i % FAR);
		if (i % 1024 == 0)
			cond_resched();
	}
	bench_put(b->run, "arm_ns", ktime_get_ns() - start);
	bench_put(b->run, "used_bytes", bench_shrunk_by(before));
	bench_put(b->run, "event_bytes", sizeof(*events));
	switches = bench_switches(&threads);
	bench_sleep_us(USEC_PER_SEC);
	bench_put(b->run, "quiet_switches", bench_switches(&threads) - switches);
	wpool_get_stats(pool, &stats);
	bench_put(b->run, "spawned", stats.spawned);
	if (stats.outstanding || stats.waiting || bench_count_sum())
		err = -EBADE;
	start = ktime_get_ns();
	for (i = 0; i < b->n; i++) {
		if (wpool_event_cancel_sync(&events[i]) != -ECANCELED)
			err = -EBADE;
		if (i % 1024 == 0)
			cond_resched();
	}
	bench_put(b->run, "cancel_sync_ns", ktime_get_ns() - start);
	wpool_destroy(pool);
	return err;
}

const struct bench_case bench_event_armed = {
	.name = "event_armed",
	.n = 1000000,
	.measure = measure_armed,
};

/* ---- event_fire ------------------------------------------------------------- */

struct shots {
	struct bench b;
	struct wpool_event event;
	struct completion done;
	u64 started_ns;
	u32 *submit_ns, *fire_ns;
};

static void hit_event(struct wpool_event *event)
{
	struct shots *s = container_of(event, struct shots, event);

	s->started_ns = ktime_get_ns();
	complete(&s->done);
}

static void hit(struct bench_item *item)
{
	struct shots *s = item->data;

	s->started_ns = ktime_get_ns();
	complete(&s->done);
}

BENCH_FN(hit);

static int shoot(struct bench_producer *p)
{
	struct shots *s = p->data;
	struct bench *b = &s->b;
	u64 i, before;
	int err;

	for (i = 0; i < 2 * p->nr; i++) {
		/* wait until the function has returned and the worker has parked */
		wpool_flush(b->pool.wpool);
		bench_sleep_us(200);
		before = ktime_get_ns();
		if (i & 1) {
			wpool_event_fire(&s->event);
		} else {
			err = wpool_try_submit(b->pool.wpool, &b->items[0].task);
			if (err)
				return err;
		}
		wait_for_completion(&s->done);
		(i & 1 ? s->fire_ns : s->submit_ns)[i / 2] = bench_u32(s->started_ns - before);
	}
	return 0;
}

static int prepare_fire(struct bench *b)
{
	struct shots *s = container_of(b, struct shots, b);

	b->nr_items = 1;
	s->submit_ns = bench_series(b, "submit", b->n);
	s->fire_ns = bench_series(b, "fire", b->n);
	init_completion(&s->done);
	return 0;
}

static int measure_fire(struct bench *b)
{
	struct shots *s = container_of(b, struct shots, b);
	int err;

	wpool_event_init(&s->event, b->pool.wpool, hit_event, NULL);
	err = bench_produce(b, false, DIV_ROUND_UP(b->n, 10), shoot) ?:
	      bench_produce(b, true, b->n, shoot);
	if (!err)
		wpool_event_cancel_sync(&s->event);
	return err;
}

const struct bench_case bench_event_fire = {
	.name = "event_fire",
	.size = sizeof(struct shots),
	.fn = &hit_fn,
	.n = 2000,
	.prepare = prepare_fire,
	.measure = measure_fire,
};
