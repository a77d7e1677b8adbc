// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/class/wpool/<pool>/pressure: the share of time in which tasks were queued for longer than 10
 * ms, or submitters waited. Programs that poll the file are woken. kunit/pressure_kunit.c tests the
 * averages.
 */
#include "submitter.h"
#include "sysfs_attrs.h"

struct pressure {
	double avg10, avg60, avg300;
	unsigned long long total_us;
};

static int pressure_read(const char *pool, struct pressure *p)
{
	char line[256], again[256];
	int err = attr_read(pool, "pressure", line, sizeof(line));

	if (err)
		return err;
	if (sscanf(line, "some avg10=%lf avg60=%lf avg300=%lf total=%llu", &p->avg10, &p->avg60,
		   &p->avg300, &p->total_us) != 4)
		return -EINVAL;
	/* the file has exactly this form */
	snprintf(again, sizeof(again), "some avg10=%.2f avg60=%.2f avg300=%.2f total=%llu",
		 p->avg10, p->avg60, p->avg300, p->total_us);
	return strcmp(line, again) ? -EINVAL : 0;
}

static unsigned long long total(const char *pool)
{
	struct pressure p = { };

	return pressure_read(pool, &p) ? 0 : p.total_us;
}

/* Does total stay the same for longer than the period of the averages and of any timer of wpool? */
static bool is_over(const char *pool)
{
	unsigned long long before = total(pool);

	usleep(1200 * 1000);
	return total(pool) == before;
}

/* Are all averages positive, and higher over a shorter time, since pressure has just begun? */
static bool is_high(const char *pool)
{
	struct pressure p;

	return !pressure_read(pool, &p) && p.avg10 > 0 && p.avg60 > 0 && p.avg300 > 0 &&
	       p.avg10 <= 100 && p.avg10 >= p.avg60 && p.avg60 >= p.avg300;
}

TEST_F(attrs, pressure_of_a_pool_that_keeps_up_is_0)
{
	struct pressure p;

	ASSERT_EQ(0, pressure_read(self->pool.name, &p));
	EXPECT_EQ(0, p.avg10 + p.avg60 + p.avg300);
	EXPECT_EQ(0, p.total_us);
	/* a task that runs or sleeps causes no pressure */
	ASSERT_EQ(0, occupy(self->pool.fd, 1, 1));
	EXPECT_TRUE(WAIT_FOR(is_over(self->pool.name)));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_EQ(-EACCES, attr_write(self->pool.name, "pressure", "0"));
}

TEST_F(attrs, pressure_rises_while_tasks_are_queued_and_ends)
{
	const char *pool = self->pool.name;

	ASSERT_EQ(0, pool_tune(self->pool.fd,
			       ATTRS(.capacity = 1, .queue_depth = WPOOL_DEV_UNLIMITED)));
	ASSERT_EQ(0, occupy(self->pool.fd, 1, 1));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 2));
	EXPECT_TRUE(WAIT_FOR(is_high(pool)));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_TRUE(WAIT_FOR(is_over(pool)));
}

/* Pressure is counted even after the log has reported that all workers sleep. */
TEST_F(attrs, pressure_rises_while_a_submitter_waits_and_ends)
{
	const char *pool = self->pool.name;
	unsigned long long before;
	struct submitter sub;

	ASSERT_EQ(0, attr_write(pool, "capacity", "1"));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 1));
	ASSERT_EQ(0, submitter_start(&sub, self->pool.fd, WPOOL_WORK_NOOP, 0, 2, 1));
	ASSERT_TRUE(WAIT_FOR(attr_number(pool, "waiting") == 1));
	EXPECT_TRUE(WAIT_FOR(is_high(pool)));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "exhausted") == 1));
	before = total(pool);
	EXPECT_TRUE(WAIT_FOR(total(pool) > before + 1000 * 1000));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_EQ(0, submitter_end(&sub));
	EXPECT_TRUE(WAIT_FOR(is_over(pool)));
}

TEST_F(attrs, pressure_can_be_polled_for_overload)
{
	const char *pool = self->pool.name;
	struct pollfd pfd;

	ASSERT_EQ(0, pool_tune(self->pool.fd,
			       ATTRS(.capacity = 1, .policy = WPOOL_DEV_POLICY_FAIL)));
	ASSERT_EQ(0, pressure_open(pool, &pfd));
	EXPECT_EQ(0, poll(&pfd, 1, 0));
	ASSERT_EQ(0, occupy(self->pool.fd, 1, 1));
	EXPECT_EQ(-EAGAIN, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 2));
	EXPECT_TRUE(pressure_poll(&pfd));
	/* the second refusal wakes a poll, too */
	EXPECT_EQ(-EAGAIN, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 2));
	EXPECT_TRUE(pressure_poll(&pfd));
	/* a poll is also woken when tasks begin to wait */
	ASSERT_EQ(0, attr_write(pool, "queue_depth", "1"));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 3));
	EXPECT_TRUE(pressure_poll(&pfd));
}

TEST_F(attrs, pressure_of_a_pool_that_is_destroyed_is_an_error)
{
	struct pollfd pfd;
	char path[256];
	int attr;

	ASSERT_EQ(0, pressure_open(self->pool.name, &pfd));
	attr_path(path, sizeof(path), self->pool.name, "expiry_ms");
	attr = open(path, O_RDWR);
	ASSERT_LE(0, attr);
	pool_end(&self->pool);
	EXPECT_EQ(1, poll(&pfd, 1, 0));
	EXPECT_TRUE(pfd.revents & POLLERR);
	EXPECT_ERRNO(ENODEV, pread(pfd.fd, &pfd.revents, 1, 0));
	/* so is an access to any other of its files */
	EXPECT_ERRNO(ENODEV, write(attr, "5", 1));
}

TEST_HARNESS_MAIN
