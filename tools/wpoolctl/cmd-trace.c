// SPDX-License-Identifier: GPL-2.0
/* wpoolctl trace: record what happens to each task, and report it. */
#include "cli.h"
#include "trace.h"

#define DEFAULT_FILE		"wpool.trace"
#define DEFAULT_BUFFER		(4 << 20)
#define DEFAULT_OVER_NS		(5 * NSEC_PER_MSEC)
#define MAX_DURATION_NS		(24ULL * 60 * 60 * NSEC_PER_SEC)

/* The values of the options. */
struct wish {
	struct recording recording;
	enum trace_by by;
	__u64 over_ns;
};

static int do_record(const struct wish *wish, struct errmsg *e)
{
	struct recording recording = wish->recording;

	/* sched_switch explains why a task waited */
	recording.sched |= recording.stop_over_ns;
	if (trace_record(&recording, e))
		return -1;
	printf("%llu events in %s", recording.nr_events, recording.file);
	if (recording.nr_lost)
		printf("; %llu were lost: a larger --buffer keeps them", recording.nr_lost);
	putchar('\n');
	return recording.is_over ?
		trace_explain(recording.file, recording.stop_over_ns, e) : 0;
}

enum verb { RECORD, REPORT, EXPLAIN };

static const char *const verbs[] = { "record", "report", "explain", NULL };

static int act(const struct wish *wish, enum verb verb, struct errmsg *e)
{
	const char *file = wish->recording.file;

	switch (verb) {
	case REPORT:
		return trace_report(file, wish->by, e);
	case EXPLAIN:
		return trace_explain(file, wish->over_ns, e);
	default:
		return do_record(wish, e);
	}
}

static int set_pool(const struct cli_option *option, void *to, const char *value, struct errmsg *e)
{
	cli_set_text(option, to, value, e);
	return parse_pool_name(value, e);
}

static const struct cli_option options[] = {
	{ "pool", "POOL", "record: only the events of this pool",
	  CLI_FIELD(set_pool, struct wish, recording.pool) },
	{ "output", "FILE", "record: write to this file (" DEFAULT_FILE ")",
	  CLI_FILE(struct wish, recording.file) },
	{ "duration", "TIME", "record: end after this time; seconds, or with a unit",
	  CLI_SECONDS(struct wish, recording.duration_ns, NSEC_PER_MSEC, MAX_DURATION_NS) },
	{ "stop-over", "TIME", "record: end when a task has waited longer, and explain why",
	  CLI_DURATION(struct wish, recording.stop_over_ns, 1, MAX_DURATION_NS) },
	{ "sched", NULL,
	  "record: also record which threads of all programs have the CPUs, for explain;\n"
	  "--stop-over implies it",
	  "On a busy machine such a recording is far larger.",
	  CLI_FLAG(struct wish, recording.sched) },
	{ "buffer", "SIZE",
	  "record: buffer for each CPU, 4K to 1024M (4M); events that do not fit are lost and\n"
	  "counted",
	  CLI_PARSED(parse_size, struct wish, recording.buffer_bytes, 4096, 1024 << 20) },
	{ "by", "WHAT", "report: a line for each func, cpu or worker",
	  CLI_WORD(trace_by_names, struct wish, by) },
	{ "over", "TIME", "explain: the first task that waited longer than this (5ms)",
	  CLI_DURATION(struct wish, over_ns, 0, MAX_DURATION_NS) },
	{ }
};

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	struct wish wish = {
		.recording = { .file = DEFAULT_FILE, .buffer_bytes = DEFAULT_BUFFER },
		.over_ns = DEFAULT_OVER_NS,
	};
	__u64 given;
	size_t i;
	__u32 verb;

	given = cli_parse(cmd, argc, argv, &wish);
	if (optind == argc)
		cli_usage(cmd, "record, report or explain?");
	if (parse_word(argv[optind++], verbs, &verb, e))
		cli_usage(cmd, "%s", e->text);
	/* the help of an option begins with its verb */
	for (i = 0; options[i].name; i++)
		if (given & BIT(i) &&
		    strncmp(options[i].help, verbs[verb], strcspn(options[i].help, ":")))
			cli_usage(cmd, "%s takes no --%s", verbs[verb], options[i].name);
	if (verb != RECORD && optind < argc)
		wish.recording.file = argv[optind++];
	cli_no_more_args(cmd, argc, argv);
	return act(&wish, verb, e);
}

const struct command cmd_trace = {
	.name = "trace",
	.args = "record|report|explain [OPTION]... [FILE]",
	.summary = "record what happens to each task, and show it",
	.help =
"Records the tracepoints of wpool into a file until it is interrupted, and shows recordings.\n"
"It uses its own instance of tracefs. Recording needs root, and writes to --output. The others\n"
"read FILE, " DEFAULT_FILE " if none is named. explain reads it twice.\n"
"\n"
"report prints how many tasks ended, how long they waited, and how long they ran: the median,\n"
"the time that one in a hundred exceeds, and the longest time. For the first task that waited\n"
"longer than 5 ms, explain prints what the pool's workers of its CPU did meanwhile, and which\n"
"threads had that CPU, if the recording contains them.",
	.options = options,
	.run = run,
};
