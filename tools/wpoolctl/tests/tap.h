/* SPDX-License-Identifier: GPL-2.0 */
/* Expectations, and one line of TAP for each test. */
#ifndef WPOOLCTL_TAP_H
#define WPOOLCTL_TAP_H

#include "../base.h"

#define NR(_array) (sizeof(_array) / sizeof((_array)[0]))

/* wrong: failed expectations of this test; nr_failed: failed tests */
extern int wrong, nr_failed;

/* One expectation. A test consists of all expectations since the last test_ends(). */
#define EXPECT(_cond, ...) do {						\
	if (!(_cond)) {							\
		printf("# %s:%d: ", __func__, __LINE__);		\
		printf(__VA_ARGS__);					\
		putchar('\n');						\
		wrong++;						\
	}								\
} while (0)

void test_ends(const char *name);

/* The tests of figures.c, for the main program in parsers.c. */
void test_timehist(void);
void test_arrivals(void);
void test_tally(void);
void test_coordinated_omission(void);
void test_window(void);
void test_overtaken(void);

#endif /* WPOOLCTL_TAP_H */
