// SPDX-License-Identifier: GPL-2.0
/*
 * Preferences of a submit through /dev/wpool: urgent tasks start before others, and tasks with a
 * CPU are queued on that CPU.
 */
#include "submitter.h"
#include "work_fixture.h"

#include <sys/eventfd.h>

#define ON	WPOOL_DEV_SUBMIT_ON
#define BOUND	100

FIXTURE(urgent)
{
	struct pool pool;	/* one worker, an unlimited queue */
	int ready;		/* a readable file */
};

FIXTURE_VARIANT(urgent)
{
	struct wpool_dev_work work;
	bool group;
};

FIXTURE_VARIANT_ADD(urgent, noop) { .work = { .kind = WPOOL_WORK_NOOP } };
FIXTURE_VARIANT_ADD(urgent, tree) { .work = { .kind = WPOOL_WORK_TREE, .depth = 1, .fanout = 1 } };
FIXTURE_VARIANT_ADD(urgent, timer) { .work = { .kind = WPOOL_WORK_TIMER } };
FIXTURE_VARIANT_ADD(urgent, strand) { .work = { .kind = WPOOL_WORK_STRAND } };
FIXTURE_VARIANT_ADD(urgent, poll) { .work = { .kind = WPOOL_WORK_POLL } };
FIXTURE_VARIANT_ADD(urgent, group) { .work = { .kind = WPOOL_WORK_NOOP }, .group = true };

FIXTURE_SETUP(urgent)
{
	self->ready = eventfd(1, EFD_CLOEXEC);
	ASSERT_LE(0, self->ready);
	ASSERT_EQ(0, pool_create(&self->pool, SINGLE_POOL));
	if (variant->group)
		ASSERT_EQ(0, group_init(self->pool.fd, BOUND));
}

FIXTURE_TEARDOWN(urgent)
{
	close(self->ready);
	pool_end(&self->pool);
}

/* The urgent task is queued last and starts first. */
TEST_F(urgent, starts_first)
{
	struct wpool_dev_work work = variant->work;
	struct wpool_dev_record records[4];
	int fd = self->pool.fd;

	work.flags = WPOOL_WORK_URGENT;
	work.cookie = 4;
	if (work.kind == WPOOL_WORK_POLL)
		work.arg = self->ready;
	ASSERT_EQ(0, occupy(fd, 1, 1));
	ASSERT_EQ(0, submit_many(fd, WPOOL_WORK_NOOP, 0, 2, 2));
	ASSERT_EQ(0, submit_flags(fd, &work, 1, 0, NULL));
	/* the timer's task is queued when the timer has fired */
	ASSERT_TRUE(WAIT_FOR(pool_figure(fd, queued) == 3));
	EXPECT_EQ(0, cancel(fd, 0, 1, NULL, NULL));
	ASSERT_EQ(4, read_records(fd, records, 4));
	EXPECT_EQ(1, records[0].cookie);
	EXPECT_EQ(4, records[1].cookie);
	EXPECT_EQ(0, records[1].status);
	EXPECT_EQ(2, records[2].cookie);
	EXPECT_EQ(3, records[3].cookie);
}

FIXTURE(on)
{
	struct pool pool;	/* a worker for each of two CPUs */
	int cpu[2];
};

FIXTURE_SETUP(on)
{
	unsigned int nr = 0;
	cpu_set_t allowed;
	__u64 mask = 0;
	int cpu;

	ASSERT_EQ(0, sched_getaffinity(0, sizeof(allowed), &allowed));
	for (cpu = 0; cpu < 64 && nr < 2; cpu++)
		if (CPU_ISSET(cpu, &allowed)) {
			self->cpu[nr++] = cpu;
			mask |= 1ULL << cpu;
		}
	ASSERT_LE(1, nr);
	if (nr == 1)
		self->cpu[1] = -1;
	ASSERT_EQ(0, pool_create(&self->pool,
				 ATTRS(.capacity = 2, .queue_depth = WPOOL_DEV_UNLIMITED,
				       .prealloc = 1, .hog_ms = 10000,
				       .cpumask_bytes = sizeof(mask),
				       .cpumask = (uintptr_t)&mask)));
}

FIXTURE_TEARDOWN(on)
{
	pool_end(&self->pool);
}

/* Submit one task. Did it run on @cpu? */
static bool runs_on(int fd, int cpu, __u32 flags)
{
	struct wpool_dev_work work = { .kind = WPOOL_WORK_NOOP };
	struct wpool_dev_record record;

	return WAIT_FOR(pool_figure(fd, idle) == 2) &&
	       !submit_on(fd, &work, 1, ON | flags, cpu, NULL) &&
	       read_records(fd, &record, 1) == 1 && !record.status && record.cpu == (__u32)cpu;
}

/* Submit 128 tasks, half to each CPU. Did at least 100 run where they should? */
static bool most_run_there(int fd, const int *cpu, __u32 flags)
{
	unsigned int i, right = 0;

	for (i = 0; i < 128; i++)
		right += runs_on(fd, cpu[(i ^ i / 2) % 2], flags);
	return right >= 100;
}

/*
 * Most tasks run on the CPU that they prefer. If the worker of that CPU gets no time there, the
 * other worker runs the task.
 */
TEST_F(on, runs_there)
{
	if (self->cpu[1] < 0)
		SKIP(return, "needs 2 CPUs");
	EXPECT_TRUE(WAIT_FOR(most_run_there(self->pool.fd, self->cpu, 0)));
	EXPECT_TRUE(WAIT_FOR(most_run_there(self->pool.fd, self->cpu, WPOOL_DEV_SUBMIT_NONBLOCK)));
}

TEST_F(on, tasks_without_a_cpu)
{
	static const __u32 kinds[] = { WPOOL_WORK_TIMER, WPOOL_WORK_STRAND, WPOOL_WORK_POLL };
	struct wpool_dev_work works[2] = { };
	int fd = self->pool.fd;
	__u32 accepted;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		works[1].kind = kinds[i];
		EXPECT_EQ(-EINVAL, submit_on(fd, works, 2, ON, self->cpu[0], &accepted))
			TH_LOG("kind %u", kinds[i]);
		EXPECT_EQ(0, accepted);
	}
	works[1].kind = WPOOL_WORK_NOOP;
	EXPECT_EQ(0, submit_on(fd, works, 2, ON, self->cpu[0], &accepted));
	EXPECT_EQ(2, accepted);
	ASSERT_EQ(0, group_init(fd, BOUND));
	EXPECT_EQ(-EINVAL, submit_on(fd, works, 2, ON, self->cpu[0], &accepted));
	EXPECT_EQ(0, accepted);
	EXPECT_EQ(2, pool_figure(fd, file_submitted));
}

/* If the pool is full, a non-blocking submit fails; a blocking one waits for a signal or room. */
TEST_F(block, on)
{
	struct wpool_dev_work works[2] = { { .kind = WPOOL_WORK_SLEEP, .arg = LONG } };
	struct submitter sub;
	__u32 accepted;
	unsigned int i;

	works[1] = works[0];
	EXPECT_EQ(0, submit_on(self->pool.fd, works, 2, ON | WPOOL_DEV_SUBMIT_NONBLOCK, 0,
			       &accepted));
	EXPECT_EQ(1, accepted);
	EXPECT_EQ(-EAGAIN, submit_on(self->pool.fd, works, 2, ON | WPOOL_DEV_SUBMIT_NONBLOCK, 0,
				     &accepted));
	EXPECT_EQ(0, accepted);
	ASSERT_EQ(0, on_signal(SIGUSR1, 0));
	for (i = 0; i < 2; i++) {
		sub = (struct submitter){ .fd = self->second, .nr = 1, .flags = ON };
		ASSERT_EQ(0, pthread_create(&sub.thread, NULL, submitter_run, &sub));
		ASSERT_TRUE(WAIT_FOR(pool_figure(self->second, waiting) == 1));
		EXPECT_EQ(0, i ? cancel_all(self->pool.fd) : pthread_kill(sub.thread, SIGUSR1));
		EXPECT_EQ(i ? 0 : -EINTR, submitter_end(&sub));
		EXPECT_EQ(i, sub.accepted);
	}
	EXPECT_EQ(0, wait_tasks(self->second, 0));
}

TEST_HARNESS_MAIN
