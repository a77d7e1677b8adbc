// SPDX-License-Identifier: GPL-2.0
/* The cases of wq_same_kunit.c with the kernel's workqueues, where they must pass, too. */
#define WPK_KERNEL_WQ
#include "wq_same_kunit.c"
