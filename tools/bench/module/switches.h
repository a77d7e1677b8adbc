/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks where a thread leaves a CPU for sleep, and comes back to one, for paths.c; and where a
 * clock interrupts a CPU, for client.c.
 */
#ifndef BENCH_SWITCHES_H
#define BENCH_SWITCHES_H

struct task_struct;
struct tracepoint;

/* The threads whose switches are marked: in a wait, in a submit, a worker without a task. */
extern struct task_struct *bench_sleeper, *bench_blocker, *bench_parker;

/* Mark them from now on, or no more. */
struct tracepoint *bench_watch_switches(void);
void bench_ignore_switches(struct tracepoint *tp);
struct tracepoint *bench_watch_ticks(void);
void bench_ignore_ticks(struct tracepoint *tp);

/* The plugin counts from now on; instructions in the pages of wpool's text also apart. */
void bench_start_to_count(void);

#endif /* BENCH_SWITCHES_H */
