// SPDX-License-Identifier: GPL-2.0
/* The report of a run, for people. */
#include "report.h"

#include "attrs.h"
#include "out.h"

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
	printf("%s%s%s\n\n", config->urgent ? ", urgent" : "",
	       config->nonblock ? ", nonblock" : "", config->retry ? ", retry" : "");
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
	__u64 asked = report_asked(result);
	const struct tally *tally = &result->tally;

	printf("%-10s %10llu", scheduled ? "asked" : "offered", asked);
	if (asked < config->tasks && !config->duration_ns)
		printf("  (%llu were not submitted any more)", config->tasks - asked);
	printf("\n%-10s %10llu", "accepted", result->accepted);
	if (result->retries)
		printf("  (%llu call%s refused and repeated)", result->retries,
		       result->retries == 1 ? " was" : "s were");
	putchar('\n');
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
	double achieved = report_completed_per_s(result), asked;
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
		printf("  %.0f tasks/s\n", report_completed_per_s(result));
	printf("%-10s %10s  a task, in %llu call%s (with the wait for room)\n",
	       "enqueue", DURATION(report_per_task(result->call_ns, result)),
	       result->calls, result->calls == 1 ? "" : "s");
	printf("%-10s %10s  a task, of the submitting thread%s\n\n", "CPU time",
	       DURATION(report_per_task(result->cpu_ns, result)),
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

	if (report_has_order(result))
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
