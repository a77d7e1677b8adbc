/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring: module/core/ring.c and ring.h, and the next slot (sched.h).
 *
 * A producer fills ring 0, or the next slot if that is free, and takes all tasks of ring 0 when it
 * is full. A thief moves half of ring 0 to its own ring 1. A consumer pops from both rings, and
 * takes all of ring 0 at once. The thief and the consumer also take the task of the next slot, and
 * may stop at any time. At the end each task has been taken once or is still queued.
 *
 * Rings have four and two slots instead of 128. head is moved by compare-and-swap only
 * and is in no store buffer.
 *
 * barrier: core/ring.h wpool_ring_put:A
 * barrier: core/ring.c wpool_ring_steal_half:B
 * barrier: core/ring.h wpool_ring_pop:A
 * barrier: core/ring.c wpool_ring_grab_all:A
 * barrier: core/ring.c wpool_ring_steal_half:A
 *
 * holds ring: -DLOOKS=2 -DSTEALS=1
 * holds next: -DLOOKS=2 -DSTEALS=1 -DQUEUED=0 -DNTASKS=3 -DNEXT=1
 *
 * breaks without-wpool_ring_put:A: -DNO_wpool_ring_put_A -DLOOKS=2 -DSTEALS=1
 * breaks without-wpool_ring_grab_all:A: -DNO_wpool_ring_grab_all_A -DLOOKS=2 -DSTEALS=1
 * breaks without-acquire-of-head: -DNO_head_acquire -DLOOKS=2 -DSTEALS=1
 * breaks without-wpool_ring_tail:A: -DNO_wpool_ring_tail_A -DLOOKS=2 -DSTEALS=1
 * breaks without-exchange: -DNO_xchg -DLOOKS=2 -DSTEALS=1 -DQUEUED=0 -DNTASKS=3 -DNEXT=1
 */

#ifndef NTASKS
#define NTASKS		5
#endif
#ifndef QUEUED
#define QUEUED		3	/* tasks in ring 0 at the start */
#endif
#ifndef NEXT
#define NEXT		0
#endif
#ifndef LOOKS
#define LOOKS		3	/* looks of the consumer */
#endif
#ifndef STEALS
#define STEALS		2
#endif
#define SIZE		4
#define HALF		2

/* locations */
#define TAIL(r)		(r)
#define SLOT0(i)	(2 + (i) % SIZE)
#define SLOT1(i)	(6 + (i) % HALF)
#define SLOT(r, i)	(r -> SLOT1(i) : SLOT0(i))
#define NEXT_SLOT	8
#define NCOUNTERS	0
#define NLOCS		9

#define PRODUCER	0
#define THIEF		1
#define CONSUMER	2
#define NPROCS		3
#define ALL_SETS	0	/* no locks */
#define RELEASES

#include "weak.pml"

byte head[2];

/* which tasks have been taken, and how many */
bool taken[NTASKS + 1];
byte nr_taken, nr_pushed = QUEUED;

inline take(task)
{
	d_step {
		assert(task != 0 && !taken[task]);
		taken[task] = true;
		nr_taken++;
		task = 0
	}
}

/* Moves head and sets ok if head is still h. */
inline cmpxchg_head(r, n)
{
	atomic {
#ifndef NO_wpool_ring_grab_all_A
		full_barrier();
#endif
		ok = head[r] == h;
		head[r] = (ok -> h + n : head[r])
	}
}

/* Both loads are acquires: head is read first, then tail, then the slots. */
inline read_head_tail(r)
{
#ifndef NO_head_acquire
	h = head[r];
	t = load(TAIL(r))
#else
	t = load(TAIL(r));
	h = head[r]
#endif
}

inline read_slots(r)
{
	i = 0;
	do
	:: i < n -> x[i] = load(SLOT(r, h + i)); i++
	:: else -> break
	od;
	i = 0
}

/* wpool_runq_take_next() */
inline take_next()
{
	if
	:: load(NEXT_SLOT) ->
#ifndef NO_xchg
		atomic { full_barrier(); x[0] = mem[NEXT_SLOT]; mem[NEXT_SLOT] = 0 };
#else
		x[0] = load(NEXT_SLOT);
		store(NEXT_SLOT, 0);
#endif
		if
		:: x[0] -> take(x[0])
		:: else
		fi
	:: else
	fi
}

/* wpool_ring_grab_all(): n of them, at most SIZE */
inline grab(r)
{
#ifndef NO_wpool_ring_grab_all_A
	read_slots(r);
	cmpxchg_head(r, n)
#else
	/* the exchange orders nothing: the slots may be read late */
	if
	:: read_slots(r); cmpxchg_head(r, n)
	:: cmpxchg_head(r, n); read_slots(r)
	fi
#endif
	;
	if
	:: ok ->
		ok = false;
		do
		:: n > 0 -> n--; take(x[n])
		:: else -> break
		od
	:: else -> n = 0; x[0] = 0; x[1] = 0; x[2] = 0; x[3] = 0
	fi
}

/* push_others() */
inline push(task)
{
	t = load(TAIL(0));
	if
	:: (t - head[0]) < SIZE
	:: else ->
		/* transit_spill() takes all; if a consumer was faster, there is room */
		h = head[0];
		n = t - h;
		if
		:: n > 0 -> grab(0)
		:: else
		fi
	fi;
	i = 0;
	store(SLOT0(t), task);
#ifndef NO_wpool_ring_put_A
	store_release(TAIL(0), t + 1);
#else
	store(TAIL(0), t + 1);
#endif
	h = 0; t = 0; n = 0; task = 0
}

proctype producer(byte me)
{
	byte task, h, t, n, i;
	byte x[SIZE];
	bool ok;

	do
	:: nr_pushed < NTASKS ->
		nr_pushed++;
		task = nr_pushed;
		if
#if NEXT
		:: load(NEXT_SLOT) == 0 -> store_release(NEXT_SLOT, task); task = 0
#endif
		:: push(task)
		fi
	:: else -> break
	od
}

proctype consumer(byte me)
{
	byte h, t, n, i, nr = LOOKS;
	byte x[SIZE];
	bool ok;

	do
	:: nr > 0 ->
		nr--;
		if
		:: /* wpool_ring_pop() */
#ifndef NO_wpool_ring_tail_A
		   read_head_tail(0);
		   if
		   :: h != t -> n = 1; grab(0)
		   :: else
		   fi
#else
		   /* the slot is read before the tail */
		   h = head[0];
		   x[0] = load(SLOT0(h));
		   t = load(TAIL(0));
		   if
		   :: h != t ->
			cmpxchg_head(0, 1);
			if
			:: ok -> ok = false; take(x[0])
			:: else -> x[0] = 0
			fi
		   :: else -> x[0] = 0
		   fi
#endif
		:: /* wpool_ring_pop(), of the thief's ring */
		   read_head_tail(1);
		   if
		   :: h != t -> n = 1; grab(1)
		   :: else
		   fi
		:: /* wpool_ring_grab_all() */
		   read_head_tail(0);
		   n = (t - h) & 255;
		   if
		   :: n > 0 && n <= SIZE -> grab(0)
		   :: else
		   fi
#if NEXT
		:: take_next()
#endif
		fi;
		h = 0; t = 0; n = 0
	:: break
	od
}

/* the first task is taken, the others go into the slots of the thief's own ring */
inline copy_slots()
{
	x[0] = load(SLOT0(h));
	i = 1;
	do
	:: i < n ->
		x[1] = load(SLOT0(h + i));
		store(SLOT1(own + i - 1), x[1]);
		i++
	:: else -> break
	od;
	i = 0;
	x[1] = 0
}

proctype thief(byte me)
{
	byte h, t, n, i, own, nr = STEALS;
	byte x[SIZE];
	bool ok;

	do
	:: nr > 0 ->
		nr--;
		own = load(TAIL(1));
		if
#if NEXT
		:: take_next()
#endif
		:: own != head[1] ->
			/* its own ring is not empty: pop from it */
			read_head_tail(1);
			if
			:: h != t -> n = 1; grab(1)
			:: else
			fi
		:: own == head[1] ->
			/* wpool_ring_steal_half() */
			read_head_tail(0);
			n = (t - h) & 255;
			n = n - n / 2;
			if
			:: n > 0 && n <= HALF ->
#ifndef NO_wpool_ring_grab_all_A
				copy_slots();
				cmpxchg_head(0, n);
#else
				if
				:: copy_slots(); cmpxchg_head(0, n)
				:: cmpxchg_head(0, n); copy_slots()
				fi;
#endif
				if
				:: ok ->
					ok = false;
#ifndef NO_wpool_ring_put_A
					store_release(TAIL(1), own + n - 1);
#else
					store(TAIL(1), own + n - 1);
#endif
					take(x[0])
				:: else -> x[0] = 0
				fi
			:: else
			fi
		fi;
		h = 0; t = 0; n = 0; own = 0
	:: break
	od
}

proctype memory(byte me)
{
	do
	write(0) write(1) write(2) write(3)
	write(4) write(5) write(6) write(7)
	write(8)
	od
}

init {
	atomic {
		do
		:: mem[TAIL(0)] < QUEUED ->
			mem[SLOT0(mem[TAIL(0)])] = mem[TAIL(0)] + 1;
			mem[TAIL(0)]++
		:: else -> break
		od;
		run memory(PRODUCER);
		run memory(THIEF);
		run memory(CONSUMER);
		run producer(PRODUCER);
		run thief(THIEF);
		run consumer(CONSUMER)
	};
	/* no process can move any more */
	timeout;
	d_step {
		do
		:: head[0] != mem[TAIL(0)] -> take(mem[SLOT0(head[0])]); head[0]++
		:: head[1] != mem[TAIL(1)] -> take(mem[SLOT1(head[1])]); head[1]++
		:: mem[NEXT_SLOT] -> take(mem[NEXT_SLOT])
		:: else -> break
		od
	};
	assert(nr_taken == NTASKS)
}
