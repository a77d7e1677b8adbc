/* SPDX-License-Identifier: GPL-2.0 */
/* What a run says when it is over. */
#ifndef WPOOLCTL_REPORT_H
#define WPOOLCTL_REPORT_H

#include "load.h"

void report_text(const struct load_config *config, const struct load_result *result);
void report_json(const struct load_config *config, const struct load_result *result);

/* ---- what both say ---- */

/* All arrivals: accepted, refused and not sent. Of a closed loop: what was offered. */
__u64 report_asked(const struct load_result *result);

/* Tasks completed in a second, while the load was measured. */
double report_completed_per_s(const struct load_result *result);

__u64 report_per_task(__u64 ns, const struct load_result *result);
/* Not of a pool whose submitters run tasks, too. */
bool report_has_order(const struct load_result *result);
__u64 report_ideal_ns(const struct load_config *config, const struct load_result *result);

#endif /* WPOOLCTL_REPORT_H */
