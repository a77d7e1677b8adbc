/* SPDX-License-Identifier: GPL-2.0 */
/* Tasks that die, and the report of a death. After an oops, lockdep is off until the next boot. */
#ifndef WPOOL_KUNIT_DIE_H
#define WPOOL_KUNIT_DIE_H

#include <linux/printk.h>

#include "fixture.h"

/* Tell scripts/vm-judge, which checks the kernel's log, to expect one oops. */
static inline void wpk_expect_oops(void)
{
	pr_info("wpool-expect: oops 1\n");
}

/* The parameter fault: tasks that die oops. */
extern bool wpk_fault;

/** wpk_oops() - die of an oops, which a line in the log announces */
void wpk_oops(void);

/** wpk_die() - end this thread; with fault=1, wpk_oops() */
void wpk_die(void);

/** wpk_die_in_job() - wpk_die() as the body of a job */
void wpk_die_in_job(struct wpk_job *job);

/**
 * struct wpk_report - what a fault handler was told
 * @nr: how often it was called
 * @fault: the last death
 * @pool: name of its pool
 */
struct wpk_report {
	atomic_t nr;
	struct wpool_fault fault;
	char pool[WPOOL_NAME_LEN];
};

/** wpk_note_fault() - the fault handler that fills in a struct wpk_report */
void wpk_note_fault(const struct wpool_fault *fault, void *report);

/* As wpk_pool_with(), with a fault handler that fills in @report. */
#define wpk_reporting_pool(test, nr_tasks, depth, report, ...)			\
	wpk_pool_with(test, nr_tasks, depth, attrs.fault = wpk_note_fault,	\
		      attrs.fault_data = report, ##__VA_ARGS__)

#endif /* WPOOL_KUNIT_DIE_H */
