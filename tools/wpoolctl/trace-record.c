// SPDX-License-Identifier: GPL-2.0
/* An instance of tracefs, from mkdir to rmdir. */
#include "trace.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>

#include "cli.h"
#include "load.h"

#define LOOK_MS		100
#define MAX_LINE	512

static int is_told;

static void on_signal(int sig __maybe_unused)
{
	__atomic_store_n(&is_told, 1, __ATOMIC_RELAXED);
}

static int write_file(const char *dir, const char *name, const char *text, struct errmsg *e)
{
	char path[256];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err = errmsg_set(e, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return err;
}

/* Make the instance, with all events off. */
static int instance_create(char *dir, size_t len, struct errmsg *e)
{
	const char *tracefs = getenv("WPOOLCTL_TRACEFS") ?: "/sys/kernel/tracing";

	snprintf(dir, len, "%s/events/wpool", tracefs);
	if (access(dir, F_OK)) {
		if (errno == EACCES)
			return errmsg_set(e, "%s: only root may look (try sudo)", tracefs);
		return errmsg_set(e, "no %s: is wpool loaded, and tracefs mounted?", dir);
	}
	snprintf(dir, len, "%s/instances/wpoolctl.%d", tracefs, getpid());
	if (mkdir(dir, 0700))
		return errmsg_set(e, "%s: %s", dir, strerror(errno));
	return 0;
}

static int instance_start(const char *dir, const struct recording *recording, struct errmsg *e)
{
	char text[96];
	int err;

	snprintf(text, sizeof(text), "%llu", recording->buffer_bytes / 1024);
	err = write_file(dir, "buffer_size_kb", text, e);
	/* this clock is the same on all CPUs */
	if (!err)
		err = write_file(dir, "trace_clock", "mono", e);
	if (!err && recording->pool) {
		snprintf(text, sizeof(text), "pool == \"%s\"", recording->pool);
		err = write_file(dir, "events/wpool/filter", text, e);
	}
	if (!err && recording->sched)
		err = write_file(dir, "events/sched/sched_switch/enable", "1", e);
	return err ?: write_file(dir, "events/wpool/enable", "1", e);
}

/* Counts an event. Ends the recording if its task waited longer than stop_over_ns. */
static void look_at(struct recording *recording, const char *line)
{
	struct trace_event event;

	if (!trace_parse(line, &event))
		return;
	if (event.kind == TRACE_LOST) {
		recording->nr_lost += event.value;
		return;
	}
	recording->nr_events++;
	recording->is_over |= recording->stop_over_ns && event.kind == TRACE_STARTED &&
			      event.value > recording->stop_over_ns;
}

/* Copies a piece of the trace to the file. Returns 1, 0 if there is none, or -1 and a message. */
static int copy_piece(struct recording *recording, int pipe, FILE *out, struct errmsg *e)
{
	static char buf[65536], line[MAX_LINE];
	static size_t len;
	ssize_t got = read(pipe, buf, sizeof(buf)), i;

	if (got < 0 && errno != EAGAIN && errno != EINTR)
		return errmsg_set(e, "trace_pipe: %s", strerror(errno));
	for (i = 0; i < got; i++) {
		if (len < sizeof(line) - 1)
			line[len++] = buf[i];
		if (buf[i] != '\n')
			continue;
		line[len] = '\0';
		look_at(recording, line);
		len = 0;
	}
	if (got > 0 && fwrite(buf, got, 1, out) != 1)
		return errmsg_set(e, "%s: %s", recording->file, strerror(errno));
	return got > 0;
}

/* True after a signal, after a task waited longer than stop_over_ns, or when the time is over. */
static bool is_at_end(const struct recording *recording, __u64 end_ns)
{
	return __atomic_load_n(&is_told, __ATOMIC_RELAXED) || recording->is_over ||
	       (end_ns && now_ns() >= end_ns);
}

static int record_until_told(struct recording *recording, const char *dir, int pipe, FILE *out,
			     struct errmsg *e)
{
	struct pollfd readable = { .fd = pipe, .events = POLLIN };
	__u64 end_ns = recording->duration_ns ? now_ns() + recording->duration_ns : 0;
	int err = instance_start(dir, recording, e), err_end;
	struct errmsg ignored;

	/* events may come as fast as they are copied: test for the end after each piece */
	while (err >= 0 && !is_at_end(recording, end_ns)) {
		poll(&readable, 1, LOOK_MS);
		err = copy_piece(recording, pipe, out, e);
	}
	err_end = write_file(dir, "events/enable", "0", err < 0 ? &ignored : e);
	err = err < 0 ? err : err_end;
	/* copy the events until the end */
	while (!err && (err = copy_piece(recording, pipe, out, e)) > 0)
		err = 0;
	return err;
}

int trace_record(struct recording *recording, struct errmsg *e)
{
	struct sigaction action = { .sa_handler = on_signal };
	char dir[160], path[192];
	FILE *out;
	int pipe, err;

	/* from here on a signal leaves no instance behind */
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGQUIT, &action, NULL);
	if (!cli_ignores_hangup())
		sigaction(SIGHUP, &action, NULL);
	/* if the file is a pipe without a reader, the write fails */
	signal(SIGPIPE, SIG_IGN);
	err = instance_create(dir, sizeof(dir), e);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/trace_pipe", dir);
	pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	out = pipe >= 0 ? fopen(recording->file, "we") : NULL;
	if (!out)
		err = errmsg_set(e, "%s: %s", pipe < 0 ? path : recording->file, strerror(errno));
	else
		err = record_until_told(recording, dir, pipe, out, e);
	if (out && fclose(out) && !err)
		err = errmsg_set(e, "%s: %s", recording->file, strerror(errno));
	if (pipe >= 0)
		close(pipe);
	if (rmdir(dir) && !err)
		err = errmsg_set(e, "%s is left behind: %s", dir, strerror(errno));
	return err;
}
