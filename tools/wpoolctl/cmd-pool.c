// SPDX-License-Identifier: GPL-2.0
/* wpoolctl create, tune, release, reboot and destroy: commands that change a pool. */
#include "alloc.h"
#include "attrs.h"
#include "cli.h"
#include "dev.h"

/* "POOL ATTRIBUTE=VALUE..."; returns the pool. */
static const char *read_attrs(const struct command *cmd, int argc, char **argv, enum attr_use use,
			      struct attr_set *set)
{
	const char *pool;
	struct errmsg e;

	cli_parse(cmd, argc, argv, NULL);
	pool = cli_pool_arg(cmd, argc, argv);
	while (++optind < argc)
		if (attr_set_add(set, use, argv[optind], &e))
			cli_usage(cmd, "%s", e.text);
	return pool;
}

/* ---- create ----------------------------------------------------------------- */

static int run_create(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	struct attr_set set = { };
	const char *pool = read_attrs(cmd, argc, argv, ATTR_CREATE, &set);

	if (attr_set_check(&set, NULL, e))
		cli_usage(cmd, "%s", e->text);
	return min(attr_set_create(pool, &set, e), 0);
}

const struct command cmd_create = {
	.name = "create",
	.args = "POOL [ATTRIBUTE=VALUE]...",
	.summary = "make a pool",
	.help =
"Makes a pool, which lives until it is destroyed or the module is unloaded. Attributes that\n"
"are not given have their defaults, see wpoolctl(8).\n"
"\n"
"  wpoolctl create batch capacity=64 queue_depth=max nice=10",
	.more_help = attr_print_help,
	.help_of = ATTR_CREATE,
	.run = run_create,
};

/* ---- tune ------------------------------------------------------------------- */

static int run_tune(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	struct attr_set set = { };
	const char *pool = read_attrs(cmd, argc, argv, ATTR_TUNE, &set);
	struct wpool_dev_attrs now;
	int fd, err;

	if (attr_set_is_empty(&set))
		cli_usage(cmd, "nothing to change: give ATTRIBUTE=VALUE");
	/* the cgroup needs a second ioctl: if it failed, half of the tune would be done */
	if (*set.cgroup && set.attrs.mask)
		cli_usage(cmd, "cgroup: not together with other attributes");
	if (attr_set_check_given(&set, e))
		cli_usage(cmd, "%s", e->text);
	fd = dev_open_pool(pool, e);
	if (fd < 0)
		return fd;
	err = dev_info(fd, &now, NULL);
	if (!err && attr_set_check(&set, &now, e))
		return -1;
	err = err ?: attr_set_tune(fd, &set);
	if (err)
		attr_explain(e, err, pool, &set);
	return err;
}

const struct command cmd_tune = {
	.name = "tune",
	.args = "POOL ATTRIBUTE=VALUE...",
	.summary = "change attributes of a pool, all of them or none",
	.help =
"Changes attributes of a pool, also under load: all that are given, or none if one is refused.\n"
"cgroup cannot be combined with other attributes.\n"
"\n"
"  wpoolctl tune batch capacity=128 min_workers=8",
	.more_help = attr_print_help,
	.help_of = ATTR_TUNE,
	.run = run_tune,
};

/* ---- release and reboot ----------------------------------------------------- */

#define MAX_TIMEOUT_NS	(24ULL * 60 * 60 * NSEC_PER_SEC)

struct release {
	bool own, cancel, wait;
	__u64 timeout_ns;	/* 0 is forever */
};

static int run_release(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	struct wpool_dev_stats stats;
	struct release how = { };
	const char *pool;
	__u64 end_ns, now;
	__u32 flags = 0;
	int fd, err;

	cli_parse(cmd, argc, argv, &how);
	if (how.cancel)
		flags |= WPOOL_DEV_RELEASE_CANCEL;
	if (how.wait || how.timeout_ns)
		flags |= WPOOL_DEV_RELEASE_WAIT;
	if (how.own && flags)
		cli_usage(cmd, "--own excludes all other options: its tasks may continue forever");
	if (how.own)
		flags = WPOOL_DEV_RELEASE_OWN;
	pool = cli_only_pool_arg(cmd, argc, argv);
	fd = dev_open_pool(pool, e);
	if (fd < 0)
		return fd;
	end_ns = now_ns() + how.timeout_ns;
	/*
	 * A stop (^Z) interrupts the wait: continue with the rest of the time, at least 1 ns. But
	 * leave alone a pool that was rebooted meanwhile.
	 */
	while ((err = dev_release(fd, flags, how.timeout_ns)) == -EINTR) {
		if (!dev_stats(fd, &stats) && stats.state != WPOOL_DEV_CLOSED)
			return CLI_OK;
		now = now_ns();
		if (how.timeout_ns)
			how.timeout_ns = end_ns > now ? end_ns - now : 1;
	}
	return err ? dev_explain(e, err, pool) : CLI_OK;
}

static const struct cli_option release_options[] = {
	{ "cancel", NULL, "queued tasks do not run; they end as cancelled",
	  CLI_FLAG(struct release, cancel) },
	{ "wait", NULL, "return when no task and no worker is left",
	  CLI_FLAG(struct release, wait) },
	{ "timeout", "SECONDS",
	  "wait, but no longer than this (ns, us, ms, m, h, too); exit 1 if the time runs out",
	  "The pool is closed in any case.",
	  CLI_SECONDS(struct release, timeout_ns, 1, MAX_TIMEOUT_NS) },
	{ "own", NULL,
	  "the pool's timers and polls still fire, and its tasks still submit: it is closed to\n"
	  "everybody else",
	  CLI_FLAG(struct release, own) },
	{ }
};

const struct command cmd_release = {
	.name = "release",
	.args = "POOL [--own | [--cancel] [--wait] [--timeout SECONDS]]",
	.summary = "close a pool: it accepts no more tasks",
	.help =
"Closes a pool: it accepts no more tasks, refuses submitters that wait, and runs all\n"
"accepted tasks to their end. 'wpoolctl reboot' opens it again.",
	.options = release_options,
	.run = run_release,
};

static int run_reboot(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	const char *pool;
	int fd, err;

	cli_parse(cmd, argc, argv, NULL);
	pool = cli_only_pool_arg(cmd, argc, argv);
	fd = dev_open_pool(pool, e);
	if (fd < 0)
		return fd;
	err = dev_simple(fd, WPOOL_IOC_REBOOT);
	return err ? dev_explain(e, err, pool) : CLI_OK;
}

const struct command cmd_reboot = {
	.name = "reboot",
	.args = "POOL",
	.summary = "open a released pool again",
	.help =
"Waits until all accepted tasks of a released pool are finished, and opens it again. Does\n"
"nothing to an open pool.",
	.run = run_reboot,
};

/* ---- destroy ---------------------------------------------------------------- */

/* Attaches to all pools first: if a name is wrong, no pool is destroyed. */
static int destroy(const struct command *cmd, char **pools, int nr, struct errmsg *e)
{
	int *fds = alloc_zeroed(nr, sizeof(*fds)), code = CLI_OK, err, i;

	for (i = 0; i < nr; i++) {
		fds[i] = dev_open_pool(pools[i], e);
		if (fds[i] < 0)
			return fds[i];
	}
	for (i = 0; i < nr; i++) {
		err = dev_simple(fds[i], WPOOL_IOC_DESTROY);
		if (!err)
			continue;
		dev_explain(e, err, pools[i]);
		code = cli_fail(cmd, e);
	}
	return code;
}

static int run_destroy(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	int first;

	cli_parse(cmd, argc, argv, NULL);
	first = optind;
	do {
		cli_pool_arg(cmd, argc, argv);
	} while (++optind < argc);
	return destroy(cmd, argv + first, argc - first, e);
}

const struct command cmd_destroy = {
	.name = "destroy",
	.args = "POOL...",
	.summary = "end pools",
	.help =
"Ends pools: submitters that wait are refused, accepted tasks run to their end, the workers\n"
"end. If a named pool does not exist, no pool is ended. Pools that belong to a module, and\n"
"'default', cannot be ended.",
	.run = run_destroy,
};
