// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/class/wpool/<pool>/: every file is documented, every documented file
 * exists, and each attribute accepts and refuses the right values.
 *
 * sysfs_effects.c tests the effects of a change on a pool in use.
 */
#include "sysfs_attrs.h"

/* The documentation lies beside the program, see files.list. */
#define ABI_FILE	"sysfs-class-wpool"

static const struct tunable {
	const char *name;
	const char *value;		/* the default */
	const char *good[4];
	const char *same[4];		/* pairs of a written value and the value read */
	const char *out_of_range[4];	/* refused with ERANGE */
	bool max;
	bool number;
} tunables[] = {
	/* capacity_per_cpu is first: it changes capacity, whose default the next entry checks */
	{ "capacity_per_cpu", "0", { "1", "100", "0" }, { },
	  { "1048577", "4294967295", "4294967296", "99999999999999999999" }, false, true },
	{ "capacity", "256", { "1", "1048576", "300" }, { "unlimited", "max", "max", "max" },
	  { "1048577", "4294967294", "4294967296", "99999999999999999999" }, true, true },
	{ "queue_depth", "0", { "1", "536870912", "0" }, { "unlimited", "max", "max", "max" },
	  { "536870913", "4294967294", "4294967296", "99999999999999999999" }, true, true },
	{ "max_blocking", "0", { "1", "1073741824", "0" }, { },
	  { "1073741825", "4294967295", "4294967296", "99999999999999999999" }, false, true },
	{ "policy", "block", { "fail", "drop_oldest", "block" }, { }, { }, false, false },
	{ "expiry_ms", "1000", { "0", "1", "86400000", "500" }, { },
	  { "86400001", "4294967295", "4294967296", "99999999999999999999" }, false, true },
	{ "min_workers", "1", { "0", "2", "256" }, { },
	  { "1048577", "4294967295", "4294967296", "99999999999999999999" }, false, true },
	{ "concurrency", "1", { "2", "1024" }, { },
	  { "0", "1025", "4294967297", "99999999999999999999" }, false, true },
	{ "spin_us", "20", { "0", "1000" }, { },
	  { "1001", "4294967295", "4294967296", "99999999999999999999" }, false, true },
	{ "hog_ms", "10", { "1", "10000", "25" }, { },
	  { "0", "10001", "4294967297", "99999999999999999999" }, false, true },
	{ "handoff", "1", { "0", "1" }, { "off", "0", "y", "1" }, { }, false, false },
	{ "latency", "0", { "1", "0" }, { "on", "1", "off", "0" }, { }, false, false },
	{ "freezable", "0", { "1", "0" }, { "y", "1", "n", "0" }, { }, false, false },
	{ "max_wait_ms", "0", { "1", "86400000", "0" }, { },
	  { "86400001", "4294967295", "4294967296", "99999999999999999999" }, false, true },
	{ "reclaim", "0", { "1", "0" }, { "on", "1", "no", "0" }, { }, false, false },
	{ "sched", "normal", { "fifo", "fifo_low", "fifo:2", "fifo:99" },
	  { "fifo:1", "fifo_low", "fifo:050", "fifo" },
	  { "fifo:0", "fifo:100", "fifo:4294967297", "fifo:99999999999999999999" }, false, false },
	/* this test runs in the root cgroup */
	{ "cgroup", "none", { "none" }, { "0", "none" }, { }, false, false },
	{ "nice", "0", { "-20", "19", "-1", "0" }, { },
	  { "-21", "20", "4294967295", "99999999999999999999" }, false, true },
};

static const char * const figures[] = {
	"workers", "idle", "busy", "blocked", "searching", "waiting", "queued", "free",
	"outstanding", "submitted", "completed", "failed", "stolen", "cancelled", "overdue",
	"errors", "refused", "handoffs", "hogs", "spawned", "spawn_failed", "spawn_error",
	"exhausted", "rescued", "expired", "faults",
};

static const char * const fixed[] = { "order", "prealloc", "state", "owner" };

static const char * const tables[] = { "histogram", "pressure" };

struct names {
	unsigned int nr;
	char name[100][256];
};

static bool has(const struct names *names, const char *name)
{
	unsigned int i;

	for (i = 0; i < names->nr; i++)
		if (!strcmp(names->name[i], name))
			return true;
	return false;
}

static void add(struct names *names, const char *name)
{
	if (!has(names, name) && names->nr < ARRAY_SIZE(names->name))
		snprintf(names->name[names->nr++], sizeof(names->name[0]), "%s", name);
}

/* Collect the files that "What:" entries name, for any pool. */
static int documented(struct names *names)
{
	static const char prefix[] = "/sys/class/wpool/<pool>/";
	FILE *abi = fopen(ABI_FILE, "r");
	char line[512], *at;

	if (!abi)
		return -errno;
	while (fgets(line, sizeof(line), abi)) {
		if (strncmp(line, "What:", 5))
			continue;
		at = strstr(line, prefix);
		if (!at)
			continue;
		at += strlen(prefix);
		at[strcspn(at, " \t\r\n")] = 0;
		if (*at)
			add(names, at);
	}
	fclose(abi);
	return 0;
}

/* Collect the files of a pool, except those that every device has. */
static int present(struct names *names, const char *pool)
{
	static const char * const common[] = {
		".", "..", "uevent", "subsystem", "device",
	};
	char path[256];
	struct dirent *entry;
	size_t i;
	DIR *dir;

	attr_path(path, sizeof(path), pool, "");
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		for (i = 0; i < ARRAY_SIZE(common); i++)
			if (!strcmp(entry->d_name, common[i]))
				break;
		if (i == ARRAY_SIZE(common))
			add(names, entry->d_name);
	}
	closedir(dir);
	return 0;
}

static void add_all(struct names *names, const char * const *name, unsigned int nr)
{
	while (nr--)
		add(names, *name++);
}

/* Collect the files that this program tests. */
static void tested(struct names *names)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tunables); i++)
		add(names, tunables[i].name);
	add_all(names, figures, ARRAY_SIZE(figures));
	add_all(names, fixed, ARRAY_SIZE(fixed));
	add_all(names, tables, ARRAY_SIZE(tables));
	add(names, "cpumask");
}

/* Check that each name of the list @these is in @those. */
static void contains(struct __test_metadata *_metadata, const struct names *those,
		     const struct names *these, const char *what)
{
	unsigned int i;

	for (i = 0; i < these->nr; i++) {
		EXPECT_TRUE(has(those, these->name[i]))
			TH_LOG("%s: %s", these->name[i], what);
	}
}

static void compare(struct __test_metadata *_metadata, const char *pool)
{
	static struct names docs, files, known;

	docs.nr = 0;
	files.nr = 0;
	tested(&known);
	ASSERT_EQ(0, documented(&docs))
		TH_LOG("no %s beside the program", ABI_FILE);
	ASSERT_LT(20, docs.nr);
	ASSERT_EQ(0, present(&files, pool));
	contains(_metadata, &docs, &files, "not documented");
	contains(_metadata, &files, &docs, "documented, but not there");
	contains(_metadata, &files, &known, "not there");
	contains(_metadata, &known, &files, "not tested by this program");
}

TEST(files_of_default_are_documented)
{
	compare(_metadata, "default");
}

TEST_F(attrs, files_are_documented)
{
	compare(_metadata, self->pool.name);
}

TEST_F(attrs, modes)
{
	struct names files = { };
	char path[256], value[4096];
	struct stat st;
	unsigned int i, j;
	bool tunable;

	ASSERT_EQ(0, present(&files, self->pool.name));
	for (i = 0; i < files.nr; i++) {
		tunable = !strcmp(files.name[i], "cpumask");
		for (j = 0; j < ARRAY_SIZE(tunables); j++)
			tunable |= !strcmp(files.name[i], tunables[j].name);
		attr_path(path, sizeof(path), self->pool.name, files.name[i]);
		ASSERT_EQ(0, stat(path, &st));
		EXPECT_EQ(tunable ? 0644 : 0444, st.st_mode & 07777)
			TH_LOG("%s", files.name[i]);
		EXPECT_EQ(0, st.st_uid);
		if (!strcmp(files.name[i], tables[0])) {
			EXPECT_NE(0, attr_write(self->pool.name, files.name[i], "0"));
			continue;
		}
		ASSERT_EQ(0, attr_read(self->pool.name, files.name[i], value, sizeof(value)))
			TH_LOG("%s", files.name[i]);
		EXPECT_EQ(NULL, strchr(value, '\n'))
			TH_LOG("%s", files.name[i]);
		if (!tunable) {
			int err = attr_write(self->pool.name, files.name[i], value);

			EXPECT_TRUE(err == -EACCES || err == -EIO || err == -EPERM)
				TH_LOG("%s: %d", files.name[i], err);
		}
	}
}

static void expect_value(struct __test_metadata *_metadata, const char *pool, const char *attr,
			 const char *expected, const char *why)
{
	char value[4096];

	ASSERT_EQ(0, attr_read(pool, attr, value, sizeof(value)));
	EXPECT_STREQ(expected, value)
		TH_LOG("%s, after %s", attr, why);
}

TEST_F(attrs, defaults)
{
	const char *pool = self->pool.name;
	char value[4096];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tunables); i++)
		expect_value(_metadata, pool, tunables[i].name, tunables[i].value, "create");
	expect_value(_metadata, pool, "order", "lifo", "create");
	expect_value(_metadata, pool, "prealloc", "0", "create");
	expect_value(_metadata, pool, "state", "open", "create");
	expect_value(_metadata, pool, "owner", "-", "create");
	expect_value(_metadata, pool, "free", "256", "create");
	for (i = 0; i < ARRAY_SIZE(figures); i++)
		if (strcmp(figures[i], "free"))
			expect_value(_metadata, pool, figures[i], "0", "create");
	/* by default no CPU is isolated */
	ASSERT_EQ(0, attr_read(pool, "cpumask", value, sizeof(value)));
	EXPECT_NE('\0', value[0]);
	if (sysconf(_SC_NPROCESSORS_CONF) == 2)
		EXPECT_STREQ("0-1", value);
}

TEST(defaults_of_the_default_pool)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tunables); i++)
		expect_value(_metadata, "default", tunables[i].name,
			     !strcmp(tunables[i].name, "capacity") ? "max" : tunables[i].value,
			     "load");
	expect_value(_metadata, "default", "state", "open", "load");
	expect_value(_metadata, "default", "owner", "wpool", "load");
	expect_value(_metadata, "default", "free", "max", "load");
}

TEST_F(attrs, good_values)
{
	const char *pool = self->pool.name;
	const struct tunable *attr;
	char line[64];
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(tunables); i++) {
		attr = &tunables[i];
		for (j = 0; j < ARRAY_SIZE(attr->good) && attr->good[j]; j++) {
			EXPECT_EQ(0, attr_write(pool, attr->name, attr->good[j]))
				TH_LOG("%s = %s", attr->name, attr->good[j]);
			expect_value(_metadata, pool, attr->name, attr->good[j], "a good value");
			/* a value with a newline, as it is read, can be written */
			snprintf(line, sizeof(line), "%s\n", attr->good[j]);
			EXPECT_EQ(0, attr_write(pool, attr->name, line));
			expect_value(_metadata, pool, attr->name, attr->good[j], "the same again");
		}
		for (j = 0; j + 1 < ARRAY_SIZE(attr->same) && attr->same[j]; j += 2) {
			EXPECT_EQ(0, attr_write(pool, attr->name, attr->same[j]))
				TH_LOG("%s = %s", attr->name, attr->same[j]);
			expect_value(_metadata, pool, attr->name, attr->same[j + 1],
				     attr->same[j]);
		}
		EXPECT_EQ(0, attr_write(pool, attr->name, attr->value));
		expect_value(_metadata, pool, attr->name, attr->value, "the default");
	}
}

static void refuse(struct __test_metadata *_metadata, const char *pool, const char *attr,
		   const char *text, size_t len, int err)
{
	char path[256], before[4096], after[4096];
	int got;

	attr_path(path, sizeof(path), pool, attr);
	ASSERT_EQ(0, attr_read(pool, attr, before, sizeof(before)));
	got = file_write(path, text, len);
	EXPECT_EQ(err, got)
		TH_LOG("%s = '%.40s'", attr, text);
	ASSERT_EQ(0, attr_read(pool, attr, after, sizeof(after)));
	EXPECT_STREQ(before, after)
		TH_LOG("%s changed by '%.40s'", attr, text);
}

#define REFUSE(pool, attr, text, err)					\
	({								\
		const char *text_ = (text);				\
									\
		refuse(_metadata, pool, attr, text_, strlen(text_), err);	\
	})

TEST_F(attrs, bad_values)
{
	static const char * const garbage[] = {
		"\n", " ", "x", "1x", "1 2", "1,2", "1.5", "0x10", "--1", "+-1", "1\n2", "m", "ma",
		"maximum", "max 1", "MAX!", "%s", "\xff", "null",
	};
	static const char * const classes[] = {
		"20", "FIFO", "Fifo:20", "fifo:", "fifo:\n", "fifo:x", "fifo:1x", "fifo:+1",
		"fifo:-1", "fifo: 1", "fifo:1 ", "fifo:1\n\n", "fifo:1:2", "fifo:0x10",
		"fifo:1.5", "fifo :1", "fif:1", "fifo1", "fifo_low:1",
		"normal:1", "rr:1", ":1", " fifo:1", "fifo:fifo", "fifo:max",
	};
	const char *pool = self->pool.name;
	const struct tunable *attr;
	static char huge[5000];
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(tunables); i++) {
		attr = &tunables[i];
		for (j = 0; j < ARRAY_SIZE(garbage); j++)
			REFUSE(pool, attr->name, garbage[j], -EINVAL);
		for (j = 0; j < ARRAY_SIZE(attr->out_of_range) && attr->out_of_range[j]; j++)
			REFUSE(pool, attr->name, attr->out_of_range[j], -ERANGE);
		if (!attr->max)
			REFUSE(pool, attr->name, "max", -EINVAL);
		if (attr->number && strcmp(attr->name, "nice"))
			REFUSE(pool, attr->name, "-1", -EINVAL);
		if (!attr->number)
			REFUSE(pool, attr->name, "7", -EINVAL);
		/* a NUL does not end the value */
		refuse(_metadata, pool, attr->name, "1\0002", 3, -EINVAL);
		/* a value that is too long, even if it is a valid number */
		memset(huge, '0', sizeof(huge));
		refuse(_metadata, pool, attr->name, huge, 32, -EINVAL);
		refuse(_metadata, pool, attr->name, huge, 4096, -EINVAL);
		refuse(_metadata, pool, attr->name, huge, sizeof(huge), -EINVAL);
		memset(huge, '\n', sizeof(huge));
		refuse(_metadata, pool, attr->name, huge, 100, -EINVAL);
	}
	/* 0 is a number, but no valid capacity */
	REFUSE(pool, "capacity", "0", -EINVAL);
	REFUSE(pool, "policy", "run", -EINVAL);
	REFUSE(pool, "policy", "Block", -EINVAL);
	REFUSE(pool, "policy", "block fail", -EINVAL);
	REFUSE(pool, "policy", "blockx", -EINVAL);
	EXPECT_EQ(0, attr_write(pool, "sched", "fifo:20"));
	for (i = 0; i < ARRAY_SIZE(classes); i++)
		REFUSE(pool, "sched", classes[i], -EINVAL);
	/* a NUL does not end a value of sched, either */
	refuse(_metadata, pool, "sched", "fifo:20\0", 8, -EINVAL);
	REFUSE(pool, "min_workers", "257", -EINVAL);
	EXPECT_EQ(0, attr_write(pool, "min_workers", "5"));
	REFUSE(pool, "capacity", "4", -EINVAL);
	EXPECT_EQ(0, attr_write(pool, "capacity", "5"));
}

TEST_F(attrs, cpumask_values)
{
	const char *pool = self->pool.name;
	static char huge[4096];
	int err;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs 2 CPUs");
	EXPECT_EQ(0, attr_write(pool, "cpumask", "1"));
	expect_value(_metadata, pool, "cpumask", "1", "one CPU");
	EXPECT_EQ(0, attr_write(pool, "cpumask", "0,1\n"));
	expect_value(_metadata, pool, "cpumask", "0-1", "a list");
	EXPECT_EQ(0, attr_write(pool, "cpumask", "0"));
	expect_value(_metadata, pool, "cpumask", "0", "the first");
	EXPECT_EQ(0, attr_write(pool, "cpumask", "0-1"));
	expect_value(_metadata, pool, "cpumask", "0-1", "a range");
	REFUSE(pool, "cpumask", "\n", -EINVAL);
	REFUSE(pool, "cpumask", "x", -EINVAL);
	REFUSE(pool, "cpumask", "1-0", -EINVAL);
	REFUSE(pool, "cpumask", "-1", -EINVAL);
	REFUSE(pool, "cpumask", "0x3", -EINVAL);
	REFUSE(pool, "cpumask", "1000000", -ERANGE);
	REFUSE(pool, "cpumask", "0-100000", -ERANGE);
	/* a long value is refused as a whole */
	memset(huge, '1', sizeof(huge));
	err = attr_write(pool, "cpumask", "0,1,zzz");
	EXPECT_EQ(-EINVAL, err);
	expect_value(_metadata, pool, "cpumask", "0-1", "a bad end");
	refuse(_metadata, pool, "cpumask", huge, sizeof(huge), -EINVAL);
}

TEST(prealloc_is_not_tuned)
{
	struct pool pool;

	ASSERT_EQ(0, pool_create(&pool, ATTRS(.prealloc = 1, .capacity = 3)));
	expect_value(_metadata, pool.name, "prealloc", "1", "create");
	expect_value(_metadata, pool.name, "order", "fifo", "create");
	expect_value(_metadata, pool.name, "workers", "3", "create");
	REFUSE(pool.name, "capacity", "4", -EINVAL);
	REFUSE(pool.name, "capacity", "2", -EINVAL);
	REFUSE(pool.name, "capacity", "max", -EINVAL);
	/* queue_depth can change: only the workers are preallocated */
	EXPECT_EQ(0, attr_write(pool.name, "queue_depth", "7"));
	expect_value(_metadata, pool.name, "free", "10", "a queue");
	pool_end(&pool);
}

#define HIST_LINE	55

/* Read the whole file in reads of @chunk bytes. Returns its length, or -errno. */
static ssize_t read_table(const char *pool, char *buf, size_t size, size_t chunk)
{
	char path[256];
	ssize_t got = 1;
	size_t len = 0;
	int fd, err;

	attr_path(path, sizeof(path), pool, "histogram");
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	while (got > 0 && len + chunk < size) {
		got = read(fd, buf + len, chunk);
		if (got > 0)
			len += got;
	}
	err = errno;
	close(fd);
	buf[len] = '\0';
	return got < 0 ? -err : (ssize_t)len;
}

/* Count the tasks in the table. Returns -1 if a line is invalid. */
static int count_table(const char *table, unsigned long long *waited, unsigned long long *ran)
{
	unsigned long long from, wait, run, last = 0, sums[2] = { };
	const char *line;
	char first[16];

	*waited = 0;
	*ran = 0;
	for (line = table; *line; line += HIST_LINE) {
		if (strcspn(line, "\n") != HIST_LINE - 1 || sscanf(line, "%15s", first) != 1)
			return -1;
		if (line == table)
			continue;
		if (sscanf(line, "%*s %llu %llu", &wait, &run) != 2)
			return -1;
		if (line == table + HIST_LINE) {
			if (strcmp(first, "sum_ns"))
				return -1;
			sums[0] = wait;
			sums[1] = run;
			continue;
		}
		if (line == table + 2 * HIST_LINE) {
			/* the longest time is at most the sum */
			if (strcmp(first, "max_ns") || wait > sums[0] || run > sums[1])
				return -1;
			continue;
		}
		from = strtoull(first, NULL, 10);
		/* the lines begin at 0, and their times increase */
		if (line == table + 3 * HIST_LINE ? from : from <= last)
			return -1;
		last = from;
		*waited += wait;
		*ran += run;
	}
	return 0;
}

static bool has_counted(const char *pool, unsigned long long nr)
{
	static char table[65536];
	unsigned long long waited, ran;

	return read_table(pool, table, sizeof(table), 4096) > 0 &&
	       !count_table(table, &waited, &ran) && waited == nr && ran == nr;
}

TEST_F(attrs, histogram)
{
	static const size_t chunks[] = { 7, 54, 56, 4096, 16384 };
	static char table[65536], again[65536];
	const char *pool = self->pool.name;
	ssize_t len;
	size_t i;

	EXPECT_EQ(0, attr_write(pool, "queue_depth", "100"));
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 1, 20));
	ASSERT_EQ(0, wait_tasks(self->pool.fd, 0));
	/* the file is empty until latency is switched on */
	EXPECT_EQ(0, read_table(pool, table, sizeof(table), 4096));
	EXPECT_EQ(0, attr_write(pool, "latency", "1"));
	EXPECT_TRUE(has_counted(pool, 0));
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 1, 20));
	EXPECT_TRUE(WAIT_FOR(has_counted(pool, 20)));
	/* the result does not depend on the size of the reads */
	len = read_table(pool, table, sizeof(table), 4096);
	EXPECT_EQ(483 * HIST_LINE, len);
	for (i = 0; i < ARRAY_SIZE(chunks); i++) {
		EXPECT_EQ(len, read_table(pool, again, sizeof(again), chunks[i]));
		EXPECT_STREQ(table, again)
			TH_LOG("%zu bytes at a time", chunks[i]);
	}
	/* switching off keeps the table, switching on clears it */
	EXPECT_EQ(0, attr_write(pool, "latency", "0"));
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_NOOP, 0, 1, 20));
	ASSERT_EQ(0, wait_tasks(self->pool.fd, 0));
	EXPECT_TRUE(has_counted(pool, 20));
	EXPECT_EQ(0, attr_write(pool, "latency", "1"));
	EXPECT_TRUE(has_counted(pool, 0));
}

/* sysfs and /dev/wpool show and change the same pool. */
TEST_F(attrs, agree_with_info)
{
	struct wpool_dev_info info;

	ASSERT_EQ(0, pool_tune(self->pool.fd, ATTRS(.queue_depth = WPOOL_DEV_UNLIMITED,
						    .capacity = 12, .nice = -3)));
	expect_value(_metadata, self->pool.name, "queue_depth", "max", "TUNE");
	expect_value(_metadata, self->pool.name, "capacity", "12", "TUNE");
	expect_value(_metadata, self->pool.name, "nice", "-3", "TUNE");
	EXPECT_EQ(0, attr_write(self->pool.name, "policy", "fail"));
	EXPECT_EQ(0, attr_write(self->pool.name, "capacity", "max"));
	ASSERT_EQ(0, pool_info(self->pool.fd, &info));
	EXPECT_EQ(WPOOL_DEV_POLICY_FAIL, info.attrs.policy);
	EXPECT_EQ(WPOOL_DEV_UNLIMITED, info.attrs.capacity);
}

TEST_HARNESS_MAIN
