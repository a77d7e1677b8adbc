// SPDX-License-Identifier: GPL-2.0
/*
 * c2c - what two CPUs of this machine are to each other just now.
 *
 * The host of a virtual machine moves its CPUs: two of them are now threads of one
 * core, now cores of two sockets, within seconds. A measurement on two CPUs is worth
 * little without knowing which. Prints a line:
 *
 *	round trip of a line: median 92 ns (min 88, p90 97); work alone 3.1 ms, on both 3.1 ms
 *
 * The round trip is that of a cache line, from CPU 0 to CPU 1 and back. If the same
 * work takes longer while the other CPU works, too, they are threads of one core.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NR_SAMPLES	100
#define TRIPS		1000	/* of a sample */
#define LINE		128	/* two cache lines: they are fetched in pairs */

/* Nothing else is in their lines. */
static struct {
	char before[LINE];
	atomic_int value;
	char after[LINE];
} line, ready;

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		fprintf(stderr, "c2c: no CPU %d\n", cpu);
		exit(1);
	}
}

static void start(pthread_t *thread, void *(*fn)(void *), void *arg)
{
	if (pthread_create(thread, NULL, fn, arg)) {
		fprintf(stderr, "c2c: no thread\n");
		exit(1);
	}
}

static void *answer(void *unused)
{
	int i;

	run_on(1);
	for (i = 1; i < 2 * NR_SAMPLES * TRIPS; i += 2) {
		while (atomic_load_explicit(&line.value, memory_order_acquire) != i)
			;
		atomic_store_explicit(&line.value, i + 1, memory_order_release);
	}
	return unused;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* samples: ns of a round trip, ascending */
static void ping(double *samples)
{
	pthread_t thread;
	double begun;
	int i, n = 1;

	start(&thread, answer, NULL);
	for (i = 0; i < NR_SAMPLES; i++) {
		int end = n + 2 * TRIPS;

		begun = now_ns();
		for (; n < end; n += 2) {
			atomic_store_explicit(&line.value, n, memory_order_release);
			while (atomic_load_explicit(&line.value, memory_order_acquire) != n + 1)
				;
		}
		samples[i] = (now_ns() - begun) / TRIPS;
	}
	pthread_join(thread, NULL);
	qsort(samples, NR_SAMPLES, sizeof(*samples), by_size);
}

/* Independent additions: they keep a core's units busy. ms */
static double work(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4;
	double begun = now_ns();
	int i;

	for (i = 0; i < 4000000; i++)
		asm volatile("add $1, %0; add $1, %1; add $1, %2; add $1, %3;"
			     "add $1, %0; add $1, %1; add $1, %2; add $1, %3"
			     : "+r" (a), "+r" (b), "+r" (c), "+r" (d));
	return (now_ns() - begun) / 1e6;
}

static void meet(void)
{
	atomic_fetch_add(&ready.value, 1);
	while (atomic_load(&ready.value) != 2)
		;
}

static void *work_there(void *ms)
{
	run_on(1);
	meet();
	*(double *)ms = work();
	return NULL;
}

int main(void)
{
	double samples[NR_SAMPLES], alone, here, there;
	pthread_t thread;

	run_on(0);
	ping(samples);

	work();		/* until the clock rate is what it will be */
	alone = work();
	start(&thread, work_there, &there);
	meet();
	here = work();
	pthread_join(thread, NULL);

	printf("round trip of a line: median %.0f ns (min %.0f, p90 %.0f); "
	       "work alone %.1f ms, on both %.1f ms\n",
	       samples[NR_SAMPLES / 2], samples[0], samples[NR_SAMPLES * 9 / 10],
	       alone, here > there ? here : there);
	return 0;
}
