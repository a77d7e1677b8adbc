/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Coverage of workers. A fuzzer that asks KCOV for remote coverage has a handle, which
 * its tasks carry to whatever worker runs them: what that executes for a task counts as
 * reached by the fuzzer. Without CONFIG_KCOV nothing of this is compiled.
 *
 * A task that a fault ends leaves its section open, of which KCOV warns: a fuzzer
 * submits none.
 */
#ifndef WPOOL_DEVCOVER_H
#define WPOOL_DEVCOVER_H

#include <linux/types.h>

#include "compat.h"

/* Whose coverage a task belongs to */
struct wpool_devcover {
#ifdef CONFIG_KCOV
	u64 handle;	/* of the submitter, 0: none */
#endif
};

#ifdef CONFIG_KCOV

/** wpool_devcover_init() - the caller submits a task */
static inline void wpool_devcover_init(struct wpool_devcover *cover)
{
	cover->handle = compat_kcov_handle();
}

/*
 * The caller is about to run the task. @cover: of the task, which may be gone afterwards. Sleeps.
 * Returns true, and then wpool_devcover_stop() must follow in the same thread. False without a
 * handle, and where coverage is collected already: in the fuzzer's own thread, or in a task that
 * runs another one while it waits. KCOV cannot nest.
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
