/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Coverage of workers. A fuzzer that asks KCOV for remote coverage has a handle, and its tasks
 * carry the handle to the worker that runs them. What the worker executes for such a task counts as
 * reached by the fuzzer. Without CONFIG_KCOV all of this is left out.
 *
 * A task that ends by a fault leaves its section open, and KCOV warns of that; so a fuzzer submits
 * no such task.
 */
#ifndef WPOOL_DEVCOVER_H
#define WPOOL_DEVCOVER_H

#include <linux/types.h>

#include "compat.h"

struct wpool_devcover {
#ifdef CONFIG_KCOV
	u64 handle;	/* handle of the submitter; 0: none */
#endif
};

#ifdef CONFIG_KCOV

/** wpool_devcover_init() - note the handle of the caller, which submits a task */
static inline void wpool_devcover_init(struct wpool_devcover *cover)
{
	cover->handle = compat_kcov_handle();
}

/*
 * The caller is about to run the task. @cover: of the task; not used after this call. Sleeps.
 * Returns true if coverage begins: then wpool_devcover_stop() must follow in the same thread.
 * Returns false without a handle, or if the thread collects coverage already: KCOV cannot nest.
 */
static inline bool wpool_devcover_start(const struct wpool_devcover *cover)
{
	if (!cover->handle || current->kcov_mode)
		return false;
	kcov_remote_start(kcov_remote_handle(KCOV_SUBSYSTEM_COMMON, cover->handle));
	return true;
}

static inline void wpool_devcover_stop(bool started)
{
	if (started)
		kcov_remote_stop();
}

#else /* !CONFIG_KCOV */

static inline void wpool_devcover_init(struct wpool_devcover *cover)
{
}

static inline bool wpool_devcover_start(const struct wpool_devcover *cover)
{
	return false;
}

static inline void wpool_devcover_stop(bool started)
{
}

#endif /* CONFIG_KCOV */

#endif /* WPOOL_DEVCOVER_H */
