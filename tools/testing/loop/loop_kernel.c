// SPDX-License-Identifier: GPL-2.0
/* The loop driver as the kernel builds it. */
#include "loop.c"
