// SPDX-License-Identifier: GPL-2.0
/* Messages and counts of calls, and the clock that times calls. */
#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#define MAX_SHOWN		20

struct shared *shared;
uint64_t seed;
atomic_ullong clock_ns;

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

void complain(struct fuzzer *f, const char *format, ...)
{
	char text[512];
	va_list args;

	if (atomic_fetch_add(&shared->failures, 1) >= MAX_SHOWN)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* not stdio: a child may have been forked while another thread held stdio's lock */
	dprintf(1, "# seed %llu, thread %u, call %llu: %s\n", (unsigned long long)seed, f->nr,
		(unsigned long long)f->call, text);
	corpus_keep_wrong(f);
}

void call_begins(struct fuzzer *f, const char *op)
{
	atomic_store(&f->op, (uintptr_t)op);
	atomic_store(&f->began_ns, atomic_load(&clock_ns));
}

void call_ends(struct fuzzer *f, unsigned int op)
{
	atomic_fetch_add(&shared->tally[op].ns, atomic_load(&clock_ns) - atomic_load(&f->began_ns));
	atomic_store(&f->began_ns, 0);
}

void count(unsigned int op, int err)
{
	atomic_fetch_add(&shared->tally[op].by_errno[err < NR_ERRNOS ? err : NR_ERRNOS - 1], 1);
}
