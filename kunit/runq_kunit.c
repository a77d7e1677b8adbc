// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of a run queue, alone: its order, its limits, and the wrap of its indices. When several
 * threads take items, each item is taken exactly once.
 *
 * The ring never follows its pointers, so the items here are numbers, at which an access faults.
 * The code under test is compiled into this file, since the module does not export it.
 */
#include <linux/irqflags.h>

#include "core/ring.c"
#include "fixture.h"

/* Start values of head and tail; from some of them, both wrap during the case. */
static const u32 starts[] = {
	0, 1, 255, 256, 0x7fffff80, U32_MAX - 256, U32_MAX - 127, U32_MAX,
};

WPK_PARAM(start, starts, "indices from %u");

static struct wpool_task *item(unsigned long nr)
{
	return (struct wpool_task *)(nr + 1);
}

static unsigned long item_nr(const struct wpool_task *task)
{
	return (unsigned long)task - 1;
}

/* Push as many of @tasks as fit. The jiffy of the push is the number of the first item. */
static u32 push(struct wpool_ring *ring, struct wpool_task *const *tasks, u32 nr)
{
	unsigned long flags;
	u32 ret;

	local_irq_save(flags);
	ret = min(nr, wpool_ring_room(ring));
	wpool_ring_put(ring, tasks, ret, nr ? item_nr(tasks[0]) : 0);
	local_irq_restore(flags);
	return ret;
}

static struct wpool_task *pop(struct wpool_ring *ring)
{
	struct wpool_task *task;
	unsigned long flags;

	local_irq_save(flags);
	task = wpool_ring_pop(ring);
	local_irq_restore(flags);
	return task;
}

static u32 grab_all(struct wpool_ring *ring, struct wpool_task **tasks)
{
	unsigned long flags;
	u32 ret;

	local_irq_save(flags);
	ret = wpool_ring_grab_all(ring, tasks);
	local_irq_restore(flags);
	return ret;
}

static struct wpool_task *steal_half(struct wpool_ring *own, struct wpool_ring *victim, u32 *nr)
{
	struct wpool_task *task;
	unsigned long flags;

	local_irq_save(flags);
	task = wpool_ring_steal_half(own, victim, nr);
	local_irq_restore(flags);
	return task;
}

static struct wpool_ring *ring_at(struct kunit *test, u32 start)
{
	struct wpool_ring *ring = wpk_alloc(test, sizeof(*ring));

	wpool_ring_init(ring);
	atomic_set(&ring->head, start);
	ring->tail = start;
	return ring;
}

static struct wpool_ring *ring_of_param(struct kunit *test)
{
	return ring_at(test, *(const u32 *)test->param_value);
}

/* Put items @from, @from + 1, ... into the ring, which must have room. */
static void fill(struct kunit *test, struct wpool_ring *ring, unsigned long from, u32 nr)
{
	struct wpool_task *task;
	u32 i;

	for (i = 0; i < nr; i++) {
		task = item(from + i);
		KUNIT_ASSERT_EQ(test, push(ring, &task, 1), 1);
	}
}

/* The ring must hold exactly items @from, @from + 1, ...; afterwards it is empty. */
static void expect_items(struct kunit *test, struct wpool_ring *ring, unsigned long from, u32 nr)
{
	u32 i;

	KUNIT_EXPECT_EQ(test, wpool_ring_len(ring), nr);
	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_PTR_EQ(test, pop(ring), item(from + i));
	KUNIT_EXPECT_NULL(test, pop(ring));
	KUNIT_EXPECT_EQ(test, wpool_ring_len(ring), 0);
}

static void expect_array(struct kunit *test, struct wpool_task **tasks, unsigned long from, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_PTR_EQ(test, tasks[i], item(from + i));
}

/* An array for the items of a full ring, and one more to see an overrun. */
static struct wpool_task **array(struct kunit *test)
{
	return wpk_alloc(test, (WPOOL_RING_SIZE + 1) * sizeof(struct wpool_task *));
}

static void wpool_ring_init_makes_an_empty_ring(struct kunit *test)
{
	struct wpool_ring *ring = wpk_alloc(test, sizeof(*ring));
	struct wpool_task **tasks = array(test);
	u32 nr = 77;

	memset(ring, 0xff, sizeof(*ring));
	wpool_ring_init(ring);
	KUNIT_EXPECT_EQ(test, wpool_ring_len(ring), 0);
	KUNIT_EXPECT_NULL(test, pop(ring));
	KUNIT_EXPECT_EQ(test, grab_all(ring, tasks), 0);
	KUNIT_EXPECT_FALSE(test, wpool_ring_holds(ring, item(0)));
	KUNIT_EXPECT_NULL(test, steal_half(ring_at(test, 0), ring, &nr));
	KUNIT_EXPECT_EQ(test, nr, 0);
}

static void wpool_ring_pop_gives_what_was_pushed_first(struct kunit *test)
{
	struct wpool_ring *ring = ring_of_param(test);

	fill(test, ring, 0, 3);
	expect_items(test, ring, 0, 3);
	fill(test, ring, 10, WPOOL_RING_SIZE - 20);
	expect_items(test, ring, 10, WPOOL_RING_SIZE - 20);
}

static void wpool_ring_push_full_ring_takes_nothing(struct kunit *test)
{
	struct wpool_ring *ring = ring_of_param(test);
	struct wpool_task *late = item(999);

	fill(test, ring, 0, WPOOL_RING_SIZE);
	KUNIT_EXPECT_EQ(test, wpool_ring_len(ring), WPOOL_RING_SIZE);
	KUNIT_EXPECT_EQ(test, push(ring, &late, 1), 0);
	KUNIT_EXPECT_PTR_EQ(test, pop(ring), item(0));
	KUNIT_EXPECT_EQ(test, push(ring, &late, 1), 1);
	KUNIT_EXPECT_EQ(test, push(ring, &late, 1), 0);
	KUNIT_EXPECT_EQ(test, wpool_ring_len(ring), WPOOL_RING_SIZE);
}

static void wpool_ring_push_several_takes_the_prefix_that_fits(struct kunit *test)
{
	struct wpool_ring *ring = ring_of_param(test);
	struct wpool_task **tasks = array(test);
	u32 i;

	for (i = 0; i <= WPOOL_RING_SIZE; i++)
		tasks[i] = item(100 + i);
	KUNIT_EXPECT_EQ(test, push(ring, tasks, 0), 0);
	fill(test, ring, 0, 100);
	KUNIT_EXPECT_EQ(test, push(ring, tasks, WPOOL_RING_SIZE + 1), WPOOL_RING_SIZE - 100);
	expect_items(test, ring, 0, WPOOL_RING_SIZE);
	KUNIT_EXPECT_EQ(test, push(ring, tasks, WPOOL_RING_SIZE + 1), WPOOL_RING_SIZE);
	expect_items(test, ring, 100, WPOOL_RING_SIZE);
}

static void wpool_ring_push_and_pop_in_turn_never_lose_order(struct kunit *test)
{
	struct wpool_ring *ring = ring_of_param(test);
	unsigned long in = 0, out = 0;
	u32 round, i;

	/* put five items in, take four out: the ring fills up, and reuses its slots */
	for (round = 0; round < WPOOL_RING_SIZE - 6; round++) {
		fill(test, ring, in, 5);
		in += 5;
		for (i = 0; i < 4; i++)
			KUNIT_ASSERT_PTR_EQ(test, pop(ring), item(out++));
	}
	KUNIT_EXPECT_EQ(test, wpool_ring_len(ring), WPOOL_RING_SIZE - 6);
	while (out < in)
		KUNIT_ASSERT_PTR_EQ(test, pop(ring), item(out++));
	KUNIT_EXPECT_NULL(test, pop(ring));
}

static const u32 lengths[] = {
	0, 1, 2, 3, 4, WPOOL_RING_HALF - 1, WPOOL_RING_HALF, WPOOL_RING_HALF + 1,
	WPOOL_RING_SIZE - 1, WPOOL_RING_SIZE,
};

WPK_PARAM(length, lengths, "%u in the ring");

static void wpool_ring_grab_all_takes_all_in_order(struct kunit *test)
{
	u32 n = *(const u32 *)test->param_value;
	struct wpool_task **tasks = array(test);
	struct wpool_ring *ring;
	int i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		ring = ring_at(test, starts[i]);
		memset(tasks, 0, sizeof(*tasks) * (WPOOL_RING_SIZE + 1));
		fill(test, ring, 0, n);
		KUNIT_EXPECT_EQ(test, grab_all(ring, tasks), n);
		expect_array(test, tasks, 0, n);
		KUNIT_EXPECT_NULL(test, tasks[n]);
		expect_items(test, ring, 0, 0);
	}
}

static void wpool_ring_steal_half_moves_the_older_half(struct kunit *test)
{
	u32 n = *(const u32 *)test->param_value, half = n - n / 2, nr;
	struct wpool_ring *own, *victim;
	struct wpool_task *first;
	int i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		victim = ring_at(test, starts[i]);
		own = ring_at(test, starts[ARRAY_SIZE(starts) - 1 - i]);
		fill(test, victim, 0, n);
		nr = 77;
		first = steal_half(own, victim, &nr);
		KUNIT_EXPECT_EQ(test, nr, half);
		expect_items(test, victim, half, n - half);
		if (!n) {
			KUNIT_EXPECT_NULL(test, first);
			expect_items(test, own, 0, 0);
			continue;
		}
		KUNIT_EXPECT_PTR_EQ(test, first, item(0));
		expect_items(test, own, 1, half - 1);
	}
}

static void wpool_ring_holds_what_is_queued(struct kunit *test)
{
	struct wpool_ring *ring = ring_of_param(test);
	u32 i;

	fill(test, ring, 0, WPOOL_RING_SIZE);
	for (i = 0; i < WPOOL_RING_SIZE; i++)
		KUNIT_EXPECT_TRUE(test, wpool_ring_holds(ring, item(i)));
	KUNIT_EXPECT_PTR_EQ(test, pop(ring), item(0));
	/* A taken item is not in the ring, although its slot still holds the pointer. */
	KUNIT_EXPECT_FALSE(test, wpool_ring_holds(ring, item(0)));
	KUNIT_EXPECT_FALSE(test, wpool_ring_holds(ring, item(1000)));
	KUNIT_EXPECT_FALSE(test, wpool_ring_holds(ring, NULL));
	expect_items(test, ring, 1, WPOOL_RING_SIZE - 1);
	KUNIT_EXPECT_FALSE(test, wpool_ring_holds(ring, item(50)));
}

/* The ring stores when each task was queued. A stolen task takes its jiffy to the other ring. */
static void wpool_ring_first_tells_when_it_was_queued(struct kunit *test)
{
	u32 start = *(const u32 *)test->param_value, nr, jiffy, i;
	struct wpool_ring *ring = ring_of_param(test);
	struct wpool_ring *own = ring_at(test, start + 7);

	KUNIT_EXPECT_FALSE(test, wpool_ring_first(ring, &jiffy));
	fill(test, ring, 0, WPOOL_RING_SIZE);
	for (i = 0; i < WPOOL_RING_HALF; i++) {
		KUNIT_ASSERT_TRUE(test, wpool_ring_first(ring, &jiffy));
		KUNIT_ASSERT_EQ(test, jiffy, i);
		KUNIT_ASSERT_PTR_EQ(test, pop(ring), item(i));
	}
	KUNIT_ASSERT_PTR_EQ(test, steal_half(own, ring, &nr), item(WPOOL_RING_HALF));
	KUNIT_EXPECT_EQ(test, nr, WPOOL_RING_HALF / 2);
	for (i = 0; i < nr - 1; i++) {
		KUNIT_ASSERT_TRUE(test, wpool_ring_first(own, &jiffy));
		KUNIT_ASSERT_EQ(test, jiffy, WPOOL_RING_HALF + 1 + i);
		KUNIT_ASSERT_PTR_EQ(test, pop(own), item(WPOOL_RING_HALF + 1 + i));
	}
	KUNIT_EXPECT_FALSE(test, wpool_ring_first(own, &jiffy));
}

/*
 * The length of a ring is 0 if its head is past the tail that was read: other CPUs may take all
 * tasks after a CPU has read the tail.
 */
static void wpool_ring_len_of_a_head_past_the_tail_is_0(struct kunit *test)
{
	struct wpool_ring *ring = ring_of_param(test);

	atomic_inc(&ring->head);
	KUNIT_EXPECT_EQ(test, wpool_ring_len(ring), 0);
	atomic_sub(WPOOL_RING_SIZE + 2, &ring->head);
	KUNIT_EXPECT_EQ(test, wpool_ring_len(ring), WPOOL_RING_SIZE);
}

/* ---- one producer, several takers ----------------------------------------- */

#define NR_TAKERS 3

struct contest {
	struct wpool_ring ring;
	struct wpool_ring own[NR_TAKERS];
	struct wpool_task *tasks[NR_TAKERS][WPOOL_RING_SIZE];
	atomic_t nr_takers;
	atomic_t taken;
	bool ended;
	u8 seen[WPK_RING_ITEMS];
	u32 repeated;
	u32 bad_len;
};

static void see(struct contest *contest, struct wpool_task *task)
{
	unsigned long nr = item_nr(task);

	if (nr >= WPK_RING_ITEMS || xchg(&contest->seen[nr], 1))
		WRITE_ONCE(contest->repeated, contest->repeated + 1);
	atomic_inc(&contest->taken);
}

/* Take from the ring once, in one of four ways; returns how many items were taken. */
static u32 take(struct contest *contest, int me, u32 round)
{
	struct wpool_task **tasks = contest->tasks[me], *task;
	u32 nr = 0, i;

	if (wpool_ring_len(&contest->ring) > WPOOL_RING_SIZE)
		WRITE_ONCE(contest->bad_len, contest->bad_len + 1);
	switch ((me + round) % 4) {
	case 0:
		nr = grab_all(&contest->ring, tasks);
		break;
	case 1:
		task = steal_half(&contest->own[me], &contest->ring, &nr);
		if (!task)
			return 0;
		tasks[0] = task;
		for (i = 1; i < nr; i++)
			tasks[i] = pop(&contest->own[me]);
		break;
	case 2:
		/* a search for an item that may be in the ring must not disturb a taker */
		task = item(min(atomic_read(&contest->taken) + 20U, WPK_RING_ITEMS - 1));
		if (wpool_ring_holds(&contest->ring, task))
			nr = grab_all(&contest->ring, tasks);
		break;
	default:
		task = pop(&contest->ring);
		if (!task)
			return 0;
		tasks[0] = task;
		nr = 1;
	}
	for (i = 0; i < nr; i++)
		see(contest, tasks[i]);
	return nr;
}

static int taker(struct wpk_thread *thread)
{
	struct contest *contest = thread->arg;
	int me = atomic_inc_return(&contest->nr_takers) - 1;
	u32 round = 0;
	bool ended;

	do {
		ended = READ_ONCE(contest->ended);
		if (!take(contest, me, round++))
			cond_resched();
		else
			ended = false;
		/* take() may return 0 although the ring is not empty */
		if (ended && wpool_ring_len(&contest->ring))
			ended = false;
	} while (!ended && !wpk_stopped(thread->test));
	return 0;
}

static void wpool_ring_one_producer_many_takers_each_item_once(struct kunit *test)
{
	struct wpk_thread *takers[NR_TAKERS];
	struct wpool_task *tasks[3];
	struct contest *contest = wpk_alloc(test, sizeof(*contest));
	u32 sent = 0, nr, i;

	wpool_ring_init(&contest->ring);
	/* the indices wrap half-way */
	contest->ring.tail = 0U - WPK_RING_ITEMS / 2;
	atomic_set(&contest->ring.head, contest->ring.tail);
	for (i = 0; i < NR_TAKERS; i++)
		wpool_ring_init(&contest->own[i]);
	for (i = 0; i < NR_TAKERS; i++)
		takers[i] = wpk_thread(test, taker, NULL, NULL, contest);

	wpk_move_to(wpk_cpu(0));
	while (sent < WPK_RING_ITEMS && !wpk_stopped(test)) {
		nr = min(1 + sent % 3, WPK_RING_ITEMS - sent);
		for (i = 0; i < nr; i++)
			tasks[i] = item(sent + i);
		nr = push(&contest->ring, tasks, nr);
		sent += nr;
		if (!nr) {
			/* the ring is full: take an item, as its owner does */
			struct wpool_task *task = pop(&contest->ring);

			if (task)
				see(contest, task);
			cond_resched();
		}
	}
	wpk_move_to(-1);
	WRITE_ONCE(contest->ended, true);
	wpk_join_all(test, takers, NR_TAKERS);
	KUNIT_EXPECT_EQ(test, atomic_read(&contest->taken), WPK_RING_ITEMS);
	KUNIT_EXPECT_EQ(test, contest->repeated, 0);
	KUNIT_EXPECT_EQ(test, contest->bad_len, 0);
	KUNIT_EXPECT_EQ(test, wpool_ring_len(&contest->ring), 0);
}

WPK_SUITE(runq,
	  KUNIT_CASE(wpool_ring_init_makes_an_empty_ring),
	  KUNIT_CASE_PARAM(wpool_ring_pop_gives_what_was_pushed_first, start_gen_params),
	  KUNIT_CASE_PARAM(wpool_ring_push_full_ring_takes_nothing, start_gen_params),
	  KUNIT_CASE_PARAM(wpool_ring_push_several_takes_the_prefix_that_fits, start_gen_params),
	  KUNIT_CASE_PARAM(wpool_ring_push_and_pop_in_turn_never_lose_order, start_gen_params),
	  KUNIT_CASE_PARAM(wpool_ring_grab_all_takes_all_in_order, length_gen_params),
	  KUNIT_CASE_PARAM(wpool_ring_steal_half_moves_the_older_half, length_gen_params),
	  KUNIT_CASE_PARAM(wpool_ring_holds_what_is_queued, start_gen_params),
	  KUNIT_CASE_PARAM(wpool_ring_first_tells_when_it_was_queued, start_gen_params),
	  KUNIT_CASE_PARAM(wpool_ring_len_of_a_head_past_the_tail_is_0, start_gen_params),
	  KUNIT_CASE_SLOW(wpool_ring_one_producer_many_takers_each_item_once));
