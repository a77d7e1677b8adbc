// SPDX-License-Identifier: GPL-2.0
/*
 * sysfs: what an administrator sees of a pool and may change.
 *
 * A pool is a device of class wpool; each file is one value. Every file is
 * described in Documentation/ABI/testing/sysfs-class-wpool.
 *
 *   - A store parses into a local, strictly, and then calls wpool_pool_tune() once
 *     for this attribute alone: all or nothing. Ranges are the pool's business;
 *     here is only what text can get wrong.
 *   - Text that is no value at all is -EINVAL: empty, too long, with a NUL in
 *     it, a sign where no negative number is possible. A number that is out of
 *     its range is -ERANGE.
 *   - A show takes one snapshot for its one figure. Who needs several figures
 *     of the same moment asks /dev/wpool.
 *
 * Beside wpool_pool_tune() it uses the public interface only, and takes no lock. The files go
 * with the device, which waits for whoever is inside one of these functions.
 */
#include "faces/sysfs.h"

#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/string.h>
#include <linux/wpool.h>

#include "pool/tune.h"

/* Longer than any number, word or boolean that an attribute takes. */
#define MAX_TEXT_BYTES	32

/* ---- parsing: 0 and *value set, or -errno ---------------------------------- */

/* A write of a page or more arrives cut off, so that is too long as well. */
static int check_text(const char *buf, size_t count, size_t max_bytes)
{
	if (!count || count >= max_bytes || strnlen(buf, count) != count)
		return -EINVAL;
	return 0;
}

static int parse_u32(const char *buf, size_t count, u32 *value)
{
	return check_text(buf, count, MAX_TEXT_BYTES) ?:
	       kstrtou32(buf, 10, value);
}

static int parse_int(const char *buf, size_t count, int *value)
{
	return check_text(buf, count, MAX_TEXT_BYTES) ?:
	       kstrtoint(buf, 10, value);
}

/* "max" is the only name of "no limit": its number is nobody's business. */
static int parse_limit(const char *buf, size_t count, u32 *value)
{
	int err;

	if (sysfs_streq(buf, "max")) {
		*value = WPOOL_UNLIMITED;
		return check_text(buf, count, MAX_TEXT_BYTES);
	}
	err = parse_u32(buf, count, value);
	if (err)
		return err;
	return *value == WPOOL_UNLIMITED ? -ERANGE : 0;
}

static int parse_word(const char *const *words, size_t nr_words,
		      const char *buf, size_t count)
{
	return check_text(buf, count, MAX_TEXT_BYTES) ?:
	       __sysfs_match_string(words, nr_words, buf);
}

/* kstrtobool() looks at the first letters only: it takes "nonsense" for no. */
static int parse_bool(const char *buf, size_t count, bool *value)
{
	static const char *const words[] = {
		"0", "1", "n", "y", "N", "Y", "no", "yes", "off", "on",
	};
	int index = parse_word(words, ARRAY_SIZE(words), buf, count);

	if (index < 0)
		return index;
	*value = index % 2;
	return 0;
}

static int parse_cpumask(const char *buf, size_t count, struct cpumask *mask)
{
	int err = check_text(buf, count, PAGE_SIZE) ?: cpulist_parse(buf, mask);

	if (err == -EOVERFLOW)
		return -ERANGE;
	if (err)
		return err;
	/* How far the parser itself looks depends on how masks are stored. */
	return cpumask_subset(mask, cpu_possible_mask) ? 0 : -ERANGE;
}

/* ---- helpers --------------------------------------------------------------- */

static ssize_t tune(struct device *dev, const struct wpool_attrs *attrs,
		    u32 which, size_t count)
{
	return wpool_pool_tune(dev_get_drvdata(dev), attrs, which) ?: count;
}

static ssize_t emit_limit(char *buf, u32 value)
{
	if (value == WPOOL_UNLIMITED)
		return sysfs_emit(buf, "max\n");
	return sysfs_emit(buf, "%u\n", value);
}

static ssize_t emit_u32(char *buf, u32 value)
{
	return sysfs_emit(buf, "%u\n", value);
}

static ssize_t emit_u64(char *buf, u64 value)
{
	return sysfs_emit(buf, "%llu\n", value);
}

static ssize_t emit_int(char *buf, int value)
{
	return sysfs_emit(buf, "%d\n", value);
}

static ssize_t emit_bool(char *buf, bool value)
{
	return sysfs_emit(buf, "%d\n", value);
}

/* ---- attributes that are numbers or booleans ------------------------------- */

#define SHOW_ATTR(_name, _emit)						\
static ssize_t _name##_show(struct device *dev,				\
			    struct device_attribute *attr, char *buf)	\
{									\
	struct wpool_attrs attrs;					\
									\
	wpool_get_attrs(dev_get_drvdata(dev), &attrs, NULL);		\
	return _emit(buf, attrs._name);					\
}

#define STORE_ATTR(_name, _NAME, _parse)				\
static ssize_t _name##_store(struct device *dev,			\
			     struct device_attribute *attr,		\
			     const char *buf, size_t count)		\
{									\
	struct wpool_attrs attrs = {};					\
	int err = _parse(buf, count, &attrs._name);			\
									\
	return err ?: tune(dev, &attrs, WPOOL_TUNE_##_NAME, count);	\
}

SHOW_ATTR(capacity, emit_limit)
STORE_ATTR(capacity, CAPACITY, parse_limit)
static DEVICE_ATTR_RW(capacity);

SHOW_ATTR(queue_depth, emit_limit)
STORE_ATTR(queue_depth, QUEUE_DEPTH, parse_limit)
static DEVICE_ATTR_RW(queue_depth);

SHOW_ATTR(max_blocking, emit_u32)
STORE_ATTR(max_blocking, MAX_BLOCKING, parse_u32)
static DEVICE_ATTR_RW(max_blocking);

SHOW_ATTR(expiry_ms, emit_u32)
STORE_ATTR(expiry_ms, EXPIRY_MS, parse_u32)
static DEVICE_ATTR_RW(expiry_ms);

SHOW_ATTR(min_workers, emit_u32)
STORE_ATTR(min_workers, MIN_WORKERS, parse_u32)
static DEVICE_ATTR_RW(min_workers);

SHOW_ATTR(concurrency, emit_u32)
STORE_ATTR(concurrency, CONCURRENCY, parse_u32)
static DEVICE_ATTR_RW(concurrency);

SHOW_ATTR(spin_us, emit_u32)
STORE_ATTR(spin_us, SPIN_US, parse_u32)
static DEVICE_ATTR_RW(spin_us);

SHOW_ATTR(hog_ms, emit_u32)
STORE_ATTR(hog_ms, HOG_MS, parse_u32)
static DEVICE_ATTR_RW(hog_ms);

SHOW_ATTR(handoff, emit_bool)
STORE_ATTR(handoff, HANDOFF, parse_bool)
static DEVICE_ATTR_RW(handoff);

SHOW_ATTR(steal, emit_bool)
STORE_ATTR(steal, STEAL, parse_bool)
static DEVICE_ATTR_RW(steal);

SHOW_ATTR(latency, emit_bool)
STORE_ATTR(latency, LATENCY, parse_bool)
static DEVICE_ATTR_RW(latency);

SHOW_ATTR(nice, emit_int)
STORE_ATTR(nice, NICE, parse_int)
static DEVICE_ATTR_RW(nice);

SHOW_ATTR(prealloc, emit_bool)
static DEVICE_ATTR_RO(prealloc);

/* ---- attributes that are words or sets ------------------------------------- */

/*
 * An administrator chooses among the first two only: a driver must be able to
 * rely on it that no task runs under its own locks.
 */
static const char *const policies[] = {
	[WPOOL_BLOCK] = "block",
	[WPOOL_FAIL] = "fail",
	[WPOOL_RUN] = "run",
};

#define NR_TUNABLE_POLICIES	2

static ssize_t policy_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	struct wpool_attrs attrs;

	wpool_get_attrs(dev_get_drvdata(dev), &attrs, NULL);
	return sysfs_emit(buf, "%s\n", policies[attrs.policy]);
}

static ssize_t policy_store(struct device *dev, struct device_attribute *attr,
			    const char *buf, size_t count)
{
	int index = parse_word(policies, NR_TUNABLE_POLICIES, buf, count);
	struct wpool_attrs attrs = { .policy = index };

	if (index < 0)
		return index;
	return tune(dev, &attrs, WPOOL_TUNE_POLICY, count);
}
static DEVICE_ATTR_RW(policy);

static ssize_t order_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	static const char *const orders[] = {
		[WPOOL_LIFO] = "lifo",
		[WPOOL_FIFO] = "fifo",
	};
	struct wpool_attrs attrs;

	wpool_get_attrs(dev_get_drvdata(dev), &attrs, NULL);
	return sysfs_emit(buf, "%s\n", orders[attrs.order]);
}
static DEVICE_ATTR_RO(order);

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	struct wpool_attrs attrs;
	cpumask_var_t mask;
	ssize_t len;

	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	wpool_get_attrs(dev_get_drvdata(dev), &attrs, mask);
	len = sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(mask));
	free_cpumask_var(mask);
	return len;
}

static ssize_t cpumask_store(struct device *dev, struct device_attribute *attr,
			     const char *buf, size_t count)
{
	struct wpool_attrs attrs = {};
	cpumask_var_t mask;
	ssize_t ret;

	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	attrs.cpumask = mask;
	ret = parse_cpumask(buf, count, mask) ?:
	      tune(dev, &attrs, WPOOL_TUNE_CPUMASK, count);
	free_cpumask_var(mask);
	return ret;
}
static DEVICE_ATTR_RW(cpumask);

/* ---- figures --------------------------------------------------------------- */

#define SHOW_STAT(_name, _emit)						\
static ssize_t _name##_show(struct device *dev,				\
			    struct device_attribute *attr, char *buf)	\
{									\
	struct wpool_stats stats;					\
									\
	wpool_get_stats(dev_get_drvdata(dev), &stats);			\
	return _emit(buf, stats._name);					\
}

static ssize_t emit_state(char *buf, enum wpool_state state)
{
	static const char *const states[] = {
		[WPOOL_OPEN] = "open",
		[WPOOL_CLOSED] = "closed",
		[WPOOL_DESTROYED] = "destroyed",
	};

	return sysfs_emit(buf, "%s\n", states[state]);
}

SHOW_STAT(state, emit_state)
static DEVICE_ATTR_RO(state);

SHOW_STAT(workers, emit_u32)
static DEVICE_ATTR_RO(workers);

SHOW_STAT(idle, emit_u32)
static DEVICE_ATTR_RO(idle);

SHOW_STAT(searching, emit_u32)
static DEVICE_ATTR_RO(searching);

SHOW_STAT(busy, emit_u32)
static DEVICE_ATTR_RO(busy);

SHOW_STAT(blocked, emit_u32)
static DEVICE_ATTR_RO(blocked);

SHOW_STAT(waiting, emit_u32)
static DEVICE_ATTR_RO(waiting);

SHOW_STAT(queued, emit_u32)
static DEVICE_ATTR_RO(queued);

SHOW_STAT(free, emit_limit)
static DEVICE_ATTR_RO(free);

SHOW_STAT(outstanding, emit_u64)
static DEVICE_ATTR_RO(outstanding);

SHOW_STAT(submitted, emit_u64)
static DEVICE_ATTR_RO(submitted);

SHOW_STAT(completed, emit_u64)
static DEVICE_ATTR_RO(completed);

SHOW_STAT(failed, emit_u64)
static DEVICE_ATTR_RO(failed);

SHOW_STAT(cancelled, emit_u64)
static DEVICE_ATTR_RO(cancelled);

SHOW_STAT(refused, emit_u64)
static DEVICE_ATTR_RO(refused);

SHOW_STAT(stolen, emit_u64)
static DEVICE_ATTR_RO(stolen);

SHOW_STAT(handoffs, emit_u64)
static DEVICE_ATTR_RO(handoffs);

SHOW_STAT(hogs, emit_u64)
static DEVICE_ATTR_RO(hogs);

SHOW_STAT(spawned, emit_u64)
static DEVICE_ATTR_RO(spawned);

SHOW_STAT(expired, emit_u64)
static DEVICE_ATTR_RO(expired);

SHOW_STAT(faults, emit_u64)
static DEVICE_ATTR_RO(faults);

static struct attribute *wpool_sysfs_attrs[] = {
	/* tunable */
	&dev_attr_capacity.attr,
	&dev_attr_queue_depth.attr,
	&dev_attr_max_blocking.attr,
	&dev_attr_policy.attr,
	&dev_attr_expiry_ms.attr,
	&dev_attr_min_workers.attr,
	&dev_attr_concurrency.attr,
	&dev_attr_spin_us.attr,
	&dev_attr_hog_ms.attr,
	&dev_attr_handoff.attr,
	&dev_attr_steal.attr,
	&dev_attr_latency.attr,
	&dev_attr_cpumask.attr,
	&dev_attr_nice.attr,
	/* fixed at creation */
	&dev_attr_order.attr,
	&dev_attr_prealloc.attr,
	/* figures */
	&dev_attr_state.attr,
	&dev_attr_workers.attr,
	&dev_attr_idle.attr,
	&dev_attr_searching.attr,
	&dev_attr_busy.attr,
	&dev_attr_blocked.attr,
	&dev_attr_waiting.attr,
	&dev_attr_queued.attr,
	&dev_attr_free.attr,
	&dev_attr_outstanding.attr,
	&dev_attr_submitted.attr,
	&dev_attr_completed.attr,
	&dev_attr_failed.attr,
	&dev_attr_cancelled.attr,
	&dev_attr_refused.attr,
	&dev_attr_stolen.attr,
	&dev_attr_handoffs.attr,
	&dev_attr_hogs.attr,
	&dev_attr_spawned.attr,
	&dev_attr_expired.attr,
	&dev_attr_faults.attr,
	NULL,
};

static const struct attribute_group wpool_sysfs_group = {
	.attrs = wpool_sysfs_attrs,
};

const struct attribute_group *wpool_sysfs_groups[] = {
	&wpool_sysfs_group,
	NULL,
};
