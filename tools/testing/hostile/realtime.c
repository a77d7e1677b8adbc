// SPDX-License-Identifier: GPL-2.0
/*
 * A real-time thread occupies CPU HELD_CPU, and nothing throttles it. Another CPU must run the
 * tasks that are queued on HELD_CPU, so that they do not wait for the thread.
 *
 * The thread holds its CPU for at least HOLD_NS, and until the program has read the records of all
 * tasks: each of them has started before the hold ends.
 */
#include "hostile.h"

#define HOLD_NS		(5 * SEC)
#define NR_TASKS	21
#define HELD_CPU	1
#define RUNTIME		"/proc/sys/kernel/sched_rt_runtime_us"
/* Since 6.12 the scheduler has a server that gives starved threads a share of the CPU. */
#define SERVER		"/sys/kernel/debug/sched/fair_server/cpu1/runtime"

FIXTURE(rt) {
	struct pool pool;
	pthread_t thread;
	cpu_set_t others;
	long runtime, server;
	int second;
	/* @submits and @let_go are set for the thread, @holds is set by the thread */
	bool submits, holds, let_go;
	__u64 began_ns, ended_ns;
	int err;
};

#define TWO_CPUS	ATTRS(.mask = WPOOL_DEV_EXPIRY_MS, .capacity = 8, .queue_depth = 1000)

#define flag_set(flag)	__atomic_store_n(&(flag), true, __ATOMIC_RELEASE)
#define flag_is(flag)	__atomic_load_n(&(flag), __ATOMIC_ACQUIRE)

static void *hold(void *data)
{
	struct sched_param param = { .sched_priority = 50 };
	struct _test_data_rt *self = data;
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(HELD_CPU, &cpu);
	self->err = sched_setaffinity(0, sizeof(cpu), &cpu) ||
		    sched_setscheduler(0, SCHED_FIFO, &param) ? -errno : 0;
	self->began_ns = now_ns();
	/* the tasks go to HELD_CPU's ring if the CPU has a worker, else to the global queue */
	if (!self->err && self->submits)
		self->err = submit_many(self->second, WPOOL_WORK_NOOP, 0, 0, NR_TASKS);
	flag_set(self->holds);
	while (!self->err && now_ns() - self->began_ns < 3 * WAIT_NS &&
	       (!flag_is(self->let_go) || now_ns() - self->began_ns < HOLD_NS))
		;
	self->ended_ns = now_ns();
	return NULL;
}

/* Move this program to other CPUs, so that it can run. */
static int stay_away(struct _test_data_rt *self)
{
	cpu_set_t cpus;

	sched_getaffinity(0, sizeof(self->others), &self->others);
	cpus = self->others;
	CPU_CLR(HELD_CPU, &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus);
}

FIXTURE_SETUP(rt)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs 2 CPUs");
	self->runtime = file_number(RUNTIME, -2);
	self->server = file_number(SERVER, -1);
	ASSERT_NE(-2, self->runtime);
	ASSERT_EQ(0, put_number(RUNTIME, -1));
	if (self->server > 0)
		ASSERT_EQ(0, put_number(SERVER, 0));
	ASSERT_EQ(0, stay_away(self));
	ASSERT_EQ(0, pool_create(&self->pool, TWO_CPUS));
	self->second = pool_attach(self->pool.name, 0);
	ASSERT_LE(0, self->second);
}

FIXTURE_TEARDOWN(rt)
{
	pool_end(&self->pool);
	close(self->second);
	put_number(RUNTIME, self->runtime);
	if (self->server > 0)
		put_number(SERVER, self->server);
}

static int start_hold(struct _test_data_rt *self)
{
	if (pthread_create(&self->thread, NULL, hold, self))
		return -EAGAIN;
	return WAIT_FOR(flag_is(self->holds)) ? self->err : -ETIMEDOUT;
}

static int end_hold(struct _test_data_rt *self)
{
	flag_set(self->let_go);
	pthread_join(self->thread, NULL);
	return self->err;
}

static void judge(struct __test_metadata *_metadata, struct _test_data_rt *self,
		  struct wpool_dev_record *records, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		EXPECT_EQ(0, records[i].status);
		EXPECT_GT(self->ended_ns, records[i].start_ns);
		EXPECT_NE(HELD_CPU, records[i].cpu);
	}
}

/* Let the thread that holds its CPU submit all tasks. */
static void let_it_submit(struct __test_metadata *_metadata, struct _test_data_rt *self)
{
	struct wpool_dev_record records[NR_TASKS];
	int got;

	self->submits = true;
	ASSERT_EQ(0, start_hold(self));
	got = read_records(self->second, records, NR_TASKS);
	ASSERT_EQ(0, end_hold(self));
	ASSERT_EQ(NR_TASKS, got);
	judge(_metadata, self, records, NR_TASKS);
}

/* Make one worker on each CPU. */
static int make_workers(struct _test_data_rt *self)
{
	struct wpool_dev_work work = { .kind = WPOOL_WORK_NOOP };
	struct wpool_dev_record records[2];
	int i, err = 0;

	for (i = 0; i < 2 && !err; i++)
		err = submit_on(self->pool.fd, &work, 1, WPOOL_DEV_SUBMIT_ON, i, NULL);
	return err ?: read_records(self->pool.fd, records, 2) == 2 ? 0 : -EIO;
}

/* Each task wakes the idle worker of HELD_CPU, which the thread does not let run. */
TEST_F(rt, tasks_that_prefer_its_cpu)
{
	struct wpool_dev_record records[NR_TASKS];
	struct wpool_dev_work work = { .kind = WPOOL_WORK_NOOP };
	int i, got = 0;

	ASSERT_EQ(0, make_workers(self));
	ASSERT_EQ(0, start_hold(self));
	for (i = 0; i < NR_TASKS; i++) {
		ASSERT_EQ(0, submit_on(self->pool.fd, &work, 1, WPOOL_DEV_SUBMIT_ON, HELD_CPU,
				       NULL));
		got += read_records(self->pool.fd, records + i, 1) == 1;
	}
	EXPECT_EQ(NR_TASKS, got);
	ASSERT_EQ(0, end_hold(self));
	judge(_metadata, self, records, got);
}

/* The thread submits all tasks, in one batch, to the ring of HELD_CPU, whose worker is idle. */
TEST_F(rt, tasks_that_it_has_submitted_to_an_idle_worker)
{
	ASSERT_EQ(0, make_workers(self));
	let_it_submit(_metadata, self);
}

/* HELD_CPU has no worker: tasks go to the global queue, and need a worker of another CPU. */
TEST_F(rt, tasks_that_it_has_submitted_itself)
{
	let_it_submit(_metadata, self);
}

static int set_cpus(int fd, __u64 cpus)
{
	return pool_tune(fd, ATTRS(.cpumask_bytes = 8, .cpumask = (uintptr_t)&cpus));
}

/* The thread interrupts a worker in its task, and other tasks are queued behind that task. */
TEST_F(rt, tasks_behind_one_that_it_has_interrupted)
{
	struct wpool_dev_work spin = { .kind = WPOOL_WORK_SPIN, .arg = LONG, .cookie = 1 };
	struct wpool_dev_work work = { .kind = WPOOL_WORK_NOOP };
	struct wpool_dev_record records[NR_TASKS], last;
	int i, got;

	ASSERT_EQ(0, set_cpus(self->pool.fd, 1 << HELD_CPU));
	ASSERT_EQ(0, submit_flags(self->second, &spin, 1, 0, NULL));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, busy) == 1));
	ASSERT_EQ(0, start_hold(self));
	ASSERT_EQ(0, set_cpus(self->pool.fd, 3));
	for (i = 0; i < NR_TASKS; i++)
		ASSERT_EQ(0, submit_on(self->pool.fd, &work, 1, WPOOL_DEV_SUBMIT_ON, HELD_CPU,
				       NULL));
	got = read_records(self->pool.fd, records, NR_TASKS);
	ASSERT_EQ(0, end_hold(self));
	ASSERT_EQ(NR_TASKS, got);
	judge(_metadata, self, records, NR_TASKS);
	/* the interrupted task continues on its CPU until it is cancelled */
	ASSERT_EQ(0, cancel(self->second, 0, 1, NULL, NULL));
	ASSERT_EQ(1, read_records(self->second, &last, 1));
	EXPECT_EQ(-ECANCELED, last.status);
	EXPECT_EQ(HELD_CPU, last.cpu);
	EXPECT_LT(self->ended_ns, last.end_ns);
}

/* A task that may run only on HELD_CPU waits until the thread ends, and then runs. */
TEST_F(rt, a_pool_of_that_cpu_alone_waits)
{
	struct wpool_dev_record record;

	ASSERT_EQ(0, set_cpus(self->pool.fd, 1 << HELD_CPU));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 0));
	ASSERT_EQ(1, read_records(self->pool.fd, &record, 1));
	ASSERT_EQ(0, start_hold(self));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 1));
	ASSERT_EQ(0, end_hold(self));
	ASSERT_EQ(1, read_records(self->pool.fd, &record, 1));
	EXPECT_EQ(0, record.status);
	EXPECT_EQ(HELD_CPU, record.cpu);
	EXPECT_LE(self->ended_ns, record.start_ns);
	EXPECT_WHOLE(self->pool.fd, 8 + 1000);
}

TEST_HARNESS_MAIN
