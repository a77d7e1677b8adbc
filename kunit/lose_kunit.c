// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that die in a way that cannot be repaired completely: the pool loses one place, and
 * everything else continues.
 *
 * These cases run only with lose=1, and last: afterwards this module and wpool cannot be unloaded.
 */
#include <linux/module.h>
#include <linux/sched/task.h>
#include <linux/vmalloc.h>

#include "die.h"
#include "probe.h"

static bool lose;
module_param(lose, bool, 0444);
MODULE_PARM_DESC(lose, "run the cases that leave a pool behind, forever");

static int lose_init(struct kunit *test)
{
	wpk_need(test, lose, "only with lose=1: nothing can be unloaded after it");
	return wpk_init(test);
}

/* ---- a task that takes its own memory away -------------------------------- */

/* The task is in the middle of a large area, so that no neighbour keeps its page mapped. */
#define AREA_BYTES	(32 * PAGE_SIZE)

static void *area;

static void take_own_memory_away(struct wpool_task *task)
{
	if (IS_ENABLED(CONFIG_DEBUG_OBJECTS_FREE))
		pr_info("wpool-expect: ODEBUG: free active\n");
	wpk_expect_oops();
	vfree(area);
	/* unmap the area now: vfree() alone may do so later */
	vm_unmap_aliases();
}

/*
 * If a task takes its own memory away, its worker dies at the next access to it, and the pool loses
 * one place. A thread that waits for all tasks of the pool would wait forever. Everything else
 * continues: other tasks of the pool, and another pool, on another CPU.
 */
static void wpool_task_takes_its_memory_away_others_go_on(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpool *pool, *other;
	struct wpk_thread *waiter;
	struct wpool_task *task;

	wpk_need_cpus(test, 2);
	other = wpk_pool_with(test, 2, 0, attrs.cpumask = cpumask_of(wpk_cpu(0)));

	area = vmalloc(AREA_BYTES);
	KUNIT_ASSERT_NOT_NULL(test, area);
	task = area + AREA_BYTES / 2;
	wpool_task_init(task, take_own_memory_away);
	/* not of the fixture, which must not destroy this pool */
	pool = wpk_create_with(test, 2, 0, attrs.cpumask = cpumask_of(wpk_cpu(1)));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pool);
	KUNIT_ASSERT_EQ(test, wpool_submit(pool, task), 0);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, faults) == 1);

	KUNIT_ASSERT_EQ(test, wpool_submit(other, &jobs->job[0].task), 0);
	waiter = wpk_thread(test, wpk_do_wait, other, &jobs->job[0].task, NULL);
	KUNIT_ASSERT_EQ(test, wpk_join(test, waiter), 0);
	/* the pool has lost only the place of the dead task */
	KUNIT_EXPECT_EQ(test, wpool_submit(pool, &jobs->job[1].task), 0);
	waiter = wpk_thread(test, wpk_do_wait, pool, &jobs->job[1].task, NULL);
	KUNIT_EXPECT_EQ(test, wpk_join(test, waiter), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 1);
}

/* ---- a worker that dies while a task ends --------------------------------- */

/* The worker dies when it counts out @task for the first time. */
struct deadly {
	const void *task;
	atomic_t nr;
};

static void die_in_the_finish(void *data, const char *pool, int cpu, const void *task,
			      void *func, int status)
{
	struct deadly *deadly = data;

	if (task == deadly->task && !atomic_fetch_inc(&deadly->nr))
		wpk_oops();
}

static void cancel_the_next(struct wpk_job *job)
{
	wpool_task_cancel(&(job + 1)->task);
}

/* The thread that tidies up after the dead worker, on another CPU than that of the worker. */
static struct task_struct *tidier;

static void move_the_tidier(const struct wpool_fault *fault, void *data)
{
	wpk_move_to(wpk_cpu(0));
	WRITE_ONCE(tidier, get_task_struct(current));
}

/*
 * A thread that waits for another task, or flushes another pool, does not wait for a worker that
 * died while it counted out a cancelled task. Only the place of that task is lost. All other tasks
 * end on another CPU, so they do not replace the dead thread in wpool_finisher.
 */
static void wpool_task_wait_after_a_death_in_a_finish_returns(struct kunit *test)
{
	struct deadly *deadly = wpk_alloc(test, sizeof(*deadly));
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 2, gate), *others = wpk_jobs(test, 1, NULL);
	struct wpool *pool, *other;
	struct wpk_thread *waiter;

	wpk_need_cpus(test, 2);
	deadly->task = &jobs->job[1].task;
	other = wpk_pool_with(test, 1, 0, attrs.cpumask = cpumask_of(wpk_cpu(0)));
	/* not of the fixture, which must not destroy this pool */
	pool = wpk_create_with(test, 1, 2, attrs.cpumask = cpumask_of(wpk_cpu(1)),
			       attrs.fault = move_the_tidier);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pool);
	jobs->job[0].body = cancel_the_next;
	wpk_probe(test, "wpool_task_dropped", die_in_the_finish, deadly);
	/* one by one: if this thread moved in between, the second task might start first */
	wpk_jobs_hold(test, pool, jobs, 0, 1);
	wpk_jobs_submit(test, pool, jobs, 1, 1);
	wpk_gate_open(gate);
	WPK_ASSERT_EVENTUALLY(test, READ_ONCE(tidier));
	waiter = wpk_thread(test, wpk_do_wait, pool, &jobs->job[0].task, NULL);
	KUNIT_EXPECT_EQ(test, wpk_join(test, waiter), -EIO);
	/* the tidier is a kworker: give it its CPUs back */
	set_cpus_allowed_ptr(tidier, cpu_possible_mask);
	put_task_struct(tidier);

	wpk_jobs_submit(test, other, others, 0, 1);
	waiter = wpk_thread(test, wpk_do_flush, other, NULL, NULL);
	KUNIT_EXPECT_EQ(test, wpk_join(test, waiter), 0);
	wpk_jobs_ran_once(test, others);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 1);
}

WPK_SUITE_INIT(lose, lose_init,
	       KUNIT_CASE(wpool_task_takes_its_memory_away_others_go_on),
	       KUNIT_CASE(wpool_task_wait_after_a_death_in_a_finish_returns));
