// SPDX-License-Identifier: GPL-2.0
/* Functions for the suites whose tasks die, see die.h. */
#include "die.h"

#include <linux/module.h>
#include <linux/string.h>

static bool fault;
module_param(fault, bool, 0444);
MODULE_PARM_DESC(fault, "run the cases whose tasks die");

int wpk_fault_init(struct kunit *test)
{
	wpk_need(test, fault, "only with fault=1: it kills workers");
	return wpk_init(test);
}

void wpk_die_in_job(struct wpk_job *job)
{
	wpk_die();
}

void wpk_note_fault(const struct wpool_fault *fault, void *data)
{
	struct wpk_report *report = data;

	report->fault = *fault;
	strscpy(report->pool, fault->pool, sizeof(report->pool));
	atomic_inc(&report->nr);
}
