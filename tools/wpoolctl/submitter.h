/* SPDX-License-Identifier: GPL-2.0 */
/* The two threads of one submitter. Private to load.c and submitter.c. */
#ifndef WPOOLCTL_SUBMITTER_H
#define WPOOLCTL_SUBMITTER_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "errmsg.h"
#include "load-config.h"
#include "overtaken.h"
#include "random.h"
#include "tally.h"

/* Ends a sleep in an ioctl. Its handler does nothing. */
#define SUBMITTER_KICK	SIGUSR1
/* Tells the thread in load_run() that something happened. */
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
	struct random random;		/* of the amounts of work */
	__u64 counted;			/* by tasks of the kind count, on our behalf */
	atomic_bool submitted;		/* the submit thread is through */
	atomic_ullong accepted;
	atomic_ullong finished;		/* records read */
	atomic_ullong refused;		/* tasks that were dropped */
	/* of the submit thread, to be read when that has ended */
	__u64 retries;
	__u64 calls;
	__u64 call_ns;
	__u64 cpu_ns;
};

/* What all submitters of a run share. */
struct load {
	const struct load_config *config;
	pthread_t main_thread;
	pthread_mutex_t gate;		/* held while threads are made */
	__u64 start_ns;			/* known when the gate opens */
	atomic_bool stop;		/* submit no more */
	atomic_uint submitting;		/* threads */
	atomic_uint reading;
	pthread_mutex_t lock;		/* of what follows */
	struct tally tally;
	struct overtaken overtaken;
	int err;			/* the first, 0 or negative */
	struct errmsg why;
	struct submitter submitters[];
};

/* The first error of a run counts; it ends submission. */
__printf(3, 4)
void load_fail(struct load *load, int err, const char *fmt, ...);

/* 0 or a positive errno. The threads begin when load->gate is free. */
int submitter_start(struct submitter *s);
void submitter_join(struct submitter *s);

#endif /* WPOOLCTL_SUBMITTER_H */
