// SPDX-License-Identifier: GPL-2.0
/*
 * A module that does not destroy its pools, for the selftest module_load: wpool has to destroy
 * them. The module leaves behind:
 *
 *   forgot.fn    bound to a function; one call runs, others are queued
 *   forgot.task  one task runs, others are queued; each of them has to end once
 *   forgot.shut  released, but not destroyed
 *   default      one task runs; behind it, if the pool has a capacity of 1, tasks of each kind
 *                are queued; an abort function of forgot.task waits for these tasks
 *   forgot.none  made with no owner (anonymous=1), so that wpool cannot know its module
 *
 * Tasks that still run increment a counter in the module. With refuse=1 the init function leaves
 * all of this behind, too, and fails.
 *
 * In each of the first two pools a task is running when the exit function returns. When the last
 * task has ended, the log has "wpool_forget: all N ended".
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/wpool.h>
#include <linux/wpool_event.h>
#include <linux/wpool_func.h>
#include <linux/wpool_group.h>
#include <linux/wpool_strand.h>

static bool refuse;
module_param(refuse, bool, 0444);
MODULE_PARM_DESC(refuse, "the init function fails in the end");

static bool anonymous;
module_param(anonymous, bool, 0444);
MODULE_PARM_DESC(anonymous, "leave one pool that has no owner, and nothing else");

#define NR_QUEUED	20
#define NR_ENDS		(2 * (1 + NR_QUEUED))
/* The exit function returns within this time. */
#define RUN_MS		300

static struct wpool_task tasks[1 + NR_QUEUED];
static struct wpool_task on_default;
static struct wpool_task lined_up[3];
static int linger_err;
static struct wpool_group group;
static struct wpool_group_task in_group;
static struct wpool_strand strand;
static struct wpool_strand_task in_strand;
static struct wpool_event event;
static DECLARE_COMPLETION(going);
static DECLARE_COMPLETION(lingers);
static DECLARE_COMPLETION(named);
static atomic_t not_run;
static atomic_t ended;

static void end_one(void)
{
	if (atomic_inc_return(&ended) == NR_ENDS)
		pr_info("all %d ended\n", NR_ENDS);
}

static void serve(void *arg)
{
	wait_for_completion(&going);
	msleep(RUN_MS);
	end_one();
}

static void serve_not(void *arg, int status)
{
	end_one();
}

static void run(struct wpool_task *task)
{
	serve(task);
}

static void linger(struct wpool_task *task)
{
	/* the CPU's run queue keeps lined_up[0] in @next until this worker looks for work */
	linger_err = wpool_submit(wpool_default(), &lined_up[0]);
	complete(&lingers);
	wait_for_completion(&named);
}

static void line_up(struct wpool_task *task)
{
}

static int line_up_in_group(struct wpool_group_task *task)
{
	return 0;
}

static void line_up_in_strand(struct wpool_strand_task *task)
{
}

static void line_up_as_event(struct wpool_event *fired)
{
}

static void run_not(struct wpool_task *task, int status)
{
	unsigned int i;

	complete_all(&named);
	wpool_task_wait(&on_default);
	for (i = 0; i < ARRAY_SIZE(lined_up); i++)
		wpool_task_wait(&lined_up[i]);
	/* two abort functions may run at the same time */
	if (atomic_inc_return(&not_run) == 1) {
		wpool_group_exit(&group);
		wpool_strand_destroy(&strand);
		wpool_event_cancel_sync(&event);
	}
	end_one();
}

static struct wpool *make(const char *name, wpool_arg_fn func)
{
	struct wpool_attrs attrs;

	wpool_attrs_init(&attrs);
	attrs.name = name;
	attrs.capacity = 1;
	attrs.queue_depth = NR_QUEUED;
	attrs.abort = serve_not;
	if (func)
		return wpool_create_func(&attrs, func);
	return __wpool_create(&attrs, anonymous ? NULL : THIS_MODULE);
}

static int leave_calls(void)
{
	struct wpool *pool = make("forgot.fn", serve);
	int i, err = PTR_ERR_OR_ZERO(pool);

	for (i = 0; i <= NR_QUEUED && !err; i++)
		err = wpool_invoke(pool, NULL);
	return err;
}

static int leave_tasks(void)
{
	struct wpool *pool = make("forgot.task", NULL);
	int i, err = PTR_ERR_OR_ZERO(pool);

	for (i = 0; i <= NR_QUEUED && !err; i++) {
		/* owner NULL: an owner would pin this module, so that it could not be unloaded */
		wpool_task_init_abortable(&tasks[i], run, run_not, NULL);
		err = wpool_submit(pool, &tasks[i]);
	}
	return err;
}

static int leave_closed(void)
{
	struct wpool *pool = make("forgot.shut", NULL);

	return PTR_ERR_OR_ZERO(pool) ?: wpool_release(pool, WPOOL_RELEASE_DRAIN);
}

static int linger_on_default(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(lined_up); i++)
		wpool_task_init(&lined_up[i], line_up);
	wpool_task_init(&on_default, linger);
	err = wpool_submit(wpool_default(), &on_default);
	if (err)
		return err;
	wait_for_completion(&lingers);
	return linger_err;
}

static int line_up_on_default(void)
{
	struct wpool *pool = wpool_default();
	unsigned int i;
	int err = wpool_group_init(&group, pool, WPOOL_UNLIMITED, NULL);

	for (i = 1; i < ARRAY_SIZE(lined_up) && !err; i++) {
		/* urgent tasks are in another queue */
		wpool_task_set_urgent(&lined_up[i], i == 2);
		err = wpool_submit(pool, &lined_up[i]);
	}
	wpool_group_task_init(&in_group, line_up_in_group, NULL);
	wpool_strand_init(&strand, pool, 1);
	wpool_strand_task_init(&in_strand, &strand, line_up_in_strand, NULL);
	wpool_event_init(&event, pool, line_up_as_event, NULL);
	wpool_event_fire(&event);
	return err ?: wpool_group_submit(&group, &in_group) ?: wpool_strand_try_submit(&in_strand);
}

static int __init wpool_forget_init(void)
{
	int err;

	if (anonymous)
		return PTR_ERR_OR_ZERO(make("forgot.none", NULL));
	err = leave_closed() ?: leave_calls() ?: leave_tasks() ?: linger_on_default() ?:
	      line_up_on_default();
	if (!err && refuse)
		err = -EAGAIN;
	if (err)
		complete_all(&going);
	return err;
}

static void __exit wpool_forget_exit(void)
{
	/* wpool_destroy() is missing here on purpose */
	complete_all(&going);
}

module_init(wpool_forget_init);
module_exit(wpool_forget_exit);

MODULE_DESCRIPTION("A module that forgets to destroy its pools");
MODULE_LICENSE("GPL");
