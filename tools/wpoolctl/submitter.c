// SPDX-License-Identifier: GPL-2.0
/*
 * One submitter: a thread that hands tasks over in batches, and a thread that
 * reads what became of them.
 */
#include "submitter.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dev.h"
#include "parse.h"

#define READ_RECORDS	1024U

/* Between two reads that brought little, doubling. */
#define MIN_NAP_NS	NSEC_PER_MSEC
#define MAX_NAP_NS	(10 * NSEC_PER_MSEC)

/* Before a refused or postponed submit is repeated, doubling. */
#define MIN_RETRY_NS	(100 * NSEC_PER_USEC)
#define MAX_RETRY_NS	(5 * NSEC_PER_MSEC)

/* A paced submitter collects what falls due in this time. */
#define PACE_NS		NSEC_PER_MSEC

static __u64 clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

__u64 load_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* A kick ends it early. */
static void nap(__u64 ns)
{
	struct timespec time = {
		.tv_sec = ns / NSEC_PER_SEC,
		.tv_nsec = ns % NSEC_PER_SEC,
	};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static __u64 longer(__u64 nap_ns, __u64 max_ns)
{
	return nap_ns * 2 < max_ns ? nap_ns * 2 : max_ns;
}

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
	__u64 retry_ns;		/* nap before the next repetition */
};

/* value * times / by, where the product may be longer than 64 bits */
static __u64 scale(__u64 value, __u64 times, __u64 by)
{
	return (__uint128_t)value * times / by;
}

/* Tasks that may be submitted by now; sleeps until there is one. 0: stop. */
static __u64 wait_until_due(struct submitter *s, __u64 next)
{
	const struct load_config *config = s->load->config;
	__u64 sent = next - s->first, left = s->end - next, now, due, next_ns;

	if (!config->rate)
		return left;
	while (!atomic_load(&s->load->stop)) {
		now = load_now_ns() - s->load->start_ns;
		due = scale(now, config->rate, NSEC_PER_SEC * config->submitters) + 1;
		if (due > sent)
			return due - sent < left ? due - sent : left;
		next_ns = scale(sent, NSEC_PER_SEC * config->submitters, config->rate) + 1;
		nap(next_ns > now + PACE_NS ? next_ns - now : PACE_NS);
	}
	return 0;
}

static void fill_batch(struct submitter *s, struct batch *batch, __u64 next,
		       __u32 nr)
{
	const struct load_config *config = s->load->config;
	const struct work *work;
	__u32 i;

	for (i = 0; i < nr; i++) {
		work = &config->works[work_turn(config->turns, next + i)];
		batch->works[i] = (struct wpool_dev_work){
			.kind = work->kind,
			.arg = work->arg,
			.cookie = next + i,
			.depth = work->depth,
			.fanout = work->fanout,
		};
	}
	batch->nr = nr;
	batch->done = 0;
	batch->retry_ns = MIN_RETRY_NS;
}

static void explain_submit(struct submitter *s, int err)
{
	const char *pool = s->load->config->pool;
	struct errmsg e;

	switch (err) {
	case -EPERM:
		load_fail(s->load, err, "fault work refused: it needs %s and %s",
			  "the module loaded with allow_fault=1",
			  "a pool whose policy is not run");
		return;
	case -ESHUTDOWN:
		load_fail(s->load, err, "pool '%s' is closed: it was released or destroyed",
			  pool);
		return;
	default:
		dev_explain(&e, err, pool);
		load_fail(s->load, err, "submit: %s", e.text);
	}
}

static void retry_later(struct batch *batch)
{
	nap(batch->retry_ns);
	batch->retry_ns = longer(batch->retry_ns, MAX_RETRY_NS);
}

/*
 * The file is full of unread records or unfinished tasks: not the pool's word,
 * so nothing is refused. The reader or the workers will make room.
 */
static void wait_for_room(struct submitter *s, struct batch *batch)
{
	if (atomic_load(&s->finished) == atomic_load(&s->accepted)) {
		load_fail(s->load, -ENOBUFS, "submit: nothing is taken, though none is unfinished");
		return;
	}
	retry_later(batch);
}

/* One ioctl for what is left of the batch. */
static void submit_rest(struct submitter *s, struct batch *batch)
{
	const struct load_config *config = s->load->config;
	__u32 left = batch->nr - batch->done, accepted, flags = 0;
	__u64 begin;
	int err;

	if (config->nonblock)
		flags |= WPOOL_DEV_SUBMIT_NONBLOCK;
	begin = load_now_ns();
	err = dev_submit(s->fd, batch->works + batch->done, left, flags, &accepted);
	s->call_ns += load_now_ns() - begin;
	s->calls++;
	if (accepted) {
		batch->done += accepted;
		batch->retry_ns = MIN_RETRY_NS;
		atomic_fetch_add(&s->accepted, accepted);
	}
	switch (err) {
	case 0:
	case -EINTR:
		break;
	case -EAGAIN:
		if (config->retry) {
			s->retries++;
			retry_later(batch);
		} else {
			atomic_fetch_add(&s->refused, batch->nr - batch->done);
			batch->done = batch->nr;
		}
		break;
	case -ENOBUFS:
		wait_for_room(s, batch);
		break;
	default:
		explain_submit(s, err);
	}
}

static void submit_all(struct submitter *s)
{
	const struct load_config *config = s->load->config;
	struct batch batch = { };
	__u64 next, due;

	batch.works = calloc(config->batch, sizeof(*batch.works));
	if (!batch.works) {
		load_fail(s->load, -ENOMEM, "out of memory");
		return;
	}
	for (next = s->first; next < s->end; next += batch.nr) {
		due = wait_until_due(s, next);
		fill_batch(s, &batch, next, due < config->batch ? due : config->batch);
		while (batch.done < batch.nr && !atomic_load(&s->load->stop))
			submit_rest(s, &batch);
		if (atomic_load(&s->load->stop))
			break;
	}
	free(batch.works);
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
	submit_all(s);
	s->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	atomic_store(&s->submitted, true);
	atomic_fetch_sub(&s->load->submitting, 1);
	tell_news(s->load);
	return NULL;
}

/* ---- reading ----------------------------------------------------------------- */

static bool take_records(struct submitter *s, const struct wpool_dev_record *records,
			 size_t nr)
{
	struct load *load = s->load;
	int err;

	pthread_mutex_lock(&load->lock);
	err = tally_add(&load->tally, load->config->turns, records, nr);
	pthread_mutex_unlock(&load->lock);
	atomic_fetch_add(&s->finished, nr);
	if (err)
		load_fail(load, -ENOMEM, "no memory for records, or a damaged record");
	return !err;
}

/*
 * A read sleeps until there is a record; but a reader that slept after each of
 * them would wake for the next. So it lets them pile up for some milliseconds
 * unless they come in masses.
 */
static void read_all(struct submitter *s, struct wpool_dev_record *records)
{
	__u64 nap_ns = MIN_NAP_NS;
	bool last_round;
	ssize_t nr;

	for (;;) {
		/* before the read: what was accepted by then is in it */
		last_round = atomic_load(&s->submitted);
		nr = dev_read(s->fd, records, READ_RECORDS);
		if (nr == -EINTR)
			continue;
		if (nr < 0) {
			load_fail(s->load, nr, "cannot read completion records: %s",
				  strerror(-nr));
			return;
		}
		if (!nr && last_round)
			return;
		if (nr && !take_records(s, records, nr))
			return;
		if (nr < READ_RECORDS / 2) {
			nap(nap_ns);
			nap_ns = longer(nap_ns, MAX_NAP_NS);
		} else {
			nap_ns = MIN_NAP_NS;
		}
	}
}

static void *read_thread(void *arg)
{
	struct submitter *s = arg;
	struct wpool_dev_record *records;

	pthread_mutex_lock(&s->load->gate);
	pthread_mutex_unlock(&s->load->gate);
	records = calloc(READ_RECORDS, sizeof(*records));
	if (records)
		read_all(s, records);
	else
		load_fail(s->load, -ENOMEM, "out of memory");
	free(records);
	atomic_fetch_sub(&s->load->reading, 1);
	tell_news(s->load);
	return NULL;
}

/* ---- both -------------------------------------------------------------------- */

int submitter_start(struct submitter *s)
{
	int err;

	err = pthread_create(&s->read_thread, NULL, read_thread, s);
	if (err)
		return err;
	s->has_read_thread = true;
	atomic_fetch_add(&s->load->reading, 1);
	err = pthread_create(&s->submit_thread, NULL, submit_thread, s);
	if (err) {
		/* or the reader would wait for it */
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
	s->has_submit_thread = false;
	s->has_read_thread = false;
}
