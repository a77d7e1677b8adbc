/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks of a thread that leaves a CPU to sleep or comes back, for paths.c; and of a clock
 * interrupt, for client.c.
 */
#ifndef BENCH_SWITCHES_H
#define BENCH_SWITCHES_H

struct task_struct;
struct tracepoint;

/* The threads whose switches are marked: in a wait, in a submit, a worker without a task. */
extern struct task_struct *bench_sleeper, *bench_blocker, *bench_parker;

/* Begin to mark switches; end it. */
struct tracepoint *bench_watch_switches(void);
void bench_ignore_switches(struct tracepoint *tp);
struct tracepoint *bench_watch_ticks(void);
void bench_ignore_ticks(struct tracepoint *tp);

/* Let the plugin count from now on, and also separately in the pages of wpool's code. */
void bench_start_to_count(void);

#endif /* BENCH_SWITCHES_H */
