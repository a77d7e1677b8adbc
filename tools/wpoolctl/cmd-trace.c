// SPDX-License-Identifier: GPL-2.0
/* wpoolctl trace: what happened to each task, recorded and told. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "parse.h"
#include "trace-record.h"
#include "trace-report.h"

#define DEFAULT_FILE		"wpool.trace"
#define DEFAULT_BUFFER_KIB	4096
#define DEFAULT_OVER_NS		(5 * NSEC_PER_MSEC)
#define MAX_DURATION_NS		(24ULL * 60 * 60 * NSEC_PER_SEC)

enum {
	OPT_POOL = CLI_OPT_FIRST, OPT_OUTPUT, OPT_DURATION, OPT_STOP_OVER, OPT_BUFFER, OPT_SCHED,
	OPT_BY, OPT_OVER,
};

/* What the options say. */
struct wish {
	struct recording recording;
	enum trace_by by;
	__u64 over_ns;
};

static int do_record(const struct wish *wish, struct errmsg *e)
{
	struct recording recording = wish->recording;
	int err;

	err = trace_record(&recording, e);
	if (err)
		return err;
	printf("%llu events in %s", recording.nr_events, recording.file);
	if (recording.nr_lost)
		printf("; %llu were lost: a larger --buffer keeps them", recording.nr_lost);
	putchar('\n');
	return recording.is_over ?
		trace_explain(recording.file, recording.stop_over_ns, e) : 0;
}

static int do_report(const struct wish *wish, struct errmsg *e)
{
	return trace_report(wish->recording.file, wish->by, e);
}

static int do_timehist(const struct wish *wish, struct errmsg *e)
{
	return trace_timehist(wish->recording.file, e);
}

static int do_chrome(const struct wish *wish, struct errmsg *e)
{
	return trace_chrome(wish->recording.file, e);
}

static int do_explain(const struct wish *wish, struct errmsg *e)
{
	return trace_explain(wish->recording.file, wish->over_ns, e);
}

static const struct verb {
	const char *name;
	unsigned int options;	/* those that it takes, from OPT_POOL on */
	int (*act)(const struct wish *wish, struct errmsg *e);
} verbs[] = {
	{ "record", BIT(OPT_POOL - OPT_POOL) | BIT(OPT_OUTPUT - OPT_POOL) |
		    BIT(OPT_DURATION - OPT_POOL) | BIT(OPT_STOP_OVER - OPT_POOL) |
		    BIT(OPT_BUFFER - OPT_POOL) | BIT(OPT_SCHED - OPT_POOL), do_record },
	{ "report", BIT(OPT_BY - OPT_POOL), do_report },
	{ "timehist", 0, do_timehist },
	{ "chrome", 0, do_chrome },
	{ "explain", BIT(OPT_OVER - OPT_POOL), do_explain },
};

static const struct verb *find_verb(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

static int parse_by(const char *text, enum trace_by *by, struct errmsg *e)
{
	int i;

	for (i = 0; i < NR_TRACE_BYS; i++) {
		if (strcmp(text, trace_by_names[i]))
			continue;
		*by = i;
		return 0;
	}
	return errmsg_set(e, ERRMSG_Q " is not one of func, cpu, worker", text);
}

static int parse_option(int opt, struct wish *wish, struct errmsg *e)
{
	struct recording *recording = &wish->recording;
	__u64 bytes;

	switch (opt) {
	case OPT_POOL:
		recording->pool = optarg;
		return parse_pool_name(optarg, e);
	case OPT_OUTPUT:
		recording->file = optarg;
		return *optarg ? 0 : errmsg_set(e, "a file has a name");
	case OPT_DURATION:
		return parse_seconds(optarg, NSEC_PER_MSEC, MAX_DURATION_NS,
				     &recording->duration_ns, e);
	case OPT_STOP_OVER:
		/* to explain why it waited */
		recording->sched = true;
		return parse_duration(optarg, 1, MAX_DURATION_NS, &recording->stop_over_ns, e);
	case OPT_SCHED:
		recording->sched = true;
		return 0;
	case OPT_OVER:
		return parse_duration(optarg, 0, MAX_DURATION_NS, &wish->over_ns, e);
	case OPT_BY:
		return parse_by(optarg, &wish->by, e);
	default:
		if (parse_size(optarg, 4096, 1024 * 1024 * 1024, &bytes, e))
			return -1;
		recording->buffer_kib = bytes / 1024;
		return 0;
	}
}

static int run(const struct command *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "pool", required_argument, NULL, OPT_POOL },
		{ "output", required_argument, NULL, OPT_OUTPUT },
		{ "duration", required_argument, NULL, OPT_DURATION },
		{ "stop-over", required_argument, NULL, OPT_STOP_OVER },
		{ "buffer", required_argument, NULL, OPT_BUFFER },
		{ "sched", no_argument, NULL, OPT_SCHED },
		{ "by", required_argument, NULL, OPT_BY },
		{ "over", required_argument, NULL, OPT_OVER },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct wish wish = {
		.recording = { .file = DEFAULT_FILE, .buffer_kib = DEFAULT_BUFFER_KIB },
		.over_ns = DEFAULT_OVER_NS,
	};
	const struct verb *verb;
	unsigned int given = 0;
	struct errmsg e;
	int opt;
	size_t i;

	while ((opt = cli_getopt(cmd, argc, argv, options)) != -1) {
		if (parse_option(opt, &wish, &e))
			cli_usage(cmd, "--%s: %s", options[opt - OPT_POOL].name, e.text);
		given |= BIT(opt - OPT_POOL);
	}
	if (optind == argc)
		cli_usage(cmd, "record, report, timehist, chrome or explain?");
	verb = find_verb(argv[optind]);
	if (!verb)
		cli_usage(cmd, ERRMSG_Q " is not one of record, report, timehist, chrome, explain",
			  argv[optind]);
	optind++;
	for (i = 0; i <= OPT_OVER - OPT_POOL; i++)
		if (given & ~verb->options & BIT(i))
			cli_usage(cmd, "%s takes no --%s", verb->name, options[i].name);
	if (verb->act != do_record && optind < argc)
		wish.recording.file = argv[optind++];
	cli_no_more_args(cmd, argc, argv);
	if (verb->act == do_explain && !strcmp(wish.recording.file, "-"))
		cli_usage(cmd, "explain reads its file twice: not standard input");
	if (verb->act(&wish, &e)) {
		cli_error(cmd, "%s", e.text);
		return CLI_FAILED;
	}
	return CLI_OK;
}

const struct command cmd_trace = {
	.name = "trace",
	.args = "record|report|timehist|chrome|explain [OPTION]... [FILE]",
	.summary = "record what happens to each task, and tell",
	.help =
"Records the events of wpool into a file, in an instance of tracefs of its own,\n"
"until interrupted, and tells what was recorded. Needs root to record. FILE is\n"
DEFAULT_FILE " if none is named, - is standard input.\n"
"\n"
"record\n"
"  --pool POOL         only the events of this pool\n"
"  --output FILE       where to (" DEFAULT_FILE ")\n"
"  --duration TIME     end after so long; seconds, or with a unit\n"
"  --stop-over TIME    end when a task has waited longer, and explain why\n"
"  --sched             also which threads have the CPUs, for explain; --stop-over\n"
"                      does it in any case\n"
"  --buffer SIZE       for each CPU, 4K to 1024M (4M); what does not fit is lost\n"
"report [FILE]         tasks, their waits and runs\n"
"  --by func|cpu|worker\n"
"timehist [FILE]       a line for each task that has ended\n"
"chrome [FILE]         JSON for Perfetto or Chrome's viewer, a row a worker\n"
"explain [FILE]        why the first task that waited longer did\n"
"  --over TIME         than this (5ms)",
	.run = run,
};
