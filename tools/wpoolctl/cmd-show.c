// SPDX-License-Identifier: GPL-2.0
/* wpoolctl show: a pool's sysfs files, except histogram. */
#include "attrs.h"
#include "cli.h"
#include "out.h"
#include "sysfs.h"

enum group { LIMITS, WORKERS, SCHEDULING, GAUGE, COUNTER, OTHER };

static const char *const titles[] = {
	[LIMITS] = "Limits", [WORKERS] = "Workers", [SCHEDULING] = "Scheduling", [GAUGE] = "Now",
	[COUNTER] = "Since it was created", [OTHER] = "Other",
};

/* The files of a pool. Those of a newer module that are not here are in the group OTHER. */
static const struct known_file {
	const char *name;
	enum group group;
} known_files[] = {
#define WPOOL_ATTR(_name, _use, _NAME, _type, _min, _max, _preset, _words, _group, ...) \
	{ #_name, _group },
#define WPOOL_ATTR_CPUS(_name, ...)	{ #_name, WORKERS },
#include "../../module/pool/attr_table.h"
	{ "cgroup", WORKERS }, { "state", GAUGE }, { "owner", GAUGE }, { "pressure", GAUGE },
	{ "free", GAUGE }, { "spawn_error", COUNTER },
#define WPOOL_FIGURE(_name, _NAME, _where, _kind, ...)	{ #_name, _kind },
#include "../../module/pool/figure_table.h"
};

static bool is_known(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known_files); i++)
		if (!strcmp(known_files[i].name, name))
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

static int show_group(const struct shown *shown, enum group group,
		      const struct sysfs_names *present, struct errmsg *e)
{
	const char *title = titles[group];
	int err = 0;
	size_t i;

	for (i = 0; !err && i < ARRAY_SIZE(known_files); i++)
		if (known_files[i].group == group)
			err = show_attr(shown, known_files[i].name, &title, e);
	for (i = 0; !err && group == OTHER && i < present->nr; i++)
		if (!is_known(present->entry[i]->d_name))
			err = show_attr(shown, present->entry[i]->d_name, &title, e);
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
			if (!strncmp(present->entry[i]->d_name, name, len) &&
			    !present->entry[i]->d_name[len])
				break;
		if (i == present->nr)
			return errmsg_set(e, "--columns: pool '%s' has no '%.*s'",
					  shown->pool, len < 40 ? (int)len : 40, name);
	}
	return 0;
}

static int show_pool(struct shown *shown, struct errmsg *e)
{
	char prealloc[SYSFS_VALUE_LEN];
	struct sysfs_names present;
	enum group group;
	int err;

	err = sysfs_list_attrs(shown->pool, &present, e);
	if (err)
		return err;
	err = check_only(shown, &present, e);
	if (err)
		return err;
	shown->prealloc = !sysfs_read(shown->pool, "prealloc", prealloc, sizeof(prealloc), e) &&
			  !strcmp(prealloc, "1");
	if (shown->as_json) {
		shown->json = json_new();
		shown->changed = json_new_array();
		json_put(shown->json, "name", shown->pool);
	} else {
		printf("%sPool %s%s\n", out_style(OUT_BOLD), shown->pool, out_plain());
	}
	for (group = 0; !err && group < ARRAY_SIZE(titles); group++)
		err = show_group(shown, group, &present, e);
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
	return show_pool(&shown, &e) ? cli_fail(cmd, &e) : CLI_OK;
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
