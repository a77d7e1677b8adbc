// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/class/wpool/<pool>/: effects of changed attributes on a pool in use: on its submitters, on
 * its workers, and beside its destroy.
 *
 * sysfs_attrs.c tests which values are accepted, KUnit what each attribute does.
 */
#include "submitter.h"
#include "sysfs_attrs.h"

static bool settled(const char *pool, unsigned int outstanding, unsigned int waiting)
{
	return attr_number(pool, "outstanding") == outstanding &&
	       attr_number(pool, "waiting") == waiting;
}

/* After a limit was raised, as many waiting submitters continue as fit, and no more. */
TEST_F(attrs, larger_limits_wake_as_many_as_fit)
{
	const char *pool = self->pool.name;
	struct submitter subs[8];
	unsigned int i;

	ASSERT_EQ(0, attr_write(pool, "capacity", "1"));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 1));
	for (i = 0; i < ARRAY_SIZE(subs); i++)
		ASSERT_EQ(0, submitter_start(&subs[i], self->pool.fd, WPOOL_WORK_SLEEP, LONG, 1,
					     1));
	ASSERT_TRUE(WAIT_FOR(settled(pool, 1, 8)));
	EXPECT_EQ(0, attr_number(pool, "free"));
	EXPECT_EQ(0, attr_write(pool, "capacity", "3"));
	EXPECT_TRUE(WAIT_FOR(settled(pool, 3, 6)));
	EXPECT_EQ(0, attr_write(pool, "queue_depth", "1"));
	EXPECT_TRUE(WAIT_FOR(settled(pool, 4, 5)));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "busy") == 3));
	EXPECT_EQ(1, attr_number(pool, "queued"));
	/* capacity falls as much as queue_depth rises: no submitter continues */
	EXPECT_EQ(0, attr_write(pool, "capacity", "2"));
	EXPECT_EQ(0, attr_write(pool, "queue_depth", "2"));
	EXPECT_TRUE(settled(pool, 4, 5));
	EXPECT_EQ(0, attr_write(pool, "queue_depth", "3"));
	EXPECT_TRUE(WAIT_FOR(settled(pool, 5, 4)));
	EXPECT_EQ(0, attr_write(pool, "capacity", "max"));
	EXPECT_TRUE(WAIT_FOR(settled(pool, 9, 0)));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	for (i = 0; i < ARRAY_SIZE(subs); i++)
		EXPECT_EQ(0, submitter_end(&subs[i]));
}

struct storm {
	pthread_t thread;
	const char *pool;
	const char *attr;
	const char *values[2];
	bool *stop;
	unsigned int good;
	int bad;
};

static void *store_for_ever(void *data)
{
	struct storm *storm = data;
	unsigned int i;
	int err;

	for (i = 0; !__atomic_load_n(storm->stop, __ATOMIC_RELAXED); i++) {
		err = attr_write(storm->pool, storm->attr, storm->values[i % 2]);
		if (!err)
			__atomic_fetch_add(&storm->good, 1, __ATOMIC_RELAXED);
		else if (err != -ENOENT && err != -ENODEV && err != -ESHUTDOWN)
			storm->bad = err;
	}
	return NULL;
}

static bool any_good(struct storm *storms, size_t nr)
{
	while (nr--)
		if (__atomic_load_n(&storms[nr].good, __ATOMIC_RELAXED))
			return true;
	return false;
}

/* A store beside a destroy succeeds, or gets ENOENT, ENODEV or ESHUTDOWN. */
TEST(stores_against_destroy)
{
	struct storm storms[] = {
		{ .attr = "capacity", .values = { "2", "max" } },
		{ .attr = "policy", .values = { "block", "fail" } },
		{ .attr = "cpumask", .values = { "0", "0-1" } },
		{ .attr = "nice", .values = { "5", "-5" } },
		{ .attr = "sched", .values = { "fifo:7", "normal" } },
		{ .attr = "expiry_ms", .values = { "1", "0" } },
	};
	__u64 end = now_ns() + 4 * SEC, patience = now_ns() + WAIT_NS;
	unsigned int i, round, good = 0;
	char name[WPOOL_DEV_NAME_LEN];
	bool stop = false;
	int fd, err;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		storms[2].values[1] = "0";
	pool_name(name);
	for (i = 0; i < ARRAY_SIZE(storms); i++) {
		storms[i].pool = name;
		storms[i].stop = &stop;
		ASSERT_EQ(0, pthread_create(&storms[i].thread, NULL, store_for_ever, &storms[i]));
	}
	/* at least 5 rounds, then up to 30 or until @end; more until a store has succeeded */
	for (round = 0;; round++) {
		if (round >= 5 && (round >= 30 || now_ns() > end) &&
		    (any_good(storms, ARRAY_SIZE(storms)) || now_ns() > patience))
			break;
		fd = open(DEV, O_RDWR);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, pool_create_fd(fd, name, NULL));
		/* the present limits decide how many tasks are accepted */
		err = submit_many(fd, WPOOL_WORK_SPIN, 100000, 0, 10);
		EXPECT_TRUE(!err || err == -EAGAIN)
			TH_LOG("%d", err);
		EXPECT_EQ(0, pool_destroy(fd));
		EXPECT_FALSE(pool_exists(name));
		EXPECT_LT(0, pool_figure(fd, file_finished));
		EXPECT_EQ(pool_figure(fd, file_submitted), pool_figure(fd, file_finished));
		close(fd);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(storms); i++) {
		pthread_join(storms[i].thread, NULL);
		EXPECT_EQ(0, storms[i].bad)
			TH_LOG("%s", storms[i].attr);
		good += storms[i].good;
	}
	EXPECT_LT(0, good);
}

/* Reads and writes of a file that was opened before the pool was destroyed return ENODEV. */
TEST_F(attrs, open_file_of_a_destroyed_pool)
{
	char path[256], buf[64];
	int fd;

	attr_path(path, sizeof(path), self->pool.name, "expiry_ms");
	fd = open(path, O_RDWR);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pool_destroy(self->pool.fd));
	EXPECT_ERRNO(ENODEV, write(fd, "5", 1));
	EXPECT_ERRNO(ENODEV, read(fd, buf, sizeof(buf)));
}

TEST_F(attrs, hogs_are_counted_when_they_are_longer_than_hog_ms)
{
	const char *pool = self->pool.name;

	ASSERT_EQ(0, attr_write(pool, "cpumask", "0"));
	ASSERT_EQ(0, attr_write(pool, "queue_depth", "8"));
	ASSERT_EQ(0, attr_write(pool, "hog_ms", "10000"));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SPIN, 100 * MSEC, 1));
	ASSERT_TRUE(WAIT_FOR(attr_number(pool, "completed") == 1));
	EXPECT_EQ(0, attr_number(pool, "hogs"));
	ASSERT_EQ(0, attr_write(pool, "hog_ms", "1"));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SPIN, LONG, 2));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "hogs") == 1));
	/* another worker runs the next task, on the same CPU if necessary */
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 3));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "completed") == 2));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "busy") == 1));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
}

/* Do all workers, at least @least, have this real-time priority? 0: SCHED_OTHER. */
static bool all_workers_at(const char *pool, int least, int priority)
{
	struct sched_param param;
	pid_t pids[64];
	int found = threads_named(pool, pids, ARRAY_SIZE(pids)), i;

	if (found < least || found != attr_number(pool, "workers"))
		return false;
	for (i = 0; i < found; i++)
		if (sched_getscheduler(pids[i]) != (priority ? SCHED_FIFO : SCHED_OTHER) ||
		    sched_getparam(pids[i], &param) || param.sched_priority != priority)
			return false;
	return true;
}

/* Do all workers, at least @least, have @nice and @cpus? Hand-offs may have made more. */
static bool all_workers(const char *pool, int least, int nice, const char *cpus)
{
	pid_t pids[64];
	char path[64], stat[1024], allowed[256], *at;
	int found = threads_named(pool, pids, ARRAY_SIZE(pids)), i, field, is;

	if (found < least || found != attr_number(pool, "workers"))
		return false;
	for (i = 0; i < found; i++) {
		snprintf(path, sizeof(path), "/proc/%d/stat", pids[i]);
		if (file_read(path, stat, sizeof(stat)))
			return false;
		/* nice is the 19th field, the 17th after the name */
		at = strrchr(stat, ')');
		for (field = 2; at && field < 19; field++)
			at = strchr(at + 1, ' ');
		is = at ? atoi(at) : 100;
		if (is != nice)
			return false;
		/* if @cpus has both CPUs, a worker may have either or both */
		if (thread_status(pids[i], "Cpus_allowed_list", allowed, sizeof(allowed)))
			return false;
		if (strcmp(cpus, "0-1") && strcmp(cpus, allowed))
			return false;
	}
	return true;
}

TEST_F(attrs, workers_follow_a_new_sched)
{
	const char *pool = self->pool.name;

	ASSERT_EQ(0, attr_write(pool, "sched", "fifo"));
	ASSERT_EQ(0, attr_write(pool, "nice", "7"));
	/* no worker expires meanwhile */
	ASSERT_EQ(0, attr_write(pool, "expiry_ms", "0"));
	ASSERT_EQ(0, occupy(self->pool.fd, 0, 6));
	/* another thread may exist before it is counted as a worker */
	EXPECT_TRUE(WAIT_FOR(all_workers_at(pool, 6, 50)));
	/* busy and idle workers change */
	EXPECT_EQ(0, attr_write(pool, "sched", "fifo_low"));
	EXPECT_TRUE(WAIT_FOR(all_workers_at(pool, 6, 1)));
	EXPECT_EQ(0, attr_write(pool, "sched", "fifo:20"));
	EXPECT_TRUE(WAIT_FOR(all_workers_at(pool, 6, 20)));
	EXPECT_EQ(-ERANGE, attr_write(pool, "sched", "fifo:100"));
	EXPECT_TRUE(WAIT_FOR(all_workers_at(pool, 6, 20)));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	ASSERT_EQ(0, wait_tasks(self->pool.fd, 0));
	EXPECT_EQ(0, attr_write(pool, "sched", "fifo"));
	EXPECT_TRUE(WAIT_FOR(all_workers_at(pool, 6, 50)));
	EXPECT_EQ(0, attr_write(pool, "sched", "fifo:99"));
	EXPECT_TRUE(WAIT_FOR(all_workers_at(pool, 6, 99)));
	/* the nice value applies again with the normal class */
	EXPECT_EQ(0, attr_write(pool, "nice", "-3"));
	EXPECT_EQ(0, attr_write(pool, "sched", "normal"));
	EXPECT_TRUE(WAIT_FOR(all_workers_at(pool, 6, 0)));
	EXPECT_TRUE(WAIT_FOR(all_workers(pool, 6, -3, "0-1")));
}

TEST_F(attrs, workers_follow_nice_and_cpumask)
{
	const char *pool = self->pool.name;
	bool two = sysconf(_SC_NPROCESSORS_ONLN) >= 2;

	ASSERT_EQ(0, attr_write(pool, "nice", "7"));
	ASSERT_EQ(0, attr_write(pool, "cpumask", "0"));
	ASSERT_EQ(0, attr_write(pool, "expiry_ms", "0"));
	ASSERT_EQ(0, occupy(self->pool.fd, 0, 6));
	EXPECT_TRUE(WAIT_FOR(all_workers(pool, 6, 7, "0")));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	ASSERT_EQ(0, wait_tasks(self->pool.fd, 0));
	EXPECT_EQ(0, attr_write(pool, "nice", "-4"));
	EXPECT_TRUE(WAIT_FOR(all_workers(pool, 6, -4, "0")));
	if (two) {
		EXPECT_EQ(0, attr_write(pool, "cpumask", "1"));
		EXPECT_TRUE(WAIT_FOR(all_workers(pool, 6, -4, "1")));
		EXPECT_EQ(0, attr_write(pool, "cpumask", "0-1"));
		EXPECT_TRUE(WAIT_FOR(all_workers(pool, 6, -4, "0-1")));
	}
	ASSERT_EQ(0, occupy(self->pool.fd, 0, 6));
	EXPECT_EQ(0, attr_write(pool, "nice", "3"));
	/* some of the six tasks may have new workers: check all workers */
	EXPECT_TRUE(WAIT_FOR(all_workers(pool, attr_number(pool, "workers"), 3, "0-1")));
	EXPECT_EQ(0, attr_write(pool, "cpumask", "0"));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	ASSERT_EQ(0, wait_tasks(self->pool.fd, 0));
	/* the workers move at the latest when their tasks end */
	EXPECT_TRUE(WAIT_FOR(all_workers(pool, attr_number(pool, "workers"), 3, "0")));
}

TEST_HARNESS_MAIN
