/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites share: pools, gates, jobs and threads.
 *
 * A case runs between wpk_init() and wpk_exit(). wpk_exit() opens every gate, destroys every
 * remaining pool and checks that it is empty, joins every thread, and then frees the memory. So a
 * case may stop anywhere, if its tasks touch only jobs, gates, and memory of KUnit.
 *
 * No case hangs. After WPK_CASE_LIMIT the thread of the case is killed: its killable sleeps return
 * -EINTR. Calls that sleep uninterruptibly are made in other threads. If such a thread does not
 * return, the case fails, and nothing is freed.
 *
 * No result depends on the speed of the machine: a wait for tasks does not time out while tasks
 * start or finish.
 */
#ifndef WPOOL_KUNIT_FIXTURE_H
#define WPOOL_KUNIT_FIXTURE_H

#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/wpool.h>
#include <linux/wpool_func.h>
#include <linux/wpool_stats.h>

/*
 * How long a case waits for something that must happen. A third of it, for which a case may keep a
 * CPU, is less than the kernel's limits for lockups.
 */
#define WPK_PATIENCE		(30 * HZ)
#define WPK_CASE_LIMIT		(8 * WPK_PATIENCE)	/* KUnit's own limit is 300 s */

/* A KASAN kernel needs some twenty times as long for a round: it makes a quarter of them. */
#define WPK_ROUNDS(n)		((n) / (IS_ENABLED(CONFIG_KASAN) ? 4 : 1))

/* Rounds of stress cases. */
#define WPK_RING_ITEMS		WPK_ROUNDS(20000U)	/* through a ring or a loop */
#define WPK_SPILL_TASKS		WPK_ROUNDS(10000U)	/* from one CPU, far beyond its ring */
#define WPK_WAKE_ROUNDS		WPK_ROUNDS(1500U)	/* single submits to idle workers */
#define WPK_LIFETIME_ROUNDS	WPK_ROUNDS(1000U)	/* allocate, submit, wait, free */
#define WPK_LIMIT_TASKS		WPK_ROUNDS(4000U)	/* per submitter, against a limit */
#define WPK_FUNC_ROUNDS		WPK_ROUNDS(10000U)	/* jobs of the simple pool */
#define WPK_BARGE_ROUNDS	8U	/* a newcomer against waiting submitters */
#define WPK_REBOOT_ROUNDS	8U	/* close and open under load */
#define WPK_EXPIRE_ROUNDS	60U	/* single submits while workers leave */
#define WPK_HOTPLUG_ROUNDS	4U	/* a CPU goes and comes back */

/* A gate at which tasks wait until the case lets them pass. */
struct wpk_gate {
	struct list_head node;
	struct completion way;	/* completed once for each task that may pass */
	atomic_t arrived;	/* number of tasks that have come to the gate */
	wait_queue_head_t wq;	/* threads that wait for @arrived */
};

/**
 * struct wpk_job - a task that records its runs
 * @task: the task
 * @jobs: the struct that it belongs to
 * @gate: gate at which the task waits first, or %NULL
 * @body: called after the gate, or %NULL
 * @last: called after @jobs->finished has counted the task, or %NULL
 * @arg: for @body
 * @ret: set by @body
 * @runs: number of starts
 * @inside: number of threads in the task now, at most one
 * @twice: the task was started while it ran
 * @seq: number of its last start among all starts of @jobs, from 1
 * @pid: pid of the thread that ran it last
 * @cpu: CPU of its last start
 * @nice: nice value of thread @pid
 * @policy: SCHED_* of thread @pid
 * @rt_priority: real-time priority of thread @pid
 */
struct wpk_job {
	struct wpool_task task;
	struct wpk_jobs *jobs;
	struct wpk_gate *gate;
	void (*body)(struct wpk_job *job);
	void (*last)(struct wpk_job *job);
	void *arg;
	int ret;
	atomic_t runs;
	atomic_t inside;
	bool twice;
	int seq;
	pid_t pid;
	int cpu;
	int nice;
	unsigned int policy;
	unsigned int rt_priority;
};

/**
 * struct wpk_jobs - jobs that are counted together
 * @node: in the case's list
 * @test: the case
 * @started: number of starts
 * @finished: number of ends
 * @running: number of jobs that are running
 * @peak: the largest value of @running
 * @wq: threads that wait for @started or @finished
 * @gate: gate at which the jobs wait, or %NULL; wpk_job.gate may be changed for single jobs
 * @tasks: pointers to the tasks of @job, as wpool_submit_batch() takes them
 * @nr: number of jobs
 * @job: the jobs
 */
struct wpk_jobs {
	struct list_head node;
	struct kunit *test;
	atomic_t started;
	atomic_t finished;
	atomic_t running;
	atomic_t peak;
	wait_queue_head_t wq;
	struct wpk_gate *gate;
	struct wpool_task **tasks;
	unsigned int nr;
	struct wpk_job job[] __counted_by(nr);
};

/* A thread beside that of the case, which calls @fn once; @pool, @work and @arg are for @fn. */
struct wpk_thread {
	struct list_head node;
	struct kunit *test;
	struct task_struct *task;
	int (*fn)(struct wpk_thread *thread);
	struct wpool *pool;
	struct wpool_task *work;
	void *arg;
	int ret;			/* what @fn returned */
	struct completion ready;	/* the thread can be killed */
	struct completion done;		/* @ret is valid */
};

int wpk_init(struct kunit *test);
void wpk_exit(struct kunit *test);

/* Memory of the case, which is 0. If there is none, the case fails at once. */
void *wpk_alloc(struct kunit *test, size_t size);

#define WPK_SUITE(suite, ...) WPK_SUITE_INIT(suite, wpk_init, __VA_ARGS__)

/* A suite with its own init function, which must end with wpk_init(). */
#define WPK_SUITE_INIT(suite, init_fn, ...)				\
	WPK_SUITE_INIT_EXIT(suite, init_fn, wpk_exit, __VA_ARGS__)

/* A suite with its own exit function, too, which must end with wpk_exit(). */
#define WPK_SUITE_INIT_EXIT(suite, init_fn, exit_fn, ...)		\
static struct kunit_case suite##_cases[] = { __VA_ARGS__, {} };	\
									\
static struct kunit_suite suite##_suite = {				\
	.name = "wpool_" #suite,					\
	.init = init_fn,						\
	.exit = exit_fn,						\
	.test_cases = suite##_cases,					\
};									\
kunit_test_suite(suite##_suite)

/* Attributes and pools. If a pool cannot be created, the case fails at once. */
void wpk_attrs(struct wpool_attrs *attrs, u32 capacity, u32 queue_depth);
struct wpool *wpk_pool(struct kunit *test, u32 capacity, u32 queue_depth);
struct wpool *wpk_pool_policy(struct kunit *test, u32 capacity, u32 queue_depth,
			      enum wpool_policy policy);
struct wpool *wpk_pool_attrs(struct kunit *test, struct wpool_attrs *attrs);
struct wpool *wpk_pool_func(struct kunit *test, struct wpool_attrs *attrs, wpool_arg_fn func);
/* A pool with other attributes: wpk_pool_with(test, 2, 10, attrs.nice = 4, attrs.latency = true) */
#define wpk_pool_with(test, nr_tasks, depth, ...)			\
({									\
	struct wpool_attrs attrs;					\
									\
	wpk_attrs(&attrs, nr_tasks, depth);				\
	(void)(__VA_ARGS__);						\
	wpk_pool_attrs(test, &attrs);					\
})
/* What wpool_create() returns for such attributes. The caller destroys the pool. */
#define wpk_create_with(test, nr_tasks, depth, ...)			\
({									\
	struct wpool_attrs attrs;					\
									\
	wpk_attrs(&attrs, nr_tasks, depth);				\
	attrs.name = wpk_name(test);					\
	(void)((void)0, ##__VA_ARGS__);					\
	wpool_create(&attrs);						\
})
/* A pool with a function: wpk_pool_func_with(test, 2, 10, wpk_count, attrs.nice = 4) */
#define wpk_pool_func_with(test, nr_tasks, depth, func, ...)		\
({									\
	struct wpool_attrs attrs;					\
									\
	wpk_attrs(&attrs, nr_tasks, depth);				\
	(void)(__VA_ARGS__);						\
	wpk_pool_func(test, &attrs, func);				\
})
/* A new name, which is valid until the case ends. */
const char *wpk_name(struct kunit *test);
/* Destroy a pool. The case keeps its own reference. */
void wpk_destroy(struct kunit *test, struct wpool *pool);
/* Open the gate of @jobs, if there is one, then wpk_destroy() and wpk_jobs_ran_once(). */
void wpk_finish(struct kunit *test, struct wpool *pool, struct wpk_jobs *jobs);
/*
 * Change attributes: wpk_tune_with(pool, WPOOL_TUNE_SCHED | WPOOL_TUNE_NICE, attrs.sched = 1,
 * attrs.nice = 4). The value is wpool_tune()'s.
 */
#define wpk_tune_with(pool, mask, ...)					\
({									\
	struct wpool_attrs attrs;					\
									\
	wpool_attrs_init(&attrs);					\
	(void)(__VA_ARGS__);						\
	wpool_tune(pool, &attrs, mask);					\
})
/* Change one attribute: wpk_tune(pool, CAPACITY, capacity, 3). */
#define wpk_tune(pool, NAME, name, value)				\
	wpk_tune_with(pool, WPOOL_TUNE_##NAME, attrs.name = value)
/* The case destroys @pool: wpk_exit() must not. */
void wpk_forget(struct kunit *test, struct wpool *pool);

/* The statistics of a pool. All calls share one buffer: only the thread of the case may call. */
const struct wpool_stats *wpk_snapshot(struct wpool *pool);
u64 wpk_stat_at(struct wpool *pool, size_t offset);
#define wpk_stat(pool, field)						\
	wpk_stat_at(pool, offsetof(struct wpool_stats, field))
/* The number of workers whose home is @cpu. Any thread may call this. */
u32 wpk_workers_at(struct wpool *pool, int cpu);
u32 wpk_capacity(struct wpool *pool);
/* The name of a pool, which is valid as long as the pool. */
const char *wpk_name_of(struct wpool *pool);

/* Call @pause until @condition holds; false if it does not in WPK_PATIENCE / @part. */
#define wpk_poll(part, condition, pause)				\
({									\
	unsigned long __end = jiffies + WPK_PATIENCE / (part);		\
	bool __ok;							\
									\
	while (!(__ok = (condition)) && time_before(jiffies, __end))	\
		pause;							\
	__ok;								\
})

/* Wait until @condition holds. */
#define wpk_eventually(condition)	wpk_poll(1, condition, usleep_range(100, 200))

/* Keep the CPU until @condition holds. */
#define wpk_spin(part, condition)	wpk_poll(part, condition, cpu_relax())

#define WPK_EVENTUALLY(test, condition)					\
	KUNIT_EXPECT_TRUE_MSG(test, wpk_eventually(condition),		\
			      "did not happen: " #condition)

#define WPK_ASSERT_EVENTUALLY(test, condition)				\
	KUNIT_ASSERT_TRUE_MSG(test, wpk_eventually(condition),		\
			      "did not happen: " #condition)

/* Try again and again until @condition has held @nr times in a row, which may take WPK_PATIENCE. */
#define WPK_IN_A_ROW(test, nr, condition)				\
do {									\
	unsigned long __end = jiffies + WPK_PATIENCE;			\
	int __row = 0, __nr = nr;					\
									\
	while (__row < __nr && time_before(jiffies, __end))		\
		__row = (condition) ? __row + 1 : 0;			\
	KUNIT_EXPECT_EQ_MSG(test, __row, __nr, "in a row: " #condition); \
} while (0)

struct wpk_gate *wpk_gate(struct kunit *test);
void wpk_gate_pass(struct wpk_gate *gate);
void wpk_gate_let(struct wpk_gate *gate, unsigned int nr);
void wpk_gate_open(struct wpk_gate *gate);
bool wpk_gate_arrived(struct wpk_gate *gate, int nr);

struct wpk_jobs *wpk_jobs(struct kunit *test, unsigned int nr, struct wpk_gate *gate);
/* Jobs with wpk_jobs_body(). */
struct wpk_jobs *wpk_jobs_of(struct kunit *test, unsigned int nr,
			     void (*body)(struct wpk_job *job), void *arg);
/* Jobs with a gate of their own. */
struct wpk_jobs *wpk_gated(struct kunit *test, unsigned int nr);
void wpk_jobs_body(struct wpk_jobs *jobs, void (*body)(struct wpk_job *job), void *arg);
void wpk_job_body(struct wpk_job *job, void (*body)(struct wpk_job *job), void *arg);
/* Wait until @nr jobs have started; false if no job started for WPK_PATIENCE. */
bool wpk_jobs_started(struct wpk_jobs *jobs, int nr);
bool wpk_jobs_finished(struct wpk_jobs *jobs, int nr);
/* Open the gate of @jobs, and expect that @nr jobs finish. */
void wpk_jobs_let(struct kunit *test, struct wpk_jobs *jobs, int nr);
/* Submit @nr jobs from @from on, which wait at one gate, and wait until all of them are there. */
void wpk_jobs_hold(struct kunit *test, struct wpool *pool, struct wpk_jobs *jobs,
		   unsigned int from, unsigned int nr);
/* @nr jobs with a gate, of which the first @held have arrived there. */
struct wpk_jobs *wpk_held(struct kunit *test, struct wpool *pool, unsigned int nr,
			  unsigned int held);
/* Expect that each job ran once, and none in two threads at once. */
void wpk_jobs_ran_once(struct kunit *test, struct wpk_jobs *jobs);
/* Submit @nr jobs from @from on; all must be accepted. */
void wpk_jobs_submit(struct kunit *test, struct wpool *pool,
		     struct wpk_jobs *jobs, unsigned int from, unsigned int nr);
/* Submit the first @nr jobs, and expect that as many finish. */
void wpk_jobs_run(struct kunit *test, struct wpool *pool, struct wpk_jobs *jobs, unsigned int nr);
/* Submit job @i, the next one: wait until @i + 1 jobs have finished. */
void wpk_jobs_next(struct kunit *test, struct wpool *pool, struct wpk_jobs *jobs, unsigned int i);
/* Expect that wpool_task_wait() returns @status for each of @nr jobs from @from on. */
void wpk_jobs_end(struct kunit *test, struct wpk_jobs *jobs, unsigned int from, unsigned int nr,
		  int status);
/* Submit a task, and expect that wpool_task_wait() returns 0. */
void wpk_task_run(struct kunit *test, struct wpool *pool, struct wpool_task *task);
void wpk_job_run(struct kunit *test, struct wpool *pool, struct wpk_job *job);
/*
 * Submit the first @nr jobs. Job 0 waits at a gate in a worker until the others are queued. The
 * others may start in any order, since this thread may change its CPU between two submits.
 */
void wpk_jobs_begin_with_first(struct kunit *test, struct wpool *pool,
			       struct wpk_jobs *jobs, unsigned int nr);
void wpk_job_fn(struct wpool_task *task);

#define wpk_job_of(t) container_of(t, struct wpk_job, task)

/*
 * Bodies of jobs, with the result in job->ret. The first two submit the job behind @job, if any, to
 * the pool that runs @job; the second and the third wait for a task: that job, or the task
 * @job->arg.
 */
void wpk_submit_next(struct wpk_job *job);
void wpk_run_next(struct wpk_job *job);
void wpk_wait_for_arg(struct wpk_job *job);
void wpk_sleep_a_little(struct wpk_job *job);
/* A body that submits its job again, until the case is stopped. */
void wpk_submit_itself(struct wpk_job *job);

/* Start a thread; its struct lives until the case ends, so that the result can be read. */
struct wpk_thread *wpk_thread(struct kunit *test, int (*fn)(struct wpk_thread *thread),
			      struct wpool *pool, struct wpool_task *work, void *arg);
/* Start a thread, and wait until it is in a killable sleep. */
struct wpk_thread *wpk_sleeper(struct kunit *test, int (*fn)(struct wpk_thread *thread),
			       struct wpool *pool, struct wpool_task *work, void *arg);
/* Start a thread, and wait until it is in the only sleep of its function, as wpk_waits(). */
struct wpk_thread *wpk_waiter(struct kunit *test, int (*fn)(struct wpk_thread *thread),
			      struct wpool *pool, struct wpool_task *work, void *arg);
/* Wait until the thread ends, and return its result. If it does not end, fail with -EBUSY. */
int wpk_join(struct kunit *test, struct wpk_thread *thread);
/* Open the gate, then wpk_join(). */
int wpk_open_and_join(struct kunit *test, struct wpk_gate *gate, struct wpk_thread *thread);
/* Expect that the thread waits until the gate is opened, and returns 0. */
void wpk_waits_for(struct kunit *test, struct wpk_thread *thread, struct wpk_gate *gate);
/* Wait until all threads end, and expect that each returns 0. */
void wpk_join_all(struct kunit *test, struct wpk_thread *const *threads, unsigned int nr);
bool wpk_ended(struct wpk_thread *thread);
/*
 * Wait for @done. Returns false if, for WPK_PATIENCE, no job of any case has started, and @thread,
 * if given, has not run.
 */
bool wpk_patiently(struct completion *done, struct task_struct *thread);
/* Wait until the thread is in a killable sleep. */
bool wpk_sleeps(struct wpk_thread *thread);
/*
 * True if the thread is in the only sleep of its function, and neither another thread nor a signal
 * has woken it: a wake-up changes its state at once.
 */
bool wpk_still_waits(struct wpk_thread *thread);
/* Wait until the thread is in the only sleep of its function, which nothing ends early. */
bool wpk_waits(struct wpk_thread *thread);
void wpk_kill(struct wpk_thread *thread);
/* Loops of threads and tasks end when this returns true. */
bool wpk_stopped(struct kunit *test);
void wpk_stop(struct kunit *test);
/*
 * True if the case is not stopped, and half of WPK_CASE_LIMIT is left. A loop that only looks for a
 * rare interleaving may end when this is false.
 */
bool wpk_has_time(struct kunit *test);

/* Functions for wpk_thread(), each with the name of the call that it makes. */
int wpk_do_submit(struct wpk_thread *thread);
int wpk_do_wait(struct wpk_thread *thread);
int wpk_do_cancel_sync(struct wpk_thread *thread);
int wpk_do_flush(struct wpk_thread *thread);
int wpk_do_destroy(struct wpk_thread *thread);
int wpk_do_reboot(struct wpk_thread *thread);
/* Submit the jobs @arg in order, until the case is stopped. */
int wpk_do_submit_jobs(struct wpk_thread *thread);
/* Submit the jobs @arg as a batch. */
int wpk_do_submit_batch(struct wpk_thread *thread);
/* Take the CPU @arg offline. */
int wpk_do_remove_cpu(struct wpk_thread *thread);
/* The last CPU that is online, for a case that takes it offline. It is online again at the end. */
int wpk_victim_cpu(struct kunit *test);
/* Functions for wpool_submit_fn(): count the argument, an atomic_t; wait at it; do nothing. */
void wpk_count(void *arg);
void wpk_pass_gate(void *gate);
void wpk_do_nothing(void *unused);
/* The function of a task: do nothing. */
void wpk_empty(struct wpool_task *task);

/*
 * Call @fn in an interrupt or a softirq of this CPU, and wait for its end. @fn must not sleep. On
 * PREEMPT_RT, wpk_in_irq() calls @fn in a thread, and in wpk_in_hardirq() @fn cannot allocate.
 */
void wpk_in_hardirq(void (*fn)(void *arg), void *arg);
void wpk_in_irq(void (*fn)(void *arg), void *arg);
void wpk_in_softirq(void (*fn)(void *arg), void *arg);
/* Call wpool_try_submit() in @context, one of the three functions above. Returns its result. */
typedef void (*wpk_context)(void (*fn)(void *arg), void *arg);
int wpk_try_in(wpk_context context, struct wpool *pool, struct wpool_task *task);

/* The number of lines in the kernel's log that have @name, a colon, and then @text. */
unsigned int wpk_lines_about(const char *name, const char *text);

/* Let this thread run on @cpu only; -1: on all CPUs. */
void wpk_move_to(int cpu);
/* The n-th CPU that is online, or -1. */
int wpk_cpu(unsigned int n);
/* Skip the case unless @condition holds. */
#define wpk_need(test, condition, ...)					\
do {									\
	if (!(condition))						\
		kunit_skip(test, __VA_ARGS__);				\
} while (0)
/* Skip the case unless @nr CPUs are online. */
void wpk_need_cpus(struct kunit *test, unsigned int nr);
/* Skip the case on PREEMPT_RT, where a thread that keeps its CPU holds up everything else. */
void wpk_need_to_keep_cpu(struct kunit *test);

/* The generator name##_gen_params of a case with the numbers of @array as its parameters. */
#define WPK_PARAM(name, array, format)					\
static void name##_desc(typeof((array)[0]) const *param, char *desc)	\
{									\
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, format, *param);		\
}									\
									\
KUNIT_ARRAY_PARAM(name, array, name##_desc)

/* A case that runs with false and with true: the parameter is wpk_is_on(test). */
#define WPK_PARAM_BOOL(name, format)					\
static const bool name##_off_and_on[] = { false, true };		\
									\
WPK_PARAM(name, name##_off_and_on, format)

static inline bool wpk_is_on(struct kunit *test)
{
	return *(const bool *)test->param_value;
}

#endif /* WPOOL_KUNIT_FIXTURE_H */
