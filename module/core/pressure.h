/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much of the time a pool kept tasks or submitters waiting: averages over 10, 60 and 300 s,
 * like those of the kernel's /proc/pressure.
 *
 * The monitor switches the pressure on and off. Each change and each read computes the averages,
 * for all the time since the last computation.
 */
#ifndef WPOOL_CORE_PRESSURE_H
#define WPOOL_CORE_PRESSURE_H

#include <linux/bits.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define WPOOL_NR_PRESSURES	3	/* 10, 60, 300 s */

/* The average if the pressure was on all the time. */
#define WPOOL_PRESSURE_FULL	BIT_ULL(32)

struct wpool_pressure_avgs {
	u64 avg[WPOOL_NR_PRESSURES];	/* the averages, 0 to %WPOOL_PRESSURE_FULL */
	u64 total_ns;	/* how long the pressure was on, in total */
};

struct wpool_pressure {
	raw_spinlock_t lock;	/* protects all fields; raw: the monitor takes it */
	bool is_on;	/* a task or a submitter waits; read anywhere with READ_ONCE */
	u64 until_ns;	/* up to when the time is counted */
	u64 start_ns;	/* when the present period began */
	u64 on_ns;	/* how long the pressure was on in that period, up to @until_ns */
	struct wpool_pressure_avgs avgs;	/* averages at @start_ns, total up to @until_ns */
};

/** wpool_pressure_init() - start without pressure at @now, in ns */
void wpool_pressure_init(struct wpool_pressure *p, u64 now);

/*
 * Switch the pressure on or off. @p: the pressure; @now: the time, in ns; @on: does a task or
 * submitter wait? One caller at a time. Returns true if this call switched the pressure on.
 */
bool wpool_pressure_set(struct wpool_pressure *p, u64 now, bool on);

/** wpool_pressure_read() - read the averages of the time up to now; in any context */
void wpool_pressure_read(struct wpool_pressure *p, u64 now, struct wpool_pressure_avgs *avgs);

#endif /* WPOOL_CORE_PRESSURE_H */
