// SPDX-License-Identifier: GPL-2.0
/*
 * Programs use up all memory, until the kernel kills them, one after the other. Meanwhile a pool
 * with the attribute reclaim continues, and loses no task. A file system whose writes pass through
 * such a pool continues, too: completed writes free memory.
 *
 * The tests are skipped if the memory is more than MAX_MB: it takes long to use up. With 256 MB:
 *	scripts/vm run --kernel 6.12 --mem 256M -- -c "insmod wpool.ko; /tests/mem_hog"
 */
/* must be the first include: it defines _GNU_SOURCE, for syncfs() */
#include "mem_hog.h"

#include <stdarg.h>
#include <sys/mount.h>

/*
 * NR_HOGS programs at a time take all memory. A test ends when NR_KILLED were killed and the
 * rescuer was needed, or after MAX_KILLED.
 */
#define NR_HOGS		2
#define NR_KILLED	6
#define MAX_KILLED	30
/* Tasks of a round, more than the pool has workers. */
#define NR_TASKS	64

/* A file system in a file whose memory is allocated before memory is short. */
#define DISK		P_tmpdir "/wpool-disk"
#define DISK_MB		24
#define MOUNTED		P_tmpdir "/wpool-mounted"
#define LOOP		"/dev/loop0"
#define LOOP_POOL	"loop0"
#define NR_FILES	16
#define FILE_PAGES	256

/* Needs no pool: it uses up memory, and nothing else. */
static void hog(const char *pool)
{
	(void)pool;
	for (;;)
		take_memory(4 * MB);
}

/* Were enough programs killed? See NR_KILLED and MAX_KILLED. */
static bool is_enough(unsigned int killed, const char *pool)
{
	return killed >= NR_KILLED && (killed >= MAX_KILLED || attr_number(pool, "rescued") > 0);
}

/*
 * Run tasks that sleep, so that each needs a worker, in a pool whose workers leave at once. Such a
 * pool needs new workers all the time. The harness limits the time.
 */
static void run_rounds(struct __test_metadata *_metadata, const struct wpool_dev_attrs *attrs)
{
	static struct wpool_dev_record records[NR_TASKS];
	unsigned int rounds = 0, killed = 0;
	struct wpool_dev_stats stats;
	pid_t hogs[NR_HOGS] = { };
	struct pool pool;
	int i;

	if (!is_small())
		SKIP(return, "too much memory to use it up: more than %u MB", MAX_MB);
	/* this program's own memory stays resident from now on */
	ASSERT_EQ(0, mlockall(MCL_CURRENT | MCL_FUTURE));
	ASSERT_EQ(0, pool_create(&pool, attrs));
	while (!is_enough(killed, pool.name)) {
		killed += replace_hogs(hogs, NR_HOGS, hog, NULL);
		if (submit_many(pool.fd, WPOOL_WORK_SLEEP, MSEC, 0, NR_TASKS))
			break;
		if (read_records(pool.fd, records, NR_TASKS) != NR_TASKS)
			break;
		for (i = 0; i < NR_TASKS && !records[i].status; i++)
			;
		if (i < NR_TASKS)
			break;
		rounds++;
	}
	end_hogs(hogs, NR_HOGS);
	EXPECT_EQ(NR_KILLED, killed < NR_KILLED ? killed : NR_KILLED)
		TH_LOG("round %u did not come to its end", rounds);
	EXPECT_TRUE(WAIT_FOR(pool_figure(pool.fd, completed) == (__u64)rounds * NR_TASKS));
	ASSERT_EQ(0, pool_stats(pool.fd, &stats));
	EXPECT_EQ(0, stats.outstanding);
	/* memory was so short that tasks needed the rescuer */
	EXPECT_LT(0, attr_number(pool.name, "rescued"));
	TH_LOG("%u rounds, %llu workers created, %lld not at once, %lld times reclaim helped",
	       rounds, stats.spawned, attr_number(pool.name, "spawn_failed"),
	       attr_number(pool.name, "rescued"));
	pool_end(&pool);
}

TEST(tasks_run_while_memory_is_short)
{
	run_rounds(_metadata,
		   ATTRS(.capacity = 16, .queue_depth = NR_TASKS, .expiry_ms = 1, .min_workers = 1,
			 .reclaim = 1));
}

/* The content differs between pages, files and rounds. */
static void fill_page(unsigned int *page, unsigned int file, unsigned int nr, unsigned int round)
{
	unsigned int i;

	for (i = 0; i < PAGE / sizeof(*page); i++)
		page[i] = ((round * NR_FILES + file) * FILE_PAGES + nr) * 2654435761U + i;
}

/* Call @io for all pages of a file, with the content of this round. Returns 0 or the errno. */
static int for_pages(unsigned int file, unsigned int round, int flags,
		     int (*io)(int fd, const unsigned int *page, off_t at))
{
	static unsigned int page[PAGE / sizeof(unsigned int)];
	char path[64];
	int fd, err = 0;
	unsigned int i;

	snprintf(path, sizeof(path), MOUNTED "/file%u", file);
	fd = open(path, flags, 0600);
	if (fd < 0)
		return errno;
	for (i = 0; i < FILE_PAGES && !err; i++) {
		fill_page(page, file, i, round);
		err = io(fd, page, (off_t)i * PAGE);
	}
	/* sync every other file; the kernel writes the rest when it needs memory */
	if (!err && file % 2 && fsync(fd))
		err = errno;
	close(fd);
	return err;
}

static int write_page(int fd, const unsigned int *page, off_t at)
{
	return pwrite(fd, page, PAGE, at) == PAGE ? 0 : errno ?: EIO;
}

static int compare_page(int fd, const unsigned int *page, off_t at)
{
	static unsigned int is[PAGE / sizeof(unsigned int)];

	if (pread(fd, is, PAGE, at) != PAGE)
		return errno ?: EIO;
	return memcmp(is, page, PAGE) ? EILSEQ : 0;
}

static bool is_device_there(void)
{
	return !access(LOOP, F_OK);
}

static bool is_module_gone(const char *name)
{
	return !shell("! [ -e /sys/module/%s ] || rmmod %s 2>/dev/null", name, name);
}

FIXTURE(writeback) {
	bool is_loaded;
};

FIXTURE_SETUP(writeback)
{
	const char *modules = getenv("WPOOL_SAMPLES") ?: "/wpool";

	if (!is_small())
		SKIP(return, "too much memory to use it up: more than %u MB", MAX_MB);
	if (shell("[ -e %s/loop_wpool.ko ]", modules))
		SKIP(return, "loop_wpool.ko is not built for this kernel");
	if (shell("grep -qw ext4 /proc/filesystems"))
		SKIP(return, "ext4 is a module of this kernel, which is not there");
	if (!access("/sys/module/loop", F_OK))
		SKIP(return, "the kernel has a loop driver of its own, which is loaded");
	self->is_loaded = true;
	ASSERT_EQ(0, shell("insmod %s/wpool_wq.ko && insmod %s/loop_wpool.ko max_loop=1", modules,
			   modules));
	ASSERT_TRUE(WAIT_FOR(is_device_there()));
	ASSERT_EQ(0, shell("dd if=/dev/zero of=" DISK " bs=1M count=%u 2>/dev/null", DISK_MB));
	ASSERT_EQ(0, shell("losetup " LOOP " " DISK));
	ASSERT_EQ(0, shell("mke2fs -b 4096 " LOOP " >/dev/null"));
	ASSERT_EQ(0, shell("mkdir -p " MOUNTED));
	ASSERT_EQ(0, mount(LOOP, MOUNTED, "ext4", 0, NULL));
}

FIXTURE_TEARDOWN(writeback)
{
	if (!self->is_loaded)
		return;
	umount2(MOUNTED, 0);
	shell("losetup -d " LOOP);
	EXPECT_TRUE(WAIT_FOR(is_module_gone("loop_wpool")));
	EXPECT_TRUE(WAIT_FOR(is_module_gone("wpool_wq")));
	unlink(DISK);
}

/*
 * A file system on a loop device continues while memory is short, and loses no data: the pool in
 * place of the driver's workqueue has the attribute reclaim. The workqueue itself has no
 * WQ_MEM_RECLAIM.
 */
TEST_F(writeback, goes_on)
{
	unsigned int rounds = 0, killed = 0, i;
	pid_t hogs[NR_HOGS] = { };
	int fd, err = 0;

	/* no worker stays: each write needs a new one */
	ASSERT_EQ(0, attr_write(LOOP_POOL, "reclaim", "1"));
	ASSERT_EQ(0, attr_write(LOOP_POOL, "min_workers", "0"));
	ASSERT_EQ(0, attr_write(LOOP_POOL, "expiry_ms", "1"));
	ASSERT_EQ(0, mlockall(MCL_CURRENT | MCL_FUTURE));
	fd = open(MOUNTED, O_RDONLY | O_DIRECTORY);
	ASSERT_LE(0, fd);
	while (!err && (!rounds || !is_enough(killed, LOOP_POOL))) {
		killed += replace_hogs(hogs, NR_HOGS, hog, NULL);
		rounds++;
		for (i = 0; i < NR_FILES && !err; i++)
			err = for_pages(i, rounds, O_WRONLY | O_CREAT, write_page);
	}
	if (!err && syncfs(fd))
		err = errno;
	end_hogs(hogs, NR_HOGS);
	close(fd);
	ASSERT_EQ(0, err)
		TH_LOG("write in round %u: %s", rounds, strerror(err));
	EXPECT_LE(NR_KILLED, killed);
	EXPECT_LT(0, attr_number(LOOP_POOL, "rescued"));
	TH_LOG("%u rounds, %lld works, %lld workers not at once, %lld times reclaim helped",
	       rounds, attr_number(LOOP_POOL, "completed"), attr_number(LOOP_POOL, "spawn_failed"),
	       attr_number(LOOP_POOL, "rescued"));

	/* attach the file again, and mount it with empty caches: it must have all the data */
	ASSERT_EQ(0, umount(MOUNTED));
	ASSERT_EQ(0, shell("losetup -d " LOOP));
	ASSERT_TRUE(WAIT_FOR(!shell("losetup " LOOP " " DISK " 2>/dev/null")));
	ASSERT_EQ(0, shell("echo 3 >/proc/sys/vm/drop_caches"));
	ASSERT_EQ(0, mount(LOOP, MOUNTED, "ext4", MS_RDONLY, NULL));
	for (i = 0; i < NR_FILES && !err; i++)
		err = for_pages(i, rounds, O_RDONLY, compare_page);
	ASSERT_EQ(0, err)
		TH_LOG("file %u differs, or cannot be read: %s", i - 1, strerror(err));
}

TEST_HARNESS_MAIN
