// SPDX-License-Identifier: GPL-2.0
/*
 * sysfs: what an administrator sees of a pool and may change.
 *
 * A pool is a device of class wpool; each file is one value, except histogram and pressure.
 * Documentation/ABI/testing/sysfs-class-wpool describes every file.
 *
 *   - The store of an attribute parses the text, checks the range, and then calls
 *     wpool_pool_tune() once.
 *   - -EINVAL: text that is no value at all. It is empty, too long, has a NUL in it, or a minus
 *     sign where no negative number is possible. -ERANGE: a number that is out of its range.
 *   - A show takes a snapshot for one figure. /dev/wpool returns several figures of one moment.
 *
 * This file takes no lock. The files end with the device, whose removal waits for the threads that
 * are inside these functions.
 */
#include "faces/sysfs.h"

#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wpool.h>
#include <linux/wpool_stats.h>

#include "compat.h"
#include "pool/attrs.h"
#include "pool/stats.h"
#include "pool/tune.h"
#include "workers/cgroup.h"

/* Longer than any number, word or boolean that an attribute takes. */
#define MAX_TEXT_BYTES	32

/* ---- parsing: set *value and return 0, or return -errno -------------------- */

/* sysfs cuts a write off at a page, so a write of a page is too long as well. */
static int check_text(const char *buf, size_t count, size_t max_bytes)
{
	if (!count || count >= max_bytes || strnlen(buf, count) != count)
		return -EINVAL;
	return 0;
}

/* If no number may be negative, a minus sign is no part of a number. */
static int parse_number(const char *buf, s64 least, s64 most, s64 *value)
{
	int err = least >= 0 && *buf == '-' ? -EINVAL : kstrtoll(buf, 10, value);

	if (err)
		return err;
	return *value < least || *value > most ? -ERANGE : 0;
}

/* @words ends with NULL, or has @nr_words entries. */
static int parse_word(const char *const *words, size_t nr_words, const char *buf, s64 *value)
{
	*value = __sysfs_match_string(words, nr_words, buf);
	return *value < 0 ? *value : 0;
}

/* A number, or a word for no limit; the number that represents no limit is refused. */
static int parse_limit(const char *buf, s64 *value)
{
	static const char *const words[] = { WPOOL_NO_LIMIT_WORDS };

	if (!parse_word(words, ARRAY_SIZE(words), buf, value)) {
		*value = WPOOL_UNLIMITED;
		return 0;
	}
	return parse_number(buf, 0, WPOOL_UNLIMITED - 1, value);
}

/* Not kstrtobool(), which reads only the first letters, and takes "nonsense" for no. */
static int parse_bool(const char *buf, s64 *value)
{
	static const char *const words[] = { WPOOL_BOOL_WORDS };
	int err = parse_word(words, ARRAY_SIZE(words), buf, value);

	*value %= 2;
	return err;
}

/* The classes that have a word, in the order of attr->words. */
static const u32 class_of_word[] = {
	WPOOL_SCHED_NORMAL, WPOOL_SCHED_FIFO_LOW, WPOOL_SCHED_FIFO,
};

/* A word, or "fifo:" and a priority. The priority 0 is refused: it is another class. */
static int parse_class(const struct wpool_attr *attr, const char *buf, s64 *value)
{
	const char *number = buf + strlen("fifo:");
	int err;

	if (strncmp(buf, "fifo:", number - buf)) {
		err = parse_word(attr->words, ARRAY_SIZE(class_of_word), buf, value);
		*value = err ? 0 : class_of_word[*value];
		return err;
	}
	/* a priority has no sign */
	if (!isdigit(*number))
		return -EINVAL;
	return parse_number(number, 1, U32_MAX, value);
}

/*
 * An administrator must not choose policy "run": then a task could run under the locks of the
 * driver that submits it.
 */
static int parse_attr(const struct wpool_attr *attr, const char *buf, size_t count, s64 *value)
{
	int err = check_text(buf, count, MAX_TEXT_BYTES);

	if (err)
		return err;
	switch (attr->type) {
	case WPOOL_ATTR_LIMIT:
		return parse_limit(buf, value);
	case WPOOL_ATTR_INT:
		return parse_number(buf, INT_MIN, INT_MAX, value);
	case WPOOL_ATTR_BOOL:
		return parse_bool(buf, value);
	case WPOOL_ATTR_WORD:
		err = parse_word(attr->words, ARRAY_SIZE(attr->words), buf, value);
		return attr->bit == WPOOL_TUNE_POLICY && *value == WPOOL_RUN ? -EINVAL : err;
	case WPOOL_ATTR_CLASS:
		return parse_class(attr, buf, value);
	default:
		return parse_number(buf, 0, U32_MAX, value);
	}
}

static int parse_cpumask(const char *buf, size_t count, struct cpumask *mask)
{
	int err = check_text(buf, count, PAGE_SIZE) ?: cpulist_parse(buf, mask);

	if (err == -EOVERFLOW)
		return -ERANGE;
	if (err)
		return err;
	/* cpulist_parse() may accept CPUs that are not possible, up to NR_CPUS. */
	return cpumask_subset(mask, cpu_possible_mask) ? 0 : -ERANGE;
}

static ssize_t sysfs_tune(struct device *dev, const struct wpool_attrs *attrs,
			  u32 which, size_t count)
{
	return wpool_pool_tune(dev_get_drvdata(dev), attrs, which) ?: count;
}

static ssize_t emit_number(char *buf, u64 value)
{
	return sysfs_emit(buf, "%llu\n", value);
}

static ssize_t emit_limit(char *buf, u64 value)
{
	return value == WPOOL_UNLIMITED ? sysfs_emit(buf, "max\n") : emit_number(buf, value);
}

static ssize_t emit_class(const struct wpool_attr *attr, char *buf, u32 class)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(class_of_word); i++)
		if (class_of_word[i] == class)
			return sysfs_emit(buf, "%s\n", attr->words[i]);
	return sysfs_emit(buf, "fifo:%u\n", class);
}

/* ---- attributes that are values -------------------------------------------- */

static const struct wpool_attr *find_attr(const char *name)
{
	const struct wpool_attr *attr = wpool_attr_table;

	while (strcmp(attr->name, name))
		attr++;
	return attr;
}

int wpool_sysfs_parse(const char *name, const char *buf, size_t count, struct wpool_attrs *attrs)
{
	const struct wpool_attr *attr = find_attr(name);
	s64 value;
	int err = parse_attr(attr, buf, count, &value);

	if (err)
		return err;
	wpool_attr_set(attrs, attr, value);
	return wpool_attrs_check(attrs, attr->bit, NULL);
}

ssize_t wpool_sysfs_emit(const char *name, char *buf, const struct wpool_attrs *attrs)
{
	const struct wpool_attr *attr = find_attr(name);
	s64 value = wpool_attr_get(attrs, attr);

	switch (attr->type) {
	case WPOOL_ATTR_LIMIT:
		return emit_limit(buf, value);
	case WPOOL_ATTR_WORD:
		return sysfs_emit(buf, "%s\n", attr->words[value]);
	case WPOOL_ATTR_CLASS:
		return emit_class(attr, buf, value);
	default:
		return sysfs_emit(buf, "%lld\n", value);
	}
}

static ssize_t attr_show(struct device *dev, struct device_attribute *file, char *buf)
{
	struct wpool_attrs attrs;

	wpool_get_attrs(dev_get_drvdata(dev), &attrs, NULL);
	return wpool_sysfs_emit(file->attr.name, buf, &attrs);
}

static ssize_t attr_store(struct device *dev, struct device_attribute *file, const char *buf,
			  size_t count)
{
	struct wpool_attrs attrs = {};

	return wpool_sysfs_parse(file->attr.name, buf, count, &attrs) ?:
	       sysfs_tune(dev, &attrs, find_attr(file->attr.name)->bit, count);
}

#define MODE_TUNE	0644
#define MODE_CREATE	0444
#define VALUE_FILE(_name, _mode) \
	(&((struct device_attribute)__ATTR(_name, _mode, attr_show, attr_store)).attr)

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
	      sysfs_tune(dev, &attrs, WPOOL_TUNE_CPUMASK, count);
	free_cpumask_var(mask);
	return ret;
}
static DEVICE_ATTR_RW(cpumask);

/* ---- figures --------------------------------------------------------------- */

/* A field of struct wpool_stats. */
struct figure {
	struct device_attribute file;
	ssize_t (*emit)(char *buf, u64 value);
	u8 at, bytes;	/* offset and size of the field */
};

static ssize_t emit_int(char *buf, u64 value)
{
	return sysfs_emit(buf, "%d\n", (int)value);
}

static ssize_t emit_state(char *buf, u64 value)
{
	return sysfs_emit(buf, "%s\n", wpool_state_name(value));
}

static ssize_t figure_show(struct device *dev, struct device_attribute *file, char *buf)
{
	const struct figure *figure = container_of(file, struct figure, file);
	struct wpool_stats stats;
	const void *field = (const char *)&stats + figure->at;

	wpool_get_stats(dev_get_drvdata(dev), &stats);
	return figure->emit(buf, figure->bytes == sizeof(u64) ? *(const u64 *)field :
								*(const u32 *)field);
}

/* With "...", checkpatch does not warn that _name is used more than once. */
#define FIGURE(_emit, _name...)						\
	(&((struct figure){						\
		.file = __ATTR(_name, 0444, figure_show, NULL),		\
		.emit = _emit,						\
		.at = offsetof(struct wpool_stats, _name),		\
		.bytes = sizeof_field(struct wpool_stats, _name),	\
	}).file.attr)

/* The pool's files are removed before its owner is unloaded, so the owner exists here. */
static ssize_t owner_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct module *owner = wpool_owner(dev_get_drvdata(dev));

	return sysfs_emit(buf, "%s\n", owner ? owner->name : "-");
}
static DEVICE_ATTR_RO(owner);

static ssize_t cgroup_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	/* leave room for the line end */
	int len = wpool_cgroup_path(dev_get_drvdata(dev), buf, PAGE_SIZE - 1);

	if (!len)
		return sysfs_emit(buf, "none\n");
	return len < 0 ? len : len + sysfs_emit_at(buf, len, "\n");
}

/* @buf: the directory of a cgroup, as the writer sees it; begins with "/". */
static int set_cgroup_path(struct wpool *pool, const char *buf, size_t count)
{
	char *name = kstrndup(buf, count - (buf[count - 1] == '\n'), GFP_KERNEL);
	struct path dir;
	int err = name ? kern_path(name, LOOKUP_FOLLOW, &dir) : -ENOMEM;

	kfree(name);
	if (err)
		return err;
	err = wpool_cgroup_set(pool, current, &dir);
	path_put(&dir);
	return err;
}

/* "0" is the writer, as in cgroup.procs. Another pid is refused: its thread could end first. */
static ssize_t cgroup_store(struct device *dev, struct device_attribute *attr, const char *buf,
			    size_t count)
{
	static const char *const words[] = { "none", "0" };
	struct wpool *pool = dev_get_drvdata(dev);
	s64 word;
	int err = check_text(buf, count, PAGE_SIZE);

	if (!err && *buf == '/')
		return set_cgroup_path(pool, buf, count) ?: count;
	err = err ?: parse_word(words, ARRAY_SIZE(words), buf, &word);
	return err ?: wpool_cgroup_set(pool, word ? current : NULL, NULL) ?: count;
}
static DEVICE_ATTR_RW(cgroup);

/* Like a line of /proc/pressure: per cent of the last 10, 60 and 300 s, and the total in us. */
static ssize_t pressure_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	static const u32 seconds[WPOOL_NR_PRESSURES] = { 10, 60, 300 };
	struct wpool *pool = dev_get_drvdata(dev);
	struct wpool_pressure_avgs avgs;
	int at, i;
	u64 part;

	wpool_get_pressure(pool, &avgs);
	at = sysfs_emit(buf, "some");
	for (i = 0; i < WPOOL_NR_PRESSURES; i++) {
		part = avgs.avg[i] * 10000 / WPOOL_PRESSURE_FULL;
		at += sysfs_emit_at(buf, at, " avg%u=%llu.%02llu", seconds[i],
				    div_u64(part, 100), part % 100);
	}
	at += sysfs_emit_at(buf, at, " total=%llu\n", div_u64(avgs.total_ns, NSEC_PER_USEC));
	return at;
}
static DEVICE_ATTR_RO(pressure);

/* ---- histogram: a table that is longer than a page ---------------------------- */

/*
 * All lines have the same length, so that an offset in the file is in the same line in each read,
 * although each read takes a new snapshot.
 */
#define HIST_FORMAT_LEN	55
#define HIST_HEAD_LINES	3
#define HIST_BYTES	((HIST_HEAD_LINES + WPOOL_HIST_BUCKETS) * HIST_FORMAT_LEN)

/* Print a line of HIST_FORMAT_LEN bytes, and a NUL. */
static void hist_line(char *buf, u32 line, const struct wpool_hist *wait,
		      const struct wpool_hist *run)
{
	u32 i = line - HIST_HEAD_LINES;

	if (line == 0)
		sprintf(buf, "%-12s %20s %20s\n", "from_ns", "waited", "ran");
	else if (line == 1)
		sprintf(buf, "%-12s %20llu %20llu\n", "sum_ns", wait->sum_ns, run->sum_ns);
	else if (line == 2)
		sprintf(buf, "%-12s %20llu %20llu\n", "max_ns", wait->max_ns, run->max_ns);
	else
		sprintf(buf, "%-12llu %20llu %20llu\n", wpool_hist_from(i), wait->nr[i],
			run->nr[i]);
}

static ssize_t histogram_read(struct file *file, struct kobject *kobj, COMPAT_BIN_ATTR *attr,
			      char *buf, loff_t at, size_t count)
{
	struct wpool *pool = dev_get_drvdata(kobj_to_dev(kobj));
	char line[HIST_FORMAT_LEN + 1];
	struct wpool_hist *hists;
	size_t done, skip, len;
	ssize_t ret;

	if (at >= HIST_BYTES)
		return 0;
	count = min_t(size_t, count, HIST_BYTES - at);
	hists = kmalloc_array(2, sizeof(*hists), GFP_KERNEL);
	if (!hists)
		return -ENOMEM;
	ret = wpool_get_latency(pool, &hists[0], &hists[1]);
	/* latency was never on: the file is empty */
	if (ret)
		count = 0;
	for (done = 0; done < count; done += len) {
		skip = (at + done) % HIST_FORMAT_LEN;
		len = min(count - done, HIST_FORMAT_LEN - skip);
		hist_line(line, (at + done) / HIST_FORMAT_LEN, &hists[0], &hists[1]);
		memcpy(buf + done, line + skip, len);
	}
	kfree(hists);
	return done;
}

static COMPAT_BIN_ATTR bin_attr_histogram = __BIN_ATTR_RO(histogram, 0);

static COMPAT_BIN_ATTR *wpool_sysfs_bin_attrs[] = {
	&bin_attr_histogram,
	NULL,
};

static struct attribute *wpool_sysfs_attrs[] = {
#define WPOOL_ATTR(_name, _when, ...)	VALUE_FILE(_name, MODE_##_when),
#include "pool/attr_table.h"
	&dev_attr_cpumask.attr,
	&dev_attr_cgroup.attr,
	FIGURE(emit_state, state),
	&dev_attr_owner.attr,
	&dev_attr_pressure.attr,
	FIGURE(emit_limit, free),
	FIGURE(emit_int, spawn_error),
#define WPOOL_FIGURE(_name, ...)	FIGURE(emit_number, _name),
#include "pool/figure_table.h"
	NULL,
};

static const struct attribute_group wpool_sysfs_group = {
	.attrs = wpool_sysfs_attrs,
	.bin_attrs = wpool_sysfs_bin_attrs,
};

const struct attribute_group *wpool_sysfs_groups[] = {
	&wpool_sysfs_group,
	NULL,
};
