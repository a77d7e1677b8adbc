// SPDX-License-Identifier: GPL-2.0
/* See tap.h. */
#include "tap.h"

int wrong, nr_failed;

void test_ends(const char *name)
{
	printf("%sok - %s\n", wrong ? "not " : "", name);
	nr_failed += !!wrong;
	wrong = 0;
}
