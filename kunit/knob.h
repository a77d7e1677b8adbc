/* SPDX-License-Identifier: GPL-2.0 */
/* Files of procfs and the like; and a way to forbid new threads. */
#ifndef WPOOL_KUNIT_KNOB_H
#define WPOOL_KUNIT_KNOB_H

#include <linux/types.h>

struct file;
struct kunit;

/*
 * Open a file of file system @fs, for example "proc", by its path there, through a new mount: on
 * newer kernels, kernel threads do not see the mounts of programs. Returns the file or an ERR_PTR.
 */
struct file *wpk_fs_open(const char *fs, const char *path, int flags);
/* Write to, or read, a file as wpk_fs_open() opens it. Return 0 or -errno. */
int wpk_fs_write(const char *fs, const char *path, const char *text);
int wpk_fs_read(const char *fs, const char *path, char *answer, size_t size);

/* Let no thread be created until wpk_threads_again(); skip the case if that is impossible. */
void wpk_no_threads(struct kunit *test);
void wpk_threads_again(struct kunit *test);

#endif /* WPOOL_KUNIT_KNOB_H */
