// SPDX-License-Identifier: GPL-2.0
/* wpoolctl list: a table of all pools. */
#include "cli.h"
#include "columns.h"
#include "out.h"

#define DEFAULT_COLUMNS	"name,state,capacity,queue_depth,workers,busy,blocked,waiting," \
			"queued,owner,outstanding,submitted,completed"

struct list {
	bool json;
	struct columns columns;
	struct pools pools;
};

static void print_json(const struct list *list)
{
	struct json_object *array = json_new_array();
	const struct pool *pool;

	for_each_pool(pool, &list->pools)
		json_append(array, columns_json(&list->columns, pool));
	json_print(array);
}

static void print_table(struct list *list)
{
	const struct pool *pool;
	size_t nr;

	for_each_pool(pool, &list->pools)
		columns_widen(&list->columns, pool);
	nr = columns_fit(&list->columns, out_width());
	columns_print_titles(&list->columns, nr, SIZE_MAX);
	for_each_pool(pool, &list->pools)
		columns_print(&list->columns, nr, pool);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	struct list list = { .pools.all = true };
	int err;

	columns_preset(&list.columns, DEFAULT_COLUMNS);
	cli_parse(cmd, argc, argv, &list);
	if (list.json && !list.columns.chosen)
		columns_choose_all(&list.columns, false);
	cli_no_more_args(cmd, argc, argv);
	err = pools_look(&list.pools, e);
	if (list.json && (!err || list.pools.nr))
		print_json(&list);
	else if (!err || list.pools.nr)
		print_table(&list);
	return err;
}

static const struct cli_option options[] = {
	{ "columns", "NAME,...", "these columns, in this order, however wide; 'all' for all",
	  CLI_COLUMNS(struct list, columns, false) },
	{ "json", NULL,
	  "an array of objects, with all columns or the named ones; the keys are the names of\n"
	  "the sysfs files",
	  CLI_FLAG(struct list, json) },
	{ }
};

const struct command cmd_list = {
	.name = "list",
	.args = "[--columns NAME,...] [--json]",
	.summary = "show all pools",
	.help =
"Shows all pools in a table, with as many columns as fit into the line. waiting: sleeping\n"
"submitters, events that fired, and strands; owner: the module that made the pool;\n"
"outstanding: accepted tasks that have not finished; submitted: tasks accepted since the pool\n"
"was made.",
	.options = options,
	.more_help = columns_print_help,
	.run = run,
};
