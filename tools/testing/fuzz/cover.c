// SPDX-License-Identifier: GPL-2.0
/*
 * Coverage: the program counters of the module that a call, or a task it submits, reaches. KCOV
 * reports them if the module is built for it (scripts/build --kcov).
 *
 * A fuzzing thread collects the coverage of its own calls. Its tasks run in workers, and KCOV does
 * not let the same thread collect their coverage, so a second thread collects it. The second thread
 * creates the fuzzing thread, which inherits the second thread's handle. The tasks carry that
 * handle (module/faces/dev/load/item.c). The coverage of a task is known when the task has ended,
 * so a later call of the fuzzing thread gets the credit.
 *
 * See Documentation/dev-tools/kcov.rst in the kernel's source.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/kcov.h>

#define KCOV			"/sys/kernel/debug/kcov"
#define OWN_WORDS		(64 << 10)
#define WORKERS_WORDS		(256 << 10)
#define TASK_WORDS		(4 << 10)	/* PCs of one task; any more are lost */
#define NR_SLOTS_OF_PCS		65536U
#define MAX_FUNCTIONS		8192U

/* A function of a workload. If no worker is seen in it, coverage of workers does not work. */
#define WORKLOAD		"run_touch"

enum who { CALLER = 1, WORKER = 2 };

/* Program counters that KCOV writes. */
struct buffer {
	uint64_t *words;	/* the number of counters, then the counters */
	size_t size;
	uint64_t at;	/* number of counters already read */
};

/* Coverage of a fuzzing thread. */
struct collector {
	struct buffer own;	/* program counters of the thread's calls */
	struct buffer workers;	/* program counters of the thread's tasks, in workers */
	struct fuzzer *f;
	pthread_t *thread;
	void *(*run)(void *fuzzer);
	sem_t started;	/* posted when @thread runs */
	int err;
};

static bool is_on;
static struct collector collectors[MAX_THREADS];

/* A hash table of program counters, for all processes; reached_by has bits of enum who. */
static atomic_ullong *pcs;
static atomic_uchar *reached_by;

/* Marks @pc as reached by @who. Returns true the first time. */
static bool reached(uint64_t pc, enum who who)
{
	struct rng mix = { .state = pc };
	uint32_t slot = rnd(&mix) % NR_SLOTS_OF_PCS, left = NR_SLOTS_OF_PCS;
	unsigned long long there;

	for (; left; left--, slot = (slot + 1) % NR_SLOTS_OF_PCS) {
		there = atomic_load_explicit(&pcs[slot], memory_order_relaxed);
		if (!there && atomic_compare_exchange_strong(&pcs[slot], &there, pc))
			there = pc;
		if (there != pc)
			continue;
		if (atomic_load_explicit(&reached_by[slot], memory_order_relaxed) & who)
			return false;
		return !(atomic_fetch_or(&reached_by[slot], who) & who);
	}
	return false;
}

static unsigned int look(struct buffer *buffer, enum who who)
{
	uint64_t nr = __atomic_load_n(&buffer->words[0], __ATOMIC_ACQUIRE);
	unsigned int nr_new = 0;

	if (nr > buffer->size - 1)
		nr = buffer->size - 1;
	for (; buffer->at < nr; buffer->at++)
		if (buffer->words[buffer->at + 1])
			nr_new += reached(buffer->words[buffer->at + 1], who);
	/*
	 * Workers may append at any time. If a worker has just read the length, its next write
	 * makes this function look at old entries again, which does no harm.
	 */
	if (who == CALLER || nr > buffer->size / 2) {
		__atomic_store_n(&buffer->words[0], 0, __ATOMIC_RELEASE);
		buffer->at = 0;
	}
	return nr_new;
}

unsigned int cover_look(struct fuzzer *f)
{
	struct collector *c = &collectors[f->nr];

	if (!is_on)
		return 0;
	return look(&c->own, CALLER) + look(&c->workers, WORKER);
}

/* Open KCOV. Returns the file, which stays open until the end, or -1. */
static int buffer_open(struct buffer *buffer, size_t size)
{
	int fd = open(KCOV, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (ioctl(fd, KCOV_INIT_TRACE, size))
		return -1;
	buffer->size = size;
	buffer->words = mmap(NULL, size * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED,
			     fd, 0);
	return buffer->words == MAP_FAILED ? -1 : fd;
}

bool cover_init(void)
{
	struct wpool_dev_stats stats = { .size = sizeof(stats) };
	struct buffer buffer = {};
	int dev, fd = buffer_open(&buffer, OWN_WORDS);

	if (fd < 0 || ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC)) {
		dprintf(1, "# no feedback: %s: %s\n", KCOV, strerror(errno));
		return false;
	}
	dev = open(DEV, O_RDWR | O_CLOEXEC);
	buffer.words[0] = 0;
	ioctl(dev, WPOOL_IOC_STATS, &stats);
	is_on = buffer.words[0];
	close(dev);
	ioctl(fd, KCOV_DISABLE, 0);
	munmap(buffer.words, buffer.size * sizeof(uint64_t));
	close(fd);
	if (!is_on)
		dprintf(1, "# no feedback: wpool is not built for it: scripts/build --kcov\n");
	pcs = map_shared(NR_SLOTS_OF_PCS * sizeof(*pcs));
	reached_by = map_shared(NR_SLOTS_OF_PCS * sizeof(*reached_by));
	return is_on;
}

void cover_begin(struct fuzzer *f)
{
	struct collector *c = &collectors[f->nr];
	int fd;

	if (!is_on)
		return;
	fd = buffer_open(&c->own, OWN_WORDS);
	if (fd < 0 || ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC)) {
		dprintf(1, "# thread %u: KCOV: %s\n", f->nr, strerror(errno));
		_exit(1);
	}
}

/* The thread that collects the coverage of workers. It must not end before the fuzzing thread. */
static void *collect(void *arg)
{
	struct kcov_remote_arg remote = {
		.trace_mode = KCOV_TRACE_PC,
		.area_size = TASK_WORDS,
	};
	struct collector *c = arg;
	int fd = buffer_open(&c->workers, WORKERS_WORDS);

	remote.common_handle = kcov_remote_handle(KCOV_SUBSYSTEM_COMMON, c->f->nr + 1);
	c->err = fd < 0 || ioctl(fd, KCOV_REMOTE_ENABLE, &remote) ? errno :
		 pthread_create(c->thread, NULL, c->run, c->f);
	sem_post(&c->started);
	for (;;)
		pause();
	return NULL;
}

int cover_thread(struct fuzzer *f, pthread_t *thread, void *(*run)(void *fuzzer))
{
	struct collector *c = &collectors[f->nr];
	pthread_t collector;

	if (!is_on)
		return pthread_create(thread, NULL, run, f);
	c->f = f;
	c->thread = thread;
	c->run = run;
	sem_init(&c->started, 0, 0);
	if (pthread_create(&collector, NULL, collect, c))
		return -1;
	while (sem_wait(&c->started))
		;
	if (c->err)
		dprintf(1, "# thread %u: KCOV: %s\n", f->nr, strerror(c->err));
	return c->err;
}

struct function {
	unsigned long long begin;
	unsigned int nr;
	unsigned int nr_by_workers;
	char name[64];
};

static int by_address(const void *a, const void *b)
{
	const struct function *f = a, *g = b;

	return (f->begin > g->begin) - (f->begin < g->begin);
}

/* Reads the module's functions, sorted by address. */
static unsigned int read_functions(struct function *functions)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[512], type, module[64];
	struct function *next;
	unsigned int nr = 0;

	while (file && nr < MAX_FUNCTIONS && fgets(line, sizeof(line), file)) {
		next = &functions[nr];
		*next = (struct function){};
		if (sscanf(line, "%llx %c %63s [%63[^]]", &next->begin, &type,
			   next->name, module) == 4 &&
		    !strcmp(module, "wpool") && (type == 't' || type == 'T'))
			nr++;
	}
	if (file)
		fclose(file);
	qsort(functions, nr, sizeof(*functions), by_address);
	return nr;
}

static struct function *function_of(struct function *functions, unsigned int nr, uint64_t pc)
{
	unsigned int low = 0, high = nr, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (functions[middle].begin <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &functions[low - 1] : NULL;
}

void cover_show(struct fuzzer *f, bool enough)
{
	unsigned int nr = 0, by_callers = 0, by_workers = 0, nr_functions, in_functions = 0, i;
	struct function *functions, *function, *workload = NULL;

	if (!is_on)
		return;
	functions = calloc(MAX_FUNCTIONS, sizeof(*functions));
	if (!functions)
		exit(1);
	nr_functions = read_functions(functions);
	for (i = 0; i < NR_SLOTS_OF_PCS; i++) {
		if (!pcs[i])
			continue;
		nr++;
		by_callers += !!(reached_by[i] & CALLER);
		by_workers += !!(reached_by[i] & WORKER);
		/* the PC is the address after a call to KCOV, so it lies inside the function */
		function = function_of(functions, nr_functions, pcs[i]);
		if (!function)
			continue;
		in_functions += !function->nr++;
		function->nr_by_workers += !!(reached_by[i] & WORKER);
		if (!strcmp(function->name, WORKLOAD))
			workload = function;
	}
	dprintf(1, "# coverage: %u PCs in %u of %u functions\n", nr, in_functions, nr_functions);
	dprintf(1, "# coverage: %u PCs in calls, %u in workers, %u only there\n", by_callers,
		by_workers, nr - by_callers);
	dprintf(1, "# coverage: %u PCs of %s in workers\n", workload ? workload->nr_by_workers : 0,
		WORKLOAD);
	corpus_show();
	if (enough && !by_workers)
		complain(f, "KCOV saw no worker run a task");
	else if (enough && (!workload || !workload->nr_by_workers))
		complain(f, "KCOV saw no worker in %s", WORKLOAD);
	free(functions);
}
