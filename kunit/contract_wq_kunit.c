// SPDX-License-Identifier: GPL-2.0
/*
 * The contract of wpool_wq: see contract.h. The object is a work, the holder another work of its
 * queue, which runs one work at a time, or two if the object is INSIDE or AGAIN. DRAINS: a thread
 * drains the queue.
 */
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "contract.h"
#include "wq_items.h"

#define FAR	(HZ * 3600)

/*
 * @item: the work, unless the case is about @rwork, which runs the function of @item, too
 * @spare: a work that waits at the gate of the holder
 * @other: another queue, if the row needs one
 */
struct scene {
	struct rcu_work rwork;
	struct wpk_item *item;
	struct wpk_item *spare;
	struct workqueue_struct *wq;
	struct workqueue_struct *other;
	int status;
};

static void in_object(struct wpk_item *item)
{
	wpk_contract_in_object(item->arg);
}

static void in_holder(struct wpk_item *item)
{
	wpk_contract_in_holder(item->arg);
}

static void hold(struct wpk_world *w, struct wpk_item *holder, struct workqueue_struct *wq, int nr)
{
	KUNIT_ASSERT_TRUE(w->test, queue_work(wq, wpk_work(holder)));
	KUNIT_ASSERT_TRUE(w->test, wpk_gate_arrived(w->gate, nr));
}

static void begin(struct wpk_world *w)
{
	enum wpk_object_is is = w->row->object;
	struct scene *scene = wpk_alloc(w->test, sizeof(*scene));
	struct wpk_item *holders = wpk_items(w->test, w->gate, 2);

	w->object = scene;
	scene->item = wpk_items(w->test, w->object_gate, 1);
	scene->spare = &holders[1];
	scene->wq = wpk_wq(w->test, WQ_UNBOUND, is == INSIDE || is == AGAIN ? 2 : 1);
	if (is == ELSEWHERE || is == INSIDE_ELSEWHERE || is == MOVED)
		scene->other = wpk_wq(w->test, WQ_UNBOUND, 1);
	if (is == ELSEWHERE)
		hold(w, scene->spare, scene->other, 1);
	holders->body = in_holder;
	holders->arg = w;
	if (is != ITSELF)
		hold(w, holders, scene->wq, 1 + (is == ELSEWHERE));
}

static void make_work(struct wpk_world *w)
{
	struct scene *scene = w->object;
	struct wpk_item *item = scene->item;

	item->body = in_object;
	item->arg = w;
	if (w->row->object == WITHOUT_FUNC)
		INIT_DELAYED_WORK(&item->work, NULL);
	if (w->row->object == DISABLED)
		disable_work(wpk_work(item));
	if (w->row->object == ARMED)
		KUNIT_ASSERT_TRUE(w->test, queue_delayed_work(scene->wq, &item->work, FAR));
}

static void rcu_fn(struct work_struct *work)
{
	wpk_item_fn(wpk_work(container_of(to_rcu_work(work), struct scene, rwork)->item));
}

static void make_rcu_work(struct wpk_world *w)
{
	struct scene *scene = w->object;

	make_work(w);
	INIT_RCU_WORK(&scene->rwork, w->row->object == WITHOUT_FUNC ? NULL : rcu_fn);
}

/* The queue that the call gets. */
static struct workqueue_struct *wq_of(struct wpk_world *w)
{
	struct scene *scene = w->object;

	return w->row->pool == NO_POOL ? NULL : scene->wq;
}

static struct delayed_work *dwork_of(struct wpk_world *w)
{
	struct scene *scene = w->object;

	return w->row->object == NONE ? NULL : &scene->item->work;
}

static struct work_struct *work_of(struct wpk_world *w)
{
	return (struct work_struct *)dwork_of(w);
}

static struct rcu_work *rwork_of(struct wpk_world *w)
{
	struct scene *scene = w->object;

	return w->row->object == NONE ? NULL : &scene->rwork;
}

static int submit(struct wpk_world *w, struct work_struct *work)
{
	enum wpk_object_is is = w->row->object;
	struct scene *scene = w->object;
	bool elsewhere = is == ELSEWHERE || is == INSIDE_ELSEWHERE ||
			 (is == MOVED && !wpk_runs(scene->item));

	return queue_work(elsewhere ? scene->other : scene->wq, work) ? 0 : -EALREADY;
}

static int submit_work(struct wpk_world *w)
{
	return submit(w, work_of(w));
}

static int submit_rcu_work(struct wpk_world *w)
{
	return submit(w, &rwork_of(w)->work);
}

static int drain_or_destroy(struct wpk_thread *thread)
{
	struct wpk_world *w = thread->arg;

	if (w->gone)
		destroy_workqueue(wq_of(w));
	else
		drain_workqueue(wq_of(w));
	return 0;
}

static void move(struct wpk_world *w)
{
	struct scene *scene = w->object;

	switch (w->row->pool) {
	case DESTROYING:
		kunit_remove_action(w->test, wpk_wq_destroy, scene->wq);
		w->gone = true;
		fallthrough;
	case DRAINS:
		w->destroyer = wpk_thread(w->test, drain_or_destroy, NULL, NULL, w);
		KUNIT_ASSERT_TRUE(w->test, wpk_waits(w->destroyer));
		break;
	case DESTROYED:
		wpk_gate_open(w->object_gate);
		wpk_gate_open(w->gate);
		wpk_wq_end(w->test, scene->wq);
		w->gone = true;
		break;
	default:
		break;
	}
}

static void end(struct wpk_world *w)
{
	struct scene *scene = w->object;

	if (work_pending(&scene->rwork.work))
		rcu_barrier();
	/* afterwards only the timer can be left */
	if (!w->gone)
		flush_workqueue(scene->wq);
	if (scene->other)
		flush_workqueue(scene->other);
	if (cancel_delayed_work_sync(&scene->item->work))
		scene->status = -ECANCELED;
	/* only wpool_work_enable() enables the work, and only a drain closes the queue */
	if (w->row->object == DISABLED && !w->row->left.runs)
		KUNIT_EXPECT_FALSE(w->test, queue_work(system_wq, work_of(w)));
	flush_work(wpk_work(scene->spare));
	if (!w->gone) {
		KUNIT_EXPECT_TRUE(w->test, queue_work(scene->wq, wpk_work(scene->spare)));
		wpk_wq_end(w->test, scene->wq);
	}
	if (scene->other)
		wpk_wq_end(w->test, scene->other);
}

static int runs_of_work(struct wpk_world *w)
{
	struct scene *scene = w->object;

	KUNIT_EXPECT_FALSE(w->test, scene->item->twice);
	return wpk_runs(scene->item);
}

static int status_of_work(struct wpk_world *w)
{
	struct scene *scene = w->object;

	return scene->status;
}

#define NOUN(kind)							\
static const struct wpk_noun kind##_noun = {				\
	.begin = begin, .move = move, .end = end,			\
	.make = make_##kind, .submit = submit_##kind,			\
	.runs = runs_of_work, .status = status_of_work,			\
}

NOUN(work);
NOUN(rcu_work);

/* What is left of a work: how often its function runs, and whether its timer runs at the end. */
#define RUNS(nr) { .runs = nr }
#define WAITS(nr) { .waits = true, .runs = nr }
#define TIMER(nr) { .runs = nr, .status = -ECANCELED }

/* ---- queue ---------------------------------------------------------------- */

CALL(wpool_wq_queue_on, wpool_wq_queue_on(0, wq_of(w), work_of(w)))
CALL(wpool_wq_queue_rcu, wpool_wq_queue_rcu(wq_of(w), rwork_of(w)))
CALL(wpool_wq_queue_delayed, wpool_wq_queue_delayed(WORK_CPU_UNBOUND, wq_of(w), dwork_of(w), FAR))
CALL(wpool_wq_queue_delayed_0, wpool_wq_queue_delayed(0, wq_of(w), dwork_of(w), 0))
CALL(wpool_wq_mod_delayed, wpool_wq_mod_delayed(0, wq_of(w), dwork_of(w), 2 * FAR))
CALL(wpool_wq_mod_delayed_0, wpool_wq_mod_delayed(WORK_CPU_UNBOUND, wq_of(w), dwork_of(w), 0))

ENTRIES(every_queue,
	{ IN_THREAD, WITH_ROOM, QUEUED, false, RUNS(1),
	  "Does nothing if the work is pending already, or is disabled" },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, false, RUNS(1) },
	{ IN_HARDIRQ, WITH_ROOM, QUEUED, false, RUNS(1) },
	{ IN_THREAD, WITH_ROOM, ELSEWHERE, false, RUNS(1) },
	{ IN_THREAD, WITH_ROOM, AGAIN, false, RUNS(2) },
	{ IN_THREAD, WITH_ROOM, MOVED, false, RUNS(2) },
	{ IN_THREAD, DRAINS, QUEUED, false, RUNS(1) },
	{ IN_THREAD, DESTROYING, QUEUED, false, RUNS(1) },
	{ IN_THREAD, NO_POOL, UNUSED, false, RUNS(0),
	  "or if @wq, @work or its function is %NULL" },
	{ IN_THREAD, WITH_ROOM, NONE, false, RUNS(0) },
	{ IN_THREAD, WITH_ROOM, WITHOUT_FUNC, false, RUNS(0) });

ENTRIES(queue_of_work,
	{ IN_THREAD, WITH_ROOM, ARMED, false, TIMER(0),
	  "Does nothing if the work is pending already, or is disabled" },
	{ IN_THREAD, WITH_ROOM, DISABLED, false, RUNS(0) },
	{ IN_HARDIRQ, WITH_ROOM, DISABLED, false, RUNS(0) });

ENTRIES(queue_now,
	{ IN_THREAD, WITH_ROOM, UNUSED, true, RUNS(1), "true if this call queued the work" },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, true, RUNS(1) },
	{ IN_SOFTIRQ, WITH_ROOM, UNUSED, true, RUNS(1),
	  "any except NMI, and not with scheduler locks held" },
	{ IN_HARDIRQ, WITH_ROOM, UNUSED, true, RUNS(1) },
	{ IN_THREAD, WITH_ROOM, INSIDE, true, RUNS(2),
	  "it runs once more afterwards, never twice at once" },
	{ IN_HARDIRQ, WITH_ROOM, INSIDE, true, RUNS(2) },
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, true, RUNS(2) },
	{ IN_THREAD, WITH_ROOM, INSIDE_ELSEWHERE, true, RUNS(2) });

ENTRIES(queue_in_drain,
	{ IN_THREAD, DRAINS, UNUSED, false, RUNS(0),
	  "A work that another thread, an interrupt or a timer queues is dropped" },
	{ IN_HARDIRQ, DRAINS, UNUSED, false, RUNS(0) },
	{ IN_THREAD, DRAINS, INSIDE, false, RUNS(1) },
	{ IN_OWN_TASK, DRAINS, UNUSED, true, RUNS(1),
	  "Meanwhile only a running work of @wq may queue works on it." },
	{ IN_OWN_TASK, DRAINS, ITSELF, true, RUNS(2) },
	{ IN_OWN_TASK, DESTROYING, ITSELF, true, RUNS(2), "Drains @wq as wpool_wq_drain()" });

ENTRIES(queue_later,
	{ IN_THREAD, WITH_ROOM, UNUSED, true, TIMER(0), "queue a work after a time" },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, true, TIMER(0) },
	{ IN_SOFTIRQ, WITH_ROOM, UNUSED, true, TIMER(0) },
	{ IN_HARDIRQ, WITH_ROOM, UNUSED, true, TIMER(0) },
	{ IN_THREAD, WITH_ROOM, INSIDE, true, TIMER(1) },
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, true, TIMER(1) },
	{ IN_THREAD, WITH_ROOM, INSIDE_ELSEWHERE, true, TIMER(1) },
	{ IN_THREAD, DRAINS, UNUSED, true, TIMER(0) });

ENTRIES(every_mod,
	{ IN_THREAD, WITH_ROOM, DISABLED, false, RUNS(0),
	  "Does nothing if the work is pending already, or is disabled" },
	{ IN_THREAD, NO_POOL, ARMED, false, TIMER(0),
	  "@dwork or its function is %NULL, the call does nothing and returns false" },
	{ IN_THREAD, WITH_ROOM, NONE, false, RUNS(0) },
	{ IN_THREAD, WITH_ROOM, WITHOUT_FUNC, false, RUNS(0) });

ENTRIES(mod_later,
	{ IN_THREAD, WITH_ROOM, UNUSED, false, TIMER(0), "true if the work was pending" },
	{ IN_THREAD, WITH_ROOM, ARMED, true, TIMER(0) },
	{ IN_THREAD, WITH_ROOM, INSIDE, false, TIMER(1) },
	{ IN_THREAD, WITH_ROOM, INSIDE_ELSEWHERE, false, TIMER(1) },
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, false, TIMER(1) },
	{ IN_THREAD, WITH_ROOM, QUEUED, true, TIMER(0), "first taken out of its queue" },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, true, TIMER(0) },
	{ IN_SOFTIRQ, WITH_ROOM, QUEUED, true, TIMER(0) },
	{ IN_HARDIRQ, WITH_ROOM, QUEUED, true, TIMER(0) },
	{ IN_THREAD, WITH_ROOM, ELSEWHERE, true, TIMER(0) },
	{ IN_THREAD, WITH_ROOM, AGAIN, true, TIMER(1) },
	{ IN_THREAD, WITH_ROOM, MOVED, true, TIMER(1) },
	{ IN_THREAD, DRAINS, QUEUED, true, TIMER(0) });

ENTRIES(mod_now,
	{ IN_THREAD, WITH_ROOM, UNUSED, false, RUNS(1), "from now; 0 queues it at once" },
	{ IN_THREAD, WITH_ROOM, ARMED, true, RUNS(1) },
	{ IN_HARDIRQ, WITH_ROOM, ARMED, true, RUNS(1) },
	{ IN_THREAD, WITH_ROOM, QUEUED, true, RUNS(1) },
	{ IN_THREAD, WITH_ROOM, INSIDE, false, RUNS(2) },
	{ IN_THREAD, WITH_ROOM, AGAIN, true, RUNS(2) },
	{ IN_THREAD, DRAINS, ARMED, true, RUNS(0),
	  "A work that another thread, an interrupt or a timer queues is dropped" },
	{ IN_OWN_TASK, DRAINS, ARMED, true, RUNS(1),
	  "Meanwhile only a running work of @wq may queue works on it." });

/* ---- take back ------------------------------------------------------------ */

/* Check that the call disabled the work. */
static bool refuses(struct wpk_world *w, bool ret)
{
	KUNIT_EXPECT_FALSE(w->test, queue_work(system_wq, work_of(w)));
	KUNIT_EXPECT_EQ(w->test, enable_work(work_of(w)), w->row->object != DISABLED);
	return ret;
}

CALL(wpool_work_cancel, wpool_work_cancel(work_of(w)))
CALL(wpool_work_disable, refuses(w, wpool_work_disable(work_of(w))))
CALL(wpool_delayed_work_cancel, wpool_delayed_work_cancel(dwork_of(w)))
CALL(wpool_delayed_work_disable, refuses(w, wpool_delayed_work_disable(dwork_of(w))))
CALL(wpool_work_cancel_sync, wpool_work_cancel_sync(work_of(w)))
CALL(wpool_work_disable_sync, refuses(w, wpool_work_disable_sync(work_of(w))))
CALL(wpool_delayed_work_cancel_sync, wpool_delayed_work_cancel_sync(dwork_of(w)))
CALL(wpool_delayed_work_disable_sync, refuses(w, wpool_delayed_work_disable_sync(dwork_of(w))))

ENTRIES(every_cancel,
	{ IN_THREAD, WITH_ROOM, UNUSED, false, RUNS(0), "true if the work was pending" },
	{ IN_THREAD, WITH_ROOM, DISABLED, false, RUNS(0) },
	{ IN_THREAD, WITH_ROOM, QUEUED, true, RUNS(0) },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, true, RUNS(0) },
	{ IN_THREAD, WITH_ROOM, ELSEWHERE, true, RUNS(0) },
	{ IN_THREAD, DRAINS, QUEUED, true, RUNS(0) },
	{ IN_THREAD, DESTROYING, QUEUED, true, RUNS(0) },
	{ IN_THREAD, DESTROYED, QUEUED, false, RUNS(1),
	  "of a work that was queued here may be called afterwards" });

ENTRIES(cancel,
	{ IN_SOFTIRQ, WITH_ROOM, QUEUED, true, RUNS(0), "true if the work was pending" },
	{ IN_HARDIRQ, WITH_ROOM, QUEUED, true, RUNS(0) },
	{ IN_THREAD, WITH_ROOM, INSIDE, false, RUNS(1), "a running function continues" },
	{ IN_THREAD, WITH_ROOM, AGAIN, true, RUNS(1) },
	{ IN_HARDIRQ, WITH_ROOM, AGAIN, true, RUNS(1) },
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, false, RUNS(1) },
	{ IN_THREAD, WITH_ROOM, INSIDE_ELSEWHERE, false, RUNS(1) },
	{ IN_THREAD, WITH_ROOM, MOVED, true, RUNS(1) });

ENTRIES(cancel_sync,
	{ IN_THREAD, WITH_ROOM, INSIDE, false, WAITS(1),
	  "and wait until its function does not run" },
	{ IN_OWN_TASK, WITH_ROOM, INSIDE, false, WAITS(1) },
	{ IN_THREAD, WITH_ROOM, AGAIN, true, WAITS(1) },
	{ IN_THREAD, WITH_ROOM, INSIDE_ELSEWHERE, false, WAITS(1) },
	{ IN_THREAD, WITH_ROOM, MOVED, true, WAITS(1) },
	{ KILLED, WITH_ROOM, INSIDE, false, WAITS(1),
	  "process context; sleeps, uninterruptibly. Not in the work itself." });

ENTRIES(cancel_delayed,
	{ IN_THREAD, WITH_ROOM, ARMED, true, RUNS(0), "true if the work was pending" },
	{ IN_OWN_TASK, WITH_ROOM, ARMED, true, RUNS(0) });

ENTRIES(cancel_in_irq,
	{ IN_SOFTIRQ, WITH_ROOM, ARMED, true, RUNS(0), "any except NMI" },
	{ IN_HARDIRQ, WITH_ROOM, ARMED, true, RUNS(0) });

CALL(wpool_work_enable, wpool_work_enable(work_of(w)) && queue_work(wq_of(w), work_of(w)))
CALL(wpool_work_enable_one_of_two, wpool_work_disable(work_of(w)) || wpool_work_enable(work_of(w)))

ENTRIES(enable,
	{ IN_THREAD, WITH_ROOM, DISABLED, true, RUNS(1),
	  "true if the work can be queued from now on" },
	{ IN_SOFTIRQ, WITH_ROOM, DISABLED, true, RUNS(1) },
	{ IN_HARDIRQ, WITH_ROOM, DISABLED, true, RUNS(1) },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, true, RUNS(1) });

ENTRIES(enable_one_of_two,
	{ IN_THREAD, WITH_ROOM, DISABLED, false, RUNS(0),
	  "take back one call that disabled a work" });

/* ---- flush ---------------------------------------------------------------- */

CALL(wpool_work_flush, wpool_work_flush(work_of(w)))
CALL(wpool_delayed_work_flush, wpool_delayed_work_flush(dwork_of(w)))
CALL(wpool_rcu_work_flush, wpool_rcu_work_flush(rwork_of(w)))
CALL(wpool_work_busy, wpool_work_busy(work_of(w)))

ENTRIES(every_flush,
	{ IN_THREAD, WITH_ROOM, UNUSED, false, RUNS(0),
	  "true if there was something to wait for" },
	{ IN_THREAD, WITH_ROOM, DISABLED, false, RUNS(0) },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, false, RUNS(0) },
	{ IN_THREAD, WITH_ROOM, QUEUED, true, WAITS(1),
	  "Waits until the last queueing before the call has ended" },
	{ IN_THREAD, WITH_ROOM, INSIDE, true, WAITS(1) },
	{ IN_OWN_TASK, WITH_ROOM, INSIDE, true, WAITS(1) },
	{ IN_THREAD, WITH_ROOM, AGAIN, true, WAITS(2) },
	{ IN_THREAD, WITH_ROOM, ELSEWHERE, true, WAITS(1) },
	{ IN_THREAD, WITH_ROOM, INSIDE_ELSEWHERE, true, WAITS(1) },
	{ IN_THREAD, WITH_ROOM, MOVED, true, WAITS(2) },
	{ IN_THREAD, DRAINS, QUEUED, true, WAITS(1) },
	{ IN_THREAD, DESTROYING, QUEUED, true, WAITS(1) },
	{ KILLED, WITH_ROOM, INSIDE, true, WAITS(1),
	  "process context; sleeps, uninterruptibly. Not in the work itself." },
	{ IN_THREAD, DESTROYED, QUEUED, false, RUNS(1),
	  "of a work that was queued here may be called afterwards" });

ENTRIES(flush_work_of_timer,
	{ IN_THREAD, WITH_ROOM, ARMED, false, TIMER(0),
	  "true if there was something to wait for" });

ENTRIES(flush_delayed,
	{ IN_THREAD, WITH_ROOM, ARMED, true, WAITS(1),
	  "queue a delayed work at once if its timer runs, and flush it" },
	{ IN_THREAD, DRAINS, ARMED, false, RUNS(0),
	  "A work that another thread, an interrupt or a timer queues is dropped" });

#define BUSY_BOTH (WORK_BUSY_PENDING | WORK_BUSY_RUNNING)

ENTRIES(busy,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, RUNS(0), "is a work pending or running?" },
	{ IN_THREAD, WITH_ROOM, DISABLED, 0, RUNS(0) },
	{ IN_THREAD, WITH_ROOM, QUEUED, WORK_BUSY_PENDING, RUNS(1),
	  "%WORK_BUSY_PENDING, %WORK_BUSY_RUNNING, both or 0." },
	{ IN_SOFTIRQ, WITH_ROOM, QUEUED, WORK_BUSY_PENDING, RUNS(1) },
	{ IN_THREAD, WITH_ROOM, ELSEWHERE, WORK_BUSY_PENDING, RUNS(1) },
	{ IN_THREAD, WITH_ROOM, ARMED, WORK_BUSY_PENDING, TIMER(0) },
	{ IN_THREAD, WITH_ROOM, INSIDE, WORK_BUSY_RUNNING, RUNS(1) },
	{ IN_HARDIRQ, WITH_ROOM, INSIDE, WORK_BUSY_RUNNING, RUNS(1) },
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, WORK_BUSY_RUNNING, RUNS(1) },
	{ IN_THREAD, WITH_ROOM, INSIDE_ELSEWHERE, WORK_BUSY_RUNNING, RUNS(1) },
	{ IN_THREAD, WITH_ROOM, AGAIN, BUSY_BOTH, RUNS(2) },
	{ IN_THREAD, WITH_ROOM, MOVED, BUSY_BOTH, RUNS(2) },
	{ IN_THREAD, DRAINS, QUEUED, WORK_BUSY_PENDING, RUNS(1) },
	{ IN_THREAD, DESTROYING, QUEUED, WORK_BUSY_PENDING, RUNS(1) },
	{ IN_THREAD, DESTROYED, QUEUED, 0, RUNS(1) });

CALL(wpool_current_work, wpool_current_work() == work_of(w))

ENTRIES(caller_work,
	{ IN_OWN_TASK, WITH_ROOM, ITSELF, true, RUNS(1),
	  "the work whose function makes this call" },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, false, RUNS(0) },
	{ IN_THREAD, WITH_ROOM, INSIDE, false, RUNS(1),
	  "%NULL in any other thread, and in an interrupt." },
	{ IN_SOFTIRQ, WITH_ROOM, UNUSED, false, RUNS(0) },
	{ IN_HARDIRQ, WITH_ROOM, UNUSED, false, RUNS(0) });

/* ---- queues --------------------------------------------------------------- */

CALL(wpool_wq_flush, (wpool_wq_flush(wq_of(w)), 0))
CALL(wpool_wq_drain, (wpool_wq_drain(wq_of(w)), 0))

static long call_wpool_wq_destroy(struct wpk_world *w)
{
	struct workqueue_struct *wq = wq_of(w);

	if (wq) {
		kunit_remove_action(w->test, wpk_wq_destroy, wq);
		w->gone = true;
	}
	wpool_wq_destroy(wq);
	return 0;
}

ENTRIES(every_wait,
	{ IN_THREAD, WITH_ROOM, UNUSED, 0, WAITS(0), "wait until a queue is empty" },
	{ IN_THREAD, WITH_ROOM, QUEUED, 0, WAITS(1) },
	{ IN_THREAD, WITH_ROOM, INSIDE, 0, WAITS(1) },
	{ IN_THREAD, WITH_ROOM, AGAIN, 0, WAITS(2) },
	{ IN_THREAD, WITH_ROOM, MOVED, 0, WAITS(2) },
	{ KILLED, WITH_ROOM, QUEUED, 0, WAITS(1),
	  "process context; sleeps, uninterruptibly. Not in a work of @wq." },
	{ IN_THREAD, NO_POOL, UNUSED, 0, RUNS(0), "the queue; %NULL is allowed" });

ENTRIES(drain_queue,
	{ IN_THREAD, WITH_ROOM, ARMED, 0, { .waits = true, .status = -ECANCELED },
	  "wait until a queue is empty" },
	{ IN_THREAD, DRAINS, QUEUED, 0, WAITS(1) });

ENTRIES(flush_queue,
	{ IN_THREAD, WITH_ROOM, ARMED, 0, { .waits = true, .status = -ECANCELED },
	  "and does not wait for timers" },
	{ IN_THREAD, DRAINS, QUEUED, 0, WAITS(1),
	  "wait for all works that were queued before the call" },
	{ IN_THREAD, DESTROYING, QUEUED, 0, WAITS(1) });

/* Returns true if the object starts beside the holder. */
static long call_wpool_wq_set_max_active(struct wpk_world *w)
{
	wpool_wq_set_max_active(wq_of(w), 2);
	return wpk_gate_arrived(w->object_gate, 1);
}

static long call_wpool_wq_create(struct wpk_world *w)
{
	struct wpool_wq *wq = wpool_wq_create(THIS_MODULE, 0, 1, "%s", wpk_name(w->test));

	wpool_wq_destroy(wq);
	return !!wq;
}

static long call_wpool_wq_system(struct wpk_world *w)
{
	struct wpool_wq *wq = wpool_wq_system(WPOOL_WQ_DEFAULT);

	return wq && wpool_wq_system(WPOOL_WQ_BH) && wpool_wq_system(WPOOL_WQ_BH) != wq;
}

ENTRIES(set_max_active,
	{ IN_THREAD, WITH_ROOM, QUEUED, true, RUNS(1),
	  "change how many works run at the same time" },
	{ IN_OWN_TASK, WITH_ROOM, QUEUED, true, RUNS(1) },
	{ IN_THREAD, DRAINS, QUEUED, true, RUNS(1) });

ENTRIES(create,
	{ IN_THREAD, WITH_ROOM, UNUSED, true, RUNS(0), "the queue, or %NULL" },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, true, RUNS(0) });

ENTRIES(system_queue,
	{ IN_THREAD, WITH_ROOM, UNUSED, true, RUNS(0), "exists as soon as the module is loaded" },
	{ IN_OWN_TASK, WITH_ROOM, UNUSED, true, RUNS(0) },
	{ IN_SOFTIRQ, WITH_ROOM, UNUSED, true, RUNS(0) },
	{ IN_HARDIRQ, WITH_ROOM, UNUSED, true, RUNS(0) });

NO_CONTRACT(wpool_delayed_work_timer_fn, "only timers call it");
NO_CONTRACT(wpool_delayed_work_destroy_on_stack, "it cannot fail: wq_kunit.c");
NO_CONTRACT(wpool_work_take_back, "wpool_work_cancel() and the like call it");
NO_CONTRACT(wpool_work_take_back_sync, "wpool_work_cancel_sync() and the like call it");

NO_ROWS("they sleep", IN_SOFTIRQ, IN_HARDIRQ, cancel_sync, every_flush, every_wait, set_max_active,
	create);
NO_ROWS("they do not sleep, or not for a work", KILLED, queue_now, queue_later, mod_later, cancel,
	enable, busy, set_max_active);
NO_ROWS("a work would wait for itself", ITSELF, cancel_sync, every_flush);
NO_ROWS("a work would wait for itself", IN_OWN_TASK, every_wait);
NO_ROWS("the caller excludes it", DESTROYED, every_queue, every_mod, every_wait, set_max_active);
NO_ROWS("the caller excludes it", DESTROYING, every_mod, wpool_wq_drain, wpool_wq_destroy,
	set_max_active);
NO_ROWS("the caller excludes it", DRAINS, ARMED, wpool_wq_destroy);
NO_ROWS("the timer is that of a delayed work", ARMED, wpool_work_cancel, wpool_work_cancel_sync,
	wpool_work_disable, wpool_work_disable_sync);
NO_ROWS("it changes only whether the work can be queued", QUEUED, INSIDE, AGAIN, MOVED, ITSELF,
	ARMED, ELSEWHERE, INSIDE_ELSEWHERE, DRAINS, DESTROYING, DESTROYED, enable);
NO_ROWS("it changes only the limit of a queue, which exists", UNUSED, INSIDE, AGAIN, MOVED, ARMED,
	NO_POOL, set_max_active);

#define WORK(function, table) CONTRACT(function, table, &work_noun)
#define QUEUE(function, table) CONTRACT(function, table, &work_noun)
#define WQ(function, table) CONTRACT(function, table, &work_noun)
#define ALONE(function, table) CONTRACT(function, table, &work_noun)
#define RCU(function, table) CONTRACT(function, table, &rcu_work_noun)

WPK_SUITE(contract_wq,
	  QUEUE(wpool_wq_queue_on, every_queue),
	  QUEUE(wpool_wq_queue_on, queue_of_work),
	  QUEUE(wpool_wq_queue_on, queue_now),
	  QUEUE(wpool_wq_queue_on, queue_in_drain),
	  QUEUE(wpool_wq_queue_delayed, every_queue),
	  QUEUE(wpool_wq_queue_delayed, queue_of_work),
	  QUEUE(wpool_wq_queue_delayed, queue_later),
	  QUEUE(wpool_wq_queue_delayed_0, every_queue),
	  QUEUE(wpool_wq_queue_delayed_0, queue_of_work),
	  QUEUE(wpool_wq_queue_delayed_0, queue_now),
	  QUEUE(wpool_wq_queue_delayed_0, queue_in_drain),
	  QUEUE(wpool_wq_mod_delayed, every_mod),
	  QUEUE(wpool_wq_mod_delayed, mod_later),
	  QUEUE(wpool_wq_mod_delayed_0, every_mod),
	  QUEUE(wpool_wq_mod_delayed_0, mod_now),
	  RCU(wpool_wq_queue_rcu, every_queue),
	  RCU(wpool_wq_queue_rcu, queue_now),
	  WORK(wpool_work_cancel, every_cancel),
	  WORK(wpool_work_cancel, cancel),
	  WORK(wpool_work_disable, every_cancel),
	  WORK(wpool_work_disable, cancel),
	  WORK(wpool_delayed_work_cancel, every_cancel),
	  WORK(wpool_delayed_work_cancel, cancel),
	  WORK(wpool_delayed_work_cancel, cancel_delayed),
	  WORK(wpool_delayed_work_cancel, cancel_in_irq),
	  WORK(wpool_delayed_work_disable, every_cancel),
	  WORK(wpool_delayed_work_disable, cancel),
	  WORK(wpool_delayed_work_disable, cancel_delayed),
	  WORK(wpool_delayed_work_disable, cancel_in_irq),
	  WORK(wpool_work_cancel_sync, every_cancel),
	  WORK(wpool_work_cancel_sync, cancel_sync),
	  WORK(wpool_work_disable_sync, every_cancel),
	  WORK(wpool_work_disable_sync, cancel_sync),
	  WORK(wpool_delayed_work_cancel_sync, every_cancel),
	  WORK(wpool_delayed_work_cancel_sync, cancel_sync),
	  WORK(wpool_delayed_work_cancel_sync, cancel_delayed),
	  WORK(wpool_delayed_work_disable_sync, every_cancel),
	  WORK(wpool_delayed_work_disable_sync, cancel_sync),
	  WORK(wpool_delayed_work_disable_sync, cancel_delayed),
	  WORK(wpool_work_enable, enable),
	  WORK(wpool_work_enable_one_of_two, enable_one_of_two),
	  WORK(wpool_work_busy, busy),
	  WORK(wpool_work_flush, every_flush),
	  WORK(wpool_work_flush, flush_work_of_timer),
	  WORK(wpool_delayed_work_flush, every_flush),
	  WORK(wpool_delayed_work_flush, flush_delayed),
	  RCU(wpool_rcu_work_flush, every_flush),
	  WQ(wpool_wq_flush, every_wait),
	  WQ(wpool_wq_flush, flush_queue),
	  WQ(wpool_wq_drain, every_wait),
	  WQ(wpool_wq_drain, drain_queue),
	  WQ(wpool_wq_destroy, every_wait),
	  WQ(wpool_wq_set_max_active, set_max_active),
	  ALONE(wpool_current_work, caller_work),
	  ALONE(wpool_wq_create, create),
	  ALONE(wpool_wq_system, system_queue));
