// SPDX-License-Identifier: GPL-2.0
/* The report of a run, for programs. */
#include "report.h"

#include <string.h>

#include "attrs.h"
#include "out.h"
#include "parse.h"

static struct json_object *json_limit(struct json_object *to, const char *key,
				      __u32 limit)
{
	char buf[16];

	out_json_add_value(to, key, attr_format_limit(limit, buf, sizeof(buf)));
	return to;
}

static struct json_object *json_buckets(const struct timehist *hist)
{
	struct json_object *array = out_json_new_array(), *bucket;
	size_t i;

	for (i = 0; i < TIMEHIST_BUCKETS; i++) {
		if (!hist->bucket[i])
			continue;
		bucket = out_json_new();
		out_json_add_u64(bucket, "from_ns", timehist_from_ns(i));
		out_json_add_u64(bucket, "count", hist->bucket[i]);
		out_json_append(array, bucket);
	}
	return array;
}

static struct json_object *json_hist(const struct timehist *hist)
{
	struct json_object *object;

	if (!hist->nr)
		return NULL;
	object = out_json_new();
	out_json_add_u64(object, "p50", timehist_percentile(hist, 500000));
	out_json_add_u64(object, "p90", timehist_percentile(hist, 900000));
	out_json_add_u64(object, "p99", timehist_percentile(hist, 990000));
	out_json_add_u64(object, "p99_9", timehist_percentile(hist, 999000));
	out_json_add_u64(object, "min", hist->min_ns);
	out_json_add_u64(object, "max", hist->max_ns);
	out_json_add_u64(object, "mean", timehist_mean(hist));
	out_json_add_u64(object, "count", hist->nr);
	out_json_add(object, "buckets", json_buckets(hist));
	return object;
}

static struct json_object *json_order(const struct load_result *result)
{
	const struct overtaken_figures *overtaken = &result->overtaken;
	struct json_object *object;

	if (!report_has_order(result))
		return NULL;
	object = out_json_new();
	out_json_add_u64(object, "p99", overtaken->p99);
	out_json_add_u64(object, "most", overtaken->most);
	out_json_add_u64(object, "count", overtaken->nr);
	out_json_add_double(object, "wait_p99_ratio", overtaken->wait_p99);
	out_json_add_double(object, "wait_max_ratio", overtaken->wait_max);
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
		out_json_add(work, "run_ns", json_hist(&tally->work[i].run_ns));
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

static struct json_object *json_intervals(const struct intervals *intervals)
{
	struct json_object *array = out_json_new_array(), *entry;
	const struct interval *interval;
	__u64 i;

	for (i = 0; i < intervals->nr; i++) {
		interval = &intervals->list[i];
		entry = out_json_new();
		out_json_add_u64(entry, "from_ns", interval->from_ns);
		out_json_add_u64(entry, "to_ns", interval->to_ns);
		out_json_add_string(entry, "phase", interval->phase);
		out_json_add_u64(entry, "asked", interval->asked);
		out_json_add_u64(entry, "accepted", interval->submitted);
		out_json_add_u64(entry, "refused", interval->refused);
		out_json_add_u64(entry, "completed", interval->completed);
		out_json_add_u64(entry, "ended", interval->ended);
		if (interval->ended) {
			out_json_add_u64(entry, "p50_ns", interval->p50_ns);
			out_json_add_u64(entry, "p99_ns", interval->p99_ns);
			out_json_add_u64(entry, "p99_9_ns", interval->p99_9_ns);
			out_json_add_u64(entry, "max_ns", interval->max_ns);
		}
		out_json_add_u64(entry, "behind", interval->behind);
		out_json_add_u64(entry, "workers", interval->workers);
		out_json_add_u64(entry, "queued", interval->queued);
		out_json_append(array, entry);
	}
	return array;
}

static void add_json_schedule(struct json_object *json, const struct load_config *config)
{
	const struct arrivals_config *arrivals = &config->arrivals;

	out_json_add_string(json, "arrivals", arrivals->replay ? "replay" :
			    !arrivals->rate ? "closed" : arrivals->poisson ? "poisson" : "fixed");
	if (arrivals->rate)
		out_json_add_u64(json, "asked_per_s", arrivals->rate);
	else if (arrivals->replay)
		out_json_add_double(json, "asked_per_s", arrivals_rate(arrivals));
	else
		out_json_add_null(json, "asked_per_s");
	out_json_add_u64(json, "seed", arrivals->seed);
	out_json_add_u64(json, "ramp_ns", arrivals->ramp_ns);
	out_json_add_u64(json, "warmup_ns", config->warmup_ns);
	if (config->duration_ns)
		out_json_add_u64(json, "duration_ns", config->duration_ns);
	else
		out_json_add_null(json, "duration_ns");
}

static void add_json_times(struct json_object *json,
			   const struct load_config *config,
			   const struct load_result *result)
{
	__u64 wall = tally_wall_ns(&result->tally), ideal = report_ideal_ns(config, result);

	out_json_add_u64(json, "wall_ns", wall);
	out_json_add_u64(json, "measured_ns", tally_window_ns(&result->tally));
	out_json_add_double(json, "completed_per_s", report_completed_per_s(result));
	if (ideal) {
		out_json_add_u64(json, "ideal_ns", ideal);
		out_json_add_double(json, "ratio", (double)wall / ideal);
	} else {
		out_json_add_null(json, "ideal_ns");
		out_json_add_null(json, "ratio");
	}
	out_json_add_u64(json, "calls", result->calls);
	out_json_add_u64(json, "enqueue_ns_per_task",
			 report_per_task(result->call_ns, result));
	out_json_add_u64(json, "submitter_cpu_ns_per_task",
			 report_per_task(result->cpu_ns, result));
}

void report_json(const struct load_config *config, const struct load_result *result)
{
	static const char *const ends[] = {
		[LOAD_COMPLETE] = "complete",
		[LOAD_INTERRUPTED] = "interrupted",
		[LOAD_TIMED_OUT] = "timed out",
		[LOAD_BROKEN] = "error",
		[LOAD_STUCK] = "stuck",
		[LOAD_LEFT] = "left",
	};
	struct json_object *json = out_json_new();
	const struct tally *tally = &result->tally;

	out_json_add_string(json, "name", config->pool);
	out_json_add_string(json, "end", ends[result->end]);
	json_limit(json, "capacity", result->attrs.capacity);
	json_limit(json, "queue_depth", result->attrs.queue_depth);
	out_json_add_string(json, "policy", report_policy(result->attrs.policy));
	if (config->tasks)
		out_json_add_u64(json, "tasks", config->tasks);
	else
		out_json_add_null(json, "tasks");
	out_json_add_u64(json, "batch", config->batch);
	out_json_add_u64(json, "submitters", config->submitters);
	out_json_add_bool(json, "urgent", config->urgent);
	if (config->on)
		out_json_add_u64(json, "on", config->on_cpu);
	add_json_schedule(json, config);
	out_json_add_u64(json, "asked", report_asked(result));
	out_json_add_u64(json, "offered", result->accepted + result->refused);
	out_json_add_u64(json, "accepted", result->accepted);
	out_json_add_u64(json, "refused", result->refused);
	out_json_add_u64(json, "not_sent", tally->unsent);
	out_json_add_u64(json, "retries", result->retries);
	out_json_add_u64(json, "completed", tally->completed);
	out_json_add_u64(json, "failed", tally->failed);
	out_json_add_u64(json, "cancelled", tally->cancelled);
	out_json_add_u64(json, "never_ran", tally->never_ran);
	out_json_add_u64(json, "before_measurement", tally->warmup);
	out_json_add(json, "errors", json_errors(tally));
	add_json_times(json, config, result);
	out_json_add(json, "late_ns", json_hist(&tally->time[TALLY_LATE]));
	out_json_add(json, "wait_ns", json_hist(&tally->time[TALLY_WAIT]));
	out_json_add(json, "queue_ns", json_hist(&tally->time[TALLY_QUEUE]));
	out_json_add(json, "latency_ns", json_hist(&tally->time[TALLY_TOTAL]));
	out_json_add(json, "overtaken", json_order(result));
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
	if (config->interval_ns)
		out_json_add(json, "intervals", json_intervals(&result->intervals));
	out_json_print(json);
}
