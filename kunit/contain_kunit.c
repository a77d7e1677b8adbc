// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that leave their worker in a bad state: it is reported and repaired,
 * and the next task sees nothing of it.
 *
 * These cases make the kernel's log complain, so they only run when asked for:
 * contain=1 for a task that does not give back what it took, fault=1 for one
 * that dies, lose=1 for those after which not all can be put right. The last two end
 * lockdep until the next boot, and after the last one no module can be unloaded:
 * run them in this order.
 */
#include <linux/bug.h>
#include <linux/debug_locks.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <trace/events/printk.h>

#include "fixture.h"
#include "probe.h"

static bool contain;
module_param(contain, bool, 0444);
MODULE_PARM_DESC(contain, "run the cases whose tasks leave preemption or interrupts off");

static bool fault;
module_param(fault, bool, 0444);
MODULE_PARM_DESC(fault, "run the cases whose tasks die");

static bool lose;
module_param(lose, bool, 0444);
MODULE_PARM_DESC(lose, "run the cases that leave a pool behind, for ever");

static int contain_init(struct kunit *test)
{
	if (!contain)
		kunit_skip(test, "only with contain=1: it makes the log complain");
	return wpk_init(test);
}

static int fault_init(struct kunit *test)
{
	if (!fault)
		kunit_skip(test, "only with fault=1: it kills workers");
	return wpk_init(test);
}

static int lose_init(struct kunit *test)
{
	if (!lose)
		kunit_skip(test, "only with lose=1: nothing can be unloaded after it");
	return wpk_init(test);
}

/* ---- what a task did not give back ---------------------------------------- */

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

/* ---- a task that dies ----------------------------------------------------- */

static void die(struct wpk_job *job)
{
	/* The log's judge counts. */
	pr_info("wpool-expect: oops 1\n");
	WRITE_ONCE(*(int *)8, 1);
}

struct report {
	atomic_t nr;
	struct wpool_fault fault;
	char pool[WPOOL_NAME_LEN];
};

static void note_fault(const struct wpool_fault *fault, void *data)
{
	struct report *report = data;

	report->fault = *fault;
	strscpy(report->pool, fault->pool, sizeof(report->pool));
	atomic_inc(&report->nr);
}

/* What its fault handler is told goes into @report. */
static struct wpool *reporting_pool(struct kunit *test, struct wpool_attrs *attrs,
				    struct report **report)
{
	*report = kunit_kzalloc(test, sizeof(**report), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, *report);
	attrs->fault = note_fault;
	attrs->fault_data = *report;
	return wpk_pool_attrs(test, attrs);
}

static void wpool_task_dies_is_eio_and_the_pool_lives(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 6, NULL);
	struct report *report;
	struct wpool_attrs attrs;
	struct wpool *pool;
	int i;

	wpk_attrs(&attrs, 1, 10);
	pool = reporting_pool(test, &attrs, &report);
	jobs->job[0].body = die;
	wpk_jobs_submit(test, pool, jobs, 0, 6);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -EIO);
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(&jobs->job[0].task), -EIO);
	/* What stood behind it runs on a new worker, though there is one only. */
	for (i = 1; i < 6; i++) {
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[i].task), 0);
		KUNIT_EXPECT_NE(test, jobs->job[i].pid, jobs->job[0].pid);
	}
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, faults), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 5);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 11);
	WPK_EVENTUALLY(test, atomic_read(&report->nr) == 1);
	KUNIT_EXPECT_STREQ(test, report->pool, attrs.name);
	KUNIT_EXPECT_EQ(test, report->fault.task,
			(unsigned long)&jobs->job[0].task);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)wpk_job_fn);
	KUNIT_EXPECT_EQ(test, report->fault.cpu, jobs->job[0].cpu);
	wpk_destroy(test, pool);
}

static void die_too(void *arg)
{
	pr_info("wpool-expect: oops 1\n");
	WRITE_ONCE(*(int *)8, 1);
}

/* It is the function that its author knows, not the one of ours that calls it. */
static void wpool_submit_fn_dies_its_function_is_reported(struct kunit *test)
{
	struct report *report;
	struct wpool_attrs attrs;
	struct wpool *pool;

	wpk_attrs(&attrs, 1, 0);
	pool = reporting_pool(test, &attrs, &report);
	KUNIT_EXPECT_EQ(test, wpool_submit_fn(pool, die_too, NULL,
					      THIS_MODULE, GFP_KERNEL), 0);
	WPK_ASSERT_EVENTUALLY(test, atomic_read(&report->nr) == 1);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)die_too);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1);
	wpk_destroy(test, pool);
}

static void note_abort(void *arg, int status)
{
	atomic_t *aborted = arg;

	if (status == -EIO)
		atomic_inc(aborted);
}

static void die_three(void *arg)
{
	die_too(arg);
}

/* Its argument is not lost, and told of once. */
static void wpool_invoke_and_submit_fn_die_their_abort_has_the_argument(struct kunit *test)
{
	atomic_t *aborted = kunit_kcalloc(test, 2, sizeof(*aborted), GFP_KERNEL);
	struct wpool_attrs attrs;
	struct wpool *pool;

	KUNIT_ASSERT_NOT_NULL(test, aborted);
	wpk_attrs(&attrs, 2, 0);
	attrs.abort = note_abort;
	pool = wpk_pool_func(test, &attrs, die_three);
	KUNIT_EXPECT_EQ(test, wpool_invoke(pool, &aborted[0]), 0);
	KUNIT_EXPECT_EQ(test, wpool_submit_fn_abortable(pool, die_too, note_abort, &aborted[1],
							THIS_MODULE, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&aborted[0]), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&aborted[1]), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 2);
	wpk_destroy(test, pool);
}

/* What an event is that dies once. */
struct mortal {
	struct wpool_event event;
	atomic_t runs;
	atomic_t aborts;
	int status;
	bool finishes;
};

static void mortal_fn(struct wpool_event *event)
{
	struct mortal *mortal = container_of(event, struct mortal, event);

	if (atomic_inc_return(&mortal->runs) > 1)
		return;
	if (mortal->finishes) {
		wpool_event_finish(event);
		memset(event, 0x5a, sizeof(*event));
	} else {
		wpool_event_fire(event);
	}
	die_too(NULL);
}

static void mortal_abort(struct wpool_event *event, int status)
{
	struct mortal *mortal = container_of(event, struct mortal, event);

	mortal->status = status;
	atomic_inc(&mortal->aborts);
}

/* The fire that came before it died still counts. */
static void wpool_event_dies_is_aborted_and_runs_once_more(struct kunit *test)
{
	struct mortal *mortal = kunit_kzalloc(test, sizeof(*mortal), GFP_KERNEL);
	struct report *report;
	struct wpool_attrs attrs;
	struct wpool *pool;

	KUNIT_ASSERT_NOT_NULL(test, mortal);
	wpk_attrs(&attrs, 1, 0);
	pool = reporting_pool(test, &attrs, &report);
	wpool_event_init(&mortal->event, pool, mortal_fn, mortal_abort);
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(&mortal->event));
	WPK_ASSERT_EVENTUALLY(test, atomic_read(&mortal->runs) == 2);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(&mortal->event), 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)mortal_fn);
	KUNIT_EXPECT_EQ(test, atomic_read(&mortal->aborts), 1);
	KUNIT_EXPECT_EQ(test, mortal->status, -EIO);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 1);
	wpk_destroy(test, pool);
}

/* Its memory is the function's by then. */
static void wpool_event_dies_after_its_finish_is_not_touched(struct kunit *test)
{
	struct mortal *mortal = kunit_kzalloc(test, sizeof(*mortal), GFP_KERNEL);
	struct report *report;
	struct wpool_attrs attrs;
	struct wpool *pool;

	KUNIT_ASSERT_NOT_NULL(test, mortal);
	wpk_attrs(&attrs, 1, 0);
	pool = reporting_pool(test, &attrs, &report);
	wpool_event_init(&mortal->event, pool, mortal_fn, mortal_abort);
	mortal->finishes = true;
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(&mortal->event));
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, failed) == 1);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&mortal->aborts), 0);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(&mortal->event, 0x5a, sizeof(mortal->event)), NULL);
	wpk_destroy(test, pool);
}

/* Nobody is told, nobody waits: the place and the worker come back anyway. */
static void wpool_task_dies_without_a_fault_handler_the_pool_lives(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 0);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL);

	jobs->job[0].body = die;
	wpool_task_init_detached(&jobs->job[0].task, wpk_job_fn, NULL);
	wpk_jobs_submit(test, pool, jobs, 0, 3);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 2));
	WPK_EVENTUALLY(test, wpk_stat(pool, failed) == 1);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 2);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, WPK_PATIENCE), 0);
}

static void die_submitted_again(struct wpk_job *job)
{
	job->ret = wpool_try_submit(job->arg, &job->task);
	die(job);
}

/* Both submits were accepted, so both have failed; there was one place. */
static void wpool_task_dies_submitted_again_both_submits_are_failed(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);

	wpk_jobs_body(jobs, die_submitted_again, pool);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -EIO);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[0].runs), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, submitted), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 2);
	wpk_destroy(test, pool);
}

static void die_as_a_child(struct wpool_task *task)
{
	die(NULL);
}

/* The child lies on the stack that the worker loses. */
static void die_while_helping(struct wpk_job *job)
{
	struct wpool_task child;

	wpool_task_init(&child, die_as_a_child);
	job->ret = wpool_submit(job->arg, &child);
	if (!job->ret)
		job->ret = wpool_task_wait(&child);
	wpool_task_destroy_on_stack(&child);
}

static void wpool_task_dies_in_a_child_on_its_stack_both_are_failed(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);

	jobs->job[0].body = die_while_helping;
	jobs->job[0].arg = pool;
	wpk_jobs_submit(test, pool, jobs, 0, 2);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -EIO);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[1].task), 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, faults), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 3);
	wpk_destroy(test, pool);
}

/* Submits the job behind its own and waits for it: by doing it itself. */
static void help_the_next(struct wpk_job *job)
{
	struct wpk_job *next = job + 1;

	next->ret = wpool_submit(job->arg, &next->task);
	if (!next->ret)
		next->ret = wpool_task_wait(&next->task);
}

static void wpool_task_dies_while_helping_all_around_it_are_failed(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 4);
	struct wpk_jobs *jobs = wpk_jobs(test, 4, NULL);
	int i;

	wpk_jobs_body(jobs, help_the_next, pool);
	/* the third dies in a child that lies on its stack */
	jobs->job[2].body = die_while_helping;
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[i].task), -EIO);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 4);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 5);
	wpk_destroy(test, pool);
}

/* ---- a task that takes its own memory away -------------------------------- */

/* What is in the middle has no neighbour that the last page could be kept for. */
#define AREA_BYTES	(32 * PAGE_SIZE)

static void *area;

static void take_own_memory_away(struct wpool_task *task)
{
	if (IS_ENABLED(CONFIG_DEBUG_OBJECTS_FREE))
		pr_info("wpool-expect: ODEBUG: free active\n");
	pr_info("wpool-expect: oops 1\n");
	vfree(area);
	/* not later, which would do for everybody else */
	vm_unmap_aliases();
}

/*
 * Its worker dies when it looks at the task next. One place of its pool is lost
 * for ever then, and who waits for all of its tasks waits for ever; all the rest
 * goes on. The other pool keeps off its CPU: who finished something there would
 * hide what is wrong there.
 */
static void wpool_task_takes_its_memory_away_others_go_on(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpool *pool, *other;
	struct wpk_thread *waiter;
	struct wpool_attrs attrs;
	struct wpool_task *task;

	if (wpk_cpu(1) < 0)
		kunit_skip(test, "it takes two CPUs");
	wpk_attrs(&attrs, 2, 0);
	attrs.cpumask = cpumask_of(wpk_cpu(0));
	other = wpk_pool_attrs(test, &attrs);

	area = vmalloc(AREA_BYTES);
	KUNIT_ASSERT_NOT_NULL(test, area);
	task = area + AREA_BYTES / 2;
	wpool_task_init(task, take_own_memory_away);
	attrs.name = wpk_name(test);
	attrs.cpumask = cpumask_of(wpk_cpu(1));
	/* not the fixture's, which would destroy it */
	pool = wpool_create(&attrs, THIS_MODULE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pool);
	KUNIT_ASSERT_EQ(test, wpool_submit(pool, task), 0);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, faults) == 1);

	KUNIT_ASSERT_EQ(test, wpool_submit(other, &jobs->job[0].task), 0);
	waiter = wpk_thread(test, wpk_do_wait, other, &jobs->job[0].task, NULL);
	KUNIT_ASSERT_EQ(test, wpk_join(test, waiter), 0);
	/* Nor has its own pool lost more than that place. */
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, &jobs->job[1].task), 0);
	waiter = wpk_thread(test, wpk_do_wait, pool, &jobs->job[1].task, NULL);
	KUNIT_EXPECT_EQ(test, wpk_join(test, waiter), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 1);
}

/* ---- a worker that dies between two steps of the pool's ------------------- */

/* The pool ends this task, and dies of it once. */
struct deadly {
	const void *task;
	atomic_t nr;
};

static void die_in_the_finish(void *data, const char *pool, int cpu, const void *task,
			      void *func, int status)
{
	struct deadly *deadly = data;

	if (task == deadly->task && !atomic_fetch_inc(&deadly->nr))
		die(NULL);
}

static void cancel_the_next(struct wpk_job *job)
{
	wpool_task_cancel(&(job + 1)->task);
}

/* Who tidies up after the dead worker is to be on the other CPU, see below. */
static struct task_struct *reaper;

static void move_the_reaper(const struct wpool_fault *fault, void *data)
{
	wpk_move_to(wpk_cpu(0));
	WRITE_ONCE(reaper, current);
}

/*
 * The worker dies while it counts a task out, which it has cancelled. The place of
 * that one is lost; nobody who waits for another task waits for the dead. Nobody else
 * finishes anything on its CPU, which would hide what is wrong there.
 */
static void wpool_task_wait_after_a_death_in_a_finish_returns(struct kunit *test)
{
	struct deadly *deadly = kunit_kzalloc(test, sizeof(*deadly), GFP_KERNEL);
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, gate), *others = wpk_jobs(test, 1, NULL);
	struct wpool *pool, *other;
	struct wpk_thread *waiter;
	struct wpool_attrs attrs;

	if (wpk_cpu(1) < 0)
		kunit_skip(test, "it takes two CPUs");
	KUNIT_ASSERT_NOT_NULL(test, deadly);
	deadly->task = &jobs->job[1].task;
	wpk_attrs(&attrs, 1, 0);
	attrs.cpumask = cpumask_of(wpk_cpu(0));
	other = wpk_pool_attrs(test, &attrs);
	attrs.name = wpk_name(test);
	attrs.queue_depth = 2;
	attrs.cpumask = cpumask_of(wpk_cpu(1));
	attrs.fault = move_the_reaper;
	/* not the fixture's, which would destroy it */
	pool = wpool_create(&attrs, THIS_MODULE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pool);
	jobs->job[0].body = cancel_the_next;
	wpk_probe(test, "wpool_task_dropped", die_in_the_finish, deadly);
	wpk_jobs_submit(test, pool, jobs, 0, 2);
	wpk_gate_open(gate);
	WPK_ASSERT_EVENTUALLY(test, READ_ONCE(reaper));
	waiter = wpk_thread(test, wpk_do_wait, pool, &jobs->job[0].task, NULL);
	KUNIT_EXPECT_EQ(test, wpk_join(test, waiter), -EIO);
	/* it lives as long as the pool's module */
	set_cpus_allowed_ptr(reaper, cpu_possible_mask);

	wpk_jobs_submit(test, other, others, 0, 1);
	waiter = wpk_thread(test, wpk_do_wait, other, &others->job[0].task, NULL);
	KUNIT_EXPECT_EQ(test, wpk_join(test, waiter), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 1);
}

static struct kunit_case contain_cases[] = {
	KUNIT_CASE_PARAM(wpool_task_leaves_its_worker_unbalanced_is_repaired,
			 leak_gen_params),
	KUNIT_CASE(wpool_task_leaves_its_parent_unbalanced_is_repaired),
	KUNIT_CASE(wpool_task_leaves_a_lock_held_is_reported_once),
	{}
};

static struct kunit_suite contain_suite = {
	.name = "wpool_contain",
	.init = contain_init,
	.exit = wpk_exit,
	.test_cases = contain_cases,
};

static struct kunit_case fault_cases[] = {
	KUNIT_CASE(wpool_task_dies_is_eio_and_the_pool_lives),
	KUNIT_CASE(wpool_submit_fn_dies_its_function_is_reported),
	KUNIT_CASE(wpool_invoke_and_submit_fn_die_their_abort_has_the_argument),
	KUNIT_CASE(wpool_event_dies_is_aborted_and_runs_once_more),
	KUNIT_CASE(wpool_event_dies_after_its_finish_is_not_touched),
	KUNIT_CASE(wpool_task_dies_without_a_fault_handler_the_pool_lives),
	KUNIT_CASE(wpool_task_dies_submitted_again_both_submits_are_failed),
	KUNIT_CASE(wpool_task_dies_in_a_child_on_its_stack_both_are_failed),
	KUNIT_CASE(wpool_task_dies_while_helping_all_around_it_are_failed),
	{}
};

static struct kunit_suite fault_suite = {
	.name = "wpool_fault",
	.init = fault_init,
	.exit = wpk_exit,
	.test_cases = fault_cases,
};

static struct kunit_case lose_cases[] = {
	KUNIT_CASE(wpool_task_takes_its_memory_away_others_go_on),
	KUNIT_CASE(wpool_task_wait_after_a_death_in_a_finish_returns),
	{}
};

static struct kunit_suite lose_suite = {
	.name = "wpool_lose",
	.init = lose_init,
	.exit = wpk_exit,
	.test_cases = lose_cases,
};

kunit_test_suites(&contain_suite, &fault_suite, &lose_suite);
