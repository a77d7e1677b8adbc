// SPDX-License-Identifier: GPL-2.0
/*
 * The memory that fuzzed calls point into: pages with an unmapped page after them, read-only pages
 * and invalid pointers. Checks that a call writes only to its place.
 */
#include "fuzz.h"

#include <stdio.h>
#include <sys/mman.h>

/* Only x86 has this flag, and only there the fuzzer makes 32-bit calls. */
#ifndef MAP_32BIT
#define MAP_32BIT 0
#endif

/* Maps pages below 4 GiB, for 32-bit calls. An unmapped page follows them. */
static uint8_t *map(size_t bytes, uint8_t **hole)
{
	uint8_t *at = mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (at == MAP_FAILED || mprotect(at + bytes, PAGE, PROT_NONE)) {
		perror("mmap");
		exit(1);
	}
	if (hole)
		*hole = at + bytes;
	return at;
}

void *map_shared(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return at;
}

void arena_init(struct arena *arena)
{
	arena->rw = map(RW_BYTES, &arena->hole);
	arena->ro = map(PAGE, NULL);
	arena->array = map(ARRAY_BYTES, NULL);
	mprotect(arena->ro, PAGE, PROT_READ);
}

uint8_t *arena_place(struct fuzzer *f, size_t bytes)
{
	uint8_t *rw = f->arena.rw;
	size_t room = RW_BYTES - bytes;

	memset(rw, rnd(&f->rng), RW_BYTES);
	switch (below(&f->rng, 8)) {
	case 0:
		return rw + below(&f->rng, room + 1);
	case 1 ... 3:
		return rw + (below(&f->rng, room + 1) & ~7U);
	default:
		return rw + room;
	}
}

uint8_t *arena_place_ro(struct fuzzer *f, const void *content, size_t bytes)
{
	uint8_t *at = f->arena.ro + (PAGE - bytes);

	mprotect(f->arena.ro, PAGE, PROT_READ | PROT_WRITE);
	memcpy(at, content, bytes);
	mprotect(f->arena.ro, PAGE, PROT_READ);
	return at;
}

uint64_t arena_bad_pointer(struct fuzzer *f)
{
	static const uint64_t bad[] = {
		0, 1, 8, PAGE - 1, 0x7ffffffff000, 0x7fffffffffff, 0x800000000000,
		0x8000000000000000, 0xffff800000000000, 0xffff888000000000,
		0xffffc90000000000, 0xffffffff81000000, 0xffffffffff600000,
		-1ULL, -8ULL, -PAGE,
	};
	uint32_t which = below(&f->rng, ARRAY_SIZE(bad) + 2);

	if (which < ARRAY_SIZE(bad))
		return bad[which];
	return (uintptr_t)f->arena.hole + below(&f->rng, PAGE);
}

void arena_snapshot(struct fuzzer *f, uint8_t *snapshot)
{
	memcpy(snapshot, f->arena.rw, RW_BYTES);
}

bool arena_unchanged(struct fuzzer *f, const uint8_t *snapshot, const void *from, size_t bytes)
{
	const uint8_t *rw = f->arena.rw;
	size_t at = (const uint8_t *)from - rw;

	if ((const uint8_t *)from < rw || at >= RW_BYTES)
		return !memcmp(rw, snapshot, RW_BYTES);
	return !memcmp(rw, snapshot, at) &&
	       !memcmp(rw + at + bytes, snapshot + at + bytes, RW_BYTES - at - bytes);
}
