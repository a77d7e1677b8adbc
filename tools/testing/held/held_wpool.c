// SPDX-License-Identifier: GPL-2.0
/* The same driver, whose workqueues are those of wpool_wq. */
#define HELD_WPOOL
#include "held_kernel.c"
