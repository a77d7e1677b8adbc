// SPDX-License-Identifier: GPL-2.0
/* wpoolctl show: everything that sysfs says about one pool. */
#include <errno.h>
#include <string.h>

#include "attrs.h"
#include "cli.h"
#include "out.h"
#include "sysfs.h"

struct group {
	const char *title;
	const char *attrs[20];
};

static const struct group groups[] = {
	{ "Limits", { "capacity", "capacity_per_cpu", "queue_depth", "policy",
		      "max_blocking", "max_wait_ms" } },
	{ "Workers", { "min_workers", "expiry_ms", "order", "prealloc", "reclaim", "nice",
		       "sched", "cpumask", "cgroup" } },
	{ "Scheduling", { "concurrency", "spin_us", "hog_ms", "handoff",
			  "latency", "freezable" } },
	{ "Now", { "state", "owner", "workers", "idle", "searching", "busy", "blocked",
		   "queued", "outstanding", "free", "waiting", "pressure" } },
	{ "Since it was created", { "submitted", "completed", "failed",
				    "cancelled", "overdue", "errors", "refused", "stolen",
				    "handoffs", "hogs", "spawned",
				    "spawn_failed", "spawn_error", "exhausted", "rescued",
				    "expired", "faults" } },
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

/* What is shown of one pool, and how. */
struct shown {
	const char *pool;
	const char *only;	/* names, separated by commas; NULL for all */
	bool prealloc;
	struct json_object *json;
	struct json_object *changed;
};

static bool is_wanted(const struct shown *shown, const char *attr)
{
	const char *name = shown->only;
	size_t len;

	if (!name)
		return true;
	for (;; name += len + 1) {
		len = strcspn(name, ",");
		if (strlen(attr) == len && !memcmp(attr, name, len))
			return true;
		if (!name[len])
			return false;
	}
}

/* A list of CPUs can be longer than a line: it continues below. */
static void print_value(const char *attr, const char *value, const char *style,
			const char *preset)
{
	int room = out_width() - 17, len;

	printf("  %-16s ", attr);
	if (room < 20)
		room = 20;
	while ((int)strlen(value) > room && strchr(value, ',')) {
		for (len = room; len && value[len - 1] != ','; len--)
			;
		if (!len)
			break;
		printf("%.*s\n%16s", len, value, "");
		value += len;
	}
	printf("%s%s%s", style, value, *style ? out_plain() : "");
	if (preset)
		printf("%*s (default %s)", (int)(strlen(value) < 10 ? 10 - strlen(value) : 0),
		       "", preset);
	putchar('\n');
}

/* One value. 0 also if there is no such attribute. */
static int show_attr(const struct shown *shown, const char *attr, const char **title,
		     struct errmsg *e)
{
	char value[SYSFS_VALUE_LEN], buf[32];
	const char *style = "", *preset;
	int err;

	if (!is_wanted(shown, attr))
		return 0;
	err = sysfs_read(shown->pool, attr, value, sizeof(value), e);
	if (err == -ENOENT)
		return 0;
	if (err)
		return err;
	preset = attr_default_unless(attr, value, shown->pool, shown->prealloc, buf,
				     sizeof(buf));
	if (shown->json) {
		out_json_add_file(shown->json, attr, value);
		if (preset)
			out_json_append(shown->changed, out_json_string(attr));
		return 0;
	}
	if (*title) {
		printf("%s%s%s\n", out_style(OUT_BOLD), *title, out_plain());
		*title = NULL;
	}
	if (!strcmp(attr, "state"))
		style = out_style(out_state_style(value));
	else if (preset)
		style = out_style(OUT_BOLD);
	print_value(attr, value, style, preset);
	return 0;
}

static int show_group(const struct shown *shown, const struct group *group,
		      const struct sysfs_names *present, struct errmsg *e)
{
	const char *title = group->title;
	int err = 0;
	size_t i;

	for (i = 0; !err && group->attrs[i]; i++)
		err = show_attr(shown, group->attrs[i], &title, e);
	if (group->attrs[0])
		return err;
	for (i = 0; !err && i < present->nr; i++)
		if (!is_boring(present->name[i]) && !in_any_group(present->name[i]))
			err = show_attr(shown, present->name[i], &title, e);
	return err;
}

/* Each name that was asked for is that of a file. */
static int check_only(const struct shown *shown, const struct sysfs_names *present,
		      struct errmsg *e)
{
	const char *name = shown->only;
	size_t len, i;

	for (; name; name = name[len] ? name + len + 1 : NULL) {
		len = strcspn(name, ",");
		for (i = 0; i < present->nr; i++)
			if (strlen(present->name[i]) == len &&
			    !memcmp(present->name[i], name, len))
				break;
		if (i == present->nr)
			return errmsg_set(e, "--columns: pool '%s' has no '%.*s'",
					  shown->pool, len < 40 ? (int)len : 40, name);
	}
	return 0;
}

static bool has_prealloc(const char *pool)
{
	char value[SYSFS_VALUE_LEN];
	struct errmsg e;

	return !sysfs_read(pool, "prealloc", value, sizeof(value), &e) &&
	       !strcmp(value, "1");
}

static int show_pool(const struct command *cmd, struct shown *shown, bool json)
{
	struct sysfs_names present;
	struct errmsg e;
	size_t g;
	int err;

	err = sysfs_list_attrs(shown->pool, &present, &e);
	if (err)
		goto err_report;
	if (check_only(shown, &present, &e))
		cli_usage(cmd, "%s", e.text);
	shown->prealloc = has_prealloc(shown->pool);
	if (json) {
		shown->json = out_json_new();
		shown->changed = out_json_new_array();
		out_json_add_string(shown->json, "name", shown->pool);
	} else {
		printf("%sPool %s%s\n", out_style(OUT_BOLD), shown->pool, out_plain());
	}
	for (g = 0; !err && g < ARRAY_SIZE(groups); g++)
		err = show_group(shown, &groups[g], &present, &e);
	sysfs_names_exit(&present);
	if (!err)
		err = sysfs_find_pool(shown->pool, &e);	/* destroyed meanwhile */
	if (json)
		out_json_add(shown->json, "not_default", shown->changed);
	if (err)
		goto err_free;
	if (json)
		out_json_print(shown->json);
	return CLI_OK;

err_free:
	json_object_put(shown->json);
err_report:
	cli_error(cmd, "%s", e.text);
	return CLI_FAILED;
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
	struct shown shown = { };
	bool json = false;
	int opt;

	while ((opt = cli_getopt(cmd, argc, argv, options)) != -1) {
		if (opt == OPT_JSON)
			json = true;
		else
			shown.only = optarg;
	}
	shown.pool = cli_pool_arg(cmd, argc, argv);
	optind++;
	cli_no_more_args(cmd, argc, argv);
	return show_pool(cmd, &shown, json);
}

const struct command cmd_show = {
	.name = "show",
	.args = "POOL [--columns NAME,...] [--json]",
	.summary = "show all attributes and figures of a pool",
	.help =
"Shows all attributes and figures of a pool. An attribute that is not at its\n"
"default has that behind it. Documentation/tuning.rst says what each means;\n"
"'wpoolctl tune --help' lists those that can be changed.\n"
"\n"
"  --columns NAME,...  only these, by the names of the sysfs files\n"
"  --json              one object; the keys are the names of the sysfs files, and\n"
"                      not_default lists those attributes that are not",
	.run = run,
};
