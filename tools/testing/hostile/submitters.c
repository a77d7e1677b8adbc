// SPDX-License-Identifier: GPL-2.0
/*
 * Submitters in line for admission, by the thousand, some of which are stopped, frozen with
 * their cgroup, or killed where they wait: those in line behind them go on, and none of them
 * takes a token with it.
 */
#include "hostile.h"

#include <sys/wait.h>

#define NR		1000
#define CAPACITY	1
#define QUEUE_DEPTH	1
#define FROZEN		CGROUPS "/wpool-frozen"

enum fate { LEFT_ALONE, STOPPED, FROZEN_THERE, KILLED, NR_FATES };

static const struct wpool_dev_attrs narrow = {
	.mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_QUEUE_DEPTH,
	.capacity = CAPACITY,
	.queue_depth = QUEUE_DEPTH,
};

FIXTURE(line) {
	struct pool pool;
	pid_t pids[NR];
	bool has_cgroup;
};

/* The one of process @i: all of them stand in line by turns. */
static enum fate fate_of(int i)
{
	return i % NR_FATES;
}

FIXTURE_SETUP(line)
{
	self->has_cgroup = cgroup_make(FROZEN) && !access(FROZEN "/cgroup.freeze", W_OK);
	ASSERT_EQ(0, pool_create(&self->pool, &narrow));
}

FIXTURE_TEARDOWN(line)
{
	int i;

	file_write(FROZEN "/cgroup.freeze", "0", 1);
	for (i = 0; i < NR; i++) {
		if (self->pids[i] <= 0)
			continue;
		kill(self->pids[i], SIGKILL);
		waitpid(self->pids[i], NULL, 0);
	}
	pool_end(&self->pool);
	rmdir(FROZEN);
}

/* Its end says what the submit has said. */
static pid_t start(int fd, int i)
{
	pid_t pid = fork();

	if (!pid)
		_exit(-submit(fd, WPOOL_WORK_NOOP, 0, i));
	return pid;
}

static void meet(struct _test_data_line *self, int i)
{
	switch (fate_of(i)) {
	case STOPPED:
		kill(self->pids[i], SIGSTOP);
		break;
	case FROZEN_THERE:
		put_number(FROZEN "/cgroup.procs", self->pids[i]);
		break;
	case KILLED:
		kill(self->pids[i], SIGKILL);
		break;
	default:
		break;
	}
}

static bool is_frozen(void)
{
	char events[256];

	return !file_read(FROZEN "/cgroup.events", events, sizeof(events)) &&
	       strstr(events, "frozen 1");
}

/* Those with this fate that have ended, of which so many by exit(0). */
static int reap(struct _test_data_line *self, enum fate fate, int *good)
{
	int i, status, nr = 0;

	for (i = fate; i < NR; i += NR_FATES) {
		if (self->pids[i] > 0) {
			if (waitpid(self->pids[i], &status, WNOHANG) != self->pids[i])
				continue;
			self->pids[i] = 0;
			*good += WIFEXITED(status) && !WEXITSTATUS(status);
		}
		nr++;
	}
	return nr;
}

#define ALL_OF_A_FATE	(NR / NR_FATES)

/* All of them have ended; false if for long not one more has. */
static bool reap_all(struct _test_data_line *self, enum fate fate, int *good)
{
	int before, nr;

	do {
		before = reap(self, fate, good);
		nr = before;
	} while (nr < ALL_OF_A_FATE && WAIT_FOR((nr = reap(self, fate, good)) > before));
	return nr == ALL_OF_A_FATE;
}

TEST_F(line, others_go_on_and_no_token_is_lost)
{
	int i, good[NR_FATES] = { };

	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 5000, 2));
	for (i = 0; i < NR; i++) {
		self->pids[i] = start(self->pool.fd, i);
		ASSERT_LT(0, self->pids[i]);
	}
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, waiting) == NR));
	ASSERT_EQ(0, self->has_cgroup ? file_write(FROZEN "/cgroup.freeze", "1", 1) : 0);
	if (!self->has_cgroup)
		TH_LOG("no cgroups: none is frozen");
	for (i = 0; i < NR; i++)
		meet(self, i);
	EXPECT_TRUE(reap_all(self, KILLED, &good[KILLED]));
	EXPECT_TRUE(!self->has_cgroup || WAIT_FOR(is_frozen()));

	/* room for one after the other */
	ASSERT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_TRUE(reap_all(self, LEFT_ALONE, &good[LEFT_ALONE]));
	EXPECT_EQ(ALL_OF_A_FATE, good[LEFT_ALONE]);
	EXPECT_EQ(0, good[KILLED]);
	/* a stopped one has not returned, whether its task has run or not */
	EXPECT_EQ(0, reap(self, STOPPED, &good[STOPPED]));
	EXPECT_TRUE(!self->has_cgroup || !reap(self, FROZEN_THERE, &good[FROZEN_THERE]));
	/* and others find room */
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 6000));

	for (i = STOPPED; i < NR; i += NR_FATES)
		kill(self->pids[i], SIGCONT);
	file_write(FROZEN "/cgroup.freeze", "0", 1);
	EXPECT_TRUE(reap_all(self, STOPPED, &good[STOPPED]));
	EXPECT_TRUE(reap_all(self, FROZEN_THERE, &good[FROZEN_THERE]));
	EXPECT_EQ(ALL_OF_A_FATE, good[STOPPED]);
	EXPECT_EQ(ALL_OF_A_FATE, good[FROZEN_THERE]);
	EXPECT_WHOLE(self->pool.fd, CAPACITY + QUEUE_DEPTH);
	/* none of those that were killed, and two sleeping ones before all of them */
	EXPECT_EQ(3 * ALL_OF_A_FATE + 3, pool_figure(self->pool.fd, submitted));
}

/* The same again and again, at random moments: who is killed is on its way in or out, too. */
TEST_F(line, killed_at_any_moment)
{
	unsigned int seed = 1;
	int round, i;

	for (round = 0; round < 10; round++) {
		for (i = 0; i < NR / 10; i++) {
			self->pids[i] = start(self->pool.fd, i);
			ASSERT_LT(0, self->pids[i]);
			if (rand_r(&seed) % 2)
				kill(self->pids[rand_r(&seed) % (i + 1)], SIGKILL);
		}
		for (i = 0; i < NR / 10; i++) {
			waitpid(self->pids[i], NULL, 0);
			self->pids[i] = 0;
		}
		EXPECT_WHOLE(self->pool.fd, CAPACITY + QUEUE_DEPTH);
	}
}

TEST_HARNESS_MAIN
