// SPDX-License-Identifier: GPL-2.0
/* wpoolctl dump: the state of all pools, as sysrq-x prints it. */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "tables.h"

static int run(const struct command *cmd, int argc, char **argv)
{
	struct errmsg e;
	char *text;

	cli_parse(cmd, argc, argv, NULL);
	cli_no_more_args(cmd, argc, argv);
	text = text_read("dump", &e);
	if (!text)
		return cli_fail(cmd, &e);
	fputs(text, stdout);
	free(text);
	return CLI_OK;
}

const struct command cmd_dump = {
	.name = "dump",
	.args = "",
	.summary = "print queues, workers and waiters of all pools",
	.help =
"Prints the state of each pool: its queues, with the functions of their first tasks, its\n"
"workers in tasks, the submitters that wait, and why. Reads debugfs, so only root may do it.\n"
"sysrq-x writes the same, and the stacks of the workers, to the kernel's log.",
	.more =
"The log also gets the state of each pool that stalls, and, with the module's parameter\n"
"dump_on_panic, that of all pools when the kernel panics.",
	.run = run,
};
