// SPDX-License-Identifier: GPL-2.0
/* The loop driver with the workqueues of wpool_wq. Any driver can be built like this. */
#include "loop_includes.h"
#include <linux/wpool_wq.h>
#include "loop.c"
