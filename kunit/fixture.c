// SPDX-License-Identifier: GPL-2.0
/*
 * What the suites share, see fixture.h. The order in wpk_exit() matters. If all gates are open,
 * every task ends. If all pools are destroyed, no submitter waits, and every thread ends.
 */
#include <linux/kmsg_dump.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/wpool_stats.h>

#include "../module/compat.h"
#include "fixture.h"

struct case_pool {
	struct list_head node;
	struct wpool *pool;	/* the case holds a reference */
	bool created;		/* wpk_exit() must destroy the pool */
};

struct wpk {
	struct kunit *test;
	struct list_head pools;
	struct list_head gates;
	struct list_head jobs;
	struct list_head threads;
	struct task_struct *runner;
	struct timer_list limit;
	unsigned long half;	/* jiffies when half of WPK_CASE_LIMIT is over */
	bool killed;
	bool stop;
	bool lost;		/* something still runs: free nothing */
};

static atomic_t nr_names;
static atomic_t nr_starts;	/* starts of all jobs of all cases */

static struct wpk *wpk_of(struct kunit *test)
{
	return test->priv;
}

void *wpk_alloc(struct kunit *test, size_t size)
{
	void *memory = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	return memory;
}

/* ---- threads -------------------------------------------------------------- */

static int thread_main(void *data)
{
	struct wpk_thread *thread = data;

	allow_signal(SIGKILL);
	allow_signal(SIGUSR1);
	complete(&thread->ready);
	thread->ret = thread->fn(thread);
	flush_signals(current);
	complete(&thread->done);

	/* kthread_stop() must find the thread alive */
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

struct wpk_thread *wpk_thread(struct kunit *test, int (*fn)(struct wpk_thread *thread),
			      struct wpool *pool, struct wpool_task *work, void *arg)
{
	struct wpk_thread *thread = kzalloc(sizeof(*thread), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, thread);
	thread->test = test;
	thread->fn = fn;
	thread->pool = pool;
	thread->work = work;
	thread->arg = arg;
	init_completion(&thread->ready);
	init_completion(&thread->done);
	thread->task = kthread_run(thread_main, thread, "wpk");
	if (IS_ERR(thread->task)) {
		kfree(thread);
		KUNIT_FAIL_AND_ABORT(test, "no thread");
	}
	list_add_tail(&thread->node, &wpk_of(test)->threads);
	wait_for_completion(&thread->ready);
	return thread;
}

struct wpk_thread *wpk_sleeper(struct kunit *test, int (*fn)(struct wpk_thread *thread),
			       struct wpool *pool, struct wpool_task *work, void *arg)
{
	struct wpk_thread *thread = wpk_thread(test, fn, pool, work, arg);

	KUNIT_ASSERT_TRUE(test, wpk_sleeps(thread));
	return thread;
}

struct wpk_thread *wpk_waiter(struct kunit *test, int (*fn)(struct wpk_thread *thread),
			      struct wpool *pool, struct wpool_task *work, void *arg)
{
	struct wpk_thread *thread = wpk_thread(test, fn, pool, work, arg);

	KUNIT_ASSERT_TRUE(test, wpk_waits(thread));
	return thread;
}

int wpk_join(struct kunit *test, struct wpk_thread *thread)
{
	if (!thread->task)
		return thread->ret;
	if (!wpk_patiently(&thread->done, thread->task)) {
		KUNIT_FAIL(test, "a thread in %ps does not come back", thread->fn);
		return -EBUSY;
	}
	kthread_stop(thread->task);
	thread->task = NULL;
	return thread->ret;
}

int wpk_open_and_join(struct kunit *test, struct wpk_gate *gate, struct wpk_thread *thread)
{
	wpk_gate_open(gate);
	return wpk_join(test, thread);
}

void wpk_waits_for(struct kunit *test, struct wpk_thread *thread, struct wpk_gate *gate)
{
	KUNIT_EXPECT_FALSE(test, wpk_ended(thread));
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, gate, thread), 0);
}

void wpk_join_all(struct kunit *test, struct wpk_thread *const *threads, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ_MSG(test, wpk_join(test, threads[i]), 0, "thread %u", i);
}

bool wpk_ended(struct wpk_thread *thread)
{
	return !thread->task || completion_done(&thread->done);
}

bool wpk_sleeps(struct wpk_thread *thread)
{
	return wpk_eventually(READ_ONCE(thread->task->__state) & TASK_WAKEKILL);
}

bool wpk_still_waits(struct wpk_thread *thread)
{
	unsigned int state = READ_ONCE(thread->task->__state);

	/* after its function the thread is TASK_IDLE, which has both bits */
	return (state & (TASK_UNINTERRUPTIBLE | TASK_NOLOAD)) == TASK_UNINTERRUPTIBLE &&
	       !wpk_ended(thread);
}

bool wpk_waits(struct wpk_thread *thread)
{
	return wpk_eventually(wpk_still_waits(thread) || wpk_ended(thread)) && !wpk_ended(thread);
}

void wpk_kill(struct wpk_thread *thread)
{
	send_sig(SIGKILL, thread->task, 1);
}

int wpk_do_submit(struct wpk_thread *thread)
{
	return wpool_submit(thread->pool, thread->work);
}

int wpk_do_wait(struct wpk_thread *thread)
{
	return wpool_task_wait(thread->work);
}

int wpk_do_cancel_sync(struct wpk_thread *thread)
{
	return wpool_task_cancel_sync(thread->work);
}

int wpk_do_flush(struct wpk_thread *thread)
{
	return wpool_flush(thread->pool);
}

int wpk_do_destroy(struct wpk_thread *thread)
{
	return wpool_destroy(thread->pool);
}

int wpk_do_reboot(struct wpk_thread *thread)
{
	return wpool_reboot(thread->pool);
}

int wpk_do_submit_jobs(struct wpk_thread *thread)
{
	struct wpk_jobs *jobs = thread->arg;
	unsigned int i;
	int ret;

	for (i = 0; i < jobs->nr && !wpk_stopped(thread->test); i++) {
		ret = wpool_submit(thread->pool, &jobs->job[i].task);
		if (ret)
			return ret;
	}
	return 0;
}

int wpk_do_submit_batch(struct wpk_thread *thread)
{
	struct wpk_jobs *jobs = thread->arg;

	return wpool_submit_batch(thread->pool, jobs->tasks, jobs->nr, 0);
}

/* ---- pools ---------------------------------------------------------------- */

const char *wpk_name(struct kunit *test)
{
	char *name = wpk_alloc(test, WPOOL_NAME_LEN);

	snprintf(name, WPOOL_NAME_LEN, "kunit-%d", atomic_inc_return(&nr_names));
	return name;
}

void wpk_attrs(struct wpool_attrs *attrs, u32 capacity, u32 queue_depth)
{
	wpool_attrs_init(attrs);
	attrs->capacity = capacity;
	attrs->queue_depth = queue_depth;
	/* no worker expires while a case counts workers, however slow the machine is */
	attrs->expiry_ms = 60 * MSEC_PER_SEC;
}

static struct wpool *add_pool(struct kunit *test, struct wpool *pool)
{
	struct case_pool *entry;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pool);
	entry = kzalloc(sizeof(*entry), GFP_KERNEL | __GFP_NOFAIL);
	entry->pool = wpool_get(pool);
	entry->created = true;
	list_add_tail(&entry->node, &wpk_of(test)->pools);
	return pool;
}

struct wpool *wpk_pool_attrs(struct kunit *test, struct wpool_attrs *attrs)
{
	if (!attrs->name)
		attrs->name = wpk_name(test);
	return add_pool(test, wpool_create(attrs));
}

struct wpool *wpk_pool_func(struct kunit *test, struct wpool_attrs *attrs, wpool_arg_fn func)
{
	if (!attrs->name)
		attrs->name = wpk_name(test);
	return add_pool(test, wpool_create_func(attrs, func));
}

struct wpool *wpk_pool_policy(struct kunit *test, u32 capacity, u32 queue_depth,
			      enum wpool_policy policy)
{
	struct wpool_attrs attrs;

	wpk_attrs(&attrs, capacity, queue_depth);
	attrs.policy = policy;
	return wpk_pool_attrs(test, &attrs);
}

struct wpool *wpk_pool(struct kunit *test, u32 capacity, u32 queue_depth)
{
	return wpk_pool_policy(test, capacity, queue_depth, WPOOL_BLOCK);
}

void wpk_forget(struct kunit *test, struct wpool *pool)
{
	struct case_pool *entry;

	list_for_each_entry(entry, &wpk_of(test)->pools, node)
		if (entry->pool == pool)
			entry->created = false;
}

const struct wpool_stats *wpk_snapshot(struct wpool *pool)
{
	static struct wpool_stats snapshot;

	wpool_get_stats(pool, &snapshot);
	return &snapshot;
}

u64 wpk_stat_at(struct wpool *pool, size_t offset)
{
	const void *figure = (const char *)wpk_snapshot(pool) + offset;

	/* The struct has figures of 32 bits first, then figures of 64 bits. */
	if (offset < offsetof(struct wpool_stats, outstanding))
		return *(const u32 *)figure;
	return *(const u64 *)figure;
}

u32 wpk_capacity(struct wpool *pool)
{
	struct wpool_attrs attrs;

	wpool_get_attrs(pool, &attrs, NULL);
	return attrs.capacity;
}

const char *wpk_name_of(struct wpool *pool)
{
	struct wpool_attrs attrs;

	wpool_get_attrs(pool, &attrs, NULL);
	return attrs.name;
}

u32 wpk_workers_at(struct wpool *pool, int cpu)
{
	struct wpool_cpu_stats stats;

	wpool_get_cpu_stats(pool, cpu, &stats);
	return stats.workers;
}

/* Expect that a destroyed pool is empty, and that each accepted task has ended in one way. */
static void expect_ended(struct kunit *test, struct wpool *pool)
{
	const struct wpool_stats *stats = wpk_snapshot(pool);

	KUNIT_EXPECT_EQ(test, (int)stats->state, WPOOL_DESTROYED);
	KUNIT_EXPECT_EQ(test, stats->outstanding, 0);
	KUNIT_EXPECT_EQ(test, stats->workers, 0);
	KUNIT_EXPECT_EQ(test, stats->waiting, 0);
	KUNIT_EXPECT_EQ(test, stats->queued, 0);
	KUNIT_EXPECT_EQ(test, stats->submitted,
			stats->completed + stats->failed + stats->cancelled + stats->overdue);
}

void wpk_destroy(struct kunit *test, struct wpool *pool)
{
	struct wpk_thread *thread;
	int ret;

	wpk_forget(test, pool);
	thread = wpk_thread(test, wpk_do_destroy, pool, NULL, NULL);
	ret = wpk_join(test, thread);
	KUNIT_EXPECT_EQ(test, ret, 0);
	if (!ret)
		expect_ended(test, pool);
}

void wpk_finish(struct kunit *test, struct wpool *pool, struct wpk_jobs *jobs)
{
	if (jobs->gate)
		wpk_gate_open(jobs->gate);
	wpk_destroy(test, pool);
	wpk_jobs_ran_once(test, jobs);
}

/* ---- gates ---------------------------------------------------------------- */

struct wpk_gate *wpk_gate(struct kunit *test)
{
	struct wpk_gate *gate = kzalloc(sizeof(*gate), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, gate);
	init_completion(&gate->way);
	init_waitqueue_head(&gate->wq);
	list_add_tail(&gate->node, &wpk_of(test)->gates);
	return gate;
}

void wpk_gate_pass(struct wpk_gate *gate)
{
	atomic_inc(&gate->arrived);
	wake_up_all(&gate->wq);
	wait_for_completion_timeout(&gate->way, WPK_CASE_LIMIT);
}

void wpk_gate_let(struct wpk_gate *gate, unsigned int nr)
{
	while (nr--)
		complete(&gate->way);
}

void wpk_gate_open(struct wpk_gate *gate)
{
	complete_all(&gate->way);
}

bool wpk_gate_arrived(struct wpk_gate *gate, int nr)
{
	return wait_event_timeout(gate->wq, atomic_read(&gate->arrived) >= nr, WPK_PATIENCE);
}

/* ---- jobs ----------------------------------------------------------------- */

void wpk_job_fn(struct wpool_task *task)
{
	struct wpk_job *job = wpk_job_of(task);
	struct wpk_jobs *jobs = job->jobs;
	int running, peak;

	if (atomic_inc_return(&job->inside) != 1)
		job->twice = true;
	atomic_inc(&job->runs);
	atomic_inc(&nr_starts);
	job->pid = current->pid;
	job->cpu = raw_smp_processor_id();
	job->nice = task_nice(current);
	job->policy = current->policy;
	job->rt_priority = current->rt_priority;
	running = atomic_inc_return(&jobs->running);
	peak = atomic_read(&jobs->peak);
	while (running > peak && !atomic_try_cmpxchg(&jobs->peak, &peak, running))
		;
	job->seq = atomic_inc_return(&jobs->started);
	wake_up_all(&jobs->wq);

	if (job->gate)
		wpk_gate_pass(job->gate);
	if (job->body)
		job->body(job);

	atomic_dec(&jobs->running);
	atomic_dec(&job->inside);
	atomic_inc(&jobs->finished);
	wake_up_all(&jobs->wq);
	/* @last may leave preemption or interrupts off, so nothing may sleep afterwards */
	if (job->last)
		job->last(job);
}

static bool is_last(const struct wpk_job *job)
{
	return job == &job->jobs->job[job->jobs->nr - 1];
}

void wpk_submit_next(struct wpk_job *job)
{
	if (!is_last(job))
		job->ret = wpool_submit(job->task.pool, &job[1].task);
}

void wpk_run_next(struct wpk_job *job)
{
	wpk_submit_next(job);
	if (!is_last(job))
		job->ret = job->ret ?: wpool_task_wait(&job[1].task);
}

void wpk_sleep_a_little(struct wpk_job *job)
{
	usleep_range(50, 200);
}

void wpk_submit_itself(struct wpk_job *job)
{
	if (!wpk_stopped(job->jobs->test))
		job->ret = wpool_submit(job->task.pool, &job->task) ?: job->ret;
}

void wpk_wait_for_arg(struct wpk_job *job)
{
	job->ret = wpool_task_wait(job->arg);
}

struct wpk_jobs *wpk_jobs(struct kunit *test, unsigned int nr, struct wpk_gate *gate)
{
	struct wpk_jobs *jobs;
	unsigned int i;

	jobs = kvzalloc(struct_size(jobs, job, nr) + nr * sizeof(*jobs->tasks), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, jobs);
	jobs->test = test;
	jobs->gate = gate;
	jobs->nr = nr;
	jobs->tasks = (void *)jobs + struct_size(jobs, job, nr);
	init_waitqueue_head(&jobs->wq);
	for (i = 0; i < nr; i++) {
		jobs->job[i].jobs = jobs;
		jobs->job[i].gate = gate;
		jobs->tasks[i] = &jobs->job[i].task;
		wpool_task_init(jobs->tasks[i], wpk_job_fn);
	}
	list_add_tail(&jobs->node, &wpk_of(test)->jobs);
	return jobs;
}

struct wpk_jobs *wpk_gated(struct kunit *test, unsigned int nr)
{
	return wpk_jobs(test, nr, wpk_gate(test));
}

void wpk_job_body(struct wpk_job *job, void (*body)(struct wpk_job *job), void *arg)
{
	job->body = body;
	job->arg = arg;
}

void wpk_jobs_body(struct wpk_jobs *jobs, void (*body)(struct wpk_job *job), void *arg)
{
	unsigned int i;

	for (i = 0; i < jobs->nr; i++)
		wpk_job_body(&jobs->job[i], body, arg);
}

struct wpk_jobs *wpk_jobs_of(struct kunit *test, unsigned int nr,
			     void (*body)(struct wpk_job *job), void *arg)
{
	struct wpk_jobs *jobs = wpk_jobs(test, nr, NULL);

	wpk_jobs_body(jobs, body, arg);
	return jobs;
}

/* Wait until @count is at least @nr; false if @count does not change for WPK_PATIENCE. */
static bool wait_for_count(struct wpk_jobs *jobs, atomic_t *count, int nr)
{
	int before;

	do {
		before = atomic_read(count);
		if (wait_event_timeout(jobs->wq, atomic_read(count) >= nr, WPK_PATIENCE))
			return true;
	} while (atomic_read(count) != before);
	return false;
}

bool wpk_jobs_started(struct wpk_jobs *jobs, int nr)
{
	return wait_for_count(jobs, &jobs->started, nr);
}

bool wpk_jobs_finished(struct wpk_jobs *jobs, int nr)
{
	return wait_for_count(jobs, &jobs->finished, nr);
}

void wpk_jobs_let(struct kunit *test, struct wpk_jobs *jobs, int nr)
{
	wpk_gate_open(jobs->gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, nr));
}

/* Returns a number that changes when a job starts or @thread runs. */
static unsigned long progress(struct task_struct *thread)
{
	unsigned long nr = atomic_read(&nr_starts);

	return thread ? nr + READ_ONCE(thread->nvcsw) + READ_ONCE(thread->nivcsw) : nr;
}

bool wpk_patiently(struct completion *done, struct task_struct *thread)
{
	unsigned long before;

	do {
		before = progress(thread);
		if (wait_for_completion_timeout(done, WPK_PATIENCE))
			return true;
	} while (progress(thread) != before);
	return false;
}

void wpk_jobs_ran_once(struct kunit *test, struct wpk_jobs *jobs)
{
	unsigned int i, bad = 0;

	for (i = 0; i < jobs->nr; i++)
		if (atomic_read(&jobs->job[i].runs) != 1 || jobs->job[i].twice)
			bad++;
	KUNIT_EXPECT_EQ_MSG(test, bad, 0, "of %u jobs", jobs->nr);
}

void wpk_jobs_submit(struct kunit *test, struct wpool *pool,
		     struct wpk_jobs *jobs, unsigned int from, unsigned int nr)
{
	unsigned int i;

	for (i = from; i < from + nr; i++)
		KUNIT_ASSERT_EQ(test, wpool_submit(pool, &jobs->job[i].task), 0);
}

void wpk_jobs_run(struct kunit *test, struct wpool *pool, struct wpk_jobs *jobs, unsigned int nr)
{
	wpk_jobs_submit(test, pool, jobs, 0, nr);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs, nr));
}

void wpk_jobs_next(struct kunit *test, struct wpool *pool, struct wpk_jobs *jobs, unsigned int i)
{
	wpk_jobs_submit(test, pool, jobs, i, 1);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_finished(jobs, i + 1));
}

void wpk_jobs_end(struct kunit *test, struct wpk_jobs *jobs, unsigned int from, unsigned int nr,
		  int status)
{
	unsigned int i;

	for (i = from; i < from + nr; i++)
		KUNIT_ASSERT_EQ_MSG(test, wpool_task_wait(&jobs->job[i].task), status, "job %u", i);
}

void wpk_task_run(struct kunit *test, struct wpool *pool, struct wpool_task *task)
{
	KUNIT_ASSERT_EQ(test, wpool_submit(pool, task), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(task), 0);
}

void wpk_job_run(struct kunit *test, struct wpool *pool, struct wpk_job *job)
{
	wpk_task_run(test, pool, &job->task);
}

void wpk_jobs_hold(struct kunit *test, struct wpool *pool, struct wpk_jobs *jobs,
		   unsigned int from, unsigned int nr)
{
	struct wpk_gate *gate = jobs->job[from].gate;
	int arrived = atomic_read(&gate->arrived);

	wpk_jobs_submit(test, pool, jobs, from, nr);
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, arrived + nr));
}

struct wpk_jobs *wpk_held(struct kunit *test, struct wpool *pool, unsigned int nr,
			  unsigned int held)
{
	struct wpk_jobs *jobs = wpk_gated(test, nr);

	wpk_jobs_hold(test, pool, jobs, 0, held);
	return jobs;
}

void wpk_jobs_begin_with_first(struct kunit *test, struct wpool *pool,
			       struct wpk_jobs *jobs, unsigned int nr)
{
	struct wpk_gate *gate = wpk_gate(test);

	jobs->job[0].gate = gate;
	wpk_jobs_hold(test, pool, jobs, 0, 1);
	wpk_jobs_submit(test, pool, jobs, 1, nr - 1);
	wpk_gate_open(gate);
}

/* ---- start and end of a case ---------------------------------------------- */

bool wpk_stopped(struct kunit *test)
{
	/* a loop that calls this must not keep its CPU on a kernel without preemption */
	cond_resched();
	return READ_ONCE(wpk_of(test)->stop);
}

void wpk_stop(struct kunit *test)
{
	WRITE_ONCE(wpk_of(test)->stop, true);
}

bool wpk_has_time(struct kunit *test)
{
	return !wpk_stopped(test) && time_before(jiffies, wpk_of(test)->half);
}

static void limit_fn(struct timer_list *timer)
{
	struct wpk *wpk = timer_container_of(wpk, timer, limit);

	WRITE_ONCE(wpk->killed, true);
	WRITE_ONCE(wpk->stop, true);
	send_sig(SIGKILL, wpk->runner, 1);
}

int wpk_init(struct kunit *test)
{
	struct wpk *wpk = kzalloc(sizeof(*wpk), GFP_KERNEL);

	if (!wpk)
		return -ENOMEM;
	wpk->test = test;
	INIT_LIST_HEAD(&wpk->pools);
	INIT_LIST_HEAD(&wpk->gates);
	INIT_LIST_HEAD(&wpk->jobs);
	INIT_LIST_HEAD(&wpk->threads);
	test->priv = wpk;
	/* let limit_fn() kill this thread; KUnit starts another one for the next case */
	allow_signal(SIGKILL);
	wpk->runner = get_task_struct(current);
	timer_setup(&wpk->limit, limit_fn, 0);
	wpk->half = jiffies + WPK_CASE_LIMIT / 2;
	mod_timer(&wpk->limit, jiffies + WPK_CASE_LIMIT);
	return 0;
}

static void free_all(struct wpk *wpk)
{
	struct case_pool *entry, *next_entry;
	struct wpk_gate *gate, *next_gate;
	struct wpk_jobs *jobs, *next_jobs;
	struct wpk_thread *thread, *next_thread;

	list_for_each_entry_safe(entry, next_entry, &wpk->pools, node) {
		wpool_put(entry->pool);
		kfree(entry);
	}
	list_for_each_entry_safe(thread, next_thread, &wpk->threads, node)
		kfree(thread);
	list_for_each_entry_safe(jobs, next_jobs, &wpk->jobs, node)
		kvfree(jobs);
	list_for_each_entry_safe(gate, next_gate, &wpk->gates, node)
		kfree(gate);
	kfree(wpk);
}

void wpk_exit(struct kunit *test)
{
	struct wpk *wpk = wpk_of(test);
	struct case_pool *entry;
	struct wpk_gate *gate;
	struct wpk_thread *thread;

	if (!wpk)
		return;
	timer_delete_sync(&wpk->limit);
	put_task_struct(wpk->runner);
	if (wpk->killed)
		KUNIT_FAIL(test, "stuck: killed after %d s", WPK_CASE_LIMIT / HZ);
	wpk_stop(test);
	list_for_each_entry(gate, &wpk->gates, node)
		wpk_gate_open(gate);
	list_for_each_entry(entry, &wpk->pools, node)
		if (entry->created)
			wpk_destroy(test, entry->pool);
	list_for_each_entry(thread, &wpk->threads, node) {
		wpk_join(test, thread);
		if (thread->task)
			wpk->lost = true;
	}
	if (wpk->lost) {
		/* keep the memory and the text that a thread or task still uses */
		__module_get(THIS_MODULE);
		return;
	}
	free_all(wpk);
	test->priv = NULL;
}

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit suites of wpool");

unsigned int wpk_lines_about(const char *name, const char *text)
{
	struct kmsg_dump_iter iter;
	unsigned int nr = 0;
	char *line, *at, what[WPOOL_NAME_LEN + 2];
	size_t len;

	line = kmalloc(1024, GFP_KERNEL);
	if (!line)
		return UINT_MAX;
	snprintf(what, sizeof(what), "%s:", name);
	kmsg_dump_rewind(&iter);
	while (kmsg_dump_get_line(&iter, false, line, 1023, &len)) {
		line[len] = '\0';
		at = strstr(line, what);
		nr += at && strstr(at, text);
	}
	kfree(line);
	return nr;
}
