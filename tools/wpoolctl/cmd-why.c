// SPDX-License-Identifier: GPL-2.0
/*
 * wpoolctl why: one sentence on why the tasks of a pool wait.
 *
 * It looks twice, some time apart, to see which counters grow (refused submits, failed spawns,
 * finished tasks) and which stand still. Without debugfs it cannot name functions, and counts
 * sleeping workers by sysfs.
 */
#include <stdarg.h>

#include "cli.h"
#include "out.h"
#include "pools.h"
#include "tables.h"

struct facts {
	const struct pool *pool;
	bool has_workers;		/* debugfs is readable */
	struct workers workers;
	struct funcs funcs;
	unsigned int nr[NR_DOINGS];	/* the pool's workers in tasks, by what they do */
	bool handoff;
	int spawn_error;		/* 0: none, or an older module */
	__u64 max_workers;		/* the module's limit; 0: unknown */
	__u64 all_workers;		/* workers of all pools */
	char others[160];		/* all_workers by pool: "4 in a, 2 in b" */
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
	return pool_figure(facts->pool, figure);
}

static __u64 grown(const struct facts *facts, enum figure figure)
{
	const struct pool *pool = facts->pool;

	return pool->valid ? pool->now.value[figure] - pool->last.value[figure] : 0;
}

/* ---- facts ---------------------------------------------------------------- */

static void count_all_workers(struct facts *facts)
{
	struct pools pools = { .all = true };
	const struct pool *pool;
	struct errmsg e;
	__u64 nr;

	pools_look(&pools, &e);
	for_each_pool(pool, &pools) {
		nr = pool_figure(pool, FIGURE_WORKERS);
		facts->all_workers += nr;
		if (nr)
			errmsg_join(facts->others, sizeof(facts->others), ", ", "%llu in %s", nr,
				    pool->name);
	}
}

/* Fills in the facts of a pool that has been looked at twice. */
static void read_facts(struct facts *facts)
{
	const char *pool = facts->pool->name;
	char value[SYSFS_VALUE_LEN];
	enum doing doing;
	struct errmsg e;
	size_t i;

	facts->handoff = sysfs_read(pool, "handoff", value, sizeof(value), &e) ||
			 strcmp(value, "0");
	if (!sysfs_read(pool, "spawn_error", value, sizeof(value), &e))
		facts->spawn_error = -atoi(value);
	facts->has_workers = !workers_read(&facts->workers, &e);
	if (facts->has_workers)
		funcs_count(&facts->funcs, &facts->workers, pool);
	for (i = 0; i < facts->funcs.nr; i++)
		for (doing = DOING_IDLE; doing < NR_DOINGS; doing++)
			facts->nr[doing] += facts->funcs.func[i].nr[doing];
	facts->max_workers = sysfs_max_workers();
	count_all_workers(facts);
}

/* ---- words ---------------------------------------------------------------- */

/*
 * "40 tasks are queued and 3 wait for room". The file waiting counts the tasks that wait for room:
 * of sleeping submitters, of events, and of strands.
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

/* The function with the most workers in state @doing: " in http_fn (the longest: 8.30s, ...)". */
static void describe_func(const struct facts *facts, enum doing doing, char *buf, size_t len)
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
 * The number of workers in tasks. debugfs is read after sysfs, so a task that began in between is
 * in debugfs only.
 */
static __u64 nr_busy(const struct facts *facts)
{
	enum doing doing;
	__u64 nr = 0;

	for (doing = DOING_IDLE + 1; doing < NR_DOINGS; doing++)
		nr += facts->nr[doing];
	return max(nr, figure(facts, FIGURE_BUSY));
}

/* ---- causes, the more certain first ---------------------------------------- */

static bool is_used_up(const struct facts *facts)
{
	return strcmp(facts->pool->now.capacity, "max") && figure(facts, FIGURE_BUSY) &&
	       figure(facts, FIGURE_BUSY) + figure(facts, FIGURE_SEARCHING) >=
	       strtoull(facts->pool->now.capacity, NULL, 10);
}

/* As many workers as capacity allows are in tasks: they sleep, are hogs, or work. */
static void explain_used_up(const struct facts *facts, const char *wait, struct answer *answer)
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
			   wait, busy, who, pool_rate(facts->pool, FIGURE_COMPLETED));
	}
}

/* Workers are missing: why is none created, or why does a new one not run? */
static void explain_missing(const struct facts *facts, const char *wait, struct answer *answer)
{
	__u64 failed = figure(facts, FIGURE_SPAWN_FAILED);
	char who[256];

	if (grown(facts, FIGURE_SPAWN_FAILED) || (failed && !figure(facts, FIGURE_WORKERS))) {
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
			   pool_rate(facts->pool, FIGURE_COMPLETED));
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
			   facts->pool->now.state, left);
	else
		answer_set(answer, "closed", "The pool is %s: it accepts no task, and has none.",
			   facts->pool->now.state);
}

static void explain_wait(const struct facts *facts, const char *wait, struct answer *answer)
{
	char all[192];

	snprintf(all, sizeof(all), "%s%s", wait, !figure(facts, FIGURE_WAITING) ? "" :
		 ", as capacity + queue_depth tasks are outstanding");
	if (is_used_up(facts))
		explain_used_up(facts, all, answer);
	else
		explain_missing(facts, all, answer);
	/* tasks are served, so submitters only wait for their turn */
	if (!strcmp(answer->cause, "served") && figure(facts, FIGURE_WAITING))
		answer->cause = "line";
}

static void explain(const struct facts *facts, struct answer *answer)
{
	bool closing = !strcmp(facts->pool->now.state, "closing");
	char wait[128];

	describe_wait(facts, wait, sizeof(wait));
	if (closing && !*wait)
		answer_set(answer, "closing",
			   "The pool is closed to others: it accepts its own timers and events, and what its tasks submit.");
	else if (!closing && strcmp(facts->pool->now.state, "open"))
		explain_closed(facts, answer);
	else if (*wait)
		explain_wait(facts, wait, answer);
	else if (grown(facts, FIGURE_REFUSED))
		answer_set(answer, "full",
			   "%llu submits were refused meanwhile: capacity + queue_depth tasks were outstanding.",
			   grown(facts, FIGURE_REFUSED));
	else if (facts->nr[DOING_WAITING])
		explain_missing(facts, "No task is queued", answer);
	else
		explain_none(facts, answer);
}

struct why {
	__u64 interval_ns;
	bool json;
};

static void print_answer(const struct facts *facts, const struct answer *answer, bool as_json)
{
	struct json_object *json;

	if (as_json) {
		json = json_new();
		json_put(json, "name", facts->pool->name);
		json_put(json, "cause", answer->cause);
		json_put(json, "text", (const char *)answer->text);
		json_print(json);
		return;
	}
	cli_print_text(answer->text, 0, 0, isatty(STDOUT_FILENO) ? out_width() : INT_MAX);
	if (!facts->has_workers && strcmp(answer->cause, "none"))
		puts("(No function is named: debugfs cannot be read.)");
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *e)
{
	struct why why = { .interval_ns = 200 * NSEC_PER_MSEC };
	struct pools pools = { };
	struct facts facts = { };
	struct answer answer;
	int err;

	cli_parse(cmd, argc, argv, &why);
	pools_add(&pools, cli_only_pool_arg(cmd, argc, argv));
	err = pools_look(&pools, e);
	if (!err) {
		sleep_ns(why.interval_ns);
		err = pools_look(&pools, e);
	}
	if (!err) {
		facts.pool = pools.pool;
		read_facts(&facts);
		explain(&facts, &answer);
		print_answer(&facts, &answer, why.json);
	}
	return err;
}

static const struct cli_option options[] = {
	{ "interval", "SECONDS", "time between the two looks (0.2); ns, us, ms, m, h may be given",
	  CLI_INTERVAL(struct why, interval_ns) },
	{ "json", NULL, "an object: name, cause (a word) and text", CLI_FLAG(struct why, json) },
	{ }
};

const struct command cmd_why = {
	.name = "why",
	.args = "POOL [--interval SECONDS] [--json]",
	.summary = "say why the tasks of a pool wait",
	.help =
"Says in a sentence why tasks of a pool wait: its capacity is used up by tasks that sleep or\n"
"by hogs, max_workers is reached, workers cannot be created, other programs have the CPUs, or\n"
"the pool is full. It looks at the pool twice. The functions are read from debugfs, which in\n"
"most cases only root may read.",
	.more =
"The causes by their names in --json. sleepers: all workers that capacity allows are in tasks,\n"
"at least half asleep. hogs: tasks that run for more than hog_ms without sleeping keep the\n"
"workers or the CPUs. capacity: all workers that capacity allows are at work. max_workers: all\n"
"pools together have as many workers as the module may have. spawn: workers cannot be created;\n"
"the error is named. handoff: the attribute is 0, and workers that sleep keep their queues.\n"
"cpu: workers are in tasks, but something else uses their CPUs. line: the pool is full, and\n"
"submitters wait, but tasks finish. full: submits are refused because the pool is full.\n"
"served: none of these; workers serve the queue. closed: the pool accepts no task. closing: it\n"
"accepts only its own events, and what its tasks submit. none: no task waits.",
	.options = options,
	.run = run,
};
