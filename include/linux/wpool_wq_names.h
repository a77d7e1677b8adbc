/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wpool_wq.h includes this file last: from here on the names of workqueues stand for those of
 * wpool_wq. Most macros replace a name, not a call, so that a function whose address is taken is
 * replaced, too.
 *
 * This file is separate so that wpool_wq.mk can tell which headers come after it.
 */
#ifndef _LINUX_WPOOL_WQ_NAMES_H
#define _LINUX_WPOOL_WQ_NAMES_H

#ifndef WPOOL_WQ_HEADERS_CHECKED
#error "include wpool_wq.mk in the Kbuild file: see Documentation/workqueue.rst of wpool"
#endif

#define work_struct			wpool_work
#define delayed_work			wpool_delayed_work
#define workqueue_struct		wpool_wq
#define work_func_t			wpool_work_fn
#define to_delayed_work(w)		container_of(w, struct wpool_delayed_work, work)
#define rcu_work			wpool_rcu_work
#define to_rcu_work(w)			container_of(w, struct wpool_rcu_work, work)

/* The kernel's other macros for works and queues, such as INIT_WORK(), use these. */
#undef __WORK_INITIALIZER
#undef __DELAYED_WORK_INITIALIZER
#undef __INIT_WORK
#undef __INIT_DELAYED_WORK
#undef __INIT_DELAYED_WORK_ONSTACK
#undef work_pending
#undef alloc_workqueue
#undef flush_workqueue
#undef flush_scheduled_work
#define __WORK_INITIALIZER(n, f)		__WPOOL_WORK_INIT(n, f)
/* macros of the kernel use this for the kernel's struct delayed_work, too: choose by type */
#define __DELAYED_WORK_INITIALIZER(n, f, flags)						\
	{										\
		.work = __WORK_INITIALIZER((n).work, (f)),				\
		.timer = __TIMER_INITIALIZER(						\
			__builtin_choose_expr(__same_type((n), struct wpool_delayed_work), \
					      wpool_delayed_work_timer_fn,		\
					      delayed_work_timer_fn),			\
			(flags) | TIMER_IRQSAFE),					\
	}
#define __INIT_WORK(w, f, onstack)		((void)(onstack), wpool_work_init((w), (f)))
#define __INIT_DELAYED_WORK(d, f, flags)	wpool_delayed_work_init((d), (f), (flags))
#define __INIT_DELAYED_WORK_ONSTACK(d, f, flags)	\
	wpool_delayed_work_init_onstack((d), (f), (flags))
#define destroy_work_on_stack(w)	((void)(w))
#define destroy_delayed_work_on_stack	wpool_delayed_work_destroy_on_stack
#define work_pending(w)			wpool_work_pending(w)

#define alloc_workqueue(fmt, flags, max_active, args...)	\
	wpool_wq_create(THIS_MODULE, (flags), (max_active), fmt, ##args)
#define destroy_workqueue		wpool_wq_destroy
#define flush_workqueue			wpool_wq_flush
#define drain_workqueue			wpool_wq_drain
#define workqueue_set_max_active	wpool_wq_set_max_active

#define queue_work			wpool_wq_queue
#define queue_work_on(cpu, wq, work)	wpool_wq_queue_on((cpu), (wq), (work))
#define queue_work_node(node, wq, work)	((void)(node), wpool_wq_queue((wq), (work)))
#define queue_delayed_work_on		wpool_wq_queue_delayed
#define queue_delayed_work(wq, d, delay)	\
	wpool_wq_queue_delayed(WORK_CPU_UNBOUND, (wq), (d), (delay))
#define mod_delayed_work_on		wpool_wq_mod_delayed
#define mod_delayed_work(wq, d, delay)	\
	wpool_wq_mod_delayed(WORK_CPU_UNBOUND, (wq), (d), (delay))
#define queue_rcu_work			wpool_wq_queue_rcu
#define flush_rcu_work			wpool_rcu_work_flush
#define flush_work			wpool_work_flush
#define cancel_work			wpool_work_cancel
#define cancel_work_sync		wpool_work_cancel_sync
#define disable_work			wpool_work_disable
#define disable_work_sync		wpool_work_disable_sync
#define enable_work			wpool_work_enable
#define enable_and_queue_work		wpool_wq_enable_and_queue
#define current_work			wpool_current_work
#define work_busy			wpool_work_busy
#define flush_delayed_work		wpool_delayed_work_flush
#define cancel_delayed_work		wpool_delayed_work_cancel
#define cancel_delayed_work_sync	wpool_delayed_work_cancel_sync
#define disable_delayed_work		wpool_delayed_work_disable
#define disable_delayed_work_sync	wpool_delayed_work_disable_sync
#define enable_delayed_work(d)		wpool_work_enable(&(d)->work)
#define devm_work_autocancel		wpool_devm_work
#define devm_delayed_work_autocancel	wpool_devm_delayed_work

#define system_wq			wpool_wq_system(WPOOL_WQ_DEFAULT)
#define system_percpu_wq		system_wq
#define system_long_wq			system_wq
#define system_unbound_wq		system_wq
#define system_dfl_wq			system_wq
#define system_dfl_long_wq		system_wq
#define system_power_efficient_wq	system_wq
#define system_highpri_wq		wpool_wq_system(WPOOL_WQ_HIGHPRI)
#define system_freezable_wq		wpool_wq_system(WPOOL_WQ_FREEZABLE)
#define system_freezable_power_efficient_wq	wpool_wq_system(WPOOL_WQ_FREEZABLE)
#define system_bh_wq			wpool_wq_system(WPOOL_WQ_BH)
#define system_bh_highpri_wq		wpool_wq_system(WPOOL_WQ_BH)
#define flush_scheduled_work()		wpool_wq_flush(system_wq)
#define schedule_work(work)		wpool_wq_queue(system_wq, (work))
#define schedule_work_on(cpu, work)	queue_work_on((cpu), system_wq, (work))
#define schedule_delayed_work(d, delay)	\
	queue_delayed_work(system_wq, (d), (delay))
#define schedule_delayed_work_on(cpu, d, delay)	\
	wpool_wq_queue_delayed((cpu), system_wq, (d), (delay))

/* these would compile, and always say that the caller is no rescuer: a use is an error */
#define current_is_workqueue_rescuer	wpool_wq_has_no_rescuer_test
#define current_is_workqueue_mem_reclaim	wpool_wq_has_no_mem_reclaim_test

#endif /* _LINUX_WPOOL_WQ_NAMES_H */
