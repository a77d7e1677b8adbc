/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What both plugins have: the start, the marks and the text that come from the guest, see
 * ../module/mark.h, and a set of cache lines.
 */
#ifndef HEAR_H
#define HEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../module/mark.h"
#include "qemu-api.h"

#define LINE_SHIFT	6
/* Slots for the lines of an operation or a section, 2^14: far more than needed. */
#define NR_SLOTS	16384

int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static qemu_plugin_id_t plugin_id;
static FILE *out;

/* The plugin's: do what a line of text says; translate a block of instructions. */
static void obey(char *text);
static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);

static void die(const char *why)
{
	fprintf(stderr, "plugin: %s\n", why);
	exit(1);
}

/* At the start, and after a reset, which drops all translations: translate() gets the new ones. */
static void start_anew(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
}

/* Returns the number of possible CPUs. @arg: out=FILE */
static inline uint32_t start(qemu_plugin_id_t id, const struct qemu_info_t *info, uint32_t max_cpus,
			     const char *arg)
{
	if (!info->system_emulation || strcmp(info->target_name, "x86_64") ||
	    info->system.max_vcpus > (int)max_cpus)
		die("made for a machine of x86-64, with fewer CPUs");
	out = arg && !strncmp(arg, "out=", 4) ? fopen(arg + 4, "w") : NULL;
	if (!out)
		die("no out=FILE");
	plugin_id = id;
	start_anew(id);
	return info->system.max_vcpus;
}

/* Returns zeroed memory. */
static inline void *room_for(size_t nr, size_t size)
{
	void *room = calloc(nr, size);

	if (!room)
		die("no memory");
	return room;
}

/* Spreads values over 2^@bits places. */
static inline uint32_t place_of(uint64_t value, int bits)
{
	return value * 0x9e3779b97f4a7c15ULL >> (64 - bits);
}

struct slot {
	uint64_t line;
	uint32_t generation;	/* another one: the slot is empty */
	bool inside, written, written_inside;
};

/* Returns the slot of @line, which is new if *@is_new, or NULL if there is no room. */
static inline struct slot *slot_of(struct slot slots[NR_SLOTS], uint32_t generation, uint64_t line,
				   bool *is_new)
{
	uint32_t at = place_of(line, 14), tries;
	struct slot *slot;

	for (tries = 0; tries < NR_SLOTS; tries++, at++) {
		slot = &slots[at % NR_SLOTS];
		*is_new = slot->generation != generation;
		if (*is_new)
			*slot = (struct slot){ .line = line, .generation = generation };
		if (slot->line == line)
			return slot;
	}
	return NULL;
}

/* The last line that an access touches. */
static inline uint64_t last_line(qemu_plugin_meminfo_t info, uint64_t address)
{
	return (address + (1ULL << qemu_plugin_mem_size_shift(info)) - 1) >> LINE_SHIFT;
}

static inline enum bench_mark_op mark_op(uint32_t mark) { return mark >> 8 & 0xff; }

/* Returns the displacement of a mark, or 0. */
static inline uint32_t mark_of(const uint8_t *code, size_t size)
{
	uint32_t disp;

	if (size != 7 || code[0] != 0x0f || code[1] != 0x1f || code[2] != 0x80)
		return 0;
	memcpy(&disp, code + 3, sizeof(disp));
	if ((disp & 0xffff0000) != BENCH_MARK_MAGIC || (disp & 0xff) >= NR_BENCH_PATHS)
		return 0;
	return disp;
}

/* A mark came: if it is a bit of text, and the last one, obey. */
static inline void hear_mark(uint32_t mark)
{
	static char text[1024];
	static uint32_t nr_bits;
	uint32_t at = nr_bits / 8;

	if (mark_op(mark) != BENCH_MARK_ZERO && mark_op(mark) != BENCH_MARK_ONE)
		return;
	if (nr_bits % 8 == 0)
		text[at] = 0;
	text[at] |= (mark_op(mark) == BENCH_MARK_ONE) << nr_bits % 8;
	if (++nr_bits % 8)
		return;
	if (text[at] && at < sizeof(text) - 1)
		return;
	text[at] = '\0';
	nr_bits = 0;
	obey(text);
}

#endif /* HEAR_H */
