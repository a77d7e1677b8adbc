// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/class/wpool/<pool>/: every file is documented, every documented file
 * exists, and each attribute accepts and refuses the right values.
 */
#include "sysfs_attrs.h"

/* The documentation lies beside the program, see files.list. */
#define ABI_FILE	"sysfs-class-wpool"

/* The attributes that can be written, from attr_table.h. */
static const struct tunable {
	const char *name;
	enum attr_type { TYPE_NUMBER, TYPE_LIMIT, TYPE_INT, TYPE_BOOL, TYPE_WORD, TYPE_CLASS } type;
	long long min, max, preset;
	const char *words[5];
} tunables[] = {
	{ "cgroup", TYPE_WORD, .words = { "none" } },
#define TUNE(...)	{ __VA_ARGS__ },
#define CREATE(...)
#define WPOOL_ATTR(_name, _use, _NAME, _type, _min, _max, _preset, _words, ...)	\
	_use(#_name, TYPE_##_type, _min, _max, _preset, _words)
#include "../../../../module/pool/attr_table.h"
};

/* Loops begin here: capacity_per_cpu changes capacity, which is before it in the table. */
static const struct tunable * const end = tunables + ARRAY_SIZE(tunables);

/* A text that is written, and what is read afterwards. */
static const struct same {
	enum attr_type type;
	const char *written, *read;
} sames[] = {
	{ TYPE_LIMIT, "unlimited", "max" }, { TYPE_LIMIT, "max", "max" },
	{ TYPE_BOOL, "off", "0" }, { TYPE_BOOL, "y", "1" }, { TYPE_BOOL, "no", "0" },
	{ TYPE_BOOL, "on", "1" }, { TYPE_BOOL, "n", "0" },
	{ TYPE_CLASS, "fifo:2", "fifo:2" }, { TYPE_CLASS, "fifo:99", "fifo:99" },
	{ TYPE_CLASS, "fifo:1", "fifo_low" }, { TYPE_CLASS, "fifo:050", "fifo" },
};

static const char * const figures[] = {
	"free", "spawn_error",
#define WPOOL_FIGURE(_name, ...)	#_name,
#include "../../../../module/pool/figure_table.h"
};

/* By hand, so that the table cannot make one of these writable. */
static const char * const fixed[] = {
	"order", "prealloc", "state", "owner", "histogram", "pressure",
};

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

static void read_only(struct names *names)
{
	add_all(names, figures, ARRAY_SIZE(figures));
	add_all(names, fixed, ARRAY_SIZE(fixed));
}

/* Collect the files that this program tests. */
static void tested(struct names *names)
{
	const struct tunable *attr;

	for (attr = end; attr-- > tunables; )
		add(names, attr->name);
	read_only(names);
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

TEST_F(attrs, the_files_of_a_pool_are_documented)
{
	compare(_metadata, self->pool.name);
}

TEST_F(attrs, only_attributes_can_be_written)
{
	struct names files = { }, others = { };
	char path[256], value[4096];
	struct stat st;
	unsigned int i;
	bool tunable;

	read_only(&others);
	ASSERT_EQ(0, present(&files, self->pool.name));
	for (i = 0; i < files.nr; i++) {
		tunable = !has(&others, files.name[i]);
		attr_path(path, sizeof(path), self->pool.name, files.name[i]);
		ASSERT_EQ(0, stat(path, &st));
		EXPECT_EQ(tunable ? 0644 : 0444, st.st_mode & 07777)
			TH_LOG("%s", files.name[i]);
		EXPECT_EQ(0, st.st_uid);
		if (!strcmp(files.name[i], "histogram")) {
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

/* The text is overwritten by the next call. */
static const char *text_of(long long number)
{
	static char text[32];

	snprintf(text, sizeof(text), "%lld", number);
	return text;
}

static const char *default_of(const struct tunable *attr)
{
	return attr->words[0] ? attr->words[attr->preset] : text_of(attr->preset);
}

TEST_F(attrs, a_new_pool_has_the_default_attributes)
{
	const char *pool = self->pool.name;
	const struct tunable *attr;
	char value[4096];
	size_t i;

	for (attr = end; attr-- > tunables; )
		expect_value(_metadata, pool, attr->name, default_of(attr), "create");
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

/* @expected: NULL if it is @text */
static void write_good(struct __test_metadata *_metadata, const char *pool, const char *attr,
		       const char *text, const char *expected)
{
	char line[64];

	expected = expected ?: text;
	EXPECT_EQ(0, attr_write(pool, attr, text))
		TH_LOG("%s = %s", attr, text);
	expect_value(_metadata, pool, attr, expected, text);
	/* a value with a newline, as it is read, can be written */
	snprintf(line, sizeof(line), "%s\n", expected);
	EXPECT_EQ(0, attr_write(pool, attr, line));
	expect_value(_metadata, pool, attr, expected, "the same again");
}

#define WRITE(attr, text, expected)	write_good(_metadata, pool, attr, text, expected)
#define WRITE_SAME(attr, text)		WRITE(attr, text, NULL)

TEST_F(attrs, each_good_value_is_read_back)
{
	const char *pool = self->pool.name;
	const struct tunable *attr;
	size_t i;

	for (attr = end; attr-- > tunables; ) {
		for (i = 0; i < ARRAY_SIZE(attr->words) && attr->words[i]; i++)
			if (strcmp(attr->words[i], "run"))
				WRITE_SAME(attr->name, attr->words[i]);
		if (!attr->words[0]) {
			/* capacity bounds the one, the number of CPUs the other */
			if (strcmp(attr->name, "min_workers") &&
			    strcmp(attr->name, "capacity_per_cpu")) {
				WRITE_SAME(attr->name, text_of(attr->max));
				WRITE_SAME(attr->name, text_of((attr->min + attr->max - 1) / 2));
			}
			WRITE_SAME(attr->name, text_of(attr->min + 1));
			WRITE_SAME(attr->name, text_of(attr->min));
		}
		for (i = 0; i < ARRAY_SIZE(sames); i++)
			if (sames[i].type == attr->type)
				WRITE(attr->name, sames[i].written, sames[i].read);
		WRITE_SAME(attr->name, default_of(attr));
	}
	WRITE_SAME("min_workers", "256");
	/* this test runs in the root cgroup */
	WRITE("cgroup", "0", "none");
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

TEST(defaults_of_the_default_pool)
{
	const struct tunable *attr;

	for (attr = end; attr-- > tunables; )
		expect_value(_metadata, "default", attr->name,
			     !strcmp(attr->name, "capacity") ? "max" : default_of(attr), "load");
	expect_value(_metadata, "default", "state", "open", "load");
	expect_value(_metadata, "default", "owner", "wpool", "load");
	expect_value(_metadata, "default", "free", "max", "load");
	/* modules that share the default pool did not allow that their tasks are dropped */
	REFUSE("default", "max_wait_ms", "20", -EPERM);
	REFUSE("default", "policy", "drop_oldest", -EPERM);
	EXPECT_EQ(0, attr_write("default", "max_wait_ms", "0"));
}

TEST_F(attrs, bad_values_are_refused_and_change_nothing)
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
	static const char * const priorities[] = {
		"fifo:0", "fifo:100", "fifo:4294967297", "fifo:99999999999999999999",
	};
	const struct tunable *attr;
	static char huge[5000];
	size_t i;

	for (attr = end; attr-- > tunables; ) {
		for (i = 0; i < ARRAY_SIZE(garbage); i++)
			REFUSE(pool, attr->name, garbage[i], -EINVAL);
		if (attr->type != TYPE_LIMIT)
			REFUSE(pool, attr->name, "max", -EINVAL);
		if (attr->type == TYPE_NUMBER || attr->type == TYPE_LIMIT)
			REFUSE(pool, attr->name, "-1", -EINVAL);
		if (attr->type > TYPE_INT) {
			REFUSE(pool, attr->name, "7", -EINVAL);
		} else {
			REFUSE(pool, attr->name, text_of(attr->max + 1), -ERANGE);
			REFUSE(pool, attr->name, attr->type == TYPE_LIMIT ? "4294967294" :
			       "4294967295", -ERANGE);
			/* the lower 32 bits are a good value */
			REFUSE(pool, attr->name, text_of((1LL << 32) + attr->max), -ERANGE);
			REFUSE(pool, attr->name, "99999999999999999999", -ERANGE);
			if (attr->min && strcmp(attr->name, "capacity"))
				REFUSE(pool, attr->name, text_of(attr->min - 1), -ERANGE);
		}
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
	for (i = 0; i < ARRAY_SIZE(priorities); i++)
		REFUSE(pool, "sched", priorities[i], -ERANGE);
	/* a NUL does not end a value of sched, either */
	refuse(_metadata, pool, "sched", "fifo:20\0", 8, -EINVAL);
	REFUSE(pool, "min_workers", "257", -EINVAL);
	EXPECT_EQ(0, attr_write(pool, "min_workers", "5"));
	REFUSE(pool, "capacity", "4", -EINVAL);
	EXPECT_EQ(0, attr_write(pool, "capacity", "5"));
}

TEST_F(attrs, cpumask_takes_lists_and_refuses_others)
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

TEST_F(attrs, the_histogram_has_each_task_once)
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

/* KUnit tests what the other attributes do. */
TEST_F(attrs, hogs_are_counted_when_they_are_longer_than_hog_ms)
{
	const char *pool = self->pool.name;

	ASSERT_EQ(0, attr_write(pool, "cpumask", "0"));
	ASSERT_EQ(0, attr_write(pool, "queue_depth", "8"));
	ASSERT_EQ(0, attr_write(pool, "hog_ms", "10000"));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SPIN, 100 * MSEC, 1));
	ASSERT_TRUE(WAIT_FOR(attr_number(pool, "completed") == 1));
	EXPECT_EQ(0, attr_number(pool, "hogs"));
	ASSERT_EQ(0, attr_write(pool, "hog_ms", "1"));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SPIN, LONG, 2));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "hogs") == 1));
	/* another worker runs the next task, on the same CPU if necessary */
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 3));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "completed") == 2));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "busy") == 1));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
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
