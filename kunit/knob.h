/* SPDX-License-Identifier: GPL-2.0 */
/* Files of /proc/sys that change what the kernel may do, until the case ends. */
#ifndef WPOOL_KUNIT_KNOB_H
#define WPOOL_KUNIT_KNOB_H

#include <linux/types.h>

struct kunit;

/* Write to a file of /proc, by its path in there; 0 or -errno. */
int wpk_knob_write(const char *path, const char *text);

/* No thread can be created from now on; skips the case if that cannot be had. */
void wpk_no_threads(struct kunit *test);
/* Now they can. */
void wpk_threads_again(struct kunit *test);

#endif /* WPOOL_KUNIT_KNOB_H */
