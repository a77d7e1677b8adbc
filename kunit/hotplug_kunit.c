// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that go offline and online: the tasks queued on such a CPU run elsewhere, hotplug waits for
 * no task, a worker that was driven off its CPU returns, and the thread of a new worker does not
 * get stuck on a CPU that goes offline.
 */
#include <kunit/resource.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "event.h"
#include "probe.h"

static struct wpool *mask_pool(struct kunit *test, u32 capacity, const struct cpumask *mask)
{
	return wpk_pool_with(test, capacity, WPOOL_UNLIMITED, attrs.cpumask = mask);
}

static void cpu_offline_waits_for_no_task_and_leaves_none_behind(struct kunit *test)
{
	long cpu = wpk_victim_cpu(test);
	struct wpool *pools[2] = {
		mask_pool(test, 1, NULL),
		mask_pool(test, 2, cpumask_of(cpu)),
	};
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_jobs *jobs[2];
	struct wpk_thread *thread;
	int i;

	/* one pool has all CPUs, the other pool has only the CPU that goes offline */
	wpk_move_to(cpu);
	for (i = 0; i < 2; i++) {
		jobs[i] = wpk_jobs(test, 300, gate);
		wpk_jobs_submit(test, pools[i], jobs[i], 0, 300);
	}
	wpk_move_to(-1);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 3));
	thread = wpk_thread(test, wpk_do_remove_cpu, NULL, NULL, (void *)cpu);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_FALSE(test, cpu_online(cpu));
	wpk_gate_open(gate);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs[i], 300));
	for (i = 0; i < 2; i++)
		wpk_finish(test, pools[i], jobs[i]);
}

/* A CPU that was not online since the pool exists is no place for a task, which runs elsewhere. */
static void cpu_never_online_its_tasks_run_elsewhere(struct kunit *test)
{
	long cpu = wpk_victim_cpu(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool *pool;
	struct wpk_ev *ev;

	KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
	pool = mask_pool(test, 1, NULL);
	ev = wpk_evs(test, pool, NULL, 1);
	KUNIT_EXPECT_TRUE(test, wpool_event_fire_on(wpk_event(ev), cpu));
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == 1);
	KUNIT_EXPECT_EQ(test, wpool_submit_on(pool, cpu, &jobs->job[0].task), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), 0);
	KUNIT_ASSERT_EQ(test, add_cpu(cpu), 0);
}

/* When a CPU is online again, tasks run there again. Its workers left it when it went offline. */
static void cpu_online_again_tasks_run_there_again(struct kunit *test)
{
	long cpu = wpk_victim_cpu(test);
	struct wpool *pool = mask_pool(test, 2, cpumask_of(cpu));
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool_task *task = &jobs->job[0].task;
	unsigned long end;
	int i;

	wpk_task_run(test, pool, task);
	KUNIT_EXPECT_EQ(test, jobs->job[0].cpu, cpu);
	KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
	/* With none of its CPUs left, the pool runs tasks on other CPUs. */
	wpk_task_run(test, pool, task);
	KUNIT_EXPECT_NE(test, jobs->job[0].cpu, cpu);
	KUNIT_ASSERT_EQ(test, add_cpu(cpu), 0);
	end = jiffies + WPK_PATIENCE;
	do {
		wpk_task_run(test, pool, task);
		usleep_range(100, 1000);
	} while (jobs->job[0].cpu != cpu && time_before(jiffies, end));
	for (i = 0; i < 20; i++) {
		wpk_task_run(test, pool, task);
		KUNIT_EXPECT_EQ(test, jobs->job[0].cpu, cpu);
	}
}

/*
 * A pool uses a CPU that comes online after the pool was made, although it has no run queue for
 * that CPU at first.
 */
static void cpu_online_after_the_pool_was_made_tasks_run_there(struct kunit *test)
{
	long cpu = wpk_victim_cpu(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 110, NULL);
	struct wpool_cpu_stats stats;
	struct wpool *pool;

	KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
	pool = mask_pool(test, 2, NULL);
	wpk_jobs_run(test, pool, jobs, 10);
	wpool_get_cpu_stats(pool, cpu, &stats);
	KUNIT_EXPECT_EQ(test, stats.submitted + stats.completed + stats.workers, 0);

	KUNIT_ASSERT_EQ(test, add_cpu(cpu), 0);
	wpk_move_to(cpu);
	wpk_jobs_submit(test, pool, jobs, 10, 100);
	wpk_move_to(-1);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 110));
	wpool_get_cpu_stats(pool, cpu, &stats);
	KUNIT_EXPECT_EQ(test, stats.submitted, 100);
	/* now the mask has only that CPU: at least one worker must move there */
	KUNIT_EXPECT_EQ(test, wpk_tune(pool, CPUMASK, cpumask, cpumask_of(cpu)), 0);
	WPK_EVENTUALLY(test, wpk_workers_at(pool, cpu) > 0);
	wpk_finish(test, pool, jobs);
}

/*
 * When a CPU is online again, an idle worker of another CPU moves there, if no more workers may be
 * made.
 */
static void cpu_online_again_an_idle_worker_moves_there(struct kunit *test)
{
	long cpu = wpk_victim_cpu(test);
	struct wpool *pool = mask_pool(test, num_online_cpus(), NULL);
	struct wpk_jobs *warm = wpk_held(test, pool, num_online_cpus(), num_online_cpus());

	wpk_gate_open(warm->gate);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == warm->nr);
	KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
	WPK_ASSERT_EVENTUALLY(test, !wpk_workers_at(pool, cpu));
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, idle) == warm->nr);
	KUNIT_ASSERT_EQ(test, add_cpu(cpu), 0);
	WPK_EVENTUALLY(test, wpk_workers_at(pool, cpu) == 1);
	WPK_EVENTUALLY(test, wpk_stat(pool, idle) == warm->nr);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), warm->nr);
}

static int come_and_go(struct wpk_thread *thread)
{
	unsigned long cpu = (unsigned long)thread->arg;
	unsigned int i;
	int ret;

	for (i = 0; i < WPK_HOTPLUG_ROUNDS; i++) {
		ret = remove_cpu(cpu) ?: add_cpu(cpu);
		if (ret)
			return ret;
	}
	return 0;
}

static int submit_one_by_one(struct wpk_thread *thread)
{
	struct wpk_jobs *jobs = thread->arg;
	unsigned int i;
	int ret;

	for (i = 0; i < jobs->nr && !wpk_stopped(thread->test); i++) {
		ret = wpool_submit(thread->pool, &jobs->job[i].task);
		/* submit 20 tasks without a wait, the next 20 one by one, and so on */
		if (!ret && i / 20 % 2)
			ret = wpool_task_wait(&jobs->job[i].task);
		if (ret)
			return ret;
	}
	return 0;
}

static void cpu_comes_and_goes_under_load_each_task_runs_once(struct kunit *test)
{
	long cpu = wpk_victim_cpu(test);
	struct wpool *pools[2] = {
		mask_pool(test, 3, NULL),
		mask_pool(test, 2, cpumask_of(cpu)),
	};
	struct wpk_thread *threads[4], *hotplug;
	struct wpk_jobs *jobs[4];
	bool ended = false;
	int i, round;

	hotplug = wpk_thread(test, come_and_go, NULL, NULL, (void *)cpu);
	for (round = 0; !ended; round++) {
		ended = wpk_ended(hotplug);
		for (i = 0; i < 4; i++)
			jobs[i] = wpk_jobs(test, 200, NULL);
		for (i = 0; i < 4; i++)
			threads[i] = wpk_thread(test, submit_one_by_one,
						pools[i % 2], NULL, jobs[i]);
		for (i = 0; i < 4; i++)
			KUNIT_ASSERT_EQ(test, wpk_join(test, threads[i]), 0);
		for (i = 0; i < 4; i++) {
			KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs[i], 200));
			wpk_jobs_ran_once(test, jobs[i]);
		}
	}
	KUNIT_EXPECT_EQ(test, wpk_join(test, hotplug), 0);
	for (i = 0; i < 2; i++) {
		wpk_destroy(test, pools[i]);
		KUNIT_EXPECT_EQ(test, wpk_stat(pools[i], completed), 2 * 200 * round);
	}
}

/* ---- a worker that is made meanwhile --------------------------------------- */

/*
 * A submit just before the pool's callback for a CPU that goes offline. An ordinary thread may not
 * stay on that CPU any more.
 * @name: name of the pool
 * @ret: result of the submit
 * @finished: the job has finished before the CPU continued to go offline
 * @placed_at: the CPU for which a worker was made, -1 for none so far
 * @is_queued: the worker's new thread is on a run queue of the scheduler
 */
struct going {
	int cpu;
	struct wpool *pool;
	const char *name;
	struct wpk_jobs *jobs;
	int ret;
	bool finished;
	int placed_at;
	bool is_queued;
};

static struct going *going;

/* Called in the thread of the CPU that goes offline. */
static int submit_when_it_goes(unsigned int cpu)
{
	if (cpu == going->cpu) {
		going->ret = wpool_try_submit(going->pool, &going->jobs->job[0].task);
		/* the case waits for the removal of the CPU no longer than WPK_PATIENCE */
		going->finished = wait_event_timeout(going->jobs->wq,
						     atomic_read(&going->jobs->finished),
						     WPK_PATIENCE / 2);
	}
	return 0;
}

/* Called at the tracepoint wpool_worker_spawned: the thread of the worker has not run yet. */
static void look_where_it_may_start(void *data, const char *pool, int cpu, pid_t worker,
				    u64 start_ns)
{
	struct task_struct *thread;
	struct going *where = data;

	if (strcmp(pool, where->name))
		return;
	where->placed_at = cpu;
	rcu_read_lock();
	thread = pid_task(find_vpid(worker), PIDTYPE_PID);
	where->is_queued = thread && thread->on_rq;
	rcu_read_unlock();
}

static void stop_submitting(void *state)
{
	cpuhp_remove_state_nocalls((long)state);
	going = NULL;
}

/* A new thread must not be queued on the CPU that goes offline: it would be stuck there. */
static void cpu_offline_a_worker_that_is_made_meanwhile_starts_elsewhere(struct kunit *test)
{
	long cpu = wpk_victim_cpu(test);
	struct wpk_thread *thread;
	int state;

	going = wpk_alloc(test, sizeof(*going));
	*going = (struct going) {
		.cpu = cpu,
		.pool = mask_pool(test, 1, cpumask_of(cpu)),
		.jobs = wpk_jobs(test, 1, NULL),
		.placed_at = -1,
	};
	going->name = wpk_name_of(going->pool);
	wpk_probe(test, "wpool_worker_spawned", look_where_it_may_start, going);
	/* a CPU that goes offline calls this first: it is registered after the pool's callback */
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "wpool_kunit:online",
					  NULL, submit_when_it_goes);
	KUNIT_ASSERT_GT(test, state, 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, stop_submitting,
							(void *)(long)state), 0);

	thread = wpk_thread(test, wpk_do_remove_cpu, NULL, NULL, (void *)cpu);
	KUNIT_ASSERT_EQ(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_FALSE(test, cpu_online(cpu));
	KUNIT_EXPECT_EQ(test, going->ret, 0);
	KUNIT_EXPECT_TRUE(test, going->finished);
	/* if this fails, the pool's callback came first, and the case has tested nothing */
	KUNIT_EXPECT_EQ(test, going->placed_at, cpu);
	KUNIT_EXPECT_FALSE(test, going->is_queued);
}

/* ---- a pool that is made meanwhile ------------------------------------------ */

#define NR_BORN		400
#define NR_BORN_BEFORE	10

/*
 * A preallocated pool, whose creation make_slowly() delays until the CPU is gone.
 * @made: workers made so far
 * @gone: the CPU is gone
 * @in_time: the CPU went before the last worker was made
 */
struct birth {
	int cpu;
	const char *name;
	int made;
	bool gone;
	bool in_time;
};

/* Called at the tracepoint wpool_worker_spawned. */
static void make_slowly(void *data, const char *pool, int cpu, pid_t worker, u64 start_ns)
{
	struct birth *birth = data;

	if (strcmp(pool, birth->name))
		return;
	birth->in_time = READ_ONCE(birth->gone);
	WRITE_ONCE(birth->made, birth->made + 1);
	if (!birth->in_time && birth->made > NR_BORN_BEFORE)
		mdelay(5);
}

static int remove_cpu_meanwhile(struct wpk_thread *thread)
{
	struct birth *birth = thread->arg;
	int ret;

	if (!wpk_eventually(READ_ONCE(birth->made) >= NR_BORN_BEFORE))
		return -ETIME;
	ret = remove_cpu(birth->cpu);
	WRITE_ONCE(birth->gone, !ret);
	return ret;
}

/*
 * If a CPU goes offline while a preallocated pool is created, no worker stays there, although some
 * were made for that CPU.
 */
static void wpool_create_prealloc_nobody_stays_on_a_cpu_that_goes(struct kunit *test)
{
	struct birth *birth = wpk_alloc(test, sizeof(*birth));
	struct wpk_thread *thread;
	struct wpool *pool;

	birth->cpu = wpk_victim_cpu(test);
	birth->name = wpk_name(test);
	wpk_probe(test, "wpool_worker_spawned", make_slowly, birth);
	thread = wpk_thread(test, remove_cpu_meanwhile, NULL, NULL, birth);
	pool = wpk_pool_with(test, NR_BORN, WPOOL_UNLIMITED, attrs.prealloc = true,
			     attrs.name = birth->name);
	KUNIT_ASSERT_EQ(test, wpk_join(test, thread), 0);
	wpk_need(test, birth->in_time, "the pool was made before the CPU was removed");
	WPK_EVENTUALLY(test, wpk_stat(pool, idle) == NR_BORN);
	WPK_EVENTUALLY(test, !wpk_workers_at(pool, birth->cpu));
}

static struct wpool *per_cpu_pool(struct kunit *test, u32 per_cpu, const struct cpumask *mask)
{
	return wpk_pool_with(test, 1, 0, attrs.policy = WPOOL_FAIL,
			     attrs.capacity_per_cpu = per_cpu, attrs.cpumask = mask);
}

/*
 * The capacity of a pool with capacity_per_cpu follows CPUs that go and come. As after a tune to a
 * smaller capacity, running tasks continue, and new ones are refused.
 */
static void cpu_goes_and_comes_capacity_per_cpu_follows(struct kunit *test)
{
	u32 nr = num_online_cpus();
	long cpu = wpk_victim_cpu(test);
	struct wpool *pool = per_cpu_pool(test, 2, NULL);
	struct wpool *only = per_cpu_pool(test, 3, cpumask_of(cpu));
	struct wpool *fixed = mask_pool(test, 5, NULL);
	struct wpk_jobs *jobs;

	KUNIT_ASSERT_EQ(test, wpk_capacity(pool), 2 * nr);
	KUNIT_ASSERT_EQ(test, wpk_capacity(only), 3);
	jobs = wpk_held(test, pool, 2 * nr, 2 * nr);
	KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
	WPK_EVENTUALLY(test, wpk_capacity(pool) == 2 * nr - 2);
	/* with no CPU of its mask left, the capacity of @only counts all online CPUs */
	WPK_EVENTUALLY(test, wpk_capacity(only) == 3 * nr - 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, busy), 2 * nr);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 0);
	wpk_gate_open(jobs->gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	WPK_EVENTUALLY(test, wpk_stat(pool, free) == 2 * nr - 2);
	WPK_EVENTUALLY(test, wpk_stat(pool, workers) <= 2 * nr - 2);
	KUNIT_ASSERT_EQ(test, add_cpu(cpu), 0);
	WPK_EVENTUALLY(test, wpk_capacity(pool) == 2 * nr);
	WPK_EVENTUALLY(test, wpk_stat(pool, free) == 2 * nr);
	WPK_EVENTUALLY(test, wpk_capacity(only) == 3);
	KUNIT_EXPECT_EQ(test, wpk_capacity(fixed), 5);
	wpk_finish(test, pool, jobs);
}

/* @capacity: the right capacity when all CPUs are online */
struct follower {
	struct wpool *pool;
	u32 capacity;
};

/* Create a pool, and tune it to @mask: NULL for all CPUs, or one CPU, which may be offline. */
static void make_follower(struct kunit *test, struct follower *of, const struct cpumask *mask,
			  u32 nr_cpus)
{
	int err;

	of->pool = per_cpu_pool(test, 1, NULL);
	err = wpk_tune_with(of->pool, WPOOL_TUNE_CAPACITY_PER_CPU | WPOOL_TUNE_CPUMASK,
			    attrs.capacity_per_cpu = 4, attrs.cpumask = mask);
	if (mask && err == -EINVAL) {
		/* the CPU was offline, so the tune has changed nothing */
		of->capacity = nr_cpus;
		return;
	}
	KUNIT_EXPECT_EQ(test, err, 0);
	of->capacity = mask ? 4 : 4 * nr_cpus;
}

#define NR_KEPT	4

/*
 * Pools that are created and tuned while a CPU goes and comes end with the right capacity. Of those
 * created with the CPU online, and of those created without it, the case keeps the last NR_KEPT.
 */
static void cpu_goes_and_comes_capacity_per_cpu_of_pools_that_come_and_go(struct kunit *test)
{
	struct follower kept[2][NR_KEPT] = {}, *of;
	long cpu = wpk_victim_cpu(test);
	u32 nr_cpus = num_online_cpus();
	u32 nr[2] = {}, i, away;
	struct wpk_thread *hotplug = wpk_thread(test, come_and_go, NULL, NULL, (void *)cpu);

	do {
		away = !cpu_online(cpu);
		i = nr[away]++;
		of = &kept[away][i % NR_KEPT];
		if (of->pool)
			wpk_destroy(test, of->pool);
		make_follower(test, of, i % 2 ? cpumask_of(cpu) : NULL, nr_cpus);
	} while (!wpk_ended(hotplug));
	KUNIT_ASSERT_EQ(test, wpk_join(test, hotplug), 0);
	for (away = 0; away < 2; away++)
		for (i = 0; i < min(nr[away], NR_KEPT); i++) {
			of = &kept[away][i];
			WPK_EVENTUALLY(test, wpk_capacity(of->pool) == of->capacity);
		}
}

/* A gate for new workers. */
static struct wpk_gate *start_gate;

static int pass_start_gate(struct wpool *pool, void *data, void **own)
{
	wpk_gate_pass(start_gate);
	return 0;
}

/* Let the pool, which has reclaim, make one worker, and use all CPUs instead of the first one. */
static int tune_to_all_cpus(struct wpk_thread *thread)
{
	return wpk_tune_with(thread->pool, WPOOL_TUNE_MIN_WORKERS | WPOOL_TUNE_CPUMASK,
			     attrs.min_workers = 1, attrs.cpumask = cpu_possible_mask);
}

/*
 * The capacity follows a CPU that goes offline while a tune adds it: the tune waits for a new
 * worker, and the old mask does not have the CPU.
 */
static void cpu_goes_while_a_tune_adds_it_capacity_per_cpu_follows(struct kunit *test)
{
	u32 nr = num_online_cpus();
	long cpu = wpk_victim_cpu(test);
	struct wpk_thread *thread;
	struct wpool *pool;

	start_gate = wpk_gate(test);
	/* the worker in reserve */
	wpk_gate_let(start_gate, 1);
	pool = wpk_pool_with(test, 1, 0, attrs.capacity_per_cpu = 3, attrs.min_workers = 0,
			     attrs.cpumask = cpumask_of(wpk_cpu(0)), attrs.reclaim = true,
			     attrs.worker_start = pass_start_gate);
	KUNIT_ASSERT_EQ(test, wpk_capacity(pool), 3);
	thread = wpk_thread(test, tune_to_all_cpus, pool, NULL, NULL);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(start_gate, 2));
	KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, start_gate, thread), 0);
	WPK_EVENTUALLY(test, wpk_capacity(pool) == 3 * (nr - 1));
	KUNIT_ASSERT_EQ(test, add_cpu(cpu), 0);
	WPK_EVENTUALLY(test, wpk_capacity(pool) == 3 * nr);
}

WPK_SUITE(hotplug,
	  KUNIT_CASE_SLOW(cpu_offline_waits_for_no_task_and_leaves_none_behind),
	  KUNIT_CASE_SLOW(cpu_never_online_its_tasks_run_elsewhere),
	  KUNIT_CASE_SLOW(cpu_online_again_tasks_run_there_again),
	  KUNIT_CASE_SLOW(cpu_online_after_the_pool_was_made_tasks_run_there),
	  KUNIT_CASE_SLOW(cpu_online_again_an_idle_worker_moves_there),
	  KUNIT_CASE_SLOW(cpu_comes_and_goes_under_load_each_task_runs_once),
	  KUNIT_CASE_SLOW(cpu_offline_a_worker_that_is_made_meanwhile_starts_elsewhere),
	  KUNIT_CASE_SLOW(wpool_create_prealloc_nobody_stays_on_a_cpu_that_goes),
	  KUNIT_CASE_SLOW(cpu_goes_and_comes_capacity_per_cpu_follows),
	  KUNIT_CASE_SLOW(cpu_goes_while_a_tune_adds_it_capacity_per_cpu_follows),
	  KUNIT_CASE_SLOW(cpu_goes_and_comes_capacity_per_cpu_of_pools_that_come_and_go));
