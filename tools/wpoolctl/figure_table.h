/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The figures of a pool. Define WPOOL_FIGURE() before you include this; its arguments are
 *
 *   - its name in enum figure, and the name of its file in sysfs
 *   - the title of the column with its rate; NULL if no column shows the rate
 *   - for Prometheus: GAUGE or COUNTER, its name, and its description
 */
WPOOL_FIGURE(WORKERS, "workers", NULL, GAUGE, "wpool_workers", "Workers that exist.")
WPOOL_FIGURE(IDLE, "idle", NULL, GAUGE, "wpool_workers_idle", "Workers asleep without a task.")
WPOOL_FIGURE(SEARCHING, "searching", NULL, GAUGE, "wpool_workers_searching",
	     "Workers awake without a task.")
WPOOL_FIGURE(BUSY, "busy", NULL, GAUGE, "wpool_workers_busy", "Workers in a task.")
WPOOL_FIGURE(BLOCKED, "blocked", NULL, GAUGE, "wpool_workers_blocked", "Workers asleep in a task.")
WPOOL_FIGURE(WAITING, "waiting", NULL, GAUGE, "wpool_submitters_waiting",
	     "Submitters, fired events and strands that wait because the pool is full.")
WPOOL_FIGURE(QUEUED, "queued", NULL, GAUGE, "wpool_tasks_queued",
	     "Accepted tasks that have not started.")
WPOOL_FIGURE(OUTSTANDING, "outstanding", NULL, GAUGE, "wpool_tasks_outstanding",
	     "Accepted tasks that have not finished.")
WPOOL_FIGURE(SUBMITTED, "submitted", "submit/s", COUNTER, "wpool_tasks_submitted",
	     "Tasks that were accepted.")
WPOOL_FIGURE(COMPLETED, "completed", "done/s", COUNTER, "wpool_tasks_completed",
	     "Tasks whose function returned.")
WPOOL_FIGURE(FAILED, "failed", "fail/s", COUNTER, "wpool_tasks_failed",
	     "Tasks that ended with the death of their worker.")
WPOOL_FIGURE(CANCELLED, "cancelled", "cancel/s", COUNTER, "wpool_tasks_cancelled",
	     "Tasks that were cancelled before they started.")
WPOOL_FIGURE(OVERDUE, "overdue", "late/s", COUNTER, "wpool_tasks_overdue",
	     "Tasks that were not run, since they had waited for longer than max_wait_ms.")
WPOOL_FIGURE(ERRORS, "errors", "error/s", COUNTER, "wpool_group_tasks_failed",
	     "Tasks of groups whose function returned an error.")
WPOOL_FIGURE(REFUSED, "refused", "refuse/s", COUNTER, "wpool_submits_refused",
	     "Submits that were refused because the pool was full.")
WPOOL_FIGURE(STOLEN, "stolen", "stolen/s", COUNTER, "wpool_tasks_stolen",
	     "Tasks that a worker took from the queue of another CPU.")
WPOOL_FIGURE(HANDOFFS, "handoffs", "handoff/s", COUNTER, "wpool_handoffs",
	     "Queues that workers gave away when they went to sleep.")
WPOOL_FIGURE(HOGS, "hogs", "hog/s", COUNTER, "wpool_hogs",
	     "Tasks that ran longer than hog_ms without sleeping.")
WPOOL_FIGURE(SPAWNED, "spawned", "spawn/s", COUNTER, "wpool_workers_spawned",
	     "Workers that were created.")
WPOOL_FIGURE(EXPIRED, "expired", NULL, COUNTER, "wpool_workers_expired",
	     "Workers that left because they were idle.")
WPOOL_FIGURE(FAULTS, "faults", NULL, COUNTER, "wpool_faults", "Workers that died in a task.")
WPOOL_FIGURE(SPAWN_FAILED, "spawn_failed", NULL, COUNTER, "wpool_spawns_failed",
	     "Attempts to create a worker that failed.")
WPOOL_FIGURE(EXHAUSTED, "exhausted", NULL, COUNTER, "wpool_exhausted",
	     "Times that tasks waited for a second because all workers were in tasks.")
WPOOL_FIGURE(RESCUED, "rescued", NULL, COUNTER, "wpool_rescued",
	     "Times that the worker in reserve was needed, and not replaced within 10 ms.")

#undef WPOOL_FIGURE
