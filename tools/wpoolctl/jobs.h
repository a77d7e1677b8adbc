/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Job files: each section of a file, except [global], is a run, with the options of "wpoolctl run"
 * as keys. Jobs run at the same time, each in its own process. Jobs after a "stonewall" begin when
 * all jobs before it have ended.
 */
#ifndef WPOOLCTL_JOBS_H
#define WPOOLCTL_JOBS_H

#include "run.h"

/* Runs the job file @path; messages are those of @cmd. Returns the exit code. */
int jobs_run(const struct command *cmd, const char *path, bool json);

#endif /* WPOOLCTL_JOBS_H */
