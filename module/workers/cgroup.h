/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cgroups of a pool's workers. A module can attach a thread only to the cgroups of another
 * thread, and only a live thread keeps a cgroup from being removed. So a pool that has cgroups has
 * a thread, the anchor, that sleeps in them, and its workers join that thread. A pool without
 * cgroups has no anchor, and its workers stay in the cgroups of kthreadd, which creates them.
 *
 * Only a write to cgroup.procs can move a thread to an empty cgroup of version 2. So if a pool is
 * given a directory, its anchor first joins the cgroups of the caller. A work then writes the
 * anchor's pid to the directory's cgroup.procs, which the caller has opened. The kernel checks what
 * it would check if the caller moved itself: credentials, cgroup and namespaces of the caller. The
 * cgroups of version 1 are those of the caller.
 *
 * A new worker is attached before it is bound to a CPU: the kernel moves no bound thread to another
 * cpuset, and refuses to enable or disable cpuset above a cgroup with a bound thread. So a worker
 * outside the root cgroup loses the mark of a bound thread as soon as it runs; if its allowed CPUs
 * change, it goes home. The anchor begins with all CPUs, and the kernel gives it those of its
 * cpuset: the monitor compares them with pool->cpuset, and after a change lets the pool choose
 * homes among them. When the cgroups of the pool change, each worker moves at its next full look
 * for work; a running task stays where it began.
 *
 * The kernel charges the memory of a kernel thread not to the thread's cgroup, but to its active
 * memory cgroup. So a worker makes the memory cgroup of its own cgroup active, with a reference.
 * Only the worker writes current->active_memcg. In the root cgroup it sets none.
 */
#ifndef WPOOL_WORKERS_CGROUP_H
#define WPOOL_WORKERS_CGROUP_H

#include <linux/types.h>

struct mem_cgroup;
struct path;
struct task_struct;
struct wpool;
struct wpool_worker;

/*
 * Let the workers of a pool join the cgroups of a thread. @from: a thread that does not end
 * meanwhile, such as the caller; %NULL is kthreadd. @dir: a directory of cgroup version 2 to which
 * @from, the caller, could move itself now, or %NULL; in version 2 the workers join its cgroup
 * instead of that of @from. Sleeps, killable, for about an RCU grace period, and until the old
 * anchor has had the CPU in its cgroup. Returns 0; -ESHUTDOWN: the pool is being destroyed;
 * -EOPNOTSUPP: the kernel has no cgroups, or they take no thread; -EINVAL: @dir is no cgroup of
 * version 2, or a file is mounted over its cgroup.procs; -ENODEV, -ENOENT: @dir is removed, or not
 * in the namespace of @from; -EACCES, -EROFS: @from may not go there; -EBUSY; -ENOMEM; -EINTR.
 */
int wpool_cgroup_set(struct wpool *pool, struct task_struct *from, const struct path *dir);

/*
 * Leave the cgroups of a pool. @pool: has no workers, and is no longer in sysfs, or about to leave
 * it. Sleeps, until the anchor has had the CPU in its cgroup.
 */
void wpool_cgroup_end(struct wpool *pool);

/*
 * The path of the cgroup of a pool's workers. @buf: for the path in cgroup version 2, as the caller
 * sees it, with a NUL. Sleeps. Returns the length of the path; 0: the pool has no cgroups; -errno.
 */
int wpool_cgroup_path(struct wpool *pool, char *buf, size_t size);

/*
 * The memory cgroup of a thread. @thread: it does not end meanwhile. Returns a reference; %NULL
 * for that of kthreadd, or without memory cgroups.
 */
struct mem_cgroup *wpool_cgroup_get_memcg(struct task_struct *thread);

/*
 * Attach a worker to the cgroups of its pool. @w: a new worker, not yet bound to a CPU, or the
 * calling one. Sleeps; takes cpu_hotplug_lock, so not under pool->tune_mutex. Returns 0 or -errno.
 */
int wpool_cgroup_join(struct wpool_worker *w);

/* Charge the tasks of the calling worker, which is new or has moved, to its present cgroup. */
void wpool_cgroup_arrive(struct wpool_worker *w);

/*
 * Attach the calling worker to the cgroups of its pool, if they have changed, and charge its tasks
 * to its present cgroup. @w: the calling worker, which does not count as running. If the attach
 * fails, the worker stays in its old cgroups, and the log says so. Its allowed CPUs may change.
 */
void wpool_cgroup_follow(struct wpool_worker *w);

/* Is the calling worker's cgroup charged? No if that cgroup got or lost the memory controller. */
bool wpool_cgroup_is_charged(const struct wpool_worker *w);

/* Start and stop the workqueue that moves workers, while there is no pool; 0 or -ENOMEM. */
int wpool_cgroup_init(void);
void wpool_cgroup_exit(void);

#endif /* WPOOL_WORKERS_CGROUP_H */
