/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Job files: several runs, each a section of a file, with the options of "wpoolctl run" as
 * keys. Jobs run at the same time, each in a process of its own, except those after a
 * "stonewall": they begin when all before it have ended.
 */
#ifndef WPOOLCTL_JOBS_H
#define WPOOLCTL_JOBS_H

#include "run.h"

/* Does all of it; @cmd complains. The exit code. */
int jobs_run(const struct command *cmd, const char *path, bool json);

#endif /* WPOOLCTL_JOBS_H */
