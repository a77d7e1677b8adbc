// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that reached something new, and variants of them.
 *
 * A call depends only on the numbers that it drew, so a tape of these numbers repeats the call. An
 * entry has the tapes of the last few calls of a thread, because the reach of a call depends on
 * earlier calls, and because a task runs after its submit.
 *
 * Half of all sequences are random. The others are entries in which numbers were changed, cut off
 * or taken from another entry. After the end of a tape, a call draws from the generator.
 *
 * In a directory, each entry is a file, as struct sequence, named after its content. The fuzzer
 * first repeats each entry of the directory unchanged.
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define NR_TAPES		4
#define MAX_ENTRIES		4096U
#define MAGIC			0x77667a31U

struct sequence {
	uint32_t magic;
	uint32_t nr;
	struct tape tapes[NR_TAPES];
};

/* The entry that a thread repeats, and the tapes of its calls. */
struct player {
	struct rng rng;	/* for the choice of entries and of their variants */
	struct sequence playing;	/* the entry that the thread repeats now */
	uint32_t at;	/* index of the next tape of @playing */
	bool is_loaded;	/* @playing came from the directory, and is not saved again */
	struct tape recording;	/* the tape of the current call */
	/* tapes of the thread's last calls, indexed by the number of the call modulo NR_TAPES */
	struct tape recent[NR_TAPES];
	uint64_t nr_calls;	/* calls so far */
};

static bool is_on;
static const char *directory;
static struct player players[MAX_THREADS + 1];

/* The entries, which all processes share. */
static struct corpus {
	pthread_mutex_t mutex;	/* protects all that follows */
	unsigned int nr;
	unsigned int nr_loaded;	/* entries from the directory */
	unsigned int nr_repeated;	/* entries from the directory that were repeated */
	unsigned int nr_from_tapes;	/* calls that were drawn from entries */
	struct sequence entries[MAX_ENTRIES];
} *corpus;

static size_t sequence_bytes(const struct sequence *sequence)
{
	return offsetof(struct sequence, tapes) + sequence->nr * sizeof(struct tape);
}

static bool is_sequence(const struct sequence *sequence, ssize_t bytes)
{
	uint32_t i;

	if (bytes < (ssize_t)offsetof(struct sequence, tapes) || sequence->magic != MAGIC ||
	    !sequence->nr || sequence->nr > NR_TAPES || sequence_bytes(sequence) != (size_t)bytes)
		return false;
	for (i = 0; i < sequence->nr; i++)
		if (sequence->tapes[i].nr > TAPE_DRAWS)
			return false;
	return true;
}

static void load(void)
{
	struct dirent *entry;
	unsigned int bad = 0;
	DIR *dir = opendir(directory);
	ssize_t bytes;
	int fd;

	if (!dir) {
		dprintf(1, "# corpus: %s: %s\n", directory, strerror(errno));
		exit(2);
	}
	while ((entry = readdir(dir)) && corpus->nr < MAX_ENTRIES) {
		if (entry->d_name[0] == '.')
			continue;
		fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC);
		bytes = read(fd, &corpus->entries[corpus->nr], sizeof(struct sequence));
		close(fd);
		/* leave out a file that was being written when its run was killed */
		if (is_sequence(&corpus->entries[corpus->nr], bytes))
			corpus->nr++;
		else
			bad++;
	}
	closedir(dir);
	corpus->nr_loaded = corpus->nr;
	dprintf(1, "# corpus: %u entries in %s, and %u files that are none\n", corpus->nr_loaded,
		directory, bad);
}

static void save(const struct sequence *sequence, const char *name)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, sequence, sequence_bytes(sequence)) < 0)
		dprintf(1, "# corpus: %s: %s\n", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

static uint64_t hash(const struct sequence *sequence)
{
	const uint8_t *bytes = (const uint8_t *)sequence;
	uint64_t sum = 0xcbf29ce484222325ULL;
	size_t i;

	for (i = 0; i < sequence_bytes(sequence); i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3ULL;
	return sum;
}

void corpus_init(const char *where)
{
	pthread_mutexattr_t attr;

	is_on = true;
	directory = where;
	corpus = map_shared(sizeof(*corpus));
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&corpus->mutex, &attr);
	if (directory)
		load();
}

static void change_draws(struct rng *rng, struct tape *tape)
{
	uint32_t nr = 1 + below(rng, 4), at;

	while (nr-- && tape->nr) {
		at = below(rng, tape->nr);
		switch (below(rng, 4)) {
		case 0:
			tape->draws[at] ^= 1ULL << below(rng, 64);
			break;
		case 1:
			tape->draws[at] = tape->draws[below(rng, tape->nr)];
			break;
		default:
			tape->draws[at] = rnd(rng);
		}
	}
}

static void vary(struct rng *rng, struct sequence *sequence, const struct sequence *other)
{
	struct tape *tape = &sequence->tapes[below(rng, sequence->nr)];
	uint32_t at;

	switch (below(rng, 8)) {
	case 0:
		/* cut the tape: after its end the call draws from the generator */
		tape->nr = below(rng, tape->nr + 1);
		break;
	case 1:
		*tape = other->tapes[below(rng, other->nr)];
		break;
	case 2:
		at = below(rng, sequence->nr);
		sequence->nr -= at;
		memmove(sequence->tapes, &sequence->tapes[at], sequence->nr * sizeof(struct tape));
		break;
	case 3:
		/* keep the tape: its effect changes with the calls before it */
		break;
	default:
		change_draws(rng, tape);
	}
}

/* Choose an entry to repeat, or none: then the calls are random. */
static void choose(struct player *p)
{
	uint32_t nr;

	p->at = 0;
	p->playing.nr = 0;
	p->is_loaded = false;
	pthread_mutex_lock(&corpus->mutex);
	if (corpus->nr_repeated < corpus->nr_loaded) {
		p->playing = corpus->entries[corpus->nr_repeated++];
		p->is_loaded = true;
	} else if (corpus->nr && one_in(&p->rng, 2)) {
		p->playing = corpus->entries[below(&p->rng, corpus->nr)];
		for (nr = 1 + below(&p->rng, 3); nr; nr--)
			vary(&p->rng, &p->playing, &corpus->entries[below(&p->rng, corpus->nr)]);
	} else {
		/* as many random calls as an entry has tapes */
		p->playing.nr = NR_TAPES;
		memset(p->playing.tapes, 0, sizeof(p->playing.tapes));
	}
	corpus->nr_from_tapes += p->playing.tapes[0].nr ? p->playing.nr : 0;
	pthread_mutex_unlock(&corpus->mutex);
}

void corpus_next(struct fuzzer *f)
{
	struct player *p = &players[f->nr];

	if (!is_on)
		return;
	if (!p->nr_calls) {
		p->rng.state = seed ^ ~(uint64_t)f->nr << 32;
		rnd(&p->rng);
	}
	if (p->at == p->playing.nr)
		choose(p);
	p->recording.nr = 0;
	f->rng.replay = &p->playing.tapes[p->at++];
	f->rng.record = &p->recording;
}

/* Copy the last calls of a thread, the oldest first. */
static void recent(const struct player *p, struct sequence *sequence)
{
	uint64_t call = p->nr_calls < NR_TAPES ? 0 : p->nr_calls - NR_TAPES;

	memset(sequence, 0, sizeof(*sequence));
	sequence->magic = MAGIC;
	for (; call < p->nr_calls; call++)
		sequence->tapes[sequence->nr++] = p->recent[call % NR_TAPES];
}

void corpus_judge(struct fuzzer *f, unsigned int nr_new)
{
	struct player *p = &players[f->nr];
	struct sequence sequence;
	bool kept = false;
	char name[32];

	if (!is_on)
		return;
	f->rng.replay = NULL;
	f->rng.record = NULL;
	p->recent[p->nr_calls++ % NR_TAPES] = p->recording;
	if (!nr_new || p->is_loaded)
		return;
	recent(p, &sequence);
	pthread_mutex_lock(&corpus->mutex);
	if (corpus->nr < MAX_ENTRIES) {
		corpus->entries[corpus->nr++] = sequence;
		kept = true;
	}
	pthread_mutex_unlock(&corpus->mutex);
	if (!kept || !directory)
		return;
	snprintf(name, sizeof(name), "%016llx", (unsigned long long)hash(&sequence));
	save(&sequence, name);
}

void corpus_keep_wrong(struct fuzzer *f)
{
	struct player *p = &players[f->nr];
	struct sequence sequence;
	char name[64];

	if (!is_on || !directory || f->nr == MAX_THREADS)
		return;
	p->recent[p->nr_calls++ % NR_TAPES] = p->recording;
	recent(p, &sequence);
	p->nr_calls--;
	snprintf(name, sizeof(name), "wrong-%llu-%u-%llu", (unsigned long long)seed, f->nr,
		 (unsigned long long)f->call);
	save(&sequence, name);
	dprintf(1, "# the last calls of this thread are in %s/%s\n", directory, name);
}

void corpus_show(void)
{
	dprintf(1, "# corpus: %u entries, %u of them from before; %u calls were drawn from it\n",
		corpus->nr, corpus->nr_loaded, corpus->nr_from_tapes);
}
