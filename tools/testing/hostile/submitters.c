// SPDX-License-Identifier: GPL-2.0
/*
 * A thousand submitters wait for room. Some of them are stopped, frozen with their cgroup, or
 * killed while they wait. The submitters behind them are served, and no token is lost.
 */
#include "hostile.h"

#include <sys/wait.h>

#define NR		1000
#define CAPACITY	1
#define QUEUE_DEPTH	1
#define FROZEN		CGROUPS "/wpool-frozen"

enum fate { LEFT_ALONE, STOPPED, FROZEN_THERE, KILLED, NR_FATES };

FIXTURE(line) {
	struct pool pool;
	pid_t pids[NR];
	bool has_cgroup;
};

/* The fate of process @i. Waiters that follow each other have different fates. */
static enum fate fate_of(int i)
{
	return i % NR_FATES;
}

FIXTURE_SETUP(line)
{
	self->has_cgroup = cgroup_make(FROZEN) && !access(FROZEN "/cgroup.freeze", W_OK);
	ASSERT_EQ(0, pool_create(&self->pool,
				 ATTRS(.capacity = CAPACITY, .queue_depth = QUEUE_DEPTH)));
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

/* Start a process that submits. Its exit status is the errno of the submit. */
static pid_t start(int fd, __u32 kind, __u64 arg, int i)
{
	pid_t pid = fork();

	if (!pid)
		_exit(-submit(fd, kind, arg, i));
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

/*
 * Returns how many processes of this fate have ended. Counts those in *good that newly ended with
 * 0.
 */
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

/* Wait for all processes with this fate to end. False if none ends for WAIT_NS. */
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
		self->pids[i] = start(self->pool.fd, WPOOL_WORK_NOOP, 0, i);
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

	/* now there is room: the waiters are accepted one after the other */
	ASSERT_EQ(0, cancel_all(self->pool.fd));
	/* if a process does not end, the submit below may not return */
	ASSERT_TRUE(reap_all(self, LEFT_ALONE, &good[LEFT_ALONE]));
	EXPECT_EQ(ALL_OF_A_FATE, good[LEFT_ALONE]);
	EXPECT_EQ(0, good[KILLED]);
	/* a stopped process has not ended, whether its task has run or not */
	EXPECT_EQ(0, reap(self, STOPPED, &good[STOPPED]));
	EXPECT_TRUE(!self->has_cgroup || !reap(self, FROZEN_THERE, &good[FROZEN_THERE]));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 6000));

	for (i = STOPPED; i < NR; i += NR_FATES)
		kill(self->pids[i], SIGCONT);
	file_write(FROZEN "/cgroup.freeze", "0", 1);
	EXPECT_TRUE(reap_all(self, STOPPED, &good[STOPPED]));
	EXPECT_TRUE(reap_all(self, FROZEN_THERE, &good[FROZEN_THERE]));
	EXPECT_EQ(ALL_OF_A_FATE, good[STOPPED]);
	EXPECT_EQ(ALL_OF_A_FATE, good[FROZEN_THERE]);
	EXPECT_WHOLE(self->pool.fd, CAPACITY + QUEUE_DEPTH);
	/* one task of each process but the killed ones, two tasks that sleep, and the noop */
	EXPECT_EQ(3 * ALL_OF_A_FATE + 3, pool_figure(self->pool.fd, submitted));
	EXPECT_ROOM(&self->pool, CAPACITY + QUEUE_DEPTH);
}

/* Fill the pool with tasks that only a cancel ends. Returns the file of these tasks. */
static int plug(struct _test_data_line *self)
{
	int err, fd = pool_attach(self->pool.name, 0);

	if (fd < 0)
		return fd;
	err = submit_many(fd, WPOOL_WORK_SLEEP, LONG, 0, CAPACITY + QUEUE_DEPTH);
	if (err)
		close(fd);
	return err ?: fd;
}

static bool kill_one(struct _test_data_line *self, bool *killed, int i)
{
	if (killed[i])
		return false;
	kill(self->pids[i], SIGKILL);
	killed[i] = true;
	return true;
}

#define IN_A_ROUND	(NR / 10)

/*
 * Kill processes at random moments: before they wait, while they wait, and after that. Rounds are
 * added until enough processes are killed while waiters are served.
 */
TEST_F(line, killed_at_any_moment)
{
	unsigned int seed = 1, nr, at, in_motion = 0;
	__u64 waiting, good, submitted;
	int live[IN_A_ROUND];
	bool killed[IN_A_ROUND];
	int round, i, status, fd;

	for (round = 0; round < 10 || in_motion < 100; round++) {
		memset(killed, 0, sizeof(killed));
		submitted = pool_figure(self->pool.fd, submitted);
		fd = plug(self);
		ASSERT_LE(0, fd);
		for (i = 0; i < IN_A_ROUND; i++) {
			self->pids[i] = start(self->pool.fd, WPOOL_WORK_SLEEP, 2 * MSEC, i);
			ASSERT_LT(0, self->pids[i]);
			/* kill the process just started, or one that probably waits by now */
			if (rand_r(&seed) % 4 == 0)
				kill_one(self, killed, rand_r(&seed) % 2 ? i :
					 rand_r(&seed) % (i + 1));
		}
		for (i = 0, nr = 0; i < IN_A_ROUND; i++)
			if (!killed[i])
				live[nr++] = i;
		/* only living processes wait */
		ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, waiting) == nr))
			TH_LOG("%llu wait, %u live", pool_figure(self->pool.fd, waiting), nr);
		for (i = 0; i < (int)nr; i += 5)
			kill_one(self, killed, live[i]);

		/* The processes mostly wait in the order of live[]: kill one near the head. */
		ASSERT_EQ(0, cancel_all(fd));
		while ((waiting = pool_figure(self->pool.fd, waiting))) {
			ASSERT_LE(waiting, nr);
			at = nr - waiting + rand_r(&seed) % 3;
			in_motion += at < nr && kill_one(self, killed, live[at]);
			usleep(rand_r(&seed) % 5000);
			ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, waiting) < waiting))
				TH_LOG("round %d: %llu wait, and the line stands still", round,
				       waiting);
		}
		for (i = 0, good = 0; i < IN_A_ROUND; i++) {
			ASSERT_TRUE(WAIT_FOR(waitpid(self->pids[i], &status, WNOHANG) ==
					     self->pids[i]))
				TH_LOG("round %d: process %d does not end", round, i);
			self->pids[i] = 0;
			good += WIFEXITED(status) && !WEXITSTATUS(status);
			/* the submit of a killed process may have succeeded before */
			EXPECT_TRUE((WIFEXITED(status) && !WEXITSTATUS(status)) || killed[i])
				TH_LOG("round %d: process %d has status %x", round, i, status);
		}
		close(fd);
		EXPECT_WHOLE(self->pool.fd, CAPACITY + QUEUE_DEPTH);
		/* after the loss of a token, each later round would wait until its time-out */
		ASSERT_TRUE(is_whole(self->pool.fd, CAPACITY + QUEUE_DEPTH));
		EXPECT_ROOM(&self->pool, CAPACITY + QUEUE_DEPTH);
		submitted = pool_figure(self->pool.fd, submitted) - submitted;
		/* plug() and EXPECT_ROOM() have each filled the pool once */
		EXPECT_LE(good + 2 * (CAPACITY + QUEUE_DEPTH), submitted);
	}
	TH_LOG("%d rounds, %u killed while the line moved", round, in_motion);
}

TEST_HARNESS_MAIN
