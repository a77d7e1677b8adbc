// SPDX-License-Identifier: GPL-2.0
/*
 * A pool at its limits: what is accepted and what is refused, submitters that
 * sleep and are woken, killed or sent away, several files and threads on one
 * pool, and the ends of files and pools.
 */
#include "wpool_test.h"

static const struct wpool_dev_attrs tiny_pool = {
	.mask = WPOOL_DEV_CAPACITY,
	.capacity = 1,
};

/* ---- a submitter of its own ---------------------------------------------- */

/* One SUBMIT of the same task many times, in a thread, with its outcome. */
struct submitter {
	pthread_t thread;
	int fd;
	__u32 kind;
	__u32 nr;
	__u32 flags;
	__u64 arg;
	__u64 cookie;
	int err;
	__u32 accepted;
	bool done;
};

static void *submitter_run(void *data)
{
	struct submitter *sub = data;
	struct wpool_dev_work *works = calloc(sub->nr, sizeof(*works));
	__u32 i;

	for (i = 0; i < sub->nr; i++) {
		works[i].kind = sub->kind;
		works[i].arg = sub->arg;
		works[i].cookie = sub->cookie + i;
	}
	sub->err = submit_flags(sub->fd, works, sub->nr, sub->flags, &sub->accepted);
	free(works);
	__atomic_store_n(&sub->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static int submitter_start(struct submitter *sub, int fd, __u32 kind, __u64 arg, __u64 cookie,
			   __u32 nr)
{
	*sub = (struct submitter){
		.fd = fd, .kind = kind, .arg = arg, .cookie = cookie, .nr = nr,
	};
	return pthread_create(&sub->thread, NULL, submitter_run, sub);
}

static bool submitter_done(struct submitter *sub)
{
	return __atomic_load_n(&sub->done, __ATOMIC_ACQUIRE);
}

/* Its errno, or a complaint if it is still asleep long after. */
static int submitter_end(struct submitter *sub)
{
	if (!WAIT_FOR(submitter_done(sub)))
		return -ETIMEDOUT;
	pthread_join(sub->thread, NULL);
	return sub->err;
}

/* ---- how many are accepted ----------------------------------------------- */

FIXTURE(full)
{
	struct pool pool;
	__u32 limit;
};

FIXTURE_VARIANT(full)
{
	__u32 capacity;
	__u32 queue_depth;
};

FIXTURE_VARIANT_ADD(full, capacity_1) {
	.capacity = 1,
};

FIXTURE_VARIANT_ADD(full, capacity_2_depth_3) {
	.capacity = 2, .queue_depth = 3,
};

FIXTURE_VARIANT_ADD(full, capacity_16) {
	.capacity = 16,
};

FIXTURE_VARIANT_ADD(full, capacity_1_depth_700) {
	.capacity = 1, .queue_depth = 700,
};

FIXTURE_VARIANT_ADD(full, capacity_100_depth_100) {
	.capacity = 100, .queue_depth = 100,
};

FIXTURE_SETUP(full)
{
	struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_QUEUE_DEPTH | WPOOL_DEV_POLICY |
			WPOOL_DEV_MAX_BLOCKING,
		.capacity = variant->capacity,
		.queue_depth = variant->queue_depth,
		.policy = WPOOL_DEV_POLICY_FAIL,
		.max_blocking = 7,	/* means nothing under this policy */
	};

	ASSERT_EQ(0, pool_create(&self->pool, &attrs));
	self->limit = variant->capacity + variant->queue_depth;
}

FIXTURE_TEARDOWN(full)
{
	pool_end(&self->pool);
}

TEST_F(full, one_by_one)
{
	struct wpool_dev_stats stats;
	__u32 i;

	for (i = 0; i < self->limit; i++) {
		ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, i))
			TH_LOG("task %u of %u", i, self->limit);
		ASSERT_EQ(self->limit - i - 1, pool_figure(self->pool.fd, free));
	}
	for (i = 0; i < 10; i++)
		EXPECT_EQ(-EAGAIN, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 1000));
	ASSERT_EQ(0, pool_stats(self->pool.fd, &stats));
	EXPECT_EQ(10, stats.refused);
	EXPECT_EQ(self->limit, stats.outstanding);
	EXPECT_EQ(0, stats.waiting);
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, busy) == variant->capacity));
	EXPECT_EQ(variant->queue_depth, pool_figure(self->pool.fd, queued));

	/* one goes, one may come */
	EXPECT_EQ(0, cancel(self->pool.fd, 0, self->limit - 1, NULL, NULL));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, free) == 1));
	EXPECT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 2000));
	EXPECT_EQ(-EAGAIN, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 2001));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, free) == self->limit));
}

TEST_F(full, batch_is_accepted_in_part)
{
	struct wpool_dev_record *records = calloc(self->limit, sizeof(*records));
	struct wpool_dev_work *works = calloc(self->limit + 10, sizeof(*works));
	__u32 i, accepted;

	ASSERT_NE(NULL, records);
	ASSERT_NE(NULL, works);
	for (i = 0; i < self->limit + 10; i++) {
		works[i].kind = WPOOL_WORK_SLEEP;
		works[i].arg = LONG;
		works[i].cookie = i;
	}
	EXPECT_EQ(0, submit_flags(self->pool.fd, works, self->limit + 10, 0, &accepted));
	EXPECT_EQ(self->limit, accepted);
	EXPECT_EQ(-EAGAIN, submit_flags(self->pool.fd, works, self->limit + 10, 0, &accepted));
	EXPECT_EQ(0, accepted);
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	/* a prefix: these and no others */
	ASSERT_EQ(self->limit, read_records(self->pool.fd, records, self->limit));
	for (i = 0; i < self->limit; i++)
		EXPECT_GT(self->limit, records[i].cookie);
	EXPECT_EQ(0, read(self->pool.fd, records, sizeof(*records)));
}

/* From several CPUs at once it is as exact. */
TEST_F(full, threads_together)
{
	struct submitter subs[8];
	__u32 accepted = 0;
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(subs); i++)
		ASSERT_EQ(0, submitter_start(&subs[i], self->pool.fd, WPOOL_WORK_SLEEP, LONG,
					     i * 1000, self->limit));
	for (i = 0; i < ARRAY_SIZE(subs); i++) {
		err = submitter_end(&subs[i]);
		EXPECT_TRUE(err == 0 || err == -EAGAIN)
			TH_LOG("%d", err);
		EXPECT_EQ(!err, subs[i].accepted > 0);
		accepted += subs[i].accepted;
	}
	EXPECT_EQ(self->limit, accepted);
	EXPECT_EQ(0, pool_figure(self->pool.fd, free));
}

/* ---- submitters that sleep ----------------------------------------------- */

FIXTURE(block)
{
	struct pool pool;	/* one worker, no queue */
	int second;		/* another file on it */
};

FIXTURE_SETUP(block)
{
	self->second = -1;
	ASSERT_EQ(0, pool_create(&self->pool, &tiny_pool));
	self->second = pool_attach(self->pool.name, 0);
	ASSERT_LE(0, self->second);
}

FIXTURE_TEARDOWN(block)
{
	if (self->second >= 0)
		cancel_all(self->second);
	pool_end(&self->pool);
	close(self->second);
}

/* The pool's only worker sleeps until it is told otherwise. */
static int occupy(int fd, __u64 cookie)
{
	int err = submit(fd, WPOOL_WORK_SLEEP, LONG, cookie);

	return err ?: WAIT_FOR(pool_figure(fd, busy) == 1) ? 0 : -ETIMEDOUT;
}

TEST_F(block, sleeps_and_goes_on)
{
	struct wpool_dev_record records[2];
	struct submitter sub;

	ASSERT_EQ(0, occupy(self->pool.fd, 1));
	ASSERT_EQ(0, submitter_start(&sub, self->pool.fd, WPOOL_WORK_NOOP, 0, 2, 1));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->second, waiting) == 1));
	EXPECT_EQ(1, attr_number(self->pool.name, "waiting"));
	EXPECT_EQ(1, pool_figure(self->second, outstanding));
	EXPECT_FALSE(submitter_done(&sub));
	EXPECT_EQ(0, cancel(self->pool.fd, 0, 1, NULL, NULL));
	EXPECT_EQ(0, submitter_end(&sub));
	EXPECT_EQ(1, sub.accepted);
	ASSERT_EQ(2, read_records(self->pool.fd, records, 2));
	EXPECT_EQ(1, records[0].cookie);
	EXPECT_EQ(2, records[1].cookie);
	EXPECT_EQ(0, records[1].status);
	EXPECT_LE(records[0].end_ns, records[1].start_ns);
	EXPECT_EQ(0, pool_figure(self->second, waiting));
}

/* A batch larger than the pool goes through it bit by bit. */
TEST_F(block, batch_until_all_are_in)
{
	struct submitter sub;

	ASSERT_EQ(0, submitter_start(&sub, self->pool.fd, WPOOL_WORK_SLEEP, MSEC, 0, 50));
	EXPECT_EQ(0, submitter_end(&sub));
	EXPECT_EQ(50, sub.accepted);
	EXPECT_EQ(0, wait_tasks(self->pool.fd, 0));
	EXPECT_EQ(50, pool_figure(self->pool.fd, completed));
}

TEST_F(block, nonblocking)
{
	struct wpool_dev_work works[3] = {
		{ .kind = WPOOL_WORK_SLEEP, .arg = LONG },
		{ .kind = WPOOL_WORK_SLEEP, .arg = LONG },
	};
	int fd = pool_attach(self->pool.name, O_NONBLOCK);
	__u32 accepted;

	ASSERT_LE(0, fd);
	/* a prefix, as under policy fail */
	EXPECT_EQ(0, submit_flags(self->pool.fd, works, 3, WPOOL_DEV_SUBMIT_NONBLOCK, &accepted));
	EXPECT_EQ(1, accepted);
	EXPECT_EQ(-EAGAIN, submit_flags(self->pool.fd, works, 3, WPOOL_DEV_SUBMIT_NONBLOCK,
					&accepted));
	EXPECT_EQ(0, accepted);
	EXPECT_EQ(-EAGAIN, submit_flags(fd, works, 1, 0, &accepted));
	EXPECT_EQ(0, accepted);
	EXPECT_EQ(-EAGAIN, submit_flags(fd, works, 1, WPOOL_DEV_SUBMIT_NONBLOCK, &accepted));
	/* O_NONBLOCK is looked at each time */
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	ASSERT_TRUE(WAIT_FOR(pool_figure(fd, free) == 1));
	EXPECT_EQ(0, submit_flags(fd, works, 1, 0, &accepted));
	EXPECT_EQ(1, accepted);
	close(fd);
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
}

/* Nobody that does not wait overtakes somebody that does. */
TEST_F(block, nonblocking_behind_a_waiter)
{
	struct submitter sub;
	unsigned int i;
	int err;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, occupy(self->pool.fd, 1));
		ASSERT_EQ(0, submitter_start(&sub, self->pool.fd, WPOOL_WORK_SLEEP, LONG, 2, 1));
		ASSERT_TRUE(WAIT_FOR(pool_figure(self->second, waiting) == 1));
		EXPECT_EQ(0, cancel(self->pool.fd, 0, 1, NULL, NULL));
		/* the slot that comes free is the waiter's, and full again */
		do {
			struct wpool_dev_work work = { .cookie = 3 };

			err = submit_flags(self->second, &work, 1, WPOOL_DEV_SUBMIT_NONBLOCK,
					   NULL);
			EXPECT_EQ(-EAGAIN, err);
		} while (!submitter_done(&sub) && err == -EAGAIN);
		EXPECT_EQ(0, submitter_end(&sub));
		EXPECT_EQ(0, cancel_all(self->pool.fd));
		EXPECT_EQ(0, wait_tasks(self->pool.fd, 10 * SEC));
		ASSERT_TRUE(WAIT_FOR(pool_figure(self->second, free) == 1));
	}
}

TEST_F(block, max_blocking)
{
	struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_MAX_BLOCKING,
		.max_blocking = 2,
	};
	struct submitter subs[2];
	unsigned int i;

	ASSERT_EQ(0, pool_tune(self->pool.fd, &attrs));
	ASSERT_EQ(0, occupy(self->pool.fd, 1));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, submitter_start(&subs[i], self->pool.fd, WPOOL_WORK_NOOP, 0, 2 + i,
					     1));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->second, waiting) == 2));
	EXPECT_EQ(-EAGAIN, submit(self->second, WPOOL_WORK_NOOP, 0, 4));
	EXPECT_EQ(-EAGAIN, submit(self->second, WPOOL_WORK_NOOP, 0, 4));
	EXPECT_EQ(2, pool_figure(self->second, waiting));
	EXPECT_EQ(2, pool_figure(self->second, refused));
	EXPECT_EQ(0, cancel(self->pool.fd, 0, 1, NULL, NULL));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, submitter_end(&subs[i]));
	EXPECT_EQ(0, wait_tasks(self->pool.fd, 0));
	EXPECT_EQ(0, submit(self->second, WPOOL_WORK_NOOP, 0, 5));
}

TEST_F(block, killed_submitter_leaves_nothing)
{
	struct wpool_dev_work work = { .kind = WPOOL_WORK_NOOP, .cookie = 9 };
	int status, fd;
	pid_t pids[3];
	size_t i;

	ASSERT_EQ(0, occupy(self->pool.fd, 1));
	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		pids[i] = fork();
		ASSERT_LE(0, pids[i]);
		if (!pids[i]) {
			/* its own file, and then the one that is shared */
			fd = i ? pool_attach(self->pool.name, 0) : self->pool.fd;
			_exit(fd < 0 ? 100 : -submit_flags(fd, &work, 1, 0, NULL));
		}
	}
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->second, waiting) == ARRAY_SIZE(pids)));
	/* the one in the middle of the line first */
	EXPECT_EQ(0, kill(pids[1], SIGKILL));
	EXPECT_EQ(pids[1], waitpid(pids[1], &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(2, pool_figure(self->second, waiting));
	for (i = 0; i < ARRAY_SIZE(pids); i += 2) {
		EXPECT_EQ(0, kill(pids[i], SIGKILL));
		EXPECT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	EXPECT_EQ(0, pool_figure(self->second, waiting));
	EXPECT_EQ(1, pool_figure(self->second, outstanding));
	EXPECT_EQ(1, pool_figure(self->second, submitted));
	/* and the pool is as usable as before, for exactly one task */
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->second, free) == 1));
	EXPECT_EQ(0, occupy(self->second, 2));
	EXPECT_EQ(0, pool_figure(self->second, free));
}

static void nothing(int sig)
{
	(void)sig;
}

static void on_signal(int sig, int flags)
{
	struct sigaction action = { .sa_handler = nothing, .sa_flags = flags };

	sigaction(sig, &action, NULL);
}

TEST_F(block, interrupted_with_nothing_accepted)
{
	struct submitter sub;

	on_signal(SIGUSR1, 0);
	ASSERT_EQ(0, occupy(self->pool.fd, 1));
	ASSERT_EQ(0, submitter_start(&sub, self->pool.fd, WPOOL_WORK_NOOP, 0, 2, 3));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->second, waiting) == 1));
	EXPECT_EQ(0, pthread_kill(sub.thread, SIGUSR1));
	EXPECT_EQ(-EINTR, submitter_end(&sub));
	EXPECT_EQ(0, sub.accepted);
	EXPECT_EQ(0, pool_figure(self->second, waiting));
	EXPECT_EQ(1, pool_figure(self->pool.fd, file_submitted));
}

TEST_F(block, interrupted_with_some_accepted)
{
	struct submitter sub;

	on_signal(SIGUSR1, 0);
	ASSERT_EQ(0, submitter_start(&sub, self->pool.fd, WPOOL_WORK_SLEEP, LONG, 0, 3));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->second, waiting) == 1));
	EXPECT_EQ(0, pthread_kill(sub.thread, SIGUSR1));
	EXPECT_EQ(0, submitter_end(&sub));
	EXPECT_EQ(1, sub.accepted);
	EXPECT_EQ(0, pool_figure(self->second, waiting));
	EXPECT_EQ(1, pool_figure(self->second, outstanding));
	EXPECT_EQ(1, pool_figure(self->pool.fd, file_submitted));
}

/* A handler with SA_RESTART: the call goes on, and nothing is in twice. */
TEST_F(block, restarted)
{
	struct submitter sub;
	unsigned int i;

	on_signal(SIGUSR1, SA_RESTART);
	ASSERT_EQ(0, occupy(self->pool.fd, 1));
	ASSERT_EQ(0, submitter_start(&sub, self->pool.fd, WPOOL_WORK_NOOP, 0, 2, 1));
	for (i = 0; i < 5; i++) {
		ASSERT_TRUE(WAIT_FOR(pool_figure(self->second, waiting) == 1));
		EXPECT_EQ(0, pthread_kill(sub.thread, SIGUSR1));
	}
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->second, waiting) == 1));
	EXPECT_FALSE(submitter_done(&sub));
	EXPECT_EQ(0, cancel(self->pool.fd, 0, 1, NULL, NULL));
	EXPECT_EQ(0, submitter_end(&sub));
	EXPECT_EQ(1, sub.accepted);
	EXPECT_EQ(0, wait_tasks(self->pool.fd, 10 * SEC));
	EXPECT_EQ(2, pool_figure(self->pool.fd, file_finished));
}

/* ---- two files on one pool ----------------------------------------------- */

TEST_F(block, files_are_apart)
{
	struct wpool_dev_attrs attrs = { .mask = WPOOL_DEV_CAPACITY, .capacity = 4 };
	struct wpool_dev_record record;
	__u32 cancelled, stopped;

	ASSERT_EQ(0, pool_tune(self->pool.fd, &attrs));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 1));
	ASSERT_EQ(0, submit(self->second, WPOOL_WORK_SLEEP, LONG, 1));
	ASSERT_EQ(0, submit(self->second, WPOOL_WORK_SLEEP, LONG, 2));
	/* the same cookie, another file */
	EXPECT_EQ(-ENOENT, cancel(self->pool.fd, 0, 2, &cancelled, &stopped));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_EQ(0, wait_tasks(self->pool.fd, 10 * SEC));
	ASSERT_EQ(1, read_records(self->pool.fd, &record, 1));
	EXPECT_EQ(1, record.cookie);
	EXPECT_EQ(0, read(self->pool.fd, &record, sizeof(record)));
	EXPECT_EQ(-ETIME, wait_tasks(self->second, 1));
	EXPECT_EQ(0, pool_figure(self->second, file_finished));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->second, outstanding) == 2));
	/* what one leaves behind when it goes is not the other's */
	EXPECT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 3));
	EXPECT_EQ(0, close(self->second));
	self->second = -1;
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, outstanding) == 1));
	EXPECT_EQ(-ETIME, wait_tasks(self->pool.fd, 1));
}

/* A file that was duplicated ends with its last descriptor. */
TEST_F(block, close_of_a_duplicate)
{
	int fd = dup(self->second);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, submit(self->second, WPOOL_WORK_SLEEP, LONG, 1));
	EXPECT_EQ(0, close(fd));
	EXPECT_EQ(-ETIME, wait_tasks(self->second, 1));
	EXPECT_EQ(1, pool_figure(self->pool.fd, outstanding));
}

/* ---- the end of a file --------------------------------------------------- */

FIXTURE(in_flight)
{
	struct pool pool;
	int fd;
};

FIXTURE_VARIANT(in_flight)
{
	struct wpool_dev_work work;
};

FIXTURE_VARIANT_ADD(in_flight, sleep) {
	.work = { .kind = WPOOL_WORK_SLEEP, .arg = LONG },
};

FIXTURE_VARIANT_ADD(in_flight, spin) {
	.work = { .kind = WPOOL_WORK_SPIN, .arg = LONG },
};

FIXTURE_VARIANT_ADD(in_flight, lock) {
	.work = { .kind = WPOOL_WORK_LOCK, .arg = LONG },
};

FIXTURE_VARIANT_ADD(in_flight, yield) {
	.work = { .kind = WPOOL_WORK_YIELD, .arg = WPOOL_MAX_WORK_YIELDS },
};

FIXTURE_VARIANT_ADD(in_flight, touch) {
	.work = { .kind = WPOOL_WORK_TOUCH, .arg = WPOOL_MAX_WORK_BYTES / 4 },
};

FIXTURE_VARIANT_ADD(in_flight, hash) {
	.work = { .kind = WPOOL_WORK_HASH, .arg = WPOOL_MAX_WORK_BYTES / 4 },
};

FIXTURE_VARIANT_ADD(in_flight, tree) {
	.work = { .kind = WPOOL_WORK_TREE, .arg = LONG, .depth = 3, .fanout = 4 },
};

FIXTURE_SETUP(in_flight)
{
	struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_QUEUE_DEPTH,
		.capacity = 4,
		.queue_depth = WPOOL_DEV_UNLIMITED,
	};

	self->fd = -1;
	ASSERT_EQ(0, pool_create(&self->pool, &attrs));
	self->fd = pool_attach(self->pool.name, 0);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(in_flight)
{
	pool_end(&self->pool);
}

/*
 * Under 100 ms; kernels with checks built in get as much more as they are
 * slower. What is measured is not exact on a machine that does other things,
 * too: one of three rounds has to be in time.
 */
TEST_F(in_flight, close_ends_it_soon)
{
	__u64 began, took = 0;
	unsigned int i, round;

	for (round = 0; round < 3; round++) {
		struct wpool_dev_work works[16];

		if (round)
			self->fd = pool_attach(self->pool.name, 0);
		ASSERT_LE(0, self->fd);
		for (i = 0; i < ARRAY_SIZE(works); i++)
			works[i] = variant->work;
		ASSERT_EQ(0, submit_all(self->fd, works, ARRAY_SIZE(works)));
		ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, busy) >= 1 ||
				     !pool_figure(self->pool.fd, outstanding)));
		began = now_ns();
		EXPECT_EQ(0, close(self->fd));
		self->fd = -1;
		took = now_ns() - began;
		/* they are really gone, or so nearly that nobody can tell */
		ASSERT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
		ASSERT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, busy)));
		if (took < 100 * MSEC * slow())
			break;
	}
	EXPECT_GT(100 * MSEC * slow(), took)
		TH_LOG("close took %llu ms", (unsigned long long)(took / MSEC));
}

TEST_F(in_flight, process_is_killed)
{
	struct wpool_dev_work work = variant->work;
	int status, fd, i;
	pid_t pid;

	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		fd = pool_attach(self->pool.name, 0);
		for (i = 0; i < 8; i++)
			if (submit_all(fd, &work, 1))
				_exit(1);
		pause();
	}
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, submitted) >= 8));
	EXPECT_EQ(0, kill(pid, SIGKILL));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
}

/* Sleeping in WAIT or in read() is no reason not to die. */
TEST_F(in_flight, killed_while_it_waits)
{
	struct wpool_dev_work work = variant->work;
	struct wpool_dev_record record;
	int status, i;
	pid_t pid[2];

	if (work.kind != WPOOL_WORK_SLEEP)
		return;
	ASSERT_EQ(0, submit_all(self->fd, &work, 1));
	for (i = 0; i < 2; i++) {
		pid[i] = fork();
		ASSERT_LE(0, pid[i]);
		if (!pid[i]) {
			if (i)
				wait_tasks(self->fd, 0);
			else if (read(self->fd, &record, sizeof(record)))
				_exit(2);
			_exit(1);
		}
	}
	for (i = 0; i < 2; i++) {
		char state[64] = "";

		/* asleep, so in the call that was meant */
		ASSERT_TRUE(WAIT_FOR(!thread_status(pid[i], "State", state, sizeof(state)) &&
				     state[0] == 'S'));
		EXPECT_EQ(0, kill(pid[i], SIGKILL));
		EXPECT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	EXPECT_EQ(1, pool_figure(self->pool.fd, outstanding));
	close(self->fd);
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
}

/* ---- release, reboot, destroy -------------------------------------------- */

TEST_F(block, destroy_sends_submitters_away)
{
	struct submitter subs[3], *sub;
	struct wpool_dev_record record;
	struct wpool_dev_stats stats;
	struct wpool_dev_attrs attrs = { .mask = WPOOL_DEV_EXPIRY_MS, .expiry_ms = 1 };
	__u64 ends;
	size_t i;

	/* destroy lets what was accepted run to its end */
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, 500 * MSEC, 1));
	ends = now_ns() + 500 * MSEC;
	for (i = 0; i < ARRAY_SIZE(subs); i++)
		ASSERT_EQ(0, submitter_start(&subs[i], self->second, WPOOL_WORK_NOOP, 0, i, 1));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, waiting) == ARRAY_SIZE(subs)));
	EXPECT_EQ(0, pool_destroy(self->pool.fd));
	EXPECT_LE(ends - 50 * MSEC, now_ns());
	for (i = 0; i < ARRAY_SIZE(subs); i++) {
		sub = &subs[i];
		EXPECT_EQ(-ESHUTDOWN, submitter_end(sub));
		EXPECT_EQ(0, sub->accepted);
	}
	EXPECT_FALSE(pool_exists(self->pool.name));
	ASSERT_EQ(1, read_records(self->pool.fd, &record, 1));
	EXPECT_EQ(0, record.status);

	/* both files live, the pool does not */
	EXPECT_EQ(-ESHUTDOWN, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 1));
	EXPECT_EQ(-ESHUTDOWN, submit(self->second, WPOOL_WORK_NOOP, 0, 1));
	EXPECT_EQ(-ESHUTDOWN, pool_tune(self->second, &attrs));
	EXPECT_EQ(-ESHUTDOWN, pool_reboot(self->second));
	EXPECT_EQ(0, pool_release(self->second, WPOOL_DEV_RELEASE_WAIT, 0));
	EXPECT_EQ(0, pool_destroy(self->second));
	EXPECT_EQ(0, wait_tasks(self->second, 0));
	ASSERT_EQ(0, pool_stats(self->second, &stats));
	EXPECT_EQ(WPOOL_DEV_DESTROYED, stats.state);
	EXPECT_EQ(0, stats.workers);
	EXPECT_EQ(0, stats.outstanding);
	EXPECT_EQ(1, stats.completed);
	EXPECT_EQ(-ENOENT, pool_attach(self->pool.name, 0));
}

static void *destroyer_run(void *data)
{
	struct submitter *sub = data;

	sub->err = pool_destroy(sub->fd);
	__atomic_store_n(&sub->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* From several files at once: all come back, when it is gone, and it is. */
TEST_F(block, destroy_together)
{
	struct submitter destroyers[4];
	int fds[4];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = pool_attach(self->pool.name, 0);
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(0, submit_many(fds[i], WPOOL_WORK_SLEEP, 20 * MSEC, i, 2));
	}
	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		destroyers[i] = (struct submitter){ .fd = fds[i] };
		ASSERT_EQ(0, pthread_create(&destroyers[i].thread, NULL, destroyer_run,
					    &destroyers[i]));
	}
	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		EXPECT_EQ(0, submitter_end(&destroyers[i]));
		EXPECT_FALSE(pool_exists(self->pool.name));
		EXPECT_EQ(2, pool_figure(fds[i], file_finished));
		close(fds[i]);
	}
}

/* The name is free as soon as the pool is gone, whoever still has it open. */
TEST_F(block, destroyed_name_is_free)
{
	unsigned int i;
	int fd;

	EXPECT_EQ(0, pool_destroy(self->pool.fd));
	EXPECT_EQ(-ENOENT, pool_attach(self->pool.name, 0));
	for (i = 0; i < 10; i++) {
		fd = open(DEV, O_RDWR);
		ASSERT_LE(0, fd);
		EXPECT_EQ(0, pool_create_fd(fd, self->pool.name, NULL));
		EXPECT_EQ(0, pool_destroy(fd));
		close(fd);
	}
	/* and the file knows its own, old pool */
	EXPECT_EQ(-ESHUTDOWN, submit(self->second, WPOOL_WORK_NOOP, 0, 1));
}

TEST(default_pool_is_not_ours_to_end)
{
	int fd = pool_attach("default", 0);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EBUSY, pool_destroy(fd));
	EXPECT_EQ(-EBUSY, pool_release(fd, 0, 0));
	EXPECT_EQ(-EBUSY, pool_release(fd, WPOOL_DEV_RELEASE_WAIT | WPOOL_DEV_RELEASE_CANCEL, 1));
	EXPECT_EQ(-EBUSY, pool_reboot(fd));
	EXPECT_EQ(WPOOL_DEV_OPEN, pool_figure(fd, state));
	EXPECT_EQ(0, submit_many(fd, WPOOL_WORK_NOOP, 0, 0, 100));
	EXPECT_EQ(0, wait_tasks(fd, 0));
	close(fd);
}

TEST_F(block, release_wait_reboot)
{
	struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_QUEUE_DEPTH,
		.queue_depth = 10,
	};
	struct wpool_dev_record records[3];
	struct wpool_dev_stats stats;
	char state[32];
	unsigned int i, round;

	ASSERT_EQ(0, pool_tune(self->pool.fd, &attrs));
	for (round = 0; round < 3; round++) {
		/* an open pool: nothing happens */
		EXPECT_EQ(0, pool_reboot(self->pool.fd));
		ASSERT_EQ(0, occupy(self->pool.fd, 1));
		ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 2, 2));

		EXPECT_EQ(-ETIME, pool_release(self->pool.fd, WPOOL_DEV_RELEASE_WAIT, 20 * MSEC));
		EXPECT_EQ(-ESHUTDOWN, submit(self->second, WPOOL_WORK_NOOP, 0, 1));
		EXPECT_EQ(0, attr_read(self->pool.name, "state", state, sizeof(state)));
		EXPECT_STREQ("closed", state);
		EXPECT_EQ(WPOOL_DEV_CLOSED, pool_figure(self->second, state));
		EXPECT_EQ(3, pool_figure(self->second, outstanding));
		/* it can be said and waited for again */
		EXPECT_EQ(0, pool_release(self->second, 0, 0));
		EXPECT_EQ(-ETIME, pool_release(self->second, WPOOL_DEV_RELEASE_WAIT, MSEC));

		/* what was queued runs to its end */
		EXPECT_EQ(0, cancel(self->pool.fd, 0, 1, NULL, NULL));
		EXPECT_EQ(0, pool_release(self->second, WPOOL_DEV_RELEASE_WAIT, 20 * SEC));
		EXPECT_EQ(0, pool_release(self->second, WPOOL_DEV_RELEASE_WAIT, 0));
		ASSERT_EQ(0, pool_stats(self->second, &stats));
		EXPECT_EQ(0, stats.workers);
		EXPECT_EQ(0, stats.outstanding);
		ASSERT_EQ(3, read_records(self->pool.fd, records, 3));
		for (i = 0; i < 3; i++)
			EXPECT_EQ(records[i].cookie == 1 ? -ECANCELED : 0, records[i].status);

		/* closed for good, until somebody opens it */
		EXPECT_EQ(-ESHUTDOWN, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 1));
		EXPECT_EQ(0, pool_reboot(self->second));
		EXPECT_EQ(WPOOL_DEV_OPEN, pool_figure(self->second, state));
	}
	EXPECT_EQ(0, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 1));
	EXPECT_EQ(0, wait_tasks(self->pool.fd, 0));
}

TEST_F(block, release_cancels_if_asked)
{
	struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_QUEUE_DEPTH,
		.queue_depth = 10,
	};
	struct wpool_dev_record records[4];
	unsigned int i;

	ASSERT_EQ(0, pool_tune(self->pool.fd, &attrs));
	ASSERT_EQ(0, occupy(self->pool.fd, 1));
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 2, 3));
	EXPECT_EQ(0, pool_release(self->second, WPOOL_DEV_RELEASE_CANCEL, 0));
	/* the one that runs is left alone */
	ASSERT_EQ(3, read_records(self->pool.fd, records, 3));
	for (i = 0; i < 3; i++) {
		EXPECT_LE(2, records[i].cookie);
		EXPECT_EQ(-ECANCELED, records[i].status);
		EXPECT_EQ(0, records[i].start_ns);
	}
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->second, outstanding) == 1));
	EXPECT_EQ(-ETIME, pool_release(self->second, WPOOL_DEV_RELEASE_WAIT, MSEC));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	EXPECT_EQ(0, pool_release(self->second, WPOOL_DEV_RELEASE_WAIT, 20 * SEC));
	EXPECT_EQ(0, pool_reboot(self->second));
	EXPECT_EQ(0, submit(self->second, WPOOL_WORK_NOOP, 0, 1));
	EXPECT_EQ(0, wait_tasks(self->second, 0));
}

TEST_F(block, release_sends_submitters_away)
{
	struct submitter subs[3];
	size_t i;

	ASSERT_EQ(0, occupy(self->pool.fd, 1));
	for (i = 0; i < ARRAY_SIZE(subs); i++)
		ASSERT_EQ(0, submitter_start(&subs[i], self->second, WPOOL_WORK_NOOP, 0, i, 2));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, waiting) == ARRAY_SIZE(subs)));
	EXPECT_EQ(0, pool_release(self->pool.fd, 0, 0));
	/* at once, not when the task that runs has ended */
	for (i = 0; i < ARRAY_SIZE(subs); i++) {
		EXPECT_EQ(-ESHUTDOWN, submitter_end(&subs[i]));
		EXPECT_EQ(0, subs[i].accepted);
	}
	EXPECT_EQ(1, pool_figure(self->second, outstanding));
	EXPECT_EQ(0, pool_figure(self->second, waiting));
	EXPECT_EQ(-ETIME, wait_tasks(self->pool.fd, 1));
}

/* A batch of which some are in when the pool closes says so. */
TEST_F(block, release_in_the_middle_of_a_batch)
{
	struct submitter sub;

	ASSERT_EQ(0, submitter_start(&sub, self->second, WPOOL_WORK_SLEEP, LONG, 0, 3));
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, waiting) == 1));
	EXPECT_EQ(0, pool_release(self->pool.fd, 0, 0));
	EXPECT_EQ(0, submitter_end(&sub));
	EXPECT_EQ(1, sub.accepted);
	EXPECT_EQ(1, pool_figure(self->second, file_submitted));
}

/* The time-outs of a release do not overflow into short ones. */
TEST_F(block, release_enormous_timeout)
{
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, 50 * MSEC, 1));
	EXPECT_EQ(0, pool_release(self->pool.fd, WPOOL_DEV_RELEASE_WAIT, UINT64_MAX));
	EXPECT_EQ(0, pool_reboot(self->pool.fd));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, 50 * MSEC, 1));
	EXPECT_EQ(0, pool_release(self->pool.fd, WPOOL_DEV_RELEASE_WAIT, 1ULL << 63));
}

/* ---- capacity under load ------------------------------------------------- */

/* After a smaller capacity no more than that run, beyond those that did. */
TEST(shrink_under_load)
{
	struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_QUEUE_DEPTH,
		.capacity = 4,
		.queue_depth = WPOOL_DEV_UNLIMITED,
	};
	struct wpool_dev_record records[4 + 12], late[12];
	unsigned int i, nr = 0, overlap;
	struct pool pool;

	ASSERT_EQ(0, pool_create(&pool, &attrs));
	ASSERT_EQ(0, submit_many(pool.fd, WPOOL_WORK_SLEEP, LONG, 0, 4));
	ASSERT_TRUE(WAIT_FOR(pool_figure(pool.fd, busy) == 4));
	attrs.mask = WPOOL_DEV_CAPACITY;
	attrs.capacity = 1;
	ASSERT_EQ(0, pool_tune(pool.fd, &attrs));
	ASSERT_EQ(0, submit_many(pool.fd, WPOOL_WORK_SLEEP, 10 * MSEC, 100, 12));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, cancel(pool.fd, 0, i, NULL, NULL));
		ASSERT_TRUE(WAIT_FOR(pool_figure(pool.fd, file_finished) >= i + 1));
	}
	ASSERT_EQ(ARRAY_SIZE(records), read_records(pool.fd, records, ARRAY_SIZE(records)));
	for (i = 0; i < ARRAY_SIZE(records); i++) {
		EXPECT_EQ(records[i].cookie < 4 ? -ECANCELED : 0, records[i].status);
		if (records[i].cookie >= 100 && nr < ARRAY_SIZE(late))
			late[nr++] = records[i];
	}
	ASSERT_EQ(ARRAY_SIZE(late), nr);
	overlap = max_overlap(late, nr);
	EXPECT_EQ(1, overlap);
	/* no new one started beside any of the old ones */
	overlap = max_overlap(records, ARRAY_SIZE(records));
	EXPECT_EQ(4, overlap);
	/* and the workers that are too many have left */
	EXPECT_TRUE(WAIT_FOR(pool_figure(pool.fd, workers) <= 1));
	pool_end(&pool);
}

/* ants: free is negative after a shrink. Here it is 0, and nothing is let in. */
TEST(shrink_leaves_a_debt)
{
	struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_POLICY,
		.capacity = 8,
		.policy = WPOOL_DEV_POLICY_FAIL,
	};
	struct pool pool;
	unsigned int i;

	ASSERT_EQ(0, pool_create(&pool, &attrs));
	ASSERT_EQ(0, submit_many(pool.fd, WPOOL_WORK_SLEEP, LONG, 0, 8));
	attrs.mask = WPOOL_DEV_CAPACITY;
	attrs.capacity = 2;
	ASSERT_EQ(0, pool_tune(pool.fd, &attrs));
	EXPECT_EQ(0, attr_number(pool.name, "free"));
	for (i = 0; i < 6; i++) {
		EXPECT_EQ(-EAGAIN, submit(pool.fd, WPOOL_WORK_NOOP, 0, 100));
		ASSERT_EQ(0, cancel(pool.fd, 0, i, NULL, NULL));
		ASSERT_TRUE(WAIT_FOR(pool_figure(pool.fd, outstanding) == 7 - i));
		EXPECT_EQ(0, pool_figure(pool.fd, free));
	}
	EXPECT_EQ(-EAGAIN, submit(pool.fd, WPOOL_WORK_NOOP, 0, 100));
	ASSERT_EQ(0, cancel(pool.fd, 0, 6, NULL, NULL));
	ASSERT_TRUE(WAIT_FOR(pool_figure(pool.fd, free) == 1));
	EXPECT_EQ(0, submit(pool.fd, WPOOL_WORK_SLEEP, LONG, 7));
	EXPECT_EQ(-EAGAIN, submit(pool.fd, WPOOL_WORK_NOOP, 0, 100));
	pool_end(&pool);
}

/* ants ignores Tune on an unlimited pool; here there is a way and a way back. */
TEST(unlimited_to_finite_and_back)
{
	struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_POLICY,
		.capacity = WPOOL_DEV_UNLIMITED,
		.policy = WPOOL_DEV_POLICY_FAIL,
	};
	struct pool pool;

	ASSERT_EQ(0, pool_create(&pool, &attrs));
	EXPECT_EQ(WPOOL_DEV_UNLIMITED, pool_figure(pool.fd, free));
	ASSERT_EQ(0, submit_many(pool.fd, WPOOL_WORK_SLEEP, LONG, 0, 20));
	EXPECT_EQ(WPOOL_DEV_UNLIMITED, pool_figure(pool.fd, free));
	attrs.mask = WPOOL_DEV_CAPACITY;
	attrs.capacity = 19;
	ASSERT_EQ(0, pool_tune(pool.fd, &attrs));
	EXPECT_EQ(0, pool_figure(pool.fd, free));
	EXPECT_EQ(-EAGAIN, submit(pool.fd, WPOOL_WORK_NOOP, 0, 100));
	attrs.capacity = 22;
	ASSERT_EQ(0, pool_tune(pool.fd, &attrs));
	EXPECT_EQ(2, pool_figure(pool.fd, free));
	ASSERT_EQ(0, submit_many(pool.fd, WPOOL_WORK_SLEEP, LONG, 0, 2));
	EXPECT_EQ(-EAGAIN, submit(pool.fd, WPOOL_WORK_NOOP, 0, 100));
	attrs.capacity = WPOOL_DEV_UNLIMITED;
	ASSERT_EQ(0, pool_tune(pool.fd, &attrs));
	EXPECT_EQ(WPOOL_DEV_UNLIMITED, pool_figure(pool.fd, free));
	EXPECT_EQ(0, submit_many(pool.fd, WPOOL_WORK_NOOP, 0, 100, 1000));
	EXPECT_TRUE(WAIT_FOR(pool_figure(pool.fd, file_finished) == 1000));
	EXPECT_EQ(22, pool_figure(pool.fd, outstanding));
	pool_end(&pool);
}

/* ---- many ---------------------------------------------------------------- */

/* A file holds so many unfinished tasks and unread records, and no more. */
TEST_F_TIMEOUT(in_flight, records_of_a_file, 240)
{
	struct wpool_dev_work work = { .kind = WPOOL_WORK_NOOP };
	struct wpool_dev_record record;
	__u32 nr;

	if (variant->work.kind != WPOOL_WORK_SLEEP)
		return;
	for (nr = 0; nr < WPOOL_MAX_INFLIGHT; nr += WPOOL_MAX_BATCH)
		ASSERT_EQ(0, submit_many(self->fd, WPOOL_WORK_NOOP, 0, nr, WPOOL_MAX_BATCH));
	EXPECT_EQ(-ENOBUFS, submit_all(self->fd, &work, 1));
	EXPECT_EQ(0, wait_tasks(self->fd, 0));
	EXPECT_EQ(WPOOL_MAX_INFLIGHT, pool_figure(self->fd, file_unread));
	/* finished, but not read */
	EXPECT_EQ(-ENOBUFS, submit_all(self->fd, &work, 1));
	ASSERT_EQ(1, read_records(self->fd, &record, 1));
	EXPECT_EQ(0, submit_all(self->fd, &work, 1));
	EXPECT_EQ(0, wait_tasks(self->fd, 0));
	EXPECT_EQ(-ENOBUFS, submit_all(self->fd, &work, 1));
	/* another file has its own limit */
	EXPECT_EQ(0, submit_all(self->pool.fd, &work, 1));
}

/* Eight threads, one file: every cookie comes back exactly once. */
static void submit_together(struct __test_metadata *_metadata, const struct wpool_dev_attrs *attrs)
{
	enum { THREADS = 8, EACH = 1000 };
	struct wpool_dev_record *records = calloc(THREADS * EACH, sizeof(*records));
	static __u8 seen[THREADS * EACH];
	struct submitter subs[THREADS];
	struct wpool_dev_stats stats;
	struct pool pool;
	unsigned int i;

	ASSERT_NE(NULL, records);
	memset(seen, 0, sizeof(seen));
	ASSERT_EQ(0, pool_create(&pool, attrs));
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, submitter_start(&subs[i], pool.fd, WPOOL_WORK_NOOP, 0, i * EACH,
					     EACH));
	/* the threads sleep whenever the pool is full; here it is emptied */
	for (i = 0; i < THREADS; i++) {
		EXPECT_EQ(0, submitter_end(&subs[i]));
		EXPECT_EQ(EACH, subs[i].accepted);
	}
	ASSERT_EQ(THREADS * EACH, read_records(pool.fd, records, THREADS * EACH));
	for (i = 0; i < THREADS * EACH; i++) {
		ASSERT_EQ(0, records[i].status);
		ASSERT_GT(THREADS * EACH, records[i].cookie);
		ASSERT_EQ(0, seen[records[i].cookie]++);
	}
	EXPECT_EQ(0, read(pool.fd, records, sizeof(*records)));
	ASSERT_TRUE(WAIT_FOR(!pool_figure(pool.fd, outstanding)));
	ASSERT_EQ(0, pool_stats(pool.fd, &stats));
	EXPECT_EQ(THREADS * EACH, stats.completed);
	EXPECT_EQ(0, stats.waiting);
	EXPECT_EQ(0, stats.queued);
	EXPECT_GE(attrs->capacity, stats.spawned - stats.expired);
	pool_end(&pool);
	free(records);
}

TEST(threads_submit_to_a_full_pool)
{
	const struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_CAPACITY,
		.capacity = 4,
	};

	submit_together(_metadata, &attrs);
}

TEST(threads_submit_to_a_short_queue)
{
	const struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_QUEUE_DEPTH,
		.capacity = 2,
		.queue_depth = 100,
	};

	submit_together(_metadata, &attrs);
}

TEST(threads_submit_to_an_endless_queue)
{
	const struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_QUEUE_DEPTH,
		.capacity = 8,
		.queue_depth = WPOOL_DEV_UNLIMITED,
	};

	submit_together(_metadata, &attrs);
}

TEST(threads_submit_to_an_unlimited_pool)
{
	const struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_CAPACITY,
		.capacity = WPOOL_DEV_UNLIMITED,
	};

	submit_together(_metadata, &attrs);
}

TEST(threads_submit_to_a_pool_that_runs)
{
	const struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_POLICY,
		.capacity = 2,
		.policy = WPOOL_DEV_POLICY_RUN,
	};
	struct wpool_dev_record *records = calloc(8000, sizeof(*records));
	static __u8 seen[8000];
	struct submitter subs[8];
	struct pool pool;
	unsigned int i;

	ASSERT_NE(NULL, records);
	ASSERT_EQ(0, pool_create(&pool, &attrs));
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, submitter_start(&subs[i], pool.fd, WPOOL_WORK_NOOP, 0, i * 1000,
					     1000));
	for (i = 0; i < 8; i++) {
		EXPECT_EQ(0, submitter_end(&subs[i]));
		EXPECT_EQ(1000, subs[i].accepted);
	}
	ASSERT_EQ(8000, read_records(pool.fd, records, 8000));
	for (i = 0; i < 8000; i++) {
		ASSERT_EQ(0, records[i].status);
		ASSERT_GT(8000, records[i].cookie);
		ASSERT_EQ(0, seen[records[i].cookie]++);
	}
	pool_end(&pool);
	free(records);
}

/* Submit, destroy and close from several threads: everybody comes back. */
TEST(submit_against_destroy)
{
	struct submitter subs[6];
	struct pool pool;
	unsigned int round;
	size_t i;

	for (round = 0; round < 30; round++) {
		ASSERT_EQ(0, pool_create(&pool, &tiny_pool));
		for (i = 0; i < ARRAY_SIZE(subs); i++) {
			int fd = pool_attach(pool.name, 0);

			ASSERT_LE(0, fd);
			ASSERT_EQ(0, submitter_start(&subs[i], fd, WPOOL_WORK_NOOP, 0, 0, 200));
		}
		if (round % 2)
			EXPECT_TRUE(WAIT_FOR(pool_figure(pool.fd, completed) > round * 10));
		EXPECT_EQ(0, pool_destroy(pool.fd));
		for (i = 0; i < ARRAY_SIZE(subs); i++) {
			int err = submitter_end(&subs[i]);

			EXPECT_TRUE(err == 0 || err == -ESHUTDOWN)
				TH_LOG("%d", err);
			/* all that was accepted came to an end */
			EXPECT_EQ(subs[i].accepted, pool_figure(subs[i].fd, file_finished));
			close(subs[i].fd);
		}
		close(pool.fd);
	}
}

TEST_HARNESS_MAIN
