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

struct shown {
	const char *pool;
	bool as_json;
	bool prealloc;
	struct json_object *json;
	struct json_object *changed;
};

/* The place of a file in the list, or NULL. */
static struct dirent **find(const struct sysfs_names *files, const char *name)
{
	struct dirent **file = files->entry;

	for (; file < files->entry + files->nr; file++)
		if (*file && !strcmp((*file)->d_name, name))
			return file;
	return NULL;
}

/* A list of CPUs that is longer than a line continues below. */
static void print_value(const char *attr, const char *value, const char *style, const char *preset)
{
	int room = max(out_width() - 19, 20), len;

	printf("  %-16s ", attr);
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
		printf("%*s (default %s)", 10 - (int)min(strlen(value), 10UL),
		       "", preset);
	putchar('\n');
}

static int show_attr(const struct shown *shown, const char *attr, const char **title,
		     struct errmsg *e)
{
	char value[SYSFS_VALUE_LEN], buf[32];
	const char *style = "", *preset;
	int err;

	err = sysfs_read(shown->pool, attr, value, sizeof(value), e);
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

/* Shows the files of a group, and takes them off the list: those left at the end are unknown. */
static int show_group(const struct shown *shown, enum group group,
		      const struct sysfs_names *files, struct errmsg *e)
{
	const char *title = titles[group], *name;
	struct dirent **file;
	int err = 0;
	size_t i;

	for (i = 0; !err && i < ARRAY_SIZE(known_files); i++) {
		name = known_files[i].name;
		file = known_files[i].group == group ? find(files, name) : NULL;
		if (!file)
			continue;
		err = show_attr(shown, name, &title, e);
		*file = NULL;
	}
	for (i = 0; !err && group == OTHER && i < files->nr; i++)
		if (files->entry[i])
			err = show_attr(shown, files->entry[i]->d_name, &title, e);
	return err;
}

static int show_pool(struct shown *shown, struct errmsg *e)
{
	char prealloc[SYSFS_VALUE_LEN];
	struct sysfs_names files;
	enum group group;
	int err = sysfs_list_attrs(shown->pool, &files, e);

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
		err = show_group(shown, group, &files, e);
	if (!err && shown->as_json) {
		json_put(shown->json, "not_default", shown->changed);
		json_print(shown->json);
	}
	return err;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	struct shown shown = { };

	cli_parse(cmd, argc, argv, &shown);
	shown.pool = cli_only_pool_arg(cmd, argc, argv);
	return show_pool(&shown, e);
}

static const struct cli_option options[] = {
	{ "json", NULL,
	  "one object; the keys are the names of the sysfs files; not_default lists the\n"
	  "attributes that are not at their defaults",
	  CLI_FLAG(struct shown, as_json) },
	{ }
};

const struct command cmd_show = {
	.name = "show",
	.args = "POOL [--json]",
	.summary = "show all attributes and figures of a pool",
	.help =
"Shows all attributes and figures of a pool. An attribute that is not at its default is\n"
"followed by the default. sysfs-class-wpool, whose path is in wpoolctl(8), explains all of\n"
"them; 'wpoolctl tune --help' lists the attributes that can be changed.",
	.options = options,
	.run = run,
};
