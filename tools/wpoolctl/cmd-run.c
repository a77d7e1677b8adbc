// SPDX-License-Identifier: GPL-2.0
/* wpoolctl run: submit workloads to a pool and report how they ended. */
#include "run.h"

static int run_command(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	struct run run;
	int code;

	run_init(&run, cmd);
	cli_parse(cmd, argc, argv, &run);
	for (; optind < argc; optind++)
		if (run_add_arg(&run, argv[optind], e))
			cli_usage(cmd, "%s", e->text);
	code = run_complete(&run, e);
	if (code < 0)
		cli_usage(cmd, "%s", e->text);
	if (code)
		return -1;
	return run_load(&run);
}

static void more_help(int of __maybe_unused)
{
	const struct work_kind *kind;

	printf("\nWorkloads:\n");
	for (kind = work_kinds; kind->name; kind++)
		cli_print_entry(printf("  %s%s", kind->name, kind->arg_name), 27, kind->about);
	cli_print_text(work_amounts, 0, 0, CLI_WIDTH);
	puts("\n"
"Exit: 0 all completed; 1 failed or out of time; 2 wrong use; 3 tasks failed, or\n"
"were cancelled, refused or not sent; 130 interrupted.");
}

const struct command cmd_run = {
	.name = "run",
	.args = "POOL [--work KIND[:ARG]]... [OPTION]...",
	.summary = "submit workloads to a pool and report how they ended",
	.help =
"Submits tasks to a pool, waits for them and reports: how many were accepted, refused,\n"
"completed, failed and cancelled, how long they waited and ran, and on which CPUs. An\n"
"interrupt (^C) cancels unfinished tasks and reports.",
	.more =
"SIGINT, SIGTERM, SIGHUP and SIGPIPE end a run: no more tasks are submitted, unfinished ones\n"
"are cancelled, and the report is printed. A second SIGINT, SIGTERM or SIGHUP, 0.1 s after the\n"
"cancel or later, ends it at once. If cancelled tasks do not end within half a minute, it\n"
"gives up.",
	.options = run_options,
	.more_help = more_help,
	.run = run_command,
};
