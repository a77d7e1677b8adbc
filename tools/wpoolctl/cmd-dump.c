// SPDX-License-Identifier: GPL-2.0
/* wpoolctl dump: the state of all pools, as sysrq-x prints it. */
#include "cli.h"
#include "tables.h"

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	char *text;

	cli_parse(cmd, argc, argv, NULL);
	cli_no_more_args(cmd, argc, argv);
	text = text_read("dump", e);
	if (!text)
		return -1;
	fputs(text, stdout);
	return CLI_OK;
}

const struct command cmd_dump = {
	.name = "dump",
	.args = "",
	.summary = "print queues, workers and waiters of all pools",
	.help =
"Prints the state of each pool: its queues, with the functions of their first tasks, its\n"
"workers in tasks, the submitters that wait, and why tasks wait. Needs root, to read debugfs.\n"
"sysrq-x writes the same, and the stacks of the workers, to the kernel's log.",
	.more =
"The log also gets the state of a pool that stalls, unless the pool was made through\n"
"/dev/wpool. With the parameter dump_on_panic of the module it gets the state of all pools when\n"
"the kernel panics.",
	.run = run,
};
