// SPDX-License-Identifier: GPL-2.0
/*
 * locked - for each line with the hexadecimal bytes of an instruction, print 1 if x86.h says that
 * it is locked, else 0. For the comparison with objdump.
 */
#include <stdio.h>
#include <stdlib.h>

#include "x86.h"

int main(void)
{
	uint8_t code[16];
	char line[128], *at, *end;
	size_t size;

	while (fgets(line, sizeof(line), stdin)) {
		size = 0;
		for (at = line; size < sizeof(code); at = end) {
			unsigned long byte = strtoul(at, &end, 16);

			if (end == at)
				break;
			code[size++] = byte;
		}
		printf("%d\n", x86_is_locked(code, size));
	}
	return 0;
}
