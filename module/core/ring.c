// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of a run queue, see ring.h.
 *
 * Barrier pairs:
 *
 *   wpool_ring_put:A, wpool_ring_steal_half:B
 *           fill slots, and their jiffies, then store-release tail
 *   wpool_ring_tail:A
 *           load-acquire tail, then read slots: a consumer that reads the new tail
 *           reads the filled slots
 *
 *   wpool_ring_pop:A, wpool_ring_grab_all:A, wpool_ring_steal_half:A
 *           read slots, then move head by a fully ordered compare-and-swap
 *   wpool_ring_room:A
 *           load-acquire head, then fill slots: the producer fills a slot again only
 *           after a consumer has read the old content
 *
 * Consumers read head with acquire, too, and then tail: a consumer that reads a head
 * which another consumer moved also reads a tail at or beyond it.
 *
 * ABA: head is compared as a number that only grows. A consumer that holds an old value has
 * preemption off, so head cannot move 2^32 times meanwhile.
 */
#include "core/ring.h"

#include "inject.h"

void wpool_ring_init(struct wpool_ring *ring)
{
	ring->tail = wpool_counter_start();
	atomic_set(&ring->head, ring->tail);
}

u32 wpool_ring_grab_all(struct wpool_ring *ring, struct wpool_task **tasks)
{
	u32 nr, i;
	int head;

	for (;;) {
		head = atomic_read_acquire(&ring->head);
		nr = wpool_ring_tail(ring) - (u32)head;
		if (!nr)
			return 0;
		/* head was read before tail and is too old for that tail: read head again */
		if (nr > WPOOL_RING_SIZE)
			continue;
		for (i = 0; i < nr; i++)
			tasks[i] = READ_ONCE(*wpool_ring_slot(ring, (u32)head + i));
		/* wpool_ring_grab_all:A, pairs with wpool_ring_room:A */
		if (atomic_try_cmpxchg(&ring->head, &head, (int)((u32)head + nr)))
			return nr;
	}
}

bool wpool_ring_holds(struct wpool_ring *ring, const struct wpool_task *task)
{
	u32 head = atomic_read_acquire(&ring->head), nr, i;

	/* head may be outdated, and tail far ahead of it: then all slots are read */
	nr = min(wpool_ring_tail(ring) - head, WPOOL_RING_SIZE);
	for (i = 0; i < nr; i++)
		if (READ_ONCE(*wpool_ring_slot(ring, head + i)) == task)
			return true;
	return false;
}

struct wpool_task *wpool_ring_steal_half(struct wpool_ring *own, struct wpool_ring *victim, u32 *nr)
{
	u32 tail = own->tail, n, i;
	struct wpool_task *first;
	int head;

	/*
	 * The slots of @own beyond its tail belong to the producer, which is the caller: fill
	 * them in place, without a buffer. The new tail makes them visible.
	 */
	for (;;) {
		head = atomic_read_acquire(&victim->head);
		n = wpool_ring_tail(victim) - (u32)head;
		n -= n / 2;
		*nr = n;
		if (!n)
			return NULL;
		if (n > WPOOL_RING_HALF)
			continue;
		first = READ_ONCE(*wpool_ring_slot(victim, (u32)head));
		for (i = 0; i < n - 1; i++) {
			WRITE_ONCE(*wpool_ring_slot(own, tail + i),
				   READ_ONCE(*wpool_ring_slot(victim, (u32)head + 1 + i)));
			WRITE_ONCE(*wpool_ring_jiffy(own, tail + i),
				   READ_ONCE(*wpool_ring_jiffy(victim, (u32)head + 1 + i)));
		}
		/* wpool_ring_steal_half:A, pairs with wpool_ring_room:A */
		if (atomic_try_cmpxchg(&victim->head, &head, (int)((u32)head + n)))
			break;
	}

	/* wpool_ring_steal_half:B, pairs with wpool_ring_tail:A */
	smp_store_release(&own->tail, tail + n - 1);
	return first;
}
