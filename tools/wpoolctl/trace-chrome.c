// SPDX-License-Identifier: GPL-2.0
/*
 * A trace in the JSON of Chrome's trace viewer, which Perfetto reads, too: pools are its
 * processes, and workers its threads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "trace-events.h"
#include "trace-report.h"
#include "trace-tasks.h"

struct seen {
	char pool[TRACE_NAME_LEN];
	int worker;
};

struct chrome {
	struct trace_tasks tasks;
	struct seen *seen;	/* pools, with worker -1, and workers */
	size_t nr;
	bool first;
	bool no_memory;
};

/* The number of a pool or a worker among those seen, from 1; *fresh: it is the first time. */
static size_t number_of(struct chrome *chrome, const char *pool, int worker, bool *fresh)
{
	struct seen *seen;
	size_t i;

	for (i = 0; i < chrome->nr; i++) {
		*fresh = false;
		if (chrome->seen[i].worker == worker && !strcmp(chrome->seen[i].pool, pool))
			return i + 1;
	}
	*fresh = true;
	seen = realloc(chrome->seen, (chrome->nr + 1) * sizeof(*seen));
	if (!seen) {
		chrome->no_memory = true;
		return 0;
	}
	chrome->seen = seen;
	snprintf(seen[chrome->nr].pool, sizeof(seen->pool), "%s", pool);
	seen[chrome->nr].worker = worker;
	return ++chrome->nr;
}

static void put(struct chrome *chrome, struct json_object *object)
{
	fputs(chrome->first ? "{\"traceEvents\": [\n" : ",", stdout);
	chrome->first = false;
	out_json_print_line(object);
}

static struct json_object *object_of(const char *name, const char *phase, size_t pid, int tid)
{
	struct json_object *object = out_json_new();

	out_json_add_string(object, "name", name);
	out_json_add_string(object, "ph", phase);
	out_json_add_u64(object, "pid", pid);
	if (tid >= 0)
		out_json_add_u64(object, "tid", tid);
	return object;
}

static void name_it(struct chrome *chrome, const char *what, size_t pid, int tid,
		    const char *name)
{
	struct json_object *object = object_of(what, "M", pid, tid), *args = out_json_new();

	out_json_add_string(args, "name", name);
	out_json_add(object, "args", args);
	put(chrome, object);
}

/* The pool as a process, and the worker as its thread, named when they are seen first. */
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
					       event->worker), *args = out_json_new();
	char task[16];

	out_json_add_double(object, "ts", finished ? (finished->ns - finished->value) / 1e3 :
						     started->ns / 1e3);
	if (finished)
		out_json_add_double(object, "dur", finished->value / 1e3);
	snprintf(task, sizeof(task), "%08x", event->task);
	out_json_add_string(args, "task", task);
	out_json_add_u64(args, "cpu", event->cpu);
	if (started)
		out_json_add_double(args, "wait_us", started->value / 1e3);
	out_json_add(object, "args", args);
	put(chrome, object);
}

static void put_moment(struct chrome *chrome, const struct trace_event *event, const char *name)
{
	size_t pid = introduce(chrome, event);
	struct json_object *object = object_of(name, "i", pid, event->worker);

	out_json_add_string(object, "s", event->worker < 0 ? "p" : "t");
	out_json_add_double(object, "ts", event->ns / 1e3);
	put(chrome, object);
}

static bool put_event(const struct trace_event *event, void *arg)
{
	struct chrome *chrome = arg;
	struct trace_event started;

	switch (event->kind) {
	case TRACE_STARTED:
		chrome->no_memory |= trace_tasks_begin(&chrome->tasks, event);
		break;
	case TRACE_FINISHED:
		put_run(chrome, trace_tasks_end(&chrome->tasks, event->task, &started) ?
				&started : NULL, event);
		break;
	case TRACE_DROPPED:
		trace_tasks_end(&chrome->tasks, event->task, &started);
		put_moment(chrome, event, "dropped");
		break;
	case TRACE_HOGGED:
		put_moment(chrome, event, "hog");
		break;
	case TRACE_OVERLOADED:
		put_moment(chrome, event, "overloaded");
		break;
	case TRACE_STEPPED_IN:
		put_moment(chrome, event, "stepped in");
		break;
	case TRACE_SPAWNED:
		put_moment(chrome, event, "spawned");
		break;
	case TRACE_EXPIRED:
		put_moment(chrome, event, "expired");
		break;
	default:
		break;
	}
	return !chrome->no_memory;
}

static void put_unfinished(const struct trace_event *started, void *arg)
{
	put_run(arg, started, NULL);
}

int trace_chrome(const char *file, struct errmsg *e)
{
	struct chrome chrome = { .first = true };
	int err;

	err = trace_read(file, put_event, &chrome, e);
	trace_tasks_exit(&chrome.tasks, put_unfinished, &chrome);
	if (!err)
		puts(chrome.first ? "{\"traceEvents\": []}" : "]}");
	if (!err && chrome.no_memory)
		err = errmsg_set(e, "out of memory");
	free(chrome.seen);
	return err;
}
