// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of a run queue, see runq.h.
 *
 * Barrier pairs:
 *
 *   push:A  store-release of tail after the slots are filled
 *           <-> load-acquire of tail in tail_acquire(): a consumer that sees
 *           the new tail sees the slots.
 *   take:A  fully ordered compare-and-swap of head after the slots are read
 *           <-> load-acquire of head in wpool_ring_push(): the producer fills
 *           a slot again only after its old content was read.
 *
 * ABA: head is compared as a number that only grows. A consumer that holds an
 * old one has interrupts off, so 2^32 moves cannot happen meanwhile.
 */
#include "runq.h"

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/string.h>

static u32 tail_acquire(const struct wpool_ring *ring)
{
	/* pairs with push:A */
	return smp_load_acquire(&ring->tail);
}

static struct wpool_task **slot(struct wpool_ring *ring, u32 index)
{
	return &ring->slots[index % WPOOL_RING_SIZE];
}

void wpool_ring_init(struct wpool_ring *ring)
{
	memset(ring, 0, sizeof(*ring));
}

u32 wpool_ring_len(const struct wpool_ring *ring)
{
	u32 head = atomic_read(&ring->head);
	u32 len = READ_ONCE(ring->tail) - head;

	/* head may have passed the tail that was read later, or before: history */
	return min(len, WPOOL_RING_SIZE);
}

u32 wpool_ring_push(struct wpool_ring *ring, struct wpool_task *const *tasks,
		    u32 nr)
{
	u32 tail = ring->tail;
	/* pairs with take:A */
	u32 head = atomic_read_acquire(&ring->head);
	u32 i;

	nr = min(nr, WPOOL_RING_SIZE - (tail - head));
	for (i = 0; i < nr; i++)
		WRITE_ONCE(*slot(ring, tail + i), tasks[i]);

	/* push:A */
	smp_store_release(&ring->tail, tail + nr);
	return nr;
}

struct wpool_task *wpool_ring_pop(struct wpool_ring *ring)
{
	struct wpool_task *task;
	int head;

	do {
		/* each time anew: one from a failed exchange may be younger than tail */
		head = atomic_read_acquire(&ring->head);
		if (tail_acquire(ring) == (u32)head)
			return NULL;
		task = READ_ONCE(*slot(ring, head));
		/* take:A */
	} while (!atomic_try_cmpxchg(&ring->head, &head, (int)((u32)head + 1)));

	return task;
}

/* Read nr slots from head on and win them; false: head moved and is the new one. */
static bool take_slots(struct wpool_ring *ring, int *head, u32 nr,
		       struct wpool_task **tasks)
{
	u32 i;

	for (i = 0; i < nr; i++)
		tasks[i] = READ_ONCE(*slot(ring, (u32)*head + i));

	/* take:A */
	return atomic_try_cmpxchg(&ring->head, head, (int)((u32)*head + nr));
}

u32 wpool_ring_grab_half(struct wpool_ring *ring, struct wpool_task **tasks)
{
	int head = atomic_read_acquire(&ring->head);
	u32 nr;

	do {
		nr = tail_acquire(ring) - (u32)head;
		nr -= nr / 2;
		if (!nr)
			return 0;
		/* head and tail were not read at once: they do not fit, again */
		if (nr > WPOOL_RING_HALF) {
			head = atomic_read_acquire(&ring->head);
			continue;
		}
		if (take_slots(ring, &head, nr, tasks))
			return nr;
	} while (true);
}

u32 wpool_ring_grab_through(struct wpool_ring *ring,
			    const struct wpool_task *task,
			    struct wpool_task **tasks)
{
	int head = atomic_read_acquire(&ring->head);
	u32 nr, i;

	do {
		nr = tail_acquire(ring) - (u32)head;
		if (nr > WPOOL_RING_SIZE) {
			head = atomic_read_acquire(&ring->head);
			continue;
		}
		for (i = 0; i < nr; i++)
			if (READ_ONCE(*slot(ring, (u32)head + i)) == task)
				break;
		if (i == nr)
			return 0;
		if (take_slots(ring, &head, i + 1, tasks))
			return i + 1;
	} while (true);
}

struct wpool_task *wpool_ring_steal_half(struct wpool_ring *own,
					 struct wpool_ring *victim, u32 *nr)
{
	u32 tail = own->tail;
	int head = atomic_read_acquire(&victim->head);
	u32 n, i;

	/*
	 * The slots of the own ring beyond its tail are the producer's: filled
	 * in place, they need no buffer and become visible with the tail.
	 */
	do {
		n = tail_acquire(victim) - (u32)head;
		n -= n / 2;
		if (!n) {
			*nr = 0;
			return NULL;
		}
		if (n > WPOOL_RING_HALF) {
			head = atomic_read_acquire(&victim->head);
			continue;
		}
		for (i = 0; i < n; i++)
			WRITE_ONCE(*slot(own, tail + i),
				   READ_ONCE(*slot(victim, (u32)head + i)));
		/* take:A */
		if (atomic_try_cmpxchg(&victim->head, &head, (int)((u32)head + n)))
			break;
	} while (true);

	/* push:A */
	smp_store_release(&own->tail, tail + n - 1);
	*nr = n;
	return READ_ONCE(*slot(own, tail + n - 1));
}
