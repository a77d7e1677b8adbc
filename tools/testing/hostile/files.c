// SPDX-License-Identifier: GPL-2.0
/*
 * 10,000 files of /dev/wpool, each with a task, and threads that close, poll and read them at
 * the same time.
 */
#include "hostile.h"

#include <sys/resource.h>

#define NR_FILES	10000
#define NR_RACERS	4
#define CAPACITY	16
#define QUEUE_DEPTH	20000

FIXTURE(files) {
	struct pool pool;
	int fds[NR_FILES];
	unsigned int next;	/* the next file to close */
	bool ends;
	__u64 wrong;
};

FIXTURE_SETUP(files)
{
	struct rlimit limit = { .rlim_cur = NR_FILES + 100, .rlim_max = NR_FILES + 100 };
	int i;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	ASSERT_EQ(0, pool_create(&self->pool,
				 ATTRS(.capacity = CAPACITY, .queue_depth = QUEUE_DEPTH)));
	for (i = 0; i < NR_FILES; i++) {
		self->fds[i] = pool_attach(self->pool.name, O_NONBLOCK);
		ASSERT_LE(0, self->fds[i])
			TH_LOG("file %d", i);
	}
}

FIXTURE_TEARDOWN(files)
{
	pool_end(&self->pool);
}

/* EAGAIN: no record yet, or no room. EBADF: closed. */
static bool is_expected(int err)
{
	return !err || err == EAGAIN || err == EBADF;
}

/* Poll, read and query random files, and submit through them. The files are open or closed. */
static void *race(void *data)
{
	struct _test_data_files *self = data;
	unsigned int seed = (uintptr_t)&seed;
	struct wpool_dev_record record;
	struct wpool_dev_stats stats;
	struct pollfd pfd[8];
	int fd, i;

	while (!__atomic_load_n(&self->ends, __ATOMIC_ACQUIRE)) {
		for (i = 0; i < 8; i++)
			pfd[i] = (struct pollfd){
				.fd = self->fds[rand_r(&seed) % NR_FILES], .events = POLLIN,
			};
		fd = pfd[0].fd;
		if ((poll(pfd, 8, 1) < 0) ||
		    (read(fd, &record, sizeof(record)) < 0 && !is_expected(errno)) ||
		    !is_expected(-pool_stats(fd, &stats)) ||
		    !is_expected(-submit(pfd[1].fd, WPOOL_WORK_NOOP, 0, 1)))
			__atomic_fetch_add(&self->wrong, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void *close_all(void *data)
{
	struct _test_data_files *self = data;
	unsigned int i;

	while ((i = __atomic_fetch_add(&self->next, 1, __ATOMIC_RELAXED)) < NR_FILES)
		if (close(self->fds[i]))
			__atomic_fetch_add(&self->wrong, 1, __ATOMIC_RELAXED);
	return NULL;
}

TEST_F(files, each_with_a_task_closed_under_poll_and_read)
{
	pthread_t racers[NR_RACERS], closers[NR_RACERS];
	__u64 accepted = 0;
	int i;

	/* some tasks run, most are queued */
	for (i = 0; i < NR_FILES; i++)
		accepted += !submit(self->fds[i], WPOOL_WORK_SLEEP, LONG, i);
	EXPECT_EQ(NR_FILES, accepted);
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, busy) == CAPACITY));
	EXPECT_EQ(NR_FILES - CAPACITY, pool_figure(self->pool.fd, queued));
	for (i = 0; i < NR_RACERS; i++)
		ASSERT_EQ(0, pthread_create(&racers[i], NULL, race, self));
	for (i = 0; i < NR_RACERS; i++)
		ASSERT_EQ(0, pthread_create(&closers[i], NULL, close_all, self));
	for (i = 0; i < NR_RACERS; i++)
		pthread_join(closers[i], NULL);
	__atomic_store_n(&self->ends, true, __ATOMIC_RELEASE);
	for (i = 0; i < NR_RACERS; i++)
		pthread_join(racers[i], NULL);
	EXPECT_EQ(0, self->wrong);
	EXPECT_WHOLE(self->pool.fd, CAPACITY + QUEUE_DEPTH);
	EXPECT_LE(NR_FILES, pool_figure(self->pool.fd, submitted));
	EXPECT_LT(0, pool_figure(self->pool.fd, cancelled));
	EXPECT_ROOM(&self->pool, CAPACITY + QUEUE_DEPTH);
}

/* All tasks run, each record is in its own file, and all files can be polled together. */
TEST_F(files, each_with_a_task_has_its_record)
{
	struct pollfd *pfds = calloc(NR_FILES, sizeof(*pfds));
	struct wpool_dev_record record;
	int i, ready = 0, wrong = 0;

	ASSERT_NE(NULL, pfds);
	for (i = 0; i < NR_FILES; i++) {
		pfds[i] = (struct pollfd){ .fd = self->fds[i], .events = POLLIN };
		ASSERT_EQ(0, submit(self->fds[i], WPOOL_WORK_NOOP, 0, i));
	}
	EXPECT_TRUE(WAIT_FOR((ready = poll(pfds, NR_FILES, 1000)) == NR_FILES));
	EXPECT_EQ(NR_FILES, ready);
	for (i = 0; i < NR_FILES; i++)
		wrong += read(self->fds[i], &record, sizeof(record)) != sizeof(record) ||
			 record.cookie != (__u64)i || record.status;
	EXPECT_EQ(0, wrong);
	EXPECT_WHOLE(self->pool.fd, CAPACITY + QUEUE_DEPTH);
	free(pfds);
}

TEST_HARNESS_MAIN
