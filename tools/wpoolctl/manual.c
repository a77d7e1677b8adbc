// SPDX-License-Identifier: GPL-2.0
/* Prints the parts of wpoolctl(8) that come from the tables. */
#include <ctype.h>

#include "attrs.h"
#include "cli.h"
#include "work.h"

static void put_roff(const char *text, int len)
{
	for (; len--; text++) {
		if (*text == '-' || *text == '\\')
			putchar('\\');
		putchar(*text == '\\' ? 'e' : *text);
	}
}

/* Prints paragraphs; lines that begin with a blank stay as they are. Adds no newline at the end. */
static void put_text(const char *text, bool capital)
{
	bool verbatim = false;
	int len;

	for (;; text += len + 1) {
		len = strcspn(text, "\n");
		if (verbatim != (*text == ' ')) {
			verbatim = !verbatim;
			puts(verbatim ? ".nf\n.RS" : ".RE\n.fi");
		}
		/* roff must not take the line for a request */
		if (*text == '.' || *text == '\'')
			printf("\\&");
		if (capital && len--)
			putchar(toupper((unsigned char)*text++));
		capital = false;
		if (len)
			put_roff(text + (verbatim ? 2 : 0), len - (verbatim ? 2 : 0));
		else
			printf(".PP");
		if (!text[len])
			break;
		putchar('\n');
	}
	if (verbatim)
		printf("\n.RE\n.fi");
}

/* Makes the help of an option a sentence. A first "word:" is a value and stays in lower case. */
static void put_phrase(const char *text, const char *more)
{
	bool is_word = text[strcspn(text, "\n: ")] == ':';

	put_text(text, !is_word);
	puts(".");
	if (more) {
		put_text(more, false);
		putchar('\n');
	}
}

static void manual_option(const struct cli_option *option)
{
	const char *arg = option->arg ?: "";

	printf(".TP\n.BI ");
	put_roff("--", 2);
	put_roff(option->name, strlen(option->name));
	printf(*arg == '[' ? " \"" : *arg ? " \" " : "");
	put_roff(arg, strlen(arg));
	puts(*arg ? "\"" : "");
	put_phrase(option->help, option->more);
}

static void manual_command(const struct command *cmd)
{
	const struct cli_option *option;

	printf(".SS \"%s%s", cmd->name, *cmd->args ? " " : "");
	put_roff(cmd->args, strlen(cmd->args));
	puts("\"");
	put_text(cmd->help, false);
	if (cmd->more) {
		printf("\n.PP\n");
		put_text(cmd->more, false);
	}
	putchar('\n');
	for (option = cmd->options; option && option->name; option++)
		manual_option(option);
}

static void manual_workloads(void)
{
	const struct work_kind *kind;

	put_text(work_amounts, false);
	putchar('\n');
	for (kind = work_kinds; kind->name; kind++) {
		printf(".TP\n.BI %s \"%s\"\n", kind->name, kind->arg_name);
		put_phrase(kind->about, NULL);
	}
}

int manual(const struct command *const *commands, const char *part)
{
	if (!strcmp(part, "workloads"))
		manual_workloads();
	else if (!strcmp(part, "attributes"))
		attr_print_manual();
	else if (!strcmp(part, "commands"))
		for (; *commands; commands++)
			manual_command(*commands);
	else
		return CLI_USAGE;
	return CLI_OK;
}
