// SPDX-License-Identifier: GPL-2.0
/*
 * Submits and cancels in interrupts: each pool has a timer that expires in hard interrupts and one
 * that expires in soft interrupts, each with its own items. The timers continue while the pool is
 * released, rebooted and destroyed.
 */
#include <linux/slab.h>

#include "../../../module/compat.h"
#include "torture.h"

#define NR_ITEMS	8
#define MAX_SHOT	4

struct source {
	struct tpool *tp;
	struct titem items[NR_ITEMS];
	u32 nr;
	u64 step;
};

struct tirq {
	struct hrtimer hard;
	struct timer_list soft;
	bool stop;
	struct source from_hard;
	struct source from_soft;
};

/* Submit or cancel some items. Returns the time until the next shot, in us. */
static u32 shoot(struct source *source)
{
	struct titem *items[MAX_SHOT], *item;
	u32 want, nr = 0, accepted, i;
	enum titem_how how;
	struct rnd rnd;
	int err;

	rnd_step(&rnd, seed, RND_IRQ + source->nr, source->step++);
	want = rnd_from_to(&rnd, 1, MAX_SHOT);
	for (i = 0; i < NR_ITEMS && nr < want; i++) {
		item = &source->items[i];
		/* pairs with the release in titem_fn() and titem_abort() */
		if (smp_load_acquire(&item->busy))
			continue;
		titem_prepare_abortable(item, source->tp, rnd_u64(&rnd));
		items[nr++] = item;
	}
	if (nr) {
		how = rnd_one_in(&rnd, 2) ? BY_BATCH_TRY : BY_TRY;
		err = titem_submit(source->tp, items, nr, how, &accepted);
		titem_check_error(source->tp, how, err, false);
		for (i = accepted; i < nr; i++)
			WRITE_ONCE(items[i]->busy, false);
	}
	item = &source->items[rnd_below(&rnd, NR_ITEMS)];
	if (item->tp && rnd_one_in(&rnd, 4))
		titem_cancel(item);
	return rnd_from_to(&rnd, 100, 5000);
}

enum hrtimer_restart tirq_again(struct hrtimer *timer, u32 us)
{
	hrtimer_forward_now(timer, ns_to_ktime(us * (u64)NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static enum hrtimer_restart fire_hard(struct hrtimer *timer)
{
	struct tirq *irq = container_of(timer, struct tirq, hard);

	if (READ_ONCE(irq->stop))
		return HRTIMER_NORESTART;
	return tirq_again(timer, shoot(&irq->from_hard));
}

static void fire_soft(struct timer_list *timer)
{
	struct tirq *irq = timer_container_of(irq, timer, soft);

	if (READ_ONCE(irq->stop))
		return;
	mod_timer(timer, jiffies + 1 + shoot(&irq->from_soft) / 2000);
}

static void start(struct tirq *irq)
{
	hrtimer_start(&irq->hard, ms_to_ktime(1), HRTIMER_MODE_REL_HARD);
	mod_timer(&irq->soft, jiffies + 1);
}

int tirq_start(struct tpool *tp)
{
	struct tirq *irq = kzalloc(sizeof(*irq), GFP_KERNEL);

	if (!irq)
		return -ENOMEM;
	irq->from_hard.tp = tp;
	irq->from_hard.nr = 2 * tp->nr;
	irq->from_soft.tp = tp;
	irq->from_soft.nr = 2 * tp->nr + 1;
	hrtimer_setup(&irq->hard, fire_hard, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	timer_setup(&irq->soft, fire_soft, 0);
	tp->irq = irq;
	start(irq);
	return 0;
}

void tirq_stop(struct tpool *tp)
{
	struct tirq *irq = tp->irq;

	if (!irq)
		return;
	WRITE_ONCE(irq->stop, true);
	hrtimer_cancel(&irq->hard);
	timer_delete_sync(&irq->soft);
}

void tirq_go_on(struct tpool *tp)
{
	struct tirq *irq = tp->irq;

	if (!irq)
		return;
	WRITE_ONCE(irq->stop, false);
	start(irq);
}

void tirq_free(struct tpool *tp)
{
	kfree(tp->irq);
}
