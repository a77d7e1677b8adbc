// SPDX-License-Identifier: GPL-2.0
/* wpoolctl dump: what all pools are doing, as sysrq-x prints it. */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "tables.h"

static int run(const struct command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct errmsg e;
	char *text;

	while (cli_getopt(cmd, argc, argv, options) != -1)
		;
	cli_no_more_args(cmd, argc, argv);
	text = text_read("dump", &e);
	if (!text) {
		cli_error(cmd, "%s", e.text);
		return CLI_FAILED;
	}
	fputs(text, stdout);
	free(text);
	return CLI_OK;
}

const struct command cmd_dump = {
	.name = "dump",
	.args = "",
	.summary = "print queues, workers and waiters of all pools",
	.help =
"Prints what each pool is doing: its queues, oldest first, its workers in tasks,\n"
"who waits in line, and why. It is read from debugfs, which is for root only.\n"
"With the stacks of the workers, sysrq-x writes the same to the kernel's log.\n",
	.run = run,
};
