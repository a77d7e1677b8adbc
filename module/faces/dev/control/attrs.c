// SPDX-License-Identifier: GPL-2.0
/*
 * Convert attributes of a pool between the ABI of /dev/wpool and the kernel API.
 *
 * A value means the same on both sides. This file refuses a value that the kernel's type cannot
 * hold; the pool checks ranges.
 */
#include "faces/dev/control/attrs.h"

#include <linux/bitmap.h>
#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "pool/attrs.h"

#define CPUMASK_MAX_BYTES	1024U

static_assert(WPOOL_DEV_ALL == (WPOOL_TUNE_ALL | WPOOL_CREATE_ORDER | WPOOL_CREATE_PREALLOC));

/*
 * Offsets of the attributes in struct wpool_dev_attrs, in the order of attr_table.h. Each attribute
 * is 32 bits wide. Its WPOOL_DEV_* bit is that of the kernel API.
 */
static const size_t places[] = {
#define WPOOL_ATTR(_name, _when, _NAME, ...)					\
	(offsetof(struct wpool_dev_attrs, _name) +				\
	 BUILD_BUG_ON_ZERO(WPOOL_DEV_##_NAME ^ WPOOL_##_when##_##_NAME)),
#include "pool/attr_table.h"
};

/* an array of __u64 is a bitmap */
static_assert(sizeof(unsigned long) == sizeof(u64));
static_assert(WPOOL_DEV_CPUMASK == WPOOL_TUNE_CPUMASK);
static_assert(WPOOL_DEV_UNLIMITED == WPOOL_UNLIMITED);
static_assert(WPOOL_DEV_NAME_LEN == WPOOL_NAME_LEN);
static_assert(WPOOL_DEV_POLICY_BLOCK == (int)WPOOL_BLOCK);
static_assert(WPOOL_DEV_POLICY_FAIL == (int)WPOOL_FAIL);
static_assert(WPOOL_DEV_POLICY_RUN == (int)WPOOL_RUN);
static_assert(WPOOL_DEV_POLICY_DROP_OLDEST == (int)WPOOL_DROP_OLDEST);
static_assert(WPOOL_DEV_ORDER_LIFO == (int)WPOOL_LIFO);
static_assert(WPOOL_DEV_ORDER_FIFO == (int)WPOOL_FIFO);
static_assert(WPOOL_DEV_SCHED_NORMAL == (int)WPOOL_SCHED_NORMAL);
static_assert(WPOOL_DEV_SCHED_FIFO_LOW == (int)WPOOL_SCHED_FIFO_LOW);
static_assert(WPOOL_DEV_SCHED_FIFO == (int)WPOOL_SCHED_FIFO);

static bool cpumask_bytes_valid(u32 bytes)
{
	return bytes >= sizeof(u64) && bytes <= CPUMASK_MAX_BYTES &&
	       bytes % sizeof(u64) == 0;
}

static int cpumask_from_user(struct cpumask *cpumask,
			     const struct wpool_dev_attrs *dev)
{
	u32 nr_bits = dev->cpumask_bytes * BITS_PER_BYTE;
	unsigned long *bits;
	int err = 0;

	if (!cpumask_bytes_valid(dev->cpumask_bytes))
		return -EINVAL;
	bits = memdup_user(u64_to_user_ptr(dev->cpumask), dev->cpumask_bytes);
	if (IS_ERR(bits))
		return PTR_ERR(bits);

	cpumask_clear(cpumask);
	bitmap_copy(cpumask_bits(cpumask), bits, min(nr_bits, nr_cpu_ids));
	/* a CPU that cannot exist is a mistake, so it is not ignored */
	if (!cpumask_subset(cpumask, cpu_possible_mask) ||
	    (nr_bits > nr_cpu_ids && find_next_bit(bits, nr_bits, nr_cpu_ids) < nr_bits))
		err = -EINVAL;
	kfree(bits);
	return err;
}

static int cpumask_to_user(const struct wpool_dev_attrs *dev,
			   const struct cpumask *cpumask)
{
	u32 nr_bits = dev->cpumask_bytes * BITS_PER_BYTE;
	unsigned long *bits;
	int err = 0;

	if (!cpumask_bytes_valid(dev->cpumask_bytes))
		return -EINVAL;
	if (nr_bits < nr_cpu_ids &&
	    find_next_bit(cpumask_bits(cpumask), nr_cpu_ids, nr_bits) < nr_cpu_ids)
		return -EINVAL;

	bits = bitmap_zalloc(nr_bits, GFP_KERNEL);
	if (!bits)
		return -ENOMEM;
	bitmap_copy(bits, cpumask_bits(cpumask), min(nr_bits, nr_cpu_ids));
	if (copy_to_user(u64_to_user_ptr(dev->cpumask), bits, dev->cpumask_bytes))
		err = -EFAULT;
	bitmap_free(bits);
	return err;
}

/* Is anything set but the mask, the cpumask and attributes: a reserved field? */
static bool has_reserved(const struct wpool_dev_attrs *dev)
{
	struct wpool_dev_attrs rest = *dev;

	rest.mask = 0;
	rest.cpumask_bytes = 0;
	rest.cpumask = 0;
#define WPOOL_ATTR(_name, ...)	{ rest._name = 0; }
#include "pool/attr_table.h"
	return memchr_inv(&rest, 0, sizeof(rest));
}

int wpool_devattrs_from_user(struct wpool_attrs *attrs,
			     struct cpumask *cpumask,
			     const struct wpool_dev_attrs *dev)
{
	const struct wpool_attr *attr;
	u32 value, i;

	if (dev->mask & ~WPOOL_DEV_ALL || has_reserved(dev))
		return -EOPNOTSUPP;
	for (i = 0; i < WPOOL_NR_ATTRS; i++) {
		attr = &wpool_attr_table[i];
		value = *(const u32 *)((const char *)dev + places[i]);
		if (!(dev->mask & attr->bit))
			continue;
		if ((attr->type == WPOOL_ATTR_BOOL || attr->type == WPOOL_ATTR_WORD) &&
		    value > attr->max)
			return -EINVAL;
		wpool_attr_set(attrs, attr, value);
	}
	/* refuse both capacities together: wpool_create() cannot see which of them was given */
	if (dev->mask & WPOOL_DEV_CAPACITY && dev->mask & WPOOL_DEV_CAPACITY_PER_CPU &&
	    dev->capacity_per_cpu)
		return -EINVAL;
	if (!(dev->mask & WPOOL_DEV_CPUMASK))
		return 0;
	attrs->cpumask = cpumask;
	return cpumask_from_user(cpumask, dev);
}

int wpool_devattrs_to_user(struct wpool_dev_attrs *dev,
			   const struct wpool_attrs *attrs,
			   const struct cpumask *cpumask)
{
	u32 i;
	int err;

	if (dev->cpumask || dev->cpumask_bytes) {
		err = cpumask_to_user(dev, cpumask);
		if (err)
			return err;
	}
	*dev = (struct wpool_dev_attrs) {
		.mask = WPOOL_DEV_ALL,
		.cpumask = dev->cpumask,
		.cpumask_bytes = dev->cpumask_bytes,
	};
	for (i = 0; i < WPOOL_NR_ATTRS; i++)
		*(u32 *)((char *)dev + places[i]) = wpool_attr_get(attrs, &wpool_attr_table[i]);
	return 0;
}
