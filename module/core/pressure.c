// SPDX-License-Identifier: GPL-2.0
/*
 * Pressure, see pressure.h. A pure data structure: the caller passes the time.
 *
 * Once in a period each average moves towards the share of that period in which the pressure was
 * on. Periods without a change of the pressure are computed together, in one step. After
 * kernel/sched/psi.c.
 */
#include "core/pressure.h"

#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/time64.h>

#define PERIOD_NS	NSEC_PER_SEC

/* What is left of an average after a period: exp(-1/10), exp(-1/60), exp(-1/300); * 2^32 */
static const u32 decays[WPOOL_NR_PRESSURES] = { 3886247119U, 4223977731U, 4280674573U };

/* What is left of a value after @nr periods, if each period multiplies it by @power / 2^32. */
static u64 decay_periods(u64 value, u32 power, u64 nr)
{
	/* the loop ends soon: the power becomes 0, and then the value */
	for (; nr && value; nr >>= 1) {
		if (nr & 1)
			value = mul_u64_u32_shr(value, power, 32);
		power = mul_u64_u32_shr(power, power, 32);
	}
	return value;
}

/* @nr periods have passed. In each, the pressure was on for @share of the time. */
static void pass_periods(struct wpool_pressure *p, u64 nr, u64 share)
{
	u64 *avg = p->avgs.avg;
	int i;

	/* the distance between the average and the share decays */
	for (i = 0; i < WPOOL_NR_PRESSURES; i++) {
		if (avg[i] > share)
			avg[i] = share + decay_periods(avg[i] - share, decays[i], nr);
		else
			avg[i] = share - decay_periods(share - avg[i], decays[i], nr);
	}
}

/* Count the time up to now. */
static void count_until(struct wpool_pressure *p, u64 now)
	__must_hold(&p->lock)
{
	u64 end = p->start_ns + PERIOD_NS, nr;

	/* another CPU's clock may be behind */
	if ((s64)(now - p->until_ns) <= 0)
		return;
	if (p->is_on)
		p->avgs.total_ns += now - p->until_ns;
	if (now >= end) {
		if (p->is_on)
			p->on_ns += end - p->until_ns;
		pass_periods(p, 1, div_u64(p->on_ns << 32, PERIOD_NS));
		nr = div_u64(now - end, PERIOD_NS);
		pass_periods(p, nr, p->is_on ? WPOOL_PRESSURE_FULL : 0);
		p->start_ns = end + nr * PERIOD_NS;
		p->until_ns = p->start_ns;
		p->on_ns = 0;
	}
	if (p->is_on)
		p->on_ns += now - p->until_ns;
	p->until_ns = now;
}

void wpool_pressure_init(struct wpool_pressure *p, u64 now)
{
	raw_spin_lock_init(&p->lock);
	p->start_ns = now;
	p->until_ns = now;
}

bool wpool_pressure_set(struct wpool_pressure *p, u64 now, bool on)
{
	unsigned long flags;

	if (on == READ_ONCE(p->is_on))
		return false;
	raw_spin_lock_irqsave(&p->lock, flags);
	count_until(p, now);
	WRITE_ONCE(p->is_on, on);
	raw_spin_unlock_irqrestore(&p->lock, flags);
	return on;
}

void wpool_pressure_read(struct wpool_pressure *p, u64 now, struct wpool_pressure_avgs *avgs)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&p->lock, flags);
	count_until(p, now);
	*avgs = p->avgs;
	raw_spin_unlock_irqrestore(&p->lock, flags);
}
