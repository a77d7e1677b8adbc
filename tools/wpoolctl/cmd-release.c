// SPDX-License-Identifier: GPL-2.0
/* wpoolctl release: close a pool. */
#include <errno.h>
#include <unistd.h>

#include "cli.h"
#include "dev.h"
#include "parse.h"

#define MAX_TIMEOUT_NS	(24ULL * 60 * 60 * NSEC_PER_SEC)

static int release(const struct command *cmd, const char *pool, __u32 flags,
		   __u64 timeout_ns)
{
	struct errmsg e;
	int fd, err;

	fd = dev_open_pool(pool, &e);
	if (fd < 0)
		goto err_report;
	err = dev_release(fd, flags, timeout_ns);
	close(fd);
	if (!err)
		return CLI_OK;
	if (err == -ETIME)
		errmsg_set(&e, "pool '%s' is closed, but not empty when the time ran out",
			   pool);
	else
		dev_explain(&e, err, pool);
err_report:
	cli_error(cmd, "%s", e.text);
	return CLI_FAILED;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	enum { OPT_CANCEL = CLI_OPT_FIRST, OPT_WAIT, OPT_TIMEOUT, OPT_OWN };
	static const struct option options[] = {
		{ "cancel", no_argument, NULL, OPT_CANCEL },
		{ "wait", no_argument, NULL, OPT_WAIT },
		{ "timeout", required_argument, NULL, OPT_TIMEOUT },
		{ "own", no_argument, NULL, OPT_OWN },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	__u64 timeout_ns = 0;
	__u32 flags = 0;
	const char *pool;
	struct errmsg e;
	int opt;

	while ((opt = cli_getopt(cmd, argc, argv, options)) != -1) {
		switch (opt) {
		case OPT_CANCEL:
			flags |= WPOOL_DEV_RELEASE_CANCEL;
			break;
		case OPT_TIMEOUT:
			/* 0 would be forever */
			if (parse_seconds(optarg, 1, MAX_TIMEOUT_NS, &timeout_ns, &e))
				cli_usage(cmd, "--timeout: %s", e.text);
			flags |= WPOOL_DEV_RELEASE_WAIT;
			break;
		case OPT_WAIT:
			flags |= WPOOL_DEV_RELEASE_WAIT;
			break;
		case OPT_OWN:
			flags |= WPOOL_DEV_RELEASE_OWN;
			break;
		}
	}
	if (flags & WPOOL_DEV_RELEASE_OWN && flags != WPOOL_DEV_RELEASE_OWN)
		cli_usage(cmd, "--own goes with no other option: its tasks may go on forever");
	pool = cli_pool_arg(cmd, argc, argv);
	optind++;
	cli_no_more_args(cmd, argc, argv);
	return release(cmd, pool, flags, timeout_ns);
}

const struct command cmd_release = {
	.name = "release",
	.args = "POOL [--own | [--cancel] [--wait] [--timeout SECONDS]]",
	.summary = "close a pool: it accepts nothing any more",
	.help =
"Closes a pool: it accepts nothing any more, submitters that wait are sent away,\n"
"and what was accepted runs to its end. 'wpoolctl reboot' opens it again.\n"
"\n"
"  --cancel           queued tasks do not run; they end as cancelled\n"
"  --wait             return when no task and no worker is left\n"
"  --timeout SECONDS  wait, but no longer than this (ns, us, ms, m, h, too);\n"
"                     exit 1 if the time runs out\n"
"  --own              the pool's timers and polls still fire, and its tasks still\n"
"                     submit: it is closed to everybody else",
	.run = run,
};
