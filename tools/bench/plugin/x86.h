/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is an x86-64 instruction locked? It is if it has a lock prefix, or if it exchanges
 * a register with memory. scripts/bench-gate compares this with the output of objdump
 * for the module.
 */
#ifndef X86_H
#define X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool x86_is_legacy_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
	case 0x66: case 0x67: case 0xf2: case 0xf3:
		return true;
	default:
		return false;
	}
}

static inline bool x86_is_locked(const uint8_t *code, size_t size)
{
	size_t i = 0;

	while (i < size && x86_is_legacy_prefix(code[i]))
		i++;
	if (i < size && code[i] == 0xf0)
		return true;
	/* REX comes last */
	if (i < size && (code[i] & 0xf0) == 0x40)
		i++;
	/* xchg r/m8, r8 and xchg r/m, r: mod 3 means two registers */
	return i + 1 < size && (code[i] == 0x86 || code[i] == 0x87) &&
	       code[i + 1] >> 6 != 3;
}

#endif /* X86_H */
