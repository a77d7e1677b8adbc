/* SPDX-License-Identifier: GPL-2.0 */
/*
 * On whose behalf the tasks of a group run: the memory, the credentials and the cgroups of the
 * thread that called wpool_group_act_for_me().
 *
 * Invariants:
 *   - the group keeps the struct mm_struct, not the memory in it: the memory ends when the process
 *     and all tasks that run in this memory have ended. A task that would start later is not run;
 *   - if a thread dies in a task, do_exit() drops its count in mm_users and its credentials, and
 *     thread_ends() of reaper.c its cgroup of the block layer. put_on() keeps no other reference,
 *     except to credentials that were overridden before;
 *   - a task that runs inside a task of such a group gets nothing of the group's client:
 *     wpool_run_inside() and wpool_run_in_submitter() first take the context off (w->worn). If the
 *     thread dies in the inner task, nr_off keeps its count in mm_users until the group ends.
 */
#ifndef WPOOL_TASK_BEHALF_H
#define WPOOL_TASK_BEHALF_H

#include <linux/wpool_group.h>

struct wpool_behalf;
struct wpool_worker;
struct wpool_worn;

/* Take references to parts of the calling thread's context, as wpool_group_act_for_me() */
struct wpool_behalf *wpool_behalf_take(unsigned int what);

/** wpool_behalf_drop() - drop the references, after the last call; ignores NULL */
void wpool_behalf_drop(struct wpool_behalf *behalf);

/*
 * Call @func for @task, which may be gone afterwards. *@ret: what @func returned. An error, -ESRCH
 * or -EPERM, says that @func was not called.
 */
int wpool_behalf_call(struct wpool_behalf *behalf, wpool_group_fn func,
		      struct wpool_group_task *task, int *ret);

/* Take off the outer task's context before an inner task. Returns what was on, or NULL. */
struct wpool_worn *wpool_behalf_off(struct wpool_worker *w);

/** wpool_behalf_on() - put the context on again, after the inner task and its repairs */
void wpool_behalf_on(struct wpool_worker *w, struct wpool_worn *worn);

#endif /* WPOOL_TASK_BEHALF_H */
