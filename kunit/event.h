/* SPDX-License-Identifier: GPL-2.0 */
/* Events that record their runs, for the suites of struct wpool_event. */
#ifndef WPOOL_KUNIT_EVENT_H
#define WPOOL_KUNIT_EVENT_H

#include <linux/wpool_event.h>

#include "fixture.h"

/* A time that does not come while a case runs. */
#define WPK_FAR	(1000 * HZ)

/**
 * struct wpk_ev - an event that records its runs
 * @hr: the event, with both timers; use @hr.event where the kind of timer does not matter
 * @jobs: jobs whose starts are numbered together with those of the event, or NULL
 * @gate: where its function waits, or NULL
 * @body: what its function does after the gate, or NULL
 * @arg: for @body
 * @runs: how often its function started
 * @returns: how often its function returned
 * @inside: calls in progress, never more than one
 * @twice: the function was started while it ran
 * @timed_out: runs for which wpool_event_timed_out() was true
 * @early: the function ran before the time for which the event was armed
 * @aborts: how often the abort function was called
 * @status: the status that the abort function got
 * @seq: number of its last start among the starts of @jobs, from 1
 * @ret: result of @body, or of wpk_ev_fire()
 */
struct wpk_ev {
	struct wpool_hrevent hr;
	struct wpk_jobs *jobs;
	struct wpk_gate *gate;
	void (*body)(struct wpk_ev *ev);
	void *arg;
	atomic_t runs;
	atomic_t returns;
	atomic_t inside;
	bool twice;
	atomic_t timed_out;
	bool early;
	atomic_t aborts;
	int status;
	int seq;
	int ret;
};

#define wpk_ev_of(e) container_of(e, struct wpk_ev, hr.event)

static inline struct wpool_event *wpk_event(struct wpk_ev *ev)
{
	return &ev->hr.event;
}

static inline bool wpk_is_hr(const struct wpool_event *event)
{
	return event->task.flags & WPOOL_TASK_HREVENT;
}

/* Create @nr events, with an hrtimer if @hr. They are cancelled when the case ends. */
struct wpk_ev *wpk_evs_kind(struct kunit *test, struct wpool *pool, struct wpk_gate *gate,
			    int nr, bool hr);

static inline struct wpk_ev *wpk_evs(struct kunit *test, struct wpool *pool,
				     struct wpk_gate *gate, int nr)
{
	return wpk_evs_kind(test, pool, gate, nr, false);
}

/* The abort function of these events records its calls. */
void wpk_ev_abort(struct wpool_event *event, int status);

/* Fire an event, as a function for wpk_in_hardirq() and the like; ev->ret is the result. */
void wpk_ev_fire(void *data);

#endif /* WPOOL_KUNIT_EVENT_H */
