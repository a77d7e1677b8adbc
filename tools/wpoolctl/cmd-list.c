// SPDX-License-Identifier: GPL-2.0
/* wpoolctl list: a table of all pools. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "columns.h"
#include "out.h"
#include "sysfs.h"

#define DEFAULT_COLUMNS	"name,state,capacity,queue_depth,workers,busy,blocked,waiting," \
			"queued,owner,outstanding,submitted,completed"

/* All pools, or an error. Those that went meanwhile have no name in the list. */
static int read_pools(const struct command *cmd, struct sysfs_names *pools,
		      struct snapshot **shots)
{
	struct errmsg e;
	size_t i;
	int ret, err = 0;

	if (sysfs_list_pools(pools, &e)) {
		cli_error(cmd, "%s", e.text);
		return CLI_FAILED;
	}
	*shots = calloc(pools->nr + 1, sizeof(**shots));
	if (!*shots) {
		cli_error(cmd, "out of memory");
		return CLI_FAILED;
	}
	for (i = 0; i < pools->nr; i++) {
		ret = sysfs_snapshot(pools->name[i], &(*shots)[i], &e);
		if (!ret)
			continue;
		/* destroyed since the directory was read: not in the list */
		if (ret != -ENOENT && ret != -ENODEV) {
			cli_error(cmd, "%s", e.text);
			err = CLI_FAILED;
		}
		free(pools->name[i]);
		pools->name[i] = NULL;
	}
	return err;
}

static void print_json(const struct columns *columns, const struct sysfs_names *pools,
		       const struct snapshot *shots)
{
	struct json_object *array = out_json_new_array(), *row;
	struct pool_line line;
	size_t i;

	for (i = 0; i < pools->nr; i++) {
		if (!pools->name[i])
			continue;
		line = (struct pool_line){ pools->name[i], &shots[i], NULL };
		row = out_json_new();
		out_json_add_string(row, "name", pools->name[i]);
		columns_add_json(columns, &line, row);
		out_json_append(array, row);
	}
	out_json_print(array);
}

static void print_table(struct columns *columns, const struct sysfs_names *pools,
			const struct snapshot *shots)
{
	size_t i, nr;

	for (i = 0; i < pools->nr; i++)
		if (pools->name[i])
			columns_widen(columns, &(struct pool_line){ pools->name[i],
				      &shots[i], NULL });
	nr = columns_fit(columns, out_width());
	columns_print_titles(columns, nr);
	for (i = 0; i < pools->nr; i++)
		if (pools->name[i])
			columns_print(columns, nr, &(struct pool_line){ pools->name[i],
				      &shots[i], NULL });
}

static int list_pools(const struct command *cmd, struct columns *columns, bool json)
{
	struct snapshot *shots = NULL;
	struct sysfs_names pools = { };
	int code = read_pools(cmd, &pools, &shots);

	if (shots && json)
		print_json(columns, &pools, shots);
	else if (shots)
		print_table(columns, &pools, shots);
	free(shots);
	sysfs_names_exit(&pools);
	return code;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	enum { OPT_JSON = CLI_OPT_FIRST, OPT_COLUMNS };
	static const struct option options[] = {
		{ "columns", required_argument, NULL, OPT_COLUMNS },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct columns columns;
	bool json = false;
	struct errmsg e;
	int opt;

	columns_set(&columns, DEFAULT_COLUMNS);
	while ((opt = cli_getopt(cmd, argc, argv, options)) != -1) {
		if (opt == OPT_JSON)
			json = true;
		else if (columns_parse(&columns, optarg, false, &e))
			cli_usage(cmd, "--columns: %s", e.text);
	}
	if (json && !columns.chosen)
		columns_parse(&columns, "all", false, &e);
	cli_no_more_args(cmd, argc, argv);
	return list_pools(cmd, &columns, json);
}

static void more_help(void)
{
	columns_print_help(false);
}

const struct command cmd_list = {
	.name = "list",
	.args = "[--columns NAME,...] [--json]",
	.summary = "show all pools",
	.help =
"Shows all pools in a table, with as many columns as fit into the line.\n"
"outstanding is what was accepted and is not yet finished.\n"
"\n"
"  --columns NAME,...  these columns, however wide; 'all' for all\n"
"  --json              an array of objects, with all columns or those named; the\n"
"                      keys are the names of the sysfs files",
	.more_help = more_help,
	.run = run,
};
