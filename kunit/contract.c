// SPDX-License-Identifier: GPL-2.0
/* The scene of a row of the contract, the call, and the comparison: see contract.h. */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "contract.h"

static const char * const where_names[] = {
	[IN_THREAD] = "in a thread", [KILLED] = "killed", [SIGNALLED] = "signalled",
	[IN_OWN_TASK] = "in an own task", [IN_SOFTIRQ] = "in a softirq",
	[IN_HARDIRQ] = "in a hardirq",
};

static const char * const pool_names[] = {
	[WITH_ROOM] = "room", [FULL] = "full", [DRAINS] = "drains", [CANCELS] = "cancels",
	[FOR_OWN] = "for its own", [DESTROYING] = "destroying", [DESTROYED] = "destroyed",
	[NO_POOL] = "NULL", [ERR_POOL] = "ERR_PTR", [DEFAULT_POOL] = "default",
};

static const char * const object_names[] = {
	[UNUSED] = "unused", [QUEUED] = "queued", [INSIDE] = "inside", [AGAIN] = "again",
	[WAITING] = "waiting", [DISABLED] = "disabled", [ARMED] = "armed", [ITSELF] = "itself",
	[NONE] = "NULL", [ERR] = "ERR_PTR", [WITHOUT_FUNC] = "without a function",
	[DETACHED] = "detached", [QUEUED_DETACHED] = "queued, detached", [GOING] = "of no module",
	[ELSEWHERE] = "elsewhere", [INSIDE_ELSEWHERE] = "inside elsewhere",
	[MOVED] = "moved",
};

static const char * const policy_names[] = {
	[WPOOL_BLOCK] = "block", [WPOOL_FAIL] = "fail", [WPOOL_RUN] = "run",
	[WPOOL_DROP_OLDEST] = "drop",
};

void wpk_contract_desc(const struct wpk_row *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s; pool: %s, %s; object: %s",
		 where_names[row->where], pool_names[row->pool], policy_names[row->policy],
		 object_names[row->object]);
}

/* A line in a failure of the row: scripts/ktap prints the text after "Promised: " first. */
#define PROMISE		"    Promised: %s"

/* ---- the call ------------------------------------------------------------- */

static void make_call(struct wpk_world *w)
{
	long ret;

	if (w->row->where == IN_OWN_TASK) {
		/* set after the sleep at the gate, whose state let_task_call() must not read */
		smp_store_release(&w->caller, get_task_struct(current));
	}
	ret = w->call(w);
	w->saw_open = READ_ONCE(w->opened);
	w->ret = ret;
	complete(&w->called);
}

static void call_in_irq(void *world)
{
	make_call(world);
}

static int call_in_thread(struct wpk_thread *thread)
{
	make_call(thread->arg);
	return 0;
}

void wpk_contract_in_object(struct wpk_world *w)
{
	if (w->row->object == ITSELF && !completion_done(&w->called))
		make_call(w);
}

/* The holder makes the call when its gate opens for the first time. */
void wpk_contract_in_holder(struct wpk_world *w)
{
	if (w->row->where == IN_OWN_TASK && w->row->object != ITSELF)
		make_call(w);
}

static void call_in_holder(struct wpk_job *job)
{
	wpk_contract_in_holder(job->arg);
}

static void open_gates(struct wpk_world *w)
{
	WRITE_ONCE(w->opened, true);
	wpk_gate_open(w->object_gate);
	wpk_gate_open(w->gate);
}

static void let_thread_call(struct wpk_world *w)
{
	struct wpk_thread *thread = wpk_thread(w->test, call_in_thread, NULL, NULL, w);

	if (w->row->where != IN_THREAD || w->row->left.waits)
		WPK_EVENTUALLY(w->test, wpk_ended(thread) || READ_ONCE(thread->task->__state));
	if (w->row->where == KILLED)
		wpk_kill(thread);
	if (w->row->where == SIGNALLED)
		send_sig(SIGUSR1, thread->task, 1);
	if (w->row->left.waits) {
		if (w->row->where != IN_THREAD) {
			/*
			 * the call may sleep for a grace period: before its wait, or after a signal
			 * has ended the wait. Let such a sleep end first
			 */
			synchronize_rcu();
			KUNIT_EXPECT_TRUE_MSG(w->test, wpk_waits(thread), PROMISE, w->says);
		}
		open_gates(w);
	}
	wpk_join(w->test, thread);
}

static void let_task_call(struct wpk_world *w)
{
	wpk_gate_let(w->row->object == ITSELF ? w->object_gate : w->gate, 1);
	if (w->row->left.waits) {
		WPK_ASSERT_EVENTUALLY(w->test, READ_ONCE(w->caller));
		WPK_EVENTUALLY(w->test, completion_done(&w->called) ||
			       READ_ONCE(w->caller->__state));
		open_gates(w);
	}
}

static void let_call(struct wpk_world *w)
{
	switch (w->row->where) {
	case IN_THREAD:
	case KILLED:
	case SIGNALLED:
		let_thread_call(w);
		break;
	case IN_OWN_TASK:
		let_task_call(w);
		break;
	case IN_SOFTIRQ:
		wpk_in_softirq(call_in_irq, w);
		break;
	case IN_HARDIRQ:
		wpk_in_hardirq(call_in_irq, w);
		break;
	}
	KUNIT_ASSERT_TRUE(w->test, wpk_patiently(&w->called, NULL));
	complete(&w->called);
	if (w->caller)
		put_task_struct(w->caller);
}

/* ---- the scene ------------------------------------------------------------ */

static int submit_object(struct wpk_thread *thread)
{
	struct wpk_world *w = thread->arg;

	return w->noun->submit(w);
}

static bool has_second_worker(const struct wpk_row *row)
{
	return row->object == INSIDE || row->object == AGAIN;
}

static void make_pool(struct wpk_world *w)
{
	const struct wpk_row *row = w->row;
	bool is_full = row->pool == FULL && !w->noun->has_limit;
	u32 depth = is_full ? row->object == QUEUED || row->object == QUEUED_DETACHED : 8;
	struct wpool_attrs attrs;
	struct wpk_jobs *holder;

	wpk_attrs(&attrs, 1 + has_second_worker(row), depth);
	attrs.policy = row->policy;
	if (w->noun->func)
		w->real = wpk_pool_func(w->test, &attrs, w->noun->func);
	else
		w->real = wpk_pool_attrs(w->test, &attrs);
	if (row->object == ITSELF)
		return;
	holder = wpk_jobs(w->test, 1, w->gate);
	wpk_jobs_body(holder, call_in_holder, w);
	wpk_jobs_submit(w->test, w->real, holder, 0, 1);
	KUNIT_ASSERT_TRUE(w->test, wpk_gate_arrived(w->gate, 1));
}

static void move_object(struct wpk_world *w)
{
	struct wpool *real = w->real;
	struct wpk_thread *thread;

	switch (w->row->object) {
	case QUEUED:
	case QUEUED_DETACHED:
		KUNIT_ASSERT_EQ(w->test, w->noun->submit(w), 0);
		break;
	case ELSEWHERE:
	case INSIDE_ELSEWHERE:
	case MOVED:
		w->real = w->other;
		KUNIT_ASSERT_EQ(w->test, w->noun->submit(w), 0);
		w->real = real;
		if (w->row->object != ELSEWHERE)
			KUNIT_ASSERT_TRUE(w->test, wpk_gate_arrived(w->object_gate, 1));
		if (w->row->object == MOVED)
			KUNIT_ASSERT_EQ(w->test, w->noun->submit(w), 0);
		break;
	case ITSELF:
	case INSIDE:
	case AGAIN:
		KUNIT_ASSERT_EQ(w->test, w->noun->submit(w), 0);
		KUNIT_ASSERT_TRUE(w->test, wpk_gate_arrived(w->object_gate, 1));
		if (w->row->object == AGAIN)
			KUNIT_ASSERT_EQ(w->test, w->noun->submit(w), 0);
		break;
	case WAITING:
		thread = wpk_thread(w->test, submit_object, NULL, NULL, w);
		if (w->noun->has_limit)
			KUNIT_ASSERT_TRUE(w->test, wpk_sleeps(thread));
		else
			WPK_ASSERT_EVENTUALLY(w->test, wpk_stat(w->real, waiting) == 1);
		break;
	default:
		break;
	}
}

/* Bring the pool into the state that the row names. The call gets w->pool. */
static void move_pool(struct wpk_world *w)
{
	w->pool = w->real;
	switch (w->row->pool) {
	case DRAINS:
		KUNIT_ASSERT_EQ(w->test, wpool_release(w->real, WPOOL_RELEASE_DRAIN), 0);
		break;
	case CANCELS:
		KUNIT_ASSERT_EQ(w->test, wpool_release(w->real, WPOOL_RELEASE_CANCEL), 0);
		/* the cancels may come after the release has returned */
		WPK_ASSERT_EVENTUALLY(w->test, !wpk_stat(w->real, queued));
		if (w->row->object == QUEUED)
			WPK_ASSERT_EVENTUALLY(w->test, wpk_stat(w->real, cancelled) == 1);
		break;
	case FOR_OWN:
		KUNIT_ASSERT_EQ(w->test, wpool_release(w->real, WPOOL_RELEASE_OWN), 0);
		break;
	case DESTROYING:
		wpk_forget(w->test, w->real);
		w->gone = true;
		w->destroyer = wpk_thread(w->test, wpk_do_destroy, w->real, NULL, NULL);
		WPK_ASSERT_EVENTUALLY(w->test, wpk_stat(w->real, state) == WPOOL_DESTROYED);
		break;
	case DESTROYED:
		wpk_gate_open(w->gate);
		wpk_destroy(w->test, w->real);
		w->gone = true;
		break;
	case NO_POOL:
		w->pool = NULL;
		break;
	case ERR_POOL:
		w->pool = ERR_PTR(-ENOMEM);
		break;
	case DEFAULT_POOL:
		w->pool = wpool_default();
		break;
	default:
		break;
	}
}

static void make_scene(struct wpk_world *w)
{
	const struct wpk_row *row = w->row;

	if (w->noun->begin) {
		w->noun->begin(w);
	} else {
		if (row->object == ELSEWHERE || row->object == INSIDE_ELSEWHERE)
			w->other = wpk_pool(w->test, 1, 1);
		if (row->object == ELSEWHERE)
			wpk_jobs_submit(w->test, w->other, wpk_jobs(w->test, 1, w->gate), 0, 1);
		make_pool(w);
	}
	w->noun->make(w);
	move_object(w);
	if (w->noun->move)
		w->noun->move(w);
	else
		move_pool(w);
}

/* ---- a row ---------------------------------------------------------------- */

/*
 * Compare the figures with the row. @later: the gates are open. Wait for the figures, since another
 * thread completes a cancel that an interrupt has made.
 */
static void expect_figures(struct wpk_world *w, const struct wpool_stats *before, bool later)
{
	const struct wpk_left *left = &w->row->left;
	u64 submitted = before->submitted + left->submitted;
	u64 cancelled = before->cancelled + left->cancelled;
	const struct wpool_stats *now;

	if (later) {
		submitted += left->later;
		cancelled += left->cancelled_later;
	}
	WPK_EVENTUALLY(w->test, wpk_stat(w->real, submitted) >= submitted &&
		       wpk_stat(w->real, cancelled) >= cancelled);
	now = wpk_snapshot(w->real);
	KUNIT_EXPECT_EQ_MSG(w->test, now->submitted, submitted, PROMISE, w->says);
	KUNIT_EXPECT_EQ_MSG(w->test, now->cancelled, cancelled, PROMISE, w->says);
	KUNIT_EXPECT_EQ_MSG(w->test, now->refused, before->refused + left->refused, PROMISE,
			    w->says);
	if (!later && !left->waits)
		KUNIT_EXPECT_EQ_MSG(w->test, IS_NOW(now->state),
				    left->state ?: IS_NOW(before->state), PROMISE, w->says);
}

void wpk_contract(struct kunit *test)
{
	const struct wpk_contract *contract = container_of(test->name, typeof(*contract), name[0]);
	const struct wpk_noun *noun = contract->noun;
	struct wpk_world *w = wpk_alloc(test, sizeof(*w));
	const struct wpk_row *row = test->param_value;
	struct wpool_stats *before = wpk_alloc(test, sizeof(*before));

	w->test = test;
	w->row = row;
	while (!row->says)
		row--;
	w->says = row->says;
	row = w->row;
	w->call = contract->call;
	w->noun = noun;
	w->gate = wpk_gate(test);
	w->object_gate = wpk_gate(test);
	init_completion(&w->called);
	make_scene(w);

	*before = *wpk_snapshot(w->real);
	let_call(w);
	KUNIT_EXPECT_EQ_MSG(test, w->ret, row->ret, PROMISE, w->says);
	if (row->left.waits)
		KUNIT_EXPECT_TRUE_MSG(test, w->saw_open, PROMISE, w->says);
	expect_figures(w, before, false);

	open_gates(w);
	/* an object that was fired, or that waits, must run before wpool_destroy() */
	WPK_EVENTUALLY(test, noun->runs(w) >= row->left.runs);
	expect_figures(w, before, true);
	if (w->destroyer)
		KUNIT_EXPECT_EQ(test, wpk_join(test, w->destroyer), 0);
	if (noun->end)
		noun->end(w);
	else if (!w->gone)
		wpk_destroy(test, w->real);
	if (w->other)
		wpk_destroy(test, w->other);
	WPK_EVENTUALLY(test, !wpk_stat(w->real, outstanding));
	expect_figures(w, before, true);
	KUNIT_EXPECT_EQ_MSG(test, noun->runs(w), row->left.runs, PROMISE, w->says);
	KUNIT_EXPECT_EQ_MSG(test, noun->status(w), row->left.status, PROMISE, w->says);
}
