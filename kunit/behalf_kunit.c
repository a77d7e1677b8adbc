// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that act on behalf of another thread: wpool_group_act_for_me(). The selftest dev_behalf
 * tests a process that ends before its tasks, and a submitter that is another process.
 */
#include <linux/kthread.h>

#include "behalf.h"
#include "full_pool.h"

#define NR_TASKS	100

static void look_for_traces(struct wpk_job *job)
{
	/* only current->cred and current->real_cred refer to a worker's credentials */
	job->ret = current->mm || current_cred() != current_real_cred() ||
		   atomic_long_read(&current_cred()->usage) != 2;
}

/* A plain task finds neither the mm nor the credentials of the client in its worker. */
static void expect_no_traces(struct kunit *test, struct wpool *pool)
{
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);

	jobs->job[0].body = look_for_traces;
	wpk_job_run(test, pool, &jobs->job[0]);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
}

static void wpool_group_acts_with_memory_and_credentials(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpool_group *group = wpk_group(test, pool, WPOOL_UNLIMITED);
	struct wpk_client *client = wpk_client(test);
	struct wpk_member *members = wpk_client_members(test, client, group, NULL, NR_TASKS);

	wpk_members_submit(test, members, NR_TASKS);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), 0);
	KUNIT_EXPECT_EQ(test, wpk_client_counted(test, client), NR_TASKS);
	KUNIT_EXPECT_EQ(test, atomic_read(&client->strangers), 0);
	wpk_client_expect_refs(test, client, 1);
	expect_no_traces(test, pool);
	KUNIT_EXPECT_EQ(test, wpool_group_exit(group), 0);
	wpk_client_expect_refs(test, client, 0);
}

/* Set @status: 1: the task has an mm; 2: other credentials than its worker; 3: neither. */
static void look_for_memory(struct wpk_member *member)
{
	member->status = current->mm ? 1 : current_cred() != current_real_cred() ? 2 : 3;
}

static void wpool_group_acts_with_one_of_them(struct kunit *test)
{
	static const unsigned int what[] = { WPOOL_AS_MM, WPOOL_AS_CREDS };
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpk_client *client = wpk_client(test);
	int i;

	for (i = 0; i < 2; i++) {
		struct wpool_group *group = wpk_group(test, pool, 1);
		struct wpk_member *member = wpk_members(test, group, NULL, 1);

		KUNIT_ASSERT_EQ(test, wpool_group_act_for_me(group, what[i]), 0);
		member->body = look_for_memory;
		wpk_members_submit(test, member, 1);
		KUNIT_EXPECT_EQ(test, wpool_group_wait(group), 0);
		/* the client's credentials equal a worker's, but are another object */
		KUNIT_EXPECT_EQ(test, member->status, i + 1);
	}
	wpk_client_expect_refs(test, client, 0);
}

static void take_off(struct wpk_member *member)
{
	struct wpk_client *client = member->arg;

	kthread_unuse_mm(client->mm);
	revert_creds(current_real_cred());
}

static void leave_more(struct wpk_member *member)
{
	current->journal_info = member;
}

/* Tasks take off the client's mm and credentials, or set journal_info: no reference leaks. */
static void wpool_group_task_leaves_something_references_are_as_before(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpool_group *group = wpk_group(test, pool, WPOOL_UNLIMITED);
	struct wpk_client *client = wpk_client(test);
	struct wpk_member *members = wpk_client_members(test, client, group, NULL, NR_TASKS);
	int i;

	for (i = 0; i < NR_TASKS; i++)
		members[i].body = i % 2 ? take_off : leave_more;
	wpk_members_submit(test, members, NR_TASKS);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), 0);
	wpk_client_expect_refs(test, client, 1);
	expect_no_traces(test, pool);
}

/* A full pool whose submitters run their tasks. */
static struct wpool *full_pool_that_runs(struct kunit *test)
{
	return wpk_fill(test, wpk_pool_with(test, 1, 0, attrs.policy = WPOOL_RUN)).pool;
}

static int submit_and_look(struct wpk_thread *thread)
{
	return wpk_member_submit(thread->arg) ?: current->mm ? -EPROTO : 0;
}

/*
 * A task acts for the client also if its submitter runs it: first a kernel thread without an mm,
 * then this thread, which has the mm already.
 */
static void wpool_group_acts_in_its_submitter(struct kunit *test)
{
	struct wpool *pool = full_pool_that_runs(test);
	struct wpool_group *group = wpk_group(test, pool, WPOOL_UNLIMITED);
	struct wpk_client *client = wpk_client(test);
	struct wpk_member *members = wpk_client_members(test, client, group, NULL, 2);

	KUNIT_EXPECT_EQ(test, wpk_join(test, wpk_thread(test, submit_and_look, NULL, NULL,
							&members[0])), 0);
	/* this thread has the mm already */
	KUNIT_EXPECT_EQ(test, wpk_member_submit(&members[1]), 0);
	KUNIT_EXPECT_PTR_EQ(test, current->mm, client->mm);
	KUNIT_EXPECT_EQ(test, wpk_client_counted(test, client), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&client->strangers), 0);
	wpk_client_expect_refs(test, client, 1);
}

static struct mm_struct *outer_mm;

static void submit_with_mm(struct wpk_job *job)
{
	kthread_use_mm(outer_mm);
	job->ret = wpk_member_submit(job->arg);
	if (current->mm != outer_mm)
		job->ret = -EPROTO;
	kthread_unuse_mm(outer_mm);
}

/*
 * A submitter with another mm does not run a member, whose abort function gets -EPERM. The
 * submitter is a task of another pool.
 */
static void wpool_group_acts_inside_a_task_with_an_mm_is_eperm(struct kunit *test)
{
	struct wpool *pool = full_pool_that_runs(test);
	struct wpool_group *group = wpk_group(test, pool, WPOOL_UNLIMITED);
	struct wpk_client *client = wpk_client(test);
	struct wpk_member *member = wpk_client_members(test, client, group, NULL, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct wpool *other = wpk_pool(test, 1, 1);

	outer_mm = wpk_mm_of_init(test);
	wpk_job_body(&jobs->job[0], submit_with_mm, member);
	wpk_job_run(test, other, &jobs->job[0]);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, member->status, -EPERM);
	KUNIT_EXPECT_EQ(test, wpk_client_counted(test, client), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&client->strangers), 0);
	wpk_client_expect_refs(test, client, 1);
	expect_no_traces(test, other);
	mmput(outer_mm);
}

static void wpool_group_acts_its_abort_functions_do_not(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpool_group *group = wpk_group(test, pool, WPOOL_UNLIMITED);
	struct wpk_client *client = wpk_client(test);
	struct wpk_member *members = wpk_client_members(test, client, group, gate, 2);

	wpk_members_submit_behind_first(test, members, 2);
	wpool_group_cancel(group);
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), -ECANCELED);
	KUNIT_EXPECT_EQ(test, members[1].status, -ECANCELED);
	KUNIT_EXPECT_EQ(test, atomic_read(&client->strangers), 0);
}

/* A member runs a plain task inside itself. Then the member has its mm and credentials again. */
struct inside {
	struct wpool *pool;
	struct wpk_client *client;
	struct wpk_job *job;
	int err;
};

static void run_one_inside(struct wpk_member *member)
{
	struct inside *inside = member->arg;

	inside->err = wpool_submit(inside->pool, &inside->job->task) ?:
		      wpool_task_wait(&inside->job->task);
	if (current->mm != inside->client->mm || current_cred() != inside->client->cred)
		atomic_inc(&inside->client->strangers);
}

WPK_PARAM_BOOL(waits, "waits for it in its own pool: %d");

/*
 * A member waits for a plain task of its own pool, or runs one of another pool, which is full. The
 * task has no mm and no other credentials.
 */
static void wpool_task_inside_one_that_acts_finds_nothing(struct kunit *test)
{
	struct wpool *of = wpk_pool(test, 1, 1);
	struct wpool *pool = wpk_is_on(test) ? of : full_pool_that_runs(test);
	struct wpool_group *group = wpk_group(test, of, 1);
	struct wpk_member *member = wpk_members(test, group, NULL, 1);
	struct wpk_jobs *jobs = wpk_jobs(test, 1, NULL);
	struct inside *inside = wpk_alloc(test, sizeof(*inside));

	*inside = (struct inside) { .pool = pool, .client = wpk_client(test), .job = jobs->job };
	KUNIT_ASSERT_EQ(test, wpk_client_act(inside->client, group), 0);
	jobs->job[0].body = look_for_traces;
	member->body = run_one_inside;
	member->arg = inside;
	wpk_members_submit(test, member, 1);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), 0);
	KUNIT_EXPECT_EQ(test, inside->err, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&jobs->job[0].runs), 1);
	KUNIT_EXPECT_EQ(test, jobs->job[0].ret, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&inside->client->strangers), 0);
	wpk_client_expect_refs(test, inside->client, 1);
}

static int act_with_mm(struct wpk_thread *thread)
{
	int err;

	kthread_use_mm(outer_mm);
	err = wpool_group_act_for_me(thread->arg, WPOOL_AS_MM);
	kthread_unuse_mm(outer_mm);
	return err;
}

#define NR_INSIDE	8	/* more references than the idle CPUs of a small machine hold */
#define NR_KEPT		100

static atomic_t nr_inside;

/* Submit the member @arg. Its pool is full, so the submit runs the member. */
static void submit_another(struct wpk_member *member)
{
	struct mm_struct *mm = current->mm;

	member->status = wpk_member_submit(member->arg);
	if (current->mm != mm)
		member->status = -EPROTO;
}

/* Count the references to the mm when all members are inside. */
static void count_references(struct wpk_member *member)
{
	struct wpk_client *client = member->arg;
	unsigned long end = jiffies + WPK_PATIENCE / 2;

	atomic_inc(&nr_inside);
	while (atomic_read(&nr_inside) < NR_INSIDE && time_before(jiffies, end))
		schedule_timeout_uninterruptible(1);
	member->status = atomic_read(&client->mm->mm_count);
	atomic_inc(&nr_inside);
	while (atomic_read(&nr_inside) < 2 * NR_INSIDE && time_before(jiffies, end))
		schedule_timeout_uninterruptible(1);
}

/*
 * A task that acts for one client may run a task of another one inside itself, and then has its own
 * mm again. Each member of @outer runs a member of @inner.
 */
static void wpool_group_acts_inside_a_task_that_acts(struct kunit *test)
{
	struct wpool *pool = full_pool_that_runs(test);
	struct wpool *other = wpk_pool(test, NR_INSIDE, WPOOL_UNLIMITED);
	struct wpool_group *outer = wpk_group(test, other, NR_INSIDE);
	struct wpool_group *inner = wpk_group(test, pool, NR_INSIDE);
	struct wpk_member *outers = wpk_members(test, outer, NULL, NR_INSIDE);
	struct wpk_member *inners = wpk_members(test, inner, NULL, NR_INSIDE);
	struct wpk_client *client = wpk_client(test);
	int i;

	outer_mm = wpk_mm_of_init(test);
	KUNIT_ASSERT_EQ(test, wpk_client_act(client, outer), 0);
	KUNIT_ASSERT_EQ(test, wpk_join(test, wpk_thread(test, act_with_mm, NULL, NULL, inner)), 0);
	atomic_set(&nr_inside, 0);
	for (i = 0; i < NR_INSIDE; i++) {
		outers[i].body = submit_another;
		outers[i].arg = &inners[i];
		inners[i].body = count_references;
		inners[i].arg = client;
	}
	/* keep the mm even if the module drops too many references */
	for (i = 0; i < NR_KEPT; i++)
		mmgrab(client->mm);
	wpk_members_submit(test, outers, NR_INSIDE);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(outer), 0);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(inner), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&nr_inside), 2 * NR_INSIDE);
	for (i = 0; i < NR_INSIDE; i++) {
		KUNIT_EXPECT_EQ(test, outers[i].status, 0);
		/* mm_count: NR_KEPT, one of the group, and one that all mm_users share */
		KUNIT_EXPECT_GE(test, inners[i].status, NR_KEPT + 2);
	}
	for (i = 0; i < NR_KEPT; i++)
		mmdrop(client->mm);
	wpk_client_expect_refs(test, client, 1);
	mmput(outer_mm);
}

/* Whether a task acts for a client depends on its group, not on the task. */
static void wpool_group_task_goes_to_another_group(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpool_group *acts = wpk_group(test, pool, 1), *plain = wpk_group(test, pool, 1);
	struct wpk_member *member = wpk_members(test, acts, NULL, 1);
	int i;

	wpk_client(test);
	KUNIT_ASSERT_EQ(test, wpool_group_act_for_me(acts, WPOOL_AS_MM), 0);
	member->body = look_for_memory;
	for (i = 0; i < 4; i++) {
		member->group = i % 2 ? acts : plain;
		KUNIT_EXPECT_EQ(test, wpk_member_submit(member), 0);
		KUNIT_EXPECT_EQ(test, wpool_group_wait(member->group), 0);
		KUNIT_EXPECT_EQ(test, member->status, i % 2 ? 1 : 3);
	}
}

static void wpool_group_act_for_me_refuses(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, WPOOL_UNLIMITED);
	struct wpool_group *group = wpk_group(test, pool, 1), none = { };
	struct wpk_member *member = wpk_members(test, group, wpk_gate(test), 1);

	KUNIT_EXPECT_EQ(test, wpool_group_act_for_me(NULL, WPOOL_AS_CREDS), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpool_group_act_for_me(&none, WPOOL_AS_CREDS), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpool_group_act_for_me(group, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, wpool_group_act_for_me(group, WPOOL_AS_ALL + 1), -EINVAL);
	/* a kernel thread has no memory of a process */
	KUNIT_ASSERT_NULL(test, current->mm);
	KUNIT_EXPECT_EQ(test, wpool_group_act_for_me(group, WPOOL_AS_MM), -EINVAL);
	if (!IS_ENABLED(CONFIG_MEMCG))
		KUNIT_EXPECT_EQ(test, wpool_group_act_for_me(group, WPOOL_AS_MEMCG), -EOPNOTSUPP);
	if (!IS_ENABLED(CONFIG_BLK_CGROUP))
		KUNIT_EXPECT_EQ(test, wpool_group_act_for_me(group, WPOOL_AS_BLKCG), -EOPNOTSUPP);
	wpk_members_submit(test, member, 1);
	KUNIT_EXPECT_EQ(test, wpool_group_act_for_me(group, WPOOL_AS_CREDS), -EBUSY);
	wpk_gate_open(member->gate);
	KUNIT_EXPECT_EQ(test, wpool_group_wait(group), 0);
	KUNIT_EXPECT_EQ(test, wpool_group_act_for_me(group, WPOOL_AS_CREDS), 0);
	KUNIT_EXPECT_EQ(test, wpool_group_act_for_me(group, WPOOL_AS_CREDS), -EBUSY);
}

WPK_SUITE(behalf,
	  KUNIT_CASE(wpool_group_acts_with_memory_and_credentials),
	  KUNIT_CASE(wpool_group_acts_with_one_of_them),
	  KUNIT_CASE(wpool_group_task_leaves_something_references_are_as_before),
	  KUNIT_CASE(wpool_group_acts_in_its_submitter),
	  KUNIT_CASE(wpool_group_acts_inside_a_task_with_an_mm_is_eperm),
	  KUNIT_CASE(wpool_group_acts_its_abort_functions_do_not),
	  KUNIT_CASE_PARAM(wpool_task_inside_one_that_acts_finds_nothing, waits_gen_params),
	  KUNIT_CASE(wpool_group_acts_inside_a_task_that_acts),
	  KUNIT_CASE(wpool_group_task_goes_to_another_group),
	  KUNIT_CASE(wpool_group_act_for_me_refuses));
