// SPDX-License-Identifier: GPL-2.0
/*
 * The workload poll of /dev/wpool: tasks that wait for a file. The wait needs no worker and no
 * room in the pool.
 */
#include <linux/fuse.h>
#include <sys/eventfd.h>
#include <sys/mount.h>

#include "work_fixture.h"

#define TASKS 50

static int event;	/* the file that tasks wait for */

/* One worker, no queue; a full pool refuses at once. */
TWO_FILES_AND(poll, ATTRS(.capacity = 1, .policy = WPOOL_DEV_POLICY_FAIL),
	      event = eventfd(0, EFD_NONBLOCK))

/*
 * Submit @nr tasks, and wait until each has polled the file once. The pool counts a poll as a
 * completed task before the task's place is free again.
 */
static bool begin(int fd, int event, unsigned int nr)
{
	__u64 before = pool_figure(fd, completed);

	return !submit_many(fd, WPOOL_WORK_POLL, event, 0, nr) &&
	       WAIT_FOR(pool_figure(fd, completed) == before + nr) &&
	       WAIT_FOR(pool_figure(fd, free) == 1);
}

static bool happen(int event)
{
	return !eventfd_write(event, 1);
}

TEST_F(poll, holds_nothing_of_the_pool)
{
	struct wpool_dev_record records[TASKS];
	__u64 since;
	unsigned int i;

	ASSERT_TRUE(begin(self->fd, event, TASKS));
	EXPECT_EQ(TASKS, pool_figure(self->fd, file_submitted));
	EXPECT_EQ(0, pool_figure(self->fd, file_finished));
	EXPECT_EQ(0, pool_figure(self->fd, outstanding));
	EXPECT_EQ(0, pool_figure(self->fd, waiting));
	EXPECT_EQ(0, run_one(self->pool.fd));
	since = now_ns();
	ASSERT_TRUE(happen(event));
	ASSERT_EQ(TASKS, read_records(self->fd, records, TASKS));
	for (i = 0; i < TASKS; i++) {
		EXPECT_EQ(0, records[i].status);
		EXPECT_LE(since, records[i].start_ns);
		EXPECT_LE(records[i].start_ns, records[i].end_ns);
	}
	EXPECT_EQ(0, pool_figure(self->fd, refused));
}

TEST_F(poll, ready_from_the_beginning)
{
	ASSERT_TRUE(happen(event));
	ASSERT_EQ(0, submit(self->fd, WPOOL_WORK_POLL, event, 7));
	EXPECT_RECORD(self->fd, 7, 0);
}

TEST_F(poll, the_end_of_the_file_ends_the_task)
{
	int ends[2];

	ASSERT_EQ(0, pipe(ends));
	ASSERT_TRUE(begin(self->fd, ends[0], 1));
	close(ends[1]);
	EXPECT_RECORD(self->fd, 0, 0);
}

/* The task keeps a reference to the file after its descriptor is closed. */
TEST_F(poll, closed_file)
{
	int other = dup(event);

	ASSERT_LE(0, other);
	ASSERT_TRUE(begin(self->fd, other, 1));
	close(other);
	ASSERT_TRUE(happen(event));
	EXPECT_RECORD(self->fd, 0, 0);
}

/* If another reader was faster, the task continues to wait. */
TEST_F(poll, taken_by_another)
{
	__u64 completed;
	eventfd_t value;

	ASSERT_TRUE(begin(self->fd, event, 1));
	ASSERT_EQ(0, occupy(self->pool.fd, 0, 1));
	completed = pool_figure(self->fd, completed);
	ASSERT_TRUE(happen(event));
	ASSERT_EQ(0, eventfd_read(event, &value));
	EXPECT_EQ(1, pool_figure(self->fd, waiting));
	ASSERT_EQ(0, cancel_all(self->pool.fd));
	/* two more: the task that slept, and the second poll of the file */
	ASSERT_TRUE(WAIT_FOR(pool_figure(self->fd, completed) == completed + 2));
	EXPECT_EQ(0, pool_figure(self->fd, file_finished));
	ASSERT_TRUE(happen(event));
	EXPECT_RECORD(self->fd, 0, 0);
}

TEST_F(poll, cancelled_polls_end_and_leave_nothing)
{
	struct wpool_dev_record records[TASKS];
	__u32 cancelled, stopped;
	unsigned int i;

	/* cancel at once: some tasks may not have polled the file yet */
	ASSERT_EQ(0, submit_many(self->fd, WPOOL_WORK_POLL, event, 0, TASKS));
	EXPECT_EQ(0, cancel(self->fd, 0, TASKS - 1, &cancelled, &stopped));
	EXPECT_EQ(1, cancelled);
	EXPECT_EQ(0, cancel(self->fd, WPOOL_DEV_CANCEL_ALL, 0, &cancelled, &stopped));
	EXPECT_EQ(TASKS - 1, cancelled);
	EXPECT_EQ(0, stopped);
	ASSERT_EQ(TASKS, read_records(self->fd, records, TASKS));
	EXPECT_EQ(TASKS - 1, records[0].cookie);
	for (i = 0; i < TASKS; i++) {
		EXPECT_EQ(-ECANCELED, records[i].status);
		EXPECT_EQ(0, records[i].start_ns);
	}
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->fd, waiting) &&
			     !pool_figure(self->fd, outstanding)));
}

TEST_F(poll, close_while_it_waits)
{
	ASSERT_EQ(0, submit_many(self->fd, WPOOL_WORK_POLL, event, 0, TASKS));
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(0, pool_destroy(self->pool.fd));
	EXPECT_EQ(0, pool_figure(self->pool.fd, outstanding));
}

TEST_F(poll, a_closed_pool_refuses_a_poll)
{
	ASSERT_TRUE(begin(self->fd, event, 1));
	ASSERT_EQ(0, pool_destroy(self->pool.fd));
	EXPECT_EQ(-ESHUTDOWN, submit(self->fd, WPOOL_WORK_POLL, event, 1));
	ASSERT_TRUE(happen(event));
	EXPECT_RECORD(self->fd, 0, -ESHUTDOWN);
}

/* A terminal is refused: it has two wait queues, for reading and for writing. */
TEST_F(poll, terminal)
{
	struct wpool_dev_record record;
	int terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY);

	if (terminal < 0)
		SKIP(return, "no /dev/ptmx");
	ASSERT_EQ(0, submit(self->fd, WPOOL_WORK_POLL, terminal, 0));
	ASSERT_EQ(1, read_records(self->fd, &record, 1));
	EXPECT_EQ(-EOPNOTSUPP, record.status);
	EXPECT_EQ(0, record.start_ns);
}

TEST_F(poll, files_that_cannot_be_polled_are_refused)
{
	int null = open("/dev/null", O_RDONLY);

	ASSERT_LE(0, null);
	EXPECT_EQ(-EPERM, submit(self->fd, WPOOL_WORK_POLL, null, 0));
	EXPECT_EQ(-ELOOP, submit(self->fd, WPOOL_WORK_POLL, self->fd, 0));
	EXPECT_EQ(-ELOOP, submit(self->fd, WPOOL_WORK_POLL, self->pool.fd, 0));
	EXPECT_EQ(-EBADF, submit(self->fd, WPOOL_WORK_POLL, 99999, 0));
	EXPECT_EQ(-EBADF, submit(self->fd, WPOOL_WORK_POLL, -1ULL, 0));
	/* the number of the descriptor is not truncated to 32 bits */
	EXPECT_EQ(-EBADF, submit(self->fd, WPOOL_WORK_POLL, (1ULL << 32) + event, 0));
	EXPECT_EQ(0, pool_figure(self->fd, file_submitted));
}

/* The tasks before the task with the bad file are accepted. */
TEST_F(poll, bad_file_among_others)
{
	struct wpool_dev_work works[4] = { };
	__u32 accepted;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(works); i++) {
		works[i].kind = WPOOL_WORK_POLL;
		works[i].arg = i < 3 ? event : -1;
		works[i].cookie = i;
	}
	EXPECT_EQ(0, submit_flags(self->fd, works, ARRAY_SIZE(works), 0, &accepted));
	EXPECT_EQ(3, accepted);
	ASSERT_TRUE(happen(event));
	EXPECT_TRUE(all_have_status(self->fd, 3, 0));
	EXPECT_EQ(3, pool_figure(self->fd, file_submitted));
}

/* A file has at most WPOOL_MAX_POLLS polls, since a wake-up fires all with interrupts off. */
TEST_F(poll, so_many_of_a_file)
{
	ASSERT_EQ(0, submit_many(self->fd, WPOOL_WORK_POLL, event, 0, WPOOL_MAX_POLLS));
	EXPECT_EQ(-ENOBUFS, submit(self->fd, WPOOL_WORK_POLL, event, 0));
	/* other kinds of tasks do not count, and each file has its own limit */
	EXPECT_EQ(0, submit(self->fd, WPOOL_WORK_TIMER, 1, 0));
	EXPECT_EQ(0, submit(self->pool.fd, WPOOL_WORK_POLL, event, 0));
	/* a cancelled poll counts until a worker has closed its file */
	EXPECT_TRUE(WAIT_FOR(!pool_figure(self->pool.fd, waiting)) &&
		    WAIT_FOR(pool_figure(self->pool.fd, free) == 1));
	ASSERT_EQ(0, occupy(self->pool.fd, 1, 1));
	cancel_all(self->fd);
	EXPECT_EQ(-ENOBUFS, submit(self->fd, WPOOL_WORK_POLL, event, 0));
	EXPECT_EQ(0, cancel(self->pool.fd, 0, 1, NULL, NULL));
	EXPECT_TRUE(WAIT_FOR(!submit(self->fd, WPOOL_WORK_POLL, event, 0)));
}

/* The server of a FUSE file system with one file: it answers everything but a poll. */
static void serve_fuse(int fuse)
{
	struct {
		struct fuse_out_header head;
		struct fuse_init_out init;
	} out = { };
	static char buffer[1 << 17];
	const struct fuse_in_header *in = (void *)buffer;

	while (read(fuse, buffer, sizeof(buffer)) > 0) {
		memset(&out, 0, sizeof(out));
		out.head.unique = in->unique;
		out.head.len = sizeof(out.head);
		if (in->opcode == FUSE_INIT) {
			out.init.major = FUSE_KERNEL_VERSION;
			out.init.minor = 31;
			out.init.max_write = 4096;
			out.head.len = sizeof(out);
		} else if (in->opcode == FUSE_OPEN) {
			out.head.len += sizeof(struct fuse_open_out);
		} else if (in->opcode == FUSE_POLL) {
			continue;
		} else {
			out.head.error = -EOPNOTSUPP;
		}
		if (write(fuse, &out, out.head.len) < 0)
			break;
	}
	_exit(0);
}

/* The worker waits for the FUSE server until the server is killed. */
TEST_F(poll, program_that_does_not_answer)
{
	char path[] = P_tmpdir "/wpool_fuse_XXXXXX", options[64];
	int fuse = open("/dev/fuse", O_RDWR), file;
	pid_t program;

	if (fuse < 0)
		SKIP(return, "no /dev/fuse");
	file = mkstemp(path);
	ASSERT_LE(0, file);
	close(file);
	snprintf(options, sizeof(options), "fd=%d,rootmode=100600,user_id=0,group_id=0", fuse);
	ASSERT_EQ(0, mount("wpool", path, "fuse", 0, options));
	program = fork();
	if (!program)
		serve_fuse(fuse);
	close(fuse);
	file = open(path, O_RDONLY);
	EXPECT_LE(0, file);
	EXPECT_EQ(0, submit(self->fd, WPOOL_WORK_POLL, file, 0));
	EXPECT_TRUE(WAIT_FOR(pool_figure(self->fd, blocked) == 1));
	EXPECT_TRUE(child_kill(program));
	/* the file reports an error, which counts as ready */
	EXPECT_RECORD(self->fd, 0, 0);
	close(file);
	EXPECT_EQ(0, umount2(path, MNT_DETACH));
	unlink(path);
}

TEST_HARNESS_MAIN
