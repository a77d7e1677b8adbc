// SPDX-License-Identifier: GPL-2.0
/*
 * ioctl_fuzz - make random calls on /dev/wpool, read its sysfs, and check the results.
 *
 * usage: ioctl_fuzz [--seed N] [--calls N] [--threads N] [--processes N] [--seconds N]
 *                   [--quiet] [--corpus DIR] [--blind]
 *
 *   --seed     seed of all decisions (default: a random one, which is printed)
 *   --calls    number of calls of all threads together (100000)
 *   --threads  number of threads (4); with one thread a seed repeats a run exactly
 *   --processes  number of processes that share the threads (1); in user-mode Linux, where
 *              threads of one process do not run at the same time, several are faster
 *   --seconds  end the run after this time; 0: no limit (0)
 *   --quiet    do not print the table of calls
 *   --corpus   an existing directory of calls that reached something new or went wrong; a
 *              run begins with the calls in it, and adds others
 *   --blind    do not use KCOV's feedback
 *
 * If the kernel has KCOV and wpool is built for it (scripts/build --kcov), a call is kept if it
 * reaches code that no call reached before, in the call itself or in the workers that run its
 * tasks. Half of all calls are variants of kept ones. Then the seed alone does not repeat a run.
 *
 * Run it as root in a virtual machine, and read the kernel's log, too. Threads of a process share
 * files, all processes share pools. One call in a thousand starts a process that is killed while it
 * uses a file. A thread that sleeps in a call for longer than 10 ms gets a signal.
 *
 * Exit: 0 all checks passed, 1 a check failed, 2 wrong use.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <dirent.h>
#include <time.h>
#include <unistd.h>

#define ROUND_US		5000
#define HANG_NS			120000000000ULL
#define CHILD_CALLS		20

int ready_fd;

static uint64_t nr_calls;
static unsigned int nr_threads, nr_processes;
static struct fuzzer fuzzers[MAX_THREADS + 1];
static pthread_t threads[MAX_THREADS];

static const struct {
	enum op op;
	unsigned int weight;
} weights[] = {
	{ OP_CREATE, 10 },	/* create */
	{ OP_ATTACH, 40 },	/* attach */
	{ 2, 30 },	/* tune */
	{ 3, 6 },	/* release */
	{ 4, 24 },	/* reboot */
	{ 5, 5 },	/* destroy */
	{ 6, 230 },	/* submit */
	{ 7, 50 },	/* wait */
	{ 8, 90 },	/* cancel */
	{ 9, 90 },	/* stats */
	{ 10, 80 },	/* info */
	{ 11, 20 },	/* group */
	{ 12, 6 },	/* cgroup */
	{ OP_NUMBER, 50 },
	{ OP_SCRIBBLED, 10 },
	{ OP_OPEN, 15 },
	{ OP_CLOSE, 12 },
	{ OP_READ, 150 },
	{ OP_POLL, 50 },
	{ OP_VFS, 50 },
	{ OP_FORK, 1 },
};

static enum op pick(struct fuzzer *f)
{
	unsigned int i, sum = 0, at;

	for (i = 0; i < ARRAY_SIZE(weights); i++)
		sum += weights[i].weight;
	at = below(&f->rng, sum);
	for (i = 0; at >= weights[i].weight; i++)
		at -= weights[i].weight;
	return weights[i].op;
}

static void call_file(struct fuzzer *f, struct file *file, enum op op)
{
	switch (op) {
	case OP_NUMBER:
		fuzz_ioctl_number(f, file);
		break;
	case OP_SCRIBBLED:
		fuzz_ioctl_scribbled(f, file);
		break;
	case OP_READ:
		fuzz_read(f, file);
		break;
	case OP_POLL:
		fuzz_poll(f, file);
		break;
	case OP_VFS:
		fuzz_vfs(f, file);
		break;
	default:
		fuzz_ioctl(f, file, op);
	}
}

static void reseed(struct fuzzer *f, uint64_t call)
{
	struct rng mix = { .state = seed ^ call << 8 ^ f->nr };

	f->call = call;
	f->rng.state = rnd(&mix);
	f->rng.nr = 0;
}

static void child(struct fuzzer *f, struct file *file)
{
	struct itimerval timer = { { 0, 10000 }, { 0, 10000 } };
	uint64_t parent_call = f->call;
	unsigned int i;
	enum op op;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	f->rng.replay = NULL;
	f->rng.record = NULL;
	setitimer(ITIMER_REAL, &timer, NULL);
	for (i = 0; i < CHILD_CALLS; i++) {
		reseed(f, parent_call ^ (uint64_t)(i + 1) << 40);
		op = pick(f);
		if (op < OP_OPEN || op == OP_READ || op == OP_POLL || op == OP_VFS)
			call_file(f, file, op);
	}
	_exit(0);
}

/* Start another process with the same file, and kill that process after a random time. */
static void fuzz_fork(struct fuzzer *f, struct file *file)
{
	uint32_t life_us = below(&f->rng, 40000);
	uint64_t end;
	pid_t pid;

	atomic_store(&file->child, true);
	pid = fork();
	if (!pid)
		child(f, file);
	count(OP_FORK, pid < 0 ? errno : 0);
	if (pid < 0)
		return;
	end = now_ns() + life_us * 1000ULL;
	while (now_ns() < end && waitpid(pid, NULL, WNOHANG) == 0)
		usleep(1000);
	call_begins(f, "the death of a child");
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	call_ends(f, OP_FORK);
}

static void one_call(struct fuzzer *f, uint64_t call)
{
	unsigned int slot;
	struct file *file;
	enum op op;

	reseed(f, call);
	op = pick(f);
	slot = below(&f->rng, NR_SLOTS);
	file = op == OP_OPEN ? NULL : file_get(slot);
	if (!file) {
		/* open a file also if the slot is empty */
		file_open(f, slot);
		return;
	}
	if (op == OP_CLOSE)
		file_close(f, file, slot);
	else if (op == OP_FORK)
		fuzz_fork(f, file);
	else
		call_file(f, file, op);
	file_put(f, file);
}

static void *fuzz(void *arg)
{
	struct fuzzer *f = arg;
	uint64_t call;

	cover_begin(f);
	for (call = 0; call < nr_calls / nr_threads && !shared->over && cookies_left(); call++) {
		corpus_next(f);
		one_call(f, call);
		corpus_judge(f, cover_look(f));
	}
	return NULL;
}

static void on_signal(int signal)
{
}

static void signals_init(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGIO, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR2, &action, NULL);
}

static void hangs(struct fuzzer *f)
{
	int fd = open("/proc/sysrq-trigger", O_WRONLY);

	complain(f, "%s does not return", (const char *)atomic_load(&f->op));
	if (fd >= 0 && write(fd, "w", 1) == 1)
		usleep(500000);
	_exit(1);
}

/*
 * Send signals, with and without SA_RESTART, to threads that have been in a call for at least two
 * rounds. Returns when all threads have ended.
 */
static void watch(uint64_t end_ns)
{
	uint64_t began, before_last = 0, last = clock_ns, now = last;
	unsigned int i, round = 0, left = 1;

	while (left) {
		usleep(ROUND_US);
		before_last = last;
		last = now;
		now = now_ns();
		atomic_store(&clock_ns, now);
		if (end_ns && now > end_ns)
			atomic_store(&shared->over, true);
		for (i = 0, left = 0, round++; i < nr_threads; i++) {
			if (!threads[i])
				continue;
			if (!pthread_tryjoin_np(threads[i], NULL)) {
				threads[i] = 0;
				continue;
			}
			left++;
			began = atomic_load(&fuzzers[i].began_ns);
			if (!began || began >= before_last)
				continue;
			if (now > began + HANG_NS)
				hangs(&fuzzers[i]);
			pthread_kill(threads[i], round % 3 ? SIGUSR1 : SIGUSR2);
		}
	}
}

/* Runs process @nr until its threads have ended and its files are closed. */
static int run(unsigned int nr, uint64_t end_ns)
{
	unsigned int i;

	for (i = nr; i < nr_threads; i += nr_processes) {
		fuzzers[i].nr = i;
		arena_init(&fuzzers[i].arena);
	}
	for (i = nr; i < nr_threads; i += nr_processes)
		if (cover_thread(&fuzzers[i], &threads[i], fuzz))
			return 1;
	watch(end_ns);
	files_end(&fuzzers[MAX_THREADS]);
	return 0;
}

static void run_all(struct fuzzer *self, uint64_t end_ns)
{
	pid_t pids[MAX_THREADS];
	unsigned int i;
	int status;

	for (i = 0; i < nr_processes; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			_exit(run(i, end_ns));
		}
		if (pids[i] < 0)
			complain(self, "fork: %s", strerror(errno));
	}
	for (i = 0; i < nr_processes; i++) {
		if (pids[i] < 0)
			continue;
		while (waitpid(pids[i], &status, 0) < 0 && errno == EINTR)
			;
		if (status) {
			complain(self, "process %u ended with %#x", i, status);
			atomic_store(&shared->over, true);
		}
	}
}

/* Destroys all pools of the fuzzer; this must succeed. */
static void pools_end(struct fuzzer *f)
{
	struct wpool_dev_attach attach = { .size = sizeof(attach) };
	struct wpool_dev_simple simple = { .size = sizeof(simple) };
	struct dirent *entry;
	DIR *dir = opendir(CLASS);
	int fd, err;

	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "fuzz-", 5))
			continue;
		memset(attach.name, 0, sizeof(attach.name));
		memcpy(attach.name, entry->d_name, strnlen(entry->d_name, sizeof(attach.name) - 1));
		fd = open(DEV, O_RDWR);
		call_begins(f, "the end of a pool");
		err = ioctl(fd, WPOOL_IOC_ATTACH, &attach) ||
		      ioctl(fd, WPOOL_IOC_DESTROY, &simple) ? errno : 0;
		call_ends(f, OP_CLOSE);
		close(fd);
		if (err)
			complain(f, "the end of %s: %s", entry->d_name, strerrorname_np(err));
	}
	if (dir)
		closedir(dir);
}

static void show(void)
{
	static const char *const others[] = {
		"other ioctl", "scribbled", "open", "close", "read", "poll", "other call", "fork",
	};
	unsigned long nr, all = 0;
	unsigned int op, i;

	for (op = 0; op < OP_END; op++) {
		dprintf(1, "# %-11s %6lu ms:",
			op < NR_IOCTLS ? ioctl_names[op] : others[op - NR_IOCTLS],
			shared->tally[op].ns / 1000000);
		for (i = 0; i < NR_ERRNOS; i++) {
			nr = shared->tally[op].by_errno[i];
			if (nr)
				dprintf(1, " %s %lu", i ? strerrorname_np(i) : "ok", nr);
			all += nr;
		}
		dprintf(1, "\n");
	}
	dprintf(1, "# %lu calls, %lu tasks accepted, %lu records, %lu files drained\n", all,
		shared->nr_accepted, shared->nr_records, shared->nr_drained);
	dprintf(1, "# %lu texts searched for addresses, %lu of them by nobody\n",
		shared->nr_texts, shared->nr_unprivileged);
}

/* Check that each ioctl has succeeded at least once: otherwise the run proves nothing. */
static void check_reach(struct fuzzer *f)
{
	unsigned long all = 0;
	unsigned int op, i;

	for (op = 0; op < OP_END; op++)
		for (i = 0; i < NR_ERRNOS; i++)
			all += shared->tally[op].by_errno[i];
	if (all < 10000) {
		cover_show(f, false);
		return;
	}
	/* except cgroup, the last ioctl: no file of the fuzzer is a cgroup */
	for (op = 0; op < NR_IOCTLS - 1; op++)
		if (!shared->tally[op].by_errno[0])
			complain(f, "%s was never a success", ioctl_names[op]);
	cover_show(f, true);
	if (!shared->nr_records || !shared->nr_drained || !shared->nr_unprivileged)
		complain(f, "no records, no file drained, or nothing read by nobody");
}

static uint64_t to_number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (!*text || *end) {
		fprintf(stderr, "ioctl_fuzz: '%s' is not a value\n", text);
		exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	enum { SEED = 1, CALLS, THREADS, PROCESSES, SECONDS, CORPUS };
	static int quiet, blind;
	static const struct option options[] = {
		{ "seed", required_argument, NULL, SEED },
		{ "calls", required_argument, NULL, CALLS },
		{ "threads", required_argument, NULL, THREADS },
		{ "processes", required_argument, NULL, PROCESSES },
		{ "seconds", required_argument, NULL, SECONDS },
		{ "corpus", required_argument, NULL, CORPUS },
		{ "quiet", no_argument, &quiet, 1 },
		{ "blind", no_argument, &blind, 1 },
		{},
	};
	struct fuzzer *self = &fuzzers[MAX_THREADS];
	uint64_t end_ns, began = now_ns(), numbers[CORPUS] = {
		[SEED] = (began ^ (uint64_t)getpid() << 40) % 1000000000, [CALLS] = 100000,
		[THREADS] = 4, [PROCESSES] = 1,
	};
	const char *corpus = NULL;
	pid_t reader;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == CORPUS)
			corpus = optarg;
		else if (c > 0 && c < CORPUS)
			numbers[c] = to_number(optarg);
		else if (c)
			return 2;
	}
	seed = numbers[SEED];
	nr_calls = numbers[CALLS];
	nr_threads = numbers[THREADS];
	nr_processes = numbers[PROCESSES];
	if (!nr_threads || nr_threads > MAX_THREADS || !nr_processes || nr_processes > nr_threads)
		return 2;
	if (access(DEV, R_OK | W_OK)) {
		fprintf(stderr, "ioctl_fuzz: %s: %s\n", DEV, strerror(errno));
		return 2;
	}
	dprintf(1, "# seed %llu, %llu calls, %u threads in %u processes\n",
		(unsigned long long)seed, (unsigned long long)nr_calls, nr_threads, nr_processes);
	end_ns = numbers[SECONDS] ? began + numbers[SECONDS] * 1000000000ULL : 0;
	shared = map_shared(sizeof(*shared));
	clock_ns = began;
	self->nr = MAX_THREADS;
	signals_init();
	ready_fd = eventfd(1, 0);
	ioctls_init();
	files_init();
	arena_init(&self->arena);
	reader = reader_start();
	if (!blind && cover_init())
		corpus_init(corpus);
	if (nr_processes > 1)
		run_all(self, end_ns);
	else if (run(0, end_ns))
		return 1;
	pools_end(self);
	atomic_store(&shared->over, true);
	waitpid(reader, NULL, 0);

	check_reach(self);
	if (!quiet)
		show();
	dprintf(1, "# seed %llu: %u wrong, %llu ms\n", (unsigned long long)seed,
		shared->failures, (unsigned long long)(now_ns() - began) / 1000000);
	return shared->failures != 0;
}
