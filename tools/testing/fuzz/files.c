// SPDX-License-Identifier: GPL-2.0
/*
 * Open files and the cookies of their tasks.
 *
 * What must hold: a record has a cookie that was submitted through the same file. No cookie has two
 * records. A refused or silent task has no record. Some files, chosen at random, are drained before
 * they are closed, except files that a forked child has used, too. When such a file is drained,
 * every accepted task that is not silent has had its record.
 *
 * The fuzzing processes share the table of cookies, but each opens its own files; only a child of
 * fuzz_fork() uses a file of its parent. A cookie is an index into the table, with a check word in
 * its upper half. Any task may have the cookie 0.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MAX_COOKIES		32000000U
#define MAX_FILES		1000000U

enum cookie_state {
	COOKIE_UNUSED,
	COOKIE_SUBMITTED,
	COOKIE_SILENT,
	COOKIE_REFUSED,
	COOKIE_RECORDED,
};

#define STATE_BITS		3
#define STATE_MASK		((1U << STATE_BITS) - 1)

/* Records expected and read through a file. */
struct file_counts {
	atomic_uint expected;
	atomic_uint records;
};

static atomic_uint *cookies;		/* each cookie's file and state */
static struct file_counts *counts;
static atomic_uint *next_cookie, *next_file;

static pthread_mutex_t slots_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct file *slots[NR_SLOTS];
static int null_fd;

void files_init(void)
{
	cookies = map_shared(MAX_COOKIES * sizeof(*cookies));
	counts = map_shared(MAX_FILES * sizeof(*counts));
	next_cookie = map_shared(2 * sizeof(*next_cookie));
	next_file = next_cookie + 1;
	*next_cookie = *next_file = 1;
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
}

static uint32_t check_word(uint32_t index)
{
	struct rng rng = { .state = index ^ 0x5eedULL };

	return rnd(&rng) >> 34;
}

static uint64_t to_cookie(uint32_t index)
{
	return (uint64_t)check_word(index) << 32 | index;
}

bool cookies_left(void)
{
	return atomic_load(next_cookie) < MAX_COOKIES - 65 * WPOOL_MAX_BATCH;
}

/* Returns the previous state. */
static enum cookie_state set_state(uint32_t index, enum cookie_state state)
{
	unsigned int file = atomic_load(&cookies[index]) & ~STATE_MASK;

	return atomic_exchange(&cookies[index], file | state) & STATE_MASK;
}

uint64_t cookie_new(struct file *file, bool silent)
{
	uint32_t index = atomic_fetch_add(next_cookie, 1);

	atomic_store(&cookies[index],
		     file->id << STATE_BITS | (silent ? COOKIE_SILENT : COOKIE_SUBMITTED));
	return to_cookie(index);
}

void cookie_refused(struct fuzzer *f, uint64_t cookie)
{
	if (!cookie)
		return;
	if (set_state(cookie, COOKIE_REFUSED) == COOKIE_RECORDED)
		complain(f, "cookie %#llx was refused, and has a record",
			 (unsigned long long)cookie);
}

void cookie_accepted(struct file *file, uint64_t cookie)
{
	atomic_fetch_add(&shared->nr_accepted, 1);
	if (!cookie || (atomic_load(&cookies[(uint32_t)cookie]) & STATE_MASK) != COOKIE_SILENT)
		atomic_fetch_add(&counts[file->id].expected, 1);
}

static void cookie_check(struct fuzzer *f, struct file *file, uint64_t cookie)
{
	uint32_t index = cookie, of;
	enum cookie_state old;

	if (!cookie)
		return;
	if (index >= atomic_load(next_cookie) || to_cookie(index) != cookie) {
		complain(f, "a record with cookie %#llx, which nobody submitted",
			 (unsigned long long)cookie);
		return;
	}
	of = atomic_load(&cookies[index]) >> STATE_BITS;
	if (of != file->id) {
		complain(f, "cookie %u of file %u came out of file %u", index, of, file->id);
		return;
	}
	old = set_state(index, COOKIE_RECORDED);
	if (old != COOKIE_SUBMITTED)
		complain(f, "cookie %u has a record, but is %s", index,
			 old == COOKIE_RECORDED ? "recorded already" :
			 old == COOKIE_SILENT ? "silent" : "refused");
}

void records_check(struct fuzzer *f, struct file *file, const void *data, size_t bytes)
{
	struct wpool_dev_record record;
	size_t at;

	if (bytes % sizeof(record))
		complain(f, "read() returned %zu, which is no number of records", bytes);
	for (at = 0; at + sizeof(record) <= bytes; at += sizeof(record)) {
		memcpy(&record, (const uint8_t *)data + at, sizeof(record));
		atomic_fetch_add(&counts[file->id].records, 1);
		atomic_fetch_add(&shared->nr_records, 1);
		cookie_check(f, file, record.cookie);
		/*
		 * -ESHUTDOWN: a timer fired in a closed pool. -ETIME: a task waited for
		 * max_wait_ms. -EFAULT: a count had a bad address. -ESRCH: the process for which
		 * a task acts has ended. -EPERM: a task was to run in another process.
		 */
		if (record.status && record.status != -ECANCELED && record.status != -ENOMEM &&
		    record.status != -ESHUTDOWN && record.status != -ETIME &&
		    record.status != -EFAULT && record.status != -ESRCH && record.status != -EPERM)
			complain(f, "a record with status %d", record.status);
		if (!record.start_ns && record.cpu == -1U)
			record.start_ns = record.submit_ns;
		if (record.start_ns < record.submit_ns || record.end_ns < record.start_ns)
			complain(f, "a record with submit %llu, start %llu, end %llu, CPU %d",
				 record.submit_ns, record.start_ns, record.end_ns,
				 (int)record.cpu);
	}
	scan_binary(f, "a record", data, bytes);
}

struct file *file_get(unsigned int slot)
{
	struct file *file;

	pthread_mutex_lock(&slots_mutex);
	file = slots[slot];
	if (file)
		atomic_fetch_add(&file->users, 1);
	pthread_mutex_unlock(&slots_mutex);
	return file;
}

/* Cancel all tasks, and read all records: each accepted task has one, unless it is silent. */
static void drain(struct fuzzer *f, struct file *file)
{
	struct wpool_dev_cancel cancel = { .size = sizeof(cancel), .flags = WPOOL_DEV_CANCEL_ALL };
	struct wpool_dev_wait wait = { .size = sizeof(wait), .timeout_ns = 30000000000ULL };
	struct file_counts *count = &counts[file->id];
	ssize_t bytes;

	while (ioctl(file->fd, WPOOL_IOC_CANCEL, &cancel))
		if (errno != EINTR)
			goto failed;
	while (ioctl(file->fd, WPOOL_IOC_WAIT, &wait))
		if (errno != EINTR)
			goto failed;
	do {
		bytes = read(file->fd, f->arena.array, ARRAY_BYTES);
		if (bytes > 0)
			records_check(f, file, f->arena.array, bytes);
	} while (bytes > 0 || (bytes < 0 && errno == EINTR));
	if (bytes < 0)
		goto failed;
	if (count->expected != count->records)
		complain(f, "file %u: %u records wanted, %u came", file->id, count->expected,
			 count->records);
	atomic_fetch_add(&shared->nr_drained, 1);
	return;
failed:
	complain(f, "file %u cannot be drained: %s", file->id, strerrorname_np(errno));
}

/* Drop a reference; the last user closes the file. */
void file_put(struct fuzzer *f, struct file *file)
{
	if (atomic_fetch_sub(&file->users, 1) > 1)
		return;
	if (file->drain && !file->gone && !file->child && file->attached)
		drain(f, file);
	close(file->fd);
	free(file);
}

/* Attach the file to a pool. Most files are attached when opened: calls then reach more code. */
static void attach(struct fuzzer *f, struct file *file)
{
	struct wpool_dev_create create = { .size = sizeof(create) };
	struct wpool_dev_attach attach = { .size = sizeof(attach) };
	bool runs;
	int err;

	if (!gen_name(f, attach.name, &runs))
		return;
	file->runs = runs;
	file->tries = 1;
	memcpy(create.name, attach.name, sizeof(create.name));
	create.attrs.mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_QUEUE_DEPTH | WPOOL_DEV_POLICY;
	create.attrs.capacity = 1 + below(&f->rng, 12);
	create.attrs.queue_depth = below(&f->rng, 100);
	create.attrs.policy = runs ? WPOOL_DEV_POLICY_RUN : below(&f->rng, 2);

	call_begins(f, "attach");
	err = ioctl(file->fd, WPOOL_IOC_ATTACH, &attach) ? errno : 0;
	count(OP_ATTACH, err);
	if (err == ENOENT) {
		err = ioctl(file->fd, WPOOL_IOC_CREATE, &create) ? errno : 0;
		count(OP_CREATE, err);
	}
	call_ends(f, OP_ATTACH);
	file->attached = !err;
	if (err && err != EEXIST && err != EINTR && err != ENOMEM)
		complain(f, "a new file: %s", strerrorname_np(err));
}

void file_open(struct fuzzer *f, unsigned int slot)
{
	static const int flags[] = { O_RDWR, O_RDWR | O_NONBLOCK, O_RDONLY, O_WRONLY };
	uint32_t how = below(&f->rng, 16);
	struct file *file, *old;
	int fd;

	if (atomic_load(next_file) >= MAX_FILES)
		return;
	/* the last mode is write only and cannot read records, so it is rare */
	fd = open(DEV, flags[how < 8 ? 0 : how < 13 ? 1 : how < 15 ? 2 : 3] | O_CLOEXEC);
	count(OP_OPEN, fd < 0 ? errno : 0);
	if (fd < 0) {
		if (errno != ENOMEM)
			complain(f, "open: %s", strerrorname_np(errno));
		return;
	}
	file = calloc(1, sizeof(*file));
	file->fd = fd;
	file->id = atomic_fetch_add(next_file, 1);
	file->users = 1;
	file->drain = how < 15 && !one_in(&f->rng, 3);
	if (!one_in(&f->rng, 4))
		attach(f, file);

	pthread_mutex_lock(&slots_mutex);
	old = slots[slot];
	slots[slot] = file;
	pthread_mutex_unlock(&slots_mutex);
	if (old)
		file_put(f, old);
}

/* Remove a file from its slot, or close its descriptor while other threads are in a call on it. */
void file_close(struct fuzzer *f, struct file *file, unsigned int slot)
{
	bool mine = false;
	int dup_fd;

	switch (below(&f->rng, 4)) {
	case 0:
		/* the descriptor's number stays in use, so that no other file gets the number */
		atomic_store(&file->gone, true);
		dup3(null_fd, file->fd, O_CLOEXEC);
		break;
	case 1:
		dup_fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
		if (dup_fd >= 0)
			close(dup_fd);
		count(OP_CLOSE, 0);
		return;
	default:
		break;
	}
	count(OP_CLOSE, 0);
	pthread_mutex_lock(&slots_mutex);
	if (slots[slot] == file) {
		slots[slot] = NULL;
		mine = true;
	}
	pthread_mutex_unlock(&slots_mutex);
	if (mine)
		file_put(f, file);
}

void files_end(struct fuzzer *f)
{
	unsigned int i;

	for (i = 0; i < NR_SLOTS; i++) {
		if (slots[i])
			file_put(f, slots[i]);
		slots[i] = NULL;
	}
}
