// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks: each worker calls worker_start once before its first task and worker_end once after its
 * last one, in its own thread, whatever the worker was created for and however it leaves.
 */
#include <linux/cpu.h>
#include <linux/mutex.h>

#include "core/state.h"
#include "fixture.h"
#include "knob.h"

/* What the hooks of a pool do and note. wpool_worker_own() is twice a worker's pid. */
struct notes {
	atomic_t started;
	atomic_t ended;
	atomic_t failed;
	atomic_t wrong;
	atomic_t fail_next;
	int err;
	bool slow;
	struct wpk_gate *gate;
};

static int note_start(struct wpool *pool, void *data, void **own)
{
	struct notes *notes = data;

	if (wpool_worker_own(pool))
		atomic_inc(&notes->wrong);
	if (notes->slow)
		usleep_range(1000, 2000);
	if (notes->gate)
		wpk_gate_pass(notes->gate);
	if (atomic_dec_if_positive(&notes->fail_next) >= 0) {
		atomic_inc(&notes->failed);
		return notes->err;
	}
	atomic_inc(&notes->started);
	*own = (void *)(unsigned long)(2 * current->pid);
	return 0;
}

static void note_end(struct wpool *pool, void *own, void *data)
{
	struct notes *notes = data;

	if (own != (void *)(unsigned long)(2 * current->pid) || wpool_worker_own(pool) != own)
		atomic_inc(&notes->wrong);
	if (notes->slow)
		usleep_range(1000, 2000);
	atomic_inc(&notes->ended);
}

static struct notes *notes_create(struct kunit *test)
{
	struct notes *notes = wpk_alloc(test, sizeof(*notes));

	notes->err = -ENXIO;
	return notes;
}

/* A pool with both hooks, and other attributes as wpk_pool_with(). */
#define hook_pool(test, capacity, notes, ...)						\
	wpk_pool_with(test, capacity, WPOOL_UNLIMITED, attrs.worker_start = note_start,	\
		      attrs.worker_end = note_end, attrs.worker_data = notes, ##__VA_ARGS__)

/* Each task finds the pointer that note_start() has set for its worker. */
static void check_own(struct wpk_job *job)
{
	struct wpool *pool = job->arg;

	if (wpool_worker_own(pool) != (void *)(unsigned long)(2 * current->pid) ||
	    wpool_worker_own(wpool_default()))
		job->ret = -EINVAL;
}

static void run_jobs(struct kunit *test, struct wpool *pool, u32 nr)
{
	struct wpk_jobs *jobs = wpk_jobs_of(test, nr, check_own, pool);
	u32 i;

	wpk_jobs_run(test, pool, jobs, nr);
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, jobs->job[i].ret, 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
}

/* At the end, each worker that ever existed has called both hooks. */
static void expect_paired(struct kunit *test, struct notes *notes, u64 workers)
{
	KUNIT_EXPECT_EQ(test, atomic_read(&notes->started), workers);
	KUNIT_EXPECT_EQ(test, atomic_read(&notes->ended), workers);
	KUNIT_EXPECT_EQ(test, atomic_read(&notes->wrong), 0);
}

static void wpool_hooks_each_worker_calls_both_once(struct kunit *test)
{
	struct notes *notes = notes_create(test);
	struct wpool *pool = hook_pool(test, 5, notes);
	struct wpk_jobs *busy;

	notes->slow = true;
	KUNIT_EXPECT_EQ(test, atomic_read(&notes->started), 0);
	busy = wpk_held(test, pool, 5, 5);
	KUNIT_EXPECT_EQ(test, atomic_read(&notes->started), 5);
	wpk_gate_open(busy->gate);
	run_jobs(test, pool, 100);
	KUNIT_EXPECT_EQ(test, atomic_read(&notes->started), wpk_stat(pool, spawned));
	KUNIT_EXPECT_EQ(test, atomic_read(&notes->ended), 0);
	wpk_destroy(test, pool);
	/* wpool_destroy() has waited for the last worker */
	expect_paired(test, notes, 5);
	KUNIT_EXPECT_NULL(test, wpool_worker_own(wpool_default()));
}

static void run_next_inside(struct wpk_job *job)
{
	struct wpk_job *next = job + 1;

	wpk_run_next(job);
	job->ret = job->ret ?: next->ret ?: next->pid - job->pid;
}

/* A task that the worker runs inside another one, in a wait or a submit, has the same pointer. */
static void wpool_hooks_a_task_inside_a_task_has_the_same_own(struct kunit *test)
{
	struct wpk_jobs *jobs;
	struct wpool *pool;
	int i;

	for (i = 0; i < 2; i++) {
		pool = hook_pool(test, 1, notes_create(test), attrs.queue_depth = !i,
				 attrs.policy = i ? WPOOL_RUN : WPOOL_BLOCK);
		jobs = wpk_jobs(test, 2, NULL);
		wpk_jobs_body(jobs, check_own, pool);
		jobs->job[0].body = run_next_inside;
		wpk_job_run(test, pool, &jobs->job[0]);
		KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
		wpk_jobs_ran_once(test, jobs);
	}
}

static void wpool_hooks_prealloc_and_reserve_call_both_once(struct kunit *test)
{
	struct notes *notes = notes_create(test);
	struct wpool *pool = hook_pool(test, 3, notes, attrs.prealloc = true, attrs.reclaim = true);
	u64 spawned;

	KUNIT_EXPECT_EQ(test, atomic_read(&notes->started), 4);
	run_jobs(test, pool, 20);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, MAX_SCHEDULE_TIMEOUT), 0);
	/* the worker in reserve stays while the pool is closed */
	KUNIT_EXPECT_EQ(test, atomic_read(&notes->ended), atomic_read(&notes->started) - 1);
	KUNIT_EXPECT_EQ(test, wpool_reboot(pool), 0);
	run_jobs(test, pool, 20);
	spawned = wpk_stat(pool, spawned);
	wpk_destroy(test, pool);
	expect_paired(test, notes, spawned);
}

static void wpool_hooks_expired_worker_calls_its_end(struct kunit *test)
{
	struct notes *notes = notes_create(test);
	struct wpool *pool = hook_pool(test, 4, notes, attrs.min_workers = 0, attrs.expiry_ms = 1);
	u64 spawned;
	int i;

	for (i = 1; i <= 20; i++) {
		run_jobs(test, pool, 4);
		WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, workers) == 0);
		WPK_ASSERT_EVENTUALLY(test, atomic_read(&notes->ended) == wpk_stat(pool, spawned));
	}
	/* until the destroy, a worker may come that was requested before the last task ended */
	wpk_destroy(test, pool);
	spawned = wpk_stat(pool, spawned);
	KUNIT_EXPECT_GE(test, spawned, 20);
	expect_paired(test, notes, spawned);
}

/*
 * After an error of worker_start another worker is created, and nothing is left of the failed one.
 */
static void wpool_hooks_start_fails_is_a_failed_spawn(struct kunit *test)
{
	struct notes *notes = notes_create(test);
	struct wpool *pool = hook_pool(test, 2, notes);

	atomic_set(&notes->fail_next, 3);
	run_jobs(test, pool, 10);
	KUNIT_EXPECT_EQ(test, atomic_read(&notes->failed), 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawn_failed), 3);
	KUNIT_EXPECT_EQ(test, (int)wpk_stat(pool, spawn_error), -ENXIO);
	WPK_EVENTUALLY(test, wpk_stat(pool, spawned) == atomic_read(&notes->started));
	wpk_destroy(test, pool);
	expect_paired(test, notes, atomic_read(&notes->started));
}

static void wpool_hooks_start_fails_create_returns_its_error(struct kunit *test)
{
	struct wpool_attrs attrs;
	struct notes *notes = notes_create(test);
	struct wpool *pool;
	int i;

	/* inside wpool this errno means that the pool has all its workers */
	notes->err = -EBUSY;
	wpk_attrs(&attrs, 3, WPOOL_UNLIMITED);
	attrs.worker_start = note_start;
	attrs.worker_end = note_end;
	attrs.worker_data = notes;
	attrs.prealloc = true;
	for (i = 0; i < 2; i++) {
		attrs.name = wpk_name(test);
		attrs.reclaim = i;
		atomic_set(&notes->fail_next, 1);
		pool = wpool_create(&attrs);
		KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(pool), -EBUSY);
		if (!IS_ERR(pool))
			wpool_destroy(pool);
		KUNIT_EXPECT_EQ(test, atomic_read(&notes->started), atomic_read(&notes->ended));
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&notes->failed), 2);
	pool = wpk_pool_attrs(test, &attrs);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 3);
}

static void wpool_hooks_start_fails_for_the_reserve_is_a_failed_spawn(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_gated(test, 2);
	struct notes *notes = notes_create(test);
	struct wpool *pool = hook_pool(test, 2, notes, attrs.reclaim = true);

	notes->err = -EBUSY;
	atomic_set(&notes->fail_next, 3);
	wpk_jobs_submit(test, pool, jobs, 0, 2);
	WPK_EVENTUALLY(test, wpk_stat(pool, spawn_failed) == 3);
	KUNIT_EXPECT_EQ(test, (int)wpk_stat(pool, spawn_error), -EBUSY);
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(jobs->gate, 2));
}

static void wpool_hooks_slow_start_does_not_hold_up_others(struct kunit *test)
{
	struct wpk_gate *hook = wpk_gate(test);
	struct wpk_jobs *busy, *jobs = wpk_jobs(test, 10, NULL);
	struct notes *notes = notes_create(test);
	struct wpool *pool = hook_pool(test, 4, notes);

	/* one worker may pass the hook; the others wait in it */
	notes->gate = hook;
	wpk_gate_let(hook, 1);
	busy = wpk_held(test, pool, 1, 1);
	wpk_jobs_submit(test, pool, jobs, 0, 10);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(hook, 2));
	KUNIT_EXPECT_GE(test, wpk_stat(pool, workers), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->started), 0);
	wpk_gate_open(busy->gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 10));
	notes->gate = NULL;
	wpk_gate_open(hook);
	wpk_destroy(test, pool);
	expect_paired(test, notes, atomic_read(&notes->started));
}

static void wpool_hooks_one_of_them_is_enough(struct kunit *test)
{
	struct notes *notes = notes_create(test);
	struct wpk_jobs *jobs = wpk_jobs(test, 4, NULL);
	struct wpool *pool = hook_pool(test, 2, notes, attrs.worker_end = NULL);

	run_jobs(test, pool, 4);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_GE(test, atomic_read(&notes->started), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&notes->ended), 0);

	notes = notes_create(test);
	pool = hook_pool(test, 2, notes, attrs.worker_start = NULL);
	wpk_jobs_run(test, pool, jobs, 4);
	wpk_destroy(test, pool);
	KUNIT_EXPECT_GE(test, atomic_read(&notes->ended), 1);
	/* note_end() counts a worker without a pointer as wrong */
	KUNIT_EXPECT_EQ(test, atomic_read(&notes->wrong), atomic_read(&notes->ended));
}

/* ---- workers that a tune or a reboot makes ------------------------------------- */

/* A hook may take these locks of the pool and of CPU hotplug: no holder waits for a hook. */
static int look_around(struct wpool *pool, void *data, void **own)
{
	struct notes *notes = data;
	struct wpool *found;

	if (notes->gate)
		wpk_gate_pass(notes->gate);
	/* fail here rather than deadlock below */
	if (atomic_read(&notes->wrong) || !wpk_eventually(!mutex_is_locked(&pool->tune_mutex))) {
		atomic_inc(&notes->wrong);
		return 0;
	}
	cpus_read_lock();
	cpus_read_unlock();
	found = wpool_find(wpk_name_of(pool));
	if (found)
		wpool_put(found);
	atomic_inc(&notes->started);
	return 0;
}

static struct wpool *looking_pool(struct kunit *test, u32 capacity, struct notes *notes,
				  bool prealloc)
{
	return hook_pool(test, capacity, notes, attrs.worker_start = look_around,
			 attrs.worker_end = NULL, attrs.expiry_ms = 0, attrs.prealloc = prealloc);
}

static int tune_min_workers(struct wpool *pool, u32 nr)
{
	return wpk_tune_with(pool, WPOOL_TUNE_RECLAIM | WPOOL_TUNE_MIN_WORKERS,
			     attrs.reclaim = true, attrs.min_workers = nr);
}

static int do_tune(struct wpk_thread *thread)
{
	return tune_min_workers(thread->pool, (unsigned long)thread->arg);
}

static void wpool_hooks_start_may_look_at_the_pool_and_at_hotplug(struct kunit *test)
{
	struct notes *notes = notes_create(test);
	struct wpool *pool = looking_pool(test, 4, notes, false);

	/* the third worker is the reserve */
	KUNIT_EXPECT_EQ(test, tune_min_workers(pool, 2), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&notes->started), 3);
	KUNIT_EXPECT_EQ(test, tune_min_workers(pool, 3), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&notes->started), 4);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, MAX_SCHEDULE_TIMEOUT), 0);
	KUNIT_EXPECT_EQ(test, wpool_reboot(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&notes->started), 7);
	KUNIT_EXPECT_EQ(test, atomic_read(&notes->wrong), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 3);
}

/* The first call waits at the gate. */
static int fail_at_gate(struct wpool *pool, void *data, void **own)
{
	struct notes *notes = data;

	if (atomic_inc_return(&notes->failed) == 1)
		wpk_gate_pass(notes->gate);
	return -EBUSY;
}

/* A pool that gets neither a worker nor a rescuer does not keep other pools from growing. */
static void wpool_hooks_start_fails_for_the_reserve_other_pools_grow(struct kunit *test)
{
	struct wpk_jobs *busy, *job = wpk_jobs(test, 1, NULL);
	struct notes *notes = notes_create(test);
	struct wpool *other = wpk_pool(test, 2, 2);
	struct wpool *pool = hook_pool(test, 1, notes, attrs.min_workers = 0,
				       attrs.worker_start = fail_at_gate, attrs.worker_end = NULL);
	struct wpk_thread *tune;

	notes->gate = wpk_gate(test);
	busy = wpk_held(test, other, 2, 1);

	/* the tune's own worker stays in the hook, those of the spawner fail */
	tune = wpk_thread(test, do_tune, pool, NULL, (void *)0);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(notes->gate, 1));
	wpk_jobs_submit(test, pool, job, 0, 1);
	WPK_EVENTUALLY(test, atomic_read(&notes->failed) > 1);
	wpk_jobs_hold(test, other, busy, 1, 1);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, notes->gate, tune), -EBUSY);
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(&job->job[0].task), -ECANCELED);
}

/*
 * If a pool is destroyed while its tune waits for a hook, the tune returns -ESHUTDOWN, and the
 * destroy waits for the tune.
 */
static void wpool_hooks_start_destroyed_meanwhile_tune_is_eshutdown(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_thread *tune, *destroy;
	struct notes *notes = notes_create(test);
	struct wpool *pool = looking_pool(test, 4, notes, false);

	notes->gate = gate;
	tune = wpk_thread(test, do_tune, pool, NULL, (void *)3);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	wpk_forget(test, pool);
	destroy = wpk_thread(test, wpk_do_destroy, pool, NULL, NULL);
	WPK_EVENTUALLY(test, READ_ONCE(pool->state) == WPOOL_DESTROYED);
	KUNIT_EXPECT_FALSE(test, wpk_ended(destroy));
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, gate, tune), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, wpk_join(test, destroy), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 0);
}

static void wpool_hooks_start_released_meanwhile_reboot_ends(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_thread *reboot;
	struct notes *notes = notes_create(test);
	struct wpool *pool = looking_pool(test, 3, notes, true);

	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, MAX_SCHEDULE_TIMEOUT), 0);
	notes->gate = gate;
	reboot = wpk_thread(test, wpk_do_reboot, pool, NULL, NULL);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	KUNIT_EXPECT_EQ(test, wpool_release(pool, 0), 0);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, 0), -ETIME);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, gate, reboot), 0);
	KUNIT_EXPECT_EQ(test, wpool_release_timeout(pool, 0, MAX_SCHEDULE_TIMEOUT), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, spawned), 4);
	KUNIT_EXPECT_EQ(test, wpool_reboot(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, workers), 3);
	KUNIT_EXPECT_EQ(test, atomic_read(&notes->wrong), 0);
}

WPK_SUITE(hooks,
	  KUNIT_CASE(wpool_hooks_each_worker_calls_both_once),
	  KUNIT_CASE(wpool_hooks_a_task_inside_a_task_has_the_same_own),
	  KUNIT_CASE(wpool_hooks_prealloc_and_reserve_call_both_once),
	  KUNIT_CASE(wpool_hooks_expired_worker_calls_its_end),
	  KUNIT_CASE(wpool_hooks_start_fails_is_a_failed_spawn),
	  KUNIT_CASE(wpool_hooks_start_fails_create_returns_its_error),
	  KUNIT_CASE(wpool_hooks_start_fails_for_the_reserve_is_a_failed_spawn),
	  KUNIT_CASE(wpool_hooks_start_fails_for_the_reserve_other_pools_grow),
	  KUNIT_CASE(wpool_hooks_slow_start_does_not_hold_up_others),
	  KUNIT_CASE(wpool_hooks_one_of_them_is_enough),
	  KUNIT_CASE(wpool_hooks_start_may_look_at_the_pool_and_at_hotplug),
	  KUNIT_CASE(wpool_hooks_start_destroyed_meanwhile_tune_is_eshutdown),
	  KUNIT_CASE(wpool_hooks_start_released_meanwhile_reboot_ends));
