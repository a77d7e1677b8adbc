// SPDX-License-Identifier: GPL-2.0
/*
 * Urgent tasks start before all other tasks, whichever queue those are in, but every 16th start is
 * left to a task that is not urgent. The policy drop_oldest never drops urgent tasks. In all else
 * they are like other tasks.
 */
#include "core/runqs.h"
#include "core/state.h"
#include "event.h"
#include "group.h"
#include "strand_tasks.h"

static void set_urgent(struct wpk_jobs *jobs, u32 from, u32 nr)
{
	u32 i;

	for (i = from; i < from + nr; i++)
		wpool_task_set_urgent(&jobs->job[i].task, true);
}

/* ---- the order -------------------------------------------------------------- */

struct by {
	int (*submit)(struct wpool *pool, struct wpool_task *task);
	void (*in)(void (*fn)(void *arg), void *arg);
	const char *desc;
};

static int by_batch(struct wpool *pool, struct wpool_task *task)
{
	return wpool_submit_batch(pool, &task, 1, 0) == 1 ? 0 : -EIO;
}

static int on_last_cpu(struct wpool *pool, struct wpool_task *task)
{
	return wpool_submit_on(pool, wpk_cpu(wpk_cpu(1) < 0 ? 0 : 1), task);
}

static const struct by bys[] = {
	{ wpool_submit, NULL, "submit" },
	{ wpool_try_submit, NULL, "try_submit" },
	{ by_batch, NULL, "batch" },
	{ on_last_cpu, NULL, "submit_on" },
	{ wpool_try_submit, wpk_in_hardirq, "hardirq" },
	{ wpool_try_submit, wpk_in_softirq, "softirq" },
};

KUNIT_ARRAY_PARAM_DESC(by, bys, desc);

struct call {
	const struct by *by;
	struct wpool *pool;
	struct wpool_task *task;
	int ret;
};

static void make_call(void *arg)
{
	struct call *call = arg;

	call->ret = call->by->submit(call->pool, call->task);
}

static void wpool_urgent_is_the_next_to_start(struct kunit *test)
{
	const struct by *by = test->param_value;
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpk_jobs *busy = wpk_held(test, pool, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 1001, NULL);
	struct call call = { .by = by, .pool = pool, .task = &jobs->job[1000].task };

	set_urgent(jobs, 1000, 1);
	wpk_jobs_submit(test, pool, jobs, 0, 1000);
	if (by->in)
		by->in(make_call, &call);
	else
		make_call(&call);
	KUNIT_EXPECT_EQ(test, call.ret, 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, queued), 1001);
	wpk_gate_open(busy->gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 1001));
	KUNIT_EXPECT_EQ(test, jobs->job[1000].seq, 1);
	wpk_finish(test, pool, jobs);
}

#define NR_ALL		160
#define NR_OTHERS	6

/* Every 16th start is that of a task that is not urgent, as long as the batch has one. */
static void wpool_urgent_leaves_the_others_one_of_16(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpk_jobs *busy = wpk_held(test, pool, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, NR_ALL, NULL);
	u32 i, seq;

	/* the tasks that are not urgent are spread over the batch */
	for (i = 0; i < NR_ALL; i++)
		wpool_task_set_urgent(&jobs->job[i].task, i % 26 != 3 || i / 26 >= NR_OTHERS);
	KUNIT_ASSERT_EQ(test, wpool_submit_batch(pool, jobs->tasks, NR_ALL, 0), NR_ALL);
	wpk_gate_open(busy->gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, NR_ALL));
	for (i = 0; i < NR_OTHERS; i++) {
		seq = jobs->job[26 * i + 3].seq;
		KUNIT_EXPECT_EQ_MSG(test, seq % 16, 0, "of the others, number %u", i);
		KUNIT_EXPECT_LE(test, seq, 16 * NR_OTHERS);
	}
	wpk_finish(test, pool, jobs);
}

/* After the start of a task that is not urgent, 15 urgent tasks may again start before others. */
static void wpool_urgent_count_begins_anew(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpk_jobs *busy = wpk_held(test, pool, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 400, busy->gate);
	u32 i, round;

	/* in each round ten urgent tasks run, and then one other; each task waits at the gate */
	for (i = 0; i < 400; i++)
		if (i >= 40)
			wpool_task_set_urgent(&jobs->job[i].task, true);
	wpk_jobs_submit(test, pool, jobs, 0, 40);
	for (round = 0; round < 36; round++) {
		wpk_jobs_submit(test, pool, jobs, 40 + 10 * round, 10);
		/* one other task and ten urgent ones pass the gate; the next other one arrives */
		wpk_gate_let(busy->gate, 11);
		KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(busy->gate, 11 * (round + 1) + 1));
		for (i = 0; i < 10; i++)
			KUNIT_EXPECT_LE(test, jobs->job[40 + 10 * round + i].seq, 11 * round + 10);
	}
	wpk_gate_open(busy->gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 400));
	wpk_finish(test, pool, jobs);
}

/* ---- without an end --------------------------------------------------------- */

struct stream {
	struct wpk_jobs *others;
	struct wpool *pool;
	struct wpool_task tasks[3];
	struct wpool_task child;
	bool helps;	/* each task runs @child while it waits for it */
	bool stop;
	int others_seen;
	u32 in_a_row;
	u32 most;
	u32 runs;
	int err;
};

static struct stream *the_stream;

static void stream_fn(struct wpool_task *task)
{
	struct stream *s = the_stream;
	int started = atomic_read(&s->others->started);

	s->runs++;
	s->in_a_row = started == s->others_seen ? s->in_a_row + 1 : 1;
	s->others_seen = started;
	/* count only while other tasks are queued */
	if ((u32)started < s->others->nr)
		s->most = max(s->most, s->in_a_row);
	if (s->helps)
		s->err = s->err ?: wpool_try_submit(s->pool, &s->child) ?:
			 wpool_task_wait(&s->child);
	if (!READ_ONCE(s->stop))
		s->err = s->err ?: wpool_try_submit(s->pool, task);
}

WPK_PARAM_BOOL(helps, "each waits for a child: %d");

/*
 * Other tasks run although urgent tasks submit themselves again and again: here three, in the only
 * worker.
 */
static void wpool_urgent_without_an_end_others_go_on(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpk_jobs *busy = wpk_held(test, pool, 1, 1);
	struct stream *s = wpk_alloc(test, sizeof(*s));
	struct wpk_jobs *jobs = wpk_jobs(test, 500, NULL);
	int i;

	s->others = jobs;
	s->pool = pool;
	s->helps = wpk_is_on(test);
	wpool_task_init(&s->child, wpk_empty);
	the_stream = s;
	for (i = 0; i < 3; i++) {
		wpool_task_init(&s->tasks[i], stream_fn);
		wpool_task_set_urgent(&s->tasks[i], true);
		KUNIT_EXPECT_EQ(test, wpool_submit(pool, &s->tasks[i]), 0);
	}
	/* the other tasks are queued in the ring, in its backlog, and for one CPU */
	wpk_jobs_submit(test, pool, jobs, 0, 499);
	KUNIT_EXPECT_EQ(test, wpool_submit_on(pool, wpk_cpu(0), &jobs->job[499].task), 0);
	wpk_gate_open(busy->gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 500));
	WRITE_ONCE(s->stop, true);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&s->tasks[i]), 0);
	KUNIT_EXPECT_EQ(test, s->err, 0);
	KUNIT_EXPECT_EQ(test, s->most, 15);
	KUNIT_EXPECT_GE(test, s->runs, 500 * 15);
	wpk_finish(test, pool, jobs);
}

/* ---- a worker comes ----------------------------------------------------------- */

static void spin_for_another(struct wpk_job *job)
{
	atomic_t *flag = job->arg;

	job->ret = wpk_spin(1, atomic_read(flag)) ? 0 : -ETIME;
}

static void set_flag(struct wpk_job *job)
{
	atomic_set(job->arg, 1);
}

/* An urgent task does not wait for a worker that computes if another CPU is idle. */
static void wpool_urgent_does_not_wait_for_a_busy_cpu(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpool *pool = wpk_pool(test, 4, 4);
	atomic_t flag = ATOMIC_INIT(0);

	wpk_need_cpus(test, 2);
	wpk_jobs_body(jobs, spin_for_another, &flag);
	jobs->job[1].body = set_flag;
	set_urgent(jobs, 1, 1);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_ASSERT_TRUE(test, wpk_jobs_started(jobs, 1));
	wpk_jobs_next(test, pool, jobs, 1);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
}

/* The submit itself wakes the idle worker. The monitor would wake it later. */
static void wpool_urgent_takes_the_idle_worker_at_once(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 20, NULL);
	u32 i, late = 0;
	struct wpool *pool = wpk_pool_with(test, 1, 20, attrs.spin_us = 0,
					   attrs.cpumask = cpumask_of(wpk_cpu(0)));
	struct wpool_runq *rq = wpool_runq(pool, wpk_cpu(0));

	set_urgent(jobs, 1, 19);
	for (i = 0; i < 20; i++) {
		wpk_jobs_submit(test, pool, jobs, i, 1);
		/* the worker is off the idle list until it has run the task */
		late += i && READ_ONCE(rq->nr_idle) && !atomic_read(&jobs->job[i].runs);
		KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[i].task), 0);
		/* wait until the worker sleeps: before that, it finds a task without a wake-up */
		WPK_EVENTUALLY(test, wpk_stat(pool, idle) == 1 && !wpk_stat(pool, searching));
		WPK_EVENTUALLY(test, !READ_ONCE(rq->nr_running));
	}
	KUNIT_EXPECT_EQ(test, late, 0);
}

/* With one worker, a parent that waits for its urgent child runs the child itself. */
static void wpool_urgent_child_is_run_by_its_parent(struct kunit *test)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 2, NULL);
	struct wpool *pool = wpk_pool(test, 1, 4);

	set_urgent(jobs, 1, 1);
	jobs->job[0].body = wpk_run_next;
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 2));
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, jobs->job[0].pid, jobs->job[1].pid);
}

/* ---- cancel, release, drop, overdue, room -------------------------------------- */

static void wpool_urgent_cancel_takes_it_out(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpk_jobs *busy = wpk_held(test, pool, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 40, NULL);
	u32 i;

	set_urgent(jobs, 0, 30);
	wpk_jobs_submit(test, pool, jobs, 0, 40);
	for (i = 10; i < 15; i++)
		KUNIT_EXPECT_TRUE(test, wpool_task_cancel(&jobs->job[i].task));
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(&jobs->job[0].task), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpool_task_cancel_sync(&jobs->job[29].task), -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, queued), 33);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, cancelled), 7);
	wpk_jobs_end(test, jobs, 10, 5, -ECANCELED);
	wpool_task_set_urgent(&jobs->job[0].task, false);
	wpk_jobs_submit(test, pool, jobs, 0, 1);
	wpk_gate_open(busy->gate);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 34));
	KUNIT_EXPECT_GT(test, jobs->job[0].seq, 15);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	for (i = 0; i < 40; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[i].runs),
				!((i >= 10 && i < 15) || i == 29));
	KUNIT_EXPECT_EQ(test, wpool_fifo_len(&pool->urgent), 0);
}

static void wpool_urgent_drop_oldest_never_drops_one(struct kunit *test)
{
	struct wpool *pool = wpk_pool_policy(test, 1, 2, WPOOL_DROP_OLDEST);
	struct wpk_jobs *busy = wpk_held(test, pool, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 6, NULL);

	set_urgent(jobs, 0, 1);
	set_urgent(jobs, 3, 1);
	wpk_jobs_submit(test, pool, jobs, 0, 2);
	/* the new task takes the place of a queued task that is not urgent */
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, &jobs->job[2].task), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[1].task), -ECANCELED);
	/* an urgent task also takes the place of a task that is not urgent */
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, &jobs->job[3].task), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[2].task), -ECANCELED);
	/* only urgent tasks are left */
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, &jobs->job[4].task), -EAGAIN);
	wpk_gate_open(busy->gate);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), 0);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[3].task), 0);
}

static void wpool_urgent_waits_for_room_like_others(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpk_jobs *busy = wpk_held(test, pool, 1, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 3, NULL);
	struct wpk_thread *waiter;

	set_urgent(jobs, 2, 1);
	wpk_jobs_submit(test, pool, jobs, 0, 2);
	KUNIT_EXPECT_EQ(test, wpool_try_submit(pool, &jobs->job[2].task), -EAGAIN);
	waiter = wpk_sleeper(test, wpk_do_submit, pool, &jobs->job[2].task, NULL);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, waiting), 1);
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, busy->gate, waiter), 0);
	KUNIT_EXPECT_TRUE(test, wpk_jobs_finished(jobs, 3));
	wpk_finish(test, pool, jobs);
}

/* ---- events, groups and strands ------------------------------------------------- */

static void note_member(struct wpk_member *member)
{
	member->status = atomic_inc_return(member->arg);
}

static void note_turn(struct st *st)
{
	st->ret = atomic_inc_return(st->arg);
}

/*
 * An urgent event, an urgent task of a group and both urgent tasks of a strand start before a
 * hundred others.
 */
static void wpool_urgent_events_groups_and_strands(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpk_jobs *busy = wpk_held(test, pool, 1, 1), *jobs = wpk_jobs(test, 100, NULL);
	struct wpk_ev *ev = wpk_evs(test, pool, NULL, 1);
	struct wpk_member *member = wpk_members(test, wpk_group(test, pool, 4), NULL, 1);
	struct st_strand *of = st_strand(test, pool, WPOOL_UNLIMITED);
	struct st *st = st_tasks(test, of, NULL, 2);
	int i;

	wpk_jobs_submit(test, pool, jobs, 0, 100);
	ev->jobs = jobs;
	wpool_task_set_urgent(&wpk_event(ev)->task, true);
	wpool_event_fire(wpk_event(ev));
	member->body = note_member;
	member->arg = &jobs->started;
	wpool_task_set_urgent(&member->task.task, true);
	wpk_members_submit(test, member, 1);
	for (i = 0; i < 2; i++) {
		st[i].body = note_turn;
		st[i].arg = &jobs->started;
		wpool_task_set_urgent(&st[i].task.task, true);
	}
	st_submit(test, st, 2);
	wpk_gate_open(busy->gate);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(member->group), 0);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	wpool_event_cancel_sync(wpk_event(ev));
	KUNIT_EXPECT_EQ(test, ev->seq, 1);
	KUNIT_EXPECT_EQ(test, member->status, 2);
	KUNIT_EXPECT_EQ(test, st[0].ret, 3);
	/* the second task of the strand has its turn when the first has ended */
	KUNIT_EXPECT_EQ(test, st[1].ret, 4);
}

WPK_SUITE(urgent,
	  KUNIT_CASE_PARAM(wpool_urgent_is_the_next_to_start, by_gen_params),
	  KUNIT_CASE(wpool_urgent_leaves_the_others_one_of_16),
	  KUNIT_CASE(wpool_urgent_count_begins_anew),
	  KUNIT_CASE_PARAM(wpool_urgent_without_an_end_others_go_on, helps_gen_params),
	  KUNIT_CASE(wpool_urgent_does_not_wait_for_a_busy_cpu),
	  KUNIT_CASE(wpool_urgent_takes_the_idle_worker_at_once),
	  KUNIT_CASE(wpool_urgent_child_is_run_by_its_parent),
	  KUNIT_CASE(wpool_urgent_cancel_takes_it_out),
	  KUNIT_CASE(wpool_urgent_drop_oldest_never_drops_one),
	  KUNIT_CASE(wpool_urgent_waits_for_room_like_others),
	  KUNIT_CASE(wpool_urgent_events_groups_and_strands));
