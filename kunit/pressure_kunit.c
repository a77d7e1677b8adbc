// SPDX-License-Identifier: GPL-2.0
/*
 * The averages of pressure, at times that the case sets. The selftest sysfs_pressure checks that
 * the monitor switches the pressure on and off, and that programs are told.
 */
#include "core/pressure.c"
#include "fixture.h"

/* The time at which a case starts; any value will do. */
#define START_NS	(12345 * NSEC_PER_SEC + 678)

static struct wpool_pressure *pressure(struct kunit *test)
{
	struct wpool_pressure *p = wpk_alloc(test, sizeof(*p));

	wpool_pressure_init(p, START_NS);
	return p;
}

static void set(struct wpool_pressure *p, u64 ms, bool on)
{
	wpool_pressure_set(p, START_NS + ms * NSEC_PER_MSEC, on);
}

/* @avg: the averages, in hundredths of a per cent, as in sysfs */
struct figures {
	u32 avg[WPOOL_NR_PRESSURES];
	u64 total_ms;
};

static struct figures at(struct wpool_pressure *p, u64 ms)
{
	struct wpool_pressure_avgs avgs;
	struct figures ret;
	int i;

	wpool_pressure_read(p, START_NS + ms * NSEC_PER_MSEC, &avgs);
	for (i = 0; i < WPOOL_NR_PRESSURES; i++)
		ret.avg[i] = avgs.avg[i] * 10000 / WPOOL_PRESSURE_FULL;
	ret.total_ms = div_u64(avgs.total_ns, NSEC_PER_MSEC);
	return ret;
}

/* The averages may be wrong by 0.05 %, since the pool computes exp() in fixed point. */
static void expect(struct kunit *test, struct figures got, u32 avg10, u32 avg60, u32 avg300,
		   u64 total_ms)
{
	const u32 want[WPOOL_NR_PRESSURES] = { avg10, avg60, avg300 };
	int i;

	for (i = 0; i < WPOOL_NR_PRESSURES; i++)
		KUNIT_EXPECT_LE_MSG(test, abs((int)got.avg[i] - (int)want[i]), 5,
				    "average %d: %u, not %u", i, got.avg[i], want[i]);
	KUNIT_EXPECT_EQ(test, got.total_ms, total_ms);
}

static void wpool_pressure_that_never_was_on_is_0(struct kunit *test)
{
	struct wpool_pressure *p = pressure(test);

	expect(test, at(p, 0), 0, 0, 0, 0);
	set(p, 1500, false);
	expect(test, at(p, 100000000), 0, 0, 0, 0);
}

/* After t of pressure the average over T is 1 - exp(-t / T), however often it is read. */
static void wpool_pressure_rises_as_long_as_it_is_on(struct kunit *test)
{
	struct wpool_pressure *once = pressure(test), *often = pressure(test);
	int i;

	set(once, 0, true);
	set(often, 0, true);
	for (i = 1; i < 10000; i += 7) {
		set(often, i, true);
		at(often, i);
	}
	expect(test, at(once, 10000), 6321, 1535, 328, 10000);
	expect(test, at(often, 10000), 6321, 1535, 328, 10000);
	expect(test, at(once, 300000), 10000, 9933, 6321, 300000);
	expect(test, at(once, 10000000), 10000, 10000, 10000, 10000000);
}

/* The average decays while it is not read: for ten seconds, a minute, an hour, a year. */
static void wpool_pressure_decays_while_nobody_looks(struct kunit *test)
{
	struct wpool_pressure *p = pressure(test);

	set(p, 0, true);
	set(p, 10000, false);
	expect(test, at(p, 20000), 2325, 1299, 317, 10000);
	expect(test, at(p, 70000), 16, 565, 269, 10000);
	expect(test, at(p, 3600000), 0, 0, 0, 10000);
	set(p, 31536000000ULL, true);
	expect(test, at(p, 31536010000ULL), 6321, 1535, 328, 20000);
}

/* 250 ms of each second are a quarter of the time, at whatever moment of the second they are. */
static void wpool_pressure_of_a_quarter_of_the_time(struct kunit *test)
{
	struct wpool_pressure *p = pressure(test);
	u64 s;

	for (s = 0; s < 3000; s++) {
		set(p, s * 1000 + 900, true);
		set(p, s * 1000 + 1150, false);
	}
	expect(test, at(p, 3000 * 1000 + 150), 2500, 2500, 2500, 750000);
}

/* A call with an earlier time, from a CPU whose clock is behind, counts nothing. */
static void wpool_pressure_set_in_the_past_counts_nothing(struct kunit *test)
{
	struct wpool_pressure *p = pressure(test);

	set(p, 5000, true);
	set(p, 4000, false);
	set(p, 4500, true);
	expect(test, at(p, 4900), 0, 0, 0, 0);
	expect(test, at(p, 6000), 951, 165, 33, 1000);
}

WPK_SUITE(pressure,
	  KUNIT_CASE(wpool_pressure_that_never_was_on_is_0),
	  KUNIT_CASE(wpool_pressure_rises_as_long_as_it_is_on),
	  KUNIT_CASE(wpool_pressure_decays_while_nobody_looks),
	  KUNIT_CASE(wpool_pressure_of_a_quarter_of_the_time),
	  KUNIT_CASE(wpool_pressure_set_in_the_past_counts_nothing));
