// SPDX-License-Identifier: GPL-2.0
/* Memory, see alloc.h. */
#include "alloc.h"

void *alloc_checked(void *memory)
{
	if (!memory) {
		fputs("wpoolctl: out of memory\n", stderr);
		/* no exit handlers: other threads may still run */
		_exit(EXIT_FAILURE);
	}
	return memory;
}

void *alloc_zeroed(size_t nr, size_t size)
{
	return alloc_checked(calloc(nr ?: 1, size));
}

char *alloc_copy(const char *text)
{
	return alloc_checked(strdup(text));
}

/* Doubles the allocation at each power of two, so that many appends cost little. */
void *alloc_one_more(void *array, size_t nr, size_t size)
{
	if (!(nr & (nr - 1)))
		array = alloc_checked(reallocarray(array, nr ? nr * 2 : 1, size));
	memset((char *)array + nr * size, 0, size);
	return array;
}
