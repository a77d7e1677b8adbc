// SPDX-License-Identifier: GPL-2.0
/* The progress bar. */
#include "progress.h"

#include "out.h"
#include "parse.h"

#define MIN_BAR		10
#define MAX_BAR		40
#define DRAW_NS		(100 * NSEC_PER_MSEC)

void progress_init(struct progress *p, enum progress_when when, __u64 total,
		   __u64 total_ns, __u64 now_ns)
{
	*p = (struct progress){
		.enabled = when == PROGRESS_ALWAYS ||
			   (when == PROGRESS_AUTO && isatty(STDERR_FILENO)),
		.total = total,
		.total_ns = total_ns,
		.start_ns = now_ns,
	};
}

/* The part that is done, from 0 to 1: of the tasks or of the time, whichever is larger. */
static double fraction(const struct progress *p, __u64 now_ns, __u64 accounted)
{
	double of_tasks = p->total ? (double)accounted / p->total : 0;
	double of_time = p->total_ns ? (double)(now_ns - p->start_ns) / p->total_ns : 0;

	return min(max(of_tasks, of_time), 1.0);
}

static void format_left(const struct progress *p, __u64 now_ns, double done, char *buf, size_t len)
{
	double passed = (now_ns - p->start_ns) / (double)NSEC_PER_SEC;
	double left;

	*buf = '\0';
	if (done <= 0 || done >= 1 || passed < 0.5)
		return;
	left = passed * (1 - done) / done;
	if (left < 100 * 3600)
		snprintf(buf, len, " %d:%02d left", (int)(left + 0.5) / 60, (int)(left + 0.5) % 60);
}

void progress_update(struct progress *p, __u64 now_ns, __u64 accounted,
		     __u64 finished, const char *note)
{
	char text[128], total[24] = "", left[32], bar[MAX_BAR + 1];
	int room, filled;
	__u64 per_s = 0;
	double done;

	if (!p->enabled || (p->shown && now_ns - p->drawn_ns < DRAW_NS))
		return;
	p->drawn_ns = now_ns;
	p->shown = true;
	done = fraction(p, now_ns, accounted);
	if (now_ns > p->start_ns)
		per_s = (double)finished * NSEC_PER_SEC / (now_ns - p->start_ns);
	format_left(p, now_ns, done, left, sizeof(left));
	if (p->total)
		snprintf(total, sizeof(total), "/%llu", p->total);
	snprintf(text, sizeof(text), " %3u%% %llu%s %llu/s%s%s%s", (unsigned int)(done * 100),
		 accounted, total, per_s, left, *note ? ", " : "", note);
	/* leave the last column free: some terminals wrap when it is used */
	room = min(out_terminal_width(STDERR_FILENO) - 3 - (int)strlen(text), MAX_BAR);
	if (room < MIN_BAR) {
		fprintf(stderr, "\r\033[K%.*s", out_terminal_width(STDERR_FILENO) - 1, text + 1);
	} else {
		filled = done * room;
		memset(bar, '.', room);
		memset(bar, '#', filled);
		bar[room] = '\0';
		fprintf(stderr, "\r[%s]%s\033[K", bar, text);
	}
	fflush(stderr);
}

void progress_clear(struct progress *p)
{
	if (!p->shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	p->shown = false;
}
