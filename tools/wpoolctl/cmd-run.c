// SPDX-License-Identifier: GPL-2.0
/* wpoolctl run: submit workloads to a pool and report what became of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attrs.h"
#include "cli.h"
#include "dev.h"
#include "load.h"
#include "parse.h"
#include "report.h"

#define MAX_TIMEOUT_NS (24ULL * 60 * 60 * NSEC_PER_SEC)

struct run {
	const struct command *cmd;
	struct load_config load;
	struct work works[WORK_MAX_KINDS];
	struct work_turns turns;
	enum progress_when progress;
	bool json;
	bool quiet;
	bool create;
	struct attr_set attrs;
	char own_name[WPOOL_DEV_NAME_LEN];
};

static void parse_count(const struct run *run, const char *option, __u64 max,
			__u64 *out)
{
	struct errmsg e;

	if (parse_u64(optarg, 1, max, out, &e))
		cli_usage(run->cmd, "%s: %s", option, e.text);
}

static void parse_work(struct run *run)
{
	struct errmsg e;

	if (run->load.nr_works == WORK_MAX_KINDS)
		cli_usage(run->cmd, "--work: more than %d", WORK_MAX_KINDS);
	if (work_parse(optarg, &run->works[run->load.nr_works], &e))
		cli_usage(run->cmd, "--work: %s", e.text);
	run->load.nr_works++;
}

static void parse_progress(struct run *run)
{
	struct errmsg e;

	if (!strcmp(optarg, "auto")) {
		run->progress = PROGRESS_AUTO;
	} else if (!strcmp(optarg, "always")) {
		run->progress = PROGRESS_ALWAYS;
	} else if (!strcmp(optarg, "never")) {
		run->progress = PROGRESS_NEVER;
	} else {
		errmsg_set(&e, ERRMSG_Q " is not one of auto, always, never", optarg);
		cli_usage(run->cmd, "--progress: %s", e.text);
	}
}

static void parse_create(struct run *run)
{
	struct errmsg e;

	run->create = true;
	if (optarg && attr_set_add_list(&run->attrs, ATTR_CREATE, optarg, &e))
		cli_usage(run->cmd, "--create: %s", e.text);
}

static void parse_options(struct run *run, int argc, char **argv)
{
	enum {
		OPT_WORK = CLI_OPT_FIRST, OPT_TASKS, OPT_BATCH, OPT_SUBMITTERS,
		OPT_NONBLOCK, OPT_RETRY, OPT_RATE, OPT_TIMEOUT, OPT_CREATE,
		OPT_JSON, OPT_QUIET, OPT_PROGRESS
	};
	static const struct option options[] = {
		{ "work", required_argument, NULL, OPT_WORK },
		{ "tasks", required_argument, NULL, OPT_TASKS },
		{ "batch", required_argument, NULL, OPT_BATCH },
		{ "submitters", required_argument, NULL, OPT_SUBMITTERS },
		{ "nonblock", no_argument, NULL, OPT_NONBLOCK },
		{ "retry", no_argument, NULL, OPT_RETRY },
		{ "rate", required_argument, NULL, OPT_RATE },
		{ "timeout", required_argument, NULL, OPT_TIMEOUT },
		{ "create", optional_argument, NULL, OPT_CREATE },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "quiet", no_argument, NULL, OPT_QUIET },
		{ "progress", required_argument, NULL, OPT_PROGRESS },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct load_config *load = &run->load;
	struct errmsg e;
	__u64 n;
	int opt;

	while ((opt = cli_getopt(run->cmd, argc, argv, options)) != -1) {
		switch (opt) {
		case OPT_WORK:
			parse_work(run);
			break;
		case OPT_TASKS:
			parse_count(run, "--tasks", LOAD_MAX_TASKS, &load->tasks);
			break;
		case OPT_BATCH:
			parse_count(run, "--batch", WPOOL_MAX_BATCH, &n);
			load->batch = n;
			break;
		case OPT_SUBMITTERS:
			parse_count(run, "--submitters", LOAD_MAX_SUBMITTERS, &n);
			load->submitters = n;
			break;
		case OPT_NONBLOCK:
			load->nonblock = true;
			break;
		case OPT_RETRY:
			load->retry = true;
			break;
		case OPT_RATE:
			if (parse_rate(optarg, &load->rate, &e))
				cli_usage(run->cmd, "--rate: %s", e.text);
			break;
		case OPT_TIMEOUT:
			if (parse_seconds(optarg, NSEC_PER_MSEC, MAX_TIMEOUT_NS,
					  &load->timeout_ns, &e))
				cli_usage(run->cmd, "--timeout: %s", e.text);
			break;
		case OPT_CREATE:
			parse_create(run);
			break;
		case OPT_JSON:
			run->json = true;
			break;
		case OPT_QUIET:
			run->quiet = true;
			break;
		case OPT_PROGRESS:
			parse_progress(run);
			break;
		}
	}
}

/*
 * POOL, and with --create also attributes: a name has no '=' in it, so that
 * "--create capacity=4" means what it looks like.
 */
static void parse_args(struct run *run, int argc, char **argv)
{
	struct errmsg e;

	for (; optind < argc; optind++) {
		if (run->create && strchr(argv[optind], '=')) {
			if (attr_set_add_list(&run->attrs, ATTR_CREATE,
					      argv[optind], &e))
				cli_usage(run->cmd, "--create: %s", e.text);
		} else if (run->load.pool) {
			cli_no_more_args(run->cmd, argc, argv);
		} else {
			run->load.pool = cli_pool_arg(run->cmd, argc, argv);
		}
	}
	if (!run->load.pool && !run->create)
		cli_usage(run->cmd, "the name of a pool is missing, or --create");
	if (!run->load.pool) {
		snprintf(run->own_name, sizeof(run->own_name), "wpoolctl-%d",
			 (int)getpid());
		run->load.pool = run->own_name;
	}
	if (attr_set_check(&run->attrs, NULL, &e))
		cli_usage(run->cmd, "--create: %s", e.text);
	if (run->quiet && run->json)
		cli_usage(run->cmd, "--quiet and --json exclude each other");
}

static void set_up(struct run *run)
{
	struct errmsg e;

	if (!run->load.nr_works) {
		work_parse("noop", &run->works[0], &e);
		run->load.nr_works = 1;
	}
	run->load.works = run->works;
	run->load.turns = &run->turns;
	if (!run->works[0].text ||
	    work_turns_init(&run->turns, run->works, run->load.nr_works)) {
		cli_error(run->cmd, "out of memory");
		exit(CLI_FAILED);
	}
}

static int open_pool(struct run *run, struct errmsg *e)
{
	int fd, err;

	if (!run->create)
		return dev_open_pool(run->load.pool, e);
	fd = dev_open();
	if (fd < 0)
		return dev_explain(e, fd, run->load.pool);
	err = dev_create(fd, run->load.pool, &run->attrs.attrs);
	if (err) {
		close(fd);
		attr_explain(e, err, run->load.pool, &run->attrs);
		return err;
	}
	return fd;
}

static int finish(const struct run *run, const struct load_result *result)
{
	const struct tally *tally = &result->tally;

	switch (result->end) {
	case LOAD_INTERRUPTED:
		cli_error(run->cmd, "interrupted: what was not finished was cancelled");
		return CLI_INTERRUPTED;
	case LOAD_TIMED_OUT:
		cli_error(run->cmd, "the time ran out: what was not finished was cancelled");
		return CLI_FAILED;
	case LOAD_BROKEN:
		cli_error(run->cmd, "%s", result->why.text);
		return CLI_FAILED;
	default:
		return tally->failed || tally->cancelled || result->refused ?
		       CLI_TASKS : CLI_OK;
	}
}

/* Threads still sleep in the kernel: only the end of the process ends them. */
static void abandon(struct run *run)
{
	cli_error(run->cmd, "gave up waiting for cancelled tasks%s%s%s",
		  run->create ? "; pool '" : "", run->create ? run->load.pool : "",
		  run->create ? "' is left behind" : "");
	_exit(CLI_FAILED);
}

static int run_load(struct run *run)
{
	struct load_result result;
	struct progress progress;
	struct errmsg e;
	int fd, err = 0, code;

	load_hold_signals();
	fd = open_pool(run, &e);
	if (fd < 0) {
		cli_error(run->cmd, "%s", e.text);
		return CLI_FAILED;
	}
	progress_init(&progress, run->quiet ? PROGRESS_NEVER : run->progress,
		      run->load.tasks, load_now_ns());
	load_run(&run->load, fd, &progress, &result);
	if (result.end == LOAD_STUCK)
		abandon(run);
	if (run->create)
		err = dev_destroy(fd);
	close(fd);
	if (run->json)
		report_json(&run->load, &result);
	else if (!run->quiet && (result.end != LOAD_BROKEN || result.accepted))
		report_text(&run->load, &result);
	code = finish(run, &result);
	if (err && err != -ESHUTDOWN) {
		dev_explain(&e, err, run->load.pool);
		cli_error(run->cmd, "cannot destroy the temporary pool: %s", e.text);
		code = code == CLI_OK ? CLI_FAILED : code;
	}
	load_result_exit(&result);
	return code;
}

static int run_command(const struct command *cmd, int argc, char **argv)
{
	struct run run = {
		.cmd = cmd,
		.load = { .tasks = 1000, .batch = 256, .submitters = 1 },
	};
	unsigned int i;
	int code;

	attr_set_init(&run.attrs);
	parse_options(&run, argc, argv);
	parse_args(&run, argc, argv);
	set_up(&run);
	code = run_load(&run);
	work_turns_exit(&run.turns);
	for (i = 0; i < run.load.nr_works; i++)
		work_exit(&run.works[i]);
	return code;
}

static void more_help(void)
{
	puts("\n"
"Workloads (times: ns, us, ms, s; sizes: bytes, K, M):\n"
"  noop                     nothing\n"
"  spin:TIME                use a CPU\n"
"  sleep:TIME               sleep on a high-resolution timer\n"
"  timer:TIME               wait for a timer before it starts, without a worker\n"
"  yield:N                  give the CPU away N times\n"
"  touch:SIZE               allocate memory and write to it\n"
"  hash:SIZE                hash so many bytes\n"
"  lock:TIME                hold a lock that all such tasks share\n"
"  tree:DEPTHxFANOUT[:TIME] fork-join tree, TIME of CPU per leaf\n"
"  fault                    oops (needs the module loaded with allow_fault=1)\n"
"\n"
"Exit: 0 all completed; 1 failed or out of time; 2 wrong use; 3 tasks failed,\n"
"were cancelled or refused; 130 interrupted.");
}

const struct command cmd_run = {
	.name = "run",
	.args = "POOL [--work KIND[:ARG][@WEIGHT]]... [OPTION]...",
	.summary = "submit workloads to a pool and report what became of them",
	.help =
"Submits tasks to a pool, waits for them and reports: how many were accepted,\n"
"refused, completed, failed and cancelled, how long they waited and ran, and on\n"
"which CPUs. An interrupt (^C) cancels what is in flight and reports.\n"
"\n"
"  --work KIND[:ARG]  what a task does (noop); several take turns, by @WEIGHT\n"
"                     (1..1000): --work noop@9 --work sleep:1ms\n"
"  --tasks N          tasks in all (1000)\n"
"  --batch N          tasks of one system call, 1..4096 (256)\n"
"  --submitters N     threads that submit, 1..256 (1), each with its own file\n"
"  --nonblock         do not sleep on a full pool: what does not fit is refused\n"
"  --retry            try again what is refused, instead of dropping it\n"
"  --rate N/s         so many tasks per second of all submitters\n"
"  --timeout SECONDS  then cancel what is not finished; exit 1\n"
"  --create[=A=V,...] make a temporary pool with these attributes (see 'wpoolctl\n"
"                     create --help') and destroy it afterwards; POOL may be left\n"
"                     out\n"
"  --progress WHEN    progress bar on stderr: auto (on a terminal), always, never\n"
"  --quiet            no report: errors and the exit code only\n"
"  --json             report as one object",
	.more_help = more_help,
	.run = run_command,
};
