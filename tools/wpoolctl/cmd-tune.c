// SPDX-License-Identifier: GPL-2.0
/* wpoolctl tune: change attributes of a pool, all or none of them. */
#include <unistd.h>

#include "attrs.h"
#include "cli.h"
#include "dev.h"

static int tune(const struct command *cmd, const char *pool,
		const struct attr_set *set)
{
	struct wpool_dev_attrs now;
	struct errmsg e;
	int fd, err;

	fd = dev_open_pool(pool, &e);
	if (fd < 0)
		goto err_report;
	err = dev_info(fd, &now);
	if (!err && attr_set_check(set, &now, &e)) {
		close(fd);
		goto err_report;
	}
	if (!err)
		err = dev_tune(fd, &set->attrs);
	close(fd);
	if (!err)
		return CLI_OK;
	attr_explain(&e, err, pool, set);
err_report:
	cli_error(cmd, "%s", e.text);
	return CLI_FAILED;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct attr_set set;
	struct errmsg e;
	const char *pool;

	while (cli_getopt(cmd, argc, argv, options) != -1)
		;
	pool = cli_pool_arg(cmd, argc, argv);
	attr_set_init(&set);
	while (++optind < argc)
		if (attr_set_add(&set, ATTR_TUNE, argv[optind], &e))
			cli_usage(cmd, "%s", e.text);
	if (!set.attrs.mask)
		cli_usage(cmd, "nothing to change: give ATTRIBUTE=VALUE");
	if (attr_set_check_given(&set, &e))
		cli_usage(cmd, "%s", e.text);
	return tune(cmd, pool, &set);
}

static void more_help(void)
{
	attr_print_help(ATTR_TUNE);
}

const struct command cmd_tune = {
	.name = "tune",
	.args = "POOL ATTRIBUTE=VALUE...",
	.summary = "change attributes of a pool, all of them or none",
	.help =
"Changes attributes of a pool, also under load: all that are given, or none if\n"
"one of them is refused.\n"
"\n"
"  wpoolctl tune batch capacity=128 min_workers=8",
	.more_help = more_help,
	.run = run,
};
