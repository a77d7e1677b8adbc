// SPDX-License-Identifier: GPL-2.0
/* wpoolctl list: a table of all pools. */
#include <errno.h>
#include <string.h>

#include "cli.h"
#include "out.h"
#include "sysfs.h"

static const enum figure columns[] = {
	FIGURE_WORKERS, FIGURE_IDLE, FIGURE_BUSY, FIGURE_BLOCKED,
	FIGURE_WAITING, FIGURE_QUEUED, FIGURE_OUTSTANDING, FIGURE_SUBMITTED,
	FIGURE_COMPLETED,
};

static void print_header(int name_width)
{
	size_t i;

	printf("%s%-*s %-9s %8s %11s", out_style(OUT_BOLD), name_width, "name",
	       "state", "capacity", "queue_depth");
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		printf(" %7s", figure_names[columns[i]]);
	printf("%s\n", out_plain());
}

static void print_row(int name_width, const char *name, const struct snapshot *shot)
{
	size_t i;

	printf("%-*s %s%-9s%s %8s %11s", name_width, name,
	       out_style(out_state_style(shot->state)), shot->state, out_plain(),
	       shot->capacity, shot->queue_depth);
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		printf(" %*llu", (int)strlen(figure_names[columns[i]]) > 7 ?
		       (int)strlen(figure_names[columns[i]]) : 7,
		       shot->value[columns[i]]);
	putchar('\n');
}

static struct json_object *json_row(const char *name, const struct snapshot *shot)
{
	struct json_object *row = out_json_new();
	size_t i;

	out_json_add_string(row, "name", name);
	out_json_add_string(row, "state", shot->state);
	out_json_add_value(row, "capacity", shot->capacity);
	out_json_add_value(row, "queue_depth", shot->queue_depth);
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		out_json_add_u64(row, figure_names[columns[i]],
				 shot->value[columns[i]]);
	return row;
}

static int list_pools(const struct command *cmd, bool json)
{
	struct json_object *array = NULL;
	struct sysfs_names pools;
	int name_width = 4;
	struct snapshot shot;
	struct errmsg e;
	size_t i;
	int err;

	if (sysfs_list_pools(&pools, &e)) {
		cli_error(cmd, "%s", e.text);
		return CLI_FAILED;
	}
	for (i = 0; i < pools.nr; i++)
		if ((int)strlen(pools.name[i]) > name_width)
			name_width = strlen(pools.name[i]);
	if (json)
		array = out_json_new_array();
	else
		print_header(name_width);
	for (i = 0, err = 0; i < pools.nr; i++) {
		int ret = sysfs_snapshot(pools.name[i], &shot, &e);

		/* destroyed since the directory was read: not in the list */
		if (ret == -ENOENT || ret == -ENODEV)
			continue;
		if (ret) {
			cli_error(cmd, "%s", e.text);
			err = ret;
		} else if (json) {
			out_json_append(array, json_row(pools.name[i], &shot));
		} else {
			print_row(name_width, pools.name[i], &shot);
		}
	}
	if (json)
		out_json_print(array);
	sysfs_names_exit(&pools);
	return err ? CLI_FAILED : CLI_OK;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	enum { OPT_JSON = CLI_OPT_FIRST };
	static const struct option options[] = {
		{ "json", no_argument, NULL, OPT_JSON },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	bool json = false;

	while (cli_getopt(cmd, argc, argv, options) != -1)
		json = true;
	cli_no_more_args(cmd, argc, argv);
	return list_pools(cmd, json);
}

const struct command cmd_list = {
	.name = "list",
	.args = "[--json]",
	.summary = "show all pools",
	.help =
"Shows all pools in a table: their limits, their workers and their tasks.\n"
"outstanding is what was accepted and is not yet finished.\n"
"\n"
"  --json  an array of objects; the keys are the names of the sysfs files",
	.run = run,
};
