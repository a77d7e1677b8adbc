// SPDX-License-Identifier: GPL-2.0
/*
 * For wpoolctl.bash-completion: print the words that may come next on a command line, one a line.
 * The line "@files" precedes them if a file name may come next, too.
 */
#include "attrs.h"
#include "cli.h"
#include "columns.h"
#include "work.h"

static void put_pools(void)
{
	struct sysfs_names names;
	struct errmsg e;
	size_t i;

	if (sysfs_list_pools(&names, &e))
		return;
	for (i = 0; i < names.nr; i++)
		puts(names.entry[i]->d_name);
}

static void put_works(void)
{
	const struct work_kind *kind;

	for (kind = work_kinds; kind->name; kind++)
		printf("%s%s\n", kind->name, *kind->arg_name ? ":" : "");
}

static void put_option_values(const struct cli_option *option)
{
	size_t i;

	for (i = 0; option->words && option->words[i]; i++)
		puts(option->words[i]);
	if (option->words)
		return;
	if (!strcmp(option->arg, "POOL"))
		put_pools();
	else if (!strcmp(option->arg, "FILE"))
		puts("@files");
	else if (!strcmp(option->arg, "COLUMN"))
		columns_put_names();
	else if (!strncmp(option->arg, "KIND[", 5))
		put_works();
}

/* "record|report [FILE]": the words before the blank */
static void put_verbs(const char *args)
{
	size_t len;

	for (; *args != ' '; args += len + (args[len] == '|')) {
		len = strcspn(args, "| ");
		printf("%.*s\n", (int)len, args);
	}
}

/* Print the possible next words except values of options. @first: the command is the last word. */
static void put_arguments(const struct command *cmd, bool first)
{
	bool attributes = strstr(cmd->args, "ATTRIBUTE");
	bool creates = !strcmp(cmd->name, "create");
	const struct cli_option *option;

	if (creates && first)
		return;
	if (strstr(cmd->args, "[FILE]"))
		puts("@files");
	if (*cmd->args >= 'a' && first)
		put_verbs(cmd->args);
	if (strstr(cmd->args, "POOL") && (first || !attributes))
		put_pools();
	if (attributes && !first)
		attr_put_names(creates ? ATTR_CREATE : ATTR_TUNE);
	for (option = cmd->options; option && option->name; option++)
		printf("--%s\n", option->name);
	puts("--help");
}

static const struct cli_option *find_option(const struct command *cmd, const char *word)
{
	const struct cli_option *option;

	for (option = cmd->options; option && option->name; option++)
		if (!strncmp(word, "--", 2) && !strcmp(option->name, word + 2))
			return option;
	return NULL;
}

static bool separates(const char *word)
{
	return !strcmp(word, "=") || !strcmp(word, ":");
}

/* The shell splits name=value and kind:value. The last word is the one being typed. */
int complete(const struct command *const *commands, int argc, char **argv)
{
	const struct command *cmd;
	const struct cli_option *option;

	if (argc < 2) {
		for (; *commands; commands++)
			puts((*commands)->name);
		puts("--help\n--version");
		return CLI_OK;
	}
	while (*commands && strcmp((*commands)->name, argv[0]))
		commands++;
	cmd = *commands;
	if (!cmd)
		return CLI_OK;
	/* behind "NAME =" or "NAME = VALUE", print values of NAME */
	if (argc > 2 && separates(argv[argc - 1]))
		argc++;
	if (argc > 3 && separates(argv[argc - 2])) {
		attr_put_words(argv[argc - 3],
			       strcmp(cmd->name, "tune") ? ATTR_CREATE : ATTR_TUNE);
		return CLI_OK;
	}
	option = find_option(cmd, argv[argc - 2]);
	if (option && option->arg && *option->arg != '[')
		put_option_values(option);
	else
		put_arguments(cmd, argc == 2);
	return CLI_OK;
}
