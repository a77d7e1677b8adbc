// SPDX-License-Identifier: GPL-2.0
/*
 * Replaces dev.c by a simulated pool, so that all of "wpoolctl run" except the kernel can be
 * tested anywhere. A submit computes when its tasks start and end; no task runs. There is one
 * pool, in this process; at the start it is "demo" with capacity 4. CPUs 0 and 1 are online, 2 and
 * 3 offline. A cgroup with "forbidden" in its path is refused.
 *
 * Environment: FAKE_INFLIGHT limits the tasks of a file, FAKE_INFLIGHT_ALL those of all files
 * together: further submits are refused. FAKE_PER_CPU is the pool's capacity_per_cpu. After
 * FAKE_CLOSE_AFTER tasks the pool is closed. With FAKE_STUCK, cancelling has no effect. FAKE_FAULT
 * allows faults. FAKE_OTHERS refuses all tasks and tunes, for lack of privileges. With FAKE_LATE,
 * a submit that finds the file full returns when all tasks have ended and been read. With
 * FAKE_STILL no time passes: all tasks of a pool are submitted at one time, and a read returns them
 * although they end later. FAKE_LOG names a file that gets a line when the pool is made, gets a
 * group or cgroup, or is destroyed, and for each submit whose first task is urgent.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "../dev.h"
#include "../parse.h"

#define MAX_FILES	1024
#define MAX_WORKERS	4096
#define CPUS		2

struct task {
	struct wpool_dev_record record;
	struct task *next;
};

struct file {
	struct task *tasks;		/* unfinished or unread */
	__u32 nr;
	unsigned int reads;		/* calls that have begun */
};

static struct {
	pthread_mutex_t lock;
	char name[WPOOL_DEV_NAME_LEN];
	struct wpool_dev_attrs attrs;
	struct cpulist cpus;
	__u64 free_ns[MAX_WORKERS];	/* when a worker has done all its tasks */
	__u64 accepted;
	__u32 workers;
} pool = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.name = "demo",
	.attrs = { .capacity = 4 },
	.cpus = { .bits = { (1 << CPUS) - 1 } },
};

static struct file files[MAX_FILES];	/* by descriptor */

static __u64 knob(const char *name, __u64 otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

static bool time_is_still(void)
{
	return knob("FAKE_STILL", 0);
}

/* Takes the place of the function in the C library. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
	if (!time_is_still())
		return syscall(SYS_clock_gettime, clock, time);
	*time = (struct timespec){ .tv_sec = 1000 };
	return 0;
}

static void note(const char *what)
{
	const char *path = getenv("FAKE_LOG");
	FILE *log = path ? fopen(path, "a") : NULL;

	if (log) {
		fprintf(log, "%s %s\n", what, pool.name);
		fclose(log);
	}
}

static __u64 outstanding(__u64 now, __u64 *first_end)
{
	__u64 nr = 0;
	struct task *task;
	int fd;

	*first_end = ~0ULL;
	if (time_is_still())
		return pool.accepted;
	for (fd = 0; fd < MAX_FILES; fd++)
		for (task = files[fd].tasks; task; task = task->next) {
			if (task->record.end_ns <= now)
				continue;
			nr++;
			if (task->record.end_ns < *first_end)
				*first_end = task->record.end_ns;
		}
	return nr;
}

int dev_open(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd >= MAX_FILES)
		return -EMFILE;
	return fd < 0 ? -errno : fd;
}

int dev_attach(int fd __maybe_unused, const char *name)
{
	return strcmp(name, pool.name) ? -ENOENT : 0;
}

int dev_create(int fd __maybe_unused, const char *name, const struct wpool_dev_attrs *attrs)
{
	if (!strcmp(name, pool.name))
		return -EEXIST;
	snprintf(pool.name, sizeof(pool.name), "%s", name);
	pool.attrs = *attrs;
	if (!(attrs->mask & WPOOL_DEV_CAPACITY))
		pool.attrs.capacity = attrs->mask & WPOOL_DEV_CAPACITY_PER_CPU ?
				      attrs->capacity_per_cpu * CPUS : 256;
	note("created");
	return 0;
}

int dev_group(int fd __maybe_unused, __u32 max_outstanding, __u32 flags __maybe_unused)
{
	if (!max_outstanding)
		return -ERANGE;
	note("group");
	return 0;
}

int dev_cgroup(int fd __maybe_unused, const char *dir)
{
	note(dir);
	return strstr(dir, "forbidden") ? -EACCES : 0;
}

int dev_tune(int fd __maybe_unused, const struct wpool_dev_attrs *attrs __maybe_unused)
{
	return knob("FAKE_OTHERS", 0) ? -EPERM : 0;
}

static __u32 state = WPOOL_DEV_OPEN;

/*
 * As if a stop interrupted each wait after 20 ms; with FAKE_REBOOTED another program reboots the
 * pool meanwhile; if that is 2, it also releases the pool with OWN. Fails if the time given does
 * not become less.
 */
int dev_release(int fd __maybe_unused, __u32 flags __maybe_unused, __u64 timeout_ns)
{
	static const __u32 states[] = { WPOOL_DEV_CLOSED, WPOOL_DEV_OPEN, WPOOL_DEV_CLOSING };
	const __u64 until_stop_ns = 20 * NSEC_PER_MSEC;
	static int nr_waits;

	if (!timeout_ns)
		return 0;
	if (nr_waits++ == 100)
		return -EIO;
	state = states[knob("FAKE_REBOOTED", 0)];
	sleep_ns(timeout_ns < until_stop_ns ? timeout_ns : until_stop_ns);
	return timeout_ns < until_stop_ns ? -ETIME : -EINTR;
}

int dev_simple(int fd __maybe_unused, unsigned long request)
{
	if (request == WPOOL_IOC_REBOOT)
		return 0;
	if (!strcmp(pool.name, "demo"))
		return -EBUSY;
	note("destroyed");
	pool.name[0] = '\0';
	pool.accepted = 0;
	memset(pool.free_ns, 0, sizeof(pool.free_ns));
	return 0;
}

int dev_info(int fd __maybe_unused, struct wpool_dev_attrs *attrs, struct cpulist *cpus)
{
	*attrs = pool.attrs;
	attrs->capacity_per_cpu = knob("FAKE_PER_CPU", attrs->capacity_per_cpu);
	if (cpus)
		*cpus = pool.cpus;
	return 0;
}

int dev_stats(int fd __maybe_unused, struct wpool_dev_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	stats->state = state;
	pthread_mutex_lock(&pool.lock);
	stats->workers = pool.workers;
	stats->spawned = pool.workers;
	pthread_mutex_unlock(&pool.lock);
	return 0;
}

static void accept_task(struct file *file, const struct wpool_dev_work *work, int cpu, __u64 now)
{
	__u32 workers = pool.attrs.capacity, i, best = 0;
	struct task *task = calloc(1, sizeof(*task));
	__u64 start;

	if (workers > MAX_WORKERS)
		workers = MAX_WORKERS;
	for (i = 1; i < workers; i++)
		if (pool.free_ns[i] < pool.free_ns[best])
			best = i;
	start = pool.free_ns[best] > now ? pool.free_ns[best] : now;
	task->record = (struct wpool_dev_record){
		.cookie = work->cookie,
		.status = work->kind == WPOOL_WORK_FAULT ? -EIO : 0,
		.cpu = cpu >= 0 ? (__u32)cpu : best % CPUS,
		.submit_ns = now,
		.start_ns = start,
		.end_ns = start + work->arg,
	};
	pool.free_ns[best] = task->record.end_ns;
	if (best >= pool.workers)
		pool.workers = best + 1;
	pool.accepted++;
	task->next = file->tasks;
	file->tasks = task;
	file->nr++;
}

/* Returns 0 if accepted, -EAGAIN if the pool is full until *wait_ns, or another error. */
static int try_submit(struct file *file, const struct wpool_dev_work *work, int cpu, __u64 *wait_ns)
{
	__u64 now = now_ns(), limit, closed = knob("FAKE_CLOSE_AFTER", 0);
	int err = 0;

	pthread_mutex_lock(&pool.lock);
	limit = pool.attrs.capacity == WPOOL_DEV_UNLIMITED ||
		pool.attrs.queue_depth == WPOOL_DEV_UNLIMITED ? ~0ULL :
		(__u64)pool.attrs.capacity + pool.attrs.queue_depth;
	if ((work->kind == WPOOL_WORK_FAULT && !knob("FAKE_FAULT", 0)) || knob("FAKE_OTHERS", 0))
		err = -EPERM;
	else if (closed && pool.accepted >= closed)
		err = -ESHUTDOWN;
	else if (file->nr >= knob("FAKE_INFLIGHT", WPOOL_MAX_INFLIGHT))
		err = -ENOBUFS;
	else if (outstanding(now, wait_ns) >= limit)
		err = -EAGAIN;
	else
		accept_task(file, work, cpu, now);
	pthread_mutex_unlock(&pool.lock);
	return err;
}

/* Waits until the records of all tasks were read and the reader has begun another read. */
static void wait_for_reader(struct file *file)
{
	unsigned int seen = 0;
	bool all;

	do {
		sleep_ns(NSEC_PER_MSEC);
		pthread_mutex_lock(&pool.lock);
		all = !file->nr;
		if (!all)
			seen = file->reads;
		all = all && file->reads != seen;
		pthread_mutex_unlock(&pool.lock);
	} while (!all);
}

static bool all_are_full(void)
{
	__u64 nr = 0;
	int fd;

	pthread_mutex_lock(&pool.lock);
	for (fd = 0; fd < MAX_FILES; fd++)
		nr += files[fd].nr;
	pthread_mutex_unlock(&pool.lock);
	return nr >= knob("FAKE_INFLIGHT_ALL", ~0ULL);
}

int dev_submit(int fd, const struct wpool_dev_work *works, __u32 nr, __u32 flags,
	       __u32 cpu, __u32 *accepted)
{
	bool block = !(flags & WPOOL_DEV_SUBMIT_NONBLOCK) &&
		     pool.attrs.policy == WPOOL_DEV_POLICY_BLOCK;
	bool on = flags & WPOOL_DEV_SUBMIT_ON;
	__u64 wait_ns;
	int err = 0;

	*accepted = 0;
	if (cpu && !on)
		return -EOPNOTSUPP;
	if (on && cpu >= CPUS)
		return cpu < 2 * CPUS ? -ENODEV : -EINVAL;
	if (all_are_full())
		return -ENOBUFS;
	if (works[0].flags & WPOOL_WORK_URGENT)
		note("urgent");
	while (*accepted < nr && !err) {
		err = try_submit(&files[fd], &works[*accepted], on ? (int)cpu : -1, &wait_ns);
		if (!err)
			(*accepted)++;
		else if (err == -EAGAIN && block)
			err = -sleep_until_ns(wait_ns);
	}
	if (!*accepted && err == -ENOBUFS && knob("FAKE_LATE", 0))
		wait_for_reader(&files[fd]);
	return *accepted ? 0 : err;
}

int dev_cancel_all(int fd)
{
	__u64 now = now_ns();
	struct task *task;

	if (knob("FAKE_STUCK", 0))
		return 0;
	pthread_mutex_lock(&pool.lock);
	for (task = files[fd].tasks; task; task = task->next) {
		if (task->record.end_ns <= now)
			continue;
		task->record.status = -ECANCELED;
		task->record.end_ns = now;
		if (task->record.start_ns > now) {
			task->record.start_ns = 0;
			task->record.cpu = ~0U;
		}
	}
	pthread_mutex_unlock(&pool.lock);
	return 0;
}

ssize_t dev_read(int fd, struct wpool_dev_record *records, size_t max)
{
	struct file *file = &files[fd];
	__u64 now, first_end;
	unsigned int nr_looks = 0;
	struct task **at;
	size_t nr = 0;

	for (;;) {
		now = time_is_still() ? ~0ULL / 2 : now_ns();
		first_end = now + 10 * NSEC_PER_MSEC;	/* check for cancellations */
		pthread_mutex_lock(&pool.lock);
		file->reads += !nr_looks++;
		for (at = &file->tasks; *at && nr < max;) {
			struct task *task = *at;

			if (task->record.end_ns > now) {
				if (task->record.end_ns < first_end)
					first_end = task->record.end_ns;
				at = &task->next;
				continue;
			}
			records[nr++] = task->record;
			*at = task->next;
			file->nr--;
			free(task);
		}
		if (nr || !file->tasks) {
			pthread_mutex_unlock(&pool.lock);
			return nr;
		}
		pthread_mutex_unlock(&pool.lock);
		sleep_until_ns(first_end);
	}
}
