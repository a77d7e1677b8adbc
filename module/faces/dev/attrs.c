// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of a pool between the ABI of /dev/wpool and the kernel API.
 *
 * Invariant: a value means the same on both sides, and what a type of the
 * kernel could not hold is refused here; ranges are the pool's business.
 */
#include "faces/dev/attrs.h"

#include <linux/bitmap.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#define CPUMASK_MAX_BYTES	1024U

#define DEV_ALL			(WPOOL_TUNE_ALL | WPOOL_DEVATTRS_CREATE)

static_assert(WPOOL_DEV_CAPACITY == WPOOL_TUNE_CAPACITY);
static_assert(WPOOL_DEV_QUEUE_DEPTH == WPOOL_TUNE_QUEUE_DEPTH);
static_assert(WPOOL_DEV_MAX_BLOCKING == WPOOL_TUNE_MAX_BLOCKING);
static_assert(WPOOL_DEV_POLICY == WPOOL_TUNE_POLICY);
static_assert(WPOOL_DEV_EXPIRY_MS == WPOOL_TUNE_EXPIRY_MS);
static_assert(WPOOL_DEV_MIN_WORKERS == WPOOL_TUNE_MIN_WORKERS);
static_assert(WPOOL_DEV_CONCURRENCY == WPOOL_TUNE_CONCURRENCY);
static_assert(WPOOL_DEV_SPIN_US == WPOOL_TUNE_SPIN_US);
static_assert(WPOOL_DEV_HOG_MS == WPOOL_TUNE_HOG_MS);
static_assert(WPOOL_DEV_HANDOFF == WPOOL_TUNE_HANDOFF);
static_assert(WPOOL_DEV_STEAL == WPOOL_TUNE_STEAL);
static_assert(WPOOL_DEV_LATENCY == WPOOL_TUNE_LATENCY);
static_assert(WPOOL_DEV_NICE == WPOOL_TUNE_NICE);
static_assert(WPOOL_DEV_CPUMASK == WPOOL_TUNE_CPUMASK);
static_assert(WPOOL_DEV_UNLIMITED == WPOOL_UNLIMITED);
static_assert(WPOOL_DEV_NAME_LEN == WPOOL_NAME_LEN);
static_assert(WPOOL_DEV_HIST_BUCKETS == WPOOL_HIST_BUCKETS);
static_assert(WPOOL_DEV_POLICY_BLOCK == (int)WPOOL_BLOCK);
static_assert(WPOOL_DEV_POLICY_FAIL == (int)WPOOL_FAIL);
static_assert(WPOOL_DEV_POLICY_RUN == (int)WPOOL_RUN);
static_assert(WPOOL_DEV_ORDER_LIFO == (int)WPOOL_LIFO);
static_assert(WPOOL_DEV_ORDER_FIFO == (int)WPOOL_FIFO);

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
	u64 *words;

	if (!cpumask_bytes_valid(dev->cpumask_bytes))
		return -EINVAL;
	words = memdup_user(u64_to_user_ptr(dev->cpumask), dev->cpumask_bytes);
	if (IS_ERR(words))
		return PTR_ERR(words);
	bits = bitmap_alloc(nr_bits, GFP_KERNEL);
	if (!bits) {
		err = -ENOMEM;
		goto out_words;
	}
	bitmap_from_arr64(bits, words, nr_bits);

	/* a CPU that cannot be is a mistake, not something to leave out */
	if (nr_bits > nr_cpu_ids &&
	    find_next_bit(bits, nr_bits, nr_cpu_ids) < nr_bits) {
		err = -EINVAL;
	} else {
		cpumask_clear(cpumask);
		bitmap_copy(cpumask_bits(cpumask), bits,
			    min(nr_bits, nr_cpu_ids));
	}
	bitmap_free(bits);
out_words:
	kfree(words);
	return err;
}

static int cpumask_to_user(const struct wpool_dev_attrs *dev,
			   const struct cpumask *cpumask)
{
	u32 nr_bits = dev->cpumask_bytes * BITS_PER_BYTE;
	unsigned long *bits;
	int err = 0;
	u64 *words;

	if (!cpumask_bytes_valid(dev->cpumask_bytes))
		return -EINVAL;
	if (nr_bits < nr_cpu_ids &&
	    find_next_bit(cpumask_bits(cpumask), nr_cpu_ids, nr_bits) < nr_cpu_ids)
		return -EINVAL;

	bits = bitmap_zalloc(nr_bits, GFP_KERNEL);
	if (!bits)
		return -ENOMEM;
	words = kzalloc(dev->cpumask_bytes, GFP_KERNEL);
	if (!words) {
		err = -ENOMEM;
		goto out_bits;
	}
	bitmap_copy(bits, cpumask_bits(cpumask), min(nr_bits, nr_cpu_ids));
	bitmap_to_arr64(words, bits, nr_bits);
	if (copy_to_user(u64_to_user_ptr(dev->cpumask), words,
			 dev->cpumask_bytes))
		err = -EFAULT;
	kfree(words);
out_bits:
	bitmap_free(bits);
	return err;
}

static bool is_bool(const struct wpool_dev_attrs *dev, u32 bit, u32 value)
{
	return !(dev->mask & bit) || value <= 1;
}

static int check(const struct wpool_dev_attrs *dev)
{
	if (dev->mask & ~DEV_ALL || dev->reserved)
		return -EOPNOTSUPP;
	if (dev->mask & WPOOL_DEV_POLICY && dev->policy > WPOOL_DEV_POLICY_RUN)
		return -EINVAL;
	if (dev->mask & WPOOL_DEV_ORDER && dev->order > WPOOL_DEV_ORDER_FIFO)
		return -EINVAL;
	if (!is_bool(dev, WPOOL_DEV_HANDOFF, dev->handoff) ||
	    !is_bool(dev, WPOOL_DEV_STEAL, dev->steal) ||
	    !is_bool(dev, WPOOL_DEV_LATENCY, dev->latency) ||
	    !is_bool(dev, WPOOL_DEV_PREALLOC, dev->prealloc))
		return -EINVAL;
	return 0;
}

int wpool_devattrs_from_user(struct wpool_attrs *attrs,
			     struct cpumask *cpumask,
			     const struct wpool_dev_attrs *dev)
{
	int err = check(dev);

	if (err)
		return err;
	if (dev->mask & WPOOL_DEV_CPUMASK) {
		err = cpumask_from_user(cpumask, dev);
		if (err)
			return err;
		attrs->cpumask = cpumask;
	}
	if (dev->mask & WPOOL_DEV_CAPACITY)
		attrs->capacity = dev->capacity;
	if (dev->mask & WPOOL_DEV_QUEUE_DEPTH)
		attrs->queue_depth = dev->queue_depth;
	if (dev->mask & WPOOL_DEV_MAX_BLOCKING)
		attrs->max_blocking = dev->max_blocking;
	if (dev->mask & WPOOL_DEV_POLICY)
		attrs->policy = dev->policy;
	if (dev->mask & WPOOL_DEV_EXPIRY_MS)
		attrs->expiry_ms = dev->expiry_ms;
	if (dev->mask & WPOOL_DEV_MIN_WORKERS)
		attrs->min_workers = dev->min_workers;
	if (dev->mask & WPOOL_DEV_CONCURRENCY)
		attrs->concurrency = dev->concurrency;
	if (dev->mask & WPOOL_DEV_SPIN_US)
		attrs->spin_us = dev->spin_us;
	if (dev->mask & WPOOL_DEV_HOG_MS)
		attrs->hog_ms = dev->hog_ms;
	if (dev->mask & WPOOL_DEV_HANDOFF)
		attrs->handoff = dev->handoff;
	if (dev->mask & WPOOL_DEV_STEAL)
		attrs->steal = dev->steal;
	if (dev->mask & WPOOL_DEV_LATENCY)
		attrs->latency = dev->latency;
	if (dev->mask & WPOOL_DEV_ORDER)
		attrs->order = dev->order;
	if (dev->mask & WPOOL_DEV_PREALLOC)
		attrs->prealloc = dev->prealloc;
	if (dev->mask & WPOOL_DEV_NICE)
		attrs->nice = dev->nice;
	return 0;
}

int wpool_devattrs_to_user(struct wpool_dev_attrs *dev,
			   const struct wpool_attrs *attrs,
			   const struct cpumask *cpumask)
{
	int err;

	if (dev->cpumask || dev->cpumask_bytes) {
		err = cpumask_to_user(dev, cpumask);
		if (err)
			return err;
	}
	*dev = (struct wpool_dev_attrs) {
		.mask = DEV_ALL,
		.capacity = attrs->capacity,
		.queue_depth = attrs->queue_depth,
		.max_blocking = attrs->max_blocking,
		.policy = attrs->policy,
		.expiry_ms = attrs->expiry_ms,
		.min_workers = attrs->min_workers,
		.concurrency = attrs->concurrency,
		.spin_us = attrs->spin_us,
		.hog_ms = attrs->hog_ms,
		.handoff = attrs->handoff,
		.steal = attrs->steal,
		.latency = attrs->latency,
		.order = attrs->order,
		.prealloc = attrs->prealloc,
		.nice = attrs->nice,
		.cpumask_bytes = dev->cpumask_bytes,
		.cpumask = dev->cpumask,
	};
	return 0;
}
