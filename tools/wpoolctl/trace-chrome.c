// SPDX-License-Identifier: GPL-2.0
/*
 * A trace in the JSON of Chrome's trace viewer, which Perfetto reads, too: pools become processes,
 * and workers threads.
 */
#include "alloc.h"
#include "out.h"
#include "trace.h"

struct seen {
	char pool[TRACE_NAME_LEN];
	int worker;
};

struct chrome {
	struct seen *seen;	/* pools, with worker -1, and workers */
	size_t nr;
	bool first;
};

/* The number of a pool or a worker, from 1. Sets *fresh if it is seen for the first time. */
static size_t number_of(struct chrome *chrome, const char *pool, int worker, bool *fresh)
{
	size_t i = 0;

	while (i < chrome->nr && (chrome->seen[i].worker != worker ||
				  strcmp(chrome->seen[i].pool, pool)))
		i++;
	*fresh = i == chrome->nr;
	if (!*fresh)
		return i + 1;
	chrome->seen = alloc_one_more(chrome->seen, chrome->nr, sizeof(*chrome->seen));
	snprintf(chrome->seen[chrome->nr].pool, TRACE_NAME_LEN, "%s", pool);
	chrome->seen[chrome->nr].worker = worker;
	return ++chrome->nr;
}

static void put(struct chrome *chrome, struct json_object *object)
{
	fputs(chrome->first ? "{\"traceEvents\": [\n" : ",", stdout);
	chrome->first = false;
	json_print_line(object);
}

static struct json_object *object_of(const char *name, const char *phase, size_t pid, int tid)
{
	struct json_object *object = json_new();

	json_put(object, "name", name);
	json_put(object, "ph", phase);
	json_put(object, "pid", pid);
	if (tid >= 0)
		json_put(object, "tid", tid);
	return object;
}

static void name_it(struct chrome *chrome, const char *what, size_t pid, int tid, const char *name)
{
	struct json_object *object = object_of(what, "M", pid, tid), *args = json_new();

	json_put(args, "name", name);
	json_put(object, "args", args);
	put(chrome, object);
}

/* Names the pool as a process and the worker as its thread, when they are first seen. */
static size_t introduce(struct chrome *chrome, const struct trace_event *event)
{
	size_t pid;
	bool fresh;
	char name[32];

	pid = number_of(chrome, event->pool, -1, &fresh);
	if (fresh)
		name_it(chrome, "process_name", pid, -1, event->pool);
	if (event->worker < 0)
		return pid;
	number_of(chrome, event->pool, event->worker, &fresh);
	snprintf(name, sizeof(name), "worker %d", event->worker);
	if (fresh)
		name_it(chrome, "thread_name", pid, event->worker, name);
	return pid;
}

static void put_run(struct chrome *chrome, const struct trace_event *started,
		    const struct trace_event *finished)
{
	const struct trace_event *event = finished ?: started;
	size_t pid = introduce(chrome, event);
	struct json_object *object = object_of(event->func, finished ? "X" : "B", pid,
					       event->worker), *args = json_new();
	char task[16];

	json_put(object, "ts",
		 finished ? (finished->ns - finished->value) / 1e3 : started->ns / 1e3);
	if (finished)
		json_put(object, "dur", finished->value / 1e3);
	snprintf(task, sizeof(task), "%08x", event->task);
	json_put(args, "task", task);
	json_put(args, "cpu", event->cpu);
	if (started)
		json_put(args, "wait_us", started->value / 1e3);
	json_put(object, "args", args);
	put(chrome, object);
}

static void put_moment(struct chrome *chrome, const struct trace_event *event, const char *name)
{
	size_t pid = introduce(chrome, event);
	struct json_object *object = object_of(name, "i", pid, event->worker);

	json_put(object, "s", event->worker < 0 ? "p" : "t");
	json_put(object, "ts", event->ns / 1e3);
	put(chrome, object);
}

static bool put_event(const struct trace_event *event, void *arg)
{
	static const char *const moments[NR_TRACE_KINDS] = {
		[TRACE_HOGGED] = "hog", [TRACE_OVERLOADED] = "overloaded",
		[TRACE_STEPPED_IN] = "stepped in", [TRACE_SPAWNED] = "spawned",
		[TRACE_EXPIRED] = "expired", [TRACE_DROPPED] = "dropped",
	};

	if (event->kind == TRACE_FINISHED)
		put_run(arg, event->started, event);
	else if (event->kind == TRACE_UNFINISHED)
		put_run(arg, event, NULL);
	else if (moments[event->kind])
		put_moment(arg, event, moments[event->kind]);
	return true;
}

int trace_chrome(const char *file, struct errmsg *e)
{
	struct chrome chrome = { .first = true };
	int err = trace_read(file, put_event, &chrome, e);

	if (!err)
		puts(chrome.first ? "{\"traceEvents\": []}" : "]}");
	return err;
}
