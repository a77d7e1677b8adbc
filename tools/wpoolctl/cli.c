// SPDX-License-Identifier: GPL-2.0
/* Options, help and complaints of all subcommands. */
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

static void complain(const struct command *cmd, const char *fmt, va_list ap)
{
	/* what was printed before comes first, whatever stdout is */
	fflush(stdout);
	fprintf(stderr, "wpoolctl%s%s: ", cmd ? " " : "", cmd ? cmd->name : "");
	vfprintf(stderr, fmt, ap);
}

void cli_error(const struct command *cmd, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(cmd, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void cli_usage(const struct command *cmd, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(cmd, fmt, ap);
	va_end(ap);
	fprintf(stderr, " (see 'wpoolctl %s%s--help')\n", cmd ? cmd->name : "",
		cmd ? " " : "");
	exit(CLI_USAGE);
}

void cli_print_help(const struct command *cmd)
{
	printf("usage: wpoolctl %s%s%s\n\n%s\n", cmd->name,
	       *cmd->args ? " " : "", cmd->args, cmd->help);
	if (cmd->more_help)
		cmd->more_help();
}

static const struct option *find_option(const struct option *options, int val)
{
	for (; options->name; options++)
		if (options->val == val)
			return options;
	return NULL;
}

int cli_getopt(const struct command *cmd, int argc, char **argv,
	       const struct option *options)
{
	const struct option *option;
	struct errmsg what;
	int opt;

	opterr = 0;
	opt = getopt_long(argc, argv, ":h", options, NULL);
	switch (opt) {
	case 'h':
		cli_print_help(cmd);
		exit(fflush(stdout) ? CLI_FAILED : CLI_OK);
	case ':':
		cli_usage(cmd, "%s wants a value", argv[optind - 1]);
	case '?':
		/* optopt: 0 unknown or ambiguous, a letter, or a known option */
		option = optopt ? find_option(options, optopt) : NULL;
		if (option)
			cli_usage(cmd, "--%s takes no value", option->name);
		if (optopt)
			errmsg_set(&what, "no option '-%c'", optopt);
		else
			errmsg_set(&what, "no option " ERRMSG_Q, argv[optind - 1]);
		cli_usage(cmd, "%s", what.text);
	}
	return opt;
}

const char *cli_pool_arg(const struct command *cmd, int argc, char **argv)
{
	struct errmsg e;

	if (optind >= argc)
		cli_usage(cmd, "the name of a pool is missing");
	if (parse_pool_name(argv[optind], &e))
		cli_usage(cmd, "%s", e.text);
	return argv[optind];
}

void cli_no_more_args(const struct command *cmd, int argc, char **argv)
{
	struct errmsg e;

	if (optind >= argc)
		return;
	errmsg_set(&e, "unexpected argument: " ERRMSG_Q, argv[optind]);
	cli_usage(cmd, "%s", e.text);
}
