// SPDX-License-Identifier: GPL-2.0
/*
 * Thousands of pools on machines with many CPUs: all pools have tasks and are destroyed at the same
 * time, or half of the CPUs go and come back.
 *
 * $MANY is the number of pools. Without $MANY there are FEW_POOLS, as each takes milliseconds.
 */
#include <sys/resource.h>

#include "wpool_test.h"

#define MAX_POOLS	5000
#define FEW_POOLS	300
#define DESTROYERS	10
#define CPU_ONLINE	"/sys/devices/system/cpu/cpu%ld/online"

struct pools {
	int *fds;
	unsigned int nr;
	char prefix[WPOOL_DEV_NAME_LEN / 2];
};

FIXTURE(many) {
	struct pools pools;
};

FIXTURE_SETUP(many)
{
	struct rlimit files = { .rlim_cur = MAX_POOLS + 100, .rlim_max = MAX_POOLS + 100 };

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	self->pools.fds = calloc(MAX_POOLS, sizeof(*self->pools.fds));
	ASSERT_NE(NULL, self->pools.fds);
	snprintf(self->pools.prefix, sizeof(self->pools.prefix), "m%u-", getpid());
}

/* Make pools. No pool has a worker before its first task, nor long after its last. */
static int create_pools(struct pools *pools, unsigned int nr)
{
	char name[WPOOL_DEV_NAME_LEN];
	int err;

	for (; pools->nr < nr; pools->nr++) {
		pools->fds[pools->nr] = open(DEV, O_RDWR);
		if (pools->fds[pools->nr] < 0)
			return -errno;
		snprintf(name, sizeof(name), "%s%u", pools->prefix, pools->nr);
		err = pool_create_fd(pools->fds[pools->nr], name,
				     ATTRS(.mask = WPOOL_DEV_MIN_WORKERS, .capacity = 2,
					   .queue_depth = WPOOL_DEV_UNLIMITED, .expiry_ms = 10));
		if (err)
			return err;
	}
	return 0;
}

struct destroyer {
	pthread_t thread;
	int *fds;
	unsigned int nr;
	unsigned int first;
	int err;
};

static void *destroyer_run(void *data)
{
	struct destroyer *d = data;
	unsigned int i;

	for (i = d->first; i < d->nr; i += DESTROYERS)
		d->err = pool_destroy(d->fds[i]) ?: d->err;
	return NULL;
}

static int destroy_pools(struct pools *pools)
{
	struct destroyer d[DESTROYERS] = {};
	unsigned int i, started;
	int err = 0;

	for (started = 0; started < DESTROYERS && !err; started++) {
		d[started].fds = pools->fds;
		d[started].nr = pools->nr;
		d[started].first = started;
		err = -pthread_create(&d[started].thread, NULL, destroyer_run, &d[started]);
	}
	if (err)
		started--;
	for (i = 0; i < started; i++) {
		pthread_join(d[i].thread, NULL);
		err = d[i].err ?: err;
	}
	return err;
}

FIXTURE_TEARDOWN(many)
{
	/* the case may have failed before it destroyed the pools; a second destroy does no harm */
	destroy_pools(&self->pools);
}

TEST_F(many, each_runs_and_all_are_destroyed_at_once)
{
	const char *many = getenv("MANY");
	unsigned int i, nr = many ? atoi(many) : FEW_POOLS;
	pid_t pid;

	ASSERT_LT(0, nr);
	ASSERT_GE(MAX_POOLS, nr);
	ASSERT_EQ(0, create_pools(&self->pools, nr))
		TH_LOG("%u pools were made", self->pools.nr);
	for (i = 0; i < self->pools.nr; i++)
		ASSERT_EQ(0, submit_many(self->pools.fds[i], WPOOL_WORK_NOOP, 0, 0, 3));
	for (i = 0; i < self->pools.nr; i++)
		ASSERT_EQ(0, wait_tasks(self->pools.fds[i], WAIT_NS));
	/* each pool gets tasks right before its destroy */
	for (i = 0; i < self->pools.nr; i++)
		ASSERT_EQ(0, submit_many(self->pools.fds[i], WPOOL_WORK_YIELD, 3, 0, 3));
	EXPECT_EQ(0, destroy_pools(&self->pools));
	for (i = 0; i < self->pools.nr; i++)
		EXPECT_EQ(6, pool_figure(self->pools.fds[i], completed)) TH_LOG("pool %u", i);
	EXPECT_TRUE(WAIT_FOR(!threads_named(self->pools.prefix, &pid, 1)));
}

/* A thread that submits to one pool after the other until it is told to stop. */
struct load {
	pthread_t thread;
	int *fds;
	unsigned int nr;
	bool over;
	__u64 submitted;
	int err;
};

static void *load_run(void *data)
{
	struct load *load = data;
	unsigned int i;
	int fd;

	for (i = 0; !load->err && !__atomic_load_n(&load->over, __ATOMIC_RELAXED); i++) {
		fd = load->fds[i % load->nr];
		/* wait for the tasks of the last round */
		load->err = wait_tasks(fd, WAIT_NS) ?:
			submit_many(fd, i % 3 ? WPOOL_WORK_NOOP : WPOOL_WORK_SLEEP, MSEC, 0, 20);
		load->submitted += load->err ? 0 : 20;
	}
	return NULL;
}

/* Switches every other CPU that can go offline. Returns how many, or -errno. */
static int switch_half(bool on)
{
	long cpu, nr = sysconf(_SC_NPROCESSORS_CONF);
	char path[64];
	int done = 0, err;

	for (cpu = 1; cpu < nr; cpu += 2) {
		snprintf(path, sizeof(path), CPU_ONLINE, cpu);
		if (access(path, W_OK))
			continue;
		err = file_write(path, on ? "1" : "0", 1);
		if (err < 0)
			return err;
		done++;
	}
	return done;
}

TEST_F(many, half_of_the_cpus_go_and_come_under_load)
{
	/* half of the harness's limit: with 255 emulated CPUs a round takes minutes */
	__u64 end = now_ns() + TEST_TIMEOUT_DEFAULT / 2 * SEC;
	struct load load = {};
	__u64 before, finished = 0;
	unsigned int i, round;
	int gone = 0;

	if (access("/sys/devices/system/cpu/cpu1/online", W_OK))
		SKIP(return, "no CPU hotplug");
	ASSERT_EQ(0, create_pools(&self->pools, 100));
	load.fds = self->pools.fds;
	load.nr = self->pools.nr;
	ASSERT_EQ(0, pthread_create(&load.thread, NULL, load_run, &load));
	for (round = 0; round < 3 && gone >= 0 && now_ns() < end; round++) {
		gone = switch_half(false);
		EXPECT_LT(0, gone);
		for (i = 0; i < self->pools.nr; i += 10) {
			before = pool_figure(self->pools.fds[i], completed);
			EXPECT_TRUE(WAIT_FOR(pool_figure(self->pools.fds[i], completed) > before))
				TH_LOG("pool %u", i);
		}
		EXPECT_EQ(gone, switch_half(true));
	}
	__atomic_store_n(&load.over, true, __ATOMIC_RELAXED);
	pthread_join(load.thread, NULL);
	EXPECT_EQ(0, load.err);
	for (i = 0; i < self->pools.nr; i++) {
		EXPECT_EQ(0, wait_tasks(self->pools.fds[i], WAIT_NS)) TH_LOG("pool %u", i);
		/* the pool's figures change a moment after the file's */
		EXPECT_TRUE(WAIT_FOR(!pool_figure(self->pools.fds[i], outstanding)));
		finished += pool_figure(self->pools.fds[i], completed);
	}
	EXPECT_EQ(load.submitted, finished);
}

TEST_HARNESS_MAIN
