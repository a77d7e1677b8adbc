// SPDX-License-Identifier: GPL-2.0
/* Functions for the suites whose tasks die, see die.h. */
#include "die.h"

#include <linux/compiler.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/string.h>

bool wpk_fault;
module_param_named(fault, wpk_fault, bool, 0444);
MODULE_PARM_DESC(fault, "let tasks that die oops");

void wpk_oops(void)
{
	wpk_expect_oops();
	WRITE_ONCE(*(int *)8, 1);
}

void wpk_die(void)
{
	if (wpk_fault)
		wpk_oops();
	kthread_complete_and_exit(NULL, 0);
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
