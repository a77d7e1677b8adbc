// SPDX-License-Identifier: GPL-2.0
/*
 * Phase group: clients share a pool, and each has a group. Threads, tasks and hard interrupts
 * submit to groups and cancel them, and threads wait, while the pool is tuned, closed and opened.
 * Other groups live for a few tasks only and are freed as soon as these have ended. Some groups act
 * on behalf of a process.
 *
 * Each accepted task must have run or been aborted, and no group may run more tasks than its bound.
 * In the end no group has a task left. A task has the memory and the credentials that its group has
 * taken over, and no others.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/wpool_group.h>

#include "torture.h"

#define NR_CLIENTS	2
#define NR_MEMBERS	16
#define NR_GUESTS	6	/* tasks of a struct visit, at most */

struct stage;
struct client;

/* A task of a client. */
struct member {
	struct wpool_group_task task;
	struct client *client;
	atomic_t busy;	/* the member was submitted, and has not ended */
	atomic_t ended;	/* how often the member has ended */
	u64 seed;
};

/* A group and its accounts. */
struct client {
	struct wpool_group group;
	struct stage *stage;
	u32 bound;
	struct tbehalf behalf;	/* what the group has taken over */
	struct member members[NR_MEMBERS];
	atomic_t inside;	/* functions that are running */
	atomic64_t accepted;
	atomic64_t runs;	/* functions that have started */
	atomic64_t aborts;
};

/* A pool and its clients. */
struct stage {
	struct stage_base base;
	struct client clients[NR_CLIENTS];
};

static struct member *any_member(struct stage *stage, struct rnd *rnd)
{
	struct client *client = &stage->clients[rnd_below(rnd, NR_CLIENTS)];

	return &client->members[rnd_below(rnd, NR_MEMBERS)];
}

/* Submit a member, unless it has not ended yet. */
static void submit(struct member *member, u64 task_seed, bool may_block)
{
	struct client *client = member->client;
	int err;

	if (atomic_cmpxchg(&member->busy, 0, 1))
		return;
	member->seed = task_seed;
	/* count the submit before the task can end; subtract it if the submit was refused */
	atomic64_inc(&client->accepted);
	if (!may_block)
		err = wpool_group_try_submit(&client->group, &member->task);
	else if (task_seed & 1)
		err = wpool_group_submit(&client->group, &member->task);
	else
		err = wpool_group_submit_interruptible(&client->group, &member->task);
	if (!err)
		return;
	atomic64_dec(&client->accepted);
	atomic_set_release(&member->busy, 0);
	torture_check(err == -EAGAIN || err == -ESHUTDOWN || err == -EDEADLK ||
		      (may_block && err == -ECANCELED), "error %d", err);
}

static void end_member(struct member *member)
{
	atomic_inc(&member->ended);
	/* last access to the member: its next submitter then sees this run's writes */
	atomic_set_release(&member->busy, 0);
}

static int member_fn(struct wpool_group_task *task)
{
	struct member *member = container_of(task, struct member, task);
	struct client *client = member->client;
	struct rnd rnd;

	atomic64_inc(&client->runs);
	torture_check(atomic_inc_return(&client->inside) <= client->bound,
		      "more than %u tasks of a group run", client->bound);
	tbehalf_check(&client->behalf);
	rnd_init(&rnd, member->seed);
	if (rnd_one_in(&rnd, 8))
		usleep_range(10, 500);
	if (rnd_one_in(&rnd, 4))
		submit(any_member(client->stage, &rnd), rnd_u64(&rnd), rnd_one_in(&rnd, 2));
	if (rnd_one_in(&rnd, 64))
		wpool_group_cancel(&client->group);
	tbehalf_check(&client->behalf);
	atomic_dec(&client->inside);
	end_member(member);
	return rnd_one_in(&rnd, 16) ? -EDOM : 0;
}

static void member_abort(struct wpool_group_task *task, int status)
{
	struct member *member = container_of(task, struct member, task);

	torture_check(status == -ECANCELED, "aborted with %d", status);
	atomic64_inc(&member->client->aborts);
	end_member(member);
}

static void check_error(int err)
{
	torture_check(!err || err == -EDOM || err == -ECANCELED, "wait: %d", err);
}

struct guest {
	struct wpool_group_task task;
	struct visit *visit;
};

/* A group that is freed after a few tasks. */
struct visit {
	struct wpool_group group;
	struct tbehalf behalf;
	struct guest guests[NR_GUESTS];
	atomic_t ended;
};

static int guest_fn(struct wpool_group_task *task)
{
	struct visit *visit = container_of(task, struct guest, task)->visit;

	tbehalf_check(&visit->behalf);
	atomic_inc(&visit->ended);
	return 0;
}

static void guest_abort(struct wpool_group_task *task, int status)
{
	atomic_inc(&container_of(task, struct guest, task)->visit->ended);
}

static void visit(struct stage *stage, struct rnd *rnd)
{
	struct visit *visit = kzalloc(sizeof(*visit), GFP_KERNEL);
	int i, accepted = 0, err;

	if (!visit)
		return;
	err = wpool_group_init(&visit->group, stage->base.sp->pool, rnd_from_to(rnd, 1, 4),
			       rnd_one_in(rnd, 2) ? THIS_MODULE : NULL);
	/* -ENOENT: this module is being unloaded */
	torture_check(!err || err == -ENOENT, "init: %d", err);
	err = err ?: tbehalf_give(&visit->behalf, &visit->group, rnd_below(rnd, WPOOL_AS_ALL + 1));
	for (i = 0; i < NR_GUESTS && !err; i++) {
		struct guest *guest = &visit->guests[i];

		wpool_group_task_init(&guest->task, guest_fn, guest_abort);
		wpool_task_set_urgent(&guest->task.task, i % 3 == 0);
		guest->visit = visit;
		accepted += !wpool_group_submit(&visit->group, &guest->task);
	}
	if (rnd_one_in(rnd, 4))
		wpool_group_cancel(&visit->group);
	if (!err && rnd_one_in(rnd, 2))
		check_error(wpool_group_wait(&visit->group));
	err = wpool_group_exit(&visit->group);
	torture_check(!err, "exit: %d", err);
	torture_check(atomic_read(&visit->ended) == accepted,
		      "%d tasks of a group were accepted, %d ended", accepted,
		      atomic_read(&visit->ended));
	memset(visit, 0xa5, sizeof(*visit));
	kfree(visit);
}

static void shoot(void *data, struct rnd *rnd)
{
	struct stage *stage = data;

	submit(any_member(stage, rnd), rnd_u64(rnd), false);
	if (rnd_one_in(rnd, 64))
		wpool_group_cancel(&stage->clients[rnd_below(rnd, NR_CLIENTS)].group);
}

static void one_round(void *data, struct rnd *rnd)
{
	struct stage *stage = data;
	struct member *member = any_member(stage, rnd);
	struct client *client = member->client;

	switch (rnd_below(rnd, 256)) {
	case 0 ... 23:
		check_error(wpool_group_wait(&client->group));
		break;
	case 24 ... 31:
		wpool_group_cancel(&client->group);
		break;
	case 32 ... 51:
		visit(stage, rnd);
		break;
	default:
		submit(member, rnd_u64(rnd), rnd_below(rnd, 4));
	}
}

static bool client_start(struct stage *stage, struct client *client, u32 bound,
			 unsigned int what)
{
	u32 i;
	int err;

	client->stage = stage;
	client->bound = bound;
	for (i = 0; i < NR_MEMBERS; i++) {
		client->members[i].client = client;
		wpool_group_task_init(&client->members[i].task, member_fn, member_abort);
	}
	err = wpool_group_init(&client->group, stage->base.sp->pool, bound, NULL);
	err = err ?: tbehalf_give(&client->behalf, &client->group, what);
	return torture_check(!err, "init: %d", err);
}

static bool start(void *data)
{
	struct stage *stage = data;
	u32 i;

	for (i = 0; i < NR_CLIENTS; i++)
		if (!client_start(stage, &stage->clients[i], 1 + 2 * i + stage->base.nr % 2,
				  i ? WPOOL_AS_ALL : 0))
			return false;
	return true;
}

static void client_stop(struct client *client)
{
	int err = wpool_group_exit(&client->group);
	u64 accepted = atomic64_read(&client->accepted), runs = atomic64_read(&client->runs),
	    aborts = atomic64_read(&client->aborts);

	torture_check(!err, "exit: %d", err);
	torture_check(accepted == runs + aborts && !atomic_read(&client->inside),
		      "a group accepted %llu tasks: %llu runs, %llu aborts, %d running",
		      accepted, runs, aborts, atomic_read(&client->inside));
	torture_count_tasks(runs);
}

/* Called when the pool is closed and empty: until then tasks submit tasks of other clients. */
static void settle(void *data)
{
	struct stage *stage = data;
	u32 i;

	for (i = 0; i < NR_CLIENTS; i++)
		client_stop(&stage->clients[i]);
}

const struct stage_kind group_stage = {
	.name = "group",
	.size = sizeof(struct stage),
	.hands = 3,
	.rnd = RND_GROUP,
	.start = start,
	.round = one_round,
	.shoot = shoot,
	.settle = settle,
};
