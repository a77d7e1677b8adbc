// SPDX-License-Identifier: GPL-2.0
/* Tests of figures: histograms of times, arrivals, tallies, orders. */
#include "../arrivals.h"
#include "../overtaken.h"
#include "../parse.h"
#include "../random.h"
#include "../tally.h"
#include "../timehist.h"
#include "../work.h"
#include "tap.h"

static void test_timehist(void)
{
	struct timehist hist = { };
	__u64 i, ns, percentile;
	size_t bucket;

	EXPECT(timehist_percentile(&hist, 500000) == 0 && timehist_mean(&hist) == 0, "empty");
	timehist_add(&hist, 7654321, 1);
	EXPECT(timehist_percentile(&hist, 0) == 7654321 &&
	       timehist_percentile(&hist, 500000) == 7654321 &&
	       timehist_percentile(&hist, 1000000) == 7654321, "one value");
	timehist_clear(&hist);
	EXPECT(!hist.nr && !hist.max_ns && timehist_percentile(&hist, 500000) == 0, "cleared");

	for (i = 200; i >= 1; i--)
		timehist_add(&hist, i, 1);
	EXPECT(timehist_percentile(&hist, 500000) == 100 &&
	       timehist_percentile(&hist, 990000) == 198 &&
	       timehist_percentile(&hist, 999000) == 200 && hist.min_ns == 1 &&
	       timehist_mean(&hist) == 100, "of 1..200");
	hist = (struct timehist){ };
	test_ends("percentiles of short times are exact");

	for (i = 1; i <= 1000000; i++)
		timehist_add(&hist, i * 1000, 2);
	for (i = 1; i < 1000000; i += 1001) {
		percentile = timehist_percentile(&hist, i);
		EXPECT(percentile >= i * 1000 && percentile < i * 1010 + 1000,
		       "%llu of a million: %llu", i, percentile);
	}
	EXPECT(hist.nr == 2000000 && hist.max_ns == 1000000000 &&
	       timehist_percentile(&hist, 1000000) == 1000000000, "ends");
	hist = (struct timehist){ };
	for (bucket = 1; bucket < TIMEHIST_BUCKETS; bucket++) {
		ns = timehist_from_ns(bucket);
		EXPECT(ns > timehist_from_ns(bucket - 1), "bucket %zu", bucket);
		timehist_add(&hist, ns, 1);
		timehist_add(&hist, ns - 1, 1);
		EXPECT(hist.bucket[bucket] == 1 && hist.bucket[bucket - 1] == (bucket > 1) + 1,
		       "%llu is not at the edge of a bucket", ns);
	}
	timehist_add(&hist, ~0ULL, 1);
	EXPECT(hist.bucket[TIMEHIST_BUCKETS - 1] == 2, "the last bucket takes the rest");
	test_ends("percentiles of long times are at most a hundredth too long");
}

/* ---- arrivals ---- */

static void test_arrivals(void)
{
	struct arrivals_config config = { .rate = 1000 };
	struct arrivals arrivals, other;
	__u64 ns, last, sum;
	int i;

	arrivals_init(&arrivals, &config, 0, 1);
	for (i = 0; i < 1000; i++, arrivals_step(&arrivals, 1))
		EXPECT(arrivals_ns(&arrivals) == i * NSEC_PER_MSEC, "task %d at %llu", i,
		       arrivals_ns(&arrivals));
	EXPECT(arrivals_left(&arrivals, 3 * NSEC_PER_SEC) == 2000 &&
	       arrivals_left(&arrivals, NSEC_PER_SEC) == 0 &&
	       arrivals_left(&arrivals, 0) == 0, "what is left");
	EXPECT(arrivals_expected(&config, 1500 * NSEC_PER_MSEC) == 1500, "expected");
	arrivals_init(&arrivals, &config, 0, 3);
	arrivals_init(&other, &config, 2, 3);
	for (i = 0; i < 99; i++, arrivals_step(&arrivals, 1), arrivals_step(&other, 1))
		EXPECT(arrivals_ns(&arrivals) == 3 * i * NSEC_PER_MSEC &&
		       arrivals_ns(&other) == (3 * i + 2) * NSEC_PER_MSEC, "turn %d", i);
	test_ends("arrivals at equal distances, shared by submitters");

	config = (struct arrivals_config){ .rate = 1000, .poisson = true, .seed = 42 };
	arrivals_init(&arrivals, &config, 0, 1);
	arrivals_init(&other, &config, 0, 1);
	for (i = 0, sum = 0, last = 0; i < 100000; i++) {
		ns = arrivals_ns(&arrivals);
		EXPECT(ns == arrivals_ns(&other) && ns >= last, "task %d: not the same", i);
		/* count the distances above the mean: e^-1 of all, if they are exponential */
		sum += ns - last > NSEC_PER_MSEC;
		last = ns;
		arrivals_step(&arrivals, 1);
		arrivals_step(&other, 1);
	}
	EXPECT(sum > 36500 && sum < 37100, "%llu long distances", sum);
	EXPECT(last > 99 * NSEC_PER_SEC && last < 101 * NSEC_PER_SEC, "the last at %llu", last);
	arrivals_init(&arrivals, &config, 0, 2);
	arrivals_init(&other, &config, 1, 2);
	EXPECT(arrivals_ns(&arrivals) != arrivals_ns(&other), "two submitters the same");
	test_ends("Poisson arrivals: exponential distances, by the seed");
}

static void test_tally(void)
{
	struct wpool_dev_record r[] = {
		{ .cookie = tally_cookie(0, 0), .cpu = 1, .submit_ns = 50, .start_ns = 60,
		  .end_ns = 160 },
		{ .cookie = tally_cookie(1, 1), .cpu = 0, .submit_ns = 40, .start_ns = 70,
		  .end_ns = 71 },
		{ .cookie = tally_cookie(2, 0), .cpu = ~0U, .submit_ns = 55, .end_ns = 90,
		  .status = -ECANCELED },
		{ .cookie = tally_cookie(3, 1), .cpu = 0, .submit_ns = 60, .start_ns = 70,
		  .end_ns = 80, .status = -EIO },
	};
	struct tally tally = { };

	EXPECT(!tally_add(&tally, r, ARRAY_SIZE(r)), "added");
	EXPECT(tally.completed == 2 && tally.failed == 1 &&
	       tally.cancelled == 1 && tally.never_ran == 1, "counts");
	EXPECT(tally.work[0].completed == 1 && tally.work[0].cancelled == 1 &&
	       tally.work[1].completed == 1 && tally.work[1].failed == 1, "by work");
	EXPECT(tally.nr_cpus == 2 && tally.cpu[0].finished == 2 &&
	       tally.cpu[1].run_ns == 100, "by CPU");
	EXPECT(tally_wall_ns(&tally) == 120 && tally_window_ns(&tally) == 120 &&
	       tally.completed_in_window == 2, "wall %llu", tally_wall_ns(&tally));
	EXPECT(tally.time[TALLY_QUEUE].nr == 3 && tally.time[TALLY_QUEUE].max_ns == 30 &&
	       tally.time[TALLY_TOTAL].nr == 4 && tally.time[TALLY_TOTAL].max_ns == 110 &&
	       !tally.time[TALLY_LATE].nr, "latency");
	EXPECT(tally.error[EIO] == 1, "errors");
	r[3].status = -524;
	tally_add(&tally, &r[3], 1);
	EXPECT(tally.error[TALLY_ERRNOS - 1] == 1, "an error without a name");
	r[0].cpu = 1 << 30;
	EXPECT(tally_add(&tally, r, 1), "a CPU that cannot be");
	test_ends("records are counted");
}

/* Counts the overtakes of one task by comparing it with each other task, see overtaken.h. */
static unsigned int count_slowly(const struct overtaken_task *tasks, unsigned int nr,
				 unsigned int which)
{
	const struct overtaken_task *a = &tasks[which], *b;
	__u64 next = ~0ULL;
	unsigned int i, sum = 0;

	for (i = 0; i < nr; i++)
		if (tasks[i].submitter == a->submitter && tasks[i].submit_ns > a->submit_ns &&
		    tasks[i].submit_ns < next)
			next = tasks[i].submit_ns;
	for (i = 0; i < nr; i++) {
		b = &tasks[i];
		if (b->start_ns >= a->start_ns)
			continue;
		if (b->submitter == a->submitter)
			sum += b->nr > a->nr;
		else
			sum += b->submit_ns >= next;
	}
	return sum;
}

static void expect_overtakes(const struct overtaken_task *tasks, unsigned int nr)
{
	struct overtaken overtaken = { };
	struct overtaken_figures figures;
	unsigned int i, n, most = 0, over = 0;

	for (i = 0; i < nr; i++)
		overtaken_add(&overtaken, &tasks[i]);
	overtaken_count(&overtaken, &figures);
	EXPECT(figures.nr == nr, "of %u", figures.nr);
	for (i = 0; i < nr; i++) {
		n = count_slowly(tasks, nr, i);
		most = n > most ? n : most;
		over += n > figures.p99;
	}
	EXPECT(figures.most == most, "most %u, not %u", figures.most, most);
	EXPECT(over <= nr / 100, "%u of %u above p99 %u", over, nr, figures.p99);
	EXPECT(figures.p99 <= most, "p99");
}

static void test_overtaken(void)
{
	enum { NR_TASKS = 500 };
	struct overtaken_task many[NR_TASKS];
	struct random random;
	struct overtaken overtaken = { };
	struct overtaken_figures figures;
	__u64 ns, seed;
	unsigned int i;

	overtaken_count(&overtaken, &figures);
	EXPECT(!figures.nr, "none");
	for (seed = 1; seed <= 20; seed++) {
		random_init(&random, seed, 0);
		for (i = 0, ns = 0; i < NR_TASKS; i++) {
			/* some tasks are submitted in one call */
			ns += random_u64(&random) % 3 ? random_u64(&random) % 20 + 1 : 0;
			many[i].submitter = random_u64(&random) % (seed % 5 + 1);
			many[i].submit_ns = ns;
			many[i].start_ns = ns + random_u64(&random) % (50 * seed);
			many[i].nr = i;
		}
		expect_overtakes(many, NR_TASKS);
	}
	test_ends("overtakes: many tasks, counted one by one");
}

static void test_window(void)
{
	struct tally tally = {
		.window = { .open_loop = true, .start_ns = 1000, .from_ns = 1100, .to_ns = 1200 },
	};
	struct wpool_dev_record r[] = {
		/* too early for latencies, ended in the window: counts for the rate */
		{ .cookie = tally_cookie(90, 0), .submit_ns = 1090, .start_ns = 1091,
		  .end_ns = 1110 },
		{ .cookie = tally_cookie(100, 0), .submit_ns = 1120, .start_ns = 1130,
		  .end_ns = 1199 },
		/* ended after the window: counts for latencies, not for the rate */
		{ .cookie = tally_cookie(190, 0), .submit_ns = 1190, .start_ns = 1191,
		  .end_ns = 1200 },
		{ .cookie = tally_cookie(195, 0), .submit_ns = 1195, .start_ns = 1196,
		  .end_ns = 1230 },
	};

	EXPECT(!tally_add(&tally, r, ARRAY_SIZE(r)), "added");
	EXPECT(tally.completed == 4 && tally.warmup == 1, "counts are of all");
	EXPECT(tally.completed_in_window == 2 && tally_window_ns(&tally) == 100, "rate");
	EXPECT(tally.time[TALLY_TOTAL].nr == 3 && tally.time[TALLY_TOTAL].max_ns == 99 &&
	       tally.time[TALLY_LATE].max_ns == 20 && tally.time[TALLY_WAIT].max_ns == 30 &&
	       tally.time[TALLY_QUEUE].max_ns == 10 && tally.work[0].run_ns.nr == 3 &&
	       tally.cpu[0].finished == 3, "times are of those that arrived in it");
	EXPECT(tally.interval.completed == 4 && tally.interval.total_ns.nr == 4, "interval");
	tally_add_unsent(&tally, 1050, 1300, 5);
	EXPECT(tally.unsent == 5 && tally.time[TALLY_TOTAL].nr == 3, "unsent before it");
	/* the tasks that arrived but were not submitted have waited, too */
	tally_add_unsent(&tally, 1150, 1300, 5);
	EXPECT(tally.unsent == 10 && tally.time[TALLY_QUEUE].nr == 3 &&
	       tally.time[TALLY_TOTAL].nr == 8 && tally.time[TALLY_TOTAL].max_ns == 150 &&
	       tally.time[TALLY_LATE].nr == 8 && tally.time[TALLY_LATE].max_ns == 150 &&
	       tally.time[TALLY_WAIT].nr == 8 && tally.time[TALLY_WAIT].max_ns == 150, "unsent");
	test_ends("the warm-up is counted, but not measured");
}

int main(void)
{
	test_timehist();
	test_arrivals();
	test_tally();
	test_window();
	test_overtaken();
	return nr_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
