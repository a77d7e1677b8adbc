// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints, see include/trace/events/wpool.h: their definitions, and the code that runs only
 * while one is enabled.
 */
#include "core/trace.h"

#include <linux/cache.h>
#include <linux/random.h>
#include <linux/siphash.h>

#include "core/state.h"

/* last: a later include of the header would define the events twice */
#define CREATE_TRACE_POINTS
#include <trace/events/wpool.h>

/* Events show a hash in place of each address. This is the hash's key, new at each load. */
static siphash_key_t id_key __ro_after_init;

u32 wpool_trace_id(const void *task)
{
	return siphash_1u64((unsigned long)task, &id_key);
}

void wpool_trace_submitted(struct wpool *pool, struct wpool_runq *rq, struct wpool_task *task)
{
	wpool_task_stamp(task, true);
	trace_wpool_task_submitted(pool->name, rq->cpu, task, wpool_trace_func(task));
}

void __init wpool_trace_init(void)
{
	get_random_bytes(&id_key, sizeof(id_key));
}
