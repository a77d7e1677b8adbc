/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The figures of a pool, for the module, wpoolctl and the tests. Define WPOOL_FIGURE() before you
 * include this file. The file calls it for each figure that is a plain number, with:
 *
 *   - its name: that of the sysfs file, and of the field in struct wpool_stats and, with DEV, in
 *     struct wpool_dev_stats
 *   - the end of the name of its FIGURE_ in wpoolctl
 *   - DEV, or SYSFS if struct wpool_dev_stats does not have it
 *   - GAUGE or COUNTER
 *   - the title of the column with its rate; NULL if no column shows the rate
 *   - for Prometheus its name and its description
 *
 * WPOOL_COUNT() is for a COUNTER that an expression reads from @pool. If it is defined, it gets the
 * expression before the description, and no COUNTER.
 */
#ifndef WPOOL_COUNT
#define WPOOL_COUNT(_name, _NAME, _where, _title, _metric, _read, _about)	\
	WPOOL_FIGURE(_name, _NAME, _where, COUNTER, _title, _metric, _about)
#endif

WPOOL_FIGURE(workers, WORKERS, DEV, GAUGE, NULL, "wpool_workers", "Workers that exist.")
WPOOL_FIGURE(idle, IDLE, DEV, GAUGE, NULL, "wpool_workers_idle", "Workers asleep without a task.")
WPOOL_FIGURE(searching, SEARCHING, DEV, GAUGE, NULL, "wpool_workers_searching",
	     "Workers awake without a task.")
WPOOL_FIGURE(busy, BUSY, DEV, GAUGE, NULL, "wpool_workers_busy", "Workers in a task.")
WPOOL_FIGURE(blocked, BLOCKED, DEV, GAUGE, NULL, "wpool_workers_blocked",
	     "Workers asleep in a task; a part of busy.")
WPOOL_FIGURE(waiting, WAITING, DEV, GAUGE, NULL, "wpool_submitters_waiting",
	     "Submitters, fired events and strands that wait because the pool is full.")
WPOOL_FIGURE(queued, QUEUED, DEV, GAUGE, NULL, "wpool_tasks_queued",
	     "Accepted tasks that have not started.")
WPOOL_FIGURE(outstanding, OUTSTANDING, DEV, GAUGE, NULL, "wpool_tasks_outstanding",
	     "Accepted tasks that have not finished.")
WPOOL_FIGURE(submitted, SUBMITTED, DEV, COUNTER, "submit/s", "wpool_tasks_submitted",
	     "Tasks that were accepted.")
WPOOL_FIGURE(completed, COMPLETED, DEV, COUNTER, "done/s", "wpool_tasks_completed",
	     "Tasks whose function returned.")
WPOOL_FIGURE(failed, FAILED, DEV, COUNTER, "fail/s", "wpool_tasks_failed",
	     "Tasks that ended with the death of their worker.")
WPOOL_FIGURE(cancelled, CANCELLED, DEV, COUNTER, "cancel/s", "wpool_tasks_cancelled",
	     "Tasks that were cancelled before they started.")
WPOOL_FIGURE(overdue, OVERDUE, DEV, COUNTER, "late/s", "wpool_tasks_overdue",
	     "Tasks that were not run, since they had waited for longer than max_wait_ms.")
WPOOL_COUNT(errors, ERRORS, DEV, "error/s", "wpool_group_tasks_failed",
	    wpool_sum_runqs(pool, local64_read(&rq->share.errors)),
	    "Tasks of groups whose function returned an error.")
WPOOL_COUNT(refused, REFUSED, DEV, "refuse/s", "wpool_submits_refused",
	    wpool_sum_runqs(pool, READ_ONCE(rq->share.refused)),
	    "Submits that were refused because the pool was full.")
WPOOL_COUNT(stolen, STOLEN, DEV, "stolen/s", "wpool_tasks_stolen",
	    wpool_sum_runqs(pool, READ_ONCE(rq->stolen)),
	    "Tasks that a worker took from the queue of another CPU.")
WPOOL_COUNT(handoffs, HANDOFFS, DEV, "handoff/s", "wpool_handoffs",
	    wpool_sum_runqs(pool, READ_ONCE(rq->handoffs)) + READ_ONCE(pool->monitor.handoffs),
	    "Queues that workers gave away when they went to sleep in a task.")
WPOOL_COUNT(hogs, HOGS, DEV, "hog/s", "wpool_hogs", READ_ONCE(pool->monitor.hogs),
	    "Tasks that ran longer than hog_ms without sleeping.")
WPOOL_COUNT(spawned, SPAWNED, DEV, "spawn/s", "wpool_workers_spawned",
	    atomic64_read(&pool->workers.spawned), "Workers that were created.")
WPOOL_COUNT(expired, EXPIRED, DEV, NULL, "wpool_workers_expired",
	    READ_ONCE(pool->workers.expired),
	    "Workers that left because they were idle for expiry_ms.")
WPOOL_COUNT(faults, FAULTS, DEV, NULL, "wpool_faults", atomic64_read(&pool->workers.faults),
	    "Workers that died in a task.")
WPOOL_COUNT(spawn_failed, SPAWN_FAILED, SYSFS, NULL, "wpool_spawns_failed",
	    READ_ONCE(pool->spawn.failed),
	    "Attempts to create a worker that failed, and were repeated.")
WPOOL_COUNT(exhausted, EXHAUSTED, SYSFS, NULL, "wpool_exhausted",
	    READ_ONCE(pool->monitor.exhausted),
	    "Times that tasks or submitters waited for a second while all workers were in tasks.")
WPOOL_COUNT(rescued, RESCUED, SYSFS, NULL, "wpool_rescued", READ_ONCE(pool->reserve.rescued),
	    "Times that the worker in reserve was needed, and not replaced within 10 ms.")

#undef WPOOL_COUNT
#undef WPOOL_FIGURE
