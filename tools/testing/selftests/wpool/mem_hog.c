// SPDX-License-Identifier: GPL-2.0
/*
 * A machine whose memory is all in use: programs that take more than there is, until the
 * kernel kills them, one after the other. A pool with the attribute reclaim continues
 * meanwhile, and whatever else happens, nothing is lost.
 *
 * Only where there is little memory: with more, it takes long to use it up. In a machine of
 * 256 MB:  scripts/vm run --kernel 6.12 --mem 256M -- \
 *		-c "insmod wpool.ko; /tests/mem_hog"
 */
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>

#include "wpool_test.h"

#define MAX_MB		300
#define MB		(1024UL * 1024)
#define PAGE		4096

/*
 * Programs that take all memory at a time, and how many are killed before the end: more, if the
 * rescuer has not been needed by then.
 */
#define NR_HOGS		2
#define NR_KILLED	6
#define MAX_KILLED	30
/* Tasks of a round: more than the pool has workers. */
#define NR_TASKS	64

static bool is_small(void)
{
	struct sysinfo info;

	return !sysinfo(&info) && info.totalram * info.mem_unit <= MAX_MB * MB;
}

/* Take memory until the kernel takes this program, the first of all, for the one to kill. */
static void hog(void)
{
	size_t i, bytes = 4 * MB;
	char *at;

	file_write("/proc/self/oom_score_adj", "1000", 4);
	for (;;) {
		at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (at == MAP_FAILED)
			continue;
		for (i = 0; i < bytes; i += PAGE)
			at[i] = 1;
	}
}

static pid_t start_hog(void)
{
	pid_t pid = fork();

	if (!pid)
		hog();
	return pid;
}

/* Start another one for each that was killed: how many were, or -errno. */
static int replace_hogs(pid_t *hogs)
{
	int i, nr = 0;

	for (i = 0; i < NR_HOGS; i++) {
		if (hogs[i] > 0 && waitpid(hogs[i], NULL, WNOHANG) != hogs[i])
			continue;
		nr += hogs[i] > 0;
		hogs[i] = start_hog();
	}
	return nr;
}

static void end_hogs(pid_t *hogs)
{
	int i;

	for (i = 0; i < NR_HOGS; i++) {
		if (hogs[i] <= 0)
			continue;
		kill(hogs[i], SIGKILL);
		waitpid(hogs[i], NULL, 0);
	}
}

/*
 * Tasks that sleep, each of which takes a worker, in a pool whose workers leave at once: it
 * needs new ones all the time. The harness limits the time.
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
	/* what this program needs is there from now on */
	ASSERT_EQ(0, mlockall(MCL_CURRENT | MCL_FUTURE));
	ASSERT_EQ(0, pool_create(&pool, attrs));
	while (killed < NR_KILLED ||
	       (killed < MAX_KILLED && !attr_number(pool.name, "rescued"))) {
		killed += replace_hogs(hogs);
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
	end_hogs(hogs);
	EXPECT_EQ(NR_KILLED, killed < NR_KILLED ? killed : NR_KILLED)
		TH_LOG("round %u did not come to its end", rounds);
	EXPECT_TRUE(WAIT_FOR(pool_figure(pool.fd, completed) == (__u64)rounds * NR_TASKS));
	ASSERT_EQ(0, pool_stats(pool.fd, &stats));
	EXPECT_EQ(0, stats.outstanding);
	/* memory was as short as this is about: tasks would have waited for it */
	EXPECT_LT(0, attr_number(pool.name, "rescued"));
	TH_LOG("%u rounds, %llu workers created, %lld not at once, %lld times without a rescuer",
	       rounds, stats.spawned, attr_number(pool.name, "spawn_failed"),
	       attr_number(pool.name, "rescued"));
	pool_end(&pool);
}

TEST(reclaim_goes_on)
{
	const struct wpool_dev_attrs attrs = {
		.mask = WPOOL_DEV_CAPACITY | WPOOL_DEV_QUEUE_DEPTH | WPOOL_DEV_EXPIRY_MS |
			WPOOL_DEV_MIN_WORKERS | WPOOL_DEV_RECLAIM,
		.capacity = 16,
		.queue_depth = NR_TASKS,
		.expiry_ms = 1,
		.min_workers = 1,
		.reclaim = 1,
	};

	run_rounds(_metadata, &attrs);
}

TEST_HARNESS_MAIN
