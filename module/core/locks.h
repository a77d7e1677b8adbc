/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lock order, outer lock first: a lock may be taken under each lock that it is indented below. Raw
 * locks are taken with interrupts off. Each lockless section has interrupts or preemption off, so
 * an RCU grace period waits for all threads that were inside one.
 *
 *   file->attach_mutex (faces/dev/load/file.h)
 *   devpool->mutex (faces/dev/control/pool.c)
 *     devpools_mutex (faces/dev/control/pool.c): nothing is taken under it
 *     pool->change_mutex: held while worker_start runs, which may take the locks below
 *       anchors_mutex (workers/cgroup.c): also taken by a work, for which threads wait
 *         cgroup_mutex (the kernel's): cpu_hotplug_lock is taken under it
 *       cpu_hotplug_lock (the kernel's)
 *         pools_mutex (registry.c)
 *           pool->tune_mutex
 *             pool->workers.mutex
 *             free_mutex (workers/affinity.c): only the raw locks are taken under it
 *             items->lock (task/item.c): nothing is taken under it
 *             the raw locks
 *   pool->flush_mutex: nothing is taken under it
 *   file->attach_mutex, file->cancel_mutex (faces/dev/load/file.h)
 *     file->lock (faces/dev/load/file.h)
 *       the raw locks
 *   bit 0 of lock_word (faces/dev/load/workload.c), held by test workloads: nothing is taken
 *     under it
 *
 * The raw locks; only the indented ones nest:
 *
 *   event->lock (client/event_fire.c): only the kernel's own locks of timers are taken under it
 *   strand->lock (client/strand.c): only the lock of a completion is taken under it
 *   group->lock (client/group.c): only the kernel's own locks of wake-ups are taken under it
 *   pool->admission.lock
 *     pool_locks (task/state.c)
 *   fifo.lock (fifo.h)
 *   pool->tidy.lock (parts.h), the lock in spawn_queue.c: the kernel's own locks of workqueues and
 *     timers are taken under each, and so those of the scheduler
 *   the lock in workers/reaper.c
 *   pool->workers.lock: the scheduler's own locks and a completion's are taken under it, too
 *     runq->lock: taken under the scheduler's own locks, in a preempt notifier: nothing of the
 *       scheduler may be called under it, not even by a tracepoint
 */
#ifndef WPOOL_CORE_LOCKS_H
#define WPOOL_CORE_LOCKS_H

#endif /* WPOOL_CORE_LOCKS_H */
