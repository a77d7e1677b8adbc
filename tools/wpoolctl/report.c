// SPDX-License-Identifier: GPL-2.0
/* The report of a run. */
#include "report.h"

#include "attrs.h"
#include "out.h"

/* Tasks due by the schedule: accepted, refused or not sent. Without one: tasks submitted. */
static __u64 nr_asked(const struct load_result *result)
{
	return result->accepted + result->refused + result->tally.unsent;
}

/* Tasks completed per second during the measurement. */
static double completed_per_s(const struct load_result *result)
{
	__u64 ns = tally_window_ns(&result->tally);

	return ns ? (double)result->tally.completed_in_window * NSEC_PER_SEC / ns : 0;
}

static __u64 per_task(__u64 ns, const struct load_result *result)
{
	return result->accepted ? ns / result->accepted : 0;
}

/* Not under policy "run". */
static bool has_order(const struct load_result *result)
{
	return result->overtaken.nr && result->attrs.policy != WPOOL_DEV_POLICY_RUN;
}

/* ---- for people ------------------------------------------------------------- */

static void print_phases(const struct load_config *config)
{
	const struct arrivals_config *arrivals = &config->arrivals;

	if (arrivals->replay)
		printf(", as in %s", arrivals->replay->file);
	if (arrivals->rate)
		printf(", %s%llu/s", arrivals->poisson ? "Poisson " : "", arrivals->rate);
	if (config->warmup_ns)
		printf(", warm-up %s", DURATION(config->warmup_ns));
	if (config->duration_ns)
		printf(", for %s", DURATION(config->duration_ns));
}

static void print_setting(const struct load_config *config, const struct load_result *result)
{
	char capacity[16], depth[16];
	unsigned int i;

	printf("%spool %s%s: capacity %s, queue_depth %s, policy %s\n",
	       out_style(OUT_BOLD), config->pool, out_plain(),
	       attr_format_limit(result->attrs.capacity, capacity, sizeof(capacity)),
	       attr_format_limit(result->attrs.queue_depth, depth, sizeof(depth)),
	       attr_word("policy", result->attrs.policy));
	if (config->tasks)
		printf("%llu task%s of", config->tasks, config->tasks == 1 ? "" : "s");
	else
		printf("tasks of");
	for (i = 0; i < config->nr_works; i++)
		printf("%s %s", i ? "," : "", config->works[i].text);
	printf(" from %u submitter%s, up to %u a call", config->submitters,
	       config->submitters == 1 ? "" : "s", config->batch);
	print_phases(config);
	if (config->on_cpu >= 0)
		printf(", on CPU %d", config->on_cpu);
	printf("%s%s\n\n", config->urgent ? ", urgent" : "",
	       config->nonblock ? ", nonblock" : "");
}

static void print_bad(const char *name, __u64 count)
{
	printf("%s%-10s%s %10llu", count ? out_style(OUT_BAD) : "", name,
	       count ? out_plain() : "", count);
}

static void print_errors(const struct tally *tally)
{
	const char *before = "  (";
	int i;

	for (i = 0; i < TALLY_ERRNOS; i++) {
		if (!tally->error[i])
			continue;
		printf("%s%s %llu", before, strerrorname_np(i) ?: "other", tally->error[i]);
		before = ", ";
	}
	printf("%s\n", tally->failed ? ")" : "");
}

static void print_counts(const struct load_config *config, const struct load_result *result)
{
	bool scheduled = arrivals_are_scheduled(&config->arrivals);
	__u64 asked = nr_asked(result);
	const struct tally *tally = &result->tally;

	printf("%-10s %10llu", scheduled ? "asked" : "offered", asked);
	if (asked < config->tasks && !config->duration_ns)
		printf("  (%llu were not submitted any more)", config->tasks - asked);
	printf("\n%-10s %10llu\n", "accepted", result->accepted);
	print_bad("refused", result->refused);
	if (result->refused)
		printf("  (tasks; the pool's own figure counts calls)");
	putchar('\n');
	if (scheduled) {
		print_bad("not sent", tally->unsent);
		printf("%s\n", tally->unsent ? "  (arrived, but were not submitted)" : "");
	}
	printf("%-10s %10llu", "completed", tally->completed);
	if (tally->warmup)
		printf("  (%llu of all ended ones came before the measurement)", tally->warmup);
	putchar('\n');
	print_bad("failed", tally->failed);
	print_errors(tally);
	print_bad("cancelled", tally->cancelled);
	if (tally->never_ran)
		printf("  (%llu of all never ran)", tally->never_ran);
	printf("\n\n");
}

static void print_rates(const struct load_config *config, const struct load_result *result)
{
	double achieved = completed_per_s(result), asked;
	bool is_behind;

	if (!arrivals_are_scheduled(&config->arrivals))
		return;
	asked = arrivals_rate(&config->arrivals);
	is_behind = achieved < asked * 0.95;
	printf("%-10s %10.0f  tasks/s\n", "asked rate", asked);
	printf("%s%-10s %10.0f%s  tasks/s, %.1f%%\n", is_behind ? out_style(OUT_WARN) : "",
	       "achieved", achieved, is_behind ? out_plain() : "", 100 * achieved / asked);
}

static void print_times(const struct load_config *config, const struct load_result *result)
{
	print_rates(config, result);
	printf("%-10s %10s", "wall time", DURATION(tally_wall_ns(&result->tally)));
	if (arrivals_are_scheduled(&config->arrivals))
		putchar('\n');
	else
		printf("  %.0f tasks/s\n", completed_per_s(result));
	printf("%-10s %10s  a task, in %llu call%s (with the wait for room)\n",
	       "enqueue", DURATION(per_task(result->call_ns, result)),
	       result->calls, result->calls == 1 ? "" : "s");
	printf("%-10s %10s  a task, of the submitting thread%s\n\n", "CPU time",
	       DURATION(per_task(result->cpu_ns, result)),
	       config->submitters == 1 ? "" : "s");
}

static void print_hist(const char *name, const struct timehist *hist)
{
	static const unsigned int ppm[] = { 500000, 900000, 990000, 999000, 1000000 };
	size_t i;

	if (!hist->nr)
		return;
	printf("%-24.24s", name);
	for (i = 0; i < ARRAY_SIZE(ppm); i++)
		printf(" %8s", DURATION(timehist_percentile(hist, ppm[i])));
	printf(" %8s\n", DURATION(timehist_mean(hist)));
}

static void print_latencies(const struct load_config *config, const struct tally *tally)
{
	bool open_loop = tally->window.open_loop;
	char name[64];
	unsigned int i;

	if (!tally->time[TALLY_TOTAL].nr)
		return;
	printf("%s%-24s %8s %8s %8s %8s %8s %8s%s\n", out_style(OUT_BOLD), "latency",
	       "p50", "p90", "p99", "p99.9", "max", "mean", out_plain());
	print_hist("arrival to submit", &tally->time[TALLY_LATE]);
	print_hist("arrival to start", &tally->time[TALLY_WAIT]);
	print_hist("submit to start", &tally->time[TALLY_QUEUE]);
	print_hist(open_loop ? "arrival to end" : "submit to end", &tally->time[TALLY_TOTAL]);
	for (i = 0; i < config->nr_works; i++) {
		snprintf(name, sizeof(name), "run %s", config->works[i].text);
		print_hist(name, &tally->work[i].run_ns);
	}
	putchar('\n');
}

static void print_order(const struct load_result *result)
{
	const struct overtaken_figures *overtaken = &result->overtaken;

	if (has_order(result))
		printf("overtaken by tasks that were submitted later: p99 %u, most %u\n\n",
		       overtaken->p99, overtaken->most);
}

static void print_cpus(const struct tally *tally)
{
	__u64 ran = 0;
	__u32 cpu;

	for (cpu = 0; cpu < tally->nr_cpus; cpu++)
		ran += tally->cpu[cpu].finished;
	if (!ran)
		return;
	printf("%s%5s %10s %7s %10s%s\n", out_style(OUT_BOLD), "CPU", "finished",
	       "share", "run time", out_plain());
	for (cpu = 0; cpu < tally->nr_cpus; cpu++)
		if (tally->cpu[cpu].finished)
			printf("%5u %10llu %6.1f%% %10s\n", cpu, tally->cpu[cpu].finished,
			       100.0 * tally->cpu[cpu].finished / ran,
			       DURATION(tally->cpu[cpu].run_ns));
	putchar('\n');
}

void report_text(const struct load_config *config, const struct load_result *result)
{
	const struct wpool_dev_stats *before = &result->before;
	const struct wpool_dev_stats *after = &result->after;

	print_setting(config, result);
	print_counts(config, result);
	print_times(config, result);
	print_latencies(config, &result->tally);
	print_order(result);
	print_cpus(&result->tally);
	printf("stolen %llu, handoffs %llu, hogs %llu\n",
	       after->stolen - before->stolen, after->handoffs - before->handoffs,
	       after->hogs - before->hogs);
	printf("workers %u before, %u at most, %u after; spawned %llu, expired %llu\n",
	       before->workers, result->peak_workers, after->workers,
	       after->spawned - before->spawned, after->expired - before->expired);
}

/* ---- for programs ----------------------------------------------------------- */

static void put_limit(struct json_object *to, const char *key, __u32 limit)
{
	char buf[16];

	json_put_file(to, key, attr_format_limit(limit, buf, sizeof(buf)));
}

static struct json_object *json_buckets(const struct timehist *hist)
{
	struct json_object *array = json_new_array(), *bucket;
	size_t i;

	for (i = 0; i < TIMEHIST_BUCKETS; i++) {
		if (!hist->bucket[i])
			continue;
		bucket = json_new();
		json_put(bucket, "from_ns", timehist_from_ns(i));
		json_put(bucket, "count", hist->bucket[i]);
		json_append(array, bucket);
	}
	return array;
}

static struct json_object *json_hist(const struct timehist *hist)
{
	struct json_object *object;

	if (!hist->nr)
		return NULL;
	object = json_new();
	json_put(object, "p50", timehist_percentile(hist, 500000));
	json_put(object, "p90", timehist_percentile(hist, 900000));
	json_put(object, "p99", timehist_percentile(hist, 990000));
	json_put(object, "p99_9", timehist_percentile(hist, 999000));
	json_put(object, "min", hist->min_ns);
	json_put(object, "max", hist->max_ns);
	json_put(object, "mean", timehist_mean(hist));
	json_put(object, "count", hist->nr);
	json_put(object, "buckets", json_buckets(hist));
	return object;
}

static struct json_object *json_order(const struct load_result *result)
{
	const struct overtaken_figures *overtaken = &result->overtaken;
	struct json_object *object;

	if (!has_order(result))
		return NULL;
	object = json_new();
	json_put(object, "p99", overtaken->p99);
	json_put(object, "most", overtaken->most);
	json_put(object, "count", overtaken->nr);
	return object;
}

static struct json_object *json_works(const struct load_config *config, const struct tally *tally)
{
	struct json_object *array = json_new_array(), *work;
	unsigned int i;

	for (i = 0; i < config->nr_works; i++) {
		work = json_new();
		json_put(work, "work", config->works[i].text);
		json_put(work, "completed", tally->work[i].completed);
		json_put(work, "failed", tally->work[i].failed);
		json_put(work, "cancelled", tally->work[i].cancelled);
		json_put(work, "run_ns", json_hist(&tally->work[i].run_ns));
		json_append(array, work);
	}
	return array;
}

static struct json_object *json_cpus(const struct tally *tally)
{
	struct json_object *array = json_new_array(), *entry;
	__u32 cpu;

	for (cpu = 0; cpu < tally->nr_cpus; cpu++) {
		if (!tally->cpu[cpu].finished)
			continue;
		entry = json_new();
		json_put(entry, "cpu", cpu);
		json_put(entry, "finished", tally->cpu[cpu].finished);
		json_put(entry, "run_ns", tally->cpu[cpu].run_ns);
		json_append(array, entry);
	}
	return array;
}

static struct json_object *json_errors(const struct tally *tally)
{
	struct json_object *object = json_new();
	int i;

	for (i = 0; i < TALLY_ERRNOS; i++)
		if (tally->error[i])
			json_put(object, strerrorname_np(i) ?: "other", tally->error[i]);
	return object;
}

static struct json_object *json_workers(const struct load_result *result)
{
	struct json_object *object = json_new();

	json_put(object, "before", result->before.workers);
	json_put(object, "peak", result->peak_workers);
	json_put(object, "after", result->after.workers);
	return object;
}

static struct json_object *json_intervals(const struct intervals *intervals)
{
	struct json_object *array = json_new_array(), *entry;
	const struct interval *interval;
	__u64 i;

	for (i = 0; i < intervals->nr; i++) {
		interval = &intervals->list[i];
		entry = json_new();
		json_put(entry, "from_ns", interval->from_ns);
		json_put(entry, "to_ns", interval->to_ns);
		json_put(entry, "phase", interval->phase);
		json_put(entry, "asked", interval->asked);
		json_put(entry, "accepted", interval->submitted);
		json_put(entry, "refused", interval->refused);
		json_put(entry, "completed", interval->completed);
		json_put(entry, "ended", interval->ended);
		json_put_nonzero(entry, "p50_ns", interval->p50_ns);
		json_put_nonzero(entry, "p99_ns", interval->p99_ns);
		json_put_nonzero(entry, "p99_9_ns", interval->p99_9_ns);
		json_put_nonzero(entry, "max_ns", interval->max_ns);
		json_put(entry, "behind", interval->behind);
		json_put(entry, "workers", interval->workers);
		json_put(entry, "queued", interval->queued);
		json_append(array, entry);
	}
	return array;
}

static void add_json_schedule(struct json_object *json, const struct load_config *config)
{
	const struct arrivals_config *arrivals = &config->arrivals;

	json_put(json, "arrivals", arrivals->replay ? "replay" :
			    !arrivals->rate ? "closed" : arrivals->poisson ? "poisson" : "fixed");
	if (arrivals->replay)
		json_put(json, "asked_per_s", arrivals_rate(arrivals));
	else
		json_put_nonzero(json, "asked_per_s", arrivals->rate);
	json_put(json, "seed", arrivals->seed);
	json_put(json, "warmup_ns", config->warmup_ns);
	json_put_nonzero(json, "duration_ns", config->duration_ns);
}

static void add_json_times(struct json_object *json, const struct load_result *result)
{
	json_put(json, "wall_ns", tally_wall_ns(&result->tally));
	json_put(json, "measured_ns", tally_window_ns(&result->tally));
	json_put(json, "completed_per_s", completed_per_s(result));
	json_put(json, "calls", result->calls);
	json_put(json, "enqueue_ns_per_task", per_task(result->call_ns, result));
	json_put(json, "submitter_cpu_ns_per_task", per_task(result->cpu_ns, result));
}

void report_json(const struct load_config *config, const struct load_result *result)
{
	static const char *const ends[] = {
		[LOAD_COMPLETE] = "complete",
		[LOAD_INTERRUPTED] = "interrupted",
		[LOAD_BROKEN] = "error",
	};
	struct json_object *json = json_new();
	const struct tally *tally = &result->tally;

	json_put(json, "name", config->pool);
	json_put(json, "end", ends[result->end]);
	put_limit(json, "capacity", result->attrs.capacity);
	put_limit(json, "queue_depth", result->attrs.queue_depth);
	json_put(json, "policy", attr_word("policy", result->attrs.policy));
	json_put_nonzero(json, "tasks", config->tasks);
	json_put(json, "batch", config->batch);
	json_put(json, "submitters", config->submitters);
	json_put(json, "urgent", config->urgent);
	if (config->on_cpu >= 0)
		json_put(json, "on", config->on_cpu);
	add_json_schedule(json, config);
	json_put(json, "asked", nr_asked(result));
	json_put(json, "offered", result->accepted + result->refused);
	json_put(json, "accepted", result->accepted);
	json_put(json, "refused", result->refused);
	json_put(json, "not_sent", tally->unsent);
	json_put(json, "completed", tally->completed);
	json_put(json, "failed", tally->failed);
	json_put(json, "cancelled", tally->cancelled);
	json_put(json, "never_ran", tally->never_ran);
	json_put(json, "before_measurement", tally->warmup);
	json_put(json, "errors", json_errors(tally));
	add_json_times(json, result);
	json_put(json, "late_ns", json_hist(&tally->time[TALLY_LATE]));
	json_put(json, "wait_ns", json_hist(&tally->time[TALLY_WAIT]));
	json_put(json, "queue_ns", json_hist(&tally->time[TALLY_QUEUE]));
	json_put(json, "latency_ns", json_hist(&tally->time[TALLY_TOTAL]));
	json_put(json, "overtaken", json_order(result));
	json_put(json, "works", json_works(config, tally));
	json_put(json, "cpus", json_cpus(tally));
	json_put(json, "stolen", result->after.stolen - result->before.stolen);
	json_put(json, "handoffs", result->after.handoffs - result->before.handoffs);
	json_put(json, "hogs", result->after.hogs - result->before.hogs);
	json_put(json, "workers", json_workers(result));
	json_put(json, "spawned", result->after.spawned - result->before.spawned);
	json_put(json, "expired", result->after.expired - result->before.expired);
	if (config->interval_ns)
		json_put(json, "intervals", json_intervals(&result->intervals));
	json_print(json);
}
