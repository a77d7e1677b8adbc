// SPDX-License-Identifier: GPL-2.0
/*
 * A machine without memory: programs allocate more than there is, and the kernel kills one after
 * the other. The programs submit to a pool, and most of their threads wait for room. The pool must
 * lose no token of a killed program, run the tasks of others, and have all its room at the end.
 *
 * This runs only on a machine with little memory, as does the selftest mem_hog. The pool of mem_hog
 * has the attribute reclaim, and must run tasks meanwhile. This pool only has to survive.
 */
#include "hostile.h"
#include "mem_hog.h"

#define STACK		(64 * 1024)
#define NR_CHILDREN	4
/* Submitting threads of each child: all together submit more than the pool has room for. */
#define NR_SUBMITTERS	32
/* The test ends after the kernel has killed this number of programs. */
#define NR_KILLED	12
#define CAPACITY	16
#define QUEUE_DEPTH	64

/* A thread that waits for room nearly all the time, so that the kill finds it waiting. */
static void *submit_for_ever(void *data)
{
	int fd = *(int *)data;

	for (;;)
		submit(fd, WPOOL_WORK_SLEEP, MSEC, 0);
	return NULL;
}

/*
 * Many threads of this process submit through one file, which keeps the pool full. The process
 * allocates more and more memory, so the kernel kills this process first.
 */
static void hog(const char *pool)
{
	int i, fd = pool_attach(pool, 0);
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK);
	/* some threads may fail for want of memory */
	for (i = 0; i < NR_SUBMITTERS; i++)
		pthread_create(&thread, &small, submit_for_ever, &fd);
	for (;;) {
		take_memory(2 * MB);
		submit_many(fd, WPOOL_WORK_SLEEP, MSEC, 0, 4);
		submit_many(fd, WPOOL_WORK_TOUCH, MB, 0, 2);
	}
}

TEST(submitters_are_killed_for_their_memory)
{
	pid_t children[NR_CHILDREN] = { };
	struct wpool_dev_record record;
	__u64 killed = 0, mine = 0, waiting = 0, now;
	struct pool pool;

	if (!is_small())
		SKIP(return, "too much memory to use it up: more than %u MB", MAX_MB);
	ASSERT_EQ(0, mlockall(MCL_CURRENT | MCL_FUTURE));
	ASSERT_EQ(0, pool_create(&pool, ATTRS(.capacity = CAPACITY, .queue_depth = QUEUE_DEPTH,
					      .expiry_ms = 1, .min_workers = 1)));
	/* the harness ends a test that takes too long */
	while (killed < NR_KILLED) {
		killed += replace_hogs(children, NR_CHILDREN, hog, pool.name);
		now = pool_figure(pool.fd, waiting);
		waiting = now > waiting ? now : waiting;
		/* a submit may fail for want of memory, but an accepted task must not be lost */
		if (submit(pool.fd, WPOOL_WORK_NOOP, 0, mine))
			continue;
		ASSERT_EQ(1, read_records(pool.fd, &record, 1))
			TH_LOG("task %llu is lost", mine);
		EXPECT_EQ(mine, record.cookie);
		EXPECT_EQ(0, record.status);
		mine++;
	}
	end_hogs(children, NR_CHILDREN);
	TH_LOG("%llu submitters were killed, %llu tasks of this one have run, %lld workers failed",
	       killed, mine, attr_number(pool.name, "spawn_failed"));
	EXPECT_LT(0, mine);
	/* more threads waited at once than one child has; now no task and no token is lost */
	EXPECT_LT(NR_SUBMITTERS, waiting);
	EXPECT_WHOLE(pool.fd, CAPACITY + QUEUE_DEPTH);
	EXPECT_ROOM(&pool, CAPACITY + QUEUE_DEPTH);
	ASSERT_EQ(0, submit_many(pool.fd, WPOOL_WORK_SLEEP, MSEC, 0, 200));
	EXPECT_EQ(0, wait_tasks(pool.fd, WAIT_NS));
	EXPECT_ROOM(&pool, CAPACITY + QUEUE_DEPTH);
	pool_end(&pool);
}

TEST_HARNESS_MAIN
