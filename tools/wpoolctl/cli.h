/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all subcommands share: the table of commands, exit codes, options and error messages. The
 * tables of options also print --help, the manual (manual.c) and the completions of the shell
 * (complete.c).
 */
#ifndef WPOOLCTL_CLI_H
#define WPOOLCTL_CLI_H

#include <stdnoreturn.h>

#include "parse.h"

enum cli_exit {
	CLI_OK = 0,
	CLI_FAILED = 1,		/* the kernel, the device or the output failed */
	CLI_USAGE = 2,		/* the command line was wrong, nothing was done */
	CLI_TASKS = 3,		/* run: a task failed, was cancelled, refused or not sent */
	CLI_INTERRUPTED = 130,	/* run, top: SIGINT, SIGTERM, SIGHUP; run: SIGPIPE, too */
};

struct cli_option {
	const char *name;
	const char *arg;	/* "SECONDS"; "[=A=V,...]": may be left out; NULL: takes no value */
	const char *help;	/* for --help and the manual */
	const char *more;	/* for the manual alone */
	/* parses @value into a field of @to; returns 0, or -1 and a message */
	int (*set)(const struct cli_option *option, void *to, const char *value, struct errmsg *e);
	size_t offset, size;	/* where @set stores the value in @to */
	/* of CLI_PARSED(): a function of parse.h */
	int (*parse)(const char *value, __u64 min, __u64 max, __u64 *out, struct errmsg *e);
	__u64 min, max;
	const char *const *words;	/* the possible values */
};

struct command {
	const char *name;
	const char *args;	/* the arguments in the usage line */
	const char *summary;	/* one line, for the list of commands */
	const char *help;	/* the description */
	const char *more;	/* the rest of the description, for the manual alone */
	const struct cli_option *options;
	void (*more_help)(int of);
	int help_of;		/* the argument of @more_help */
	/* returns an exit code, or a negative number and a message */
	int (*run)(const struct command *cmd, int argc, char **argv, struct errmsg *e);
};

/* How an option is read: CLI_...(type of the structure, its field, limits). */
#define CLI_FIELD(_set, _type, _field)		\
	.set = _set, .offset = offsetof(_type, _field), .size = sizeof(((_type *)0)->_field)
#define CLI_RANGE(_set, _type, _field, _min, _max)	\
	CLI_FIELD(_set, _type, _field), .min = _min, .max = _max
#define CLI_FLAG(...)		CLI_FIELD(cli_set_flag, __VA_ARGS__)
#define CLI_FILE(...)		CLI_FIELD(cli_set_file, __VA_ARGS__)
#define CLI_WORD(_words, ...)	CLI_FIELD(cli_set_word, __VA_ARGS__), .words = _words
#define CLI_PARSED(_parse, ...)	CLI_RANGE(cli_set_parsed, __VA_ARGS__), .parse = _parse
#define CLI_NUMBER(...)		CLI_PARSED(parse_u64, __VA_ARGS__)
#define CLI_COUNT(...)		CLI_PARSED(parse_count, __VA_ARGS__)
#define CLI_SECONDS(...)	CLI_PARSED(parse_seconds, __VA_ARGS__)
#define CLI_DURATION(...)	CLI_PARSED(parse_duration, __VA_ARGS__)
#define CLI_INTERVAL(...)	\
	CLI_SECONDS(__VA_ARGS__, 10 * NSEC_PER_MSEC, 24ULL * 60 * 60 * NSEC_PER_SEC)

int cli_set_flag(const struct cli_option *option, void *to, const char *value, struct errmsg *e);
int cli_set_text(const struct cli_option *option, void *to, const char *value, struct errmsg *e);
int cli_set_file(const struct cli_option *option, void *to, const char *value, struct errmsg *e);
int cli_set_word(const struct cli_option *option, void *to, const char *value, struct errmsg *e);
int cli_set_parsed(const struct cli_option *option, void *to, const char *value, struct errmsg *e);

/* "wpoolctl CMD: ..." on stderr, without control characters; @cmd may be NULL. */
__printf(2, 3)
void cli_error(const struct command *cmd, const char *fmt, ...);

/* Prints "wpoolctl CMD: " and the message. Returns CLI_FAILED. */
int cli_fail(const struct command *cmd, const struct errmsg *e);

/* Returns @code. Fails with a message if stdout cannot be written: a full disk, a closed pipe. */
int cli_end(int code);

/* As cli_error(), with a hint at --help; exits with 2. Call it only before anything was done. */
__printf(2, 3)
noreturn void cli_usage(const struct command *cmd, const char *fmt, ...);

/*
 * Reads all options into the fields of @to. Bit i of the result says that the i-th option was
 * given. --help and an unknown option end the process, after the help or a message.
 */
__u64 cli_parse(const struct command *cmd, int argc, char **argv, void *to);

/* Returns argv[optind]; exits with a message unless it is the name of a pool. */
const char *cli_pool_arg(const struct command *cmd, int argc, char **argv);
void cli_no_more_args(const struct command *cmd, int argc, char **argv);
/* As cli_pool_arg(), but a further argument is an error, too. */
const char *cli_only_pool_arg(const struct command *cmd, int argc, char **argv);

/* Is SIGHUP ignored, as below nohup? */
bool cli_ignores_hangup(void);

/* ---- help ---- */

void cli_print_help(const struct command *cmd);

#define CLI_WIDTH	79	/* columns of the help */

/*
 * Print the words of @text, indented, in lines of at most @width columns; @at columns of the first
 * line are already used. A line of @text that begins with a blank is indented, but not wrapped.
 */
void cli_print_text(const char *text, int indent, int at, int width);

/* Print @text behind a name of @at columns; on the next line if the name is too long. */
void cli_print_entry(int at, int indent, const char *text);

/* ---- other uses of the tables; @commands ends with NULL ---- */

/* Print a part of the manual: "commands", "attributes" or "workloads". */
int manual(const struct command *const *commands, const char *part);

/* Print the words that may come next on a command line; see complete.c. */
int complete(const struct command *const *commands, int argc, char **argv);

#endif /* WPOOLCTL_CLI_H */
