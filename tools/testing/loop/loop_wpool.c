// SPDX-License-Identifier: GPL-2.0
/* The loop driver, whose workqueues are those of wpool_wq: how any driver is built for it. */
#include "loop_includes.h"
#include <linux/wpool_wq.h>
#include "loop.c"
