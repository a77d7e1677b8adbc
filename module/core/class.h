/* SPDX-License-Identifier: GPL-2.0 */
/* The scheduling class and nice value of workers: their pool sets both. */
#ifndef WPOOL_CORE_CLASS_H
#define WPOOL_CORE_CLASS_H

struct wpool_worker;

/*
 * Give a worker the scheduling class and nice value of its pool. @w: the worker, whose thread may
 * have ended. Process context, under pool->workers.mutex.
 */
void wpool_class_set(struct wpool_worker *w);

/*
 * Undo a change of the class or nice value by a task or an administrator; log the first change. @w:
 * the calling worker. Other threads may rely on @w to look for tasks, so @w does not wait: if
 * pool->workers.mutex is held, the call does nothing, and the caller tries later.
 */
void wpool_class_restore(struct wpool_worker *w);

#endif /* WPOOL_CORE_CLASS_H */
