/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every subcommand shares: its place in the table, its exit codes, its options, and how it
 * complains. The tables of options are used to parse, and to print --help, the manual (manual.c),
 * and the completions of the shell (complete.c).
 */
#ifndef WPOOLCTL_CLI_H
#define WPOOLCTL_CLI_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdnoreturn.h>
#include <unistd.h>

#include "errmsg.h"

enum cli_exit {
	CLI_OK = 0,
	CLI_FAILED = 1,		/* the kernel, the device or the output failed */
	CLI_USAGE = 2,		/* the command line was wrong, nothing was done */
	CLI_TASKS = 3,		/* run: a task failed, was cancelled or refused */
	CLI_INTERRUPTED = 130,	/* SIGINT, SIGTERM or SIGHUP */
};

struct cli_option {
	const char *name;
	const char *arg;	/* its value: "SECONDS", or "[=A=V,...]" if it may be left out */
	const char *help;	/* for --help and the manual */
	const char *more;	/* for the manual alone */
	/* reads @value into the field of @to; 0, or -1 and a message */
	int (*set)(const struct cli_option *option, void *to, const char *value, struct errmsg *e);
	size_t offset, size;	/* of the field */
	__u64 min, max;
	const char *const *words;	/* what it may be */
	const char *verb;	/* trace: which one takes it */
	bool no_job;		/* run: is no key of a job file */
};

struct command {
	const char *name;
	const char *args;	/* of the usage line */
	const char *summary;	/* one line of the table */
	const char *help;	/* what there is to know */
	const char *more;	/* and for the manual alone */
	const struct cli_option *options;
	void (*more_help)(void);
	int (*run)(const struct command *cmd, int argc, char **argv);
};

/* How an option is read: CLI_...(type of the structure, its field, limits). */
#define CLI_FIELD(_set, _type, _field)		\
	.set = _set, .offset = offsetof(_type, _field), .size = sizeof(((_type *)0)->_field)
#define CLI_RANGE(_set, _type, _field, _min, _max)	\
	CLI_FIELD(_set, _type, _field), .min = _min, .max = _max
#define CLI_FLAG(...)		CLI_FIELD(cli_set_flag, __VA_ARGS__)
#define CLI_TEXT(...)		CLI_FIELD(cli_set_text, __VA_ARGS__)
#define CLI_FILE(...)		CLI_FIELD(cli_set_file, __VA_ARGS__)
#define CLI_WORD(_words, ...)	CLI_FIELD(cli_set_word, __VA_ARGS__), .words = _words
#define CLI_NUMBER(...)		CLI_RANGE(cli_set_number, __VA_ARGS__)
#define CLI_COUNT(...)		CLI_RANGE(cli_set_count, __VA_ARGS__)
#define CLI_SECONDS(...)	CLI_RANGE(cli_set_seconds, __VA_ARGS__)
#define CLI_DURATION(...)	CLI_RANGE(cli_set_duration, __VA_ARGS__)

int cli_set_flag(const struct cli_option *option, void *to, const char *value, struct errmsg *e);
int cli_set_text(const struct cli_option *option, void *to, const char *value, struct errmsg *e);
int cli_set_file(const struct cli_option *option, void *to, const char *value, struct errmsg *e);
int cli_set_word(const struct cli_option *option, void *to, const char *value, struct errmsg *e);
int cli_set_number(const struct cli_option *option, void *to, const char *value, struct errmsg *e);
int cli_set_count(const struct cli_option *option, void *to, const char *value, struct errmsg *e);
int cli_set_seconds(const struct cli_option *option, void *to, const char *value, struct errmsg *e);
int cli_set_duration(const struct cli_option *option, void *to, const char *value,
		     struct errmsg *e);

/* "wpoolctl CMD: ..." on stderr; @cmd may be NULL. */
__printf(2, 3)
void cli_error(const struct command *cmd, const char *fmt, ...);

/* The same of a message, and CLI_FAILED. */
int cli_fail(const struct command *cmd, const struct errmsg *e);

/* The same with a hint at --help, and exit 2. Only before anything was done. */
__printf(2, 3)
noreturn void cli_usage(const struct command *cmd, const char *fmt, ...);

/*
 * Reads all options into the fields of @to; bit i of the returned value says that the i-th option
 * was given. Prints --help, and complains about anything that is no option; both end the process.
 */
__u64 cli_parse(const struct command *cmd, int argc, char **argv, void *to);

/* Complains and exits unless argv[optind] is the name of a pool; returns it. */
const char *cli_pool_arg(const struct command *cmd, int argc, char **argv);
void cli_no_more_args(const struct command *cmd, int argc, char **argv);
/* The same: a pool, and nothing else. */
const char *cli_only_pool_arg(const struct command *cmd, int argc, char **argv);

/* ---- help ---- */

void cli_print_help(const struct command *cmd);

/*
 * Print the words of @text, wrapped and indented; @at columns of the first line are already used. A
 * line of @text that begins with a blank is printed as it is.
 */
void cli_print_text(const char *text, int indent, int at);

/* The same behind a name that took @at columns: below it, if that is too long. */
void cli_print_entry(int at, int indent, const char *text);

#endif /* WPOOLCTL_CLI_H */
