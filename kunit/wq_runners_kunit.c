// SPDX-License-Identifier: GPL-2.0
/* The runners of a queue of wpool_wq, which its users do not see. */
#include <linux/timekeeping.h>

#include "one_cpu.h"
#include "wq/queue.h"

#define NR_WORKS	16

/* A work that waits at a gate. */
struct gated {
	struct wpool_work work;
	struct wpk_gate *gate;
};

static void pass_gate(struct wpool_work *work)
{
	wpk_gate_pass(container_of(work, struct gated, work)->gate);
}

static struct gated *gated_works(struct kunit *test, struct wpk_gate *gate)
{
	struct gated *works = wpk_alloc(test, NR_WORKS * sizeof(*works));
	int i;

	for (i = 0; i < NR_WORKS; i++) {
		wpool_work_init(&works[i].work, pass_gate);
		works[i].gate = gate;
	}
	return works;
}

/* A queue that may have more runners than works, and whose pool has one worker. */
static struct wpool_wq *one_worker_queue(struct kunit *test)
{
	struct wpool_wq *wq;

	wq = wpool_wq_create(THIS_MODULE, WQ_UNBOUND, 4 * NR_WORKS, "%s", wpk_name(test));
	KUNIT_ASSERT_NOT_NULL(test, wq);
	KUNIT_ASSERT_LT(test, wq->nr_runners, NR_WORKS);
	KUNIT_EXPECT_EQ(test, wpk_tune(wq->pool, CAPACITY, capacity, 1), 0);
	return wq;
}

/*
 * Works that were cancelled before they started make no runner: the driver may destroy the queue
 * next, and then no thread may make runners for it.
 */
static void wpool_work_cancel_of_all_works_makes_no_runner(struct kunit *test)
{
	struct wpool_wq *wq = one_worker_queue(test);
	struct wpk_jobs *busy = wpk_held(test, wq->pool, 1, 1);
	struct gated *works = gated_works(test, busy->gate);
	u32 i, nr = wq->nr_runners;

	/* the only worker stays at the gate: no runner starts */
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_TRUE(test, wpool_wq_queue(wq, &works[i].work));
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_TRUE(test, wpool_work_cancel_sync(&works[i].work));
	wpk_gate_open(busy->gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(wq->pool), 0);
	flush_delayed_work(&wq->grow);
	KUNIT_EXPECT_EQ(test, wq->nr_runners, nr);
	wpool_wq_destroy(wq);
}

/*
 * After a release of the pool of a queue, no runner is made, and none is fired. At the release
 * works wait, and the queue makes runners, as when a module forgets its queue.
 */
static void wpool_release_of_the_pool_of_a_queue_ends_its_growth(struct kunit *test)
{
	struct wpk_gate *gate = wpk_gate(test);
	struct gated *works = gated_works(test, gate);
	struct wpool_wq *wq = one_worker_queue(test);
	struct wpool_wq_runner *runner;
	u32 i, nr, nr_ran = 0;

	for (i = 0; i < NR_WORKS; i++)
		KUNIT_EXPECT_TRUE(test, wpool_wq_queue(wq, &works[i].work));
	KUNIT_EXPECT_TRUE(test, wpk_gate_arrived(gate, 1));
	/* all runners are fired, also those that the first one may have asked for */
	flush_delayed_work(&wq->grow);
	nr = wq->nr_runners;
	KUNIT_EXPECT_EQ(test, wpool_release(wq->pool, WPOOL_RELEASE_CANCEL), 0);
	WPK_EVENTUALLY(test, wpk_stat(wq->pool, outstanding) == 1);
	schedule_delayed_work(&wq->grow, 0);
	flush_delayed_work(&wq->grow);
	KUNIT_EXPECT_EQ(test, wq->nr_runners, nr);
	/* the runner that ran is not fired for the next work */
	wpk_gate_open(gate);
	KUNIT_EXPECT_EQ(test, wpool_flush(wq->pool), 0);
	list_for_each_entry(runner, &wq->runners, node)
		nr_ran += !wpool_event_cancel_sync(&runner->event);
	KUNIT_EXPECT_EQ(test, nr_ran, 1);
	for (i = 0; i < NR_WORKS; i++)
		wpool_work_cancel_sync(&works[i].work);
	wpool_wq_destroy(wq);
}

#define NR_WARM		64

/* A work that says that it has started. */
struct noting {
	struct wpool_work work;
	int started;
};

static void note_start(struct wpool_work *work)
{
	WRITE_ONCE(container_of(work, struct noting, work)->started, 1);
}

/*
 * While another work waits, a work starts on the CPU that the caller has chosen, if that CPU has an
 * idle worker. The caller keeps the first CPU, with interrupts off, so the work starts elsewhere.
 * The monitor, which would move a work that waits for long, does not look.
 */
static void wpool_wq_queue_on_starts_the_work_there(struct kunit *test)
{
	const struct cpumask *mask = wpk_first_cpus(test, 2);
	struct noting *noting = wpk_alloc(test, 2 * sizeof(*noting));
	struct wpool_wq *wq;
	unsigned long flags;
	bool started;
	u64 end;
	int i;

	wpool_work_init(&noting[0].work, note_start);
	wpool_work_init(&noting[1].work, note_start);
	wq = wpool_wq_create(THIS_MODULE, 0, 4, "%s", wpk_name(test));
	KUNIT_ASSERT_NOT_NULL(test, wq);
	KUNIT_EXPECT_EQ(test, wpk_tune_with(wq->pool, WPOOL_TUNE_CAPACITY | WPOOL_TUNE_HOG_MS |
					    WPOOL_TUNE_MIN_WORKERS | WPOOL_TUNE_CPUMASK,
					    attrs.capacity = 2, attrs.min_workers = 2,
					    attrs.hog_ms = WPOOL_MAX_HOG_MS,
					    attrs.cpumask = mask), 0);
	wpk_move_to(wpk_cpu(0));
	wpk_pair(test, wq->pool);
	/* from now on the works are known to be short: no other CPU helps with them */
	for (i = 0; i < NR_WARM; i++) {
		wpool_wq_queue(wq, &noting[0].work);
		wpool_wq_flush(wq);
	}
	WPK_EVENTUALLY(test, wpk_stat(wq->pool, idle) == 2);
	wpk_unwatched(test, wq->pool);

	local_irq_save(flags);
	wpool_wq_queue(wq, &noting[0].work);
	wpool_wq_queue_on(wpk_cpu(1), wq, &noting[1].work);
	/* give up before the kernel reports a stall: then the work is not on the other CPU */
	end = ktime_get_mono_fast_ns() + 10ULL * NSEC_PER_SEC;
	while (!READ_ONCE(noting[1].started) && ktime_get_mono_fast_ns() < end)
		cpu_relax();
	started = READ_ONCE(noting[1].started);
	local_irq_restore(flags);
	KUNIT_EXPECT_TRUE(test, started);
	wpool_wq_destroy(wq);
}

WPK_SUITE(wq_runners,
	  KUNIT_CASE(wpool_wq_queue_on_starts_the_work_there),
	  KUNIT_CASE(wpool_work_cancel_of_all_works_makes_no_runner),
	  KUNIT_CASE(wpool_release_of_the_pool_of_a_queue_ends_its_growth));
