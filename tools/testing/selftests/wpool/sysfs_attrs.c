// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/class/wpool/<pool>/: that every file is documented and every documented
 * file is there, what each attribute takes and refuses, and what a change does
 * to a pool that is in use.
 */
#include "wpool_test.h"

/* Beside the program, see files.list. */
#define ABI_FILE	"sysfs-class-wpool"

static const struct tunable {
	const char *name;
	const char *value;		/* by default */
	const char *good[4];
	const char *same[4];		/* pairs: written, then read as */
	const char *out_of_range[4];	/* ERANGE */
	bool max;
	bool number;
} tunables[] = {
	{ "capacity", "256", { "1", "1048576", "300" }, { "max", "max" },
	  { "1048577", "4294967294", "4294967296", "99999999999999999999" }, true, true },
	{ "queue_depth", "0", { "1", "536870912", "0" }, { "max", "max" },
	  { "536870913", "4294967294", "4294967296", "99999999999999999999" }, true, true },
	{ "max_blocking", "0", { "1", "1073741824", "0" }, { },
	  { "1073741825", "4294967295", "4294967296", "99999999999999999999" }, false, true },
	{ "policy", "block", { "fail", "block" }, { }, { }, false, false },
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
	{ "steal", "1", { "0", "1" }, { "n", "0", "yes", "1" }, { }, false, false },
	{ "latency", "0", { "1", "0" }, { "on", "1", "off", "0" }, { }, false, false },
	{ "nice", "0", { "-20", "19", "-1", "0" }, { },
	  { "-21", "20", "4294967295", "99999999999999999999" }, false, true },
};

static const char * const figures[] = {
	"workers", "idle", "busy", "blocked", "searching", "waiting", "queued", "free",
	"outstanding", "submitted", "completed", "failed", "stolen", "cancelled", "refused",
	"handoffs", "hogs", "spawned", "expired", "faults",
};

static const char * const fixed[] = { "order", "prealloc", "state" };

/* ---- what is there ------------------------------------------------------- */

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

/* The files that "What:" entries name, under whatever pool. */
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

/* The files of a pool but for those that every device has. */
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

static void compare(struct __test_metadata *_metadata, const char *pool)
{
	static struct names docs, files;
	unsigned int i;

	docs.nr = 0;
	files.nr = 0;
	ASSERT_EQ(0, documented(&docs))
		TH_LOG("no %s beside the program", ABI_FILE);
	ASSERT_LT(20, docs.nr);
	ASSERT_EQ(0, present(&files, pool));
	for (i = 0; i < files.nr; i++)
		EXPECT_TRUE(has(&docs, files.name[i]))
			TH_LOG("%s/%s is not documented", pool, files.name[i]);
	for (i = 0; i < docs.nr; i++)
		EXPECT_TRUE(has(&files, docs.name[i]))
			TH_LOG("%s/%s is documented, but not there", pool, docs.name[i]);
	/* what this program knows of */
	for (i = 0; i < ARRAY_SIZE(tunables); i++)
		EXPECT_TRUE(has(&files, tunables[i].name))
			TH_LOG("there is no %s", tunables[i].name);
	for (i = 0; i < ARRAY_SIZE(figures); i++)
		EXPECT_TRUE(has(&files, figures[i]))
			TH_LOG("there is no %s", figures[i]);
	for (i = 0; i < ARRAY_SIZE(fixed); i++)
		EXPECT_TRUE(has(&files, fixed[i]))
			TH_LOG("there is no %s", fixed[i]);
	EXPECT_TRUE(has(&files, "cpumask"));
	EXPECT_EQ(ARRAY_SIZE(tunables) + ARRAY_SIZE(figures) + ARRAY_SIZE(fixed) + 1, files.nr)
		TH_LOG("a file is here that this program does not test");
}

FIXTURE(attrs)
{
	struct pool pool;
};

FIXTURE_SETUP(attrs)
{
	ASSERT_EQ(0, pool_create(&self->pool, NULL));
}

FIXTURE_TEARDOWN(attrs)
{
	pool_end(&self->pool);
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
		/* one line, and its end */
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

/* ---- values -------------------------------------------------------------- */

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
	expect_value(_metadata, pool, "free", "256", "create");
	for (i = 0; i < ARRAY_SIZE(figures); i++)
		if (strcmp(figures[i], "free"))
			expect_value(_metadata, pool, figures[i], "0", "create");
	/* no CPU is isolated here, unless somebody says so */
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
			/* what can be read can be written, its newline included */
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
		/* a NUL is not an end */
		refuse(_metadata, pool, attr->name, "1\0002", 3, -EINVAL);
		/* too long, however right it may be */
		memset(huge, '0', sizeof(huge));
		refuse(_metadata, pool, attr->name, huge, 32, -EINVAL);
		refuse(_metadata, pool, attr->name, huge, 4096, -EINVAL);
		refuse(_metadata, pool, attr->name, huge, sizeof(huge), -EINVAL);
		memset(huge, '\n', sizeof(huge));
		refuse(_metadata, pool, attr->name, huge, 100, -EINVAL);
	}
	/* 0 is a number, but no capacity */
	REFUSE(pool, "capacity", "0", -EINVAL);
	REFUSE(pool, "policy", "run", -EINVAL);
	REFUSE(pool, "policy", "Block", -EINVAL);
	REFUSE(pool, "policy", "block fail", -EINVAL);
	REFUSE(pool, "policy", "blockx", -EINVAL);
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
		SKIP(return, "needs two CPUs");
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
	/* nothing is taken in part */
	memset(huge, '1', sizeof(huge));
	err = attr_write(pool, "cpumask", "0,1,zzz");
	EXPECT_EQ(-EINVAL, err);
	expect_value(_metadata, pool, "cpumask", "0-1", "a bad end");
	refuse(_metadata, pool, "cpumask", huge, sizeof(huge), -EINVAL);
}

TEST(policy_run_stays)
{
	struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_POLICY,
		.policy = WPOOL_DEV_POLICY_RUN,
	};
	struct pool pool;

	ASSERT_EQ(0, pool_create(&pool, &attrs));
	expect_value(_metadata, pool.name, "policy", "run", "create");
	REFUSE(pool.name, "policy", "block", -EINVAL);
	REFUSE(pool.name, "policy", "fail", -EINVAL);
	REFUSE(pool.name, "policy", "run", -EINVAL);
	pool_end(&pool);
}

TEST(prealloc_is_not_tuned)
{
	struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_PREALLOC | WPOOL_DEV_CAPACITY,
		.prealloc = 1,
		.capacity = 3,
	};
	struct pool pool;

	ASSERT_EQ(0, pool_create(&pool, &attrs));
	expect_value(_metadata, pool.name, "prealloc", "1", "create");
	expect_value(_metadata, pool.name, "order", "fifo", "create");
	expect_value(_metadata, pool.name, "workers", "3", "create");
	REFUSE(pool.name, "capacity", "4", -EINVAL);
	REFUSE(pool.name, "capacity", "2", -EINVAL);
	REFUSE(pool.name, "capacity", "max", -EINVAL);
	/* the queue is not part of what was made in advance */
	EXPECT_EQ(0, attr_write(pool.name, "queue_depth", "7"));
	expect_value(_metadata, pool.name, "free", "10", "a queue");
	pool_end(&pool);
}

/* The two faces show and change the same pool. */
TEST_F(attrs, agree_with_info)
{
	struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_QUEUE_DEPTH | WPOOL_DEV_NICE | WPOOL_DEV_CAPACITY,
		.queue_depth = WPOOL_DEV_UNLIMITED,
		.capacity = 12,
		.nice = -3,
	};
	struct wpool_dev_info info;

	ASSERT_EQ(0, pool_tune(self->pool.fd, &attrs));
	expect_value(_metadata, self->pool.name, "queue_depth", "max", "TUNE");
	expect_value(_metadata, self->pool.name, "capacity", "12", "TUNE");
	expect_value(_metadata, self->pool.name, "nice", "-3", "TUNE");
	EXPECT_EQ(0, attr_write(self->pool.name, "policy", "fail"));
	EXPECT_EQ(0, attr_write(self->pool.name, "capacity", "max"));
	ASSERT_EQ(0, pool_info(self->pool.fd, &info));
	EXPECT_EQ(WPOOL_DEV_POLICY_FAIL, info.attrs.policy);
	EXPECT_EQ(WPOOL_DEV_UNLIMITED, info.attrs.capacity);
}

/* ---- a pool in use ------------------------------------------------------- */

struct submitter {
	pthread_t thread;
	int fd;
	int err;
};

static void *submit_one(void *data)
{
	struct submitter *sub = data;

	sub->err = submit(sub->fd, WPOOL_WORK_SLEEP, LONG, 1);
	return NULL;
}

static bool settled(const char *pool, unsigned int outstanding, unsigned int waiting)
{
	return attr_number(pool, "outstanding") == outstanding &&
	       attr_number(pool, "waiting") == waiting;
}

/* After a larger limit as many waiting submitters go on as fit, and no more. */
TEST_F(attrs, larger_limits_wake_as_many_as_fit)
{
	const char *pool = self->pool.name;
	struct submitter subs[8];
	unsigned int i;

	ASSERT_EQ(0, attr_write(pool, "capacity", "1"));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 1));
	for (i = 0; i < ARRAY_SIZE(subs); i++) {
		subs[i].fd = self->pool.fd;
		ASSERT_EQ(0, pthread_create(&subs[i].thread, NULL, submit_one, &subs[i]));
	}
	ASSERT_TRUE(WAIT_FOR(settled(pool, 1, 8)));
	EXPECT_EQ(0, attr_number(pool, "free"));
	EXPECT_EQ(0, attr_write(pool, "capacity", "3"));
	EXPECT_TRUE(WAIT_FOR(settled(pool, 3, 6)));
	EXPECT_EQ(0, attr_write(pool, "queue_depth", "1"));
	EXPECT_TRUE(WAIT_FOR(settled(pool, 4, 5)));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "busy") == 3));
	EXPECT_EQ(1, attr_number(pool, "queued"));
	/* as much less as more: nobody goes on */
	EXPECT_EQ(0, attr_write(pool, "capacity", "2"));
	EXPECT_EQ(0, attr_write(pool, "queue_depth", "2"));
	EXPECT_TRUE(settled(pool, 4, 5));
	EXPECT_EQ(0, attr_write(pool, "queue_depth", "3"));
	EXPECT_TRUE(WAIT_FOR(settled(pool, 5, 4)));
	EXPECT_EQ(0, attr_write(pool, "capacity", "max"));
	EXPECT_TRUE(WAIT_FOR(settled(pool, 9, 0)));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	for (i = 0; i < ARRAY_SIZE(subs); i++) {
		pthread_join(subs[i].thread, NULL);
		EXPECT_EQ(0, subs[i].err);
	}
}

/* Who sleeps already is not asked again; who comes later is. */
TEST_F(attrs, policy_under_load)
{
	const char *pool = self->pool.name;
	struct submitter sub = { .fd = self->pool.fd };

	ASSERT_EQ(0, attr_write(pool, "capacity", "1"));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 1));
	ASSERT_EQ(0, pthread_create(&sub.thread, NULL, submit_one, &sub));
	ASSERT_TRUE(WAIT_FOR(settled(pool, 1, 1)));
	EXPECT_EQ(0, attr_write(pool, "policy", "fail"));
	EXPECT_EQ(-EAGAIN, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 2));
	EXPECT_EQ(0, attr_write(pool, "capacity", "2"));
	EXPECT_TRUE(WAIT_FOR(settled(pool, 2, 0)));
	pthread_join(sub.thread, NULL);
	EXPECT_TRUE(sub.err == 0 || sub.err == -EAGAIN)
		TH_LOG("%d", sub.err);
}

struct storm {
	pthread_t thread;
	const char *pool;
	const char *attr;
	const char *values[2];
	bool *stop;
	unsigned int good;
	int bad;
};

static void *store_for_ever(void *data)
{
	struct storm *storm = data;
	unsigned int i;
	int err;

	for (i = 0; !__atomic_load_n(storm->stop, __ATOMIC_RELAXED); i++) {
		err = attr_write(storm->pool, storm->attr, storm->values[i % 2]);
		if (!err)
			storm->good++;
		else if (err != -ENOENT && err != -ENODEV && err != -ESHUTDOWN)
			storm->bad = err;
	}
	return NULL;
}

/* A store never finds half a pool, and destroy never waits for a store. */
TEST(stores_against_destroy)
{
	struct storm storms[] = {
		{ .attr = "capacity", .values = { "2", "max" } },
		{ .attr = "policy", .values = { "block", "fail" } },
		{ .attr = "cpumask", .values = { "0", "0-1" } },
		{ .attr = "nice", .values = { "5", "-5" } },
		{ .attr = "expiry_ms", .values = { "1", "0" } },
	};
	__u64 end = now_ns() + 4 * SEC;
	unsigned int i, round, good = 0;
	char name[WPOOL_DEV_NAME_LEN];
	bool stop = false;
	int fd, err;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		storms[2].values[1] = "0";
	pool_name(name);
	for (i = 0; i < ARRAY_SIZE(storms); i++) {
		storms[i].pool = name;
		storms[i].stop = &stop;
		ASSERT_EQ(0, pthread_create(&storms[i].thread, NULL, store_for_ever, &storms[i]));
	}
	/* as many rounds as a slow machine makes in a few seconds */
	for (round = 0; round < 5 || (round < 30 && now_ns() < end); round++) {
		fd = open(DEV, O_RDWR);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, pool_create_fd(fd, name, NULL));
		/* what the limits of the moment let in */
		err = submit_many(fd, WPOOL_WORK_SPIN, 100000, 0, 10);
		EXPECT_TRUE(!err || err == -EAGAIN)
			TH_LOG("%d", err);
		EXPECT_EQ(0, pool_destroy(fd));
		EXPECT_FALSE(pool_exists(name));
		EXPECT_LT(0, pool_figure(fd, file_finished));
		EXPECT_EQ(pool_figure(fd, file_submitted), pool_figure(fd, file_finished));
		close(fd);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(storms); i++) {
		pthread_join(storms[i].thread, NULL);
		EXPECT_EQ(0, storms[i].bad)
			TH_LOG("%s", storms[i].attr);
		good += storms[i].good;
	}
	EXPECT_LT(0, good);
}

/* A file that was open when the pool ended. */
TEST_F(attrs, open_file_of_a_destroyed_pool)
{
	char path[256], buf[64];
	int fd;

	attr_path(path, sizeof(path), self->pool.name, "expiry_ms");
	fd = open(path, O_RDWR);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pool_destroy(self->pool.fd));
	EXPECT_ERRNO(ENODEV, write(fd, "5", 1));
	EXPECT_ERRNO(ENODEV, read(fd, buf, sizeof(buf)));
	close(fd);
}

/* ---- who runs ------------------------------------------------------------ */

/* On one CPU, with more workers to be had than tasks. */
static void one_cpu(struct __test_metadata *_metadata, const char *pool, const char *handoff)
{
	ASSERT_EQ(0, attr_write(pool, "cpumask", "0"));
	ASSERT_EQ(0, attr_write(pool, "queue_depth", "8"));
	ASSERT_EQ(0, attr_write(pool, "handoff", handoff));
}

TEST_F(attrs, handoff_on_sleepers_do_not_hold_others_up)
{
	const char *pool = self->pool.name;

	one_cpu(_metadata, pool, "1");
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 0, 4));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "blocked") == 4));
	EXPECT_LT(0, attr_number(pool, "handoffs"));
	EXPECT_EQ(0, attr_number(pool, "hogs"));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
}

/* A worker that sleeps has its place; and the others theirs, as soon as that is changed. */
TEST_F(attrs, handoff_off_and_on_again)
{
	const char *pool = self->pool.name;
	__u64 end;

	one_cpu(_metadata, pool, "0");
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 0, 4));
	ASSERT_TRUE(WAIT_FOR(attr_number(pool, "blocked") == 1));
	/* as long as a few looks of the monitor take */
	for (end = now_ns() + 200 * MSEC; now_ns() < end;)
		ASSERT_EQ(3, attr_number(pool, "queued"));
	EXPECT_EQ(0, attr_number(pool, "handoffs"));
	EXPECT_EQ(0, attr_write(pool, "handoff", "1"));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "blocked") == 4));
	EXPECT_LT(0, attr_number(pool, "handoffs"));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
}

TEST_F(attrs, concurrency_bounds_who_starts)
{
	const char *pool = self->pool.name;

	one_cpu(_metadata, pool, "0");
	ASSERT_EQ(0, attr_write(pool, "concurrency", "2"));
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 0, 4));
	ASSERT_TRUE(WAIT_FOR(attr_number(pool, "blocked") == 2));
	EXPECT_EQ(2, attr_number(pool, "queued"));
	EXPECT_EQ(0, attr_write(pool, "concurrency", "3"));
	ASSERT_TRUE(WAIT_FOR(attr_number(pool, "blocked") == 3));
	EXPECT_EQ(1, attr_number(pool, "queued"));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
}

TEST_F(attrs, hogs_are_counted_when_they_are_longer_than_hog_ms)
{
	const char *pool = self->pool.name;

	one_cpu(_metadata, pool, "1");
	ASSERT_EQ(0, attr_write(pool, "hog_ms", "10000"));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SPIN, 100 * MSEC, 1));
	ASSERT_TRUE(WAIT_FOR(attr_number(pool, "completed") == 1));
	EXPECT_EQ(0, attr_number(pool, "hogs"));
	ASSERT_EQ(0, attr_write(pool, "hog_ms", "1"));
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_SPIN, LONG, 2));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "hogs") == 1));
	/* what comes after it finds somebody, on the same CPU if need be */
	ASSERT_EQ(0, submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 3));
	EXPECT_TRUE(WAIT_FOR(attr_number(pool, "completed") == 2));
	EXPECT_EQ(1, attr_number(pool, "busy"));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
}

/* ---- workers ------------------------------------------------------------- */

/* All that there are, at least as many as that: hand-off may have made one more. */
static bool all_workers(const char *pool, int least, int nice, const char *cpus)
{
	pid_t pids[64];
	char path[64], stat[1024], allowed[256], *at;
	int found = threads_named(pool, pids, ARRAY_SIZE(pids)), i, field, is;

	if (found < least || found != attr_number(pool, "workers"))
		return false;
	for (i = 0; i < found; i++) {
		snprintf(path, sizeof(path), "/proc/%d/stat", pids[i]);
		if (file_read(path, stat, sizeof(stat)))
			return false;
		/* nice is the 19th field, the 17th after the name */
		at = strrchr(stat, ')');
		for (field = 2; at && field < 19; field++)
			at = strchr(at + 1, ' ');
		is = at ? atoi(at) : 100;
		if (is != nice)
			return false;
		/* on one CPU of the mask, or on several */
		if (thread_status(pids[i], "Cpus_allowed_list", allowed, sizeof(allowed)))
			return false;
		if (strcmp(cpus, "0-1") && strcmp(cpus, allowed))
			return false;
	}
	return true;
}

TEST_F(attrs, workers_follow_nice_and_cpumask)
{
	const char *pool = self->pool.name;
	bool two = sysconf(_SC_NPROCESSORS_ONLN) >= 2;

	ASSERT_EQ(0, attr_write(pool, "nice", "7"));
	ASSERT_EQ(0, attr_write(pool, "cpumask", "0"));
	/* nobody leaves in between */
	ASSERT_EQ(0, attr_write(pool, "expiry_ms", "0"));
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 0, 6));
	ASSERT_TRUE(WAIT_FOR(attr_number(pool, "busy") == 6));
	EXPECT_TRUE(all_workers(pool, 6, 7, "0"));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	ASSERT_EQ(0, wait_tasks(self->pool.fd, 0));
	/* those that exist, too: idle ones ... */
	EXPECT_EQ(0, attr_write(pool, "nice", "-4"));
	EXPECT_TRUE(WAIT_FOR(all_workers(pool, 6, -4, "0")));
	if (two) {
		EXPECT_EQ(0, attr_write(pool, "cpumask", "1"));
		EXPECT_TRUE(WAIT_FOR(all_workers(pool, 6, -4, "1")));
		EXPECT_EQ(0, attr_write(pool, "cpumask", "0-1"));
		EXPECT_TRUE(WAIT_FOR(all_workers(pool, 6, -4, "0-1")));
	}
	/* ... and busy ones */
	ASSERT_EQ(0, submit_many(self->pool.fd, WPOOL_WORK_SLEEP, LONG, 0, 6));
	ASSERT_TRUE(WAIT_FOR(attr_number(pool, "busy") == 6));
	EXPECT_EQ(0, attr_write(pool, "nice", "3"));
	/* which may be others than those that are idle */
	EXPECT_TRUE(WAIT_FOR(all_workers(pool, attr_number(pool, "workers"), 3, "0-1")));
	EXPECT_EQ(0, attr_write(pool, "cpumask", "0"));
	EXPECT_EQ(0, cancel_all(self->pool.fd));
	ASSERT_EQ(0, wait_tasks(self->pool.fd, 0));
	/* once their tasks have ended at the latest */
	EXPECT_TRUE(WAIT_FOR(all_workers(pool, attr_number(pool, "workers"), 3, "0")));
}

TEST_HARNESS_MAIN
