/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Protects the next task from what a task leaves behind. After each task, the worker's state is
 * compared with that before the task, and restored. Less dangerous state is checked only at the
 * next full look for work: the class and the CPUs of the worker, its task state, pending signals, a
 * list of bios, and whether it may be frozen. A module cannot see some leaks: a held lock, without
 * lockdep; the cgroup of kthread_associate_blkcg(); and an entry in a wait queue, unless the task
 * state shows it.
 */
#ifndef WPOOL_TASK_CONTEXT_H
#define WPOOL_TASK_CONTEXT_H

#include <linux/compiler.h>
#include <linux/cred.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/thread_info.h>

#include "compat.h"
#include "core/state.h"

/*
 * Flags that change how allocations work, and other flags that a task may set. If such flags
 * stayed, allocations of the next task would fail, or use up the reserves.
 */
#define WPOOL_CONTEXT_FLAGS	(PF_MEMALLOC | PF_MEMALLOC_NOFS | PF_MEMALLOC_NOIO | \
				 PF_LOCAL_THROTTLE | PF_KSWAPD | PF_NOFREEZE | \
				 PF_MEMALLOC_PIN | PF_MEMALLOC_NORECLAIM | PF_MEMALLOC_NOWARN)
/* of these, the flags that a kthread has from the start */
#define WPOOL_CONTEXT_HAS	PF_NOFREEZE

/* Held locks, except those that earlier tasks left held and that cannot be released. */
static inline int wpool_context_locks(const struct wpool_worker *w)
{
	return IS_ENABLED(CONFIG_LOCKDEP) ? lockdep_depth(current) - w->locks_left : 0;
}

static inline void wpool_context_save(struct wpool_context *context, const struct wpool_worker *w)
{
	context->preempt = preempt_count();
	context->softirq = IS_ENABLED(CONFIG_PREEMPT_RT) ? softirq_count() : 0;
	context->rcu = rcu_preempt_depth();
	context->locks = wpool_context_locks(w);
	context->migration = compat_migration_disabled(current);
	context->pagefault = current->pagefault_disabled;
	context->state = READ_ONCE(current->__state);
	context->flags = (current->flags ^ WPOOL_CONTEXT_HAS) & WPOOL_CONTEXT_FLAGS;
	context->signal = read_thread_flags() & _TIF_SIGPENDING;
	context->creds = (unsigned long)rcu_access_pointer(current->cred) ^
			 (unsigned long)rcu_access_pointer(current->real_cred);
	context->mm = current->mm;
	context->memcg = compat_active_memcg();
	context->journal = current->journal_info;
	context->bio_list = current->bio_list;
	context->plug = current->plug;
}

/* Restore and log what the worker's task has changed. @was: the state before the task. */
void wpool_context_repair(const struct wpool_context *was, struct wpool_worker *w);

/*
 * Restore what tasks have changed. @was: the state before an inner task, or w->base. Compares each
 * field that wpool_context_save() sets.
 */
static inline void wpool_context_check(const struct wpool_context *was, struct wpool_worker *w)
{
	struct wpool_context is;
	bool is_same;

	/* field by field: the compiler keeps @is in registers */
	wpool_context_save(&is, w);
	is_same = was->preempt == is.preempt && was->softirq == is.softirq && was->rcu == is.rcu &&
		  was->locks == is.locks && was->migration == is.migration &&
		  was->flags == is.flags && was->pagefault == is.pagefault &&
		  was->state == is.state && was->signal == is.signal && was->creds == is.creds &&
		  was->mm == is.mm && was->memcg == is.memcg && was->journal == is.journal &&
		  was->bio_list == is.bio_list && was->plug == is.plug;
	if (unlikely(!is_same || irqs_disabled() || current->normal_prio != READ_ONCE(w->prio)))
		wpool_context_repair(was, w);
}

/*
 * Has an outermost task left nothing that could harm the next task? Costs a few instructions and
 * one branch; run_tasks() of worker.c checks the less dangerous state. Also false if worker_start
 * has set something: wpool_context_repair() compares with what worker_start left.
 */
static __always_inline bool wpool_context_is_clean(const struct wpool_worker *w)
{
	unsigned int counts = preempt_count() | rcu_preempt_depth() | wpool_context_locks(w) |
			      (IS_ENABLED(CONFIG_PREEMPT_RT) ? softirq_count() : 0) |
			      compat_migration_disabled(current) | current->pagefault_disabled |
			      (current->flags & WPOOL_CONTEXT_FLAGS & ~WPOOL_CONTEXT_HAS);
	unsigned long creds = (__force unsigned long)current->cred ^
			      (__force unsigned long)current->real_cred;

	return !(counts | creds | (unsigned long)current->mm |
		 ((unsigned long)compat_active_memcg() ^ (unsigned long)w->memcg) |
		 (unsigned long)current->journal_info | (unsigned long)current->plug) &&
	       !irqs_disabled();
}

#endif /* WPOOL_TASK_CONTEXT_H */
