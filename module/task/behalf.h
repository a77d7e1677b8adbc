/* SPDX-License-Identifier: GPL-2.0 */
/*
 * On whose behalf the tasks of a group run: the memory, the credentials and the memory cgroup of
 * the thread that called wpool_group_act_for_me().
 *
 * Invariants:
 *   - the group keeps the struct mm_struct, not the memory in it: the memory ends with the process,
 *     and a task that starts afterwards does not run;
 *   - a thread that dies in a task drops, in do_exit(), the references that it has put on: the user
 *     of the mm, and the credentials. If it has put on only those, nothing needs to be done for it
 *     here: see put_on();
 *   - a task that runs inside a task of such a group gets nothing of the group's client:
 *     wpool_run_inside() and wpool_run_in_submitter() first take it off (w->worn). If the thread
 *     dies then, its user of the mm is counted in nr_off, and dropped with the group.
 */
#ifndef WPOOL_TASK_BEHALF_H
#define WPOOL_TASK_BEHALF_H

#include <linux/wpool_group.h>

struct wpool_behalf;
struct wpool_worker;
struct wpool_worn;

/*
 * Take references to the context of the calling thread, WPOOL_AS_*. Sleeps. Returns ERR_PTR() as
 * wpool_group_act_for_me().
 */
struct wpool_behalf *wpool_behalf_take(unsigned int what);

/** wpool_behalf_drop() - drop the references, or NULL, after the last call */
void wpool_behalf_drop(struct wpool_behalf *behalf);

/*
 * Call the function of a task, which may be gone afterwards, on behalf of another thread; *ret:
 * what the function has returned. Returns 0; -ESRCH or -EPERM, as &typedef wpool_group_abort_fn
 * says: the function was not called.
 */
int wpool_behalf_call(struct wpool_behalf *behalf, wpool_group_fn func,
		      struct wpool_group_task *task, int *ret);

/* Take off the context before a task runs inside another one. Returns what was on, or NULL. */
struct wpool_worn *wpool_behalf_off(struct wpool_worker *w);

/** wpool_behalf_on() - put the context on again, after the inner task and its repairs */
void wpool_behalf_on(struct wpool_worker *w, struct wpool_worn *worn);

#endif /* WPOOL_TASK_BEHALF_H */
