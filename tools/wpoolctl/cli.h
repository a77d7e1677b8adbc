/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every subcommand shares: its place in the table, its exit codes, the
 * reading of its options, and how it complains.
 */
#ifndef WPOOLCTL_CLI_H
#define WPOOLCTL_CLI_H

#include <getopt.h>
#include <stdbool.h>
#include <stdnoreturn.h>

#include "errmsg.h"

enum cli_exit {
	CLI_OK = 0,
	CLI_FAILED = 1,		/* the kernel, the device or the output failed */
	CLI_USAGE = 2,		/* the command line was wrong, nothing was done */
	CLI_TASKS = 3,		/* run: a task failed, was cancelled or refused */
	CLI_INTERRUPTED = 130,	/* SIGINT, SIGTERM or SIGHUP */
};

struct command {
	const char *name;
	const char *args;	/* of the usage line */
	const char *summary;	/* one line of the table */
	const char *help;	/* options and what there is to know */
	void (*more_help)(void);
	int (*run)(const struct command *cmd, int argc, char **argv);
};

extern const struct command cmd_list;
extern const struct command cmd_show;
extern const struct command cmd_create;
extern const struct command cmd_destroy;
extern const struct command cmd_release;
extern const struct command cmd_reboot;
extern const struct command cmd_tune;
extern const struct command cmd_stat;
extern const struct command cmd_top;
extern const struct command cmd_why;
extern const struct command cmd_dump;
extern const struct command cmd_latency;
extern const struct command cmd_metrics;
extern const struct command cmd_run;
extern const struct command cmd_trace;
extern const struct command cmd_advise;
extern const struct command cmd_apply;

/* Codes of options that have no letter. */
#define CLI_OPT_FIRST	256

/* "wpoolctl CMD: ..." on stderr; @cmd may be NULL. */
__printf(2, 3)
void cli_error(const struct command *cmd, const char *fmt, ...);

/* The same with a hint at --help, and exit 2. Only before anything was done. */
__printf(2, 3)
noreturn void cli_usage(const struct command *cmd, const char *fmt, ...);

/*
 * The next option of the command, -1 after the last. --help is printed here,
 * and what is no option is complained about here; both end the process.
 */
int cli_getopt(const struct command *cmd, int argc, char **argv,
	       const struct option *options);

void cli_print_help(const struct command *cmd);

/* Complains and exits unless argv[optind] is the name of a pool; returns it. */
const char *cli_pool_arg(const struct command *cmd, int argc, char **argv);
void cli_no_more_args(const struct command *cmd, int argc, char **argv);

#endif /* WPOOLCTL_CLI_H */
