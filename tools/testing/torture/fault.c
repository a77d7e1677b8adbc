// SPDX-License-Identifier: GPL-2.0
/*
 * Phase fault: tasks die, and many others in the pool must not notice.
 *
 * One thread submits tasks that die: joinable and detached tasks, batches, and functions. It waits
 * for all consequences of a death before the next one. Meanwhile producers keep the pool full of
 * good tasks and wait for room, and one thread flushes all the time. Each death must be noticed:
 * the task has failed, the fault handler got the right report, no thread sleeps forever. In the end
 * exactly CAPACITY tasks must run at the same time.
 */
#include <linux/bug.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/wpool_stats.h>

#include "torture.h"

#define CAPACITY	6
#define QUEUE_DEPTH	26
#define NR_GOOD		16
#define NR_PRODUCERS	3	/* together they submit more tasks than fit */

enum death {
	BY_NULL,
	BY_BUG,
	BY_LIST,
	NR_DEATHS,
};

enum kind {
	JOINABLE,
	DETACHED,
	IN_BATCH,
	BY_FN,
	NR_KINDS,
};

struct bad {
	struct wpool_task task;
	enum death death;
	int cpu;
	bool started;
	struct completion aborted;
	int status;
};

struct good {
	struct wpool_task task;
	u32 runs;
};

struct producer {
	struct task_struct *thread;
	struct completion ended;
	u64 done;
	struct good goods[NR_GOOD];
};

/* The last report to the fault handler. */
static struct {
	struct completion told;
	struct wpool_fault fault;
	char pool[WPOOL_NAME_LEN];
	u32 nr;
} report;

static struct wpool *pool;
static atomic64_t nr_good;
static atomic64_t nr_flushes;
static bool no_more;

/* BUG() on purpose, under a name that checkpatch accepts. */
#define ON_PURPOSE	BUG

/* Corrupt a list: with CONFIG_BUG_ON_DATA_CORRUPTION the thread dies. */
static void corrupt_list(void)
{
	LIST_HEAD(list);
	struct list_head node;

	list_add(&node, &list);
	list_add(&node, &list);
}

static void die(enum death death)
{
	switch (death) {
	case BY_BUG:
		ON_PURPOSE();
		break;
	case BY_LIST:
		if (IS_ENABLED(CONFIG_BUG_ON_DATA_CORRUPTION)) {
			corrupt_list();
			break;
		}
		fallthrough;
	default:
		WRITE_ONCE(*(int *)8, 1);
	}
}

static void bad_fn(struct wpool_task *task)
{
	struct bad *bad = container_of(task, struct bad, task);

	WRITE_ONCE(bad->cpu, raw_smp_processor_id());
	WRITE_ONCE(bad->started, true);
	die(bad->death);
	torture_fail("it lives");
}

static void bad_arg_fn(void *arg)
{
	struct bad *bad = arg;

	bad_fn(&bad->task);
}

static void bad_abort(struct wpool_task *task, int status)
{
	struct bad *bad = container_of(task, struct bad, task);

	bad->status = status;
	complete(&bad->aborted);
}

static void note_fault(const struct wpool_fault *fault, void *data)
{
	report.fault = *fault;
	strscpy(report.pool, fault->pool, sizeof(report.pool));
	report.nr++;
	torture_check(data == &report, "the handler was given something else");
	complete(&report.told);
}

static void check_report(struct bad *bad, u32 n, enum kind kind)
{
	const struct wpool_fault *fault = &report.fault;

	if (!torture_check(wait_for_completion_timeout(&report.told, TORTURE_PATIENCE),
			   "death %u: the handler was not told", n))
		return;
	torture_check(report.nr == n, "death %u: the handler was called %u times", n, report.nr);
	torture_check(!strcmp(report.pool, "fault"), "death %u: in pool %s", n, report.pool);
	torture_check(fault->cpu == bad->cpu, "death %u: on CPU %d, not %d", n, fault->cpu,
		      bad->cpu);
	/* BY_FN: @task is the item of wpool_submit_fn(), which this test does not know */
	torture_check(kind == BY_FN || (fault->task == (unsigned long)&bad->task &&
					fault->func == (void *)bad_fn),
		      "death %u: of task %lx, function %ps", n, fault->task, fault->func);
}

/* Cause one death, and return when all its consequences have been seen. */
static void one_death(struct bad *bad, u32 n)
{
	struct wpool_task *task = &bad->task;
	enum kind kind;
	struct rnd rnd;
	int err, status;

	rnd_step(&rnd, seed, RND_FAULT, n);
	kind = rnd_below(&rnd, NR_KINDS);
	bad->death = rnd_below(&rnd, NR_DEATHS);
	bad->started = false;
	bad->status = 1;
	reinit_completion(&bad->aborted);
	reinit_completion(&report.told);
	if (kind == DETACHED)
		wpool_task_init_abortable(task, bad_fn, bad_abort, NULL);
	else
		wpool_task_init(task, bad_fn);

	switch (kind) {
	case IN_BATCH:
		err = wpool_submit_batch(pool, &task, 1, 0);
		err = err == 1 ? 0 : err;
		break;
	case BY_FN:
		/* if the function dies, a module given to the call stays pinned: give none */
		err = wpool_submit_fn(pool, bad_arg_fn, bad, NULL, GFP_KERNEL);
		break;
	default:
		err = rnd_one_in(&rnd, 2) ? wpool_submit(pool, task) :
		      wpool_submit_timeout(pool, task, TORTURE_PATIENCE);
	}
	if (!torture_check(!err, "death %u of kind %d: not submitted: %d", n, kind, err))
		return;
	if (kind == DETACHED) {
		torture_check(wait_for_completion_timeout(&bad->aborted, TORTURE_PATIENCE),
			      "death %u: not aborted", n);
		torture_check(bad->status == -EIO, "death %u: aborted with %d", n, bad->status);
	} else if (kind != BY_FN) {
		status = wpool_task_wait(task);
		torture_check(status == -EIO, "death %u: status %d", n, status);
		if (rnd_one_in(&rnd, 2))
			status = wpool_task_cancel_sync(task);
		torture_check(status == -EIO, "death %u: then status %d", n, status);
	}
	check_report(bad, n, kind);
	torture_check(bad->started, "death %u: it never began", n);
}

static void good_fn(struct wpool_task *task)
{
	struct good *good = container_of(task, struct good, task);

	WRITE_ONCE(good->runs, good->runs + 1);
	if (good->runs % 64 == 0)
		usleep_range(50, 100);
	atomic64_inc(&nr_good);
}

static int produce(void *data)
{
	struct producer *p = data;
	int err;
	u32 i;

	for (i = 0; i < NR_GOOD; i++)
		wpool_task_init(&p->goods[i].task, good_fn);
	while (!READ_ONCE(no_more)) {
		for (i = 0; i < NR_GOOD; i++) {
			err = wpool_submit(pool, &p->goods[i].task);
			torture_check(!err, "a good task: submit: %d", err);
		}
		p->done++;
		for (i = 0; i < NR_GOOD; i++) {
			err = wpool_task_wait(&p->goods[i].task);
			torture_check(!err && p->goods[i].runs == p->done,
				      "a good task: status %d, %u runs of %llu", err,
				      p->goods[i].runs, p->done);
		}
		cond_resched();
	}
	complete(&p->ended);
	torture_await_stop();
	return 0;
}

static int flush(void *data)
{
	struct completion *ended = data;

	while (!READ_ONCE(no_more)) {
		torture_check(!wpool_flush(pool), "it cannot be flushed");
		atomic64_inc(&nr_flushes);
		schedule_timeout_interruptible(1);
	}
	complete(ended);
	torture_await_stop();
	return 0;
}

static struct completion all_in, let_out;
static atomic_t nr_in;

static void side_by_side_fn(struct wpool_task *task)
{
	if (atomic_inc_return(&nr_in) == CAPACITY)
		complete(&all_in);
	wait_for_completion(&let_out);
}

/* Exactly CAPACITY tasks run at the same time. */
static void check_capacity(void)
{
	static struct wpool_task tasks[CAPACITY + 2];
	struct wpool_stats stats;
	int err;
	u32 i;

	init_completion(&all_in);
	init_completion(&let_out);
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		wpool_task_init(&tasks[i], side_by_side_fn);
		err = wpool_submit(pool, &tasks[i]);
		torture_check(!err, "in the end: submit: %d", err);
	}
	torture_check(wait_for_completion_timeout(&all_in, TORTURE_PATIENCE),
		      "in the end: %d side by side, not %d", atomic_read(&nr_in), CAPACITY);
	wpool_get_stats(pool, &stats);
	torture_check(stats.workers == CAPACITY && stats.busy == CAPACITY &&
		      atomic_read(&nr_in) == CAPACITY && stats.outstanding == ARRAY_SIZE(tasks) &&
		      stats.free == CAPACITY + QUEUE_DEPTH - ARRAY_SIZE(tasks),
		      "in the end: %u workers, %u busy, %d inside, %llu outstanding, %u free",
		      stats.workers, stats.busy, atomic_read(&nr_in), stats.outstanding,
		      stats.free);
	complete_all(&let_out);
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		torture_check(!wpool_task_wait(&tasks[i]), "in the end: a task failed");
}

static void check_figures(u64 good)
{
	struct wpool_stats s;

	torture_check(!wpool_flush(pool), "in the end: flush");
	wpool_get_stats(pool, &s);
	torture_check(s.failed == faults && s.faults == faults && report.nr == faults,
		      "%u died: %llu failed, %llu faults, the handler was told of %u",
		      faults, s.failed, s.faults, report.nr);
	torture_check(s.completed == good, "%llu completed, not %llu", s.completed, good);
	torture_check(!s.outstanding && !s.cancelled && s.submitted == s.completed + s.failed &&
		      s.free == CAPACITY + QUEUE_DEPTH && !s.waiting && !s.queued,
		      "%llu submitted, %llu outstanding, %llu cancelled, %u free, %u waiting",
		      s.submitted, s.outstanding, s.cancelled, s.free, s.waiting);
	pr_info("wpool_torture: %llu of %u deaths contained among %llu good tasks, %lld flushes\n",
		s.failed, faults, s.completed, atomic64_read(&nr_flushes));
	torture_count_tasks(s.completed + s.failed);
}

static bool make_pool(void)
{
	struct wpool_attrs attrs;

	wpool_attrs_init(&attrs);
	attrs.name = "fault";
	attrs.capacity = CAPACITY;
	attrs.queue_depth = QUEUE_DEPTH;
	/* a hog could end on another CPU */
	attrs.hog_ms = WPOOL_MAX_HOG_MS;
	attrs.fault = note_fault;
	attrs.fault_data = &report;
	init_completion(&report.told);
	pool = wpool_create(&attrs);
	return torture_check(!IS_ERR(pool), "no pool: %ld", PTR_ERR(pool));
}

void phase_fault(u32 others)
{
	struct producer *producers = kvcalloc(NR_PRODUCERS, sizeof(*producers), GFP_KERNEL);
	struct bad *bad = kzalloc(sizeof(*bad), GFP_KERNEL);
	DECLARE_COMPLETION_ONSTACK(flushed);
	struct task_struct *flusher;
	u64 good = 0;
	u32 n, i;

	if (!torture_check(producers && bad && make_pool(), "no memory, or no pool"))
		return;
	init_completion(&bad->aborted);
	for (i = 0; i < NR_PRODUCERS; i++) {
		init_completion(&producers[i].ended);
		producers[i].thread = kthread_run(produce, &producers[i], "torture/%u", i);
	}
	flusher = kthread_run(flush, &flushed, "torture/f");
	for (n = 1; n <= faults && !torture_failures(); n++) {
		one_death(bad, n);
		/* spread the deaths evenly over the good tasks */
		while (atomic64_read(&nr_good) < (u64)goods * n / faults && !torture_failures())
			usleep_range(100, 500);
		if (n % 100 == 0)
			pr_info("wpool_torture: %u deaths, %lld good tasks\n", n,
				atomic64_read(&nr_good));
	}
	WRITE_ONCE(no_more, true);
	wait_for_completion(&flushed);
	kthread_stop(flusher);
	for (i = 0; i < NR_PRODUCERS; i++) {
		wait_for_completion(&producers[i].ended);
		kthread_stop(producers[i].thread);
		good += producers[i].done * NR_GOOD;
	}
	torture_check(good == atomic64_read(&nr_good), "%lld good tasks ran, not %llu",
		      atomic64_read(&nr_good), good);
	check_capacity();
	check_figures(good + CAPACITY + 2);
	torture_check(!wpool_release_timeout(pool, 0, TORTURE_PATIENCE), "the pool is not empty");
	torture_check(!wpool_destroy(pool), "the pool cannot be destroyed");
	kvfree(producers);
	kfree(bad);
}
