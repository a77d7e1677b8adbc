// SPDX-License-Identifier: GPL-2.0
/* wpoolctl advise: how many workers a recorded load needs. */
#include "out.h"
#include "run.h"

#define DEFAULT_MAX	1024
#define MAX_TARGET_NS	(60ULL * 60 * NSEC_PER_SEC)

struct advice {
	struct run run;		/* first member: advise takes some options of run */
	__u64 target_ns;
	__u32 max;		/* the largest capacity to try */
	bool json;
	struct json_object *tries;
	bool is_enough;		/* result of the last try */
};

/* Replay the recording in a new pool of this capacity. Returns the exit code. */
static int try_capacity(struct advice *advice, __u32 capacity)
{
	struct wpool_dev_attrs *attrs = &advice->run.attrs.attrs;
	struct load_result result = { };
	struct json_object *json;
	__u64 p99_ns;
	int code;

	attrs->capacity = capacity;
	code = run_perform(&advice->run, &result);
	if (code)
		return code;
	code = run_verdict(&advice->run, &result);
	p99_ns = timehist_percentile(&result.tally.time[TALLY_TOTAL], 990000);
	if (code && code != CLI_TASKS)
		return code;
	advice->is_enough = !code && p99_ns <= advice->target_ns;
	if (advice->json) {
		json = json_new();
		json_put(json, "capacity", capacity);
		json_put_nonzero(json, "p99_ns", code ? 0 : p99_ns);
		json_append(advice->tries, json);
		return CLI_OK;
	}
	printf("capacity %5u: p99 %9s%s\n", capacity, DURATION(p99_ns),
	       code ? ", tasks failed or were refused" :
	       advice->is_enough ? "" : ", too long");
	fflush(stdout);
	return CLI_OK;
}

/* The average number of running tasks, rounded up, in [min_workers, max]. Fewer fall behind. */
static __u32 least_capacity(const struct advice *advice)
{
	const struct replay *replay = &advice->run.replay;
	__u64 nr = replay->run_ns / replay_length_ns(replay) + 1;

	return min(max(nr, advice->run.attrs.attrs.min_workers), advice->max);
}

/* Double the workers until they are enough, then bisect. *enough is 0 if advice->max is too few. */
static int find_capacity(struct advice *advice, __u32 *enough)
{
	__u32 few = (advice->run.attrs.attrs.min_workers ?: 1) - 1, best = 0;
	__u32 now = least_capacity(advice);
	int code = try_capacity(advice, now);

	while (!code && !advice->is_enough && now < advice->max) {
		few = now;
		now = now > advice->max / 2 ? advice->max : now * 2;
		code = try_capacity(advice, now);
	}
	if (!code && advice->is_enough)
		best = now;
	while (!code && best > few + 1) {
		now = few + (best - few) / 2;
		code = try_capacity(advice, now);
		if (advice->is_enough)
			best = now;
		else
			few = now;
	}
	*enough = code ? 0 : best;
	return code;
}

static void print_advice(const struct advice *advice, __u32 enough)
{
	if (enough)
		printf("%scapacity=%u%s keeps 99 of 100 tasks within %s, arrival to end.\n",
		       out_style(OUT_BOLD), enough, out_plain(), DURATION(advice->target_ns));
	else
		printf("%sNot even capacity=%u%s keeps 99 of 100 tasks within %s.\n",
		       out_style(OUT_BAD), advice->max, out_plain(), DURATION(advice->target_ns));
}

static void print_json(struct advice *advice, __u32 enough)
{
	struct json_object *json = json_new();

	json_put(json, "target_ns", advice->target_ns);
	json_put(json, "tasks", advice->run.replay.nr);
	json_put(json, "without_end", advice->run.replay.nr_open);
	json_put_nonzero(json, "capacity", enough);
	json_put(json, "tries", advice->tries);
	json_print(json);
}

static int advise(struct advice *advice)
{
	const struct replay *replay = &advice->run.replay;
	__u32 least = advice->run.attrs.attrs.min_workers, enough = 0;
	int code;

	advice->max = min(max(replay->nr, least), advice->max);
	if (advice->json)
		advice->tries = json_new_array();
	else
		printf("%llu tasks in %.3f s, which ran for %.3f s%s\n", replay->nr,
		       (double)replay_length_ns(replay) / NSEC_PER_SEC,
		       (double)replay->run_ns / NSEC_PER_SEC,
		       replay->nr_open ? "; others have no end in the recording" : "");
	code = find_capacity(advice, &enough);
	if (advice->json)
		print_json(advice, enough);
	else if (!code)
		print_advice(advice, enough);
	return code ?: enough ? CLI_OK : CLI_FAILED;
}

static int run_command(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	struct advice advice = { .max = DEFAULT_MAX };
	struct run *run = &advice.run;
	int code;

	run_init(run, cmd);
	cli_parse(cmd, argc, argv, &advice);
	if (!advice.target_ns)
		cli_usage(cmd, "--p99 is missing: the time within which 99 of 100 tasks must end");
	if (run->attrs.attrs.mask & (WPOOL_DEV_CAPACITY | WPOOL_DEV_CAPACITY_PER_CPU))
		cli_usage(cmd, "--create: leave out the capacity, which advise searches for");
	if (optind == argc)
		cli_usage(cmd, "the recording is missing: a file of 'wpoolctl trace record'");
	run->replay_file = argv[optind++];
	cli_no_more_args(cmd, argc, argv);
	/* by default the queue is unlimited, so that the pool accepts each task on arrival */
	if (!(run->attrs.attrs.mask & WPOOL_DEV_QUEUE_DEPTH) &&
	    attr_set_add(&run->attrs, ATTR_CREATE, "queue_depth=max", e))
		cli_usage(cmd, "--create: %s", e->text);
	/* each try sets the capacity: check the other attributes against the largest */
	run->attrs.attrs.mask |= WPOOL_DEV_CAPACITY;
	run->attrs.attrs.capacity = advice.max;
	run->create = true;
	run->quiet = true;
	code = run_complete(run, e);
	if (code < 0)
		cli_usage(cmd, "%s", e->text);
	return code ? -1 : advise(&advice);
}

static const struct cli_option options[] = {
	{ "p99", "TIME", "the time within which 99 of 100 tasks must end: 10ms",
	  CLI_DURATION(struct advice, target_ns, 1, MAX_TARGET_NS) },
	{ "as", "KIND", "spin: a task uses a CPU (the default); or sleep",
	  CLI_WORD(run_replay_words, struct run, replay_as) },
	{ "create", "A=V,...", "other attributes of the pool (see 'wpoolctl create --help')",
	  "Without queue_depth, it is max.", .set = run_set_create },
	{ "max", "N", "the largest capacity to try (1024)",
	  "More workers than tasks are not tried.",
	  CLI_COUNT(struct advice, max, 1, WPOOL_DEV_UNLIMITED - 1) },
	{ "json", NULL, "one object: the capacity, or null, and all tried capacities",
	  CLI_FLAG(struct advice, json) },
	{ }
};

const struct command cmd_advise = {
	.name = "advise",
	.args = "FILE --p99 TIME [OPTION]...",
	.summary = "find the smallest capacity that keeps a recorded load fast",
	.help =
"Runs the tasks of FILE, which 'wpoolctl trace record' wrote, again and again in a temporary\n"
"pool: they arrive at their recorded times, and each lasts as long as in the recording. Finds\n"
"the smallest capacity with which 99 of 100 tasks end within TIME of their arrival.\n"
"\n"
"Each try takes as long as the recording. Meanwhile the machine should do no other work than in\n"
"normal use.\n"
"\n"
"  wpoolctl trace record --pool http --duration 30s\n"
"  wpoolctl advise wpool.trace --p99 20ms --as sleep",
	.more =
"The first try has as many workers as were busy on average in the recording. Each further try\n"
"has twice as many, until they are enough. Then advise tries numbers in between. A capacity with\n"
"which tasks fail or are refused is too small; its p99_ns in the JSON is null. advise fails if\n"
"no capacity is enough.",
	.options = options,
	.run = run_command,
};
