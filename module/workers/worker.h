/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A worker: one kthread at home on one CPU, which runs one task at a time.
 *
 * The spawner creates a worker as waking. The worker then searches, runs a task, parks on its run
 * queue's idle list, and so on, until it leaves: because it expired, or the pool is above its
 * capacity or closed, or another pool needs the room. A worker leaves when it is counted out under
 * pool->workers.lock; afterwards its thread ends and the reaper frees it, unless it becomes the
 * rescuer. If a worker dies in a task, tidy.c counts it out.
 *
 * All state is in struct wpool_worker, none on the worker's stack, because an oops discards the
 * stack.
 */
#ifndef WPOOL_WORKERS_WORKER_H
#define WPOOL_WORKERS_WORKER_H

/*
 * The function of a worker's thread: run tasks, or be the rescuer, until the thread must end.
 * @worker: a struct wpool_worker
 */
int wpool_worker_main(void *worker);

#endif /* WPOOL_WORKERS_WORKER_H */
