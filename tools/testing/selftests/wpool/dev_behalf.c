// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks of /dev/wpool on behalf of a process: they read and write its memory, and do not run after
 * the memory is gone.
 */
#include <sys/mman.h>

#include "work_fixture.h"

#define NR	1000

static __u64 counted;

TWO_FILES(behalf, SINGLE_POOL)

/* Read a number that workers write. */
static __u64 number_at(const __u64 *at)
{
	return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static int count_many(int fd, void *at, __u32 nr)
{
	return submit_many(fd, WPOOL_WORK_COUNT, (uintptr_t)at, 0, nr);
}

TEST_F(behalf, counts_in_our_memory)
{
	ASSERT_EQ(0, group_init_flags(self->fd, 100, WPOOL_DEV_GROUP_MM | WPOOL_DEV_GROUP_CREDS));
	ASSERT_EQ(0, count_many(self->fd, &counted, NR));
	EXPECT_TRUE(all_have_status(self->fd, NR, 0));
	EXPECT_EQ(NR, number_at(&counted));
	EXPECT_EQ(NR, pool_figure(self->fd, completed));
	EXPECT_EQ(0, pool_figure(self->fd, errors));
}

/*
 * Tasks that a child submits count in the memory of the parent, which made the group. The page is
 * faulted in on demand.
 */
TEST_F(behalf, counts_in_memory_of_who_asked)
{
	__u64 *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, group_init_flags(self->fd, 1, WPOOL_DEV_GROUP_MM));
	pid = fork();
	if (!pid) {
		/* the submitter's mapping at this address does not matter */
		munmap(page, 4096);
		_exit(count_many(self->fd, page, 3) || wait_tasks(self->fd, 0));
	}
	ASSERT_EQ(0, child_end(pid));
	EXPECT_TRUE(all_have_status(self->fd, 3, 0));
	EXPECT_EQ(3, number_at(page));
}

TEST_F(behalf, a_bad_address_ends_the_task_with_an_error)
{
	void *gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *fixed = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, gone);
	ASSERT_NE(MAP_FAILED, fixed);
	munmap(gone, 4096);
	/* a task without a process has no user memory */
	ASSERT_EQ(0, count_many(self->pool.fd, &counted, 1));
	EXPECT_TRUE(all_have_status(self->pool.fd, 1, -EFAULT));
	ASSERT_EQ(0, group_init_flags(self->fd, WPOOL_DEV_UNLIMITED, WPOOL_DEV_GROUP_MM));
	ASSERT_EQ(0, count_many(self->fd, gone, 1));
	ASSERT_EQ(0, count_many(self->fd, fixed, 1));
	ASSERT_EQ(0, count_many(self->fd, NULL, 1));
	ASSERT_EQ(0, count_many(self->fd, (void *)-4096L, 1));
	EXPECT_TRUE(all_have_status(self->fd, 4, -EFAULT));
	/* a worker has no user memory after a task on behalf of a process */
	ASSERT_EQ(0, count_many(self->pool.fd, &counted, 1));
	EXPECT_TRUE(all_have_status(self->pool.fd, 1, -EFAULT));
	EXPECT_EQ(0, number_at(&counted));
}

/* A child ends, or executes a program if @execs, while tasks on its behalf are queued. */
static void end_with_tasks_queued(struct __test_metadata *_metadata, struct pool *pool, int fd,
				  bool execs)
{
	pid_t pid;

	ASSERT_EQ(0, submit(pool->fd, WPOOL_WORK_SLEEP, LONG, 0));
	pid = fork();
	if (!pid) {
		if (group_init_flags(fd, WPOOL_DEV_UNLIMITED, WPOOL_DEV_GROUP_MM) ||
		    count_many(fd, &counted, NR))
			_exit(1);
		/* -l: this program lists its tests and exits with KSFT_SKIP */
		if (execs && dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO) >= 0 &&
		    dup2(STDOUT_FILENO, STDERR_FILENO) >= 0)
			execl("/proc/self/exe", "dev_behalf", "-l", NULL);
		_exit(0);
	}
	ASSERT_EQ(execs ? KSFT_SKIP : 0, child_end(pid));
	EXPECT_EQ(0, cancel_all(pool->fd));
	EXPECT_TRUE(all_have_status(fd, NR, -ESRCH));
	EXPECT_EQ(0, number_at(&counted));
	/* the worker and the file still work */
	EXPECT_EQ(0, run_one(pool->fd));
	EXPECT_EQ(NR, pool_figure(fd, file_finished));
}

TEST_F(behalf, process_ends_with_tasks_queued)
{
	end_with_tasks_queued(_metadata, &self->pool, self->fd, false);
}

TEST_F(behalf, execve_with_tasks_queued)
{
	end_with_tasks_queued(_metadata, &self->pool, self->fd, true);
}

/*
 * If a process has ended, none of its queued tasks runs, even while a running task keeps the memory
 * of the process.
 */
TEST_F(behalf, process_ends_while_a_task_has_its_memory)
{
	pid_t pid;

	if (group_init_flags(self->pool.fd, 1, WPOOL_DEV_GROUP_MEMCG) == -EOPNOTSUPP)
		SKIP(return, "no memory cgroups");
	pid = fork();
	if (!pid)
		_exit(group_init_flags(self->fd, WPOOL_DEV_UNLIMITED, WPOOL_DEV_GROUP_MM) ||
		      submit(self->fd, WPOOL_WORK_SLEEP, LONG, 1) ||
		      !WAIT_FOR(attr_number(self->pool.name, "busy") == 1) ||
		      submit(self->fd, WPOOL_WORK_COUNT, (uintptr_t)&counted, 2));
	ASSERT_EQ(0, child_end(pid));
	/* only now a second worker may take the count */
	ASSERT_EQ(0, attr_write(self->pool.name, "capacity", "2"));
	EXPECT_RECORD(self->fd, 2, -ESRCH);
	EXPECT_EQ(0, cancel_all(self->fd));
	EXPECT_EQ(0, number_at(&counted));
}

/* If a process is killed while a worker uses its memory, all tasks of the process end. */
TEST_F(behalf, killed_in_the_middle)
{
	pid_t pid;
	int i;

	for (i = 0; i < 20; i++) {
		pid = fork();
		if (!pid) {
			int fd = pool_attach(self->pool.name, 0);

			if (group_init_flags(fd, WPOOL_DEV_UNLIMITED, WPOOL_DEV_GROUP_MM))
				_exit(1);
			for (;;)
				if (count_many(fd, &counted, NR) && errno != ENOBUFS)
					_exit(2);
		}
		usleep(1000 * i);
		ASSERT_TRUE(child_kill(pid));
	}
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, outstanding)));
	EXPECT_EQ(0, number_at(&counted));
}

/* Policy run: the process that made a group may run its tasks; another process must not. */
TEST_F(behalf, in_its_submitter)
{
	pid_t pid;

	close(self->fd);
	pool_end(&self->pool);
	ASSERT_EQ(0, pool_create(&self->pool,
				 ATTRS(.capacity = 1, .policy = WPOOL_DEV_POLICY_RUN)));
	self->fd = pool_attach(self->pool.name, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 0));
	ASSERT_EQ(0, group_init_flags(self->fd, 1, WPOOL_DEV_GROUP_MM | WPOOL_DEV_GROUP_CREDS));
	ASSERT_EQ(0, count_many(self->fd, &counted, 3));
	EXPECT_TRUE(all_have_status(self->fd, 3, 0));
	EXPECT_EQ(3, number_at(&counted));
	pid = fork();
	if (!pid)
		_exit(count_many(self->fd, &counted, 2) || counted != 3);
	ASSERT_EQ(0, child_end(pid));
	EXPECT_TRUE(all_have_status(self->fd, 2, -EPERM));
	EXPECT_EQ(3, number_at(&counted));
	/* the pool made one worker, for the task that sleeps */
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->pool.fd, spawned) == 1));
}

TEST_F(behalf, files_take_each_combination_of_flags)
{
	static const __u32 flags[] = { WPOOL_DEV_GROUP_MEMCG, WPOOL_DEV_GROUP_BLKCG };
	int i, err, fd;

	for (i = 0; i < 2; i++) {
		fd = pool_attach(self->pool.name, 0);
		ASSERT_LE(0, fd);
		err = group_init_flags(fd, 1, flags[i]);
		/* a kernel without such cgroups refuses the flag; then the file has no group */
		EXPECT_TRUE(!err || err == -EOPNOTSUPP);
		EXPECT_EQ(err ? 0 : -EISCONN, group_init_flags(fd, 1, WPOOL_DEV_GROUP_MM));
		EXPECT_EQ(0, submit(fd, WPOOL_WORK_NOOP, 0, 0));
		EXPECT_TRUE(all_have_status(fd, 1, 0));
		close(fd);
	}
}

TEST_HARNESS_MAIN
