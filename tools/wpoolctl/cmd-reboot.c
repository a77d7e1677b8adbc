// SPDX-License-Identifier: GPL-2.0
/* wpoolctl reboot: open a released pool again. */
#include <unistd.h>

#include "cli.h"
#include "dev.h"

static int reboot_pool(const struct command *cmd, const char *pool)
{
	struct errmsg e;
	int fd, err;

	fd = dev_open_pool(pool, &e);
	if (fd < 0)
		goto err_report;
	err = dev_reboot(fd);
	close(fd);
	if (!err)
		return CLI_OK;
	dev_explain(&e, err, pool);
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
	const char *pool;

	while (cli_getopt(cmd, argc, argv, options) != -1)
		;
	pool = cli_pool_arg(cmd, argc, argv);
	optind++;
	cli_no_more_args(cmd, argc, argv);
	return reboot_pool(cmd, pool);
}

const struct command cmd_reboot = {
	.name = "reboot",
	.args = "POOL",
	.summary = "open a released pool again",
	.help =
"Opens a released pool again, after what it had accepted is finished. Does\n"
"nothing to a pool that is open.",
	.run = run,
};
