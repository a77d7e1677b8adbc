// SPDX-License-Identifier: GPL-2.0
/*
 * Phase watch: wake-ups of files fire events. Threads and soft interrupts make the wake-ups, while
 * watches begin and end, and the pool is tuned, closed and opened.
 *
 * A thing counts its posts, which are wake-ups of its file. While the file is watched, the function
 * must see each post: no wake-up is lost. The function never runs twice at once. The file is ready
 * while the function has not seen all posts.
 */
#include <linux/anon_inodes.h>
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <linux/wpool_event.h>

#include "torture.h"

#define NR_THINGS	8

struct stage;

/* An event with a watch. */
struct thing {
	struct wpool_event event;
	struct wpool_watch watch;	/* the watch of @file */
	struct stage *stage;
	u32 nr;
	struct wait_queue_head head;	/* the wait queue that is woken */
	struct file *file;	/* a file whose poll waits at @head */
	atomic64_t posted;	/* posts that have begun */
	atomic64_t seen;	/* of @posted, those that a run or an abort has seen */
	atomic64_t runs;	/* runs of the event's function */
	atomic_t inside;	/* functions that are running */
	bool watched;	/* the watch has begun; only the stage's thread uses it */
};

/* A pool and its watches. */
struct stage {
	struct stage_base base;
	struct thing things[NR_THINGS];
};

static __poll_t thing_poll(struct file *file, poll_table *table)
{
	struct thing *thing = file->private_data;

	poll_wait(file, &thing->head, table);
	return atomic64_read(&thing->seen) < atomic64_read(&thing->posted) ? EPOLLIN : EPOLLOUT;
}

static const struct file_operations thing_fops = {
	.owner = THIS_MODULE,
	.poll = thing_poll,
};

/* Count a post and wake the watchers. May be called in any context. */
static void post(struct thing *thing)
{
	atomic64_inc(&thing->posted);
	wake_up_poll(&thing->head, EPOLLIN);
}

/* A wake-up with events that no watch waits for. */
static void disturb(struct thing *thing)
{
	wake_up_poll(&thing->head, EPOLLPRI);
}

/* Called in a run or an abort, which sees all posts so far: note their number. */
static void see(struct thing *thing, bool slowly)
{
	s64 posted = atomic64_read(&thing->posted);

	stage_check(thing, atomic_inc_return(&thing->inside) == 1, "runs twice at once");
	if (slowly)
		usleep_range(10, 500);
	atomic64_set(&thing->seen, posted);
	atomic_dec(&thing->inside);
}

static void thing_fn(struct wpool_event *event)
{
	struct thing *thing = container_of(event, struct thing, event);

	see(thing, !(atomic64_inc_return(&thing->runs) % 16));
}

static void thing_abort(struct wpool_event *event, int status)
{
	struct thing *thing = container_of(event, struct thing, event);

	stage_check(thing, status == -ESHUTDOWN, "aborted with %d", status);
	see(thing, false);
}

static void watch_begin(struct thing *thing)
{
	int err;

	err = wpool_watch_file(&thing->watch, &thing->event, thing->file, EPOLLIN);
	stage_check(thing, err == (thing->watched ? -EBUSY : 0), "%d", err);
	thing->watched = true;
}

static void watch_end(struct thing *thing)
{
	wpool_watch_end(&thing->watch);
	thing->watched = false;
}

/* A wake-up of a watched file must be seen, however busy the pool is. */
static void expect(struct thing *thing)
{
	unsigned long end = jiffies + TORTURE_PATIENCE;
	s64 posted;

	if (!thing->watched)
		watch_begin(thing);
	post(thing);
	posted = atomic64_read(&thing->posted);
	while (atomic64_read(&thing->seen) < posted && time_before(jiffies, end))
		usleep_range(10, 200);
	stage_check(thing, atomic64_read(&thing->seen) >= posted,
		    "a wake-up is lost: %lld of %lld are seen", atomic64_read(&thing->seen),
		    posted);
}

static void shoot(void *data, struct rnd *rnd)
{
	struct stage *stage = data;

	post(&stage->things[rnd_below(rnd, NR_THINGS)]);
}

static void one_round(void *data, struct rnd *rnd)
{
	struct stage *stage = data;
	struct thing *thing;

	thing = &stage->things[rnd_below(rnd, NR_THINGS)];
	switch (rnd_below(rnd, 256)) {
	case 0 ... 39:
		watch_begin(thing);
		break;
	case 40 ... 69:
		watch_end(thing);
		break;
	case 90 ... 119:
		expect(thing);
		break;
	case 120 ... 149:
		disturb(thing);
		break;
	case 150 ... 159:
		if (thing->watched)
			wpool_watch_ready(&thing->watch);
		break;
	default:
		post(thing);
	}
}

static bool start(void *data)
{
	struct stage *stage = data;
	struct stage_pool *sp = stage->base.sp;
	u32 i;

	for (i = 0; i < NR_THINGS; i++) {
		struct thing *thing = &stage->things[i];

		thing->stage = stage;
		thing->nr = i;
		init_waitqueue_head(&thing->head);
		wpool_event_init(&thing->event, sp->pool, thing_fn, thing_abort);
		thing->file = anon_inode_getfile("torture", &thing_fops, thing, O_RDWR);
		if (IS_ERR(thing->file))
			return false;
	}
	return true;
}

static void settle(void *data)
{
	struct stage *stage = data;
	struct thing *thing;
	u32 i;
	int err;

	for (i = 0; i < NR_THINGS; i++) {
		thing = &stage->things[i];
		watch_end(thing);
		err = wpool_event_cancel_sync(&thing->event);
		stage_check(thing, !err || err == -ECANCELED || err == -ESHUTDOWN, "%d", err);
		/* all watches have ended */
		stage_check(thing, !waitqueue_active(&thing->head), "somebody waits");
		torture_count_tasks(atomic64_read(&thing->runs));
		fput(thing->file);
	}
}

const struct stage_kind watch_stage = {
	.name = "watch",
	.size = sizeof(struct stage),
	.hands = 1,
	.soft = true,
	.rnd = RND_WATCH,
	.start = start,
	.round = one_round,
	.shoot = shoot,
	.settle = settle,
};
