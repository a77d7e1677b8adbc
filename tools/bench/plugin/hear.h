/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a plugin hears from the guest: marks, and text that comes as marks, see ../module/mark.h. */
#ifndef HEAR_H
#define HEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../module/mark.h"

/* The plugin's: do what a line of text says. */
static void obey(char *text);

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
