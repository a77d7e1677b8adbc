/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory. If an allocation fails, the process prints a message and exits. The kernel then closes
 * the files of the process, which cancels their tasks. A temporary pool is left behind. What a
 * command needs until its end is not freed.
 */
#ifndef WPOOLCTL_ALLOC_H
#define WPOOLCTL_ALLOC_H

#include "base.h"

/* Returns @memory; exits if it is NULL. */
void *alloc_checked(void *memory);

void *alloc_zeroed(size_t nr, size_t size);
char *alloc_copy(const char *text);

/* Make room for a zeroed element behind @nr of @size bytes. Returns the array; it may move. */
void *alloc_one_more(void *array, size_t nr, size_t size);

#endif /* WPOOLCTL_ALLOC_H */
