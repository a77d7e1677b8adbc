// SPDX-License-Identifier: GPL-2.0
/* Puts load on a pool: starts the submitters, watches them and ends them. */
#include "load.h"

#include <math.h>
#include <time.h>

#include "alloc.h"
#include "cli.h"
#include "dev.h"
#include "submitter.h"

#define TICK_NS		(100 * NSEC_PER_MSEC)
#define STOP_TICK_NS	(20 * NSEC_PER_MSEC)

/* A submitter that wakes up this late for the last arrival still submits it. */
#define GRACE_NS	(20 * NSEC_PER_MSEC)

/* Cancelled tasks end within milliseconds; allow for a slow machine. */
#define STUCK_NS	(30 * NSEC_PER_SEC)

static sigset_t end_signals;

static void ignore(int sig __maybe_unused)
{
}

void load_hold_signals(void)
{
	/* no SA_RESTART: the signal has to interrupt ioctls */
	struct sigaction kick = { .sa_handler = ignore };
	sigset_t set;

	sigemptyset(&end_signals);
	sigaddset(&end_signals, SIGINT);
	sigaddset(&end_signals, SIGTERM);
	sigaddset(&end_signals, SIGPIPE);
	/* a blocked signal is queued though it is ignored */
	if (!cli_ignores_hangup())
		sigaddset(&end_signals, SIGHUP);
	set = end_signals;
	sigaction(SUBMITTER_KICK, &kick, NULL);
	sigaddset(&set, SUBMITTER_KICK);
	sigaddset(&set, SUBMITTER_NEWS);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* Waits for at most @ns. Returns a signal that ends the run, or 0, also for SUBMITTER_NEWS. */
static int wait_signal(__u64 ns)
{
	struct timespec time = { .tv_nsec = ns };
	sigset_t set = end_signals;
	int sig;

	sigaddset(&set, SUBMITTER_NEWS);
	sig = sigtimedwait(&set, NULL, &time);
	return sig > 0 && sig != SUBMITTER_NEWS ? sig : 0;
}

static void drop_signals(void)
{
	static const struct timespec none;

	while (sigtimedwait(&end_signals, NULL, &none) > 0)
		;
}

struct watch {
	struct load *load;
	struct load_result *result;
	int fd;
	bool ending;		/* the tasks are to be cancelled */
	bool cancelled;		/* all tasks were cancelled */
	__u64 ending_ns;
	__u64 looked_ns;
	struct wpool_dev_stats stats;
	struct interval last;	/* sums at the end of the last interval */
};

/* Sums over all submitters. */
struct sums {
	__u64 accepted, refused;
};

static struct sums sums_of(const struct load *load)
{
	const struct submitter *s = load->submitters;
	struct sums sums = { };

	for (; s < load->submitters + load->config->submitters; s++) {
		sums.accepted += atomic_load(&s->accepted);
		sums.refused += atomic_load(&s->refused);
	}
	return sums;
}

static const char *phase(const struct load_config *config, __u64 ns)
{
	__u64 length_ns = load_length_ns(config);

	if (ns <= config->warmup_ns)
		return "warm-up";
	return length_ns && ns > length_ns + GRACE_NS ? "drain" : "run";
}

/* Fills @sum: counts since the start of the run, but quantiles since the last call. */
static void sum_interval(struct watch *w, __u64 now, struct interval *sum)
{
	const struct load_config *config = w->load->config;
	__u64 length_ns = load_length_ns(config), scheduled_ns;
	struct tally_interval *tally = &w->load->tally.interval;
	struct sums sums = sums_of(w->load);

	*sum = (struct interval){
		.to_ns = now - w->load->start_ns,
		.submitted = sums.accepted,
		.refused = sums.refused,
	};
	sum->phase = phase(config, sum->to_ns);
	sum->asked = sum->submitted + sum->refused;
	if (arrivals_are_scheduled(&config->arrivals) && !w->ending) {
		scheduled_ns = min(sum->to_ns, length_ns ?: ~0ULL);
		sum->asked = ceil(arrivals_expected(&config->arrivals, scheduled_ns));
		sum->asked = min(sum->asked, config->tasks ?: ~0ULL);
	}
	if (sum->asked > sum->submitted + sum->refused && !atomic_load(&w->load->stop))
		sum->behind = sum->asked - sum->submitted - sum->refused;
	pthread_mutex_lock(&w->load->lock);
	sum->completed = tally->completed;
	sum->ended = tally->total_ns.nr;
	sum->p50_ns = timehist_percentile(&tally->total_ns, 500000);
	sum->p99_ns = timehist_percentile(&tally->total_ns, 990000);
	sum->p99_9_ns = timehist_percentile(&tally->total_ns, 999000);
	sum->max_ns = tally->total_ns.max_ns;
	timehist_clear(&tally->total_ns);
	pthread_mutex_unlock(&w->load->lock);
	sum->workers = w->stats.workers;
	sum->queued = w->stats.queued;
}

static __u64 more(__u64 now, __u64 before)
{
	return now > before ? now - before : 0;
}

static void end_interval(struct watch *w, __u64 now)
{
	struct interval sum, interval;

	dev_stats(w->fd, &w->stats);
	sum_interval(w, now, &sum);
	interval = sum;
	interval.from_ns = w->last.to_ns;
	interval.asked = more(sum.asked, w->last.asked);
	interval.submitted -= w->last.submitted;
	interval.refused -= w->last.refused;
	interval.completed -= w->last.completed;
	w->last = sum;
	intervals_add(&w->result->intervals, &interval);
}

/* At the end of the run: does another interval have to be reported? */
static bool interval_is_left(const struct watch *w)
{
	struct sums sums = sums_of(w->load);

	return w->load->tally.interval.total_ns.nr ||
	       sums.accepted + sums.refused > w->last.submitted + w->last.refused;
}

static __u64 interval_end_ns(const struct watch *w)
{
	return w->load->start_ns + w->last.to_ns + w->load->config->interval_ns;
}

static void look(struct watch *w, __u64 now)
{
	if (w->load->config->interval_ns && now >= interval_end_ns(w))
		end_interval(w, now);
	if (now - w->looked_ns < TICK_NS)
		return;
	w->looked_ns = now;
	if (!dev_stats(w->fd, &w->stats))
		w->result->peak_workers = max(w->result->peak_workers, w->stats.workers);
}

/* Ends sleeps in ioctls. A signal just before such a sleep has no effect, so the caller repeats. */
static void kick_submitters(struct watch *w)
{
	struct submitter *s = w->load->submitters;
	__u32 i;

	for (i = 0; i < w->load->config->submitters; i++)
		if (s[i].has_submit_thread && !atomic_load(&s[i].submitted))
			pthread_kill(s[i].submit_thread, SUBMITTER_KICK);
}

/*
 * Called repeatedly while submitters submit: under policy "run" a submitter may be in a task. The
 * last call comes after all submits, and cancels the tasks accepted last.
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

static __u64 stop_ns(const struct load *load)
{
	__u64 length_ns = load_length_ns(load->config);

	return length_ns ? load->start_ns + length_ns + GRACE_NS : ~0ULL;
}

static __u64 next_look_ns(const struct watch *w, bool stop)
{
	const struct load_config *config = w->load->config;
	__u64 now = now_ns(), when = now + TICK_NS;

	if (stop && atomic_load(&w->load->submitting))
		when = now + STOP_TICK_NS;
	if (config->interval_ns)
		when = min(when, interval_end_ns(w));
	if (!stop)
		when = min(when, stop_ns(w->load));
	return when > now ? when - now : 0;
}

/* Waits for all readers to end. Returns false if tasks are stuck, or after a second signal. */
static bool watch(struct watch *w)
{
	__u64 now;
	bool stop;
	int sig;

	while (atomic_load(&w->load->reading)) {
		if (now_ns() >= stop_ns(w->load))
			atomic_store(&w->load->stop, true);
		stop = atomic_load(&w->load->stop);
		if (stop)
			kick_submitters(w);
		if (w->ending)
			cancel_all(w);
		sig = wait_signal(next_look_ns(w, stop));
		now = now_ns();
		if (w->ending) {
			/* a second signal counts after a tick; each write sends SIGPIPE again */
			if (now - w->ending_ns > (sig && sig != SIGPIPE ? TICK_NS : STUCK_NS)) {
				w->result->end = sig && sig != SIGPIPE ? LOAD_LEFT : LOAD_STUCK;
				return false;
			}
		} else if (sig) {
			w->result->end = LOAD_INTERRUPTED;
			w->ending = true;
			atomic_store(&w->load->stop, true);
			cancel_all(w);
			/* signals until now count as one, however long the cancel took */
			drop_signals();
			w->ending_ns = now_ns();
		}
		look(w, now);
	}
	return true;
}

/* ---- beginning and end of a run ------------------------------------------------ */

/* Sets up the group of the file @fd for --group, or for tasks of the kind count. */
static int group_of(int fd, const struct load_config *config)
{
	__u32 flags = load_has_kind(config, WPOOL_WORK_COUNT) ? WPOOL_DEV_GROUP_MM : 0;

	if (!config->group && !flags)
		return 0;
	return dev_group(fd, config->group ?: WPOOL_DEV_UNLIMITED, flags);
}

/* Each submitter gets consecutive tasks, so that its tasks do all works in turn. */
static void start_submitters(struct load *load)
{
	const struct load_config *config = load->config;
	__u64 share = config->tasks ? config->tasks / config->submitters : LOAD_MAX_TASKS;
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
		err = group_of(s->fd, config);
		if (err) {
			dev_explain(&e, err, config->pool);
			load_fail(load, err, "%s", e.text);
			break;
		}
		err = submitter_start(s);
		if (err) {
			load_fail(load, -err, "cannot start thread %u of %u submitters: %s",
				  i + 1, config->submitters, strerror(err));
			break;
		}
	}
	load->start_ns = now_ns();
	load->tally.window = (struct tally_window){
		.open_loop = arrivals_are_scheduled(&config->arrivals),
		.start_ns = load->start_ns,
		.from_ns = load->start_ns + config->warmup_ns,
		.to_ns = config->duration_ns ? load->start_ns + load_length_ns(config) : 0,
	};
	pthread_mutex_unlock(&load->gate);
}

static void sum_up(struct load *load, struct load_result *result)
{
	struct sums sums;
	__u32 i;

	for (i = 0; i < load->config->submitters; i++) {
		struct submitter *s = &load->submitters[i];

		submitter_join(s);
		result->calls += s->calls;
		result->call_ns += s->call_ns;
		result->cpu_ns += s->cpu_ns;
		if (s->fd >= 0)
			close(s->fd);
	}
	sums = sums_of(load);
	result->accepted = sums.accepted;
	result->refused = sums.refused;
	result->tally = load->tally;
	overtaken_count(&load->overtaken, &result->overtaken);
	/* a run that ended earlier is measured up to its last task */
	if (result->end != LOAD_COMPLETE || load->err)
		result->tally.window.to_ns = 0;
	if (load->err && result->end == LOAD_COMPLETE) {
		result->end = LOAD_BROKEN;
		result->why = load->why;
	}
}

/* Allocates the load, since the threads of a stuck run still use it after load_run(). */
static struct load *load_new(const struct load_config *config)
{
	struct load *load = alloc_zeroed(1, sizeof(*load) + config->submitters *
					 sizeof(load->submitters[0]));
	__u32 i;

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

void load_run(const struct load_config *config, int fd, struct load_result *result)
{
	struct load *load = load_new(config);
	struct watch w = {
		.load = load,
		.result = result,
		.fd = fd,
	};
	int err;

	err = dev_info(fd, &result->attrs, NULL);
	if (!err)
		err = dev_stats(fd, &result->before);
	if (err) {
		result->end = LOAD_BROKEN;
		dev_explain(&result->why, err, config->pool);
		return;
	}
	result->peak_workers = result->before.workers;
	w.stats = result->before;
	start_submitters(load);
	if (!watch(&w))
		return;
	/* if the pool was destroyed meanwhile, use the figures from before the run */
	if (dev_stats(fd, &result->after))
		result->after = result->before;
	result->peak_workers = max(result->peak_workers, result->after.workers);
	if (config->interval_ns && interval_is_left(&w))
		end_interval(&w, now_ns());
	sum_up(load, result);
}
