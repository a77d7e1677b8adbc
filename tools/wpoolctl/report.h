/* SPDX-License-Identifier: GPL-2.0 */
/* The report of a run. */
#ifndef WPOOLCTL_REPORT_H
#define WPOOLCTL_REPORT_H

#include "load.h"

void report_text(const struct load_config *config, const struct load_result *result);
void report_json(const struct load_config *config, const struct load_result *result);

#endif /* WPOOLCTL_REPORT_H */
