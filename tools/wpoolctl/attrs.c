// SPDX-License-Identifier: GPL-2.0
/* Attributes of a pool, from the module's own table, module/pool/attr_table.h. */
#include "attrs.h"

#include <ctype.h>

#include "alloc.h"
#include "cli.h"
#include "dev.h"
#include "sysfs.h"

enum attr_type {
	ATTR_NUMBER,
	ATTR_LIMIT,
	ATTR_INT,
	ATTR_BOOL,
	ATTR_WORD,
	ATTR_CLASS,
	ATTR_CPUS,
	ATTR_DIR,
};

struct attr {
	const char *name;
	size_t offset;
	enum attr_use use;
	__u32 bit;
	enum attr_type type;
	__s32 min;
	__s32 max;
	__s32 preset;
	const char *words[5];
	const char *about;
};

static const struct attr attrs[] = {
#define ROW(_name, _use, _NAME, ...)					\
	{ #_name, offsetof(struct wpool_dev_attrs, _name), ATTR_##_use,	\
	  WPOOL_DEV_##_NAME, __VA_ARGS__ }
#define WPOOL_ATTR(_name, _use, _NAME, _type, _min, _max, _preset, _words, _group, _unit, _about) \
	ROW(_name, _use, _NAME, ATTR_##_type, _min, _max, _preset, _words, _about),
#define WPOOL_ATTR_CPUS(_name, _NAME, _about) \
	ROW(_name, TUNE, _NAME, ATTR_CPUS, .about = _about),
#include "../../module/pool/attr_table.h"
	/* dev_cgroup() sets the cgroup, so it has no bit in attrs.mask */
	{ "cgroup", .use = ATTR_TUNE, .type = ATTR_DIR, .about = "cgroup of the workers" },
};

/* The value of each word of an ATTR_CLASS, and the prefix of the other priorities. */
static const __u32 class_of_word[] = {
	WPOOL_DEV_SCHED_NORMAL, WPOOL_DEV_SCHED_FIFO_LOW, WPOOL_DEV_SCHED_FIFO,
};

#define CLASS_PREFIX	"fifo:"

static const struct attr *find_attr(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(attrs); i++)
		if (strlen(attrs[i].name) == len && !memcmp(attrs[i].name, name, len))
			return &attrs[i];
	return NULL;
}

static int unknown_attr(const char *name, size_t len, enum attr_use use, struct errmsg *e)
{
	char known[ERRMSG_LEN] = "";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(attrs); i++)
		if (use == ATTR_CREATE || attrs[i].use == ATTR_TUNE)
			errmsg_join(known, sizeof(known), " ", "%s", attrs[i].name);
	return errmsg_set(e, "no attribute '%.*s'; there are: %s",
			  len < 40 ? (int)len : 40, name, known);
}

static int parse_bool(const char *s, __u32 *out, struct errmsg *e)
{
	static const char *const words[] = { WPOOL_BOOL_WORDS, NULL };
	__u32 i;

	if (parse_word(s, words, &i, e))
		return errmsg_set(e, ERRMSG_Q " is neither 0 nor 1 (no, yes, off, on)", s);
	*out = i % 2;
	return 0;
}

static int parse_class(const struct attr *attr, const char *s, __u32 *out, struct errmsg *e)
{
	size_t len = strlen(CLASS_PREFIX);
	__u64 n;
	__u32 i;

	if (!strncmp(s, CLASS_PREFIX, len)) {
		if (parse_u64(s + len, 1, attr->max, &n, e))
			return errmsg_set(e, ERRMSG_Q ": a priority is a number from 1 to %d",
					  s, attr->max);
		*out = n;
		return 0;
	}
	if (parse_word(s, attr->words, &i, e)) {
		errmsg_join(e->text, sizeof(e->text), ", ", CLASS_PREFIX "1 to %d", attr->max);
		return -1;
	}
	*out = class_of_word[i];
	return 0;
}

static int parse_limit(const struct attr *attr, const char *s, __u32 *out, struct errmsg *e)
{
	static const char *const words[] = { WPOOL_NO_LIMIT_WORDS, NULL };
	__u64 n;

	if (!parse_word(s, words, out, e)) {
		*out = WPOOL_DEV_UNLIMITED;
		return 0;
	}
	if (parse_u64(s, attr->min, attr->max, &n, e))
		return errmsg_set(e, ERRMSG_Q " is neither max nor a number from %d to %d",
				  s, attr->min, attr->max);
	*out = n;
	return 0;
}

static bool is_number(const struct attr *attr)
{
	return attr->type == ATTR_NUMBER || attr->type == ATTR_LIMIT || attr->type == ATTR_INT;
}

static int parse_value(struct attr_set *set, const struct attr *attr,
		       const char *s, struct errmsg *e)
{
	void *field = (char *)&set->attrs + attr->offset;
	size_t len;
	__u64 n;

	/* sysfs takes a plus sign, too: kstrtoll() does */
	if (is_number(attr) && s[0] == '+' && s[1] >= '0' && s[1] <= '9')
		s++;
	switch (attr->type) {
	case ATTR_LIMIT:
		return parse_limit(attr, s, field, e);
	case ATTR_WORD:
		return parse_word(s, attr->words, field, e);
	case ATTR_BOOL:
		return parse_bool(s, field, e);
	case ATTR_CLASS:
		return parse_class(attr, s, field, e);
	case ATTR_INT:
		return parse_s32(s, attr->min, attr->max, field, e);
	case ATTR_DIR:
		if (*set->cgroup)
			return errmsg_set(e, "given twice");
		if (!strcmp(s, "none"))
			s = ATTR_CGROUPS;
		len = strlen(s);
		if (*s != '/' || len >= sizeof(set->cgroup))
			return errmsg_set(e, ERRMSG_Q
					  " is neither none nor the path of a directory, from /",
					  s);
		/* sysfs shows no slash at the end */
		while (len > 1 && s[len - 1] == '/')
			len--;
		memcpy(set->cgroup, s, len);
		return 0;
	case ATTR_CPUS:
		if (cpulist_parse(s, &set->cpus, e))
			return -1;
		set->attrs.cpumask_bytes = sizeof(set->cpus.bits);
		set->attrs.cpumask = (unsigned long)set->cpus.bits;
		return 0;
	default:
		if (parse_u64(s, attr->min, attr->max, &n, e))
			return -1;
		*(__u32 *)field = n;
		return 0;
	}
}

int attr_set_add(struct attr_set *set, enum attr_use use, const char *assignment, struct errmsg *e)
{
	size_t len = strcspn(assignment, "=");
	const struct attr *attr;

	if (!assignment[len])
		return errmsg_set(e, ERRMSG_Q " is not attribute=value", assignment);
	attr = find_attr(assignment, len);
	if (!attr)
		return unknown_attr(assignment, len, use, e);
	if (use == ATTR_TUNE && attr->use == ATTR_CREATE)
		return errmsg_set(e, "%s: to be chosen at creation only", attr->name);
	if (set->attrs.mask & attr->bit)
		return errmsg_set(e, "%s: given twice", attr->name);
	if (parse_value(set, attr, assignment + len + 1, e))
		return errmsg_set(e, "%s: %s", attr->name, e->text);
	set->attrs.mask |= attr->bit;
	return 0;
}

int attr_set_add_list(struct attr_set *set, enum attr_use use, const char *list, struct errmsg *e)
{
	char *copy = alloc_copy(list), *at = copy, *end;
	int err = 0;

	while (at && !err) {
		/* a comma is a separator only if another "name=" follows it */
		for (end = strchr(at, ','); end; end = strchr(end + 1, ',')) {
			size_t len = strcspn(end + 1, ",=");

			if (!end[1] || end[1 + len] == '=')
				break;
		}
		if (end)
			*end++ = '\0';
		err = attr_set_add(set, use, at, e);
		at = end;
	}
	free(copy);
	return err;
}

static bool given(const struct attr_set *set, __u32 bit)
{
	return set->attrs.mask & bit;
}

static int check_policy(const struct attr_set *set,
			const struct wpool_dev_attrs *now, struct errmsg *e)
{
	if (!now || !given(set, WPOOL_DEV_POLICY) || set->attrs.policy == now->policy)
		return 0;
	if (set->attrs.policy == WPOOL_DEV_POLICY_RUN)
		return errmsg_set(e, "policy: run is for creation only");
	if (now->policy == WPOOL_DEV_POLICY_RUN)
		return errmsg_set(e, "policy: a pool created with run keeps it");
	return 0;
}

int attr_set_check(const struct attr_set *set, const struct wpool_dev_attrs *now, struct errmsg *e)
{
	__u32 capacity = now ? now->capacity : (__u32)find_attr("capacity", 8)->preset;
	__u32 min_workers = now ? now->min_workers : 0;
	bool prealloc = now ? now->prealloc : set->attrs.prealloc;
	__u32 per_cpu = now && !given(set, WPOOL_DEV_CAPACITY) ? now->capacity_per_cpu : 0;

	if (given(set, WPOOL_DEV_CAPACITY_PER_CPU))
		per_cpu = set->attrs.capacity_per_cpu;
	if (per_cpu && given(set, WPOOL_DEV_CAPACITY))
		return errmsg_set(e, "capacity and capacity_per_cpu exclude each other");
	if (per_cpu && prealloc)
		return errmsg_set(e, "capacity_per_cpu: not of a preallocated pool");
	if (given(set, WPOOL_DEV_CAPACITY)) {
		capacity = set->attrs.capacity;
		if (now && prealloc)
			return errmsg_set(e, "capacity: fixed, the pool is preallocated");
	}
	if (given(set, WPOOL_DEV_MIN_WORKERS))
		min_workers = set->attrs.min_workers;
	if (!per_cpu && capacity != WPOOL_DEV_UNLIMITED && min_workers > capacity)
		return errmsg_set(e, "min_workers %u would be above capacity %u",
				  min_workers, capacity);
	if (prealloc && capacity == WPOOL_DEV_UNLIMITED)
		return errmsg_set(e, "prealloc: needs a capacity that is not max");
	return check_policy(set, now, e);
}

/* Checks the set against a pool of unlimited capacity with the policy of the set. */
int attr_set_check_given(const struct attr_set *set, struct errmsg *e)
{
	const struct wpool_dev_attrs any = {
		.capacity = WPOOL_DEV_UNLIMITED,
		.policy = set->attrs.policy,
	};

	return attr_set_check(set, &any, e);
}

static const char *format_number(const struct attr *attr, __s32 value, char *buf, size_t len)
{
	/* the @value of an ATTR_CLASS is its default here: 0, the index of its first word */
	if (attr->type == ATTR_WORD || attr->type == ATTR_CLASS)
		snprintf(buf, len, "%s", attr->words[value]);
	else
		snprintf(buf, len, "%d", value);
	return buf;
}

int attr_set_leave_changes(struct attr_set *set, const struct wpool_dev_attrs *now,
			   const struct cpulist *cpus, struct errmsg *e)
{
	const struct attr *attr;
	const __s32 *is;
	char buf[32];

	if (given(set, WPOOL_DEV_CPUMASK) && !memcmp(&set->cpus, cpus, sizeof(*cpus)))
		set->attrs.mask &= ~WPOOL_DEV_CPUMASK;
	for (attr = attrs; attr < attrs + ARRAY_SIZE(attrs); attr++) {
		if (!given(set, attr->bit) || attr->type == ATTR_CPUS)
			continue;
		/* setting capacity ends capacity_per_cpu, so the same number is a change */
		if (attr->bit == WPOOL_DEV_CAPACITY && now->capacity_per_cpu)
			continue;
		/* all attributes but the cpumask are 32 bits */
		is = (const __s32 *)((const char *)now + attr->offset);
		if (!memcmp((char *)&set->attrs + attr->offset, is, sizeof(*is)))
			set->attrs.mask &= ~attr->bit;
		else if (attr->use == ATTR_CREATE)
			return errmsg_set(e, "%s: to be chosen at creation only, and is %s",
					  attr->name, format_number(attr, *is, buf, sizeof(buf)));
	}
	return 0;
}

bool attr_set_is_empty(const struct attr_set *set)
{
	return !set->attrs.mask && !*set->cgroup;
}

static int set_cgroup(int fd, struct attr_set *set)
{
	int err = *set->cgroup ? dev_cgroup(fd, set->cgroup) : 0;

	/* -ENOTTY: the module is older; -EPERM: the caller may not change this pool */
	set->cgroup_failed = err && err != -ENOTTY && err != -EPERM;
	return err;
}

int attr_set_tune(int fd, struct attr_set *set)
{
	int err = set->attrs.mask ? dev_tune(fd, &set->attrs) : 0;

	return err ?: set_cgroup(fd, set);
}

/* CPUs are checked by the kernel alone, as are the ranges of a module of another version. */
void attr_explain(struct errmsg *e, int err, const char *pool, const struct attr_set *set)
{
	char cpus[64];

	if (set->cgroup_failed)
		errmsg_set(e, "pool '%s': cgroup %.200s: %s", pool, set->cgroup,
			   err == -EINVAL ? "no directory of cgroup version 2" : strerror(-err));
	else if (err != -EINVAL && err != -ERANGE)
		dev_explain(e, err, pool);
	else if (given(set, WPOOL_DEV_CPUMASK) &&
		 !sysfs_read_line("/sys/devices/system/cpu/possible", cpus, sizeof(cpus)))
		errmsg_set(e, "pool '%s': refused; cpumask must name CPUs of %s, one online",
			   pool, cpus);
	else
		errmsg_set(e, "pool '%s': attributes refused: %s", pool,
			   err == -ERANGE ? "a number is out of its range" :
			   "they do not go together");
}

int attr_set_create(const char *pool, struct attr_set *set, struct errmsg *e)
{
	int fd = dev_open(), err = fd < 0 ? fd : dev_create(fd, pool, &set->attrs);

	if (!err) {
		err = set_cgroup(fd, set);
		if (!err)
			return fd;
		dev_simple(fd, WPOOL_IOC_DESTROY);
	}
	if (fd >= 0)
		close(fd);
	attr_explain(e, err, pool, set);
	return err;
}

const char *attr_default_unless(const char *name, const char *value, const char *pool,
				bool prealloc, char *buf, size_t len)
{
	const struct attr *attr = find_attr(name, strlen(name));

	if (!attr || attr->type == ATTR_CPUS || attr->type == ATTR_DIR)
		return NULL;
	format_number(attr, attr->preset, buf, len);
	/* these defaults depend on the pool's name and on prealloc */
	if (!strcmp(name, "capacity") && !strcmp(pool, "default"))
		snprintf(buf, len, "max");
	if (!strcmp(name, "order") && prealloc)
		snprintf(buf, len, "fifo");
	return strcmp(value, buf) ? buf : NULL;
}

/* tune takes all words, too, except the policy "run". */
static bool is_for(const char *word, enum attr_use use)
{
	return use == ATTR_CREATE || strcmp(word, "run");
}

static void format_values(const struct attr *attr, enum attr_use use, char *buf, size_t len)
{
	size_t i;

	*buf = '\0';
	switch (attr->type) {
	case ATTR_LIMIT:
		snprintf(buf, len, "%d..%d|max", attr->min, attr->max);
		break;
	case ATTR_WORD:
	case ATTR_CLASS:
		for (i = 0; attr->words[i]; i++)
			if (is_for(attr->words[i], use))
				errmsg_join(buf, len, "|", "%s", attr->words[i]);
		if (attr->type == ATTR_CLASS)
			errmsg_join(buf, len, "|", CLASS_PREFIX "1..%d", attr->max);
		break;
	case ATTR_BOOL:
		snprintf(buf, len, "0|1");
		break;
	case ATTR_CPUS:
		snprintf(buf, len, "all|LIST, as 0-3,5");
		break;
	case ATTR_DIR:
		snprintf(buf, len, "none|DIRECTORY");
		break;
	default:
		snprintf(buf, len, "%d..%d", attr->min, attr->max);
	}
}

/* The attribute after @attr, or the first after NULL; NULL after the last. */
static const struct attr *next_attr(const struct attr *attr, enum attr_use use)
{
	for (attr = attr ? attr + 1 : attrs; attr < attrs + ARRAY_SIZE(attrs); attr++)
		if (use == ATTR_CREATE || attr->use == ATTR_TUNE)
			return attr;
	return NULL;
}

void attr_print_help(int use)
{
	const struct attr *attr = NULL;
	char values[64];

	printf("\nAttributes:\n");
	while ((attr = next_attr(attr, use))) {
		format_values(attr, use, values, sizeof(values));
		cli_print_entry(printf("  %-16s %s", attr->name, values), 33, attr->about);
	}
}

void attr_print_manual(void)
{
	const struct attr *attr = NULL;
	char values[64], preset[32];

	while ((attr = next_attr(attr, ATTR_CREATE))) {
		format_values(attr, ATTR_CREATE, values, sizeof(values));
		if (attr->type == ATTR_CPUS)
			snprintf(preset, sizeof(preset), "housekeeping");
		else if (attr->type == ATTR_DIR)
			snprintf(preset, sizeof(preset), "the creator's");
		else
			format_number(attr, attr->preset, preset, sizeof(preset));
		printf(".TP\n.BR %s \" = %s (%s)\"\n%c%s.\n", attr->name, values, preset,
		       toupper((unsigned char)*attr->about), attr->about + 1);
	}
}

void attr_put_names(enum attr_use use)
{
	const struct attr *attr = NULL;

	while ((attr = next_attr(attr, use)))
		printf("%s=\n", attr->name);
}

void attr_put_words(const char *name, enum attr_use use)
{
	const struct attr *attr = find_attr(name, strlen(name));
	size_t i;

	for (i = 0; attr && i < ARRAY_SIZE(attr->words) && attr->words[i]; i++)
		if (is_for(attr->words[i], use))
			puts(attr->words[i]);
}

const char *attr_word(const char *name, __u32 value)
{
	const struct attr *attr = find_attr(name, strlen(name));

	return value <= (__u32)attr->max ? attr->words[value] : "unknown";
}

const char *attr_format_limit(__u32 value, char *buf, size_t len)
{
	if (value == WPOOL_DEV_UNLIMITED)
		snprintf(buf, len, "max");
	else
		snprintf(buf, len, "%u", value);
	return buf;
}
