/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels that wpool supports, in one place. The rest
 * of the module is written for the newest.
 */
#ifndef WPOOL_COMPAT_H
#define WPOOL_COMPAT_H

#include <linux/sched.h>
#include <linux/timer.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0) || \
	LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#error "wpool is for Linux 6.1 to 6.12"
#endif

#ifndef CONFIG_64BIT
#error "wpool counts in 64 bits without locks: it needs a 64-bit kernel"
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
/* The caller sees to it that nobody arms the timer again. */
#define timer_shutdown_sync(timer) del_timer_sync(timer)
#endif

/* Is a thread asleep, and not only about to be? A glance. */
static inline bool compat_is_blocked(struct task_struct *thread)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
	return !READ_ONCE(thread->on_rq);
#else
	/* who sleeps with time to repay stays on the queue */
	return !READ_ONCE(thread->on_rq) || READ_ONCE(thread->se.sched_delayed);
#endif
}

#endif /* WPOOL_COMPAT_H */
