// SPDX-License-Identifier: GPL-2.0
/*
 * Pools that live for a moment. A thread of a stage makes such a pool, and no other thread submits
 * to it. So the room of the pool is known, whatever happens in other pools. wpool_nr_free() must
 * return exactly this room, and as many submits must succeed.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/module.h>

#include "torture.h"

/* A pool with so few tokens leaves none in the cache of a CPU. */
#define MAX_CAPACITY	3
#define MAX_DEPTH	3

struct guest {
	struct wpool_task task;
	struct completion *go;
};

static void guest_fn(struct wpool_task *task)
{
	wait_for_completion(container_of(task, struct guest, task)->go);
}

static void check_room(struct wpool *pool, const char *name, u32 nr)
{
	torture_check(wpool_nr_free(pool) == nr, "%s: room for %u, not %u", name,
		      wpool_nr_free(pool), nr);
}

/* Fill the pool, task by task, check its room, and empty it. */
static void fill(struct wpool *pool, const char *name, u32 limit)
{
	struct guest guests[MAX_CAPACITY + MAX_DEPTH + 1];
	DECLARE_COMPLETION_ONSTACK(go);
	unsigned long end;
	u32 i, nr = 0;
	int err;

	for (i = 0; i <= limit; i++) {
		check_room(pool, name, limit - i);
		guests[i].go = &go;
		wpool_task_init(&guests[i].task, guest_fn);
		err = wpool_try_submit(pool, &guests[i].task);
		torture_check(err == (i < limit ? 0 : -EAGAIN), "%s: submit %u of %u: %d", name,
			      i, limit, err);
		nr += !err;
	}
	complete_all(&go);
	for (i = 0; i < nr; i++) {
		err = wpool_task_wait(&guests[i].task);
		torture_check(!err, "%s: wait: %d", name, err);
	}
	for (i = 0; i <= limit; i++)
		wpool_task_destroy_on_stack(&guests[i].task);
	/* the wait for a task may end a moment before the task's token is free */
	end = jiffies + TORTURE_PATIENCE;
	while (wpool_nr_free(pool) != limit && time_before(jiffies, end))
		usleep_range(10, 100);
	check_room(pool, name, limit);
}

void room_visit(const char *kind, u32 nr, u32 hand, struct rnd *rnd)
{
	struct wpool_attrs attrs;
	char name[WPOOL_NAME_LEN];
	struct wpool *pool;
	int err;

	snprintf(name, sizeof(name), "room-%s%u.%u", kind, nr, hand);
	wpool_attrs_init(&attrs);
	attrs.name = name;
	attrs.capacity = rnd_from_to(rnd, 1, MAX_CAPACITY);
	attrs.queue_depth = rnd_from_to(rnd, 0, MAX_DEPTH);
	pool = wpool_create(&attrs);
	if (torture_check(!IS_ERR(pool), "%s: create: %ld", name, PTR_ERR(pool))) {
		fill(pool, name, attrs.capacity + attrs.queue_depth);
		err = wpool_release(pool, WPOOL_RELEASE_DRAIN);
		torture_check(!err, "%s: release: %d", name, err);
		check_room(pool, name, 0);
	}
	wpool_destroy(pool);
	pool = wpool_find(name);
	torture_check(!pool, "%s: it is still there", name);
	wpool_put(pool);
}
