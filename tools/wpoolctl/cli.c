// SPDX-License-Identifier: GPL-2.0
/* Options and error messages of all subcommands. */
#include "cli.h"

#include <getopt.h>
#include <signal.h>
#include <stdarg.h>

#define MAX_OPTIONS	62
#define MAX_INDENT	22	/* column where the text on an option begins, at most */
#define FIRST_CODE	256	/* code of the first option; options have no letters */

static void complain(const struct command *cmd, const char *fmt, va_list ap)
{
	char text[2 * ERRMSG_LEN];

	vsnprintf(text, sizeof(text), fmt, ap);
	make_printable(text, "");
	/* earlier output comes first, even if stdout is buffered */
	fflush(stdout);
	fprintf(stderr, "wpoolctl%s%s: %s", cmd ? " " : "", cmd ? cmd->name : "", text);
}

void cli_error(const struct command *cmd, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(cmd, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

bool cli_ignores_hangup(void)
{
	struct sigaction hangup;

	return !sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler == SIG_IGN;
}

int cli_end(int code)
{
	if (!ferror(stdout) && !fflush(stdout))
		return code;
	cli_error(NULL, "cannot write the output: %m");
	return code == CLI_OK ? CLI_FAILED : code;
}

int cli_fail(const struct command *cmd, const struct errmsg *e)
{
	cli_error(cmd, "%s", e->text);
	return CLI_FAILED;
}

void cli_usage(const struct command *cmd, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(cmd, fmt, ap);
	va_end(ap);
	fprintf(stderr, " (see 'wpoolctl %s%s--help')\n", cmd ? cmd->name : "", cmd ? " " : "");
	exit(CLI_USAGE);
}

/* ---- help ------------------------------------------------------------------- */

/* A newline counts as a blank, except before an empty line or a line that begins with a blank. */
static bool is_break(const char *text)
{
	return *text == '\n' && (text[1] == '\n' || text[1] == ' ');
}

void cli_print_text(const char *text, int indent, int at, int width)
{
	bool verbatim = *text == ' ';
	int len;

	for (; *text; text += len ?: 1) {
		len = strcspn(text, verbatim ? "\n" : "\n ");
		if (*text == '\n' && (verbatim || is_break(text) || !at)) {
			putchar('\n');
			at = 0;
			verbatim = text[1] == ' ';
		}
		if (!len)
			continue;
		if (at > indent && at + 1 + len > width) {
			putchar('\n');
			at = 0;
		}
		at += printf("%*s%.*s", at < indent ? indent - at : at > indent, "", len, text);
	}
	putchar('\n');
}

/* "  --name ARG" */
static void format_head(const struct cli_option *option, char *buf, size_t len)
{
	const char *arg = option->arg ?: "";

	snprintf(buf, len, "  --%s%s%s", option->name, *arg && *arg != '[' ? " " : "", arg);
}

void cli_print_entry(int at, int indent, const char *text)
{
	if (at >= indent) {
		putchar('\n');
		at = 0;
	}
	cli_print_text(text, indent, at, CLI_WIDTH);
}

static void print_options(const struct cli_option *options)
{
	const struct cli_option *option;
	int indent = 0, len;
	char head[64];

	for (option = options; option->name; option++) {
		format_head(option, head, sizeof(head));
		len = strlen(head) + 2;
		if (len > indent && len <= MAX_INDENT)
			indent = len;
	}
	putchar('\n');
	for (option = options; option->name; option++) {
		format_head(option, head, sizeof(head));
		cli_print_entry(printf("%s", head), indent, option->help);
	}
}

void cli_print_help(const struct command *cmd)
{
	printf("usage: wpoolctl %s%s%s\n\n", cmd->name, *cmd->args ? " " : "", cmd->args);
	cli_print_text(cmd->help, 0, 0, CLI_WIDTH);
	if (cmd->options)
		print_options(cmd->options);
	if (cmd->more_help)
		cmd->more_help(cmd->help_of);
}

/* ---- values ----------------------------------------------------------------- */

static void store(const struct cli_option *option, void *to, __u64 value)
{
	void *field = (char *)to + option->offset;

	switch (option->size) {
	case sizeof(__u8):
		*(__u8 *)field = value;
		break;
	case sizeof(__u32):
		*(__u32 *)field = value;
		break;
	default:
		*(__u64 *)field = value;
	}
}

int cli_set_flag(const struct cli_option *option, void *to, const char *value __maybe_unused,
		 struct errmsg *e __maybe_unused)
{
	store(option, to, true);
	return 0;
}

int cli_set_text(const struct cli_option *option, void *to, const char *value,
		 struct errmsg *e __maybe_unused)
{
	store(option, to, (unsigned long)value);
	return 0;
}

int cli_set_file(const struct cli_option *option, void *to, const char *value, struct errmsg *e)
{
	return *value ? cli_set_text(option, to, value, e) : errmsg_set(e, "a file has a name");
}

int cli_set_word(const struct cli_option *option, void *to, const char *value, struct errmsg *e)
{
	__u32 i;

	if (parse_word(value, option->words, &i, e))
		return -1;
	store(option, to, i);
	return 0;
}

int cli_set_parsed(const struct cli_option *option, void *to, const char *value, struct errmsg *e)
{
	__u64 n;

	if (option->parse(value, option->min, option->max, &n, e))
		return -1;
	store(option, to, n);
	return 0;
}

/* ---- the command line ------------------------------------------------------- */

/* The code of the next option, -1 after the last. */
static int next_option(const struct command *cmd, int argc, char **argv,
		       const struct option *options)
{
	int opt;

	opterr = 0;
	opt = getopt_long(argc, argv, ":h", options, NULL);
	switch (opt) {
	case 'h':
		cli_print_help(cmd);
		exit(cli_end(CLI_OK));
	case ':':
		cli_usage(cmd, "%s wants a value", argv[optind - 1]);
	case '?':
		/* optopt is 0 (unknown or ambiguous), a letter, or the code of an option */
		if (optopt == 'h')
			cli_usage(cmd, "--help takes no value");
		if (optopt >= FIRST_CODE)
			cli_usage(cmd, "--%s takes no value", options[optopt - FIRST_CODE].name);
		if (optopt)
			cli_usage(cmd, "no option '-%c'", optopt);
		cli_usage(cmd, "no option " ERRMSG_Q, argv[optind - 1]);
	}
	return opt;
}

__u64 cli_parse(const struct command *cmd, int argc, char **argv, void *to)
{
	struct option options[MAX_OPTIONS + 2] = { };
	const struct cli_option *option = cmd->options;
	struct errmsg e;
	__u64 given = 0;
	int i, opt;

	for (i = 0; option && option[i].name; i++)
		options[i] = (struct option){
			option[i].name, !option[i].arg ? no_argument : *option[i].arg == '[' ?
			optional_argument : required_argument, NULL, FIRST_CODE + i,
		};
	options[i] = (struct option){ "help", no_argument, NULL, 'h' };
	while ((opt = next_option(cmd, argc, argv, options)) != -1) {
		i = opt - FIRST_CODE;
		if (option[i].set(&option[i], to, optarg, &e))
			cli_usage(cmd, "--%s: %s", option[i].name, e.text);
		given |= 1ULL << i;
	}
	return given;
}

const char *cli_pool_arg(const struct command *cmd, int argc, char **argv)
{
	struct errmsg e;

	if (optind >= argc)
		cli_usage(cmd, "give the name of a pool");
	if (parse_pool_name(argv[optind], &e))
		cli_usage(cmd, "%s", e.text);
	return argv[optind];
}

void cli_no_more_args(const struct command *cmd, int argc, char **argv)
{
	if (optind < argc)
		cli_usage(cmd, "unexpected argument: " ERRMSG_Q, argv[optind]);
}

const char *cli_only_pool_arg(const struct command *cmd, int argc, char **argv)
{
	const char *pool = cli_pool_arg(cmd, argc, argv);

	optind++;
	cli_no_more_args(cmd, argc, argv);
	return pool;
}
