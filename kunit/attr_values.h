/* SPDX-License-Identifier: GPL-2.0 */
/* The attributes of a pool: the default, another valid value, and invalid values of each. */
#ifndef WPOOL_KUNIT_ATTR_VALUES_H
#define WPOOL_KUNIT_ATTR_VALUES_H

#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/stddef.h>
#include <linux/wpool.h>

/* Bit for the attributes that are fixed at creation; wpool_tune() knows no such bit. */
#define WPK_FIXED	BIT(31)

/* An attribute, its default @fresh, and @other, which is valid with all values of the rest. */
struct wpk_value {
	const char *name;
	u32 bit;	/* WPOOL_TUNE_*, or WPK_FIXED */
	size_t at;	/* offset in struct wpool_attrs */
	bool is_flag;	/* a bool; others have 32 bits */
	int fresh;
	int other;
};

#define WPK_VALUE(member, bit, fresh, other)						\
	{ #member, bit, offsetof(struct wpool_attrs, member), false, fresh, other }
#define WPK_FLAG(member, bit, fresh, other)						\
	{ #member, bit, offsetof(struct wpool_attrs, member), true, fresh, other }

static const struct wpk_value wpk_values[] = {
	WPK_VALUE(capacity, WPOOL_TUNE_CAPACITY, 256, 9),
	WPK_VALUE(capacity_per_cpu, WPOOL_TUNE_CAPACITY_PER_CPU, 0, 0),
	WPK_VALUE(queue_depth, WPOOL_TUNE_QUEUE_DEPTH, 0, 10),
	WPK_VALUE(max_blocking, WPOOL_TUNE_MAX_BLOCKING, 0, 11),
	WPK_VALUE(policy, WPOOL_TUNE_POLICY, WPOOL_BLOCK, WPOOL_FAIL),
	WPK_VALUE(expiry_ms, WPOOL_TUNE_EXPIRY_MS, 1000, 12000),
	WPK_VALUE(min_workers, WPOOL_TUNE_MIN_WORKERS, 1, 2),
	WPK_VALUE(concurrency, WPOOL_TUNE_CONCURRENCY, 1, 3),
	WPK_VALUE(spin_us, WPOOL_TUNE_SPIN_US, 20, 4),
	WPK_VALUE(hog_ms, WPOOL_TUNE_HOG_MS, 10, 5),
	WPK_VALUE(max_wait_ms, WPOOL_TUNE_MAX_WAIT_MS, 0, 13000),
	WPK_FLAG(handoff, WPOOL_TUNE_HANDOFF, true, false),
	WPK_FLAG(latency, WPOOL_TUNE_LATENCY, false, true),
	WPK_FLAG(freezable, WPOOL_TUNE_FREEZABLE, false, true),
	WPK_FLAG(reclaim, WPOOL_TUNE_RECLAIM, false, true),
	WPK_VALUE(nice, WPOOL_TUNE_NICE, 0, -9),
	WPK_VALUE(sched, WPOOL_TUNE_SCHED, WPOOL_SCHED_NORMAL, 7),
	WPK_VALUE(order, WPK_FIXED, WPOOL_LIFO, WPOOL_FIFO),
	WPK_FLAG(prealloc, WPK_FIXED, false, false),
};

static void wpk_set_others(struct wpool_attrs *attrs)
{
	const struct wpk_value *v;

	wpool_attrs_init(attrs);
	for (v = wpk_values; v < wpk_values + ARRAY_SIZE(wpk_values); v++) {
		if (v->is_flag)
			*((bool *)attrs + v->at) = v->other;
		else
			*(int *)((char *)attrs + v->at) = v->other;
	}
}

/* Expect that the attributes in @others have their other values, and the rest their defaults. */
static void wpk_expect_values(struct kunit *test, const struct wpool_attrs *attrs, u32 others)
{
	const struct wpk_value *v;
	int value;

	for (v = wpk_values; v < wpk_values + ARRAY_SIZE(wpk_values); v++) {
		if (v->is_flag)
			value = *((const bool *)attrs + v->at);
		else
			value = *(const int *)((const char *)attrs + v->at);
		KUNIT_EXPECT_EQ_MSG(test, value, v->bit & others ? v->other : v->fresh, "%s",
				    v->name);
	}
}

/* @value is refused with @ret if all other attributes have their defaults. */
struct wpk_bad {
	u32 mask;
	size_t at;	/* offset of a member of 32 bits */
	u32 value;
	int ret;
	const char *desc;
};

#define WPK_BAD(bit, member, value, ret, desc)						\
	{ bit, offsetof(struct wpool_attrs, member), value, ret, #member " " desc }
#define WPK_TUNE(bit, member, value, ret, desc)						\
	WPK_BAD(WPOOL_TUNE_##bit, member, value, ret, desc)

static const struct wpk_bad wpk_bads[] = {
	WPK_TUNE(CAPACITY, capacity, 0, -EINVAL, "0"),
	WPK_TUNE(CAPACITY, capacity, WPOOL_MAX_CAPACITY + 1, -ERANGE, "too large"),
	WPK_TUNE(CAPACITY, capacity, WPOOL_UNLIMITED - 1, -ERANGE, "below unlimited"),
	WPK_TUNE(CAPACITY_PER_CPU, capacity_per_cpu, WPOOL_MAX_CAPACITY + 1, -ERANGE, "too large"),
	WPK_TUNE(CAPACITY_PER_CPU, capacity_per_cpu, WPOOL_UNLIMITED, -ERANGE, "unlimited"),
	WPK_TUNE(QUEUE_DEPTH, queue_depth, WPOOL_MAX_QUEUE_DEPTH + 1, -ERANGE, "too large"),
	WPK_TUNE(QUEUE_DEPTH, queue_depth, WPOOL_UNLIMITED - 1, -ERANGE, "below unlimited"),
	WPK_TUNE(MAX_BLOCKING, max_blocking, WPOOL_MAX_BLOCKING + 1, -ERANGE, "too large"),
	WPK_TUNE(POLICY, policy, WPOOL_DROP_OLDEST + 1, -EINVAL, "no such"),
	WPK_TUNE(POLICY, policy, -1, -EINVAL, "-1"),
	WPK_TUNE(EXPIRY_MS, expiry_ms, WPOOL_MAX_EXPIRY_MS + 1, -ERANGE, "too large"),
	WPK_TUNE(EXPIRY_MS, expiry_ms, -1, -ERANGE, "-1"),
	WPK_TUNE(MIN_WORKERS, min_workers, 257, -EINVAL, "above capacity"),
	WPK_TUNE(CONCURRENCY, concurrency, 0, -ERANGE, "0"),
	WPK_TUNE(CONCURRENCY, concurrency, WPOOL_MAX_CONCURRENCY + 1, -ERANGE, "too large"),
	WPK_TUNE(SPIN_US, spin_us, WPOOL_MAX_SPIN_US + 1, -ERANGE, "too large"),
	WPK_TUNE(HOG_MS, hog_ms, 0, -ERANGE, "0"),
	WPK_TUNE(HOG_MS, hog_ms, WPOOL_MAX_HOG_MS + 1, -ERANGE, "too large"),
	WPK_TUNE(MAX_WAIT_MS, max_wait_ms, WPOOL_MAX_WAIT_MS + 1, -ERANGE, "too large"),
	WPK_TUNE(SCHED, sched, WPOOL_MAX_PRIORITY + 1, -ERANGE, "too high"),
	WPK_TUNE(SCHED, sched, -1, -ERANGE, "-1"),
	WPK_TUNE(NICE, nice, -21, -ERANGE, "too low"),
	WPK_TUNE(NICE, nice, 20, -ERANGE, "too high"),
	WPK_BAD(WPK_FIXED, order, WPOOL_FIFO + 1, -EINVAL, "no such"),
};

KUNIT_ARRAY_PARAM_DESC(wpk_bad, wpk_bads, desc);

#endif /* WPOOL_KUNIT_ATTR_VALUES_H */
