// SPDX-License-Identifier: GPL-2.0
/* Which worker runs this code, see current.h. */
#include "core/current.h"

#include <linux/preempt.h>

#include "core/state.h"

int wpool_worker_thread(void *worker)
{
	struct wpool_worker *w = worker;

	return w->loop(w);
}

struct wpool_worker *__wpool_worker_current(void)
{
	if (!in_task() || kthread_func(current) != wpool_worker_thread)
		return NULL;
	return kthread_data(current);
}
