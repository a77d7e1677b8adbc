// SPDX-License-Identifier: GPL-2.0
/* wpoolctl destroy: end pools. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "dev.h"
#include "parse.h"

/* Attaches to all of them first: a name that is wrong must not end the others. */
static int open_all(char **pools, int nr, int *fds, struct errmsg *e)
{
	int i;

	for (i = 0; i < nr; i++) {
		fds[i] = dev_open_pool(pools[i], e);
		if (fds[i] < 0)
			break;
	}
	if (i == nr)
		return 0;
	while (i--)
		close(fds[i]);
	return -1;
}

static int destroy(const struct command *cmd, char **pools, int nr)
{
	int *fds = calloc(nr, sizeof(*fds));
	int code = CLI_OK, i, err;
	struct errmsg e;

	if (!fds || open_all(pools, nr, fds, &e)) {
		cli_error(cmd, "%s", fds ? e.text : "out of memory");
		free(fds);
		return CLI_FAILED;
	}
	for (i = 0; i < nr; i++) {
		err = dev_destroy(fds[i]);
		if (err) {
			dev_explain(&e, err, pools[i]);
			cli_error(cmd, "%s", e.text);
			code = CLI_FAILED;
		}
		close(fds[i]);
	}
	free(fds);
	return code;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct errmsg e;
	int i, j;

	while (cli_getopt(cmd, argc, argv, options) != -1)
		;
	cli_pool_arg(cmd, argc, argv);
	for (i = optind; i < argc; i++) {
		if (parse_pool_name(argv[i], &e))
			cli_usage(cmd, "%s", e.text);
		for (j = optind; j < i; j++)
			if (!strcmp(argv[i], argv[j]))
				cli_usage(cmd, "pool '%s' is given twice", argv[i]);
	}
	return destroy(cmd, argv + optind, argc - optind);
}

const struct command cmd_destroy = {
	.name = "destroy",
	.args = "POOL...",
	.summary = "end pools",
	.help =
"Ends pools: submitters that wait are sent away, accepted tasks run to their end,\n"
"the workers leave. None is touched unless all exist. A pool that belongs to a\n"
"module, such as 'default', is left alone.",
	.run = run,
};
