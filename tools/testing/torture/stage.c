// SPDX-License-Identifier: GPL-2.0
/*
 * Stages: threads and interrupts that act on a pool with tasks of one kind. In the phase of a kind,
 * each stage has a pool of its own. In phase mixed each pool has a stage of every kind, and the
 * actors of phase nasty run, too.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/wpool_stats.h>

#include "../../../module/compat.h"
#include "torture.h"

#define MAX_KINDS	7
#define NR_SHOTS	4	/* actions of an interrupt, at most */

struct scene {
	struct stage_pool sp;
	struct stage_base *stages[MAX_KINDS];
};

static void change_limits(struct stage_pool *sp, struct rnd *rnd)
{
	static const enum wpool_policy policies[] = { WPOOL_BLOCK, WPOOL_FAIL, WPOOL_DROP_OLDEST };
	struct wpool_attrs attrs;
	int err;

	wpool_attrs_init(&attrs);
	attrs.capacity = rnd_from_to(rnd, 1, 6);
	attrs.queue_depth = rnd_one_in(rnd, 4) ? WPOOL_UNLIMITED : rnd_below(rnd, 8);
	attrs.policy = policies[rnd_below(rnd, ARRAY_SIZE(policies))];
	err = wpool_tune(sp->pool, &attrs, WPOOL_TUNE_CAPACITY | WPOOL_TUNE_QUEUE_DEPTH |
			 WPOOL_TUNE_POLICY);
	torture_check(!err, "%s: tune: %d", sp->name, err);
}

/* Close the pool, and open it after a moment; do nothing if another thread is doing so. */
static void reopen(struct stage_pool *sp, struct rnd *rnd)
{
	int err;

	/* only the thread that has closed the pool opens it */
	if (!mutex_trylock(&sp->reopening))
		return;
	/* one of WPOOL_RELEASE_DRAIN, _CANCEL and _OWN */
	err = wpool_release(sp->pool, rnd_below(rnd, 3));
	torture_check(!err, "%s: release: %d", sp->name, err);
	usleep_range(10, 2000);
	torture_check(!wpool_nr_free(sp->pool), "%s: it is closed, and has room", sp->name);
	err = wpool_reboot(sp->pool);
	torture_check(!err, "%s: reboot: %d", sp->name, err);
	mutex_unlock(&sp->reopening);
}

static bool make_pool(struct stage_pool *sp, const char *name, u32 nr)
{
	struct wpool_attrs attrs;

	snprintf(sp->name, sizeof(sp->name), "%s%u", name, nr);
	wpool_attrs_init(&attrs);
	attrs.name = sp->name;
	attrs.capacity = 1 + nr % 4;
	attrs.queue_depth = nr % 3;
	attrs.expiry_ms = 20;
	mutex_init(&sp->reopening);
	sp->pool = wpool_create(&attrs);
	return torture_check(!IS_ERR(sp->pool), "create: %ld", PTR_ERR(sp->pool));
}

static enum hrtimer_restart shoot(struct hrtimer *timer)
{
	struct stage_base *stage = container_of(timer, struct stage_base, timer);
	struct rnd rnd;
	u32 i;

	if (READ_ONCE(stage->stop))
		return HRTIMER_NORESTART;
	rnd_step(&rnd, seed, stage->kind->rnd + STAGE_IRQ + stage->nr, stage->step++);
	for (i = 0; i < NR_SHOTS; i++)
		stage->kind->shoot(stage, &rnd);
	return tirq_again(timer, rnd_from_to(&rnd, 50, 2000));
}

static void one_round(struct stage_hand *hand)
{
	struct stage_base *stage = hand->stage;
	struct rnd rnd;

	rnd_step(&rnd, seed, stage->kind->rnd + stage->nr * STAGE_HANDS + hand->nr,
		 hand->round++);
	switch (rnd_below(&rnd, 256)) {
	case 0:
		reopen(stage->sp, &rnd);
		break;
	case 1 ... 4:
		change_limits(stage->sp, &rnd);
		break;
	case 5 ... 8:
		usleep_range(10, 1000);
		break;
	case 9:
		room_visit(stage->kind->name, stage->nr, hand->nr, &rnd);
		break;
	default:
		stage->kind->round(stage, &rnd);
	}
}

static int hand_main(void *data)
{
	struct stage_hand *hand = data;

	while (!torture_stopping()) {
		one_round(hand);
		cond_resched();
	}
	complete(&hand->ended);
	torture_await_stop();
	return 0;
}

static bool stage_start(struct stage_base *stage, const struct stage_kind *kind,
			struct stage_pool *sp, u32 nr, bool alone)
{
	enum hrtimer_mode mode = kind->soft ? HRTIMER_MODE_REL_SOFT : HRTIMER_MODE_REL_HARD;
	struct stage_hand *hand;
	u32 i;

	stage->sp = sp;
	stage->nr = nr;
	stage->kind = kind;
	stage->alone = alone;
	if (kind->start && !kind->start(stage))
		return false;
	hrtimer_setup(&stage->timer, shoot, CLOCK_MONOTONIC, mode);
	if (kind->shoot)
		hrtimer_start(&stage->timer, ms_to_ktime(1), mode);
	for (i = 0; i < kind->hands; i++) {
		hand = &stage->hands[i];
		hand->stage = stage;
		hand->nr = i;
		init_completion(&hand->ended);
		hand->thread = kthread_run(hand_main, hand, "torture/%.2s%u.%u", kind->name, nr, i);
		if (IS_ERR(hand->thread))
			return false;
	}
	return true;
}

/* Stop the threads and the timer of a stage. Its tasks may still act. */
static void stage_stop(struct stage_base *stage)
{
	u64 rounds = 0;
	u32 i;

	for (i = 0; i < stage->kind->hands; i++) {
		torture_stop_thread(stage->hands[i].thread, &stage->hands[i].ended);
		rounds += stage->hands[i].round;
	}
	WRITE_ONCE(stage->stop, true);
	hrtimer_cancel(&stage->timer);
	pr_info("wpool_torture: %s %u: %llu rounds\n", stage->kind->name, stage->nr, rounds);
}

static bool scene_start(struct scene *scene, const struct stage_kind *const kinds[], u32 nr_kinds,
			u32 nr)
{
	struct stage_base *stage;
	u32 i;

	for (i = 0; i < nr_kinds; i++) {
		stage = kvzalloc(kinds[i]->size, GFP_KERNEL);
		scene->stages[i] = stage;
		if (!torture_check(stage && stage_start(stage, kinds[i], &scene->sp, nr,
							nr_kinds == 1),
				   "%s: no memory, no threads", kinds[i]->name))
			return false;
	}
	return true;
}

/* Stop all stages of a pool. The pool is empty only when the tasks of all kinds have ended. */
static void scene_stop(struct scene *scene, const struct stage_kind *const kinds[], u32 nr_kinds)
{
	struct stage_pool *sp = &scene->sp;
	struct wpool_attrs attrs;
	struct wpool_stats stats;
	u32 i, turn, places;
	int err;

	for (i = 0; i < nr_kinds; i++)
		stage_stop(scene->stages[i]);
	/* in the first turn, a running task may arm an event that was cancelled already */
	for (turn = 0; turn < 2; turn++) {
		for (i = 0; i < nr_kinds; i++)
			if (kinds[i]->take_back)
				kinds[i]->take_back(scene->stages[i]);
		err = wpool_release_timeout(sp->pool, WPOOL_RELEASE_DRAIN, TORTURE_PATIENCE);
		torture_check(!err, "%s: release: %d", sp->name, err);
	}
	for (i = 0; i < nr_kinds; i++) {
		kinds[i]->settle(scene->stages[i]);
		kvfree(scene->stages[i]);
	}
	wpool_get_stats(sp->pool, &stats);
	torture_check(!stats.outstanding && !stats.waiting && !stats.queued &&
		      stats.submitted == stats.completed + stats.cancelled,
		      "%s: %llu submitted, %llu completed, %llu cancelled, %llu outstanding, %u waiting, %u queued",
		      sp->name, stats.submitted, stats.completed, stats.cancelled,
		      stats.outstanding, stats.waiting, stats.queued);
	/* a closed pool has no free place; open again, it has all of them */
	err = wpool_reboot(sp->pool);
	wpool_get_attrs(sp->pool, &attrs, NULL);
	places = attrs.queue_depth == WPOOL_UNLIMITED ? WPOOL_UNLIMITED :
							attrs.capacity + attrs.queue_depth;
	wpool_get_stats(sp->pool, &stats);
	torture_check(!err && stats.free == places, "%s: reboot: %d, %u free of %u", sp->name, err,
		      stats.free, places);
	wpool_destroy(sp->pool);
}

static void act(const char *name, const struct stage_kind *const kinds[], u32 nr_kinds,
		u32 nr_pools, void (*meanwhile)(u32 others), u32 others)
{
	struct scene *scenes = kcalloc(nr_pools, sizeof(*scenes), GFP_KERNEL);
	u32 i;

	for (i = 0; i < nr_pools; i++)
		/* if one stage cannot start, the phase ends */
		if (!torture_check(scenes, "no memory") || !make_pool(&scenes[i].sp, name, i) ||
		    !scene_start(&scenes[i], kinds, nr_kinds, i))
			return;
	meanwhile(others);
	for (i = 0; i < nr_pools; i++)
		scene_stop(&scenes[i], kinds, nr_kinds);
	kfree(scenes);
}

static void wait_for_end(u32 others)
{
	while (torture_pause(100))
		;
}

void phase_stage(const struct stage_kind *kind)
{
	act(kind->name, &kind, 1, max(actors / 2, 1U), wait_for_end, 0);
}

void phase_mixed(u32 others)
{
	static const struct stage_kind *const kinds[] = {
		&event_stage, &watch_stage, &group_stage, &strand_stage, &loop_stage, &work_stage,
		&task_stage,
	};

	static_assert(ARRAY_SIZE(kinds) <= MAX_KINDS);
	act("mixed", kinds, ARRAY_SIZE(kinds), max(actors / 4, 1U), phase_nasty, others);
}
