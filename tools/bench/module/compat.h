/* SPDX-License-Identifier: GPL-2.0 */
/* Definitions that older kernels lack. Kbuild detects what the kernel has. */
#ifndef BENCH_COMPAT_H
#define BENCH_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/workqueue.h>

#ifndef COMPAT_HAVE_WQ_PERCPU
/* a workqueue of an older kernel is per-CPU without a flag */
#define WQ_PERCPU 0
#endif

/* The old names: these functions create a worker and start its thread, too. */
#ifndef kthread_run_worker
#define kthread_run_worker kthread_create_worker
#define kthread_run_worker_on_cpu kthread_create_worker_on_cpu
#endif

#ifndef COMPAT_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif /* BENCH_COMPAT_H */
