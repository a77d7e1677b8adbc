/* SPDX-License-Identifier: GPL-2.0 */
/* The attributes of a pool: the default, another valid value, and invalid values of each. */
#ifndef WPOOL_KUNIT_ATTR_VALUES_H
#define WPOOL_KUNIT_ATTR_VALUES_H

#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/stddef.h>
#include <linux/wpool.h>

#include "pool/attrs.h"

/* Bit for the attributes that are fixed at creation; wpool_tune() knows no such bit. */
#define WPK_FIXED	BIT(31)

#define WPK_BIT_TUNE(NAME)	WPOOL_TUNE_##NAME
#define WPK_BIT_CREATE(...)	WPK_FIXED

/*
 * A valid value that is not the default. Those of all attributes go together, and no two numbers
 * are the same. Two attributes exclude a capacity, so they keep their default.
 */
static int wpk_other(int index, int min, int max, int preset)
{
	if (index == WPOOL_ATTR_INDEX_capacity_per_cpu || index == WPOOL_ATTR_INDEX_prealloc)
		return preset;
	/* a word or a flag */
	if (max - min < 4)
		return !preset;
	return min < 0 ? -index : 30 - index;
}

static void wpk_set_others(struct wpool_attrs *attrs)
{
	wpool_attrs_init(attrs);
#define WPOOL_ATTR(_name, _when, _NAME, _type, _min, _max, _preset, ...)		\
	attrs->_name = wpk_other(WPOOL_ATTR_INDEX_##_name, _min, _max, _preset);
#include "pool/attr_table.h"
}

/* Expect that the attributes in @others have their other values, and the rest their defaults. */
static void wpk_expect_values(struct kunit *test, const struct wpool_attrs *attrs, u32 others)
{
#define WPOOL_ATTR(_name, _when, _NAME, _type, _min, _max, _preset, ...)		\
	KUNIT_EXPECT_EQ_MSG(test, (int)attrs->_name, !(WPK_BIT_##_when(_NAME) & others) ?	\
			    (int)(_preset) : wpk_other(WPOOL_ATTR_INDEX_##_name, _min, _max,	\
						       _preset), #_name);
#include "pool/attr_table.h"
}

/* @value is refused with @ret if all other attributes have their defaults. */
struct wpk_bad {
	u32 mask;
	size_t at;	/* offset of a member of 32 bits */
	u32 value;
	int ret;
	const char *desc;
};

#define WPK_BAD(when, NAME, member, value, ret, desc)					\
	{ WPK_BIT_##when(NAME), offsetof(struct wpool_attrs, member), value, ret,	\
	  #member " " desc },
#define WPK_BADS(when, NAME, member, low, high, ret)					\
	WPK_BAD(when, NAME, member, low, ret, "too small")				\
	WPK_BAD(when, NAME, member, high, ret, "too large")

/* The bad values of each type. A flag has none. */
#define WPK_BADS_NUMBER(when, NAME, member, min, max)					\
	WPK_BADS(when, NAME, member, (min) - 1, (max) + 1, -ERANGE)
#define WPK_BADS_INT		WPK_BADS_NUMBER
#define WPK_BADS_CLASS		WPK_BADS_NUMBER
#define WPK_BADS_LIMIT(when, NAME, member, min, max)					\
	WPK_BAD(when, NAME, member, (max) + 1, -ERANGE, "too large")			\
	WPK_BAD(when, NAME, member, WPOOL_UNLIMITED - 1, -ERANGE, "below unlimited")
#define WPK_BADS_WORD(when, NAME, member, min, max)					\
	WPK_BADS(when, NAME, member, (min) - 1, (max) + 1, -EINVAL)
#define WPK_BADS_BOOL(...)

static const struct wpk_bad wpk_bads[] = {
#define WPOOL_ATTR(_name, _when, _NAME, _type, _min, _max, ...)				\
	WPK_BADS_##_type(_when, _NAME, _name, _min, _max)
#include "pool/attr_table.h"
	WPK_BAD(TUNE, CAPACITY, capacity, 0, -EINVAL, "0")
	WPK_BAD(TUNE, MIN_WORKERS, min_workers, 257, -EINVAL, "above capacity")
};

KUNIT_ARRAY_PARAM_DESC(wpk_bad, wpk_bads, desc);

#endif /* WPOOL_KUNIT_ATTR_VALUES_H */
