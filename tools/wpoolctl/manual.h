/* SPDX-License-Identifier: GPL-2.0 */
/* What the tables are for, beside parsing and help; commands end with NULL. */
#ifndef WPOOLCTL_MANUAL_H
#define WPOOLCTL_MANUAL_H

#include "cli.h"

/* A part of the manual: "commands", "attributes" or "workloads". */
int manual(const struct command *const *commands, const char *part);

/* The words that may follow a command line; see complete.c. */
int complete(const struct command *const *commands, int argc, char **argv);

#endif /* WPOOLCTL_MANUAL_H */
