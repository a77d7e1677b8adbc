// SPDX-License-Identifier: GPL-2.0
/* The same works on a workqueue of wpool_wq. */
#define HELD_WPOOL
#include "works_kernel.c"
