/* SPDX-License-Identifier: GPL-2.0 */
/* Expectations, and one line of TAP for each test. */
#ifndef WPOOLCTL_TAP_H
#define WPOOLCTL_TAP_H

#include "../base.h"

/* wrong: failed expectations of this test; nr_failed: failed tests */
static int wrong, nr_failed;

/* One expectation. A test consists of all expectations since the last test_ends(). */
#define EXPECT(_cond, ...) do {						\
	if (!(_cond)) {							\
		printf("# %s:%d: ", __func__, __LINE__);		\
		printf(__VA_ARGS__);					\
		putchar('\n');						\
		wrong++;						\
	}								\
} while (0)

static inline void test_ends(const char *name)
{
	printf("%sok - %s\n", wrong ? "not " : "", name);
	nr_failed += !!wrong;
	wrong = 0;
}

#endif /* WPOOLCTL_TAP_H */
