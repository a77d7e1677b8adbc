// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that leave their worker in a bad state, or sleep where they must not: it is
 * reported and repaired, and the next task sees nothing of it.
 *
 * These cases make the kernel's log complain, so they only run when asked for.
 */
#include <linux/bug.h>
#include <linux/debug_locks.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <trace/events/printk.h>

#include "fixture.h"
#include "wq_items.h"

static bool contain;
module_param(contain, bool, 0444);
MODULE_PARM_DESC(contain, "run the cases whose tasks leave preemption or interrupts off");

static int contain_init(struct kunit *test)
{
	if (!contain)
		kunit_skip(test, "only with contain=1: it makes the log complain");
	return wpk_init(test);
}

static void leave_preemption_off(struct wpk_job *job)
{
	preempt_disable();
}

static void leave_interrupts_off(struct wpk_job *job)
{
	local_irq_disable();
}

static void leave_rcu_locked(struct wpk_job *job)
	__acquires(RCU)
{
	rcu_read_lock();
}

static void leave_softirqs_off(struct wpk_job *job)
{
	local_bh_disable();
}

static void leave_migration_off(struct wpk_job *job)
{
	migrate_disable();
	migrate_disable();
}

/* With a scope of each kind, as a file system or a block driver opens them. */
static void leave_memory_scopes(struct wpk_job *job)
{
	memalloc_nofs_save();
	memalloc_noio_save();
	memalloc_noreclaim_save();
	memalloc_pin_save();
}

#define ALL_SCOPES (PF_MEMALLOC | PF_MEMALLOC_NOFS | PF_MEMALLOC_NOIO | PF_MEMALLOC_PIN)

struct state {
	bool irqs_off;
	bool softirqs_off;
	int preempt;
	int rcu;
	int migration;
	unsigned int scopes;
};

static void look_around(struct wpk_job *job)
{
	struct state *state = job->arg;

	state->irqs_off = irqs_disabled();
	state->softirqs_off = softirq_count();
#ifdef CONFIG_TRACE_IRQFLAGS
	if (debug_locks && !lockdep_softirqs_enabled(current))
		state->softirqs_off = true;
#endif
#ifdef CONFIG_SMP
	state->migration = current->migration_disabled;
#endif
	state->scopes = current->flags & ALL_SCOPES;
	state->preempt = preempt_count();
	state->rcu = rcu_preempt_depth();
	/* And it can sleep. */
	usleep_range(10, 20);
}

struct leak {
	void (*body)(struct wpk_job *job);
	const char *desc;
};

static const struct leak leaks[] = {
	{ leave_preemption_off, "preemption" },
	{ leave_interrupts_off, "interrupts" },
	{ leave_rcu_locked, "RCU read lock" },
	{ leave_softirqs_off, "softirqs" },
	{ leave_migration_off, "migration" },
	{ leave_memory_scopes, "memory scopes" },
};

KUNIT_ARRAY_PARAM_DESC(leak, leaks, desc);

static void wpool_task_leaves_its_worker_unbalanced_is_repaired(struct kunit *test)
{
	const struct leak *leak = test->param_value;
	struct wpool *pool = wpk_pool(test, 1, 5);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct state *state = kunit_kzalloc(test, sizeof(*state), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, state);
	jobs->job[0].last = leak->body;
	jobs->job[1].body = look_around;
	jobs->job[1].arg = state;
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), 0);
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[1].task), 0);
	KUNIT_EXPECT_FALSE(test, state->irqs_off);
	KUNIT_EXPECT_EQ(test, state->preempt, 0);
	KUNIT_EXPECT_EQ(test, state->rcu, 0);
	KUNIT_EXPECT_FALSE(test, state->softirqs_off);
	KUNIT_EXPECT_EQ(test, state->migration, 0);
	KUNIT_EXPECT_EQ(test, state->scopes, 0);
	/* It is the same worker: it did not have to die for it. */
	KUNIT_EXPECT_EQ(test, jobs->job[1].pid, jobs->job[0].pid);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 2);
}

static void leave_all(struct wpk_job *job)
{
	leave_migration_off(job);
	leave_memory_scopes(job);
	leave_softirqs_off(job);
}

/* A child that its parent runs, and what the parent itself has switched off. */
static void wait_for_leaky_child(struct wpk_job *job)
{
	struct wpk_job *child = job + 1;
	unsigned int scope = memalloc_nofs_save();
	struct state *state = job->arg;

	migrate_disable();
	job->ret = wpool_submit(child->arg, &child->task) ?: wpool_task_wait(&child->task);
#ifdef CONFIG_SMP
	state->migration = current->migration_disabled - 1;
#endif
	state->scopes = (current->flags & ALL_SCOPES) ^ PF_MEMALLOC_NOFS;
	state->softirqs_off = softirq_count();
	migrate_enable();
	memalloc_nofs_restore(scope);
}

/* What is given back for a child is not what its parent holds. */
static void wpool_task_leaves_its_parent_unbalanced_is_repaired(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct state *state = kunit_kzalloc(test, sizeof(*state), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, state);
	jobs->job[0].body = wait_for_leaky_child;
	jobs->job[0].arg = state;
	jobs->job[1].last = leave_all;
	jobs->job[1].arg = pool;
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), 0);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, jobs->job[1].pid, jobs->job[0].pid);
	KUNIT_EXPECT_EQ(test, state->migration, 0);
	KUNIT_EXPECT_EQ(test, state->scopes, 0);
	KUNIT_EXPECT_FALSE(test, state->softirqs_off);
	wpk_destroy(test, pool);
}

/* What it keeps cannot be given back for it. */
static DEFINE_MUTEX(kept);

static void keep_a_lock(struct wpk_job *job)
{
	/* lockdep learns no order from one that was not waited for */
	if (!mutex_trylock(&kept))
		job->ret = -EBUSY;
}

static void give_it_back(struct wpk_job *job)
{
	mutex_unlock(&kept);
}

/* Each message, as it goes into the kernel's log. */
static void count_report(void *data, const char *text, size_t len)
{
	if (strnstr(text, "left preempt count", len))
		atomic_inc(data);
}

#define NR_INNOCENT 4

static void wpool_task_leaves_a_lock_held_is_reported_once(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_jobs *jobs = wpk_jobs(test, NR_INNOCENT + 2, NULL);
	atomic_t nr_reports = ATOMIC_INIT(0);
	int i, reports[NR_INNOCENT + 2];

	if (!IS_ENABLED(CONFIG_LOCKDEP) || !debug_locks)
		kunit_skip(test, "nobody counts locks");
	if (register_trace_console(count_report, &nr_reports))
		kunit_skip(test, "no tracepoints to see the log with");
	jobs->job[0].body = keep_a_lock;
	/* by the thread that has it, and only then can that end in peace */
	jobs->job[NR_INNOCENT + 1].body = give_it_back;
	for (i = 0; i < NR_INNOCENT + 2; i++) {
		KUNIT_EXPECT_EQ(test, wpool_submit(pool, &jobs->job[i].task), 0);
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[i].task), 0);
		reports[i] = atomic_read(&nr_reports);
	}
	unregister_trace_console(count_report, &nr_reports);
	tracepoint_synchronize_unregister();

	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	for (i = 0; i < NR_INNOCENT + 1; i++) {
		KUNIT_EXPECT_EQ_MSG(test, reports[i], 1, "after task %d", i);
		KUNIT_EXPECT_EQ(test, jobs->job[i].pid, jobs->job[0].pid);
	}
}

/* Raw: with PREEMPT_RT the others may sleep. */
static DEFINE_RAW_SPINLOCK(spun);

static void sleep_with_spin_lock(struct wpk_job *job)
{
	raw_spin_lock(&spun);
	msleep(20);
	/* the scheduler has set it to 0, after its report: lockdep ends if an unlock finds that */
	if (!preempt_count())
		preempt_disable();
	raw_spin_unlock(&spun);
}

static void take_spin_lock(struct wpk_job *job)
{
	raw_spin_lock(&spun);
	raw_spin_unlock(&spun);
	look_around(job);
}

/* The kernel reports it, which the log is searched for; then nothing is out of balance. */
static void wpool_task_sleeps_with_a_spin_lock_the_pool_goes_on(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 5);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct state *state = kunit_kzalloc(test, sizeof(*state), GFP_KERNEL);

	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
		kunit_skip(test, "the kernel does not count spin locks");
	KUNIT_ASSERT_NOT_NULL(test, state);
	jobs->job[0].body = sleep_with_spin_lock;
	jobs->job[1].body = take_spin_lock;
	jobs->job[1].arg = state;
	pr_info("wpool-expect: BUG: scheduling while atomic: wp/\n");
	wpk_jobs_submit(test, pool, jobs, 0, 2);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[1].task), 0);
	KUNIT_EXPECT_FALSE(test, state->irqs_off);
	KUNIT_EXPECT_EQ(test, state->preempt, 0);
	KUNIT_EXPECT_EQ(test, jobs->job[1].pid, jobs->job[0].pid);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 2);
}

static void leave_both_off(struct wpk_item *item)
{
	preempt_disable();
	local_irq_disable();
}

static void find_both_on(struct wpk_item *item)
{
	item->ret = !preempt_count() && !irqs_disabled();
}

/* The second work is there already when the first one returns, and the same runner takes it. */
static void queue_work_leaves_its_worker_unbalanced_is_repaired(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_item *items = wpk_items(test, NULL, 2);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 1);

	items[0].gate = gate;
	items[0].body = leave_both_off;
	items[1].body = find_both_on;
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[0])));
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[1])));
	wpk_gate_open(gate);
	wpk_wq_end(test, wq);
	KUNIT_EXPECT_TRUE(test, items[1].ret);
}

static struct kunit_case contain_cases[] = {
	KUNIT_CASE_PARAM(wpool_task_leaves_its_worker_unbalanced_is_repaired,
			 leak_gen_params),
	KUNIT_CASE(wpool_task_leaves_its_parent_unbalanced_is_repaired),
	KUNIT_CASE(queue_work_leaves_its_worker_unbalanced_is_repaired),
	KUNIT_CASE(wpool_task_sleeps_with_a_spin_lock_the_pool_goes_on),
	KUNIT_CASE(wpool_task_leaves_a_lock_held_is_reported_once),
	{}
};

static struct kunit_suite contain_suite = {
	.name = "wpool_contain",
	.init = contain_init,
	.exit = wpk_exit,
	.test_cases = contain_cases,
};

kunit_test_suite(contain_suite);
