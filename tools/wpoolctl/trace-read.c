// SPDX-License-Identifier: GPL-2.0
/* Reads the events of a file. The tasks that run are in a tree ordered by task number. */
#include "trace.h"

#include <search.h>

#include "alloc.h"

static int compare(const void *a, const void *b)
{
	const struct trace_event *left = a, *right = b;

	return left->task < right->task ? -1 : left->task > right->task;
}

/* Adds a task that starts, or takes out one that ends. */
static void note_task(void **running, struct trace_event *event)
{
	struct trace_event **found, *copy;

	if (event->kind == TRACE_STARTED) {
		copy = alloc_zeroed(1, sizeof(*copy));
		*copy = *event;
		found = alloc_checked(tsearch(copy, running, compare));
		/* the end of an earlier task with this number was lost */
		if (*found != copy)
			free(*found);
		*found = copy;
	} else if (event->kind == TRACE_FINISHED || event->kind == TRACE_DROPPED) {
		found = tfind(event, running, compare);
		event->started = found ? *found : NULL;
		tdelete(event, running, compare);
	}
}

int trace_read(const char *name, bool (*each)(const struct trace_event *event, void *arg),
	       void *arg, struct errmsg *e)
{
	FILE *file = fopen(name, "re");
	struct trace_event event, *left;
	bool any = false, more = true;
	void *running = NULL;
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	if (!file)
		return errmsg_set(e, "%s: %s", name, strerror(errno));
	while (more && getline(&line, &size, file) > 0) {
		make_printable(line, "\n");
		if (!trace_parse(line, &event))
			continue;
		any |= event.kind != TRACE_SWITCHED;
		note_task(&running, &event);
		more = each(&event, arg);
		free(event.started);
	}
	if (ferror(file))
		err = errmsg_set(e, "%s: %s", name, strerror(errno));
	else if (!any)
		err = errmsg_set(e, "%s has no events of wpool", name);
	while (running) {
		left = *(struct trace_event **)running;
		left->kind = TRACE_UNFINISHED;
		if (more)
			each(left, arg);
		tdelete(left, &running, compare);
		free(left);
	}
	free(line);
	fclose(file);
	return err;
}
