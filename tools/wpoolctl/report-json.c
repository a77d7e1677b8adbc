// SPDX-License-Identifier: GPL-2.0
/* The report of a run, for programs. */
#include "report.h"

#include "attrs.h"
#include "out.h"

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

	if (!report_has_order(result))
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
	json_put(json, "completed_per_s", report_completed_per_s(result));
	json_put(json, "calls", result->calls);
	json_put(json, "enqueue_ns_per_task", report_per_task(result->call_ns, result));
	json_put(json, "submitter_cpu_ns_per_task", report_per_task(result->cpu_ns, result));
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
	json_put(json, "asked", report_asked(result));
	json_put(json, "offered", result->accepted + result->refused);
	json_put(json, "accepted", result->accepted);
	json_put(json, "refused", result->refused);
	json_put(json, "not_sent", tally->unsent);
	json_put(json, "retries", result->retries);
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
