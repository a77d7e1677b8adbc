// SPDX-License-Identifier: GPL-2.0
/* wpoolctl show: a pool's sysfs files, except histogram. */
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
	/* attributes of a newer module that are not in this table */
	{ "Other", { NULL } },
};

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

struct shown {
	const char *pool;
	const char *only;	/* names, separated by commas; NULL for all */
	bool as_json;
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

/* A list of CPUs that is longer than a line continues below. */
static void print_value(const char *attr, const char *value, const char *style, const char *preset)
{
	int room = out_width() - 19, len;

	printf("  %-16s ", attr);
	if (room < 20)
		room = 20;
	while ((int)strlen(value) > room && strchr(value, ',') && strcmp(attr, "cgroup")) {
		for (len = room; len && value[len - 1] != ','; len--)
			;
		if (!len)
			break;
		printf("%.*s\n%19s", len, value, "");
		value += len;
	}
	printf("%s%s%s", style, value, *style ? out_plain() : "");
	if (preset)
		printf("%*s (default %s)", (int)(strlen(value) < 10 ? 10 - strlen(value) : 0),
		       "", preset);
	putchar('\n');
}

/* Shows a value if it is wanted. Returns 0 also if there is none. */
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
	make_printable(value, "");
	preset = attr_default_unless(attr, value, shown->pool, shown->prealloc, buf, sizeof(buf));
	if (shown->json) {
		json_put_file(shown->json, attr, value);
		if (preset)
			json_append_string(shown->changed, attr);
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
		if (!in_any_group(present->name[i]))
			err = show_attr(shown, present->name[i], &title, e);
	return err;
}

/* Checks that each requested name is the name of a file. */
static int check_only(const struct shown *shown, const struct sysfs_names *present,
		      struct errmsg *e)
{
	const char *name = shown->only;
	size_t len, i;

	for (; name; name = name[len] ? name + len + 1 : NULL) {
		len = strcspn(name, ",");
		for (i = 0; i < present->nr; i++)
			if (strlen(present->name[i]) == len && !memcmp(present->name[i], name, len))
				break;
		if (i == present->nr)
			return errmsg_set(e, "--columns: pool '%s' has no '%.*s'",
					  shown->pool, len < 40 ? (int)len : 40, name);
	}
	return 0;
}

static int show_pool(const struct command *cmd, struct shown *shown, struct errmsg *e)
{
	char prealloc[SYSFS_VALUE_LEN];
	struct sysfs_names present;
	size_t g;
	int err;

	err = sysfs_list_attrs(shown->pool, &present, e);
	if (err)
		return err;
	if (check_only(shown, &present, e))
		cli_usage(cmd, "%s", e->text);
	shown->prealloc = !sysfs_read(shown->pool, "prealloc", prealloc, sizeof(prealloc), e) &&
			  !strcmp(prealloc, "1");
	if (shown->as_json) {
		shown->json = json_new();
		shown->changed = json_new_array();
		json_put(shown->json, "name", shown->pool);
	} else {
		printf("%sPool %s%s\n", out_style(OUT_BOLD), shown->pool, out_plain());
	}
	for (g = 0; !err && g < ARRAY_SIZE(groups); g++)
		err = show_group(shown, &groups[g], &present, e);
	sysfs_names_exit(&present);
	if (!err)
		err = sysfs_find_pool(shown->pool, e);	/* destroyed meanwhile */
	if (!err && shown->as_json) {
		json_put(shown->json, "not_default", shown->changed);
		json_print(shown->json);
	}
	return err;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct shown shown = { };
	struct errmsg e;

	cli_parse(cmd, argc, argv, &shown);
	shown.pool = cli_only_pool_arg(cmd, argc, argv);
	return show_pool(cmd, &shown, &e) ? cli_fail(cmd, &e) : CLI_OK;
}

static const struct cli_option options[] = {
	{ "columns", "NAME,...", "only these sysfs files",
	  CLI_TEXT(struct shown, only) },
	{ "json", NULL,
	  "one object; the keys are the names of the sysfs files; not_default lists the\n"
	  "attributes that are not at their defaults",
	  CLI_FLAG(struct shown, as_json) },
	{ }
};

const struct command cmd_show = {
	.name = "show",
	.args = "POOL [--columns NAME,...] [--json]",
	.summary = "show all attributes and figures of a pool",
	.help =
"Shows all attributes and figures of a pool. An attribute that is not at its default is\n"
"followed by the default. tuning.rst explains all of them (its path is in wpoolctl(8));\n"
"'wpoolctl tune --help' lists the attributes that can be changed.",
	.options = options,
	.run = run,
};
