// SPDX-License-Identifier: GPL-2.0
/* The suites for both kinds of queues with the kernel's workqueues, where they must pass, too. */
#define WPK_KERNEL_WQ
#include "wq_same_kunit.c"
#include "wq_flush_kunit.c"
