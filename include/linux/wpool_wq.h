/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wpool_wq - workqueues on pools of wpool, for a driver that is written for workqueues.
 *
 * A source includes this header instead of <linux/workqueue.h>, and need not change otherwise: the
 * end of the header redefines the names of workqueues. Each queue is a pool of its own, which the
 * administrator sees, measures and tunes like any other, and which survives an oops in a work.
 *
 * Include wpool_wq.h after all other headers. A kernel header that is included later would use the
 * struct work_struct of wpool_wq.h, and lay out the kernel's own structures wrongly. The Kbuild
 * file includes wpool_wq.mk, which lets the build fail then. If the source must not change, a
 * second file includes the source:
 *
 *	#include <linux/blk-mq.h>	// first all headers that driver.c includes
 *	#include <linux/wpool_wq.h>
 *	#include "driver.c"
 *
 * A work that the kernel itself queues, such as one in a structure of the kernel, must stay a
 * struct work_struct; the functions here do not compile with it, since the types differ. A file
 * that defines WPOOL_WQ_NO_NAMES before it includes the header gets the functions alone, and may
 * include the header anywhere, without wpool_wq.mk.
 *
 * As with workqueues, a module must cancel or flush its works, and destroy its queues, before it is
 * unloaded. Documentation/workqueue.rst lists the differences from workqueues.
 *
 * Contexts, where a comment has no other: of functions that queue, cancel, disable or enable a
 * work, or ask whether it is busy, any except NMI, and not with scheduler locks held; of those that
 * flush a work, or whose name ends with _sync, as wpool_work_flush(); of those that flush, drain or
 * destroy a queue, process context; sleeps, uninterruptibly. Not in a work of @wq. All other
 * functions may be called in any context.
 */
#ifndef _LINUX_WPOOL_WQ_H
#define _LINUX_WPOOL_WQ_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/device.h>
#include <linux/devm-helpers.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct wpool_work;
struct wpool_wq;

/** WPOOL_WQ_MAX_ACTIVE - most works of a queue that run at the same time */
#define WPOOL_WQ_MAX_ACTIVE	2048

/** WPOOL_WQ_DFL_ACTIVE - the value for a queue that is created with a max_active of 0 */
#define WPOOL_WQ_DFL_ACTIVE	1024

/**
 * typedef wpool_work_fn - the function of a work
 * @work: the work; may be queued again, or freed, as soon as the function starts
 *
 * Context: process context, in a worker of the queue's pool; may sleep, except with %WQ_BH.
 */
typedef void (*wpool_work_fn)(struct wpool_work *work);

/**
 * struct wpool_work - a function to be called, as struct work_struct
 *
 * All fields are private. The work belongs to the caller, who must not free it while it is pending.
 */
struct wpool_work {
	/* private: see module/wq/queue.h */
	unsigned long flags;
	u32 where;
	u32 from;
	struct list_head entry;
	wpool_work_fn func;
	struct hlist_head waiters;
	unsigned long epoch;
	u32 disabled;
};

/**
 * struct wpool_delayed_work - a work that is queued after a time, as struct delayed_work
 * @work: the work; all other fields are private
 */
struct wpool_delayed_work {
	struct wpool_work work;
	/* private: */
	struct timer_list timer;
	struct wpool_wq *wq;
};

/**
 * struct wpool_rcu_work - a work that is queued after a grace period, as struct rcu_work
 * @work: the work; all other fields are private
 */
struct wpool_rcu_work {
	struct wpool_work work;
	/* private: */
	struct rcu_head rcu;
	struct wpool_wq *wq;
};

/* wpool_work.flags: the work is queued, its timer runs, or a call queues, cancels or enables it */
#define WPOOL_WORK_PENDING_BIT	0

/* The initial value of the work _name, an expression. */
#define __WPOOL_WORK_INIT(_name, _func)		\
	{ .entry = LIST_HEAD_INIT((_name).entry), .func = (_func) }

/**
 * wpool_work_init() - prepare a work
 * @work: the work; not pending
 * @func: its function
 *
 * If a run of the work began before, a cancel or flush waits for it only if the work has been
 * queued since, with the same function and on the same queue.
 */
static inline void wpool_work_init(struct wpool_work *work, wpool_work_fn func)
{
	*work = (struct wpool_work){ .func = func };
	INIT_LIST_HEAD(&work->entry);
}

/* private: called by timers only */
void wpool_delayed_work_timer_fn(struct timer_list *timer);

#define __wpool_delayed_work_init(_dwork, _func, _flags, _setup)			\
	do {										\
		wpool_work_init(&(_dwork)->work, (_func));				\
		_setup(&(_dwork)->timer, wpool_delayed_work_timer_fn, (_flags) | TIMER_IRQSAFE); \
	} while (0)

/**
 * wpool_delayed_work_init() - prepare a delayed work
 * @_dwork: the delayed work; neither pending nor running
 * @_func: the function of its work
 * @_flags: of the timer: %TIMER_DEFERRABLE, or 0
 */
#define wpool_delayed_work_init(_dwork, _func, _flags)					\
	__wpool_delayed_work_init(_dwork, _func, _flags, timer_setup)

/* As wpool_delayed_work_init(), on the stack; see wpool_delayed_work_destroy_on_stack(). */
#define wpool_delayed_work_init_onstack(_dwork, _func, _flags)				\
	__wpool_delayed_work_init(_dwork, _func, _flags, timer_setup_on_stack)

/**
 * wpool_delayed_work_destroy_on_stack() - end the use of a delayed work on the caller's stack
 * @dwork: a delayed work that was prepared here, and is neither pending nor running
 */
void wpool_delayed_work_destroy_on_stack(struct wpool_delayed_work *dwork);

/**
 * wpool_work_pending() - is a work queued, or does its timer run?
 * @work: the work
 *
 * Return: true if either holds; false from the start of the function on, until the next queueing.
 */
static inline bool wpool_work_pending(const struct wpool_work *work)
{
	return test_bit(WPOOL_WORK_PENDING_BIT, &work->flags);
}

/**
 * wpool_wq_create() - create a queue, as alloc_workqueue()
 * @owner: the calling module (%THIS_MODULE), shown as the owner of the queue's pool
 * @flags: those of alloc_workqueue(). %WQ_FREEZABLE and %WQ_MEM_RECLAIM become the attributes
 *	freezable and reclaim of the pool. %WQ_HIGHPRI sets its nice value to -20; so does %WQ_BH,
 *	which also disables softirqs while a work runs. %WQ_UNBOUND: see @max_active. The others are
 *	ignored.
 * @max_active: how many works run at the same time, 1 to %WPOOL_WQ_MAX_ACTIVE; 0 means
 *	%WPOOL_WQ_DFL_ACTIVE, and a number outside this range becomes its nearest end. Without
 *	%WQ_UNBOUND it is multiplied by the number of possible CPUs, up to %WPOOL_WQ_MAX_ACTIVE:
 *	works that were queued on one CPU may run at the same time, also with a @max_active of 1.
 *	The works of a queue with %WQ_UNBOUND and a @max_active of 1 run in the order of queueing.
 * @fmt: the name, a format for the arguments that follow. The pool has this name, with "_" for
 *	each character that the name of a pool may not have, and a number at the end if another
 *	pool has this name.
 *
 * Queueing a work never fails for lack of memory. This call allocates enough for a few works at a
 * time; a kworker allocates more when more works run, and tries again until there is memory.
 *
 * A suspend waits for the running works of a queue with %WQ_FREEZABLE. The queued ones start after
 * the thaw: a callback of the suspend must cancel such a work, since a flush would never return.
 *
 * Context: process context; sleeps. Not in a callback of CPU hotplug, nor under cpus_read_lock().
 * Return: the queue, or %NULL.
 */
struct wpool_wq * __must_check __printf(4, 5)
wpool_wq_create(struct module *owner, unsigned int flags, int max_active, const char *fmt, ...);

/**
 * wpool_wq_destroy() - end a queue, as destroy_workqueue()
 * @wq: the queue; %NULL is allowed
 *
 * Drains @wq as wpool_wq_drain(). The caller makes sure that no timer of a delayed work runs for
 * the queue, and that no thread queues a work from then on. wpool_work_flush() and
 * wpool_work_cancel_sync() of a work that was queued here may be called afterwards.
 */
void wpool_wq_destroy(struct wpool_wq *wq);

/**
 * wpool_wq_flush() - wait for all works that were queued before the call
 * @wq: the queue; %NULL is allowed
 *
 * Returns even if others continue to queue, and does not wait for timers. At most 16 threads flush
 * or drain @wq at a time; the call of a further one counts as made when one of these has ended.
 */
void wpool_wq_flush(struct wpool_wq *wq);

/**
 * wpool_wq_drain() - wait until a queue is empty
 * @wq: the queue; %NULL is allowed
 *
 * Meanwhile only a running work of @wq may queue works on it. A work that another thread, an
 * interrupt or a timer queues is dropped, and the kernel's log names its function.
 */
void wpool_wq_drain(struct wpool_wq *wq);

/**
 * wpool_wq_set_max_active() - change how many works run at the same time
 * @wq: the queue
 * @max_active: as for wpool_wq_create(), except that 0 means 1
 *
 * As workqueue_set_max_active(): running works continue, and if @wq was made by
 * alloc_ordered_workqueue(), nothing changes. A larger min_workers of the queue's pool, which the
 * administrator may have set, becomes this number, too.
 *
 * Context: process context; sleeps.
 */
void wpool_wq_set_max_active(struct wpool_wq *wq, int max_active);

/**
 * enum wpool_wq_system - the queues that exist as soon as the module is loaded
 * @WPOOL_WQ_DEFAULT: pool "wq", for all system workqueues that are not named below
 * @WPOOL_WQ_HIGHPRI: pool "wq-highpri", for system_highpri_wq
 * @WPOOL_WQ_FREEZABLE: pool "wq-freezable", for the freezable system workqueues
 * @WPOOL_WQ_BH: pool "wq-bh", for system_bh_wq and system_bh_highpri_wq
 */
enum wpool_wq_system {
	WPOOL_WQ_DEFAULT,
	WPOOL_WQ_HIGHPRI,
	WPOOL_WQ_FREEZABLE,
	WPOOL_WQ_BH,
};

/**
 * wpool_wq_system() - a queue that exists as soon as the module is loaded
 * @which: which queue
 *
 * Return: the queue.
 */
struct wpool_wq *wpool_wq_system(enum wpool_wq_system which);

/**
 * wpool_wq_queue_on() - queue a work, as queue_work_on()
 * @cpu: for a queue without %WQ_UNBOUND, where to run a work, or %WORK_CPU_UNBOUND. A preference: a
 *	queue at rest starts the work where it was queued, and of several works that wait the
 *	oldest runs first, wherever it was to run
 * @wq: the queue
 * @work: the work
 *
 * Does nothing if the work is pending already, or is disabled, or if @wq, @work or its function is
 * %NULL. If the work is running, on this queue or on another one, it runs once more afterwards,
 * never twice at once. The next run of a work that is not disabled sees everything that the caller
 * wrote before this call.
 *
 * Return: true if this call queued the work.
 */
bool wpool_wq_queue_on(int cpu, struct wpool_wq *wq, struct wpool_work *work);

/** wpool_wq_queue() - wpool_wq_queue_on() without a preference, as queue_work() */
static inline bool wpool_wq_queue(struct wpool_wq *wq, struct wpool_work *work)
{
	return wpool_wq_queue_on(WORK_CPU_UNBOUND, wq, work);
}

/**
 * wpool_wq_queue_delayed() - queue a work after a time, as queue_delayed_work()
 * @cpu: where the timer runs, or %WORK_CPU_UNBOUND; if nohz_full= isolates CPUs, the timer runs on
 *	the caller's CPU, or on another one if that is isolated
 * @wq: the queue
 * @dwork: the delayed work
 * @delay: in jiffies; 0 queues it at once, with the preference @cpu
 *
 * Return: true; false where wpool_wq_queue_on() does nothing.
 */
bool wpool_wq_queue_delayed(int cpu, struct wpool_wq *wq, struct wpool_delayed_work *dwork,
			    unsigned long delay);

/**
 * wpool_wq_mod_delayed() - queue a work after a time, or change its time
 * @cpu: as wpool_wq_queue_delayed()
 * @wq: the queue
 * @dwork: the delayed work
 * @delay: in jiffies, from now; 0 queues it at once
 *
 * As mod_delayed_work(): a work that is queued already is first taken out of its queue. If @wq,
 * @dwork or its function is %NULL, the call does nothing and returns false.
 *
 * Return: true if the work was pending.
 */
bool wpool_wq_mod_delayed(int cpu, struct wpool_wq *wq, struct wpool_delayed_work *dwork,
			  unsigned long delay);

/**
 * wpool_wq_queue_rcu() - queue a work after a grace period of RCU, as queue_rcu_work()
 * @wq: the queue
 * @rwork: the work; it must not be cancelled or disabled: use wpool_rcu_work_flush()
 *
 * Return: true if this call queued the work.
 */
bool wpool_wq_queue_rcu(struct wpool_wq *wq, struct wpool_rcu_work *rwork);

/**
 * wpool_work_flush() - wait until a work has run, as flush_work()
 * @work: the work
 *
 * Waits until the last queueing before the call has ended: the function has returned or died, or
 * the work was taken back. Like flush_work(), it may miss a work that another CPU is queueing in a
 * call that has not returned.
 *
 * Context: process context; sleeps, uninterruptibly. Not in the work itself.
 * Return: true if there was something to wait for.
 */
bool wpool_work_flush(struct wpool_work *work);

/* as wpool_work_flush(), and first wait for the grace period if that is not over */
bool wpool_rcu_work_flush(struct wpool_rcu_work *rwork);

/* private: for the functions below; @timer: of a delayed work, or %NULL */
bool wpool_work_take_back(struct wpool_work *work, struct timer_list *timer, bool disable);
bool wpool_work_take_back_sync(struct wpool_work *work, struct timer_list *timer, bool disable);

/**
 * wpool_work_cancel() - take a work back, as cancel_work()
 * @work: the work; a running function continues
 *
 * Return: true if the work was pending.
 */
static inline bool wpool_work_cancel(struct wpool_work *work)
{
	return wpool_work_take_back(work, NULL, false);
}

/**
 * wpool_work_cancel_sync() - take a work back, and wait until its function does not run
 * @work: the work
 *
 * As cancel_work_sync(). During the call no thread can queue the work, so that even a work that
 * always queues itself ends.
 *
 * Context: as wpool_work_flush().
 * Return: as wpool_work_cancel().
 */
static inline bool wpool_work_cancel_sync(struct wpool_work *work)
{
	return wpool_work_take_back_sync(work, NULL, false);
}

/* as wpool_work_cancel(), and refuse to queue the work from then on, as disable_work() */
static inline bool wpool_work_disable(struct wpool_work *work)
{
	return wpool_work_take_back(work, NULL, true);
}

/* as wpool_work_cancel_sync(), and refuse to queue the work from then on, as disable_work_sync() */
static inline bool wpool_work_disable_sync(struct wpool_work *work)
{
	return wpool_work_take_back_sync(work, NULL, true);
}

/**
 * wpool_work_enable() - take back one call that disabled a work
 * @work: the work
 *
 * Return: true if the work can be queued from now on, also if another thread is just being refused.
 */
bool wpool_work_enable(struct wpool_work *work);

/**
 * wpool_wq_enable_and_queue() - enable a work, and queue it, as enable_and_queue_work()
 * @wq: the queue
 * @work: the work; is queued unless another call keeps it disabled
 *
 * Return: as wpool_work_enable().
 */
static inline bool wpool_wq_enable_and_queue(struct wpool_wq *wq, struct wpool_work *work)
{
	bool enabled = wpool_work_enable(work);

	if (enabled)
		wpool_wq_queue(wq, work);
	return enabled;
}

/**
 * wpool_current_work() - the work whose function makes this call, as current_work()
 *
 * Compare the result only: the function may have freed the work.
 *
 * Context: any.
 * Return: the work; %NULL in any other thread, and in an interrupt.
 */
struct wpool_work *wpool_current_work(void);

/**
 * wpool_work_busy() - is a work pending or running? Racy.
 * @work: the work
 *
 * Return: %WORK_BUSY_PENDING, %WORK_BUSY_RUNNING, both or 0.
 */
unsigned int wpool_work_busy(struct wpool_work *work);

/* queue a delayed work at once if its timer runs, and flush it: else as wpool_work_flush() */
bool wpool_delayed_work_flush(struct wpool_delayed_work *dwork);

/* as the functions of the same names without "delayed_", for a delayed work */
static inline bool wpool_delayed_work_cancel(struct wpool_delayed_work *dwork)
{
	return wpool_work_take_back(&dwork->work, &dwork->timer, false);
}

static inline bool wpool_delayed_work_cancel_sync(struct wpool_delayed_work *dwork)
{
	return wpool_work_take_back_sync(&dwork->work, &dwork->timer, false);
}

static inline bool wpool_delayed_work_disable(struct wpool_delayed_work *dwork)
{
	return wpool_work_take_back(&dwork->work, &dwork->timer, true);
}

static inline bool wpool_delayed_work_disable_sync(struct wpool_delayed_work *dwork)
{
	return wpool_work_take_back_sync(&dwork->work, &dwork->timer, true);
}

/* private: for wpool_devm_work() and wpool_devm_delayed_work() */
static inline void wpool_devm_work_cancel(void *work)
{
	wpool_work_cancel_sync(work);
}

static inline void wpool_devm_delayed_work_cancel(void *dwork)
{
	wpool_delayed_work_cancel_sync(dwork);
}

/**
 * wpool_devm_work() - prepare a work that is cancelled when its driver is detached
 * @dev: the device
 * @work: the work
 * @func: its function
 *
 * Context: process context; sleeps.
 * Return: 0, or -ENOMEM.
 */
static inline int wpool_devm_work(struct device *dev, struct wpool_work *work, wpool_work_fn func)
{
	wpool_work_init(work, func);
	return devm_add_action(dev, wpool_devm_work_cancel, work);
}

/* as wpool_devm_work(), for a delayed work */
static inline int wpool_devm_delayed_work(struct device *dev, struct wpool_delayed_work *dwork,
					  wpool_work_fn func)
{
	wpool_delayed_work_init(dwork, func, 0);
	return devm_add_action(dev, wpool_devm_delayed_work_cancel, dwork);
}

#ifndef WPOOL_WQ_NO_NAMES
/* where CREATE_TRACE_POINTS is defined, the headers of tracepoints read these ones late */
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <linux/trace_events.h>

#include <linux/wpool_wq_names.h>
#endif /* WPOOL_WQ_NO_NAMES */

#endif /* _LINUX_WPOOL_WQ_H */
