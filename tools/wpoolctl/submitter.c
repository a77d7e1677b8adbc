// SPDX-License-Identifier: GPL-2.0
/* One submitter: a thread that submits tasks in batches, and a thread that reads their records. */
#include "submitter.h"

#include <stdarg.h>
#include <sys/prctl.h>

#include "alloc.h"
#include "dev.h"

#define READ_RECORDS	1024U

/* The nap after a read of few records doubles between these limits. */
#define MIN_NAP_NS	NSEC_PER_MSEC
#define MAX_NAP_NS	(10 * NSEC_PER_MSEC)

/* The nap before a submit is repeated doubles between these limits. */
#define MIN_RETRY_NS	(100 * NSEC_PER_USEC)
#define MAX_RETRY_NS	(5 * NSEC_PER_MSEC)

/* A submitter with more arrivals that were not submitted counts several in one step. */
#define MANY_UNSENT	1048576U

static void tell_news(struct load *load)
{
	pthread_kill(load->main_thread, SUBMITTER_NEWS);
}

void load_fail(struct load *load, int err, const char *fmt, ...)
{
	va_list ap;

	pthread_mutex_lock(&load->lock);
	if (!load->err) {
		load->err = err;
		va_start(ap, fmt);
		vsnprintf(load->why.text, sizeof(load->why.text), fmt, ap);
		va_end(ap);
	}
	pthread_mutex_unlock(&load->lock);
	atomic_store(&load->stop, true);
	tell_news(load);
}

/* ---- submitting -------------------------------------------------------------- */

struct batch {
	struct wpool_dev_work *works;
	__u32 nr;
	__u32 done;		/* accepted or dropped */
	__u64 retry_ns;		/* nap before the submit is repeated */
};

static bool stopped(const struct submitter *s)
{
	return atomic_load(&s->load->stop);
}

static void add_task(struct submitter *s, struct batch *batch, __u64 task, __u64 number)
{
	const struct load_config *config = s->load->config;
	unsigned int i = task % config->nr_works;
	const struct work *work = &config->works[i];
	__u64 amount = config->arrivals.replay ? arrivals_run_ns(&s->arrivals) :
						 amount_draw(&work->amount, &s->random);

	batch->works[batch->nr++] = (struct wpool_dev_work){
		.kind = work->kind,
		.flags = config->urgent ? WPOOL_WORK_URGENT : 0,
		.arg = work->kind == WPOOL_WORK_COUNT ? (unsigned long)&s->counted : amount,
		.cookie = tally_cookie(number, i),
		.depth = work->depth,
		.fanout = work->fanout,
	};
}

/* Closed loop: fill the batch. */
static void fill_batch(struct submitter *s, struct batch *batch, __u64 next)
{
	const struct load_config *config = s->load->config;
	__u64 length_ns = load_length_ns(config), task;

	if (length_ns && now_ns() - s->load->start_ns >= length_ns)
		return;
	for (task = next; task < s->end && batch->nr < config->batch; task++)
		add_task(s, batch, task, task);
}

/* Open loop: sleep until a task arrives, then take all that have arrived and fit into the batch. */
static void fill_batch_due(struct submitter *s, struct batch *batch, __u64 next)
{
	const struct load_config *config = s->load->config;
	__u64 end_ns = load_length_ns(config) ?: ~0ULL;
	__u64 arrival = arrivals_ns(&s->arrivals), now = 0;
	__u64 task;

	if (arrival >= end_ns)
		return;
	while (!stopped(s)) {
		now = now_ns() - s->load->start_ns;
		if (arrival <= now)
			break;
		sleep_until_ns(s->load->start_ns + arrival);
	}
	for (task = next; task < s->end && batch->nr < config->batch; task++) {
		if (arrival > now || arrival >= end_ns)
			break;
		add_task(s, batch, task, arrival);
		arrivals_step(&s->arrivals, 1);
		arrival = arrivals_ns(&s->arrivals);
	}
}

/* Count the tasks that arrived by the end of the run but were not submitted. */
static void count_unsent(struct submitter *s, const struct batch *batch, __u64 next)
{
	__u64 start_ns = s->load->start_ns, until_ns = now_ns(), arrival, left, step;
	__u64 end_ns = min(until_ns - start_ns, load_length_ns(s->load->config) ?: ~0ULL);
	struct tally *tally = &s->load->tally;
	__u32 i;

	pthread_mutex_lock(&s->load->lock);
	for (i = batch->done; i < batch->nr; i++)
		tally_add_unsent(tally, start_ns + tally_cookie_number(batch->works[i].cookie),
				 until_ns, 1);
	step = arrivals_left(&s->arrivals, end_ns) / MANY_UNSENT + 1;
	for (left = s->end - next; left; left -= step) {
		arrival = arrivals_ns(&s->arrivals);
		if (arrival >= end_ns)
			break;
		step = step < left ? step : left;
		tally_add_unsent(tally, start_ns + arrival, until_ns, step);
		arrivals_step(&s->arrivals, step);
	}
	pthread_mutex_unlock(&s->load->lock);
}

static void explain_submit(struct submitter *s, int err)
{
	const struct load_config *config = s->load->config;
	struct errmsg e;

	dev_explain(&e, err, config->pool);
	if (err == -EINVAL && config->on_cpu >= 0)
		load_fail(s->load, err, "--on: this machine cannot have a CPU %d", config->on_cpu);
	else if (err == -EPERM && load_has_kind(config, WPOOL_WORK_FAULT))
		load_fail(s->load, err, "fault work refused: it needs root, %s and %s",
			  "the module loaded with allow_fault=1",
			  "a pool whose policy is not run");
	else if ((err == -EPERM || err == -ELOOP) && load_has_kind(config, WPOOL_WORK_POLL))
		load_fail(s->load, err, "poll work refused: %s, or pool '%s' is another user's",
			  "its file cannot be polled", config->pool);
	else if (err == -ESHUTDOWN)
		load_fail(s->load, err, "pool '%s' is closed: it was released or destroyed",
			  config->pool);
	else if (err == -ENODEV)
		load_fail(s->load, err, "--on: CPU %d is offline", config->on_cpu);
	else
		load_fail(s->load, err, "submit: %s", e.text);
}

/* No task of any submitter is unfinished or unread. */
static bool load_is_empty(const struct load *load)
{
	const struct submitter *s = load->submitters;

	for (; s < load->submitters + load->config->submitters; s++)
		if (atomic_load(&s->in_call) ||
		    atomic_load(&s->finished) != atomic_load(&s->accepted))
			return false;
	return true;
}

/* One ioctl for the rest of the batch. */
static void submit_rest(struct submitter *s, struct batch *batch)
{
	const struct load_config *config = s->load->config;
	__u32 flags = (config->nonblock ? WPOOL_DEV_SUBMIT_NONBLOCK : 0) |
		      (config->on_cpu < 0 ? 0 : WPOOL_DEV_SUBMIT_ON);
	__u32 left = batch->nr - batch->done, accepted;
	/* test this before the call, too: during the call all tasks may end and be read */
	bool was_empty = batch->retry_ns == MAX_RETRY_NS && load_is_empty(s->load);
	__u64 begin;
	int err;

	atomic_store(&s->in_call, true);
	begin = now_ns();
	err = dev_submit(s->fd, batch->works + batch->done, left, flags,
			 config->on_cpu < 0 ? 0 : config->on_cpu, &accepted);
	s->call_ns += now_ns() - begin;
	s->calls++;
	if (accepted) {
		batch->done += accepted;
		batch->retry_ns = MIN_RETRY_NS;
		atomic_fetch_add(&s->accepted, accepted);
	}
	atomic_store(&s->in_call, false);
	switch (err) {
	case 0:
	case -EINTR:
	case -ECANCELED:	/* cancel_all() ended a wait for room in the group */
		break;
	case -EAGAIN:
		atomic_fetch_add(&s->refused, batch->nr - batch->done);
		batch->done = batch->nr;
		break;
	case -ENOBUFS:
		/* the file, or all files together, are full: there is room when records are read */
		if (was_empty && load_is_empty(s->load))
			load_fail(s->load, err, "submit: %s: %s",
				  "the file takes no task, though none is unfinished",
				  "other programs may use up what all users may have together");
		sleep_ns(batch->retry_ns);
		batch->retry_ns = min(batch->retry_ns * 2, MAX_RETRY_NS);
		break;
	default:
		explain_submit(s, err);
	}
}

static void submit_all(struct submitter *s)
{
	const struct load_config *config = s->load->config;
	bool open_loop = arrivals_are_scheduled(&config->arrivals);
	struct batch batch = { };
	__u64 next = s->first;

	batch.works = alloc_zeroed(config->batch, sizeof(*batch.works));
	while (next < s->end && !stopped(s)) {
		batch.nr = 0;
		batch.done = 0;
		batch.retry_ns = MIN_RETRY_NS;
		if (open_loop)
			fill_batch_due(s, &batch, next);
		else
			fill_batch(s, &batch, next);
		if (!batch.nr)
			break;
		next += batch.nr;
		while (batch.done < batch.nr && !stopped(s))
			submit_rest(s, &batch);
	}
	if (open_loop)
		count_unsent(s, &batch, next);
}

static void *submit_thread(void *arg)
{
	struct submitter *s = arg;
	sigset_t kick;

	pthread_mutex_lock(&s->load->gate);
	pthread_mutex_unlock(&s->load->gate);
	sigemptyset(&kick);
	sigaddset(&kick, SUBMITTER_KICK);
	pthread_sigmask(SIG_UNBLOCK, &kick, NULL);
	/* by default the kernel delays the end of a nap by up to 50 us */
	prctl(PR_SET_TIMERSLACK, 1);
	submit_all(s);
	s->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	atomic_store(&s->submitted, true);
	atomic_fetch_sub(&s->load->submitting, 1);
	tell_news(s->load);
	return NULL;
}

/* ---- reading ----------------------------------------------------------------- */

/*
 * Is the task counted in struct overtaken? The pool promises an order between accepted tasks. It
 * accepts tasks of timers, polls and strands some time after their submit, so these are left out.
 */
static bool has_order(const struct load_config *config, const struct wpool_dev_record *record)
{
	__u32 kind = config->works[tally_cookie_work(record->cookie)].kind;

	return record->start_ns && kind != WPOOL_WORK_TIMER && kind != WPOOL_WORK_STRAND &&
	       kind != WPOOL_WORK_POLL;
}

static void add_to_order(struct submitter *s, const struct wpool_dev_record *records, size_t nr)
{
	struct load *load = s->load;
	size_t i;

	for (i = 0; i < nr; i++) {
		struct overtaken_task task = {
			.submit_ns = records[i].submit_ns,
			.start_ns = records[i].start_ns,
			.nr = tally_cookie_number(records[i].cookie),
			.submitter = s - load->submitters,
		};

		if (has_order(load->config, &records[i]))
			overtaken_add(&load->overtaken, &task);
	}
}

static bool take_records(struct submitter *s, const struct wpool_dev_record *records, size_t nr)
{
	struct load *load = s->load;
	int err;

	pthread_mutex_lock(&load->lock);
	err = tally_add(&load->tally, records, nr);
	add_to_order(s, records, nr);
	pthread_mutex_unlock(&load->lock);
	atomic_fetch_add(&s->finished, nr);
	if (err)
		load_fail(load, -EPROTO, "a record of a task is damaged");
	return !err;
}

/*
 * A read sleeps until there is a record, so a reader without naps would wake up for each record.
 * After a read of few records the reader naps, so that several records gather.
 */
static void read_all(struct submitter *s, struct wpool_dev_record *records)
{
	__u64 nap_ns = MIN_NAP_NS;
	bool last_round;
	ssize_t nr;

	for (;;) {
		/* test this before the read, so that the last read finds all accepted tasks */
		last_round = atomic_load(&s->submitted);
		nr = dev_read(s->fd, records, READ_RECORDS);
		if (nr == -EINTR)
			continue;
		if (nr < 0) {
			load_fail(s->load, nr, "cannot read completion records: %s", strerror(-nr));
			return;
		}
		if (!nr && last_round)
			return;
		if (nr && !take_records(s, records, nr))
			return;
		if (nr < READ_RECORDS / 2) {
			sleep_ns(nap_ns);
			nap_ns = min(nap_ns * 2, MAX_NAP_NS);
		} else {
			nap_ns = MIN_NAP_NS;
		}
	}
}

static void *read_thread(void *arg)
{
	struct submitter *s = arg;
	struct wpool_dev_record *records = alloc_zeroed(READ_RECORDS, sizeof(*records));

	pthread_mutex_lock(&s->load->gate);
	pthread_mutex_unlock(&s->load->gate);
	read_all(s, records);
	atomic_fetch_sub(&s->load->reading, 1);
	tell_news(s->load);
	return NULL;
}

/* ---- starting both threads --------------------------------------------------- */

int submitter_start(struct submitter *s)
{
	const struct load_config *config = s->load->config;
	__u32 number = s - s->load->submitters;
	int err;

	arrivals_init(&s->arrivals, &config->arrivals, number, config->submitters);
	/* the random streams below LOAD_MAX_SUBMITTERS are for arrivals */
	random_init(&s->random, config->arrivals.seed, LOAD_MAX_SUBMITTERS + number);
	err = pthread_create(&s->read_thread, NULL, read_thread, s);
	if (err)
		return err;
	s->has_read_thread = true;
	atomic_fetch_add(&s->load->reading, 1);
	err = pthread_create(&s->submit_thread, NULL, submit_thread, s);
	if (err) {
		/* the reader must not wait for a thread that does not exist */
		atomic_store(&s->submitted, true);
		return err;
	}
	s->has_submit_thread = true;
	atomic_fetch_add(&s->load->submitting, 1);
	return 0;
}

void submitter_join(struct submitter *s)
{
	if (s->has_submit_thread)
		pthread_join(s->submit_thread, NULL);
	if (s->has_read_thread)
		pthread_join(s->read_thread, NULL);
}
