/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ioctl_fuzz: what its parts share. See ioctl_fuzz.c.
 *
 * Every call draws its decisions from a generator whose seed is made of the run's seed, the number
 * of the thread and the number of the call, and of nothing else: call 4711 of thread 2 asks for the
 * same thing whatever came before. Where the kernel says what a call reached, some calls draw from
 * a tape instead, see corpus.c.
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

/* What a call drew, as far as it fits: it decides what the call is. */
struct tape {
	uint32_t nr;
	uint64_t draws[TAPE_DRAWS];
};

/**
 * struct rng - where decisions come from
 * @state: of the generator
 * @replay: draws these instead, as far as they go, if not NULL
 * @record: gets what is drawn, if not NULL
 * @nr: draws since @replay began
 */
struct rng {
	uint64_t state;
	const struct tape *replay;
	struct tape *record;
	uint32_t nr;
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

/* How often a kind of call ended how, and how long all took together. */
struct tally {
	atomic_ulong by_errno[NR_ERRNOS];	/* 0: success */
	atomic_ulong ns;
};

/**
 * struct arena - memory that calls point into
 * @rw: two pages; what follows them is not there
 * @ro: a page that cannot be written; what follows it is not there
 * @array: for arrays and records; what follows it is not there
 * @hole: a page that is not there
 */
struct arena {
	uint8_t *rw;
	uint8_t *ro;
	uint8_t *array;
	uint8_t *hole;
};

#define RW_BYTES		(2 * PAGE)
#define ARRAY_BYTES		(128 * PAGE)

/**
 * struct fuzzer - one thread
 * @rng: decisions of this call
 * @arena: its memory
 * @nr: number of the thread
 * @call: number of the call
 * @began_ns: when the call began that it is in; 0: it is in none
 * @op: name of that call, a string
 * @recent: cookies that this thread submitted last
 */
struct fuzzer {
	struct rng rng;
	struct arena arena;
	unsigned int nr;
	uint64_t call;
	atomic_ullong began_ns;
	atomic_uintptr_t op;
	uint64_t recent[64];
	unsigned int nr_recent;
};

/* What all processes share. */
struct shared {
	atomic_uint failures;
	atomic_bool over;
	struct tally tally[NR_OPS];
	atomic_ulong nr_accepted;
	atomic_ulong nr_records;
	atomic_ulong nr_drained;	/* files of which every record was accounted for */
	atomic_ulong nr_texts;		/* files read and looked at for addresses */
	atomic_ulong nr_unprivileged;	/* of them without privileges */
};

extern struct shared *shared;

/* Memory, all zero, that is the same in all processes. */
void *map_shared(size_t bytes);

extern uint64_t seed;
extern int ready_fd;		/* a file that can always be read from */

/* ---- call.c --------------------------------------------------------------------- */

/*
 * The time of the watcher's last round. A call reads it twice, because each reading of the kernel's
 * clock may be a system call of its own. A sum of many differences is still right.
 */
extern atomic_ullong clock_ns;

/* Say what is wrong, once for each of the first few. */
void complain(struct fuzzer *f, const char *format, ...);

/* A call begins, which may sleep; it ends, and this is its tally. */
void call_begins(struct fuzzer *f, const char *op);
void call_ends(struct fuzzer *f, unsigned int op);
void count(unsigned int op, int err);

uint64_t now_ns(void);

/* ---- memory.c ------------------------------------------------------------------ */

void arena_init(struct arena *arena);

/* Fill @rw with a pattern; a place in it for @bytes, often at its very end. */
uint8_t *arena_place(struct fuzzer *f, size_t bytes);
/* A place in the page that cannot be written, with this content. */
uint8_t *arena_place_ro(struct fuzzer *f, const void *content, size_t bytes);
/* A pointer that leads nowhere. */
uint64_t arena_bad_pointer(struct fuzzer *f);
/* What is in @rw now is what has to be there later, except what is answered. */
void arena_snapshot(struct fuzzer *f, uint8_t *snapshot);
/* True if nothing outside of this range has changed. */
bool arena_unchanged(struct fuzzer *f, const uint8_t *snapshot, const void *from, size_t bytes);

/* ---- files.c ---------------------------------------------------------------------- */

#define NR_SLOTS		12

/**
 * struct file - an open /dev/wpool, known by its slot, in use by several threads
 * @fd: its descriptor
 * @id: its number, never used twice
 * @users: threads that use it, and the slot
 * @tries: calls that may have attached it to a pool
 * @attached: one of them did
 * @gone: @fd leads elsewhere by now
 * @child: a child has used it, too: its records are not counted
 * @runs: it may be attached to a pool whose submitters run what does not fit
 * @drain: account for every record when it is closed
 */
struct file {
	int fd;
	uint32_t id;
	atomic_uint users;
	atomic_uint tries;
	atomic_bool attached;
	atomic_bool gone;
	atomic_bool child;
	atomic_bool runs;
	bool drain;
};

void files_init(void);
struct file *file_get(unsigned int slot);
void file_put(struct fuzzer *f, struct file *file);
/* Put a descriptor into a slot, and close what was there. */
void file_open(struct fuzzer *f, unsigned int slot);
void file_close(struct fuzzer *f, struct file *file, unsigned int slot);
void files_end(struct fuzzer *f);

/* A cookie for a task of this file; silent ones must never come back. */
uint64_t cookie_new(struct file *file, bool silent);
bool cookies_left(void);
/* The task was not accepted after all. */
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

/* A name of a pool; false if there can be none of that name. */
bool gen_name(struct fuzzer *f, uint8_t *name, bool *runs);
/* Attributes; returns the -errno that they must give, or 0. */
int gen_attrs(struct fuzzer *f, struct wpool_dev_attrs *attrs, bool create, bool runs);

/* ---- works.c: descriptors of tasks ------------------------------------------------- */

/*
 * @nr valid descriptors, except number @bad, if that is not -1; returns the -errno that
 * they must give, or 0.
 */
int gen_works(struct fuzzer *f, struct file *file, struct wpool_dev_work *works, uint32_t nr,
	      int bad);

/* ---- vfs.c: everything else that can be done to a file ------------------------------ */

void fuzz_read(struct fuzzer *f, struct file *file);
void fuzz_poll(struct fuzzer *f, struct file *file);
void fuzz_vfs(struct fuzzer *f, struct file *file);

/* ---- text.c: sysfs, debugfs, and addresses of the kernel in what comes out ------- */

void texts_init(void);
void fuzz_sysfs_store(struct fuzzer *f);
void fuzz_text_read(struct fuzzer *f);
/* Complain about addresses of the kernel in an answer. */
void scan_binary(struct fuzzer *f, const char *what, const void *data, size_t bytes);
/* A process of nobody's that reads all it may until the run is over. */
pid_t reader_start(void);

/* ---- cover.c: what calls and their tasks reached in the module ----------------------- */

/* False, and says why, if KCOV cannot tell. */
bool cover_init(void);
bool cover_is_on(void);
/* Like pthread_create(). Coverage of workers is attributed to the thread that submitted. */
int cover_thread(struct fuzzer *f, pthread_t *thread, void *(*run)(void *fuzzer));
/* Called in that thread; cover_look() returns how many new places it has reached since. */
void cover_begin(struct fuzzer *f);
unsigned int cover_look(struct fuzzer *f);
/* Print the figures; if there were @enough calls, also check that workers were seen. */
void cover_show(struct fuzzer *f, bool enough);

/* ---- corpus.c: calls that reached something new, and what is made of them -------------- */

/* Load the corpus from a directory, and save new entries there. NULL: keep it in memory only. */
void corpus_init(const char *directory);
/* The tape that the next call of this thread is drawn from, and where it is recorded. */
void corpus_next(struct fuzzer *f);
/* The call is over, and this much of what it reached is new. */
void corpus_judge(struct fuzzer *f, unsigned int nr_new);
/* The last calls of this thread are worth a second look. */
void corpus_keep_wrong(struct fuzzer *f);
void corpus_show(void);

/* ---- the kinds of calls --------------------------------------------------------------- */

enum op {
	OP_CREATE,			/* and one for each ioctl that follows */
	OP_ATTACH,
	OP_NUMBER = NR_IOCTLS,
	OP_SCRIBBLED,
	OP_OPEN,
	OP_CLOSE,
	OP_READ,
	OP_POLL,
	OP_VFS,
	OP_STORE,
	OP_TEXT,
	OP_FORK,
	OP_END,
};

#endif /* WPOOL_FUZZ_H */
