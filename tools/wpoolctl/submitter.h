/* SPDX-License-Identifier: GPL-2.0 */
/* The two threads of one submitter. Private to load.c and submitter.c. */
#ifndef WPOOLCTL_SUBMITTER_H
#define WPOOLCTL_SUBMITTER_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "load-config.h"
#include "overtaken.h"
#include "tally.h"

/* This signal ends a sleep in an ioctl. Its handler does nothing. */
#define SUBMITTER_KICK	SIGUSR1
/* This signal tells the thread in load_run() that something happened. */
#define SUBMITTER_NEWS	SIGUSR2

struct load;

struct submitter {
	struct load *load;
	int fd;
	bool has_submit_thread;
	bool has_read_thread;
	pthread_t submit_thread;
	pthread_t read_thread;
	__u64 first;			/* tasks [first, end) are ours */
	__u64 end;
	struct arrivals arrivals;
	struct random random;		/* for the amounts of work */
	__u64 counted;			/* tasks of the kind count increment this */
	atomic_bool submitted;		/* the submit thread submits nothing more */
	atomic_bool in_call;		/* @accepted does not have the tasks of this call */
	atomic_ullong accepted;
	atomic_ullong finished;		/* records read */
	atomic_ullong refused;		/* tasks dropped */
	/* written by the submit thread, read after it has ended */
	__u64 calls;
	__u64 call_ns;
	__u64 cpu_ns;
};

/* What all submitters of a run share. */
struct load {
	const struct load_config *config;
	pthread_t main_thread;
	pthread_mutex_t gate;		/* held while threads are created */
	__u64 start_ns;			/* set before the gate opens */
	atomic_bool stop;		/* stop submitting */
	atomic_uint submitting;		/* submit threads that run */
	atomic_uint reading;		/* read threads that run */
	pthread_mutex_t lock;		/* protects the members below */
	struct tally tally;
	struct overtaken overtaken;
	int err;			/* the first error, 0 or negative */
	struct errmsg why;
	struct submitter submitters[];
};

/* Report an error. The run keeps the first one, and submits no more tasks. */
__printf(3, 4)
void load_fail(struct load *load, int err, const char *fmt, ...);

/* Start both threads; they begin when load->gate is free. Returns 0 or a positive errno. */
int submitter_start(struct submitter *s);
void submitter_join(struct submitter *s);

#endif /* WPOOLCTL_SUBMITTER_H */
