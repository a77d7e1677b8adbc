/* SPDX-License-Identifier: GPL-2.0 */
/* Files that change what the kernel may do; and for one thing, until the case ends. */
#ifndef WPOOL_KUNIT_KNOB_H
#define WPOOL_KUNIT_KNOB_H

#include <linux/types.h>

struct kunit;

/* Write to, or read, a file of "proc" or "debugfs", by its path in there; 0 or -errno. */
int wpk_fs_write(const char *fs, const char *path, const char *text);
int wpk_fs_read(const char *fs, const char *path, char *answer, size_t size);

/* No thread can be created from now on; skips the case if that cannot be had. */
void wpk_no_threads(struct kunit *test);
/* Now they can. */
void wpk_threads_again(struct kunit *test);

#endif /* WPOOL_KUNIT_KNOB_H */
