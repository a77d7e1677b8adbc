// SPDX-License-Identifier: GPL-2.0
/* wpoolctl run: submit workloads to a pool and report how they ended. */
#include <fcntl.h>

#include "alloc.h"
#include "attrs.h"
#include "cli.h"
#include "dev.h"
#include "report.h"

#define DEFAULT_TASKS	1000
#define MAX_TIME_NS	(24ULL * 60 * 60 * NSEC_PER_SEC)
#define MIN_INTERVAL_NS	(100 * NSEC_PER_MSEC)

static const char *const arrivals_words[] = { "fixed", "poisson", NULL };
static const char *const replay_words[] = { "spin", "sleep", NULL };

struct run {
	const struct command *cmd;
	struct load_config load;
	bool json;
	bool quiet;
	const char *replay_file;
	int replay_as;		/* index of replay_words; -1: not given */
	struct replay replay;
	bool create;
	struct attr_set attrs;
};

/* ---- options ---------------------------------------------------------------- */

static int set_work(const struct cli_option *option __maybe_unused, void *to, const char *value,
		    struct errmsg *e)
{
	struct run *run = to;

	if (run->load.nr_works == WORK_MAX_KINDS)
		return errmsg_set(e, "more than %d", WORK_MAX_KINDS);
	if (work_parse(value, &run->load.works[run->load.nr_works], e))
		return -1;
	run->load.nr_works++;
	return 0;
}

static int set_create(const struct cli_option *option __maybe_unused, void *to, const char *value,
		      struct errmsg *e)
{
	struct run *run = to;

	run->create = true;
	return value ? attr_set_add_list(&run->attrs, ATTR_CREATE, value, e) : 0;
}

static const struct cli_option options[] = {
	{ "work", "KIND[:ARG]",
	  "what a task does (noop); several take turns: --work noop --work sleep:1ms",
	  "See WORKLOADS below. It may be given up to 16 times, also the same several times.",
	  .set = set_work },
	{ "tasks", "N", "tasks in all (1000, or no limit with --duration)",
	  "Numbers of tasks may have the units k, M and G: 10k.",
	  CLI_COUNT(struct run, load.tasks, 1, LOAD_MAX_TASKS) },
	{ "duration", "TIME", "submit for this time after the warm-up (s, m, h, ms)",
	  "The run then waits for accepted tasks. A time without a unit is in seconds.",
	  CLI_SECONDS(struct run, load.duration_ns, NSEC_PER_MSEC, MAX_TIME_NS) },
	{ "warmup", "TIME", "run this long before the times are measured",
	  CLI_SECONDS(struct run, load.warmup_ns, 0, MAX_TIME_NS) },
	{ "rate", "N/s",
	  "tasks arrive at this rate, of all submitters together, whatever the pool does;\n"
	  "latencies count from the arrival; 10k/s, 1.5M/s",
	  "This is an open loop. Tasks that have arrived, but are not submitted by the end of\n"
	  "the run, are reported as not sent; their latency is at least their wait until then.\n"
	  "Without this option a submitter submits when its last call has returned: a slow pool\n"
	  "gets fewer tasks, so its waits look short.",
	  CLI_PARSED(parse_rate, struct run, load.arrivals.rate, 1, NSEC_PER_SEC) },
	{ "arrivals", "KIND",
	  "with --rate: fixed, at equal distances (the default), or poisson, at random,\n"
	  "independent of each other",
	  CLI_WORD(arrivals_words, struct run, load.arrivals.poisson) },
	{ "seed", "N", "seed of random arrivals and amounts of work (1)",
	  "The same number gives the same run.",
	  CLI_NUMBER(struct run, load.arrivals.seed, 0, ~0ULL) },
	{ "replay", "FILE",
	  "run the tasks that 'wpoolctl trace record' has recorded: they arrive at the recorded\n"
	  "times, and run as long as in the recording; with --tasks N only the first N",
	  "A task arrives when its pool accepted it: the recording does not say how long its\n"
	  "submitter waited for room before. Tasks whose end was not recorded are left out.",
	  CLI_FILE(struct run, replay_file) },
	{ "as", "KIND", "spin: recorded tasks use a CPU (the default); or sleep",
	  CLI_WORD(replay_words, struct run, replay_as) },
	{ "batch", "N", "maximum of tasks in one system call, 1..4096 (256)",
	  CLI_COUNT(struct run, load.batch, 1, WPOOL_MAX_BATCH) },
	{ "submitters", "N", "threads that submit, 1..256 (1), each with its own file",
	  "Each has its share of the tasks.",
	  CLI_COUNT(struct run, load.submitters, 1, LOAD_MAX_SUBMITTERS) },
	{ "group", "N",
	  "each submitter has its own group of at most N tasks in the pool, so that it leaves\n"
	  "room for others",
	  "At N tasks the submitter waits, or, with --nonblock, its tasks are refused.",
	  CLI_COUNT(struct run, load.group, 1, WPOOL_DEV_UNLIMITED) },
	{ "on", "CPU",
	  "tasks are queued where the workers of this CPU look first; if these are busy or do\n"
	  "not exist, other workers take them",
	  "A CPU that is offline, or that the machine cannot have, is refused. Excludes\n"
	  "--urgent and --group, and is not for tasks of timer, strand, poll and count.",
	  CLI_NUMBER(struct run, load.on_cpu, 0, CPULIST_CPUS - 1) },
	{ "urgent", NULL, "tasks start before tasks in the pool that are not urgent",
	  "They start on the first CPU that has a worker for them. Of a tree only the root is\n"
	  "urgent; timer and poll are urgent after the wait; tasks of strand keep their order.",
	  CLI_FLAG(struct run, load.urgent) },
	{ "nonblock", NULL, "do not sleep on a full pool: tasks that do not fit are refused",
	  "The policy fail does the same. A refused task, and the tasks behind it in its\n"
	  "batch, are dropped; with --batch 1 every task is tried.",
	  CLI_FLAG(struct run, load.nonblock) },
	{ "create", "[=A=V,...]",
	  "make a temporary pool with these attributes (see 'wpoolctl create --help') and\n"
	  "destroy it afterwards; POOL may be left out",
	  "A pool survives if wpoolctl is killed by a signal that cannot be caught.",
	  .set = set_create },
	{ "interval", "TIME", "print a line of figures at each interval of at least 0.1 s",
	  "It has the rates of tasks that arrived by the schedule, were submitted, refused and\n"
	  "completed; latencies, from the arrival, of tasks that ended; the number of arrivals\n"
	  "that are not submitted yet (a call counts when it returns); and the number of tasks\n"
	  "that are queued in the pool.",
	  CLI_SECONDS(struct run, load.interval_ns, MIN_INTERVAL_NS, MAX_TIME_NS) },
	{ "quiet", NULL, "no report: errors and the exit code only",
	  CLI_FLAG(struct run, quiet) },
	{ "json", NULL, "report as one object, with intervals and histograms",
	  CLI_FLAG(struct run, json) },
	{ }
};

/* The name of a pool contains no '=', so the argument in "--create capacity=4" is an attribute. */
static int add_arg(struct run *run, const char *arg, struct errmsg *e)
{
	if (run->create && strchr(arg, '=')) {
		if (attr_set_add_list(&run->attrs, ATTR_CREATE, arg, e))
			return errmsg_set(e, "--create: %s", e->text);
		return 0;
	}
	if (run->load.pool)
		return errmsg_set(e, "unexpected argument: " ERRMSG_Q, arg);
	run->load.pool = arg;
	return parse_pool_name(arg, e);
}

/* Explains why tasks may not prefer a CPU: /dev/wpool would only return EINVAL. */
static int check_on(const struct run *run, struct errmsg *e)
{
	const struct load_config *load = &run->load;
	unsigned int i;

	if (load->on_cpu < 0)
		return 0;
	if (load->urgent)
		return errmsg_set(e, "--on and --urgent exclude each other: %s",
				  "urgent tasks are for the first worker of any CPU");
	if (load->group)
		return errmsg_set(e, "--on and --group exclude each other");
	for (i = 0; i < load->nr_works; i++)
		switch (load->works[i].kind) {
		case WPOOL_WORK_TIMER:
		case WPOOL_WORK_STRAND:
		case WPOOL_WORK_POLL:
		case WPOOL_WORK_COUNT:
			return errmsg_set(e, "--on: not with tasks of %s",
					  "timer, strand, poll or count");
		}
	return 0;
}

/* Checks now, because a file that a submitter opens later may get the number that is missing. */
static int check_descriptors(const struct run *run, struct errmsg *e)
{
	const struct work *work = run->load.works;

	for (; work < run->load.works + run->load.nr_works; work++)
		if (work->kind == WPOOL_WORK_POLL && fcntl(work->amount.low, F_GETFD) < 0)
			return errmsg_set(e, "--work %s: no such descriptor was inherited",
					  work->text);
	return 0;
}

static int check_options(const struct run *run, struct errmsg *e)
{
	const struct load_config *load = &run->load;

	if (!load->pool && !run->create)
		return errmsg_set(e, "give the name of a pool, or --create");
	if (attr_set_check(&run->attrs, NULL, e))
		return errmsg_set(e, "--create: %s", e->text);
	if (run->quiet && (run->json || load->interval_ns))
		return errmsg_set(e, "--quiet and %s exclude each other",
				  run->json ? "--json" : "--interval");
	if (!run->replay_file && run->replay_as >= 0)
		return errmsg_set(e, "--as needs --replay");
	if (run->replay_file && (load->nr_works || load->arrivals.rate || load->arrivals.poisson))
		return errmsg_set(e, "--replay: has --work, --rate and --arrivals itself");
	if (load->arrivals.poisson && !load->arrivals.rate)
		return errmsg_set(e, "--arrivals: only with --rate");
	return check_on(run, e) ?: check_descriptors(run, e);
}

/*
 * Take the tasks and their arrivals from the recording. Each task uses a CPU, or sleeps, for as
 * long as the recorded task ran.
 */
static int take_recording(struct run *run, struct errmsg *e)
{
	struct load_config *load = &run->load;

	if (replay_read(&run->replay, run->replay_file, e))
		return -1;
	load->works[load->nr_works++] = (struct work){
		.kind = run->replay_as > 0 ? WPOOL_WORK_SLEEP : WPOOL_WORK_SPIN,
		.text = alloc_copy(replay_words[run->replay_as > 0]),
	};
	load->arrivals.replay = &run->replay;
	load->tasks = min(load->tasks ?: run->replay.nr, run->replay.nr);
	return 0;
}

/* ---- running ---------------------------------------------------------------- */

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

static int run_load(struct run *run, struct errmsg *e)
{
	struct load_result result = { .intervals.lines = !run->json };
	struct load_config *load = &run->load;
	int fd, err, code;

	load_hold_signals();
	fd = run->create ? attr_set_create(load->pool, &run->attrs, e) :
			   dev_open_pool(load->pool, e);
	if (fd < 0)
		return fd;
	load_run(load, fd, &result);
	if (result.end == LOAD_STUCK || result.end == LOAD_LEFT)
		abandon(run, result.end);
	err = run->create ? dev_simple(fd, WPOOL_IOC_DESTROY) : 0;
	close(fd);
	if (result.intervals.lines && result.intervals.nr)
		putchar('\n');
	if (run->json)
		report_json(load, &result);
	else if (!run->quiet && (result.end != LOAD_BROKEN || result.accepted))
		report_text(load, &result);
	code = finish(run, &result);
	if (err && err != -ESHUTDOWN) {
		dev_explain(e, err, load->pool);
		cli_error(run->cmd, "cannot destroy the temporary pool: %s", e->text);
		code = code == CLI_OK ? CLI_FAILED : code;
	}
	return code;
}

static int run_command(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	struct run run = {
		.cmd = cmd,
		.load = {
			.batch = 256,
			.submitters = 1,
			.on_cpu = -1,
			.arrivals.seed = 1,
		},
		.replay_as = -1,
	};
	struct load_config *load = &run.load;
	char own_name[WPOOL_DEV_NAME_LEN];

	cli_parse(cmd, argc, argv, &run);
	for (; optind < argc; optind++)
		if (add_arg(&run, argv[optind], e))
			cli_usage(cmd, "%s", e->text);
	if (check_options(&run, e))
		cli_usage(cmd, "%s", e->text);
	if (run.replay_file && take_recording(&run, e))
		return -1;
	if (!load->nr_works && set_work(NULL, &run, "noop", e))
		return -1;
	if (!load->tasks && !load->duration_ns)
		load->tasks = DEFAULT_TASKS;
	snprintf(own_name, sizeof(own_name), "wpoolctl-%d", (int)getpid());
	load->pool = load->pool ?: own_name;
	return run_load(&run, e);
}

static void more_help(int of __maybe_unused)
{
	const struct work_kind *kind;

	printf("\nWorkloads:\n");
	for (kind = work_kinds; kind->name; kind++)
		cli_print_entry(printf("  %s%s", kind->name, kind->arg_name), 27, kind->about);
	cli_print_text(work_amounts, 0, 0, CLI_WIDTH);
	puts("\n"
"Exit: 0 all completed; 1 failed; 2 wrong use; 3 tasks failed, or were\n"
"cancelled, refused or not sent; 130 interrupted.");
}

const struct command cmd_run = {
	.name = "run",
	.args = "POOL [--work KIND[:ARG]]... [OPTION]...",
	.summary = "submit workloads to a pool and report how they ended",
	.help =
"Submits tasks to a pool, waits for them and reports: how many were accepted, refused,\n"
"completed, failed and cancelled, how long they waited and ran, and on which CPUs. An\n"
"interrupt (^C) cancels unfinished tasks and reports.",
	.more =
"SIGINT, SIGTERM, SIGHUP and SIGPIPE end a run: no more tasks are submitted, unfinished ones\n"
"are cancelled, and the report is printed. A second SIGINT, SIGTERM or SIGHUP, 0.1 s after the\n"
"cancel or later, ends it at once. If cancelled tasks do not end within half a minute, it\n"
"gives up.",
	.options = options,
	.more_help = more_help,
	.run = run_command,
};
