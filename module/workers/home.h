/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A worker stays on its home CPU, and in the cgroups of its pool. Until its task has ended, a hog
 * may leave the CPU, and so may a worker whose home is excluded or whose cpuset is changed.
 */
#ifndef WPOOL_WORKERS_HOME_H
#define WPOOL_WORKERS_HOME_H

#include "core/state.h"
#include "workers/affinity.h"
#include "workers/cgroup.h"

/*
 * Is the calling worker at home, in the cgroups of its pool, and are its tasks charged there? No if
 * the CPU went offline, the cpumask or the cgroups changed, or the worker was picked to move: then
 * it must call wpool_worker_rehome().
 */
static inline bool wpool_worker_is_at_home(struct wpool_worker *w)
{
	/* a task, or the kernel when the CPU went offline, may have changed the thread's mask */
	return raw_smp_processor_id() == w->rq->cpu && current->nr_cpus_allowed == 1 &&
	       !READ_ONCE(w->rq->redirect) && !w->new_home && wpool_cgroup_is_joined(w) &&
	       /* a worker in the root cgroup has this flag: nothing to look up */
	       (likely(current->flags & PF_NO_SETAFFINITY) ||
		(wpool_cgroup_is_charged(w) &&
		 wpool_affinity_cpu(w->pool, w->rq->cpu) == w->rq->cpu));
}

/*
 * Try to bind the calling worker to its home. Returns true if another thread has kept it from home
 * just now: try again. Not if that CPU goes offline: the pool soon chooses other homes. If the
 * kernel has taken the CPU out of the cpuset of the pool's cgroup, the worker is on another CPU of
 * the cpuset, if one is active, and the monitor soon lets the pool choose other homes.
 */
bool wpool_worker_bind(struct wpool_worker *w);

/* Go home, or to a new home if the old one is no longer allowed. The worker calls it; sleeps. */
void wpool_worker_rehome(struct wpool_worker *w);

#endif /* WPOOL_WORKERS_HOME_H */
