/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints: marks when a thread leaves a CPU to sleep and when it runs again, for paths.c, and
 * marks at clock interrupts, for client.c.
 */
#ifndef BENCH_SWITCHES_H
#define BENCH_SWITCHES_H

struct task_struct;

/* The threads whose switches are marked: one that waits, one that submits, an idle worker. */
extern struct task_struct *bench_sleeper, *bench_blocker, *bench_parker;

/* Call @probe at this tracepoint, until bench_unwatch(), which ends all watches. Returns -errno. */
int bench_watch(const char *name, void *probe);
void bench_unwatch(void);
/* Mark switches, the looks of wpool's monitor, clock interrupts. */
int bench_watch_switches(void);
int bench_watch_looks(void);
int bench_watch_ticks(void);

/* Let the plugin count from now on: in total, and separately in the pages of wpool's code. */
void bench_start_to_count(void);

#endif /* BENCH_SWITCHES_H */
