/* SPDX-License-Identifier: GPL-2.0 */
/* Uses of the tables of options beside parsing and help. @commands ends with NULL. */
#ifndef WPOOLCTL_MANUAL_H
#define WPOOLCTL_MANUAL_H

#include "cli.h"

/* Print a part of the manual: "commands", "attributes" or "workloads". */
int manual(const struct command *const *commands, const char *part);

/* Print the words that may come next on a command line; see complete.c. */
int complete(const struct command *const *commands, int argc, char **argv);

#endif /* WPOOLCTL_MANUAL_H */
