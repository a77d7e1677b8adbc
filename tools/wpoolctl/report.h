/* SPDX-License-Identifier: GPL-2.0 */
/* The report of a run. */
#ifndef WPOOLCTL_REPORT_H
#define WPOOLCTL_REPORT_H

#include "load.h"

void report_text(const struct load_config *config, const struct load_result *result);
void report_json(const struct load_config *config, const struct load_result *result);

/* ---- for both reports ---- */

/* Tasks due by the schedule: accepted, refused or not sent. Without one: tasks submitted. */
__u64 report_asked(const struct load_result *result);

/* Tasks completed per second during the measurement. */
double report_completed_per_s(const struct load_result *result);

__u64 report_per_task(__u64 ns, const struct load_result *result);
/* Does the report contain figures of the order? Not under policy "run". */
bool report_has_order(const struct load_result *result);

#endif /* WPOOLCTL_REPORT_H */
