/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ioctl_fuzz: declarations that its parts share. See ioctl_fuzz.c.
 *
 * Every call draws its decisions from a generator whose seed depends only on the run's seed, the
 * number of the thread and the number of the call. So a call does not depend on earlier ones. If
 * the kernel reports coverage, some calls draw from a tape instead, see corpus.c.
 */
#ifndef WPOOL_FUZZ_H
#define WPOOL_FUZZ_H

#define _GNU_SOURCE

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <linux/wpool.h>

#define DEV			"/dev/wpool"
#define CLASS			"/sys/class/wpool"
#define PAGE			4096
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

/* ---- decisions ------------------------------------------------------------- */

#define TAPE_DRAWS		96

/* The first numbers that a call drew. They decide what the call is. */
struct tape {
	uint32_t nr;
	uint64_t draws[TAPE_DRAWS];
};

/* The source of decisions. */
struct rng {
	uint64_t state;
	const struct tape *replay;	/* if not NULL, the first draws come from this tape */
	struct tape *record;	/* if not NULL, draws are copied to this tape */
	uint32_t nr;	/* number of draws since @replay began */
};

static inline uint64_t rnd(struct rng *rng)
{
	uint64_t z = (rng->state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	z ^= z >> 31;
	if (rng->replay && rng->nr < rng->replay->nr)
		z = rng->replay->draws[rng->nr];
	if (rng->record && rng->nr < TAPE_DRAWS) {
		rng->record->draws[rng->nr] = z;
		rng->record->nr = rng->nr + 1;
	}
	rng->nr++;
	return z;
}

static inline uint32_t below(struct rng *rng, uint32_t nr)
{
	return (rnd(rng) >> 32) * nr >> 32;
}

static inline bool one_in(struct rng *rng, uint32_t nr)
{
	return !below(rng, nr);
}

/* ---- the threads ------------------------------------------------------------- */

#define MAX_THREADS		64
#define NR_OPS			32
#define NR_ERRNOS		134

/* How the calls of a kind ended, and the time of all of them. */
struct tally {
	atomic_ulong by_errno[NR_ERRNOS];	/* 0: success */
	atomic_ulong ns;
};

/* Memory that calls point into; an unmapped page follows each of the first three. */
struct arena {
	uint8_t *rw;	/* two pages */
	uint8_t *ro;	/* a page that cannot be written */
	uint8_t *array;	/* room for arrays and records */
	uint8_t *hole;	/* an unmapped page */
};

#define RW_BYTES		(2 * PAGE)
#define ARRAY_BYTES		(128 * PAGE)

struct fuzzer {
	struct rng rng;
	struct arena arena;
	unsigned int nr;
	uint64_t call;
	atomic_ullong began_ns;	/* when the current call began; 0: no call */
	atomic_uintptr_t op;
	uint64_t recent[64];	/* the last cookies that this thread submitted */
	unsigned int nr_recent;
};

/* Memory that all processes share. */
struct shared {
	atomic_uint failures;
	atomic_bool over;
	struct tally tally[NR_OPS];
	atomic_ulong nr_accepted;
	atomic_ulong nr_records;
	atomic_ulong nr_drained;	/* files whose records were all accounted for */
	atomic_ulong nr_texts;		/* files read and searched for addresses */
	atomic_ulong nr_unprivileged;	/* files read and searched without privileges */
};

extern struct shared *shared;

/* Zeroed memory that all processes share. */
void *map_shared(size_t bytes);

extern uint64_t seed;
extern int ready_fd;		/* a file that is always readable */

/* ---- call.c --------------------------------------------------------------------- */

/*
 * The time of the watcher's last round. Calls are timed by it, because reading the kernel's clock
 * may be a system call. One difference is coarse, but the sum of many is right.
 */
extern atomic_ullong clock_ns;

/* Count an error, and print the first few errors. */
void complain(struct fuzzer *f, const char *format, ...);

/* Called before and after a call that may sleep. @op: the name of the call, or its OP_*. */
void call_begins(struct fuzzer *f, const char *op);
void call_ends(struct fuzzer *f, unsigned int op);
void count(unsigned int op, int err);

uint64_t now_ns(void);

/* ---- memory.c ------------------------------------------------------------------ */

void arena_init(struct arena *arena);

/* Fill the arena's @rw with a pattern. Returns a place in @rw for @bytes, often at its end. */
uint8_t *arena_place(struct fuzzer *f, size_t bytes);
/* Put @content into the arena's read-only page. Returns its place. */
uint8_t *arena_place_ro(struct fuzzer *f, const void *content, size_t bytes);
/* An invalid pointer. */
uint64_t arena_bad_pointer(struct fuzzer *f);
/* Copy the arena's @rw, to compare it after the call. */
void arena_snapshot(struct fuzzer *f, uint8_t *snapshot);
/* True if @rw has not changed outside of the @bytes at @from. */
bool arena_unchanged(struct fuzzer *f, const uint8_t *snapshot, const void *from, size_t bytes);

/* ---- files.c ---------------------------------------------------------------------- */

#define NR_SLOTS		12

/* An open /dev/wpool in a slot, used by several threads. */
struct file {
	int fd;
	uint32_t id;	/* a number that no other file has had */
	atomic_uint users;	/* references: of the slot, and of threads that use the file */
	atomic_uint tries;	/* calls that may have attached the file to a pool */
	atomic_bool attached;	/* a call has attached the file to a pool */
	atomic_bool gone;	/* the file has been closed, and @fd is /dev/null */
	atomic_bool child;	/* a child has used the file, too: do not count records */
	atomic_bool runs;	/* the file may be attached to a pool with policy "run" */
	bool drain;	/* every record must be accounted for when the file is closed */
};

void files_init(void);
struct file *file_get(unsigned int slot);
void file_put(struct fuzzer *f, struct file *file);
/* Open a file into a slot, and close the slot's previous file. */
void file_open(struct fuzzer *f, unsigned int slot);
void file_close(struct fuzzer *f, struct file *file, unsigned int slot);
void files_end(struct fuzzer *f);

/* A cookie for a task of this file. A silent task must have no record. */
uint64_t cookie_new(struct file *file, bool silent);
bool cookies_left(void);
/* Record that the task of a cookie was refused or accepted. */
void cookie_refused(struct fuzzer *f, uint64_t cookie);
void cookie_accepted(struct file *file, uint64_t cookie);
void records_check(struct fuzzer *f, struct file *file, const void *records, size_t bytes);

/* ---- ioctls.c: the grammar of the ioctls --------------------------------------- */

#define NR_IOCTLS		13

extern const char *const ioctl_names[NR_IOCTLS];

void fuzz_ioctl(struct fuzzer *f, struct file *file, unsigned int nr);
void fuzz_ioctl_number(struct fuzzer *f, struct file *file);
void fuzz_ioctl_scribbled(struct fuzzer *f, struct file *file);
void ioctls_init(void);

/* ---- attrs.c: names and attributes ------------------------------------------------- */

/* Generate the name of a pool. Returns false if the name is invalid. */
bool gen_name(struct fuzzer *f, uint8_t *name, bool *runs);
/*
 * Generate attributes. Returns the -errno that they must give. 0: unknown, numbers may be too
 * large.
 */
int gen_attrs(struct fuzzer *f, struct wpool_dev_attrs *attrs, bool create, bool runs);

/* ---- works.c: descriptors of tasks ------------------------------------------------- */

/*
 * Generate @nr valid descriptors, but make number @bad invalid unless it is -1. Returns the
 * -errno that they must give, or 0.
 */
int gen_works(struct fuzzer *f, struct file *file, struct wpool_dev_work *works, uint32_t nr,
	      int bad);

/* ---- vfs.c: everything else that can be done to a file ------------------------------ */

void fuzz_read(struct fuzzer *f, struct file *file);
void fuzz_poll(struct fuzzer *f, struct file *file);
void fuzz_vfs(struct fuzzer *f, struct file *file);

/* ---- text.c: sysfs, debugfs, and the search for kernel addresses in output -------- */

/* Complain about addresses of the kernel in an answer. */
void scan_binary(struct fuzzer *f, const char *what, const void *data, size_t bytes);
/* Start a process that reads, as root and as nobody, until the end of the run. */
pid_t reader_start(void);

/* ---- cover.c: what calls and their tasks reached in the module ----------------------- */

/* Returns false after printing the reason if KCOV does not work. */
bool cover_init(void);
/* Like pthread_create(). Coverage of workers is attributed to the thread that submitted. */
int cover_thread(struct fuzzer *f, pthread_t *thread, void *(*run)(void *fuzzer));
/* Called in the new thread. cover_look(): how many PCs are new since the last cover_look(). */
void cover_begin(struct fuzzer *f);
unsigned int cover_look(struct fuzzer *f);
/* Print the figures; if @enough is true, also check that workers were seen. */
void cover_show(struct fuzzer *f, bool enough);

/* ---- corpus.c: calls that reached something new, and their variants --------------------- */

/* Load the corpus from a directory, and save new entries there. NULL: keep it in memory only. */
void corpus_init(const char *directory);
/* Choose the tapes that the thread's next call replays and records. */
void corpus_next(struct fuzzer *f);
/* Called after a call for which cover_look() returned @nr_new. */
void corpus_judge(struct fuzzer *f, unsigned int nr_new);
/* Save the last calls of this thread after a failed check. */
void corpus_keep_wrong(struct fuzzer *f);
void corpus_show(void);

/* ---- the kinds of calls --------------------------------------------------------------- */

enum op {
	OP_CREATE,			/* followed by one for each other ioctl */
	OP_ATTACH,
	OP_NUMBER = NR_IOCTLS,
	OP_SCRIBBLED,
	OP_OPEN,
	OP_CLOSE,
	OP_READ,
	OP_POLL,
	OP_VFS,
	OP_FORK,
	OP_END,
};

#endif /* WPOOL_FUZZ_H */
