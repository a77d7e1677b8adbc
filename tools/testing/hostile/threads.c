// SPDX-License-Identifier: GPL-2.0
/*
 * A machine without a free thread: this program forks until it gets EAGAIN, because
 * kernel.threads-max or kernel.pid_max is reached. A pool continues with its existing workers, and
 * gets more workers when threads are free again.
 */
#include "hostile.h"

#include <sys/wait.h>

#define CAPACITY	8
#define NR_TASKS	500
#define MAX_CHILDREN	8000
/* limit() leaves room for this many forks. */
#define SPARE		200

FIXTURE(threads) {
	struct pool pool;
	pid_t children[MAX_CHILDREN];
	int nr;
	long before;
};

FIXTURE_VARIANT(threads) {
	const char *knob;
};

FIXTURE_VARIANT_ADD(threads, threads_max) { .knob = "/proc/sys/kernel/threads-max" };
FIXTURE_VARIANT_ADD(threads, pid_max) { .knob = "/proc/sys/kernel/pid_max" };

static void release_children(struct _test_data_threads *self)
{
	int i;

	for (i = 0; i < self->nr; i++)
		kill(self->children[i], SIGKILL);
	for (i = 0; i < self->nr; i++)
		waitpid(self->children[i], NULL, 0);
	self->nr = 0;
}

FIXTURE_SETUP(threads)
{
	self->before = file_number(variant->knob, 0);
	ASSERT_LT(0, self->before);
	ASSERT_EQ(0, pool_create(&self->pool,
				 ATTRS(.capacity = CAPACITY, .queue_depth = NR_TASKS,
				       .expiry_ms = 10, .min_workers = 1)));
}

FIXTURE_TEARDOWN(threads)
{
	put_number(variant->knob, self->before);
	release_children(self);
	pool_end(&self->pool);
}

/* The number of threads that exist, as the kernel counts them against threads-max. */
static long nr_threads(void)
{
	char line[128], *slash;

	if (file_read("/proc/loadavg", line, sizeof(line)))
		return 0;
	slash = strchr(line, '/');
	return slash ? atol(slash + 1) : 0;
}

/* A limit for @knob that SPARE forks reach. */
static long limit(const char *knob)
{
	pid_t last;

	if (!strstr(knob, "pid_max"))
		return nr_threads() + SPARE;
	/* pids are given out in ascending order, and then from 300 again */
	last = fork();
	if (!last)
		_exit(0);
	waitpid(last, NULL, 0);
	return (last > 300 ? last : 301) + SPARE;
}

/* Fork until the kernel refuses it. Returns the errno. */
static int use_up(struct _test_data_threads *self)
{
	pid_t pid;

	while (self->nr < MAX_CHILDREN) {
		pid = fork();
		if (pid < 0)
			return errno;
		if (!pid) {
			pause();
			_exit(0);
		}
		self->children[self->nr++] = pid;
	}
	return 0;
}

TEST_F(threads, none_is_left_tasks_run_and_workers_come_later)
{
	__u64 spawned, failed, busy;

	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 0));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, completed) == 1));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, workers) == 1));
	spawned = pool_figure(self->pool.fd, spawned);
	failed = attr_number(self->pool.name, "spawn_failed");

	ASSERT_EQ(0, put_number(variant->knob, limit(variant->knob)));
	ASSERT_EQ(EAGAIN, use_up(self));
	TH_LOG("%d forks were possible", self->nr);
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, MSEC, 1, NR_TASKS));
	EXPECT_TRUE(WAIT_FOR(attr_number(self->pool.name, "spawn_failed") > (long long)failed));
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, completed) == 1 + NR_TASKS));
	/* another kernel thread may have ended, and made room for a worker */
	EXPECT_GT(CAPACITY / 2, pool_figure(self->pool.fd, spawned) - spawned);
	TH_LOG("%lld workers could not be made", attr_number(self->pool.name, "spawn_failed"));

	/* there is still no free thread; keep the existing workers busy */
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 1000, CAPACITY));
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, busy) >= 1));
	EXPECT_GT(CAPACITY, pool_figure(self->pool.fd, busy));
	ASSERT_EQ(0, put_number(variant->knob, self->before));
	release_children(self);
	EXPECT_EQ(0, all_busy(self->pool.fd, CAPACITY, &busy))
		TH_LOG("%llu workers came", busy);
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_WHOLE(self->pool.fd, CAPACITY + NR_TASKS);
}

TEST_HARNESS_MAIN
