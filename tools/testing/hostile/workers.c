// SPDX-License-Identifier: GPL-2.0
/*
 * An administrator, or a tool that tunes all threads of a machine, changes workers of a pool that
 * is in use: their CPUs, their nice value, their class. The pool continues.
 *
 * Workers are bound, so the kernel refuses other CPUs, by affinity and by cgroup. It allows the
 * other changes. Signals have no effect.
 */
#include "hostile.h"

#include <sys/resource.h>

#define CAPACITY	8
#define QUEUE_DEPTH	1000
#define CGROUP		CGROUPS "/wpool-workers"

FIXTURE(workers) {
	struct pool pool;
	pid_t pids[CAPACITY];
	int nr;
	pthread_t thread;
	bool ends;
	__u64 submitted;	/* number of tasks */
	int err;
};

/* Reads records. Returns the first status that is not 0: an error, as nothing cancels the tasks. */
static int read_statuses(int fd)
{
	struct wpool_dev_record records[64];
	ssize_t n = read(fd, records, sizeof(records));
	unsigned int i;

	if (n < 0)
		return -errno;
	for (i = 0; i < n / sizeof(*records); i++)
		if (records[i].status)
			return records[i].status;
	return 0;
}

/* Submits tasks that sleep and tasks that compute, so that all workers are in use. */
static void *load(void *data)
{
	struct _test_data_workers *self = data;

	while (!self->err && !__atomic_load_n(&self->ends, __ATOMIC_ACQUIRE)) {
		self->err = submit_many(self->pool.fd, WPOOL_WORK_SLEEP, MSEC, 0, 32) ?:
			    submit_many(self->pool.fd, WPOOL_WORK_SPIN, MSEC / 10, 0, 32) ?:
			    wait_tasks(self->pool.fd, WAIT_NS);
		self->submitted += 64;
		while (!self->err && pool_figure(self->pool.fd, file_unread))
			self->err = read_statuses(self->pool.fd);
	}
	return NULL;
}

FIXTURE_SETUP(workers)
{
	struct wpool_dev_record records[CAPACITY];

	ASSERT_EQ(0, pool_create(&self->pool,
				 ATTRS(.mask = WPOOL_DEV_EXPIRY_MS, .capacity = CAPACITY,
				       .queue_depth = QUEUE_DEPTH)));
	ASSERT_EQ(0, occupy(self->pool.fd, 0, CAPACITY));
	self->nr = threads_named("wp/t", self->pids, CAPACITY);
	ASSERT_EQ(CAPACITY, self->nr);
	ASSERT_EQ(0, cancel_all(self->pool.fd));
	ASSERT_EQ(CAPACITY, read_records(self->pool.fd, records, CAPACITY));
	self->submitted = CAPACITY;
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, load, self));
}

FIXTURE_TEARDOWN(workers)
{
	pool_end(&self->pool);
}

static bool goes_on(struct _test_data_workers *self)
{
	__u64 before = pool_figure(self->pool.fd, completed);

	return WAIT_FOR(pool_figure(self->pool.fd, completed) > before + 200);
}

static void finish(struct __test_metadata *_metadata, struct _test_data_workers *self)
{
	__atomic_store_n(&self->ends, true, __ATOMIC_RELEASE);
	pthread_join(self->thread, NULL);
	EXPECT_EQ(0, self->err);
	EXPECT_WHOLE(self->pool.fd, CAPACITY + QUEUE_DEPTH);
	EXPECT_EQ(self->submitted, pool_figure(self->pool.fd, completed));
	EXPECT_EQ(CAPACITY, pool_figure(self->pool.fd, workers));
	/* all workers still live: no other one was made */
	EXPECT_EQ(CAPACITY, pool_figure(self->pool.fd, spawned));
}

TEST_F(workers, other_cpus_are_refused)
{
	cpu_set_t cpus, now;
	int i;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	for (i = 0; i < self->nr; i++) {
		EXPECT_ERRNO(EINVAL, sched_setaffinity(self->pids[i], sizeof(cpus), &cpus));
		ASSERT_EQ(0, sched_getaffinity(self->pids[i], sizeof(now), &now));
		EXPECT_EQ(1, CPU_COUNT(&now));
	}
	EXPECT_TRUE(goes_on(self));
	finish(_metadata, self);
}

TEST_F(workers, other_cgroups_are_refused_to_workers)
{
	int i;

	if (!cgroup_make(CGROUP)) {
		finish(_metadata, self);
		SKIP(return, "no cgroups");
	}
	for (i = 0; i < self->nr; i++)
		EXPECT_EQ(-EINVAL, put_number(CGROUP "/cgroup.procs", self->pids[i]));
	EXPECT_TRUE(goes_on(self));
	finish(_metadata, self);
	rmdir(CGROUP);
}

TEST_F(workers, signals_do_nothing_to_workers)
{
	static const int signals[] = { SIGSTOP, SIGKILL, SIGTERM, SIGSEGV };
	unsigned int i, s;

	for (s = 0; s < ARRAY_SIZE(signals); s++)
		for (i = 0; i < (unsigned int)self->nr; i++)
			EXPECT_EQ(0, kill(self->pids[i], signals[s]));
	EXPECT_TRUE(goes_on(self));
	finish(_metadata, self);
}

/* Give some workers the lowest priority, some the class idle, some a real-time class. */
TEST_F(workers, any_class_and_nice_the_pool_goes_on)
{
	static const int classes[] = { SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO, SCHED_RR };
	unsigned int round, i, class;

	for (round = 0; round < 20; round++) {
		for (i = 0; i < (unsigned int)self->nr; i++) {
			struct sched_param param = { };

			class = classes[(round + i) % 5];
			param.sched_priority = class == SCHED_FIFO || class == SCHED_RR ? 10 : 0;
			ASSERT_EQ(0, sched_setscheduler(self->pids[i], class, &param));
			ASSERT_EQ(0, setpriority(PRIO_PROCESS, self->pids[i],
						 (int)((round * 7 + i) % 40) - 20));
		}
		ASSERT_TRUE(goes_on(self));
	}
	/* the log has one message until a store to nice resets the workers */
	EXPECT_EQ(1, kmsg_lines(self->pool.name, "scheduling changed from outside"));
	EXPECT_EQ(0, attr_write(self->pool.name, "nice", "5"));
	for (i = 0; i < (unsigned int)self->nr; i++) {
		EXPECT_EQ(SCHED_OTHER, sched_getscheduler(self->pids[i]));
		EXPECT_EQ(5, getpriority(PRIO_PROCESS, self->pids[i]));
	}
	finish(_metadata, self);
}

TEST_HARNESS_MAIN
