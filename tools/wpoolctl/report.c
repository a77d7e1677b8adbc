// SPDX-License-Identifier: GPL-2.0
/* The report of a run, for people and for programs. */
#include "report.h"

#include <stdio.h>
#include <string.h>

#include "attrs.h"
#include "out.h"
#include "parse.h"

static const char *const policies[] = {
	[WPOOL_DEV_POLICY_BLOCK] = "block",
	[WPOOL_DEV_POLICY_FAIL] = "fail",
	[WPOOL_DEV_POLICY_RUN] = "run",
};

static const char *policy_name(__u32 policy)
{
	return policy < ARRAY_SIZE(policies) ?
	       policies[policy] : "unknown";
}

static double per_second(__u64 count, __u64 ns)
{
	return ns ? (double)count * NSEC_PER_SEC / ns : 0;
}

static __u64 per_task(__u64 ns, const struct load_result *result)
{
	return result->accepted ? ns / result->accepted : 0;
}

static __u64 ideal_ns(const struct load_config *config,
		      const struct load_result *result)
{
	__u32 capacity = result->attrs.capacity;

	/* submitters work, too */
	if (result->attrs.policy == WPOOL_DEV_POLICY_RUN &&
	    capacity != WPOOL_DEV_UNLIMITED)
		capacity += config->submitters;
	return tally_ideal_ns(&result->tally, config->works, config->nr_works,
			      capacity);
}

/* ---- for people -------------------------------------------------------------- */

static void print_setting(const struct load_config *config,
			  const struct load_result *result)
{
	char capacity[16], depth[16];
	unsigned int i;

	printf("%spool %s%s: capacity %s, queue_depth %s, policy %s\n",
	       out_style(OUT_BOLD), config->pool, out_plain(),
	       attr_format_limit(result->attrs.capacity, capacity, sizeof(capacity)),
	       attr_format_limit(result->attrs.queue_depth, depth, sizeof(depth)),
	       policy_name(result->attrs.policy));
	printf("%llu tasks of", config->tasks);
	for (i = 0; i < config->nr_works; i++) {
		printf("%s %s", i ? "," : "", config->works[i].text);
		if (config->works[i].weight > 1)
			printf("@%u", config->works[i].weight);
	}
	printf(" from %u submitter%s, up to %u a call", config->submitters,
	       config->submitters == 1 ? "" : "s", config->batch);
	if (config->rate)
		printf(", %llu/s", config->rate);
	printf("%s%s\n\n", config->nonblock ? ", nonblock" : "",
	       config->retry ? ", retry" : "");
}

static void print_bad(const char *name, __u64 count)
{
	printf("%s%-10s%s %10llu", count ? out_style(OUT_BAD) : "", name,
	       count ? out_plain() : "", count);
}

static void print_errors(const struct tally *tally)
{
	int i;

	for (i = 0; i < TALLY_ERRORS && tally->error[i].count; i++)
		printf("%s%s %llu", i ? ", " : "  (",
		       tally->error[i].err ? strerrorname_np(tally->error[i].err) ?: "?" :
		       "other", tally->error[i].count);
	if (i)
		putchar(')');
}

static void print_counts(const struct load_config *config,
			 const struct load_result *result)
{
	__u64 offered = result->accepted + result->refused;
	const struct tally *tally = &result->tally;

	printf("%-10s %10llu", "offered", offered);
	if (offered < config->tasks)
		printf("  (%llu were not submitted any more)",
		       config->tasks - offered);
	printf("\n%-10s %10llu", "accepted", result->accepted);
	if (result->retries)
		printf("  (%llu calls were refused and repeated)", result->retries);
	putchar('\n');
	print_bad("refused", result->refused);
	printf("\n%-10s %10llu\n", "completed", tally->completed);
	print_bad("failed", tally->failed);
	print_errors(tally);
	putchar('\n');
	print_bad("cancelled", tally->cancelled);
	if (tally->never_ran)
		printf("  (%llu of all never ran)", tally->never_ran);
	printf("\n\n");
}

static void print_times(const struct load_config *config,
			const struct load_result *result)
{
	__u64 wall = tally_wall_ns(&result->tally), ideal = ideal_ns(config, result);
	char buf[32];

	printf("%-10s %10s  %.0f tasks/s\n", "wall time",
	       format_duration(wall, buf, sizeof(buf)),
	       per_second(result->tally.completed, wall));
	if (ideal)
		printf("%-10s %10s  ratio %.3f\n", "ideal",
		       format_duration(ideal, buf, sizeof(buf)),
		       (double)wall / ideal);
	printf("%-10s %10s  a task, in %llu calls (with the wait for room)\n",
	       "enqueue", format_duration(per_task(result->call_ns, result), buf,
					  sizeof(buf)), result->calls);
	printf("%-10s %10s  a task, of the submitting thread%s\n\n", "CPU time",
	       format_duration(per_task(result->cpu_ns, result), buf, sizeof(buf)),
	       config->submitters == 1 ? "" : "s");
}

static void print_samples(const char *name, const struct samples *set)
{
	static const unsigned int per_mille[] = { 500, 900, 990, 1000 };
	char buf[32];
	size_t i;

	if (!set->seen)
		return;
	printf("%-24.24s", name);
	for (i = 0; i < ARRAY_SIZE(per_mille); i++)
		printf(" %9s", format_duration(per_mille[i] == 1000 ? set->max :
					       samples_percentile(set, per_mille[i]),
					       buf, sizeof(buf)));
	printf(" %9s\n", format_duration(samples_mean(set), buf, sizeof(buf)));
}

static void print_latencies(const struct load_config *config,
			    const struct tally *tally)
{
	char name[64];
	unsigned int i;

	if (!tally->queue_ns.seen)
		return;
	printf("%s%-24s %9s %9s %9s %9s %9s%s\n", out_style(OUT_BOLD), "latency",
	       "p50", "p90", "p99", "max", "mean", out_plain());
	print_samples("submit to start", &tally->queue_ns);
	for (i = 0; i < config->nr_works; i++) {
		snprintf(name, sizeof(name), "run %s", config->works[i].text);
		print_samples(name, &tally->work[i].run_ns);
	}
	putchar('\n');
}

static void print_cpus(const struct tally *tally)
{
	__u64 ran = tally->finished - tally->never_ran;
	char buf[32];
	__u32 cpu;

	if (!ran)
		return;
	printf("%s%5s %10s %7s %10s%s\n", out_style(OUT_BOLD), "CPU", "finished",
	       "share", "run time", out_plain());
	for (cpu = 0; cpu < tally->nr_cpus; cpu++)
		if (tally->cpu[cpu].finished)
			printf("%5u %10llu %6.1f%% %10s\n", cpu,
			       tally->cpu[cpu].finished,
			       100.0 * tally->cpu[cpu].finished / ran,
			       format_duration(tally->cpu[cpu].run_ns, buf,
					       sizeof(buf)));
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
	print_cpus(&result->tally);
	printf("stolen %llu, handoffs %llu, hogs %llu\n",
	       after->stolen - before->stolen, after->handoffs - before->handoffs,
	       after->hogs - before->hogs);
	printf("workers %u before, %u at most, %u after; spawned %llu, expired %llu\n",
	       before->workers, result->peak_workers, after->workers,
	       after->spawned - before->spawned, after->expired - before->expired);
}

/* ---- for programs ------------------------------------------------------------ */

static struct json_object *json_limit(struct json_object *to, const char *key,
				      __u32 limit)
{
	char buf[16];

	out_json_add_value(to, key, attr_format_limit(limit, buf, sizeof(buf)));
	return to;
}

static struct json_object *json_samples(const struct samples *set)
{
	struct json_object *object;

	if (!set->seen)
		return NULL;
	object = out_json_new();
	out_json_add_u64(object, "p50", samples_percentile(set, 500));
	out_json_add_u64(object, "p90", samples_percentile(set, 900));
	out_json_add_u64(object, "p99", samples_percentile(set, 990));
	out_json_add_u64(object, "min", set->min);
	out_json_add_u64(object, "max", set->max);
	out_json_add_u64(object, "mean", samples_mean(set));
	out_json_add_u64(object, "count", set->seen);
	return object;
}

static struct json_object *json_works(const struct load_config *config,
				      const struct tally *tally)
{
	struct json_object *array = out_json_new_array(), *work;
	unsigned int i;

	for (i = 0; i < config->nr_works; i++) {
		work = out_json_new();
		out_json_add_string(work, "work", config->works[i].text);
		out_json_add_u64(work, "weight", config->works[i].weight);
		out_json_add_u64(work, "completed", tally->work[i].completed);
		out_json_add_u64(work, "failed", tally->work[i].failed);
		out_json_add_u64(work, "cancelled", tally->work[i].cancelled);
		out_json_add(work, "run_ns", json_samples(&tally->work[i].run_ns));
		out_json_append(array, work);
	}
	return array;
}

static struct json_object *json_cpus(const struct tally *tally)
{
	struct json_object *array = out_json_new_array(), *entry;
	__u32 cpu;

	for (cpu = 0; cpu < tally->nr_cpus; cpu++) {
		if (!tally->cpu[cpu].finished)
			continue;
		entry = out_json_new();
		out_json_add_u64(entry, "cpu", cpu);
		out_json_add_u64(entry, "finished", tally->cpu[cpu].finished);
		out_json_add_u64(entry, "run_ns", tally->cpu[cpu].run_ns);
		out_json_append(array, entry);
	}
	return array;
}

static struct json_object *json_errors(const struct tally *tally)
{
	struct json_object *object = out_json_new();
	int i;

	for (i = 0; i < TALLY_ERRORS && tally->error[i].count; i++)
		out_json_add_u64(object, tally->error[i].err ?
				 strerrorname_np(tally->error[i].err) ?: "?" : "other",
				 tally->error[i].count);
	return object;
}

static struct json_object *json_workers(const struct load_result *result)
{
	struct json_object *object = out_json_new();

	out_json_add_u64(object, "before", result->before.workers);
	out_json_add_u64(object, "peak", result->peak_workers);
	out_json_add_u64(object, "after", result->after.workers);
	return object;
}

static void add_json_times(struct json_object *json,
			   const struct load_config *config,
			   const struct load_result *result)
{
	__u64 wall = tally_wall_ns(&result->tally), ideal = ideal_ns(config, result);

	out_json_add_u64(json, "wall_ns", wall);
	out_json_add_double(json, "completed_per_s",
			    per_second(result->tally.completed, wall));
	if (ideal) {
		out_json_add_u64(json, "ideal_ns", ideal);
		out_json_add_double(json, "ratio", (double)wall / ideal);
	} else {
		out_json_add_null(json, "ideal_ns");
		out_json_add_null(json, "ratio");
	}
	out_json_add_u64(json, "calls", result->calls);
	out_json_add_u64(json, "enqueue_ns_per_task",
			 per_task(result->call_ns, result));
	out_json_add_u64(json, "submitter_cpu_ns_per_task",
			 per_task(result->cpu_ns, result));
}

void report_json(const struct load_config *config, const struct load_result *result)
{
	static const char *const ends[] = {
		[LOAD_COMPLETE] = "complete",
		[LOAD_INTERRUPTED] = "interrupted",
		[LOAD_TIMED_OUT] = "timed out",
		[LOAD_BROKEN] = "error",
		[LOAD_STUCK] = "stuck",
	};
	struct json_object *json = out_json_new();
	const struct tally *tally = &result->tally;

	out_json_add_string(json, "name", config->pool);
	out_json_add_string(json, "end", ends[result->end]);
	json_limit(json, "capacity", result->attrs.capacity);
	json_limit(json, "queue_depth", result->attrs.queue_depth);
	out_json_add_string(json, "policy", policy_name(result->attrs.policy));
	out_json_add_u64(json, "tasks", config->tasks);
	out_json_add_u64(json, "batch", config->batch);
	out_json_add_u64(json, "submitters", config->submitters);
	out_json_add_u64(json, "offered", result->accepted + result->refused);
	out_json_add_u64(json, "accepted", result->accepted);
	out_json_add_u64(json, "refused", result->refused);
	out_json_add_u64(json, "retries", result->retries);
	out_json_add_u64(json, "completed", tally->completed);
	out_json_add_u64(json, "failed", tally->failed);
	out_json_add_u64(json, "cancelled", tally->cancelled);
	out_json_add_u64(json, "never_ran", tally->never_ran);
	out_json_add(json, "errors", json_errors(tally));
	add_json_times(json, config, result);
	out_json_add(json, "queue_ns", json_samples(&tally->queue_ns));
	out_json_add(json, "works", json_works(config, tally));
	out_json_add(json, "cpus", json_cpus(tally));
	out_json_add_u64(json, "stolen", result->after.stolen - result->before.stolen);
	out_json_add_u64(json, "handoffs",
			 result->after.handoffs - result->before.handoffs);
	out_json_add_u64(json, "hogs", result->after.hogs - result->before.hogs);
	out_json_add(json, "workers", json_workers(result));
	out_json_add_u64(json, "spawned",
			 result->after.spawned - result->before.spawned);
	out_json_add_u64(json, "expired",
			 result->after.expired - result->before.expired);
	out_json_print(json);
}
