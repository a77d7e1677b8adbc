// SPDX-License-Identifier: GPL-2.0
/* Parses the events of wpool, and sched_switch. */
#include "trace.h"

#include "parse.h"

static const char *const names[TRACE_OTHER] = {
	[TRACE_STARTED] = "task_started",
	[TRACE_FINISHED] = "task_finished",
	[TRACE_DROPPED] = "task_dropped",
	[TRACE_HOGGED] = "task_hogged",
	[TRACE_STOLEN] = "tasks_stolen",
	[TRACE_HANDED_OVER] = "runq_handed_over",
	[TRACE_STEPPED_IN] = "worker_stepped_in",
	[TRACE_SPAWNED] = "worker_spawned",
	[TRACE_OVERLOADED] = "pool_overloaded",
};

/* The name of an event ends with a colon. */
static enum trace_kind kind_of(const char *name)
{
	size_t len = strcspn(name, ":");
	enum trace_kind kind = 0;

	while (kind < TRACE_OTHER &&
	       (strlen(names[kind]) != len || strncmp(names[kind], name, len)))
		kind++;
	return kind;
}

/* "CPU:3 [LOST 812 EVENTS]" */
static bool parse_lost(const char *line, struct trace_event *event)
{
	const char *lost = strstr(line, "[LOST ");

	if (!lost || strncmp(line, "CPU:", 4))
		return false;
	*event = (struct trace_event) {
		.kind = TRACE_LOST, .worker = -1, .cpu = -1,
		.value = strtoull(lost + 6, NULL, 10),
	};
	return true;
}

/* Parses the time in front of @end: seconds, a point, microseconds. */
static bool parse_time(const char *line, const char *end, __u64 *ns)
{
	const char *s = memrchr(line, ' ', end - line);
	unsigned long long seconds, micros;
	int used = 0;

	if (!s || sscanf(s, " %llu.%6llu%n", &seconds, &micros, &used) != 2 || s + used != end)
		return false;
	*ns = seconds * NSEC_PER_SEC + micros * NSEC_PER_USEC;
	return true;
}

/* The value behind " KEY=", up to the next " KEY=". A function may contain blanks. */
static bool find_value(const char *fields, const char *key, char *buf, size_t len)
{
	size_t key_len = strlen(key), n;
	const char *s = fields, *end, *next;

	for (; (s = strstr(s, key)); s++)
		if (s > fields && s[-1] == ' ' && s[key_len] == '=')
			break;
	if (!s)
		return false;
	s += key_len + 1;
	end = s + strcspn(s, "\n");
	for (next = strchr(s, ' '); next && next < end; next = strchr(next + 1, ' ')) {
		n = strcspn(next + 1, " =\n");
		if (next[n + 1] == '=') {
			end = next;
			break;
		}
	}
	n = end - s < (long)len - 1 ? (size_t)(end - s) : len - 1;
	memcpy(buf, s, n);
	buf[n] = '\0';
	return true;
}

static long long find_number(const char *fields, const char *key, int base, long long missing)
{
	char buf[32];

	return find_value(fields, key, buf, sizeof(buf)) ? strtoll(buf, NULL, base) : missing;
}

/* The CPU in "COMM-PID [CPU] FLAGS SECONDS:". @end is that colon. A COMM may contain anything. */
static int find_cpu(const char *line, const char *end)
{
	const char *s = memrchr(line, '[', end - line);
	int cpu;

	return s && sscanf(s, "[%d]", &cpu) == 1 ? cpu : -1;
}

/* Parses "prev_comm=COMM prev_pid=PID ...". @which is "prev" or "next". */
static bool find_thread(const char *fields, const char *which, struct trace_thread *thread)
{
	char comm[16], pid[16], name[64];

	snprintf(comm, sizeof(comm), "%s_comm", which);
	snprintf(pid, sizeof(pid), "%s_pid", which);
	thread->pid = find_number(fields, pid, 10, -1);
	if (thread->pid < 0 || !find_value(fields, comm, name, sizeof(name)))
		return false;
	snprintf(thread->comm, sizeof(thread->comm), "%.15s", name);
	return true;
}

static bool parse_switch(const char *line, const char *name, struct trace_event *event)
{
	const char *fields = name + strlen(": sched_switch:");

	*event = (struct trace_event) {
		.kind = TRACE_SWITCHED, .worker = -1, .cpu = find_cpu(line, name),
	};
	return event->cpu >= 0 && parse_time(line, name, &event->ns) &&
	       find_thread(fields, "prev", &event->from) &&
	       find_thread(fields, "next", &event->to);
}

bool trace_parse(const char *line, struct trace_event *event)
{
	static const char *const values[] = { "wait_ns", "run_ns", "took_ns", "nr" };
	const char *name = strstr(line, ": sched_switch: "), *fields;
	size_t i;

	if (name)
		return parse_switch(line, name, event);
	name = strstr(line, ": wpool_");
	if (!name)
		return parse_lost(line, event);
	*event = (struct trace_event) { .kind = kind_of(name + strlen(": wpool_")) };
	fields = strchr(name + 2, ':');
	if (!fields || !parse_time(line, name, &event->ns) ||
	    !find_value(fields, "pool", event->pool, sizeof(event->pool)))
		return false;
	find_value(fields, "func", event->func, sizeof(event->func));
	event->task = find_number(fields, "task", 16, 0);
	event->worker = find_number(fields, "worker", 10, -1);
	event->cpu = find_number(fields, "cpu", 10, -1);
	event->status = find_number(fields, "status", 10, 0);
	for (i = 0; i < ARRAY_SIZE(values) && !event->value; i++)
		event->value = find_number(fields, values[i], 10, 0);
	return true;
}
