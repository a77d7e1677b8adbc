// SPDX-License-Identifier: GPL-2.0
/*
 * wpoolctl why: one sentence on why the tasks of a pool wait.
 *
 * It looks twice, some time apart: what grows meanwhile (refused submits, failed spawns,
 * finished tasks) and what stands still. Without debugfs it cannot name functions, and
 * tells sleepers from others by sysfs.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "out.h"
#include "parse.h"
#include "sysfs.h"
#include "tables.h"

#define MIN_INTERVAL_NS	(10 * NSEC_PER_MSEC)
#define MAX_INTERVAL_NS	(60 * NSEC_PER_SEC)

/* What is known of the pool. */
struct facts {
	const char *pool;
	struct snapshot last, now;
	bool has_workers;		/* debugfs could be read */
	struct workers workers;
	struct funcs funcs;
	unsigned int nr[NR_DOINGS];	/* of its workers in tasks */
	bool handoff;
	int spawn_error;		/* 0: none, or the module does not say */
	__u64 max_workers;		/* 0 if that is not known */
	__u64 all_workers;		/* of all pools */
	char others[160];		/* who has them: "4 in a, 2 in b" */
};

struct answer {
	const char *cause;		/* a word, for programs */
	char text[512];
};

__printf(3, 4)
static void answer_set(struct answer *answer, const char *cause, const char *fmt, ...)
{
	va_list ap;

	answer->cause = cause;
	va_start(ap, fmt);
	vsnprintf(answer->text, sizeof(answer->text), fmt, ap);
	va_end(ap);
}

static __u64 figure(const struct facts *facts, enum figure figure)
{
	return facts->now.value[figure];
}

static __u64 grown(const struct facts *facts, enum figure figure)
{
	return facts->now.value[figure] - facts->last.value[figure];
}

/* ---- facts ---------------------------------------------------------------- */

static void count_all_workers(struct facts *facts)
{
	struct sysfs_names pools;
	struct snapshot shot;
	struct errmsg e;
	size_t i, at = 0;

	if (sysfs_list_pools(&pools, &e))
		return;
	for (i = 0; i < pools.nr; i++) {
		if (sysfs_snapshot(pools.name[i], &shot, &e) ||
		    !shot.value[FIGURE_WORKERS])
			continue;
		facts->all_workers += shot.value[FIGURE_WORKERS];
		if (at < sizeof(facts->others))
			at += snprintf(facts->others + at, sizeof(facts->others) - at,
				       "%s%llu in %s", at ? ", " : "",
				       shot.value[FIGURE_WORKERS], pools.name[i]);
	}
	sysfs_names_exit(&pools);
}

static int read_facts(struct facts *facts, __u64 interval_ns, struct errmsg *e)
{
	struct timespec pause = {
		.tv_sec = interval_ns / NSEC_PER_SEC,
		.tv_nsec = interval_ns % NSEC_PER_SEC,
	};
	char handoff[SYSFS_VALUE_LEN], spawn_error[SYSFS_VALUE_LEN];
	struct errmsg ignored;
	enum doing doing;
	size_t i;
	int err;

	err = sysfs_snapshot(facts->pool, &facts->last, e);
	if (err)
		return err;
	clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	err = sysfs_snapshot(facts->pool, &facts->now, e);
	if (err)
		return err;
	facts->handoff = sysfs_read(facts->pool, "handoff", handoff, sizeof(handoff), e) ||
			 strcmp(handoff, "0");
	if (!sysfs_read(facts->pool, "spawn_error", spawn_error, sizeof(spawn_error), e))
		facts->spawn_error = -atoi(spawn_error);
	facts->has_workers = !workers_read(&facts->workers, &ignored);
	if (facts->has_workers && funcs_count(&facts->funcs, &facts->workers, facts->pool))
		return errmsg_set(e, "out of memory");
	for (i = 0; i < facts->funcs.nr; i++)
		for (doing = DOING_IDLE; doing < NR_DOINGS; doing++)
			facts->nr[doing] += facts->funcs.func[i].nr[doing];
	facts->max_workers = sysfs_max_workers();
	count_all_workers(facts);
	return 0;
}

/* ---- words ---------------------------------------------------------------- */

/*
 * "40 tasks are queued and 3 wait for room". Those are of submitters that sleep, of events, and
 * of strands: all that the file waiting counts.
 */
static void describe_wait(const struct facts *facts, char *buf, size_t len)
{
	__u64 queued = figure(facts, FIGURE_QUEUED), waiting = figure(facts, FIGURE_WAITING);
	size_t at = 0;

	*buf = '\0';
	if (queued)
		at = snprintf(buf, len, "%llu task%s queued", queued,
			      queued == 1 ? " is" : "s are");
	if (waiting && at < len)
		snprintf(buf + at, len - at, queued ? " and %llu wait%s for room" :
			 waiting == 1 ? "%llu task wait%s for room" : "%llu tasks wait%s for room",
			 waiting, waiting == 1 ? "s" : "");
}

/* The function with the most workers that do this; " in http_fn (8.3 s, pid ...)". */
static void describe_func(const struct facts *facts, enum doing doing, char *buf,
			  size_t len)
{
	const struct func *most = NULL;
	char oldest[128];
	size_t i;

	*buf = '\0';
	for (i = 0; i < facts->funcs.nr; i++)
		if (facts->funcs.func[i].nr[doing] &&
		    (!most || facts->funcs.func[i].nr[doing] > most->nr[doing]))
			most = &facts->funcs.func[i];
	if (!most)
		return;
	worker_describe(most->oldest_of[doing], oldest, sizeof(oldest));
	snprintf(buf, len, ", %u of them in %s (the longest: %s)", most->nr[doing],
		 most->name, oldest);
}

/* "the last with ENOMEM: Cannot allocate memory" */
static void describe_error(const struct facts *facts, char *buf, size_t len)
{
	const char *name = facts->spawn_error > 0 ? strerrorname_np(facts->spawn_error) : NULL;

	if (name)
		snprintf(buf, len, "the last with %s: %s", name, strerror(facts->spawn_error));
	else
		snprintf(buf, len, "see the kernel's log");
}

/*
 * Workers in tasks: sysfs and debugfs are read one after the other, and what began in between
 * is in the second only.
 */
static __u64 nr_busy(const struct facts *facts)
{
	enum doing doing;
	__u64 nr = 0;

	for (doing = DOING_IDLE + 1; doing < NR_DOINGS; doing++)
		nr += facts->nr[doing];
	return nr > figure(facts, FIGURE_BUSY) ? nr : figure(facts, FIGURE_BUSY);
}

/* ---- causes, the more certain first ---------------------------------------- */

static bool is_used_up(const struct facts *facts)
{
	return strcmp(facts->now.capacity, "max") && figure(facts, FIGURE_BUSY) &&
	       figure(facts, FIGURE_BUSY) + figure(facts, FIGURE_SEARCHING) >=
	       strtoull(facts->now.capacity, NULL, 10);
}

/* All of the capacity is in tasks: asleep, hogs, or at work. */
static void explain_used_up(const struct facts *facts, const char *wait,
			    struct answer *answer)
{
	__u64 busy = figure(facts, FIGURE_BUSY), blocked = figure(facts, FIGURE_BLOCKED);
	char who[256];

	if (2 * blocked >= busy) {
		describe_func(facts, DOING_ASLEEP, who, sizeof(who));
		answer_set(answer, "sleepers",
			   "%s: %llu of the %llu workers that capacity allows sleep in their tasks%s.",
			   wait, blocked, busy, who);
	} else if (facts->nr[DOING_HOG]) {
		describe_func(facts, DOING_HOG, who, sizeof(who));
		answer_set(answer, "hogs",
			   "%s: the %llu workers that capacity allows are all busy, %u with hogs%s.",
			   wait, busy, facts->nr[DOING_HOG], who);
	} else {
		describe_func(facts, DOING_RUNNING, who, sizeof(who));
		answer_set(answer, "capacity",
			   "%s: the %llu workers that capacity allows are all busy%s, %.0f tasks a second.",
			   wait, busy, who, snapshot_done_per_s(&facts->last, &facts->now));
	}
}

/* Workers are missing: why is none created, or why does it not run? */
static void explain_missing(const struct facts *facts, const char *wait,
			    struct answer *answer)
{
	__u64 failed = figure(facts, FIGURE_SPAWN_FAILED);
	char who[256];

	if (grown(facts, FIGURE_SPAWN_FAILED) ||
	    (failed && !figure(facts, FIGURE_WORKERS))) {
		describe_error(facts, who, sizeof(who));
		answer_set(answer, "spawn",
			   "%s: workers cannot be created, %llu attempts have failed; %s.",
			   wait, failed, who);
	} else if (facts->max_workers && facts->all_workers >= facts->max_workers) {
		answer_set(answer, "max_workers",
			   "%s: all pools together have the %llu workers that max_workers allows (%s).",
			   wait, facts->max_workers, facts->others);
	} else if (!facts->handoff && figure(facts, FIGURE_BLOCKED)) {
		describe_func(facts, DOING_ASLEEP, who, sizeof(who));
		answer_set(answer, "handoff",
			   "%s: handoff is 0, and %llu workers sleep in their tasks and keep their queues%s.",
			   wait, figure(facts, FIGURE_BLOCKED), who);
	} else if (facts->nr[DOING_HOG]) {
		describe_func(facts, DOING_HOG, who, sizeof(who));
		answer_set(answer, "hogs", "%s: hogs keep %u CPU%s%s.", wait,
			   facts->nr[DOING_HOG], facts->nr[DOING_HOG] == 1 ? "" : "s", who);
	} else if (facts->nr[DOING_WAITING]) {
		describe_func(facts, DOING_WAITING, who, sizeof(who));
		answer_set(answer, "cpu",
			   "%s: %u of %llu busy worker%s for a CPU that something else uses%s.",
			   wait, facts->nr[DOING_WAITING], nr_busy(facts),
			   nr_busy(facts) == 1 ? " waits" :
			   facts->nr[DOING_WAITING] == 1 ? "s waits" : "s wait", who);
	} else {
		answer_set(answer, "served",
			   "%s: they are being served, %.0f tasks a second.", wait,
			   snapshot_done_per_s(&facts->last, &facts->now));
	}
}

static void explain_none(const struct facts *facts, struct answer *answer)
{
	__u64 busy = figure(facts, FIGURE_BUSY), idle = figure(facts, FIGURE_IDLE);
	const char *are = idle == 1 ? " is" : "s are";

	if (busy)
		answer_set(answer, "none",
			   "No task waits: %llu run%s or sleep%s, %llu worker%s idle.",
			   busy, busy == 1 ? "s" : "", busy == 1 ? "s" : "", idle, are);
	else
		answer_set(answer, "none", "No task waits or runs; %llu worker%s idle.", idle, are);
}

static void explain_closed(const struct facts *facts, struct answer *answer)
{
	__u64 left = figure(facts, FIGURE_OUTSTANDING);

	if (left)
		answer_set(answer, "closed",
			   "The pool is %s: it accepts no task, and finishes the %llu that it has accepted.",
			   facts->now.state, left);
	else
		answer_set(answer, "closed", "The pool is %s: it accepts no task, and has none.",
			   facts->now.state);
}

static void explain(const struct facts *facts, struct answer *answer)
{
	bool closing = !strcmp(facts->now.state, "closing");
	char wait[128], all[192];

	describe_wait(facts, wait, sizeof(wait));
	if (closing && !*wait) {
		answer_set(answer, "closing",
			   "The pool is closed to others: it accepts its own timers and events, and what its tasks submit.");
		return;
	}
	if (!closing && strcmp(facts->now.state, "open")) {
		explain_closed(facts, answer);
		return;
	}
	if (!*wait && grown(facts, FIGURE_REFUSED)) {
		answer_set(answer, "full",
			   "%llu submits were refused meanwhile: capacity + queue_depth tasks were outstanding.",
			   grown(facts, FIGURE_REFUSED));
		return;
	}
	if (!*wait && facts->nr[DOING_WAITING]) {
		explain_missing(facts, "No task is queued", answer);
		return;
	}
	if (!*wait) {
		explain_none(facts, answer);
		return;
	}
	snprintf(all, sizeof(all), "%s%s", wait, !figure(facts, FIGURE_WAITING) ? "" :
		 ", as capacity + queue_depth tasks are outstanding");
	if (is_used_up(facts))
		explain_used_up(facts, all, answer);
	else
		explain_missing(facts, all, answer);
	/* nothing holds the workers up: the line is what submitters wait in */
	if (!strcmp(answer->cause, "served") && figure(facts, FIGURE_WAITING))
		answer->cause = "line";
}

static int run(const struct command *cmd, int argc, char **argv)
{
	enum { OPT_INTERVAL = CLI_OPT_FIRST, OPT_JSON };
	static const struct option options[] = {
		{ "interval", required_argument, NULL, OPT_INTERVAL },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	__u64 interval_ns = 200 * NSEC_PER_MSEC;
	struct facts facts = { };
	struct json_object *json;
	struct answer answer;
	bool as_json = false;
	struct errmsg e;
	int opt, err;

	while ((opt = cli_getopt(cmd, argc, argv, options)) != -1) {
		if (opt == OPT_JSON)
			as_json = true;
		else if (parse_seconds(optarg, MIN_INTERVAL_NS, MAX_INTERVAL_NS,
				       &interval_ns, &e))
			cli_usage(cmd, "--interval: %s", e.text);
	}
	facts.pool = cli_pool_arg(cmd, argc, argv);
	optind++;
	cli_no_more_args(cmd, argc, argv);
	err = read_facts(&facts, interval_ns, &e);
	if (err) {
		cli_error(cmd, "%s", e.text);
	} else {
		explain(&facts, &answer);
		if (as_json) {
			json = out_json_new();
			out_json_add_string(json, "name", facts.pool);
			out_json_add_string(json, "cause", answer.cause);
			out_json_add_string(json, "text", answer.text);
			out_json_print(json);
		} else {
			out_sentence(answer.text);
		}
		if (!facts.has_workers && strcmp(answer.cause, "none") && !as_json)
			puts("(No function is named: debugfs cannot be read.)");
	}
	funcs_exit(&facts.funcs);
	workers_exit(&facts.workers);
	return err ? CLI_FAILED : CLI_OK;
}

const struct command cmd_why = {
	.name = "why",
	.args = "POOL [--interval SECONDS] [--json]",
	.summary = "say why the tasks of a pool wait",
	.help =
"Says in a sentence why tasks of a pool wait: its capacity is used up by tasks\n"
"that sleep or by hogs, max_workers is reached, workers cannot be created, other\n"
"programs have the CPUs, or the pool is full. It looks at the pool twice. The\n"
"functions are read from debugfs, which is for root only in most cases.\n"
"\n"
"  --interval SECONDS  time between the two looks (0.2); ns, us, ms, m, h may\n"
"                      be given\n"
"  --json              an object: name, cause (a word) and text",
	.run = run,
};
