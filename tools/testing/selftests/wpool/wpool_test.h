/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers of the selftests of wpool: a pool, its tasks and records, its sysfs
 * files and its threads, and waiting for an event with a deadline.
 *
 * Most return 0 or a count, or -errno. The tests judge the results.
 */
#ifndef WPOOL_TEST_H
#define WPOOL_TEST_H

#define _GNU_SOURCE

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "kselftest_harness.h"

#include <linux/wpool.h>

/*
 * Only a test that hangs takes this long. An emulated machine with all checks of a debug kernel is
 * slow, and slower if the host does other work.
 */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	600

#define DEV		"/dev/wpool"
#define CLASS		"/sys/class/wpool"
#define MSEC		1000000ULL
#define SEC		1000000000ULL
#define LONG		WPOOL_MAX_WORK_NS	/* longer than WAIT_NS: tests cancel such tasks */

#define WAIT_NS		(40 * SEC)	/* limit for events on the slowest machine */

/* EXPECT_ERRNO() - a system call fails with this errno; 0 is success */
#define EXPECT_ERRNO(expected_errno, call)			\
	EXPECT_EQ(expected_errno, (call) < 0 ? errno : 0)

/* WAIT_FOR() - wait until a condition holds; false if it does not within WAIT_NS */
#define WAIT_FOR(condition)					\
	({							\
		__u64 end_ = now_ns() + WAIT_NS;	\
		bool ok_;					\
								\
		while (!(ok_ = (condition)) && now_ns() < end_)	\
			usleep(2000);				\
		ok_;						\
	})

/* A handler that does nothing, so that the signal interrupts a system call. */
static inline void no_handler(int sig)
{
	(void)sig;
}

/* Wait for a child. Returns its exit status, or 1000 plus the signal that killed it. */
static inline int child_end(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Kill a child. False if it had ended before. */
static inline bool child_kill(pid_t pid)
{
	return pid > 0 && !kill(pid, SIGKILL) && child_end(pid) == 1000 + SIGKILL;
}

/* @flags: SA_RESTART, or 0 */
static inline int on_signal(int sig, int flags)
{
	struct sigaction action = { .sa_handler = no_handler, .sa_flags = flags };

	return sigaction(sig, &action, NULL);
}

static inline __u64 clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * SEC + ts.tv_nsec;
}

static inline __u64 now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* The clock of the kernel's timers. On a busy machine it may stand still for long, and jump. */
static inline __u64 timers_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC_COARSE);
}

/* ---- pools --------------------------------------------------------------- */

struct pool {
	int fd;
	char name[WPOOL_DEV_NAME_LEN];
};

/* Make a new name of a pool. No name is a prefix of another. */
static inline void pool_name(char *name)
{
	static unsigned int nr;

	snprintf(name, WPOOL_DEV_NAME_LEN, "t%07d-%04u", getpid(),
		 __sync_fetch_and_add(&nr, 1));
}

/* Attributes that are numbers, and their bits in the mask. */
static const struct attr_field {
	const char *name;
	size_t at;
	__u32 bit;
} attr_fields[] = {
#define WPOOL_ATTR(_name, _use, _NAME, ...) \
	{ #_name, offsetof(struct wpool_dev_attrs, _name), WPOOL_DEV_##_NAME },
#include "../../../../module/pool/attr_table.h"
};

static inline __u32 attr_value(const struct wpool_dev_attrs *attrs, const struct attr_field *field)
{
	return *(const __u32 *)((const char *)attrs + field->at);
}

/*
 * ATTRS() - attributes to create or tune a pool with, by the names of their fields. The mask gets
 * the bits of all that are not 0. If an attribute has to be 0, put its bit into .mask.
 */
#define ATTRS(...) attrs_masked(&(struct wpool_dev_attrs){ __VA_ARGS__ })

static inline const struct wpool_dev_attrs *attrs_masked(struct wpool_dev_attrs *attrs)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(attr_fields); i++)
		attrs->mask |= attr_value(attrs, &attr_fields[i]) ? attr_fields[i].bit : 0;
	attrs->mask |= attrs->cpumask_bytes ? WPOOL_DEV_CPUMASK : 0;
	return attrs;
}

static inline int pool_create_fd(int fd, const char *name,
				 const struct wpool_dev_attrs *attrs)
{
	struct wpool_dev_create create = { .size = sizeof(create) };

	snprintf((char *)create.name, sizeof(create.name), "%s", name);
	if (attrs)
		create.attrs = *attrs;
	return ioctl(fd, WPOOL_IOC_CREATE, &create) ? -errno : 0;
}

static inline int pool_create(struct pool *pool, const struct wpool_dev_attrs *attrs)
{
	int err;

	pool_name(pool->name);
	pool->fd = open(DEV, O_RDWR | O_CLOEXEC);
	if (pool->fd < 0)
		return -errno;
	err = pool_create_fd(pool->fd, pool->name, attrs);
	if (err) {
		close(pool->fd);
		pool->fd = -1;
	}
	return err;
}

static inline int pool_attach_fd(int fd, const char *name)
{
	struct wpool_dev_attach attach = { .size = sizeof(attach) };

	snprintf((char *)attach.name, sizeof(attach.name), "%s", name);
	return ioctl(fd, WPOOL_IOC_ATTACH, &attach) ? -errno : 0;
}

/* Open another file on a pool. Returns the descriptor or -errno. */
static inline int pool_attach(const char *name, int flags)
{
	int fd = open(DEV, O_RDWR | O_CLOEXEC | flags);
	int err;

	if (fd < 0)
		return -errno;
	err = pool_attach_fd(fd, name);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

static inline int pool_simple(int fd, unsigned long cmd)
{
	struct wpool_dev_simple simple = { .size = sizeof(simple) };

	return ioctl(fd, cmd, &simple) ? -errno : 0;
}

static inline int pool_destroy(int fd)
{
	return pool_simple(fd, WPOOL_IOC_DESTROY);
}

static inline int pool_reboot(int fd)
{
	return pool_simple(fd, WPOOL_IOC_REBOOT);
}

static inline int pool_release(int fd, __u32 flags, __u64 timeout_ns)
{
	struct wpool_dev_release release = {
		.size = sizeof(release),
		.flags = flags,
		.timeout_ns = timeout_ns,
	};

	return ioctl(fd, WPOOL_IOC_RELEASE, &release) ? -errno : 0;
}

static inline int pool_tune(int fd, const struct wpool_dev_attrs *attrs)
{
	struct wpool_dev_tune tune = { .size = sizeof(tune), .attrs = *attrs };

	return ioctl(fd, WPOOL_IOC_TUNE, &tune) ? -errno : 0;
}

static inline int pool_info(int fd, struct wpool_dev_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return ioctl(fd, WPOOL_IOC_INFO, info) ? -errno : 0;
}

static inline int pool_stats(int fd, struct wpool_dev_stats *stats)
{
	memset(stats, 0xff, sizeof(*stats));
	stats->size = sizeof(*stats);
	stats->flags = 0;
	return ioctl(fd, WPOOL_IOC_STATS, stats) ? -errno : 0;
}

/* pool_figure() - one figure of WPOOL_IOC_STATS, all ones if the call fails */
#define pool_figure(fd, field)					\
	({							\
		struct wpool_dev_stats st_;			\
								\
		pool_stats(fd, &st_) ? -1ULL : (__u64)st_.field;	\
	})

/* ---- tasks and records --------------------------------------------------- */

/* WORK() - a variant of a fixture: a task of this kind */
#define WORK(KIND, ...)	{ .work = { .kind = WPOOL_WORK_##KIND, ##__VA_ARGS__ } }

/* Submit tasks. @cpu: the preferred CPU with the flag WPOOL_DEV_SUBMIT_ON, else 0. */
static inline int submit_on(int fd, const struct wpool_dev_work *works, __u32 nr,
			    __u32 flags, __u32 cpu, __u32 *accepted)
{
	struct wpool_dev_submit submit = {
		.size = sizeof(submit),
		.flags = flags,
		.works = (uintptr_t)works,
		.nr = nr,
		.work_size = sizeof(*works),
		.accepted = 0xdeadbeef,
		.cpu = cpu,
	};
	int err = ioctl(fd, WPOOL_IOC_SUBMIT, &submit) ? -errno : 0;

	if (accepted)
		*accepted = submit.accepted;
	return err;
}

static inline int submit_flags(int fd, const struct wpool_dev_work *works,
			       __u32 nr, __u32 flags, __u32 *accepted)
{
	return submit_on(fd, works, nr, flags, 0, accepted);
}

/* Submit until all tasks are accepted, or a submit fails. */
static inline int submit_all(int fd, const struct wpool_dev_work *works, __u32 nr)
{
	__u32 accepted, batch;
	int err;

	while (nr) {
		batch = nr < WPOOL_MAX_BATCH ? nr : WPOOL_MAX_BATCH;
		err = submit_flags(fd, works, batch, 0, &accepted);
		if (err)
			return err;
		if (!accepted || accepted > batch)
			return -EPROTO;
		works += accepted;
		nr -= accepted;
	}
	return 0;
}

static inline int submit(int fd, __u32 kind, __u64 arg, __u64 cookie)
{
	struct wpool_dev_work work = { .kind = kind, .arg = arg, .cookie = cookie };

	return submit_flags(fd, &work, 1, 0, NULL);
}

/* An array of equal tasks, with cookies from @cookie on; NULL: no memory. The caller frees it. */
static inline struct wpool_dev_work *works_alloc(__u32 kind, __u64 arg, __u64 cookie, __u32 nr)
{
	struct wpool_dev_work *works = calloc(nr, sizeof(*works));
	__u32 i;

	for (i = 0; works && i < nr; i++)
		works[i] = (struct wpool_dev_work){
			.kind = kind, .arg = arg, .cookie = cookie + i,
		};
	return works;
}

static inline int submit_many(int fd, __u32 kind, __u64 arg, __u64 cookie, __u32 nr)
{
	struct wpool_dev_work *works = works_alloc(kind, arg, cookie, nr);
	int err;

	if (!works)
		return -ENOMEM;
	err = submit_all(fd, works, nr);
	free(works);
	return err;
}

static inline int wait_tasks(int fd, __u64 timeout_ns)
{
	struct wpool_dev_wait wait = { .size = sizeof(wait), .timeout_ns = timeout_ns };

	return ioctl(fd, WPOOL_IOC_WAIT, &wait) ? -errno : 0;
}

/* Submit one task, and wait for all tasks of the file. */
static inline int run_one(int fd)
{
	return submit(fd, WPOOL_WORK_NOOP, 0, 1) ?: wait_tasks(fd, 0);
}

/* Submit @nr tasks that sleep until they are cancelled. Returns 0 when @nr workers run. */
static inline int occupy(int fd, __u64 cookie, __u32 nr)
{
	int err = submit_many(fd, WPOOL_WORK_SLEEP, LONG, cookie, nr);

	return err ?: WAIT_FOR(pool_figure(fd, busy) == nr) ? 0 : -ETIMEDOUT;
}

/* @flags: WPOOL_DEV_GROUP_*, for tasks on behalf of the caller */
static inline int group_init_flags(int fd, __u32 max_outstanding, __u32 flags)
{
	struct wpool_dev_group group = {
		.size = sizeof(group),
		.flags = flags,
		.max_outstanding = max_outstanding,
	};

	return ioctl(fd, WPOOL_IOC_GROUP, &group) ? -errno : 0;
}

static inline int group_init(int fd, __u32 max_outstanding)
{
	return group_init_flags(fd, max_outstanding, 0);
}

static inline int cancel(int fd, __u32 flags, __u64 cookie, __u32 *cancelled, __u32 *stopped)
{
	struct wpool_dev_cancel cancel = {
		.size = sizeof(cancel),
		.flags = flags,
		.cookie = cookie,
	};
	int err = ioctl(fd, WPOOL_IOC_CANCEL, &cancel) ? -errno : 0;

	if (cancelled)
		*cancelled = cancel.cancelled;
	if (stopped)
		*stopped = cancel.stopped;
	return err;
}

static inline int cancel_all(int fd)
{
	return cancel(fd, WPOOL_DEV_CANCEL_ALL, 0, NULL, NULL);
}

/* Read @nr records, or until no task is left, or for WAIT_NS. Returns how many, or -errno. */
static inline int read_records(int fd, struct wpool_dev_record *records, unsigned int nr)
{
	__u64 end = now_ns() + WAIT_NS;
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	unsigned int got = 0;
	ssize_t bytes;

	while (got < nr) {
		if (poll(&pfd, 1, 100) < 0)
			return -errno;
		if (!(pfd.revents & POLLIN)) {
			if (now_ns() > end)
				break;
			continue;
		}
		bytes = read(fd, records + got, (nr - got) * sizeof(*records));
		if (bytes < 0)
			return -errno;
		if (bytes % sizeof(*records))
			return -EPROTO;
		if (!bytes)
			break;
		got += bytes / sizeof(*records);
		end = now_ns() + WAIT_NS;
	}
	return got;
}

/* EXPECT_RECORD() - the next record, which may come later, has this cookie and status */
#define EXPECT_RECORD(fd, expected_cookie, expected_status)			\
	do {									\
		struct wpool_dev_record record_ = { };				\
										\
		ASSERT_EQ(1, read_records(fd, &record_, 1));			\
		EXPECT_EQ(expected_cookie, record_.cookie);			\
		EXPECT_EQ(expected_status, record_.status);			\
	} while (0)

/* Read @nr records. Do all of them have this status? */
static inline bool all_have_status(int fd, int nr, int status)
{
	struct wpool_dev_record *records = calloc(nr, sizeof(*records));
	int i = 0;

	if (records && read_records(fd, records, nr) == nr)
		for (; i < nr && records[i].status == status; i++)
			;
	free(records);
	return i == nr;
}

/* Read @nr records. Were all these tasks cancelled before they started? */
static inline bool none_has_run(int fd, int nr)
{
	struct wpool_dev_record *records = calloc(nr, sizeof(*records));
	int i = 0;

	if (records && read_records(fd, records, nr) == nr)
		for (; i < nr && records[i].status == -ECANCELED && !records[i].start_ns; i++)
			;
	free(records);
	return i == nr;
}

/* Do these records have the cookies from 0 to @nr - 1, each once, and no error? */
static inline bool all_ran_once(const struct wpool_dev_record *records, unsigned int nr)
{
	bool *seen = calloc(nr, sizeof(*seen));
	unsigned int i = 0;

	for (; seen && i < nr; i++) {
		if (records[i].status || records[i].cookie >= nr || seen[records[i].cookie])
			break;
		seen[records[i].cookie] = true;
	}
	free(seen);
	return i == nr;
}

/*
 * Wait until @nr tasks that sleep for WPOOL_MAX_WORK_NS run at the same time. A machine may be too
 * slow to make all workers before the first tasks end. After a failure, returns -ETIME if the
 * number of running tasks still grew, -ETIMEDOUT if not.
 */
static inline int all_busy(int fd, __u64 nr, __u64 *busy)
{
	__u64 began = now_ns(), now = began, grown = began, most = 0;

	do {
		*busy = pool_figure(fd, busy);
		now = now_ns();
		if (*busy > most) {
			most = *busy;
			grown = now;
		}
		if (*busy >= nr)
			return 0;
		/* the machine is too slow: not even a fifth of the tasks run */
		if (now - began > WAIT_NS && most < nr / 5)
			break;
		usleep(20000);
	} while (now - began < WPOOL_MAX_WORK_NS - 3 * SEC && now - grown < WAIT_NS / 2);
	return now - grown < WAIT_NS / 2 ? -ETIME : -ETIMEDOUT;
}

/* Cancel the tasks of the file, so that the destroy does not wait, and destroy the pool. */
static inline void pool_end(struct pool *pool)
{
	if (pool->fd < 0)
		return;
	cancel_all(pool->fd);
	pool_destroy(pool->fd);
	close(pool->fd);
	pool->fd = -1;
}

/*
 * Each test is a process, whose end closes files and frees memory. If the setup of a fixture fails
 * or skips the test, neither the test nor the teardown runs.
 *
 * TWO_FILES() - a fixture: a pool with these attributes, self->pool, and a second file on it,
 * self->fd. A test that closes the second file sets it to -1.
 */
#define TWO_FILES(fixture, attrs)	TWO_FILES_AND(fixture, attrs, (void)0)

/* TWO_FILES_AND() - as TWO_FILES(), with further setup */
#define TWO_FILES_AND(fixture, attrs, more)				\
	FIXTURE(fixture)						\
	{								\
		struct pool pool;					\
		int fd;							\
	};								\
	FIXTURE_SETUP(fixture)						\
	{								\
		ASSERT_EQ(0, pool_create(&self->pool, attrs));		\
		self->fd = pool_attach(self->pool.name, 0);		\
		ASSERT_LE(0, self->fd);					\
		more;							\
	}								\
	FIXTURE_TEARDOWN(fixture)					\
	{								\
		if (self->fd >= 0)					\
			close(self->fd);				\
		pool_end(&self->pool);					\
	}

/* ONE_POOL() - a fixture: a pool with these attributes, self->pool */
#define ONE_POOL(fixture, attrs)					\
	FIXTURE(fixture)						\
	{								\
		struct pool pool;					\
	};								\
	FIXTURE_SETUP(fixture)						\
	{								\
		ASSERT_EQ(0, pool_create(&self->pool, attrs));		\
	}								\
	FIXTURE_TEARDOWN(fixture)					\
	{								\
		pool_end(&self->pool);					\
	}

/*
 * Start a task of LONG in its own pool, before other tasks of LONG. If the others have ended while
 * the witness still runs, a call ended them, however slow the machine.
 */
static inline int witness_begin(struct pool *witness)
{
	int err = pool_create(witness, NULL);

	err = err ?: submit(witness->fd, WPOOL_WORK_SLEEP, LONG, 0);
	if (err)
		return err;
	return WAIT_FOR(pool_figure(witness->fd, busy) == 1) ? 0 : -ETIME;
}

static inline bool witness_runs(struct pool *witness)
{
	return pool_figure(witness->fd, busy) == 1;
}

/* ---- sysfs --------------------------------------------------------------- */

/* Run a command of the shell. Returns what system() does. */
static inline int shell(const char *format, ...)
{
	char command[256];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return system(command);
}

static inline int file_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len, all = 0;

	if (fd < 0)
		return -errno;
	while ((len = read(fd, buf + all, size - 1 - all)) > 0)
		all += len;
	len = len < 0 ? -errno : 0;
	close(fd);
	buf[all] = 0;
	return len;
}

static inline int file_write(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	err = write(fd, text, len) == (ssize_t)len ? 0 : -errno;
	close(fd);
	return err;
}

static inline long file_number(const char *path, long otherwise)
{
	char buf[64];

	return file_read(path, buf, sizeof(buf)) ? otherwise : atol(buf);
}

static inline void attr_path(char *path, size_t size, const char *pool, const char *attr)
{
	snprintf(path, size, CLASS "/%s/%s", pool, attr);
}

static inline bool pool_exists(const char *pool)
{
	char path[256];

	attr_path(path, sizeof(path), pool, "");
	return !access(path, F_OK);
}

/* How many pools have a name with this prefix; UINT32_MAX on an error. */
static inline unsigned int pools_named(const char *prefix)
{
	DIR *dir = opendir(CLASS);
	struct dirent *entry;
	unsigned int nr = 0;

	if (!dir)
		return UINT32_MAX;
	while ((entry = readdir(dir)))
		nr += !strncmp(entry->d_name, prefix, strlen(prefix));
	closedir(dir);
	return nr;
}

/* Read an attribute without its newline. Returns -EPROTO if the newline is missing. */
static inline int attr_read(const char *pool, const char *attr, char *buf, size_t size)
{
	char path[256];
	size_t len;
	int err;

	attr_path(path, sizeof(path), pool, attr);
	err = file_read(path, buf, size);
	if (err)
		return err;
	len = strlen(buf);
	if (!len || buf[len - 1] != '\n')
		return -EPROTO;
	buf[len - 1] = 0;
	return 0;
}

static inline int attr_write(const char *pool, const char *attr, const char *text)
{
	char path[256];

	attr_path(path, sizeof(path), pool, attr);
	return file_write(path, text, strlen(text));
}

/* An attribute as a number, or -errno. Not for nice, which may be negative. */
static inline long long attr_number(const char *pool, const char *attr)
{
	char buf[128], *end;
	long long value;
	int err = attr_read(pool, attr, buf, sizeof(buf));

	if (err)
		return err;
	value = strtoll(buf, &end, 10);
	return end == buf || *end ? -EPROTO : value;
}

/* Open the file "pressure" to poll it. Read the file, so that only later events wake the poll. */
static inline int pressure_open(const char *pool, struct pollfd *pfd)
{
	char path[128], line[256];

	attr_path(path, sizeof(path), pool, "pressure");
	*pfd = (struct pollfd){ .fd = open(path, O_RDONLY), .events = POLLPRI };
	return pfd->fd < 0 ? -errno : read(pfd->fd, line, sizeof(line)) > 0 ? 0 : -EIO;
}

/* Wait for an event of the file "pressure", and read the file. */
static inline bool pressure_poll(struct pollfd *pfd)
{
	char line[256];

	return poll(pfd, 1, WAIT_NS / MSEC) == 1 && pfd->revents & POLLPRI &&
	       pread(pfd->fd, line, sizeof(line), 0) > 0;
}

/* Call this before @nr oopses, so that scripts/vm-judge expects them in the log. */
static inline int announce_oopses(unsigned int nr)
{
	char text[64];

	snprintf(text, sizeof(text), "wpool-expect: oops %u\n", nr);
	return file_write("/dev/kmsg", text, strlen(text));
}

/* ---- threads ------------------------------------------------------------- */

/* Find kernel threads with @part in their names. Returns their number. */
static inline int threads_named(const char *part, pid_t *pids, int max)
{
	DIR *proc = opendir("/proc");
	char path[300], comm[256];
	struct dirent *entry;
	int nr = 0;

	if (!proc)
		return -errno;
	while (nr < max && (entry = readdir(proc))) {
		if (!isdigit(entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		if (file_read(path, comm, sizeof(comm)) || !strstr(comm, part))
			continue;
		/* Kernel threads have an empty cmdline. */
		snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
		if (file_read(path, comm, sizeof(comm)) || comm[0])
			continue;
		pids[nr++] = atoi(entry->d_name);
	}
	closedir(proc);
	return nr;
}

/* Copy the value of line @key of /proc/<pid>/status. Returns 0 or -errno. */
static inline int thread_status(pid_t pid, const char *key, char *value, size_t size)
{
	char path[64], buf[8192], *at, *end;
	int err;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	err = file_read(path, buf, sizeof(buf));
	if (err)
		return err;
	for (at = buf; at; at = end ? end + 1 : NULL) {
		end = strchr(at, '\n');
		if (strncmp(at, key, strlen(key)) || at[strlen(key)] != ':')
			continue;
		at += strlen(key) + 1;
		at += strspn(at, " \t");
		snprintf(value, size, "%.*s", end ? (int)(end - at) : (int)strlen(at), at);
		return 0;
	}
	return -ENOENT;
}

#endif /* WPOOL_TEST_H */
