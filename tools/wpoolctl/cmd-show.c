// SPDX-License-Identifier: GPL-2.0
/* wpoolctl show: everything that sysfs says about one pool. */
#include <errno.h>
#include <string.h>

#include "cli.h"
#include "out.h"
#include "sysfs.h"

struct group {
	const char *title;
	const char *attrs[16];
};

static const struct group groups[] = {
	{ "Limits", { "capacity", "queue_depth", "policy", "max_blocking" } },
	{ "Workers", { "min_workers", "expiry_ms", "order", "prealloc", "nice",
		       "cpumask" } },
	{ "Scheduling", { "concurrency", "spin_us", "hog_ms", "handoff",
			  "latency" } },
	{ "Now", { "state", "workers", "idle", "searching", "busy", "blocked",
		   "queued", "outstanding", "free", "waiting" } },
	{ "Since it was created", { "submitted", "completed", "failed",
				    "cancelled", "refused", "stolen",
				    "handoffs", "hogs", "spawned", "expired",
				    "faults" } },
	/* what a newer module has and this table does not */
	{ "Other", { NULL } },
};

/* Files of every device, which say nothing about a pool. */
static bool is_boring(const char *attr)
{
	return !strcmp(attr, "uevent") || !strcmp(attr, "dev");
}

static bool in_group(const struct group *group, const char *attr)
{
	size_t i;

	for (i = 0; group->attrs[i]; i++)
		if (!strcmp(group->attrs[i], attr))
			return true;
	return false;
}

static bool in_any_group(const char *attr)
{
	size_t g;

	for (g = 0; g < ARRAY_SIZE(groups); g++)
		if (in_group(&groups[g], attr))
			return true;
	return false;
}

/* One value. 0 also if there is no such attribute. */
static int show_attr(const char *pool, const char *attr, struct json_object *json,
		     const char **title, struct errmsg *e)
{
	char value[SYSFS_VALUE_LEN];
	int err = sysfs_read(pool, attr, value, sizeof(value), e);

	if (err == -ENOENT)
		return 0;
	if (err)
		return err;
	if (json) {
		out_json_add_value(json, attr, value);
		return 0;
	}
	if (*title) {
		printf("%s%s%s\n", out_style(OUT_BOLD), *title, out_plain());
		*title = NULL;
	}
	if (!strcmp(attr, "state"))
		printf("  %-13s %s%s%s\n", attr, out_style(out_state_style(value)),
		       value, out_plain());
	else
		printf("  %-13s %s\n", attr, value);
	return 0;
}

static int show_group(const char *pool, const struct group *group,
		      const struct sysfs_names *present,
		      struct json_object *json, struct errmsg *e)
{
	const char *title = group->title;
	int err = 0;
	size_t i;

	for (i = 0; !err && group->attrs[i]; i++)
		err = show_attr(pool, group->attrs[i], json, &title, e);
	if (group->attrs[0])
		return err;
	for (i = 0; !err && i < present->nr; i++)
		if (!is_boring(present->name[i]) && !in_any_group(present->name[i]))
			err = show_attr(pool, present->name[i], json, &title, e);
	return err;
}

static int show_pool(const struct command *cmd, const char *pool, bool json)
{
	struct json_object *object = NULL;
	struct sysfs_names present;
	struct errmsg e;
	size_t g;
	int err;

	err = sysfs_list_attrs(pool, &present, &e);
	if (err)
		goto err_report;
	if (json) {
		object = out_json_new();
		out_json_add_string(object, "name", pool);
	} else {
		printf("%sPool %s%s\n", out_style(OUT_BOLD), pool, out_plain());
	}
	for (g = 0; !err && g < ARRAY_SIZE(groups); g++)
		err = show_group(pool, &groups[g], &present, object, &e);
	sysfs_names_exit(&present);
	if (!err)
		err = sysfs_find_pool(pool, &e);	/* destroyed meanwhile */
	if (err)
		goto err_free;
	if (json)
		out_json_print(object);
	return CLI_OK;

err_free:
	json_object_put(object);
err_report:
	cli_error(cmd, "%s", e.text);
	return CLI_FAILED;
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
	const char *pool;

	while (cli_getopt(cmd, argc, argv, options) != -1)
		json = true;
	pool = cli_pool_arg(cmd, argc, argv);
	optind++;
	cli_no_more_args(cmd, argc, argv);
	return show_pool(cmd, pool, json);
}

const struct command cmd_show = {
	.name = "show",
	.args = "POOL [--json]",
	.summary = "show all attributes and figures of a pool",
	.help =
"Shows all attributes and figures of a pool. Documentation/ABI says what each\n"
"means; 'wpoolctl tune --help' lists those that can be changed.\n"
"\n"
"  --json  one object; the keys are the names of the sysfs files",
	.run = run,
};
