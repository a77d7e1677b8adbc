// SPDX-License-Identifier: GPL-2.0
/* One run, from its pool to its report. */
#include "run.h"

#include "dev.h"
#include "report.h"

static int finish(const struct run *run, const struct load_result *result)
{
	const struct tally *tally = &result->tally;

	switch (result->end) {
	case LOAD_INTERRUPTED:
		cli_error(run->cmd, "interrupted: unfinished tasks were cancelled");
		return CLI_INTERRUPTED;
	case LOAD_BROKEN:
		cli_error(run->cmd, "%s", result->why.text);
		return CLI_FAILED;
	default:
		return tally->failed || tally->cancelled || tally->unsent || result->refused ?
		       CLI_TASKS : CLI_OK;
	}
}

/* Exits without cleaning up, as submitters and readers still sleep in the kernel. */
static void abandon(struct run *run, enum load_end end)
{
	cli_error(run->cmd, "%s%s%s%s",
		  end == LOAD_LEFT ? "interrupted again: does not wait for cancelled tasks" :
				     "gave up waiting for cancelled tasks",
		  run->create ? "; pool '" : "", run->create ? run->load.pool : "",
		  run->create ? "' is left behind" : "");
	_exit(end == LOAD_LEFT ? CLI_INTERRUPTED : CLI_FAILED);
}

int run_perform(struct run *run, struct load_result *result)
{
	struct errmsg e;
	int fd;

	load_hold_signals();
	fd = run->create ? attr_set_create(run->load.pool, &run->attrs, &e) :
			   dev_open_pool(run->load.pool, &e);
	if (fd < 0)
		return cli_fail(run->cmd, &e);
	load_run(&run->load, fd, result);
	if (result->end == LOAD_STUCK || result->end == LOAD_LEFT)
		abandon(run, result->end);
	run->destroy_err = run->create ? dev_simple(fd, WPOOL_IOC_DESTROY) : 0;
	close(fd);
	return CLI_OK;
}

int run_verdict(const struct run *run, const struct load_result *result)
{
	int code = finish(run, result), err = run->destroy_err;
	struct errmsg e;

	if (err && err != -ESHUTDOWN) {
		dev_explain(&e, err, run->load.pool);
		cli_error(run->cmd, "cannot destroy the temporary pool: %s", e.text);
		code = code == CLI_OK ? CLI_FAILED : code;
	}
	return code;
}

int run_load(struct run *run)
{
	struct load_result result = { .intervals.lines = !run->json };
	int code = run_perform(run, &result);

	if (code)
		return code;
	if (result.intervals.lines && result.intervals.nr)
		putchar('\n');
	if (run->json)
		report_json(&run->load, &result);
	else if (!run->quiet && (result.end != LOAD_BROKEN || result.accepted))
		report_text(&run->load, &result);
	return run_verdict(run, &result);
}
