/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring of a run queue: 128 slots, one producer, any number of consumers.
 *
 * A pure data structure, after Go's runtime (runqput, runqget, runqgrab): it knows nothing of
 * pools, workers or threads, and it never follows the pointers that it holds. head and tail grow
 * without bound; a slot is valid while head <= index < tail (mod 2^32). Beside each task the ring
 * stores the jiffy in which it was queued, so that a reader learns the age of the first task
 * without touching the task.
 *
 *   producer   code on the ring's own CPU with interrupts off, so there is only one
 *   consumer   any CPU, with preemption off: reads slots, then wins them by moving
 *              head with a compare-and-swap, and only then may follow what it read
 *
 * ring.c explains the barriers, and why an old value of head is never taken for a new one.
 */
#ifndef WPOOL_CORE_RING_H
#define WPOOL_CORE_RING_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>

struct wpool_task;

#define WPOOL_RING_SIZE		128U
#define WPOOL_RING_HALF		(WPOOL_RING_SIZE / 2)

struct wpool_ring {
	atomic_t head;	/* next slot to take; consumers move it */
	u32 tail ____cacheline_aligned;	/* next slot to fill; the producer moves it */
	struct wpool_task *slots[WPOOL_RING_SIZE];
	u32 jiffy[WPOOL_RING_SIZE];	/* when each task was queued */
};

void wpool_ring_init(struct wpool_ring *ring);

/* The tail, for a consumer: all slots before it are filled. */
static inline u32 wpool_ring_tail(const struct wpool_ring *ring)
{
	/* wpool_ring_tail:A, pairs with wpool_ring_put:A, wpool_ring_steal_half:B */
	return smp_load_acquire(&ring->tail);
}

static inline struct wpool_task **wpool_ring_slot(struct wpool_ring *ring, u32 index)
{
	return &ring->slots[index % WPOOL_RING_SIZE];
}

static inline u32 *wpool_ring_jiffy(struct wpool_ring *ring, u32 index)
{
	return &ring->jiffy[index % WPOOL_RING_SIZE];
}

/** wpool_ring_head() - how many tasks have been taken, mod 2^32: racy */
static inline u32 wpool_ring_head(const struct wpool_ring *ring)
{
	return atomic_read(&ring->head);
}

/* How many tasks a ring holds, 0 to %WPOOL_RING_SIZE: racy. */
static inline u32 wpool_ring_len(const struct wpool_ring *ring)
{
	u32 head = atomic_read(&ring->head);
	u32 len = READ_ONCE(ring->tail) - head;

	/* two reads: head may be past the tail (empty), or outdated and far behind it */
	return (s32)len < 0 ? 0 : min(len, WPOOL_RING_SIZE);
}

/* For the producer: how many more tasks a ring has room for. The room can only grow until a put. */
static inline u32 wpool_ring_room(const struct wpool_ring *ring)
{
	/*
	 * wpool_ring_room:A, pairs with wpool_ring_pop:A, wpool_ring_grab_all:A,
	 * wpool_ring_steal_half:A
	 */
	return WPOOL_RING_SIZE - (ring->tail - (u32)atomic_read_acquire(&ring->head));
}

/*
 * Put tasks at the end of a ring that has room for them. @nr: how many, at most wpool_ring_room();
 * @jiffy: when they were queued. Called by the producer.
 */
static inline void wpool_ring_put(struct wpool_ring *ring,
				  struct wpool_task *const *tasks, u32 nr, u32 jiffy)
{
	u32 tail = ring->tail, i;

	for (i = 0; i < nr; i++) {
		WRITE_ONCE(*wpool_ring_slot(ring, tail + i), tasks[i]);
		WRITE_ONCE(*wpool_ring_jiffy(ring, tail + i), jiffy);
	}

	/* wpool_ring_put:A, pairs with wpool_ring_tail:A */
	smp_store_release(&ring->tail, tail + nr);
}

/*
 * When was the first task queued? @jiffy: filled in. Racy: another consumer may take
 * that task meanwhile. Returns false if the ring is empty.
 */
static inline bool wpool_ring_first(struct wpool_ring *ring, u32 *jiffy)
{
	u32 head = atomic_read_acquire(&ring->head);

	if (wpool_ring_tail(ring) == head)
		return false;
	*jiffy = READ_ONCE(*wpool_ring_jiffy(ring, head));
	return true;
}

/* Take the task at the head, or return %NULL if the ring is empty. Called by a consumer. */
static inline struct wpool_task *wpool_ring_pop(struct wpool_ring *ring)
{
	struct wpool_task *task;
	int head;

	do {
		/* read again: a failed exchange may have set @head beyond the tail read before */
		head = atomic_read_acquire(&ring->head);
		if (wpool_ring_tail(ring) == (u32)head)
			return NULL;
		task = READ_ONCE(*wpool_ring_slot(ring, head));
		/* wpool_ring_pop:A, pairs with wpool_ring_room:A */
	} while (!atomic_try_cmpxchg(&ring->head, &head, (int)((u32)head + 1)));

	return task;
}

/** wpool_ring_pop_if() - take the task at the head if it is @task; called by a consumer */
static inline bool wpool_ring_pop_if(struct wpool_ring *ring, const struct wpool_task *task)
{
	int head = atomic_read_acquire(&ring->head);

	/* the exchange is ordered as wpool_ring_pop:A */
	return wpool_ring_tail(ring) != (u32)head &&
	       READ_ONCE(*wpool_ring_slot(ring, head)) == task &&
	       atomic_try_cmpxchg(&ring->head, &head, (int)((u32)head + 1));
}

/* Take all tasks. @tasks: room for %WPOOL_RING_SIZE. Called by a consumer. Returns how many. */
u32 wpool_ring_grab_all(struct wpool_ring *ring, struct wpool_task **tasks);

/* Is a task in a ring? Uses only its address. Racy: a consumer may take the task meanwhile. */
bool wpool_ring_holds(struct wpool_ring *ring, const struct wpool_task *task);

/*
 * Move half of the tasks of @victim to @own. @own: ring of this CPU, must be empty; @victim: ring
 * of another CPU; @nr: how many were taken, including the one returned. Context: producer of @own,
 * consumer of @victim. Returns the first task taken, which is not put into @own; %NULL if @victim
 * is empty.
 */
struct wpool_task *wpool_ring_steal_half(struct wpool_ring *own,
					 struct wpool_ring *victim, u32 *nr);

#endif /* WPOOL_CORE_RING_H */
