// SPDX-License-Identifier: GPL-2.0
/* wpoolctl create: make a pool. */
#include <errno.h>
#include <unistd.h>

#include "attrs.h"
#include "cli.h"
#include "dev.h"

static int create(const struct command *cmd, const char *pool,
		  const struct attr_set *set)
{
	struct errmsg e;
	int fd, err;

	fd = dev_open();
	if (fd < 0) {
		dev_explain(&e, fd, pool);
		goto err_report;
	}
	err = dev_create(fd, pool, &set->attrs);
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
		if (attr_set_add(&set, ATTR_CREATE, argv[optind], &e))
			cli_usage(cmd, "%s", e.text);
	if (attr_set_check(&set, NULL, &e))
		cli_usage(cmd, "%s", e.text);
	return create(cmd, pool, &set);
}

static void more_help(void)
{
	attr_print_help(ATTR_CREATE);
}

const struct command cmd_create = {
	.name = "create",
	.args = "POOL [ATTRIBUTE=VALUE]...",
	.summary = "make a pool",
	.help =
"Makes a pool, which lives until it is destroyed or the module is unloaded.\n"
"Attributes that are not given have their default, which wpoolctl(8) names.\n"
"\n"
"  wpoolctl create batch capacity=64 queue_depth=max nice=10",
	.more_help = more_help,
	.run = run,
};
