// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/class/wpool/<pool>/: effects of changed attributes on a pool in use, on its submitters, and
 * on its workers.
 *
 * sysfs_attrs.c tests which values are accepted.
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

/* Use one CPU, and allow more workers than tasks. */
static void one_cpu(struct __test_metadata *_metadata, const char *pool, const char *handoff)
{
	ASSERT_EQ(0, attr_write(pool, "cpumask", "0"));
	ASSERT_EQ(0, attr_write(pool, "queue_depth", "8"));
	ASSERT_EQ(0, attr_write(pool, "handoff", handoff));
}

/* Does the figure keep this value for several periods of the monitor? */
static bool stays(const char *pool, const char *name, long long value)
{
	__u64 end = now_ns() + 200 * MSEC;

	while (attr_number(pool, name) == value)
		if (now_ns() > end)
			return true;
	return false;
}

/* A task that sleeps holds up the queued ones until handoff is switched on. */
TEST_F(attrs, handoff_off_and_on_again)
{
	const char *pool = self->pool.name;

	one_cpu(_metadata, pool, "0");
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 0, 4));
	ASSERT_TRUE(WAIT_FOR(attr_number(pool, "blocked") == 1));
	EXPECT_TRUE(stays(pool, "queued", 3));
	EXPECT_EQ(0, attr_number(pool, "handoffs"));
	EXPECT_EQ(0, attr_write(pool, "handoff", "1"));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "blocked") == 4));
	EXPECT_LT(0, attr_number(pool, "handoffs"));
	EXPECT_EQ(0, attr_number(pool, "hogs"));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
}

TEST_F(attrs, concurrency_bounds_who_starts)
{
	const char *pool = self->pool.name;

	one_cpu(_metadata, pool, "0");
	ASSERT_EQ(0, attr_write(pool, "concurrency", "2"));
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 0, 4));
	ASSERT_TRUE(WAIT_FOR(attr_number(pool, "blocked") == 2));
	EXPECT_TRUE(stays(pool, "queued", 2));
	EXPECT_EQ(0, attr_write(pool, "concurrency", "3"));
	ASSERT_TRUE(WAIT_FOR(attr_number(pool, "blocked") == 3));
	EXPECT_TRUE(stays(pool, "queued", 1));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
}

/* If for a second a task waits and no worker is free, the figure "exhausted" rises once. */
TEST_F(attrs, exhausted_is_counted_once)
{
	const char *pool = self->pool.name;

	ASSERT_EQ(0, pool_tune(self->pool.fd, ATTRS(.capacity = 2, .queue_depth = 8)));
	ASSERT_EQ(0, occupy(self->pool.fd, 0, 2));
	EXPECT_EQ(0, attr_number(pool, "exhausted"));
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 0, 3));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "exhausted") == 1));
	/* for another second tasks wait, and no worker is free */
	usleep(1500 * 1000);
	EXPECT_EQ(1, attr_number(pool, "exhausted"));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "outstanding") == 0));
	EXPECT_EQ(1, attr_number(pool, "exhausted"));
}

TEST_F(attrs, hogs_are_counted_when_they_are_longer_than_hog_ms)
{
	const char *pool = self->pool.name;

	one_cpu(_metadata, pool, "1");
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

TEST_F(attrs, capacity_per_cpu_follows_the_cpumask_until_there_is_a_number)
{
	const char *pool = self->pool.name;

	ASSERT_EQ(0, attr_write(pool, "cpumask", "0"));
	ASSERT_EQ(0, attr_write(pool, "queue_depth", "0"));
	ASSERT_EQ(0, attr_write(pool, "capacity_per_cpu", "3"));
	EXPECT_EQ(3, attr_number(pool, "capacity"));
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 1, 3));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "busy") == 3));
	EXPECT_EQ(0, attr_number(pool, "free"));
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1) {
		ASSERT_EQ(0, attr_write(pool, "cpumask", "0-1"));
		EXPECT_EQ(6, attr_number(pool, "capacity"));
		EXPECT_EQ(3, attr_number(pool, "free"));
	}
	ASSERT_EQ(0, attr_write(pool, "capacity", "4"));
	EXPECT_EQ(0, attr_number(pool, "capacity_per_cpu"));
	EXPECT_EQ(1, attr_number(pool, "free"));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
}

/* The figure "errors" counts tasks of a group that are cut short, not tasks that never run. */
TEST_F(attrs, errors_of_tasks_are_counted)
{
	const char *pool = self->pool.name;
	int fd = pool_attach(pool, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, group_init(fd, 8));
	ASSERT_EQ(0, pool_tune(fd, ATTRS(.capacity = 2, .queue_depth = WPOOL_DEV_UNLIMITED)));
	ASSERT_EQ(0, submit_many(fd, WPOOL_WORK_NOOP, 0, 0, 3));
	EXPECT_EQ(0, wait_tasks(fd, 0));
	EXPECT_EQ(0, attr_number(pool, "errors"));
	ASSERT_EQ(0, submit_many(fd, WPOOL_WORK_SLEEP, LONG, 0, 5));
	ASSERT_TRUE(WAIT_FOR(attr_number(pool, "blocked") == 2));
	EXPECT_EQ(0, cancel_all(fd));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "outstanding") == 0));
	EXPECT_EQ(2, attr_number(pool, "errors"));
	EXPECT_EQ(2, pool_figure(fd, errors));
	/* completed also counts tasks of the group that did not run */
	EXPECT_EQ(8, attr_number(pool, "completed"));
	/* without a group no error is counted */
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 1));
	ASSERT_TRUE(WAIT_FOR(attr_number(pool, "blocked") == 1));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "outstanding") == 0));
	EXPECT_EQ(2, attr_number(pool, "errors"));
}

TEST_F(attrs, tasks_that_wait_longer_than_max_wait_ms_are_not_run)
{
	struct wpool_dev_record records[3];
	const char *pool = self->pool.name;
	int i;

	ASSERT_EQ(0, pool_tune(self->pool.fd,
			       ATTRS(.capacity = 1, .queue_depth = WPOOL_DEV_UNLIMITED)));
	ASSERT_EQ(0, occupy(self->pool.fd, 1, 1));
	/* set max_wait_ms only now: the sleeper may have waited for longer before it started */
	ASSERT_EQ(0, attr_write(pool, "max_wait_ms", "20"));
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 2, 3));
	/* no worker is free, so the tasks time out */
	ASSERT_EQ(3, read_records(self->pool.fd, records, 3));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-ETIME, records[i].status);
		EXPECT_EQ(0, records[i].start_ns);
	}
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "outstanding") == 1));
	EXPECT_EQ(3, attr_number(pool, "overdue"));
	EXPECT_EQ(0, attr_number(pool, "cancelled"));
	EXPECT_EQ(4, attr_number(pool, "submitted"));
	/* modules that share the default pool did not allow that their tasks are dropped */
	EXPECT_EQ(-EPERM, attr_write("default", "max_wait_ms", "20"));
	EXPECT_EQ(0, attr_write("default", "max_wait_ms", "0"));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
}

TEST_F(attrs, policy_drop_oldest_makes_room_for_the_newest)
{
	struct wpool_dev_record records[5];
	const char *pool = self->pool.name;
	int i, dropped = 0, newest = 0;

	ASSERT_EQ(0, attr_write(pool, "policy", "drop_oldest"));
	ASSERT_EQ(0, pool_tune(self->pool.fd, ATTRS(.capacity = 1, .queue_depth = 2)));
	ASSERT_EQ(0, occupy(self->pool.fd, 1, 1));
	/* two tasks have room; each later task takes the place of an earlier one */
	for (i = 2; i < 7; i++)
		ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, i));
	ASSERT_EQ(3, read_records(self->pool.fd, records, 3));
	for (i = 0; i < 3; i++) {
		dropped += records[i].status == -ECANCELED;
		newest += records[i].cookie == 6;
	}
	EXPECT_EQ(3, dropped);
	EXPECT_EQ(0, newest);
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "outstanding") == 3));
	EXPECT_EQ(3, attr_number(pool, "cancelled"));
	EXPECT_EQ(6, attr_number(pool, "submitted"));
	EXPECT_EQ(0, attr_number(pool, "refused"));
	/* modules that share the default pool did not allow that their tasks are dropped */
	EXPECT_EQ(-EPERM, attr_write("default", "policy", "drop_oldest"));
	EXPECT_EQ(0, cancel(self->pool.fd, 0, 1, NULL, NULL));
	ASSERT_EQ(3, read_records(self->pool.fd, records, 3));
	for (i = 0; i < 3; i++)
		newest += records[i].cookie == 6 && !records[i].status;
	EXPECT_EQ(1, newest);
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
