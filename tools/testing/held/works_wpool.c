// SPDX-License-Identifier: GPL-2.0
/* The works of works_kernel.c on a workqueue of wpool_wq. */
#define HELD_WPOOL
#include "works_kernel.c"
