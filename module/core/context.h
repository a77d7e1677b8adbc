/* SPDX-License-Identifier: GPL-2.0 */
/* The state of a thread that a task must leave as it found it, see task/context.h. */
#ifndef WPOOL_CORE_CONTEXT_H
#define WPOOL_CORE_CONTEXT_H

struct mem_cgroup;
struct mm_struct;

/**
 * struct wpool_context - that state, as far as a module sees it; usually all fields are 0
 * @preempt: preempt count
 * @softirq: softirqs disabled by the thread, if the preempt count does not show them
 * @rcu: depth of RCU read-side sections
 * @locks: locks held, as lockdep counts them
 * @migration: how many times migration is disabled
 * @pagefault: how many times page faults are disabled
 * @state: its state, other than running
 * @flags: those PF_ flags in which it differs from a new kthread
 * @signal: _TIF_SIGPENDING, or 0
 * @creds: its credentials, xor its own ones: 0 without override_creds()
 * @mm: of kthread_use_mm()
 * @memcg: of set_active_memcg()
 * @journal: current->journal_info
 * @bio_list: current->bio_list
 * @plug: current->plug
 */
struct wpool_context {
	int preempt;
	int softirq;
	int rcu;
	int locks;
	int migration;
	int pagefault;
	unsigned int state;
	unsigned int flags;
	unsigned long signal;
	unsigned long creds;
	struct mm_struct *mm;
	struct mem_cgroup *memcg;
	void *journal;
	void *bio_list;
	void *plug;
};

#endif /* WPOOL_CORE_CONTEXT_H */
