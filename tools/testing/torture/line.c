// SPDX-License-Identifier: GPL-2.0
/*
 * Phase line: waiting submitters are served first-in-first-out, no submitter overtakes them, and
 * each wait ends.
 *
 * The pool has room for one task, which waits at a gate. A waiter starts when the previous one is
 * seen to wait, so the order of the waiters is known. Some are killed, some time out. Then either
 *
 *   - the gate opens. The tasks start one by one, each when its submitter is served. They must
 *     start in the order of the waiters. The task of the barger, a thread that tries all the time
 *     without waiting, must start last;
 *   - the limit grows: exactly as many tasks as now fit are accepted, those of the first waiters;
 *   - or the pool is closed: all waiters return with -ESHUTDOWN.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wpool_stats.h>

#include "torture.h"

#define MAX_WAITERS	8
#define MAX_BATCH	3

/* How a waiter submits, and why its wait ends. */
enum kind {
	BY_CALL,
	BY_TIMED_CALL,
	BY_BATCH_CALL,
	BY_INTERRUPTIBLE,
	TO_BE_KILLED,
	OUT_OF_TIME,
	NR_KINDS,
};

struct line;

struct ltask {
	struct wpool_task task;
	struct line *line;
	u32 seq;
};

struct waiter {
	struct line *line;
	struct task_struct *thread;
	struct completion go;
	struct completion left;
	enum kind kind;
	bool quit;
	u32 nr;
	int ret;
	struct ltask tasks[MAX_BATCH];
};

struct line {
	u32 nr;
	u64 round;
	struct wpool *pool;
	struct task_struct *thread;
	struct completion ended;
	const char *what;
	atomic_t seq;
	atomic64_t runs;
	struct ltask gate;
	struct completion gate_reached;
	struct completion gate_opens;
	struct ltask barger;
	struct task_struct *barger_thread;
	struct completion barger_go;
	struct completion barger_left;
	int barger_ret;
	bool quit;
	struct waiter waiters[MAX_WAITERS];
};

#define line_check(line, condition, fmt, ...)				\
	torture_check(condition, "line %u, round %llu: " fmt, (line)->nr, (line)->round,	\
		      ##__VA_ARGS__)

static void ltask_fn(struct wpool_task *task)
{
	struct ltask *ltask = container_of(task, struct ltask, task);
	struct line *line = ltask->line;

	line_check(line, !READ_ONCE(ltask->seq), "a task runs twice");
	WRITE_ONCE(ltask->seq, atomic_inc_return(&line->seq));
	atomic64_inc(&line->runs);
}

static void gate_fn(struct wpool_task *task)
{
	struct ltask *ltask = container_of(task, struct ltask, task);
	struct line *line = ltask->line;

	complete(&line->gate_reached);
	wait_for_completion(&line->gate_opens);
	atomic64_inc(&line->runs);
}

static void ltask_init(struct ltask *ltask, struct line *line, wpool_task_fn fn)
{
	ltask->line = line;
	ltask->seq = 0;
	wpool_task_init(&ltask->task, fn);
}

static int join(struct waiter *w)
{
	struct wpool_task *tasks[MAX_BATCH];
	struct wpool *pool = w->line->pool;
	u32 i;

	for (i = 0; i < w->nr; i++)
		tasks[i] = &w->tasks[i].task;
	switch (w->kind) {
	case BY_TIMED_CALL:
		return wpool_submit_timeout(pool, tasks[0], 10 * TORTURE_PATIENCE);
	case OUT_OF_TIME:
		return wpool_submit_timeout(pool, tasks[0], 1 + w->line->round % 3);
	case BY_BATCH_CALL:
		return wpool_submit_batch(pool, tasks, w->nr, 0);
	case BY_INTERRUPTIBLE:
		return wpool_submit_batch(pool, tasks, w->nr, WPOOL_BATCH_INTERRUPTIBLE);
	default:
		return wpool_submit(pool, tasks[0]);
	}
}

/* Wait without a limit, in short sleeps: the kernel reports a long sleep as a hang. */
static void await_go(struct completion *go)
{
	while (!wait_for_completion_timeout(go, HZ))
		;
}

static int waiter_main(void *data)
{
	struct waiter *w = data;

	allow_signal(SIGKILL);
	for (;;) {
		await_go(&w->go);
		if (w->quit)
			break;
		w->ret = join(w);
		flush_signals(current);
		complete(&w->left);
	}
	torture_await_stop();
	return 0;
}

/* Try to submit all the time. A try can succeed only when no submitter waits. */
static int barger_main(void *data)
{
	struct line *line = data;

	for (;;) {
		await_go(&line->barger_go);
		if (line->quit)
			break;
		do {
			line->barger_ret = wpool_try_submit(line->pool, &line->barger.task);
			cond_resched();
		} while (line->barger_ret == -EAGAIN);
		complete(&line->barger_left);
	}
	torture_await_stop();
	return 0;
}

static u32 nr_waiting(struct line *line)
{
	struct wpool_stats stats;

	wpool_get_stats(line->pool, &stats);
	return stats.waiting;
}

static bool await_waiting(struct line *line, u32 nr)
{
	unsigned long end = jiffies + TORTURE_PATIENCE;

	while (nr_waiting(line) != nr) {
		if (!line_check(line, time_before(jiffies, end), "%u wait, not %u",
				nr_waiting(line), nr))
			return false;
		usleep_range(20, 50);
	}
	return true;
}

static bool await_left(struct line *line, struct waiter *w)
{
	return line_check(line, wait_for_completion_timeout(&w->left, TORTURE_PATIENCE),
			  "waiter %d of kind %d never left", (int)(w - line->waiters), w->kind);
}

static bool shut_gate(struct line *line)
{
	int err;

	atomic_set(&line->seq, 0);
	reinit_completion(&line->gate_reached);
	reinit_completion(&line->gate_opens);
	ltask_init(&line->gate, line, gate_fn);
	err = wpool_submit(line->pool, &line->gate.task);
	return line_check(line, !err, "the gate: %d", err) &&
	       line_check(line, wait_for_completion_timeout(&line->gate_reached, TORTURE_PATIENCE),
			  "a task never started");
}

/* Start @nr waiters. Returns how many of their tasks still wait, or -1 after a violation. */
static int form(struct line *line, struct rnd *rnd, u32 nr)
{
	struct waiter *w;
	int tasks = 0;
	u32 i, t, standing = 0;

	for (i = 0; i < nr; i++) {
		w = &line->waiters[i];
		w->kind = rnd_below(rnd, NR_KINDS);
		w->nr = w->kind == BY_BATCH_CALL || w->kind == BY_INTERRUPTIBLE ?
			rnd_from_to(rnd, 1, MAX_BATCH) : 1;
		for (t = 0; t < w->nr; t++)
			ltask_init(&w->tasks[t], line, ltask_fn);
		complete(&w->go);
		if (w->kind == OUT_OF_TIME) {
			/* the waiter may time out before this thread sees it wait */
			if (!await_left(line, w))
				return -1;
			line_check(line, w->ret == -ETIME, "out of time: %d", w->ret);
			if (!await_waiting(line, standing))
				return -1;
			continue;
		}
		if (!await_waiting(line, ++standing))
			return -1;
		if (w->kind != TO_BE_KILLED)
			tasks += w->nr;
	}
	for (i = 0; i < nr; i++) {
		w = &line->waiters[i];
		if (w->kind != TO_BE_KILLED)
			continue;
		send_sig(SIGKILL, w->thread, 1);
		if (!await_left(line, w))
			return -1;
		line_check(line, w->ret == -EINTR, "killed: %d", w->ret);
		standing--;
		if (!await_waiting(line, standing))
			return -1;
	}
	return tasks;
}

static bool is_standing(const struct waiter *w)
{
	return w->kind != OUT_OF_TIME && w->kind != TO_BE_KILLED;
}

/* Check that each waiter that did not time out or die was served, or got -ESHUTDOWN. */
static bool all_left(struct line *line, u32 nr, bool closed)
{
	struct waiter *w;
	int want, status;
	u32 i, t;

	for (i = 0; i < nr; i++) {
		w = &line->waiters[i];
		if (is_standing(w)) {
			if (!await_left(line, w))
				return false;
			want = closed ? -ESHUTDOWN :
			       w->kind == BY_BATCH_CALL || w->kind == BY_INTERRUPTIBLE ?
			       w->nr : 0;
			line_check(line, w->ret == want, "waiter of kind %d got %d", w->kind,
				   w->ret);
		}
		for (t = 0; t < w->nr; t++) {
			status = wpool_task_wait(&w->tasks[t].task);
			line_check(line, !status, "status %d", status);
			line_check(line, !!READ_ONCE(w->tasks[t].seq) == (is_standing(w) && !closed),
				   "kind %d, %s", w->kind,
				   w->tasks[t].seq ? "ran" : "did not run");
		}
	}
	return true;
}

static void in_order(struct line *line, u32 nr)
{
	u32 i, t, seq = 0;
	struct waiter *w;

	for (i = 0; i < nr; i++) {
		w = &line->waiters[i];
		if (!is_standing(w))
			continue;
		for (t = 0; t < w->nr; t++)
			line_check(line, w->tasks[t].seq == ++seq,
				   "task %u of waiter %u was served as number %u, not %u", t, i,
				   w->tasks[t].seq, seq);
	}
}

static bool open_gate(struct line *line, u32 nr, int tasks)
{
	ltask_init(&line->barger, line, ltask_fn);
	complete(&line->barger_go);
	complete_all(&line->gate_opens);
	if (!all_left(line, nr, false))
		return false;
	if (!line_check(line, wait_for_completion_timeout(&line->barger_left, TORTURE_PATIENCE),
			"the barger was never accepted"))
		return false;
	line_check(line, !line->barger_ret, "try: %d", line->barger_ret);
	line_check(line, !wpool_task_wait(&line->barger.task) && line->barger.seq == tasks + 1,
		   "the barger was served as number %u of %d", line->barger.seq, tasks + 1);
	in_order(line, nr);
	return true;
}

static bool set_depth(struct line *line, u32 depth)
{
	struct wpool_attrs attrs = { .queue_depth = depth };
	int err = wpool_tune(line->pool, &attrs, WPOOL_TUNE_QUEUE_DEPTH);

	return line_check(line, !err, "not tuned: %d", err);
}

static bool make_room(struct line *line, struct rnd *rnd, u32 nr, int tasks)
{
	u32 room = rnd_from_to(rnd, 1, tasks + 1), fit = 0, standing = 0, i;
	struct waiter *w;

	if (!set_depth(line, room))
		return false;
	for (i = 0; i < nr; i++) {
		w = &line->waiters[i];
		if (!is_standing(w))
			continue;
		fit += w->nr;
		standing += fit > room;
	}
	/* the tune of the depth has served the submitters that fit */
	line_check(line, nr_waiting(line) == standing, "%u wait after room for %u was made, not %u",
		   nr_waiting(line), room, standing);
	if (!set_depth(line, 0))
		return false;
	line_check(line, nr_waiting(line) == standing, "somebody left");
	complete_all(&line->gate_opens);
	return all_left(line, nr, false);
}

static bool send_away(struct line *line, u32 nr)
{
	int err = wpool_release(line->pool, 0);

	line_check(line, !err, "release: %d", err);
	line_check(line, !nr_waiting(line), "%u wait for a closed pool", nr_waiting(line));
	if (!all_left(line, nr, true))
		return false;
	complete_all(&line->gate_opens);
	err = wpool_reboot(line->pool);
	return line_check(line, !err, "reboot: %d", err);
}

static bool one_round(struct line *line)
{
	u32 nr, how;
	struct rnd rnd;
	int tasks;
	bool ok;

	rnd_step(&rnd, seed, RND_LINE + line->nr, line->round);
	nr = rnd_from_to(&rnd, 1, MAX_WAITERS);
	how = rnd_below(&rnd, 8);

	if (!shut_gate(line))
		return false;
	tasks = form(line, &rnd, nr);
	if (tasks < 0)
		return false;
	switch (how) {
	case 0:
		ok = send_away(line, nr);
		break;
	case 1 ... 2:
		ok = make_room(line, &rnd, nr, tasks);
		break;
	default:
		ok = open_gate(line, nr, tasks);
	}
	return ok && line_check(line, !wpool_task_wait(&line->gate.task), "the gate");
}

static int line_main(void *data)
{
	struct line *line = data;
	bool ok = true;

	while (!torture_stopping() && ok) {
		ok = one_round(line);
		line->round++;
	}
	/* after a violation, let the remaining waiters continue */
	complete_all(&line->gate_opens);
	complete(&line->ended);
	torture_await_stop();
	return 0;
}

static bool start(struct line *line, u32 nr)
{
	struct wpool_attrs attrs;
	char name[WPOOL_NAME_LEN];
	struct waiter *w;

	snprintf(name, sizeof(name), "line%u", nr);
	wpool_attrs_init(&attrs);
	attrs.name = name;
	attrs.capacity = 1;
	line->nr = nr;
	line->pool = wpool_create(&attrs);
	if (!torture_check(!IS_ERR(line->pool), "create: %ld", PTR_ERR(line->pool)))
		return false;
	init_completion(&line->ended);
	init_completion(&line->gate_reached);
	init_completion(&line->gate_opens);
	init_completion(&line->barger_go);
	init_completion(&line->barger_left);
	line->barger_thread = kthread_run(barger_main, line, "torture/b%u", nr);
	if (IS_ERR(line->barger_thread))
		return false;
	for (w = line->waiters; w < line->waiters + MAX_WAITERS; w++) {
		w->line = line;
		init_completion(&w->go);
		init_completion(&w->left);
		w->thread = kthread_run(waiter_main, w, "torture/w%u", nr);
		if (IS_ERR(w->thread))
			return false;
	}
	line->thread = kthread_run(line_main, line, "torture/%u", nr);
	return !IS_ERR(line->thread);
}

static void stop(struct line *line)
{
	struct wpool_stats stats;
	struct waiter *w;

	await_go(&line->ended);
	kthread_stop(line->thread);
	WRITE_ONCE(line->quit, true);
	complete(&line->barger_go);
	kthread_stop(line->barger_thread);
	for (w = line->waiters; w < line->waiters + MAX_WAITERS; w++) {
		WRITE_ONCE(w->quit, true);
		complete(&w->go);
		kthread_stop(w->thread);
	}
	wpool_get(line->pool);
	wpool_destroy(line->pool);
	wpool_get_stats(line->pool, &stats);
	line_check(line, !stats.outstanding && !stats.waiting &&
		   stats.completed == atomic64_read(&line->runs) &&
		   stats.submitted == stats.completed,
		   "%lld ran, %llu completed of %llu, %llu outstanding, %u waiting",
		   atomic64_read(&line->runs), stats.completed, stats.submitted, stats.outstanding,
		   stats.waiting);
	wpool_put(line->pool);
	torture_count_tasks(atomic64_read(&line->runs));
	pr_info("wpool_torture: line %u: %llu rounds\n", line->nr, line->round);
}

void phase_line(u32 others)
{
	u32 nr = max(actors / 3, 1U), i;
	struct line *lines = kvcalloc(nr, sizeof(*lines), GFP_KERNEL);

	for (i = 0; i < nr; i++)
		/* without memory or threads the phase cannot start */
		if (!lines || !torture_check(start(&lines[i], i), "no memory, no threads"))
			return;
	while (torture_pause(100))
		;
	for (i = 0; i < nr; i++)
		stop(&lines[i]);
	kvfree(lines);
}
