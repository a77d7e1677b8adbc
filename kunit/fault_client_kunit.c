// SPDX-License-Identifier: GPL-2.0
/* Deaths in objects that are built on tasks: events, strands, groups, loops, works. */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/string.h>
#include <linux/wpool_event.h>
#include <linux/wpool_parallel.h>

#include "behalf.h"
#include "die.h"
#include "strand_tasks.h"
#include "wq_items.h"

/* An event whose worker dies in its first run. */
struct mortal {
	struct wpool_event event;
	atomic_t runs;
	atomic_t aborts;
	int status;
	bool finishes;
};

static void mortal_fn(struct wpool_event *event)
{
	struct mortal *mortal = container_of(event, struct mortal, event);

	if (atomic_inc_return(&mortal->runs) > 1)
		return;
	if (mortal->finishes) {
		wpool_event_finish(event);
		memset(event, 0x5a, sizeof(*event));
	} else {
		wpool_event_fire(event);
	}
	wpk_die();
}

static void mortal_abort(struct wpool_event *event, int status)
{
	struct mortal *mortal = container_of(event, struct mortal, event);

	mortal->status = status;
	atomic_inc(&mortal->aborts);
}

static struct mortal *mortal_fire(struct kunit *test, bool finishes, struct wpool *pool)
{
	struct mortal *mortal = wpk_alloc(test, sizeof(*mortal));

	wpool_event_init(&mortal->event, pool, mortal_fn, mortal_abort);
	mortal->finishes = finishes;
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(&mortal->event));
	return mortal;
}

/* If an event fires again before its worker dies, the event is aborted and then runs once more. */
static void wpool_event_dies_is_aborted_and_runs_once_more(struct kunit *test)
{
	struct wpk_report *report = wpk_alloc(test, sizeof(*report));
	struct wpool *pool = wpk_reporting_pool(test, 1, 0, report);
	struct mortal *mortal = mortal_fire(test, false, pool);

	WPK_ASSERT_EVENTUALLY(test, atomic_read(&mortal->runs) == 2);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(&mortal->event), 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)mortal_fn);
	KUNIT_EXPECT_EQ(test, atomic_read(&mortal->aborts), 1);
	KUNIT_EXPECT_EQ(test, mortal->status, -EIO);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 1);
}

/* An event that begins to watch a file whose poll function dies. */
struct mortal_watch {
	struct wpool_event event;
	struct wpool_watch watch;
	struct wait_queue_head head;
	struct file *file;
	atomic_t aborts;
};

static __poll_t mortal_poll(struct file *file, poll_table *table)
{
	struct mortal_watch *mortal = file->private_data;

	poll_wait(file, &mortal->head, table);
	wpk_die();
	return 0;
}

static const struct file_operations mortal_fops = {
	.owner = THIS_MODULE,
	.poll = mortal_poll,
};

static void mortal_watch_fn(struct wpool_event *event)
{
	struct mortal_watch *mortal = container_of(event, struct mortal_watch, event);

	wpool_watch_file(&mortal->watch, event, mortal->file, EPOLLIN);
}

static void mortal_watch_abort(struct wpool_event *event, int status)
{
	struct mortal_watch *mortal = container_of(event, struct mortal_watch, event);

	wpool_watch_end(&mortal->watch);
	atomic_inc(&mortal->aborts);
}

/*
 * If the worker dies in wpool_watch_file(), the abort function ends the watch, whose entry is in
 * the wait queue.
 */
static void wpool_watch_file_dies_the_abort_function_ends_the_watch(struct kunit *test)
{
	struct mortal_watch *mortal = wpk_alloc(test, sizeof(*mortal));
	struct wpool *pool = wpk_pool(test, 1, 0);

	init_waitqueue_head(&mortal->head);
	mortal->file = anon_inode_getfile("[wpool_kunit]", &mortal_fops, mortal, O_RDONLY);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mortal->file);
	wpool_event_init(&mortal->event, pool, mortal_watch_fn, mortal_watch_abort);
	KUNIT_EXPECT_TRUE(test, wpool_event_fire(&mortal->event));
	WPK_ASSERT_EVENTUALLY(test, atomic_read(&mortal->aborts) == 1);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(&mortal->event), -EIO);
	KUNIT_EXPECT_FALSE(test, wq_has_sleeper(&mortal->head));
	KUNIT_EXPECT_EQ(test, file_count(mortal->file), 1);
	fput(mortal->file);
	/* a kernel thread leaves the last fput to a work item */
	flush_delayed_fput();
}

/* After wpool_event_finish() the memory of the event belongs to its function. */
static void wpool_event_dies_after_its_finish_is_not_touched(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 0);
	struct mortal *mortal = mortal_fire(test, true, pool);

	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, failed) == 1);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&mortal->aborts), 0);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(&mortal->event, 0x5a, sizeof(mortal->event)), NULL);
}

static void strand_task_dies(struct st *st)
{
	/* count the task out here, since its function never returns */
	atomic_dec(&st->of->inside);
	wpk_die();
}

/* The task submits itself again, then dies: the second submit is taken back. */
static void strand_task_dies_submitted(struct st *st)
{
	st->ret = wpool_strand_try_submit(&st->task);
	strand_task_dies(st);
}

/*
 * If the worker dies in a task of a strand, the strand continues with the next task, also in a pool
 * with one worker.
 */
static void wpool_strand_task_dies_the_strand_goes_on(struct kunit *test)
{
	struct wpk_report *report = wpk_alloc(test, sizeof(*report));
	struct wpool *pool = wpk_reporting_pool(test, 1, 0, report);
	struct st_strand *of = st_strand(test, pool, 8);
	struct st *st = st_tasks(test, of, NULL, 4);

	st[1].body = strand_task_dies;
	st[2].body = strand_task_dies_submitted;
	st_submit(test, st, 4);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	st_ran_in_order(test, st, 4);
	KUNIT_EXPECT_EQ(test, atomic_read(&of->returned), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[1].aborts), 1);
	KUNIT_EXPECT_EQ(test, st[1].status, -EIO);
	KUNIT_EXPECT_EQ(test, st[2].ret, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[2].aborts), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[2].runs), 1);
	KUNIT_EXPECT_EQ(test, wpool_strand_destroy(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	WPK_EVENTUALLY(test, atomic_read(&report->nr) == 2);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)st_fn);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, completed), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 1);
}

static void strand_part_dies(struct wpool_strand_task *task)
{
	atomic_inc(&st_of(task)->parts);
	wpk_die();
}

static void strand_part_runs(struct wpool_strand_task *task)
{
	atomic_inc(&st_of(task)->parts);
}

/* A task whose parallel part dies is aborted in its turn, even if the turn comes later. */
static void wpool_strand_parallel_part_dies_the_strand_goes_on(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	int i;
	struct wpool *pool = wpk_pool(test, 2, 4);
	struct st_strand *of = st_strand(test, pool, 8);
	struct st *st = st_tasks(test, of, NULL, 4);

	st[0].gate = gate;
	for (i = 1; i < 4; i++)
		wpool_strand_task_set_parallel(&st[i].task,
					       i == 2 ? strand_part_runs : strand_part_dies);
	st_submit(test, st, 3);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, failed) == 1 && atomic_read(&st[2].parts));
	KUNIT_EXPECT_EQ(test, atomic_read(&st[1].aborts), 0);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_strand_flush(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[1].aborts), 1);
	KUNIT_EXPECT_EQ(test, st[1].status, -EIO);
	KUNIT_EXPECT_EQ(test, st[2].seq, 2);
	st_submit(test, &st[3], 1);
	KUNIT_EXPECT_EQ(test, wpool_strand_destroy(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, st[3].status, -EIO);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&st[i].runs), !(i & 1));
	KUNIT_EXPECT_FALSE(test, of->twice);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 2);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 6);
}

static void strand_abort_dies(struct wpool_strand_task *task, int status)
{
	st_of(task)->status = status;
	atomic_inc(&st_of(task)->aborts);
	wpk_die();
}

/*
 * If the worker dies in an abort function, that is not called again, and the next task of the
 * strand has its turn.
 */
static void wpool_strand_abort_of_a_dead_part_dies_the_strand_goes_on(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpool *pool = wpk_pool(test, 2, 4);
	struct st_strand *of = st_strand(test, pool, 8);
	struct st *st = st_tasks(test, of, NULL, 3);

	st[0].gate = gate;
	wpool_strand_task_init(&st[1].task, &of->strand, st_fn, strand_abort_dies);
	wpool_strand_task_set_parallel(&st[1].task, strand_part_dies);
	st_submit(test, st, 3);
	WPK_ASSERT_EVENTUALLY(test, wpk_stat(pool, failed) == 1);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_strand_destroy(&of->strand), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[1].aborts), 1);
	KUNIT_EXPECT_EQ(test, st[1].status, -EIO);
	KUNIT_EXPECT_EQ(test, atomic_read(&st[2].runs), 1);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 2);
}

static void die_in_group(struct wpk_member *member)
{
	wpk_die();
}

/* A submitter that waits for room in the group gets the place of the dead task. */
static void wpool_group_task_dies_is_eio_and_the_group_lives(struct kunit *test)
{
	struct wpk_report *report = wpk_alloc(test, sizeof(*report));
	struct wpool *pool = wpk_reporting_pool(test, 1, 1, report);
	struct wpool_group *group = wpk_group(test, pool, 1);
	struct wpk_member *members = wpk_members(test, group, NULL, 2);

	members[0].body = die_in_group;
	wpk_members_submit(test, members, 2);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -EIO);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[0].aborts), 1);
	KUNIT_EXPECT_EQ(test, members[0].status, -EIO);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].runs), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].aborts), 0);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)wpk_member_fn);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 2);
}

static void group_abort_dies_once(struct wpool_group_task *task, int status)
{
	wpk_member_abort(task, status);
	if (atomic_read(&container_of(task, struct wpk_member, task)->aborts) == 1)
		wpk_die();
}

/*
 * If the worker dies in an abort function, that is not called again, and the group gets the place
 * back.
 */
static void wpool_group_abort_of_a_cancelled_task_dies_the_group_lives(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 1);
	struct wpool_group *group = wpk_group(test, pool, 2);
	struct wpk_member *members = wpk_members(test, group, NULL, 2);

	members[0].gate = wpk_gate(test);
	wpool_group_task_init(&members[1].task, wpk_member_fn, group_abort_dies_once);
	wpk_members_submit_behind_first(test, members, 2);
	wpool_group_cancel(group);
	wpk_gate_open(members[0].gate);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -EIO);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&members[1].aborts), 1);
	KUNIT_EXPECT_EQ(test, members[1].status, -ECANCELED);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 2);
}

/*
 * Workers that die in tasks of a group keep no reference to the client's mm or credentials. More of
 * them die than there are CPUs, since each idle CPU may hold a reference to the mm.
 */
static void wpool_group_task_dies_on_behalf_keeps_nothing(struct kunit *test)
{
	int i, nr = num_online_cpus() + 2;
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpool_group *group = wpk_group(test, pool, WPOOL_UNLIMITED);
	struct wpk_client *client = wpk_client(test);
	struct wpk_member *members = wpk_client_members(test, client, group, NULL, nr + 1);

	for (i = 0; i < nr; i++)
		members[i].body = die_in_group;
	wpk_members_submit(test, members, nr + 1);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -EIO);
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, members[i].status, -EIO);
	KUNIT_EXPECT_EQ(test, wpk_client_counted(test, client), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&client->strangers), 0);
	wpk_destroy(test, pool);
	/* the thread drops its credentials after a grace period of RCU */
	WPK_EVENTUALLY(test, atomic_long_read(&client->cred->usage) == client->usage + 1);
	wpk_client_expect_refs(test, client, 1);
}

/* A member runs a task inside itself, and the worker dies in that task. */
struct fatal {
	struct wpool *pool;
	struct wpk_job *job;
};

static void wait_for_fatal(struct wpk_member *member)
{
	struct fatal *fatal = member->arg;

	if (!wpool_submit(fatal->pool, &fatal->job->task))
		wpool_task_wait(&fatal->job->task);
}

/*
 * A task that acts for a client waits for another task, which runs inside it and kills the worker.
 * wpool_group_exit() drops the reference of the outer task to the mm.
 */
static void wpool_task_dies_inside_one_that_acts_keeps_nothing(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpool_group *group = wpk_group(test, pool, 1);
	struct wpk_member *member = wpk_members(test, group, NULL, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpk_client *client = wpk_client(test);
	struct fatal fatal = { .pool = pool, .job = jobs->job };

	KUNIT_ASSERT_EQ(test, wpk_client_act(client, group), 0);
	jobs->job[0].body = wpk_die_in_job;
	member->body = wait_for_fatal;
	member->arg = &fatal;
	wpk_members_submit(test, member, 1);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -EIO);
	KUNIT_EXPECT_EQ(test, member->status, -EIO);
	KUNIT_EXPECT_EQ(test, wpool_task_wait(&jobs->job[0].task), -EIO);
	kunit_release_action(test, wpk_group_exit, group);
	wpk_destroy(test, pool);
	/* the thread drops its credentials after a grace period of RCU */
	WPK_EVENTUALLY(test, atomic_long_read(&client->cred->usage) == client->usage);
	wpk_client_expect_refs(test, client, 0);
}

struct mortal_loop {
	struct task_struct *caller;
	atomic_t dead;
	atomic_t done;
};

/* The first helper dies. The caller continues only after that. */
static int loop_with_a_death(unsigned long from, unsigned long to, void *arg)
{
	struct mortal_loop *loop = arg;

	if (current != loop->caller) {
		if (!atomic_xchg(&loop->dead, 1))
			wpk_die();
	} else if (!wpk_eventually(atomic_read(&loop->dead))) {
		return -ETIME;
	}
	atomic_add(to - from, &loop->done);
	return 0;
}

/* The chunk of the dead helper is lost: wpool_parallel_for() returns -EIO, and does not hang. */
static void wpool_parallel_for_helper_dies_is_eio(struct kunit *test)
{
	struct mortal_loop loop = { .caller = current };
	struct wpk_report *report = wpk_alloc(test, sizeof(*report));
	struct wpool *pool = wpk_reporting_pool(test, 4, 0, report);

	wpk_need_cpus(test, 2);
	KUNIT_EXPECT_EQ(test, wpool_parallel_for(pool, 0, 1000, 1, loop_with_a_death, &loop), -EIO);
	KUNIT_EXPECT_LT(test, atomic_read(&loop.done), 1000);
	KUNIT_EXPECT_PTR_EQ(test, report->fault.func, (void *)loop_with_a_death);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 4);
}

/*
 * A task whose function calls wpool_parallel_for(), and dies in its first chunk. @both: the helper
 * dies, too.
 */
struct mortal_caller {
	struct wpool_task task;
	struct task_struct *thread;
	bool both;
	bool helped;
	atomic_t aborts;
	int status;
	atomic_t chunks;
	atomic_t late;
};

/* The helper returns, or dies, once the task is aborted, or else a moment after the caller dies. */
static int chunk_of_mortal_caller(unsigned long from, unsigned long to, void *arg)
{
	struct mortal_caller *caller = arg;
	unsigned long end;

	if (atomic_read(&caller->aborts))
		atomic_inc(&caller->late);
	atomic_inc(&caller->chunks);
	if (current == caller->thread) {
		wpk_eventually(READ_ONCE(caller->helped));
		wpk_die();
	}
	WRITE_ONCE(caller->helped, true);
	wpk_eventually(READ_ONCE(caller->thread->flags) & PF_EXITING);
	/* the task must not be aborted yet; with a pool that does so, the next chunk is late */
	end = jiffies + HZ / 10;
	while (!atomic_read(&caller->aborts) && time_before(jiffies, end))
		usleep_range(100, 200);
	if (caller->both)
		wpk_die();
	return 0;
}

static void mortal_caller_fn(struct wpool_task *task)
{
	struct mortal_caller *caller = container_of(task, struct mortal_caller, task);

	caller->thread = current;
	if (wpool_parallel_for(task->pool, 0, 1000, 1, chunk_of_mortal_caller, caller))
		atomic_inc(&caller->late);
}

static void mortal_caller_aborted(struct wpool_task *task, int status)
{
	struct mortal_caller *caller = container_of(task, struct mortal_caller, task);

	caller->status = status;
	atomic_inc(&caller->aborts);
}

WPK_PARAM_BOOL(both, "the helper, too: %d");

/*
 * What the loop uses may be freed when the abort function of the caller's task is called: no chunk
 * runs after it.
 */
static void wpool_parallel_for_caller_dies_no_chunk_runs_after_its_abort(struct kunit *test)
{
	bool both = wpk_is_on(test);
	struct mortal_caller *caller = wpk_alloc(test, sizeof(*caller));
	struct wpk_report *report = wpk_alloc(test, sizeof(*report));
	/* one helper */
	struct wpool *pool = wpk_reporting_pool(test, 2, 2, report);

	wpk_need_cpus(test, 2);
	caller->both = both;
	wpool_task_init_abortable(&caller->task, mortal_caller_fn, mortal_caller_aborted, NULL);
	KUNIT_ASSERT_EQ(test, wpool_submit(pool, &caller->task), 0);
	WPK_ASSERT_EVENTUALLY(test, atomic_read(&caller->aborts));
	KUNIT_EXPECT_EQ(test, caller->status, -EIO);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&caller->late), 0);
	/* a helper that lives may take chunks until the dying thread ends the loop */
	KUNIT_EXPECT_GE(test, atomic_read(&caller->chunks), 2);
	KUNIT_EXPECT_LE(test, atomic_read(&caller->chunks), both ? 2 : 999);
	KUNIT_EXPECT_EQ(test, atomic_read(&report->nr), 1 + both);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, failed), 1 + both);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 4);
}

static void die_once(struct wpk_item *item)
{
	if (item->left && item->left--)
		wpk_die();
}

/*
 * After a worker has died in a work, flushes of the work end, and its queue runs the other works.
 * With max_active 1 the queue has one runner.
 */
static void queue_work_dies_its_flush_ends_and_the_queue_goes_on(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpk_item *items = wpk_items(test, NULL, 2);
	struct workqueue_struct *wq = wpk_wq(test, WQ_UNBOUND, 1);
	struct wpk_thread *flushes[2];

	items[0].gate = gate;
	items[0].body = die_once;
	items[0].left = 1;
	queue_work(wq, wpk_work(&items[0]));
	KUNIT_ASSERT_TRUE(test, wpk_gate_arrived(gate, 1));
	flushes[0] = wpk_waiter(test, wpk_do_flush_work, NULL, NULL, &items[0]);
	/* queue the work once more, behind the run that dies */
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[0])));
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[1])));
	flushes[1] = wpk_waiter(test, wpk_do_flush_queue, NULL, NULL, wq);
	KUNIT_EXPECT_TRUE(test, wpk_still_waits(flushes[0]));
	KUNIT_EXPECT_EQ(test, wpk_open_and_join(test, gate, flushes[0]), 1);
	KUNIT_EXPECT_EQ(test, wpk_join(test, flushes[1]), 0);
	KUNIT_EXPECT_EQ(test, wpk_runs(&items[0]), 2);
	KUNIT_EXPECT_EQ(test, wpk_runs(&items[1]), 1);
	KUNIT_EXPECT_EQ(test, work_busy(wpk_work(&items[0])), 0);
	KUNIT_EXPECT_TRUE(test, queue_work(wq, wpk_work(&items[0])));
	wpk_wq_end(test, wq);
	KUNIT_EXPECT_EQ(test, wpk_runs(&items[0]), 3);
}

WPK_SUITE(fault_client,
	  KUNIT_CASE(wpool_event_dies_is_aborted_and_runs_once_more),
	  KUNIT_CASE(wpool_event_dies_after_its_finish_is_not_touched),
	  KUNIT_CASE(wpool_watch_file_dies_the_abort_function_ends_the_watch),
	  KUNIT_CASE(wpool_strand_task_dies_the_strand_goes_on),
	  KUNIT_CASE(wpool_strand_parallel_part_dies_the_strand_goes_on),
	  KUNIT_CASE(wpool_strand_abort_of_a_dead_part_dies_the_strand_goes_on),
	  KUNIT_CASE(wpool_group_task_dies_is_eio_and_the_group_lives),
	  KUNIT_CASE(wpool_group_abort_of_a_cancelled_task_dies_the_group_lives),
	  KUNIT_CASE(wpool_group_task_dies_on_behalf_keeps_nothing),
	  KUNIT_CASE(wpool_task_dies_inside_one_that_acts_keeps_nothing),
	  KUNIT_CASE(wpool_parallel_for_helper_dies_is_eio),
	  KUNIT_CASE_PARAM(wpool_parallel_for_caller_dies_no_chunk_runs_after_its_abort,
			   both_gen_params),
	  KUNIT_CASE(queue_work_dies_its_flush_ends_and_the_queue_goes_on));
