// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that leave their worker in a bad state, or sleep where they must not. The worker reports
 * and repairs this, and the next task does not notice.
 *
 * The cases cause warnings in the kernel's log, so they run only with contain=1.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/bug.h>
#include <linux/debug_locks.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <trace/events/printk.h>

#include "behalf.h"
#include "wq_items.h"

static bool contain;
module_param(contain, bool, 0444);
MODULE_PARM_DESC(contain, "run the cases whose tasks leave preemption or interrupts off");

static int contain_init(struct kunit *test)
{
	wpk_need(test, contain, "only with contain=1: it makes the log complain");
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

/* Leave memory scopes of each kind open, as if a file system or a driver forgot to close them. */
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
	/* the worker must be able to sleep */
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
	struct state *state = wpk_alloc(test, sizeof(*state));

	jobs->job[0].last = leak->body;
	wpk_job_body(&jobs->job[1], look_around, state);
	wpk_job_run(test, pool, &jobs->job[0]);
	wpk_job_run(test, pool, &jobs->job[1]);
	KUNIT_EXPECT_FALSE(test, state->irqs_off);
	KUNIT_EXPECT_EQ(test, state->preempt, 0);
	KUNIT_EXPECT_EQ(test, state->rcu, 0);
	KUNIT_EXPECT_FALSE(test, state->softirqs_off);
	KUNIT_EXPECT_EQ(test, state->migration, 0);
	KUNIT_EXPECT_EQ(test, state->scopes, 0);
	/* the worker was repaired, not replaced */
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

/* The parent has open scopes of its own, and runs a child that leaves a bad state. */
static void wait_for_leaky_child(struct wpk_job *job)
{
	unsigned int scope = memalloc_nofs_save();
	struct state *state = job->arg;

	migrate_disable();
	wpk_run_next(job);
#ifdef CONFIG_SMP
	state->migration = current->migration_disabled - 1;
#endif
	state->scopes = (current->flags & ALL_SCOPES) ^ PF_MEMALLOC_NOFS;
	state->softirqs_off = softirq_count();
	migrate_enable();
	memalloc_nofs_restore(scope);
}

/* The repair after a child does not touch the state that its parent has set. */
static void wpool_task_leaves_its_parent_unbalanced_is_repaired(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct state *state = wpk_alloc(test, sizeof(*state));

	wpk_job_body(&jobs->job[0], wait_for_leaky_child, state);
	jobs->job[1].last = leave_all;
	wpk_job_run(test, pool, &jobs->job[0]);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, jobs->job[1].pid, jobs->job[0].pid);
	KUNIT_EXPECT_EQ(test, state->migration, 0);
	KUNIT_EXPECT_EQ(test, state->scopes, 0);
	KUNIT_EXPECT_FALSE(test, state->softirqs_off);
}

/* A task keeps this mutex. Its worker can report that, but cannot release the mutex. */
static DEFINE_MUTEX(kept);

static void keep_a_lock(struct wpk_job *job)
{
	/* lockdep learns no order from a trylock */
	if (!mutex_trylock(&kept))
		job->ret = -EBUSY;
}

static void give_it_back(struct wpk_job *job)
{
	mutex_unlock(&kept);
}

/* The lines of the kernel's log with @text, if the kernel has tracepoints. */
struct reports {
	const char *text;
	bool listens;
	atomic_t nr;
};

static void count_report(void *data, const char *text, size_t len)
{
	struct reports *reports = data;

	if (strnstr(text, reports->text, len))
		atomic_inc(&reports->nr);
}

static bool begin_to_listen(struct reports *reports)
{
	reports->listens = !register_trace_console(count_report, reports);
	return reports->listens;
}

static void expect_reports(struct kunit *test, struct reports *reports, int nr)
{
	if (!reports->listens)
		return;
	unregister_trace_console(count_report, reports);
	tracepoint_synchronize_unregister();
	KUNIT_EXPECT_EQ(test, atomic_read(&reports->nr), nr);
}

#define NR_INNOCENT 4

static void wpool_task_leaves_a_lock_held_is_reported_once(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct wpk_jobs *jobs = wpk_jobs(test, NR_INNOCENT + 2, NULL);
	struct reports reports = { .text = "left preempt count" };
	int i;

	wpk_need(test, IS_ENABLED(CONFIG_LOCKDEP) && debug_locks, "no lockdep");
	wpk_need(test, begin_to_listen(&reports), "no tracepoints");
	jobs->job[0].body = keep_a_lock;
	/* the worker has the mutex, and must unlock it before the worker ends */
	jobs->job[NR_INNOCENT + 1].body = give_it_back;
	for (i = 0; i < NR_INNOCENT + 1; i++) {
		KUNIT_EXPECT_EQ(test, wpool_submit(pool, &jobs->job[i].task), 0);
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[i].task), 0);
		KUNIT_EXPECT_EQ_MSG(test, atomic_read(&reports.nr), 1, "after task %d", i);
		KUNIT_EXPECT_EQ(test, jobs->job[i].pid, jobs->job[0].pid);
	}
	expect_reports(test, &reports, 1);
	wpk_job_run(test, pool, &jobs->job[NR_INNOCENT + 1]);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
}

/* ---- pointers and settings ---- */

static struct mm_struct *someones_mm;
static struct cred *someones_cred;
static struct blk_plug someones_plug;
static struct bio_list someones_bios;
static long something;

static void keep_mm(struct wpk_job *job)
{
	kthread_use_mm(someones_mm);
}

static bool has_mm(void)
{
	return current->mm;
}

static void leave_creds(struct wpk_job *job)
{
	override_creds(someones_cred);
}

static bool has_creds(void)
{
	return current_cred() != current_real_cred();
}

static void leave_memcg(struct wpk_job *job)
{
	/* the pointer is never followed: the pool takes it back before anything is charged to it */
	set_active_memcg((struct mem_cgroup *)&something);
}

static bool has_memcg(void)
{
	return set_active_memcg(NULL);
}

static void leave_journal(struct wpk_job *job)
{
	current->journal_info = &something;
}

static bool has_journal(void)
{
	return current->journal_info;
}

static void leave_bios(struct wpk_job *job)
{
	current->bio_list = &someones_bios;
}

static bool has_bios(void)
{
	return current->bio_list;
}

static void leave_plug(struct wpk_job *job)
{
	blk_start_plug(&someones_plug);
}

static bool has_plug(void)
{
	return current->plug;
}

static void leave_page_faults_off(struct wpk_job *job)
{
	pagefault_disable();
}

static bool has_page_faults_off(void)
{
	return pagefault_disabled();
}

static void leave_state(struct wpk_job *job)
{
	set_current_state(TASK_INTERRUPTIBLE);
}

static bool has_state(void)
{
	return !task_is_running(current);
}

static void leave_signal(struct wpk_job *job)
{
	allow_signal(SIGUSR1);
	send_sig(SIGUSR1, current, 1);
}

static bool has_signal(void)
{
	bool is_pending = signal_pending(current);

	disallow_signal(SIGUSR1);
	return is_pending;
}

static void leave_flags(struct wpk_job *job)
{
	current->flags = (current->flags | PF_LOCAL_THROTTLE) & ~PF_NOFREEZE;
}

static bool has_flags(void)
{
	return (current->flags & (PF_LOCAL_THROTTLE | PF_NOFREEZE)) != PF_NOFREEZE;
}

static void leave_nice(struct wpk_job *job)
{
	set_user_nice(current, 7);
}

static void leave_class(struct wpk_job *job)
{
	sched_set_fifo(current);
}

static bool has_class(void)
{
	return current->policy != SCHED_NORMAL || task_nice(current);
}

static const struct rest {
	void (*leave)(struct wpk_job *job);
	bool (*is_left)(void);
	const char *desc;
	const char *text;
	bool none;
	bool by_look;
} rests[] = {
	{ keep_mm, has_mm, "mm", "left an mm" },
	{ leave_creds, has_creds, "credentials", "left credentials" },
	{ leave_memcg, has_memcg, "memory cgroup", "left a memory cgroup",
	  !IS_ENABLED(CONFIG_MEMCG) },
	{ leave_journal, has_journal, "journal", "left journal_info" },
	{ leave_bios, has_bios, "bios", "left a list of bios", .by_look = true },
	{ leave_plug, has_plug, "plug", "left a plug", !IS_ENABLED(CONFIG_BLOCK) },
	{ leave_page_faults_off, has_page_faults_off, "page faults", "left page faults" },
	{ leave_state, has_state, "state", "left its worker", .by_look = true },
	{ leave_signal, has_signal, "signal", "left a signal" },
	{ leave_flags, has_flags, "flags", NULL, .by_look = true },
	{ leave_nice, has_class, "nice", "taken back", .by_look = true },
	{ leave_class, has_class, "class", "taken back", .by_look = true },
};

KUNIT_ARRAY_PARAM_DESC(rest, rests, desc);

static void get_someones(struct kunit *test)
{
	someones_mm = wpk_mm_of_init(test);
	someones_cred = prepare_kernel_cred(&init_task);
	KUNIT_ASSERT_NOT_NULL(test, someones_cred);
}

static void put_someones(void)
{
	put_cred(someones_cred);
	mmput(someones_mm);
}

static void look_for_rest(struct wpk_job *job)
{
	const struct rest *rest = job->arg;

	job->ret = rest->is_left();
}

#define NR_LEAVERS 3
/* After this many tasks, the worker has made a full look for work: see task/context.h. */
#define NR_LOOKED 130

/*
 * What a task leaves in its worker is gone when a later task runs, and is reported once in the log.
 * The later task is @away places behind.
 */
static void wpool_task_leaves_more_is_repaired_and_said_once(struct kunit *test)
{
	const struct rest *rest = test->param_value;
	int away = rest->by_look ? NR_LOOKED : 1;
	int nr = rest->by_look ? NR_LOOKED + 1 : 2 * NR_LEAVERS;
	struct wpk_jobs *jobs = wpk_jobs(test, nr, NULL);
	struct wpool *pool = wpk_pool(test, 1, nr);
	struct reports reports = { .text = rest->text };
	int i;

	wpk_need(test, !rest->none, "the kernel has nothing of this kind to leave");
	get_someones(test);
	if (rest->text)
		begin_to_listen(&reports);
	for (i = 0; i + away < nr; i += away + 1) {
		jobs->job[i].last = rest->leave;
		jobs->job[i + away].body = look_for_rest;
		jobs->job[i + away].arg = (void *)rest;
	}
	wpk_jobs_submit(test, pool, jobs, 0, nr);
	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[i].task), 0);
		KUNIT_EXPECT_EQ_MSG(test, jobs->job[i].ret, 0, "task %d found it", i);
		KUNIT_EXPECT_EQ(test, jobs->job[i].pid, jobs->job[0].pid);
	}
	expect_reports(test, &reports, 1);
	wpk_destroy(test, pool);
	put_someones();
}

static void leave_affinity(struct wpk_job *job)
{
	job->ret = set_cpus_allowed_ptr(current, cpu_possible_mask);
}

static void count_cpus(struct wpk_job *job)
{
	job->ret = current->nr_cpus_allowed;
}

/* The worker restores its affinity when it next looks for work. */
static void wpool_task_leaves_affinity_is_taken_back(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);

	wpk_need(test, num_possible_cpus() >= 2, "needs 2 CPUs");
	jobs->job[0].last = leave_affinity;
	jobs->job[1].body = count_cpus;
	wpk_job_run(test, pool, &jobs->job[0]);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	wpool_flush(pool);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 1);
	wpk_job_run(test, pool, &jobs->job[1]);
	KUNIT_EXPECT_EQ(test, jobs->job[1].ret, 1);
}

static void leave_mm_and_creds(struct wpk_job *job)
{
	kthread_unuse_mm(someones_mm);
	revert_creds(current_real_cred());
	current->journal_info = NULL;
}

/* The parent sets an mm, credentials and journal_info; its child removes all three. */
static void wait_for_taking_child(struct wpk_job *job)
{
	const struct cred *old;

	kthread_use_mm(someones_mm);
	old = override_creds(someones_cred);
	current->journal_info = &something;
	wpk_run_next(job);
	if (current->mm != someones_mm || current_cred() != someones_cred ||
	    current->journal_info != &something)
		job->ret = -EPROTO;
	current->journal_info = NULL;
	revert_creds(old);
	kthread_unuse_mm(someones_mm);
}

static void wpool_task_takes_what_its_parent_has_is_given_back(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);

	get_someones(test);
	jobs->job[0].body = wait_for_taking_child;
	jobs->job[1].last = leave_mm_and_creds;
	wpk_job_run(test, pool, &jobs->job[0]);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, jobs->job[1].pid, jobs->job[0].pid);
	wpk_destroy(test, pool);
	put_someones();
}

static int start_with_journal(struct wpool *pool, void *data, void **own)
{
	current->journal_info = &something;
	return 0;
}

static void end_with_journal(struct wpool *pool, void *own, void *data)
{
	current->journal_info = NULL;
}

/* State that worker_start has set stays, and is not reported. */
static void wpool_task_finds_what_worker_start_has_set(struct kunit *test)
{
	static const struct rest journal = { .is_left = has_journal };
	struct reports reports = { .text = "left journal_info" };
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL);
	int i;
	struct wpool *pool = wpk_pool_with(test, 1, 3, attrs.worker_start = start_with_journal,
					   attrs.worker_end = end_with_journal);

	begin_to_listen(&reports);
	for (i = 0; i < 3; i++) {
		wpk_job_body(&jobs->job[i], look_for_rest, (void *)&journal);
		wpk_job_run(test, pool, &jobs->job[i]);
		KUNIT_EXPECT_EQ(test, jobs->job[i].ret, 1);
	}
	expect_reports(test, &reports, 0);
}

/* Raw, since other spin locks may sleep with PREEMPT_RT. */
static DEFINE_RAW_SPINLOCK(spun);

static void sleep_with_spin_lock(struct wpk_job *job)
{
	ktime_t ms20 = ms_to_ktime(20);

	/* the kernel would also report an unlock on another CPU */
	migrate_disable();
	raw_spin_lock(&spun);
	/* msleep() may take a lock that sleeps with PREEMPT_RT, which would be another report */
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&ms20, HRTIMER_MODE_REL_HARD);
	/* the report of the sleep sets preempt_count to 0; an unlock at 0 turns lockdep off */
	if (!preempt_count())
		preempt_disable();
	raw_spin_unlock(&spun);
	migrate_enable();
}

static void take_spin_lock(struct wpk_job *job)
{
	raw_spin_lock(&spun);
	raw_spin_unlock(&spun);
	look_around(job);
}

/*
 * If a task sleeps with a spin lock held, which the kernel reports, its worker runs the next task
 * with preemption and interrupts on.
 */
static void wpool_task_sleeps_with_a_spin_lock_the_pool_goes_on(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 5);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct state *state = wpk_alloc(test, sizeof(*state));

	wpk_need(test, IS_ENABLED(CONFIG_PREEMPT_COUNT), "no CONFIG_PREEMPT_COUNT");
	jobs->job[0].body = sleep_with_spin_lock;
	wpk_job_body(&jobs->job[1], take_spin_lock, state);
	pr_info("wpool-expect: BUG: scheduling while atomic: wp/\n");
	wpk_jobs_submit(test, pool, jobs, 0, 2);
	wpk_jobs_end(test, jobs, 0, 2, 0);
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

/*
 * A work that leaves preemption and interrupts off does not change the context of the next work,
 * which the same runner runs. The next work is queued before the first one returns.
 */
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

static void allow_a_signal(struct wpk_job *job)
{
	allow_signal(SIGUSR1);
}

static void look_for_signal(struct wpk_job *job)
{
	job->ret = has_signal();
}

/* A signal that a task has allowed, and that comes while the worker is parked, reaches no task. */
static void wpool_task_allows_a_signal_that_comes_during_a_park_is_taken_back(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct pid *pid;

	jobs->job[0].body = allow_a_signal;
	jobs->job[1].body = look_for_signal;
	wpk_job_run(test, pool, &jobs->job[0]);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == 1);
	pid = find_get_pid(jobs->job[0].pid);
	KUNIT_EXPECT_EQ(test, kill_pid(pid, SIGUSR1, 1), 0);
	put_pid(pid);
	wpk_job_run(test, pool, &jobs->job[1]);
	KUNIT_EXPECT_EQ(test, jobs->job[1].ret, 0);
	KUNIT_EXPECT_EQ(test, jobs->job[1].pid, jobs->job[0].pid);
}

WPK_SUITE_INIT(contain, contain_init,
	       KUNIT_CASE_PARAM(wpool_task_leaves_its_worker_unbalanced_is_repaired,
				leak_gen_params),
	       KUNIT_CASE(wpool_task_leaves_its_parent_unbalanced_is_repaired),
	       KUNIT_CASE_PARAM(wpool_task_leaves_more_is_repaired_and_said_once, rest_gen_params),
	       KUNIT_CASE(wpool_task_allows_a_signal_that_comes_during_a_park_is_taken_back),
	       KUNIT_CASE(wpool_task_leaves_affinity_is_taken_back),
	       KUNIT_CASE(wpool_task_takes_what_its_parent_has_is_given_back),
	       KUNIT_CASE(wpool_task_finds_what_worker_start_has_set),
	       KUNIT_CASE(queue_work_leaves_its_worker_unbalanced_is_repaired),
	       KUNIT_CASE(wpool_task_sleeps_with_a_spin_lock_the_pool_goes_on),
	       KUNIT_CASE(wpool_task_leaves_a_lock_held_is_reported_once));
