// SPDX-License-Identifier: GPL-2.0
/*
 * Pools over time: a quiet pool runs nothing, several processes make and destroy pools at once, and
 * a pool stays without its file.
 */
#include "wpool_test.h"

/* Wait until no figure has changed for half a second; false after WAIT_NS. */
static bool settled(const struct pool *pools, unsigned int nr_pools)
{
	struct wpool_dev_stats stats[8] = { }, was[8] = { };
	__u64 changed = now_ns(), end = changed + WAIT_NS;
	unsigned int i;

	do {
		for (i = 0; i < nr_pools; i++)
			if (pool_stats(pools[i].fd, &stats[i]))
				return false;
		if (memcmp(stats, was, sizeof(stats)))
			changed = now_ns();
		memcpy(was, stats, sizeof(was));
		/* too soon on a slow machine: the caller repeats it */
		if (now_ns() - changed > SEC / 2)
			return true;
		usleep(20000);
	} while (now_ns() < end);
	return false;
}

struct quiet {
	pid_t pid;
	long long switches;
	char name[64];
};

/* Collect the context switches of all threads of these pools and of the module. */
static int all_switches(struct quiet *quiet, int max, const struct pool *pools, int nr_pools)
{
	pid_t pids[512];
	char path[64];
	int nr, i, j, pool, all = 0;

	for (pool = -1; pool < nr_pools; pool++) {
		nr = threads_named(pool < 0 ? "wpool" : pools[pool].name, pids, ARRAY_SIZE(pids));
		for (i = 0; i < nr && all < max; i++) {
			for (j = 0; j < all && quiet[j].pid != pids[i]; j++)
				;
			if (j < all)
				continue;
			quiet[all].pid = pids[i];
			quiet[all].switches = thread_switches(pids[i]);
			snprintf(path, sizeof(path), "/proc/%d/comm", pids[i]);
			file_read(path, quiet[all].name, sizeof(quiet[all].name));
			quiet[all].name[strcspn(quiet[all].name, "\n")] = 0;
			/* a kworker has its last workqueue's name */
			if (!strncmp(quiet[all].name, "kworker", 7))
				continue;
			all++;
		}
	}
	return all;
}

/* Cancel all tasks, then submit @tasks sleepers, of which @nr run. */
static int sleep_anew(int fd, unsigned int tasks, unsigned int nr)
{
	int err = cancel_all(fd) ?: wait_tasks(fd, WAIT_NS);

	err = err ?: submit_many(fd, WPOOL_WORK_SLEEP, LONG, 0, tasks);
	return err ?: WAIT_FOR(pool_figure(fd, busy) == nr) ? 0 : -ETIMEDOUT;
}

/*
 * In every quiet state of a pool, none of its threads runs for 2 s, twice the longest period of a
 * timer.
 */
TEST(quiet_pools_do_not_run)
{
	enum { IDLE, KEPT, ASLEEP, PREALLOC, FULL, UNUSED, NR };
	const struct wpool_dev_attrs *attrs[NR] = {
		/* workers that never expire */
		[IDLE] = ATTRS(.mask = WPOOL_DEV_EXPIRY_MS, .capacity = 8),
		/* min_workers stay when the other workers have expired */
		[KEPT] = ATTRS(.capacity = 8, .expiry_ms = 20, .min_workers = 4),
		[ASLEEP] = ATTRS(.capacity = 8),
		[PREALLOC] = ATTRS(.capacity = 8, .prealloc = 1),
		[FULL] = ATTRS(.capacity = 1, .queue_depth = 10),
	};
	static struct quiet before[512], after[512];
	struct wpool_dev_stats was[NR], is[NR];
	struct pool pools[NR];
	int i, j, nr, nr_after, seen = 0;
	__u64 began, end;
	bool rest;

	for (i = 0; i < NR; i++)
		ASSERT_EQ(0, pool_create(&pools[i], attrs[i]));
	for (i = IDLE; i <= KEPT; i++) {
		ASSERT_EQ(0, occupy(pools[i].fd, 0, 8));
		ASSERT_EQ(0, cancel_all(pools[i].fd));
	}
	ASSERT_TRUE(WAIT_FOR(pool_figure(pools[IDLE].fd, idle) == 8));
	ASSERT_TRUE(WAIT_FOR(pool_figure(pools[KEPT].fd, workers) == 4));
	/* wait for leftover workers of the default pool, and for searching workers */
	ASSERT_TRUE(WAIT_FOR(attr_number("default", "workers") <= 1));
	ASSERT_TRUE(WAIT_FOR(!pool_figure(pools[PREALLOC].fd, searching)));
	/* threads that exit may still run: repeat until no thread has run */
	for (end = now_ns() + 3 * WAIT_NS;;) {
		/* the sleepers end LONG after @began */
		began = now_ns();
		ASSERT_EQ(0, sleep_anew(pools[ASLEEP].fd, 8, 8));
		ASSERT_EQ(0, sleep_anew(pools[FULL].fd, 5, 1));
		do {
			ASSERT_TRUE(settled(pools, NR));
			for (i = 0; i < NR; i++)
				ASSERT_EQ(0, pool_stats(pools[i].fd, &was[i]));
			nr = all_switches(before, ARRAY_SIZE(before), pools, NR);
			usleep(300000);
			nr_after = all_switches(after, ARRAY_SIZE(after), pools, NR);
			rest = nr == nr_after && !memcmp(before, after, sizeof(before));
		} while (!rest && now_ns() - began < LONG / 2);
		usleep(2000000);
		nr_after = all_switches(after, ARRAY_SIZE(after), pools, NR);
		for (i = 0; i < NR; i++)
			ASSERT_EQ(0, pool_stats(pools[i].fd, &is[i]));
		/* if the check took longer than the tasks sleep, try again */
		if ((rest && now_ns() - began < LONG) || now_ns() > end)
			break;
	}
	/* the tasks have ended: no verdict */
	if (now_ns() - began >= LONG) {
		for (i = 0; i < NR; i++)
			pool_end(&pools[i]);
		SKIP(return, "one check of all threads takes %u s", (unsigned int)(LONG / SEC));
	}
	for (i = 0; i < nr; i++)
		for (j = 0; j < NR; j++)
			seen += !!strstr(before[i].name, pools[j].name);
	TH_LOG("%d threads of the module, %d of them of these pools, one is '%s'", nr, seen,
	       nr ? before[0].name : "");
	/* all workers of the pools were found by their names */
	EXPECT_EQ(8 + 4 + 8 + 8 + 1, seen);
	EXPECT_EQ(nr, nr_after);
	for (i = 0; i < nr; i++) {
		for (j = 0; j < nr_after && after[j].pid != before[i].pid; j++)
			;
		ASSERT_LT(j, nr_after)
			TH_LOG("%s is gone", before[i].name);
		EXPECT_EQ(before[i].switches, after[j].switches)
			TH_LOG("%s ran", before[i].name);
	}
	for (i = 0; i < NR; i++) {
		EXPECT_EQ(0, memcmp(&was[i], &is[i], sizeof(is[i])))
			TH_LOG("the figures of pool %d changed", i);
		pool_end(&pools[i]);
	}
}

/* Make, use and destroy pools. Returns 0, or the number of the step that failed. */
static int come_and_go(const char *prefix, unsigned int id, unsigned int rounds)
{
	const struct wpool_dev_attrs *attrs = ATTRS(.capacity = 3, .queue_depth = 10);
	char name[WPOOL_DEV_NAME_LEN];
	unsigned int i;
	int fd, err;

	for (i = 0; i < rounds; i++) {
		snprintf(name, sizeof(name), "%s-%u-%u", prefix, id, i);
		fd = open(DEV, O_RDWR);
		if (fd < 0)
			return 1;
		if (pool_create_fd(fd, name, attrs))
			return 2;
		if (submit_many(fd, i % 2 ? WPOOL_WORK_NOOP : WPOOL_WORK_SPIN, 50000, 0, 8))
			return 3;
		if (i % 3 == 0 && wait_tasks(fd, 0))
			return 4;
		if (i % 3 == 1 && pool_release(fd, WPOOL_DEV_RELEASE_CANCEL, 0))
			return 5;
		if (pool_destroy(fd))
			return 6;
		if (pool_exists(name))
			return 7;
		if (pool_figure(fd, file_finished) != 8)
			return 8;
		close(fd);
	}
	/* all processes also want the same name */
	for (i = 0; i < rounds; i++) {
		fd = open(DEV, O_RDWR);
		if (fd < 0)
			return 1;
		snprintf(name, sizeof(name), "%s-shared", prefix);
		err = pool_create_fd(fd, name, attrs);
		if (!err && pool_destroy(fd))
			return 9;
		if (err && err != -EEXIST)
			return 10;
		close(fd);
	}
	return 0;
}

TEST(pools_from_several_processes)
{
	enum { PROCESSES = 4, ROUNDS = 25 };
	char prefix[WPOOL_DEV_NAME_LEN];
	pid_t children[PROCESSES], pids[8];
	int status, i;

	snprintf(prefix, sizeof(prefix), "many%u", getpid());
	for (i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		if (!children[i])
			_exit(come_and_go(prefix, i, ROUNDS));
	}
	for (i = 0; i < PROCESSES; i++) {
		status = child_end(children[i]);
		EXPECT_EQ(0, status)
			TH_LOG("process %d failed in its step %d", i, status);
	}
	EXPECT_EQ(0, pools_named(prefix));
	EXPECT_TRUE(WAIT_FOR(!threads_named(prefix, pids, ARRAY_SIZE(pids))));
}

/* A pool belongs to no file: it exists until it is destroyed. */
TEST(pool_outlives_its_file)
{
	struct pool pool;
	int fd;

	ASSERT_EQ(0, pool_create(&pool, NULL));
	ASSERT_EQ(0, run_one(pool.fd));
	close(pool.fd);
	EXPECT_TRUE(pool_exists(pool.name));
	fd = pool_attach(pool.name, 0);
	ASSERT_LE(0, fd);
	EXPECT_TRUE(WAIT_FOR(pool_figure(fd, completed) == 1));
	EXPECT_EQ(0, pool_figure(fd, file_submitted));
	EXPECT_EQ(0, run_one(fd));
	EXPECT_EQ(0, pool_destroy(fd));
	EXPECT_FALSE(pool_exists(pool.name));
}

TEST_HARNESS_MAIN
