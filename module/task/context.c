// SPDX-License-Identifier: GPL-2.0
/* Restoring the state of a worker after a task, see context.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "task/context.h"

#include <linux/bottom_half.h>
#include <linux/kthread.h>
#include <linux/printk.h>
#include <linux/sched/signal.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/class.h"

/* Log @what the task has left. *@last: the function last logged for it, not to be repeated. */
static void say_left(const struct wpool_worker *w, void **last, const char *what)
{
	void *func = READ_ONCE(w->func);

	if (READ_ONCE(*last) == func)
		return;
	WRITE_ONCE(*last, func);
	pr_err_ratelimited("%s: %ps left %s\n", w->pool->name, func, what);
}

#define say_once(w, what) ({			\
	static void *_last;			\
						\
	say_left(w, &_last, what);		\
})

/* Did the task leave an RCU lock held? Without CONFIG_PREEMPT_RCU only lockdep can tell. */
static bool is_rcu_left(const struct wpool_context *was, const struct wpool_worker *w)
{
	return !IS_ENABLED(CONFIG_PREEMPT_RCU) && wpool_context_locks(w) > was->locks &&
	       rcu_read_lock_held();
}

/* Restore counts, PF_ flags and interrupts before the rest: other repairs may take locks. */
static void restore_counts(const struct wpool_context *was, const struct wpool_context *is,
			   struct wpool_worker *w)
{
	pr_err_ratelimited("%s: %ps left preempt count %x (was %x), irqs %s, softirqs %x (was %x), rcu depth %d (was %d), locks %d (was %d), migration off %d (was %d), flags %x (was %x)\n",
			   w->pool->name, READ_ONCE(w->func), is->preempt, was->preempt,
			   irqs_disabled() ? "off" : "on", is->softirq, was->softirq,
			   is->rcu, was->rcu, is->locks, was->locks,
			   is->migration, was->migration,
			   is->flags ^ WPOOL_CONTEXT_HAS, was->flags ^ WPOOL_CONTEXT_HAS);
	current->flags = (current->flags & ~WPOOL_CONTEXT_FLAGS) |
			 (was->flags ^ WPOOL_CONTEXT_HAS);
	if (irqs_disabled())
		local_irq_enable();
	/*
	 * Enable softirqs before RCU and migration: on PREEMPT_RT, disabled softirqs hold both.
	 * Elsewhere preempt_count_set() would not run the softirqs that the task has raised.
	 */
	while (softirq_count() > (IS_ENABLED(CONFIG_PREEMPT_RT) ? was->softirq :
				  was->preempt & SOFTIRQ_MASK))
		local_bh_enable();
	while (rcu_preempt_depth() > was->rcu || is_rcu_left(was, w)) {
		/* sparse does not know that the task took this lock */
		__acquire(RCU);
		rcu_read_unlock();
	}
	preempt_count_set(was->preempt);
	/* last, since migrate_enable() may sleep */
	while (compat_migration_disabled(current) > was->migration)
		migrate_enable();
	while (compat_migration_disabled(current) < was->migration)
		migrate_disable();
	w->locks_left += wpool_context_locks(w) - was->locks;
}

/*
 * Go back to the saved credentials; the thread holds a reference to them, and to its own. If an
 * inner task has reverted the outer task's override, repeat the override: before 6.14,
 * override_creds() also takes the reference that the outer task's revert drops.
 */
static void restore_creds(const struct wpool_context *was)
{
	const void *cred = (void *)(was->creds ^ (unsigned long)current_real_cred());

	if (current_cred() == current_real_cred())
		override_creds(cred);
	else
		revert_creds(cred);
}

void wpool_context_repair(const struct wpool_context *was, struct wpool_worker *w)
{
	struct wpool_context is;

	wpool_context_save(&is, w);
	if (memcmp(&is, was, offsetof(struct wpool_context, pagefault)) || irqs_disabled())
		restore_counts(was, &is, w);
	if (is.state != was->state) {
		say_once(w, "its worker about to sleep, perhaps in a wait queue: made to run");
		__set_current_state(was->state);
	}
	if (is.pagefault != was->pagefault) {
		say_once(w, "page faults disabled: enabled");
		while (current->pagefault_disabled > was->pagefault)
			pagefault_enable();
		while (current->pagefault_disabled < was->pagefault)
			pagefault_disable();
	}
	if (is.signal && !was->signal) {
		say_once(w, "a signal pending: dropped");
		flush_signals(current);
	}
	if (is.creds != was->creds) {
		say_once(w, "credentials overridden: reverted");
		restore_creds(was);
	}
	if (is.mm != was->mm) {
		say_once(w, "an mm in use: no longer used");
		if (is.mm)
			kthread_unuse_mm(is.mm);
		if (was->mm)
			kthread_use_mm(was->mm);
	}
	if (is.memcg != was->memcg) {
		say_once(w, "a memory cgroup active: reset");
		compat_set_active_memcg(was->memcg);
	}
	if (is.journal != was->journal) {
		say_once(w, "journal_info set: reset");
		current->journal_info = was->journal;
	}
	/* usually @bio_list and @plug point into a stack frame that is gone */
	if (is.bio_list != was->bio_list) {
		say_once(w, "a list of bios: dropped");
		current->bio_list = was->bio_list;
	}
	if (is.plug != was->plug) {
		say_once(w, "a plug: dropped");
		current->plug = was->plug;
	}
	if (current->normal_prio != READ_ONCE(w->prio))
		wpool_class_restore(w);
}
