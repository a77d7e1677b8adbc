// SPDX-License-Identifier: GPL-2.0
/* Events under load: many that free themselves, and a few that several threads fire and cancel. */
#include <linux/slab.h>

#include "event.h"

#define NR_RACE_EVENTS	8
#define NR_RACE_FIRES	(WPK_LIMIT_TASKS / 2)

struct loner {
	struct wpool_event event;
	atomic_t *gone;
	bool arm;
};

static void loner_fn(struct wpool_event *event)
{
	struct loner *loner = container_of(event, struct loner, event);
	atomic_t *gone = loner->gone;

	/* wpool_event_finish() undoes the arm or the fire */
	if (loner->arm)
		wpool_event_arm(event, WPK_FAR);
	else
		wpool_event_fire(event);
	wpool_event_finish(event);
	memset(loner, 0x5a, sizeof(*loner));
	kfree(loner);
	atomic_inc(gone);
}

static void loner_abort(struct wpool_event *event, int status)
{
	loner_fn(event);
}

static void wpool_event_finish_function_may_free_its_event(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 4);
	atomic_t *gone = wpk_alloc(test, sizeof(*gone));
	struct loner *loner;
	unsigned int i;

	for (i = 0; i < WPK_LIFETIME_ROUNDS; i++) {
		loner = kzalloc(sizeof(*loner), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, loner);
		wpool_event_init(&loner->event, pool, loner_fn, loner_abort);
		loner->gone = gone;
		loner->arm = i & 1;
		if (i & 2)
			wpool_event_arm(&loner->event, i % 8 == 2 ? 1 : 2);
		else
			wpool_event_fire(&loner->event);
	}
	WPK_ASSERT_EVENTUALLY(test, atomic_read(gone) == WPK_LIFETIME_ROUNDS);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, outstanding), 0);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 6);
	/* The abort function may free the event, too. */
	wpool_release(pool, WPOOL_RELEASE_DRAIN);
	loner = kzalloc(sizeof(*loner), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, loner);
	wpool_event_init(&loner->event, pool, loner_fn, loner_abort);
	loner->gone = gone;
	loner->arm = true;
	wpool_event_fire(&loner->event);
	WPK_EVENTUALLY(test, atomic_read(gone) == WPK_LIFETIME_ROUNDS + 1);
}

struct race {
	struct wpk_ev *evs;
	u32 fired[NR_RACE_EVENTS];
	u32 taken_back[NR_RACE_EVENTS];
	u32 seed;
	bool cancels;
};

struct race_step {
	struct race *race;
	u32 random;
};

static void race_step(void *data)
{
	struct race_step *step = data;
	u32 i = step->random / 64 % NR_RACE_EVENTS;
	struct race *race = step->race;

	if (race->cancels && step->random % 8 == 0)
		race->taken_back[i] += wpool_event_cancel(wpk_event(&race->evs[i]));
	else
		race->fired[i] += wpool_event_fire(wpk_event(&race->evs[i]));
}

static int race(struct wpk_thread *thread)
{
	struct race_step step = { .race = thread->arg };
	u32 n;

	step.random = step.race->seed;
	for (n = 0; n < NR_RACE_FIRES && !wpk_stopped(thread->test); n++) {
		step.random = step.random * 1664525 + 1013904223;
		if (step.random % 32 == 1)
			wpk_in_hardirq(race_step, &step);
		else
			race_step(&step);
		if (n % 64 == 0)
			cond_resched();
	}
	return 0;
}

WPK_PARAM_BOOL(cancels, "cancels: %d");

/* Expect as many runs as fires returned true, less the cancels that returned true. */
static void wpool_event_fire_under_load_loses_none(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 1, 2);
	struct wpk_ev *evs = wpk_evs(test, pool, NULL, NR_RACE_EVENTS);
	struct wpk_thread *threads[3];
	struct race *races = wpk_alloc(test, ARRAY_SIZE(threads) * sizeof(*races));
	int i, j, expected;

	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		races[i].evs = evs;
		races[i].seed = i + 1;
		races[i].cancels = wpk_is_on(test);
		threads[i] = wpk_thread(test, race, pool, NULL, &races[i]);
	}
	wpk_join_all(test, threads, ARRAY_SIZE(threads));
	WPK_ASSERT_EVENTUALLY(test, !wpk_stat(pool, waiting) && !wpk_stat(pool, outstanding));
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
	for (j = 0; j < NR_RACE_EVENTS; j++) {
		expected = 0;
		for (i = 0; i < ARRAY_SIZE(threads); i++)
			expected += races[i].fired[j] - races[i].taken_back[j];
		KUNIT_EXPECT_EQ(test, atomic_read(&evs[j].runs), expected);
		KUNIT_EXPECT_FALSE(test, evs[j].twice);
		KUNIT_EXPECT_EQ(test, atomic_read(&wpk_event(&evs[j])->task.state), 0);
	}
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, free), 3);
	KUNIT_EXPECT_EQ(test, wpk_stat(pool, submitted),
			wpk_stat(pool, completed) + wpk_stat(pool, cancelled));
}

WPK_SUITE(event_load,
	  KUNIT_CASE_SLOW(wpool_event_finish_function_may_free_its_event),
	  KUNIT_CASE_PARAM_ATTR(wpool_event_fire_under_load_loses_none, cancels_gen_params,
				{ .speed = KUNIT_SPEED_SLOW }));
