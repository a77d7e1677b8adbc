// SPDX-License-Identifier: GPL-2.0
/* wpoolctl apply: make pools be as a file declares them. */
#include "alloc.h"
#include "attrs.h"
#include "cli.h"
#include "dev.h"
#include "ini.h"
#include "sysfs.h"

#define DEFAULT_FILE	"/etc/wpool.conf"

enum deed {
	DEED_NONE,
	DEED_TUNE,
	DEED_CREATE,
};

struct declared {
	char *pool;
	struct attr_set set;	/* of an existing pool: only the attributes to change */
	enum deed deed;
	unsigned int line;	/* the line "[pool]" */
	bool is_wrong;		/* a line is wrong, so do not check the section as a whole */
};

struct declaration {
	const struct command *cmd;
	const char *file;
	bool only_check;
	struct declared **pool;		/* pointers: a struct attr_set must not move */
	unsigned int nr;
};

/* ---- reading the file ---- */

static int begin_pool(struct declaration *declaration, unsigned int line, const char *name,
		      struct errmsg *e)
{
	struct declared *pool;
	unsigned int i;

	if (parse_pool_name(name, e))
		return -1;
	for (i = 0; i < declaration->nr; i++)
		if (!strcmp(declaration->pool[i]->pool, name))
			return errmsg_set(e, "there is a section " ERRMSG_Q " already", name);
	pool = alloc_zeroed(1, sizeof(*pool));
	pool->pool = alloc_copy(name);
	pool->line = line;
	declaration->pool = alloc_one_more(declaration->pool, declaration->nr, sizeof(pool));
	declaration->pool[declaration->nr++] = pool;
	return 0;
}

static int take_line(void *arg, unsigned int line, const char *section, const char *key,
		     const char *value, struct errmsg *e)
{
	struct declaration *declaration = arg;
	struct declared *pool;
	char *assignment;
	int err;

	if (!key)
		return begin_pool(declaration, line, section, e);
	pool = declaration->pool[declaration->nr - 1];
	if (!value) {
		pool->is_wrong = true;
		return errmsg_set(e, "%.40s: wants a value", key);
	}
	if (asprintf(&assignment, "%s=%s", key, value) < 0)
		alloc_checked(NULL);
	err = attr_set_add(&pool->set, ATTR_CREATE, assignment, e);
	free(assignment);
	if (!err)
		return 0;
	pool->is_wrong = true;
	if (strchr(value, '#'))
		errmsg_set(e, "%.240s (a comment has a line of its own)", e->text);
	return -1;
}

static void complain(void *arg, const struct errmsg *e)
{
	const struct declaration *declaration = arg;

	cli_error(declaration->cmd, "%s", e->text);
}

/* ---- comparing with the pools ---- */

/*
 * Removes the cgroup from the set if the pool is in it. sysfs shows the path below ATTR_CGROUPS. If
 * cgroups are mounted elsewhere, the same cgroup is set again, which is harmless.
 */
static void leave_cgroup_change(struct declared *pool)
{
	char now[SYSFS_VALUE_LEN];
	struct errmsg e;

	if (sysfs_read(pool->pool, "cgroup", now, sizeof(now), &e))
		return;
	if (!strncmp(pool->set.cgroup, ATTR_CGROUPS, strlen(ATTR_CGROUPS)) &&
	    !strcmp(pool->set.cgroup + strlen(ATTR_CGROUPS), strcmp(now, "none") ? now : ""))
		*pool->set.cgroup = '\0';
}

static int look(struct declared *pool, struct errmsg *e)
{
	struct wpool_dev_attrs now;
	int fd = dev_open(), err = fd;
	struct cpulist cpus;

	if (fd >= 0)
		err = dev_attach(fd, pool->pool);
	if (!err)
		err = dev_info(fd, &now, &cpus);
	if (fd >= 0)
		close(fd);
	if (err == -ENOENT && fd >= 0) {
		pool->deed = DEED_CREATE;
		return attr_set_check(&pool->set, NULL, e);
	}
	if (err)
		return dev_explain(e, err, pool->pool);
	/* check this before equal values are removed from the set */
	if (attr_set_check_given(&pool->set, e) ||
	    attr_set_leave_changes(&pool->set, &now, &cpus, e))
		return -1;
	leave_cgroup_change(pool);
	pool->deed = attr_set_is_empty(&pool->set) ? DEED_NONE : DEED_TUNE;
	return attr_set_check(&pool->set, &now, e);
}

static int act(struct declared *pool, struct errmsg *e)
{
	int fd, err;

	if (pool->deed == DEED_NONE)
		return 0;
	fd = pool->deed == DEED_CREATE ? attr_set_create(pool->pool, &pool->set, e) :
					 dev_open_pool(pool->pool, e);
	if (fd < 0)
		return fd;
	err = pool->deed == DEED_CREATE ? 0 : attr_set_tune(fd, &pool->set);
	close(fd);
	if (err)
		attr_explain(e, err, pool->pool, &pool->set);
	return err;
}

/* Reports all errors before any pool changes. */
static int look_at_all(const struct declaration *declaration, struct errmsg *e)
{
	int code = CLI_OK;
	unsigned int i;

	for (i = 0; i < declaration->nr; i++) {
		struct declared *pool = declaration->pool[i];

		if (pool->is_wrong || !look(pool, e))
			continue;
		cli_error(declaration->cmd, "%.100s:%u: [%s]: %s", declaration->file, pool->line,
			  pool->pool, e->text);
		code = CLI_FAILED;
	}
	return code;
}

/* If one pool fails, continue with the others. */
static int act_on_all(const struct declaration *declaration, struct errmsg *e)
{
	/* done, and only checked */
	static const char *const deeds[][2] = {
		[DEED_NONE] = { "is so already", "is so already" },
		[DEED_TUNE] = { "changed", "would be changed" },
		[DEED_CREATE] = { "made", "would be made" },
	};
	int code = CLI_OK;
	unsigned int i;

	for (i = 0; i < declaration->nr; i++) {
		struct declared *pool = declaration->pool[i];

		if (!declaration->only_check && act(pool, e))
			code = cli_fail(declaration->cmd, e);
		else
			printf("%s: %s\n", pool->pool, deeds[pool->deed][declaration->only_check]);
	}
	return code;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	struct declaration declaration = { .cmd = cmd, .file = DEFAULT_FILE };
	int code;

	cli_parse(cmd, argc, argv, &declaration);
	if (optind < argc)
		declaration.file = argv[optind++];
	cli_no_more_args(cmd, argc, argv);
	/* report every wrong line, and then every wrong section */
	code = ini_read(declaration.file, take_line, complain, &declaration) ? CLI_FAILED : CLI_OK;
	code = look_at_all(&declaration, e) ?: code;
	if (!code)
		code = act_on_all(&declaration, e);
	return code;
}

static const struct cli_option options[] = {
	{ "check", NULL, "only print what would change", CLI_FLAG(struct declaration, only_check) },
	{ }
};

const struct command cmd_apply = {
	.name = "apply",
	.args = "[--check] [FILE]",
	.summary = "make the pools that a file declares, or tune existing ones",
	.help =
"Makes each pool that the file declares. If the pool exists, changes the attributes that\n"
"differ from the declared ones. FILE is " DEFAULT_FILE " if none is named.\n"
"A section is a pool, its lines are attributes; a line that begins with # or ; is a comment:\n"
"\n"
"  [batch]\n"
"  capacity = 64\n"
"  queue_depth = max\n"
"\n"
"If the file has errors, all of them are printed and nothing is done. Pools and attributes\n"
"that the file does not name stay as they are.",
	.more = "A unit of systemd does this whenever the module is loaded.",
	.options = options,
	.run = run,
};
