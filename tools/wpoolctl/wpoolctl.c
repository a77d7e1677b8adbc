// SPDX-License-Identifier: GPL-2.0
/*
 * wpoolctl - look at, make, tune and load the pools of the wpool module.
 *
 * The table of subcommands also prints the help. Programs that submit many tasks do not call
 * wpoolctl: they include <linux/wpool.h> and use /dev/wpool.
 */
#include "cli.h"

#ifndef WPOOLCTL_VERSION
#error "the version comes from the Makefile"
#endif

extern const struct command cmd_list, cmd_show, cmd_create, cmd_tune, cmd_apply, cmd_release,
	cmd_reboot, cmd_destroy, cmd_stat, cmd_top, cmd_why, cmd_dump, cmd_latency, cmd_metrics,
	cmd_run, cmd_trace;

static const struct command *const commands[] = {
	&cmd_list, &cmd_show, &cmd_create, &cmd_tune, &cmd_apply, &cmd_release, &cmd_reboot,
	&cmd_destroy, &cmd_stat, &cmd_top, &cmd_why, &cmd_dump, &cmd_latency, &cmd_metrics,
	&cmd_run, &cmd_trace, NULL
};

static void print_usage(FILE *out)
{
	const struct command *const *cmd;

	fputs("usage: wpoolctl COMMAND [ARGUMENT]...\n\nCommands:\n", out);
	for (cmd = commands; *cmd; cmd++)
		fprintf(out, "  %-9s %s\n", (*cmd)->name, (*cmd)->summary);
	fputs("\n'wpoolctl COMMAND --help' explains one; wpoolctl(8) describes all of them.\n"
	      "Exit: 0 done, 1 failed, 2 wrong use, 3 tasks failed or were refused,\n"
	      "130 interrupted.\n", out);
}

/* Exits if there is no such command. */
static const struct command *find_command(const char *name)
{
	const struct command *const *cmd;

	for (cmd = commands; *cmd; cmd++)
		if (!strcmp((*cmd)->name, name))
			return *cmd;
	cli_usage(NULL, "no command " ERRMSG_Q, name);
}

static int run(int argc, char **argv)
{
	const struct command *cmd;
	struct errmsg e;
	int code;

	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("wpoolctl " WPOOLCTL_VERSION);
		return CLI_OK;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_usage(stdout);
		return CLI_OK;
	}
	/* for the Makefile, and for the shell */
	if (!strcmp(argv[1], "--manual") && argc == 3)
		return manual(commands, argv[2]);
	if (!strcmp(argv[1], "--complete"))
		return complete(commands, argc - 2, argv + 2);
	cmd = find_command(argv[1]);
	code = cmd->run(cmd, argc - 1, argv + 1, &e);
	return code < 0 ? cli_fail(cmd, &e) : code;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		print_usage(stderr);
		return CLI_USAGE;
	}
	return cli_end(run(argc, argv));
}
