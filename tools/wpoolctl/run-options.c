// SPDX-License-Identifier: GPL-2.0
/* The options of "wpoolctl run": one table. */
#include "run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "parse.h"

#define DEFAULT_TASKS	1000
#define MAX_TIME_NS	(24ULL * 60 * 60 * NSEC_PER_SEC)
#define MIN_INTERVAL_NS	(100 * NSEC_PER_MSEC)

static int set_work(struct run *run, const char *value, struct errmsg *e)
{
	if (run->load.nr_works == WORK_MAX_KINDS)
		return errmsg_set(e, "more than %d", WORK_MAX_KINDS);
	if (work_parse(value, &run->works[run->load.nr_works], e))
		return -1;
	run->load.nr_works++;
	return 0;
}

static int set_u32(const char *value, __u32 max, __u32 *out, struct errmsg *e)
{
	__u64 n;

	if (parse_count(value, 1, max, &n, e))
		return -1;
	*out = n;
	return 0;
}

static int set_tasks(struct run *run, const char *value, struct errmsg *e)
{
	return parse_count(value, 1, LOAD_MAX_TASKS, &run->load.tasks, e);
}

static int set_batch(struct run *run, const char *value, struct errmsg *e)
{
	return set_u32(value, WPOOL_MAX_BATCH, &run->load.batch, e);
}

static int set_submitters(struct run *run, const char *value, struct errmsg *e)
{
	return set_u32(value, LOAD_MAX_SUBMITTERS, &run->load.submitters, e);
}

static int set_submit_cpus(struct run *run, const char *value, struct errmsg *e)
{
	run->load.pinned = true;
	return cpulist_parse(value, &run->load.submit_cpus, e);
}

static int set_group(struct run *run, const char *value, struct errmsg *e)
{
	return set_u32(value, WPOOL_DEV_UNLIMITED, &run->load.group, e);
}

static int set_on(struct run *run, const char *value, struct errmsg *e)
{
	__u64 cpu;

	if (parse_u64(value, 0, CPULIST_CPUS - 1, &cpu, e))
		return -1;
	run->load.on = true;
	run->load.on_cpu = cpu;
	return 0;
}

static int set_urgent(struct run *run, const char *value, struct errmsg *e)
{
	(void)value;
	(void)e;
	run->load.urgent = true;
	return 0;
}

static int set_nonblock(struct run *run, const char *value, struct errmsg *e)
{
	(void)value;
	(void)e;
	run->load.nonblock = true;
	return 0;
}

static int set_retry(struct run *run, const char *value, struct errmsg *e)
{
	(void)value;
	(void)e;
	run->load.retry = true;
	return 0;
}

static int set_rate(struct run *run, const char *value, struct errmsg *e)
{
	return parse_rate(value, &run->load.arrivals.rate, e);
}

static int set_arrivals(struct run *run, const char *value, struct errmsg *e)
{
	bool poisson = !strcmp(value, "poisson");

	if (!poisson && strcmp(value, "fixed"))
		return errmsg_set(e, ERRMSG_Q " is not one of fixed, poisson", value);
	run->load.arrivals.poisson = poisson;
	return 0;
}

static int set_seed(struct run *run, const char *value, struct errmsg *e)
{
	return parse_u64(value, 0, ~0ULL, &run->load.arrivals.seed, e);
}

static int set_replay(struct run *run, const char *value, struct errmsg *e)
{
	run->replay_file = value;
	return *value ? 0 : errmsg_set(e, "a file has a name");
}

static int set_as(struct run *run, const char *value, struct errmsg *e)
{
	run->replay_as = value;
	if (strcmp(value, "spin") && strcmp(value, "sleep"))
		return errmsg_set(e, ERRMSG_Q " is not one of spin, sleep", value);
	return 0;
}

static int set_duration(struct run *run, const char *value, struct errmsg *e)
{
	return parse_seconds(value, NSEC_PER_MSEC, MAX_TIME_NS, &run->load.duration_ns, e);
}

static int set_warmup(struct run *run, const char *value, struct errmsg *e)
{
	return parse_seconds(value, 0, MAX_TIME_NS, &run->load.warmup_ns, e);
}

static int set_ramp(struct run *run, const char *value, struct errmsg *e)
{
	return parse_seconds(value, 0, MAX_TIME_NS, &run->load.arrivals.ramp_ns, e);
}

static int set_interval(struct run *run, const char *value, struct errmsg *e)
{
	return parse_seconds(value, MIN_INTERVAL_NS, MAX_TIME_NS, &run->load.interval_ns, e);
}

static int set_timeout(struct run *run, const char *value, struct errmsg *e)
{
	return parse_seconds(value, NSEC_PER_MSEC, MAX_TIME_NS, &run->load.timeout_ns, e);
}

static int set_create(struct run *run, const char *value, struct errmsg *e)
{
	run->create = true;
	return value ? attr_set_add_list(&run->attrs, ATTR_CREATE, value, e) : 0;
}

static int set_json(struct run *run, const char *value, struct errmsg *e)
{
	(void)value;
	(void)e;
	run->json = true;
	return 0;
}

static int set_quiet(struct run *run, const char *value, struct errmsg *e)
{
	(void)value;
	(void)e;
	run->quiet = true;
	return 0;
}

static int set_progress(struct run *run, const char *value, struct errmsg *e)
{
	if (!strcmp(value, "auto"))
		run->progress = PROGRESS_AUTO;
	else if (!strcmp(value, "always"))
		run->progress = PROGRESS_ALWAYS;
	else if (!strcmp(value, "never"))
		run->progress = PROGRESS_NEVER;
	else
		return errmsg_set(e, ERRMSG_Q " is not one of auto, always, never", value);
	return 0;
}

static int set_jobs(struct run *run, const char *value, struct errmsg *e)
{
	(void)e;
	run->jobs = value;
	return 0;
}

static const struct run_option {
	const char *name;
	int has_arg;
	int (*set)(struct run *run, const char *value, struct errmsg *e);
} run_options[] = {
	{ "work", required_argument, set_work },
	{ "tasks", required_argument, set_tasks },
	{ "duration", required_argument, set_duration },
	{ "warmup", required_argument, set_warmup },
	{ "rate", required_argument, set_rate },
	{ "arrivals", required_argument, set_arrivals },
	{ "ramp", required_argument, set_ramp },
	{ "replay", required_argument, set_replay },
	{ "as", required_argument, set_as },
	{ "seed", required_argument, set_seed },
	{ "batch", required_argument, set_batch },
	{ "submitters", required_argument, set_submitters },
	{ "submit-cpus", required_argument, set_submit_cpus },
	{ "group", required_argument, set_group },
	{ "on", required_argument, set_on },
	{ "urgent", no_argument, set_urgent },
	{ "nonblock", no_argument, set_nonblock },
	{ "retry", no_argument, set_retry },
	{ "timeout", required_argument, set_timeout },
	{ "create", optional_argument, set_create },
	{ "interval", required_argument, set_interval },
	/* from here on: of the command line only */
	{ "progress", required_argument, set_progress },
	{ "quiet", no_argument, set_quiet },
	{ "json", no_argument, set_json },
	{ "jobs", required_argument, set_jobs },
};

int run_set(struct run *run, const char *key, const char *value, struct errmsg *e)
{
	const struct run_option *option = run_options;
	int err;

	if (!strcmp(key, "pool")) {
		if (!value || run->load.pool)
			return errmsg_set(e, "pool: %s", value ? "given twice" : "wants a value");
		return run_add_arg(run, value, e);
	}
	while (option->set != set_progress && strcmp(option->name, key))
		option++;
	if (option->set == set_progress)
		return errmsg_set(e, "no option " ERRMSG_Q " of a job", key);
	if (option->has_arg == no_argument && value)
		err = errmsg_set(e, "takes no value");
	else if (option->has_arg == required_argument && !value)
		err = errmsg_set(e, "wants a value");
	else
		err = option->set(run, value, e);
	return err ? errmsg_in(e, "%s", option->name) : 0;
}

void run_parse_options(struct run *run, int argc, char **argv)
{
	struct option options[ARRAY_SIZE(run_options) + 2] = { };
	const struct run_option *option;
	struct errmsg e;
	size_t i;
	int opt;

	for (i = 0; i < ARRAY_SIZE(run_options); i++)
		options[i] = (struct option){ run_options[i].name, run_options[i].has_arg,
					      NULL, CLI_OPT_FIRST + i };
	options[i] = (struct option){ "help", no_argument, NULL, 'h' };
	while ((opt = cli_getopt(run->cmd, argc, argv, options)) != -1) {
		option = &run_options[opt - CLI_OPT_FIRST];
		if (option->set(run, optarg, &e))
			cli_usage(run->cmd, "--%s: %s", option->name, e.text);
		run->nr_options++;
	}
}

/* A name has no '=' in it, so that "--create capacity=4" means what it looks like. */
int run_add_arg(struct run *run, const char *arg, struct errmsg *e)
{
	if (run->create && strchr(arg, '=')) {
		if (attr_set_add_list(&run->attrs, ATTR_CREATE, arg, e))
			return errmsg_in(e, "--create");
		return 0;
	}
	if (run->load.pool)
		return errmsg_set(e, "unexpected argument: " ERRMSG_Q, arg);
	run->load.pool = arg;
	return parse_pool_name(arg, e);
}

static int check_schedule(const struct run *run, struct errmsg *e)
{
	const struct load_config *load = &run->load;

	if (arrivals_are_scheduled(&load->arrivals))
		return 0;
	if (load->arrivals.poisson)
		return errmsg_set(e,
				  "--arrivals: only with --rate");
	if (load->arrivals.ramp_ns)
		return errmsg_set(e, "--ramp: needs --rate, which it leads up to");
	return 0;
}

/*
 * The tasks and their arrivals are those of the recording, each as one that uses a CPU for as
 * long as it ran, or that sleeps.
 */
static int complete_replay(struct run *run, struct errmsg *e)
{
	struct load_config *load = &run->load;
	struct work *work = &run->works[0];

	if (!run->replay_file)
		return run->replay_as ? errmsg_set(e, "--as: of what? --replay is missing") : 0;
	if (load->nr_works || load->arrivals.rate || load->arrivals.poisson ||
	    load->arrivals.ramp_ns)
		return errmsg_set(e, "--replay: has --work, --rate, --arrivals and --ramp itself");
	if (replay_read(&run->replay, run->replay_file, e))
		return CLI_FAILED;
	*work = (struct work){
		.kind = run->replay_as && !strcmp(run->replay_as, "sleep") ? WPOOL_WORK_SLEEP :
									     WPOOL_WORK_SPIN,
		.text = strdup(run->replay_as ?: "spin"),
		.weight = 1,
	};
	load->nr_works = 1;
	load->arrivals.replay = &run->replay;
	if (!load->tasks || load->tasks > run->replay.nr)
		load->tasks = run->replay.nr;
	return work->text ? 0 : errmsg_set(e, "out of memory");
}

/* What has a CPU that it prefers; /dev/wpool would say no more than EINVAL. */
static int check_on(const struct run *run, struct errmsg *e)
{
	const struct load_config *load = &run->load;
	unsigned int i;

	if (!load->on)
		return 0;
	if (load->urgent)
		return errmsg_set(e, "--on and --urgent exclude each other: %s",
				  "urgent tasks are for the first worker of any CPU");
	if (load->group)
		return errmsg_set(e, "--on and --group exclude each other");
	for (i = 0; i < load->nr_works; i++)
		switch (run->works[i].kind) {
		case WPOOL_WORK_TIMER:
		case WPOOL_WORK_STRAND:
		case WPOOL_WORK_POLL:
		case WPOOL_WORK_COUNT:
			return errmsg_set(e, "--on: not with tasks of %s",
					  "timer, strand, poll or count");
		}
	return 0;
}

/* The pools of a job file have several of them. */
static const char *make_name(struct run *run)
{
	static unsigned int nr;
	size_t len = sizeof(run->own_name);

	if (nr++)
		snprintf(run->own_name, len, "wpoolctl-%d-%u", (int)getpid(), nr);
	else
		snprintf(run->own_name, len, "wpoolctl-%d", (int)getpid());
	return run->own_name;
}

int run_complete(struct run *run, struct errmsg *e)
{
	struct load_config *load = &run->load;
	int err;

	if (run->jobs && (load->pool || run->nr_options > 1U + run->json))
		return errmsg_set(e, "--jobs: the file says the rest, only --json goes with it");
	if (run->jobs)
		return 0;
	if (!load->pool && !run->create)
		return errmsg_set(e, "the name of a pool is missing, or --create");
	if (!load->pool)
		load->pool = make_name(run);
	if (attr_set_check(&run->attrs, NULL, e))
		return errmsg_in(e, "--create");
	if (run->quiet && (run->json || load->interval_ns))
		return errmsg_set(e, "--quiet and %s exclude each other",
				  run->json ? "--json" : "--interval");
	err = complete_replay(run, e);
	if (err)
		return err;
	if (check_schedule(run, e) || check_on(run, e))
		return -1;
	if (!load->tasks && !load->duration_ns)
		load->tasks = DEFAULT_TASKS;
	if (!load->nr_works && set_work(run, "noop", e))
		return -1;
	load->works = run->works;
	load->turns = &run->turns;
	if (work_turns_init(&run->turns, run->works, load->nr_works))
		return errmsg_set(e, "out of memory");
	return 0;
}

void run_init(struct run *run, const struct command *cmd)
{
	*run = (struct run){
		.cmd = cmd,
		.load = {
			.batch = 256,
			.submitters = 1,
			.arrivals.seed = 1,
		},
	};
	attr_set_init(&run->attrs);
}

void run_exit(struct run *run)
{
	unsigned int i;

	work_turns_exit(&run->turns);
	replay_exit(&run->replay);
	for (i = 0; i < run->load.nr_works; i++)
		work_exit(&run->works[i]);
}
