/* SPDX-License-Identifier: GPL-2.0 */
/* The state of a thread that a task must leave as it found it, see task/context.h. */
#ifndef WPOOL_CORE_CONTEXT_H
#define WPOOL_CORE_CONTEXT_H

struct mem_cgroup;
struct mm_struct;

/* The part of a thread's state that a module can read; usually all fields are 0 */
struct wpool_context {
	int preempt;	/* preempt count */
	int softirq;	/* softirq_count(); 0 without PREEMPT_RT */
	int rcu;	/* depth of RCU read-side sections */
	int locks;	/* locks held, as lockdep counts them */
	int migration;	/* how many times migration is disabled */
	int pagefault;	/* how many times page faults are disabled */
	unsigned int state;	/* current->__state: 0 is TASK_RUNNING */
	unsigned int flags;	/* the PF_ flags that differ from those of a new kthread */
	unsigned long signal;	/* _TIF_SIGPENDING, or 0 */
	unsigned long creds;	/* current_cred() xor current_real_cred() */
	struct mm_struct *mm;	/* set by kthread_use_mm() */
	struct mem_cgroup *memcg;	/* set by set_active_memcg() */
	void *journal;	/* current->journal_info */
	void *bio_list;	/* current->bio_list */
	void *plug;	/* current->plug */
};

#endif /* WPOOL_CORE_CONTEXT_H */
