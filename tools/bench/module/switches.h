/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks when a thread leaves a CPU to sleep and when it runs again, for paths.c, and marks at clock
 * interrupts, for client.c.
 */
#ifndef BENCH_SWITCHES_H
#define BENCH_SWITCHES_H

struct task_struct;
struct tracepoint;

/* The threads whose switches are marked: one that waits, one that submits, an idle worker. */
extern struct task_struct *bench_sleeper, *bench_blocker, *bench_parker;

/* Mark switches until bench_ignore_switches(). Returns the tracepoint or an error pointer. */
struct tracepoint *bench_watch_switches(void);
void bench_ignore_switches(struct tracepoint *tp);
/* Mark the looks of wpool's monitor. */
int bench_watch_looks(void);
void bench_ignore_looks(void);
struct tracepoint *bench_watch_ticks(void);
void bench_ignore_ticks(struct tracepoint *tp);

/* Let the plugin count from now on: in total, and separately in the pages of wpool's code. */
void bench_start_to_count(void);

#endif /* BENCH_SWITCHES_H */
