// SPDX-License-Identifier: GPL-2.0
/* Putting load on a pool: starts the submitters, watches, and ends them. */
#include "load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dev.h"
#include "parse.h"
#include "submitter.h"

#define TICK_NS		(100 * NSEC_PER_MSEC)
#define STOP_TICK_NS	(20 * NSEC_PER_MSEC)

/* Cancelled tasks end within milliseconds; a machine may be slow. */
#define STUCK_NS	(30 * NSEC_PER_SEC)

static sigset_t end_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return set;
}

static void ignore(int sig)
{
	(void)sig;
}

void load_hold_signals(void)
{
	/* no SA_RESTART: it is there to interrupt */
	struct sigaction kick = { .sa_handler = ignore };
	sigset_t set = end_signals();

	sigaction(SUBMITTER_KICK, &kick, NULL);
	sigaddset(&set, SUBMITTER_KICK);
	sigaddset(&set, SUBMITTER_NEWS);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* A signal that ends the run, or 0 after @ns or if a thread has news. */
static int wait_signal(__u64 ns)
{
	struct timespec time = { .tv_nsec = ns };
	sigset_t set = end_signals();
	int sig;

	sigaddset(&set, SUBMITTER_NEWS);
	sig = sigtimedwait(&set, NULL, &time);
	return sig > 0 && sig != SUBMITTER_NEWS ? sig : 0;
}

struct watch {
	struct load *load;
	struct progress *progress;
	struct load_result *result;
	int fd;
	bool ending;		/* cancelling is wanted */
	bool cancelled;		/* and was done */
	__u64 ending_ns;
	__u64 looked_ns;
};

static void show_progress(struct watch *w, __u64 now)
{
	__u64 finished = 0, refused = 0;
	__u32 i;

	for (i = 0; i < w->load->config->submitters; i++) {
		finished += atomic_load(&w->load->submitters[i].finished);
		refused += atomic_load(&w->load->submitters[i].refused);
	}
	progress_update(w->progress, now, finished + refused, finished,
			w->ending ? "cancelling" : "");
}

static void look(struct watch *w, __u64 now)
{
	struct wpool_dev_stats stats;

	if (now - w->looked_ns < TICK_NS)
		return;
	w->looked_ns = now;
	if (!dev_stats(w->fd, &stats) && stats.workers > w->result->peak_workers)
		w->result->peak_workers = stats.workers;
	show_progress(w, now);
}

static void begin_ending(struct watch *w, enum load_end end, __u64 now)
{
	w->result->end = end;
	w->ending = true;
	w->ending_ns = now;
	atomic_store(&w->load->stop, true);
}

/* A kick may come just before the sleep that it is meant to end: repeat it. */
static void kick_submitters(struct watch *w)
{
	struct submitter *s = w->load->submitters;
	__u32 i;

	for (i = 0; i < w->load->config->submitters; i++)
		if (s[i].has_submit_thread && !atomic_load(&s[i].submitted))
			pthread_kill(s[i].submit_thread, SUBMITTER_KICK);
}

/*
 * Again and again while somebody submits: under the policy run a submitter is
 * inside a task. Then once more, for what was accepted last.
 */
static void cancel_all(struct watch *w)
{
	bool last = !atomic_load(&w->load->submitting);
	__u32 i;

	if (w->cancelled)
		return;
	for (i = 0; i < w->load->config->submitters; i++)
		dev_cancel_all(w->load->submitters[i].fd);
	w->cancelled = last;
}

static __u64 next_look_ns(const struct watch *w, bool stop)
{
	__u64 deadline = w->load->start_ns + w->load->config->timeout_ns;
	__u64 now = load_now_ns();

	if (stop)
		return STOP_TICK_NS;
	if (!w->load->config->timeout_ns || deadline > now + TICK_NS)
		return TICK_NS;
	return deadline > now ? deadline - now : 0;
}

/* False if it makes no sense to wait any longer. */
static bool watch(struct watch *w)
{
	__u64 timeout_ns = w->load->config->timeout_ns, now;
	bool stop;
	int sig;

	while (atomic_load(&w->load->reading)) {
		stop = atomic_load(&w->load->stop);
		if (stop)
			kick_submitters(w);
		if (w->ending)
			cancel_all(w);
		sig = wait_signal(next_look_ns(w, stop));
		now = load_now_ns();
		if (w->ending) {
			if (sig || now - w->ending_ns > STUCK_NS)
				return false;
		} else if (sig) {
			begin_ending(w, LOAD_INTERRUPTED, now);
		} else if (timeout_ns && now - w->load->start_ns >= timeout_ns) {
			begin_ending(w, LOAD_TIMED_OUT, now);
		}
		look(w, now);
	}
	return true;
}

/* ---- beginning and end of a run ------------------------------------------------ */

/* Tasks are shared out in rows, so that each submitter's kinds take turns. */
static void start_submitters(struct load *load)
{
	const struct load_config *config = load->config;
	__u64 share = config->tasks / config->submitters;
	__u64 rest = config->tasks % config->submitters, next = 0;
	struct errmsg e;
	__u32 i;
	int err;

	pthread_mutex_lock(&load->gate);
	for (i = 0; i < config->submitters; i++) {
		struct submitter *s = &load->submitters[i];

		s->first = next;
		next += share + (i < rest);
		s->end = next;
		s->fd = dev_open_pool(config->pool, &e);
		if (s->fd < 0) {
			load_fail(load, s->fd, "%s", e.text);
			break;
		}
		err = submitter_start(s);
		if (err) {
			load_fail(load, -err, "cannot start thread %u of %u submitters: %s",
				  i + 1, config->submitters, strerror(err));
			break;
		}
	}
	load->start_ns = load_now_ns();
	pthread_mutex_unlock(&load->gate);
}

static void sum_up(struct load *load, struct load_result *result)
{
	__u32 i;

	for (i = 0; i < load->config->submitters; i++) {
		struct submitter *s = &load->submitters[i];

		submitter_join(s);
		result->accepted += atomic_load(&s->accepted);
		result->refused += atomic_load(&s->refused);
		result->retries += s->retries;
		result->calls += s->calls;
		result->call_ns += s->call_ns;
		result->cpu_ns += s->cpu_ns;
		if (s->fd >= 0)
			close(s->fd);
	}
	result->tally = load->tally;
	tally_sort(&result->tally);
	if (load->err && result->end == LOAD_COMPLETE) {
		result->end = LOAD_BROKEN;
		result->why = load->why;
	}
}

/* On the heap: if the run gets stuck, its threads go on using it. */
static struct load *load_new(const struct load_config *config)
{
	struct load *load = calloc(1, sizeof(*load) + config->submitters *
				   sizeof(load->submitters[0]));
	__u32 i;

	if (!load)
		return NULL;
	load->config = config;
	load->main_thread = pthread_self();
	pthread_mutex_init(&load->gate, NULL);
	pthread_mutex_init(&load->lock, NULL);
	for (i = 0; i < config->submitters; i++) {
		load->submitters[i].load = load;
		load->submitters[i].fd = -1;
	}
	return load;
}

void load_run(const struct load_config *config, int fd, struct progress *progress,
	      struct load_result *result)
{
	struct load *load = load_new(config);
	struct watch w = {
		.load = load,
		.progress = progress,
		.result = result,
		.fd = fd,
	};
	int err;

	memset(result, 0, sizeof(*result));
	err = load ? dev_info(fd, &result->attrs) : -ENOMEM;
	if (!err)
		err = dev_stats(fd, &result->before);
	if (err) {
		result->end = LOAD_BROKEN;
		dev_explain(&result->why, err, config->pool);
		free(load);
		return;
	}
	result->peak_workers = result->before.workers;
	start_submitters(load);
	if (!watch(&w)) {
		progress_clear(progress);
		result->end = LOAD_STUCK;
		return;
	}
	/* gone, if the pool was destroyed meanwhile: the last that is known */
	if (dev_stats(fd, &result->after))
		result->after = result->before;
	if (result->after.workers > result->peak_workers)
		result->peak_workers = result->after.workers;
	progress_clear(progress);
	sum_up(load, result);
	free(load);
}

void load_result_exit(struct load_result *result)
{
	tally_exit(&result->tally);
}
