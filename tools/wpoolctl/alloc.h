/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory. If there is none, the process says so and ends. What it has in the kernel ends with its
 * open files, and it could do nothing else for its user.
 */
#ifndef WPOOLCTL_ALLOC_H
#define WPOOLCTL_ALLOC_H

#include <stddef.h>
#include <stdlib.h>

/* @memory, unless that is NULL. */
void *alloc_checked(void *memory);

/* Zeroed. */
void *alloc_zeroed(size_t nr, size_t size);
char *alloc_copy(const char *text);

/* Room for one more than @nr elements of @size, zeroed; returns the array, which may have moved. */
void *alloc_one_more(void *array, size_t nr, size_t size);

#endif /* WPOOLCTL_ALLOC_H */
