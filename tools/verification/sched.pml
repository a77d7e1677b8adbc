/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Park and wake: module/sched.c, idle.c, worker.c, spawner.c.
 *
 * Two rings, submitters for each; two workers at home beside ring 0, which steal
 * from ring 1; the spawner; the expiry timer. A thief takes as much as it likes:
 * it keeps one task and moves the others to ring 0, out of sight in between.
 *
 * A task either ends at once or sleeps until every task has started, as long as
 * a worker more may exist. So a task that is queued must be started although
 * others sleep: when nothing can move any more, all have been started.
 *
 * What somebody stores who is about to call wake_up_process(), a full barrier, is
 * written at once: to see it late is to have looked early.
 *
 * barrier: sched.c push:A
 * barrier: sched.c stop:A
 * barrier: idle.c park:A
 * barrier: idle.c start:A
 * barrier: worker.c leave:A
 * barrier: spawner.c spawn:A
 *
 * holds two-submitters: -DSUBMITTERS=2
 * holds one-submitter: -DSUBMITTERS=1
 * holds leaving: -DSUBMITTERS=2 -DNTASKS=3 -DASLEEP=1 -DLEAVES=1
 * holds failing: -DSUBMITTERS=1 -DNTASKS=2 -DASLEEP=1 -DLEAVES=1 -DFAILS=1
 *
 * breaks without-push:A: -DNO_push_A -DSUBMITTERS=1
 * breaks without-stop:A: -DNO_stop_A -DSUBMITTERS=1
 * breaks without-park:A: -DNO_park_A -DSUBMITTERS=1
 * breaks without-leave:A: -DNO_leave_A -DSUBMITTERS=1 -DNTASKS=2 -DASLEEP=1 -DLEAVES=1
 * breaks without-spawn:A: -DNO_spawn_A -DSUBMITTERS=1
 * breaks without-resuming: -DNO_resume -DSUBMITTERS=1
 */

#ifndef SUBMITTERS
#define SUBMITTERS	2
#endif
#ifndef NTASKS
#define NTASKS		2
#endif
#ifndef LEAVES
#define LEAVES		0	/* workers that expire or leave */
#endif
#ifndef FAILS
#define FAILS		0	/* spawns that fail */
#endif
#ifndef ASLEEP
#define ASLEEP		0	/* workers that sleep in a task from the start */
#endif
#define CAPACITY	2

/* locations; the first four are counters */
#define NR_SEARCHING	0
#define NR_WAKING	1
#define RING0		2	/* its length */
#define RING1		3
#define NCOUNTERS	4
#define NR_WORKERS	4
#define IDLE_MASK	5
#define WAKING		6	/* rq->waking */
#define SPAWN_WANTED	7
#define NLOCS		8

#define RQ_LOCK		(BIT(WAKING) | BIT(IDLE_MASK))
#define WORKERS_LOCK	BIT(NR_WORKERS)
#define SPAWNER_LOCK	BIT(SPAWN_WANTED)

/* processes */
#define WORKER		0	/* and 1 */
#define SUBMITTER	2	/* and 3 */
#define SPAWNER		4
#define TIMER		5
#if LEAVES
#define NPROCS		6
#define ALL_SETS	SET(0) | SET(1) | SET(2) | SET(3) | SET(4) | SET(5)
#else
#define NPROCS		5
#define ALL_SETS	SET(0) | SET(1) | SET(2) | SET(3) | SET(4)
#endif

#include "weak.pml"

/* under the run queue's lock: in rq->idle; and what who takes it off says to it */
bool parked[2], picked[2], owns[2], leaving[2];
/* the thread is there */
bool thread[2];
/* under the spawner's lock: the pool is on its list */
bool asked;

byte started = ASLEEP, asleep = ASLEEP, leaves = LEAVES, fails = FAILS;

/* ---- idle.c ---- */

/* unpark_locked() */
inline unpark(w)
{
	parked[w] = false;
	mem[IDLE_MASK] = parked[0] || parked[1]
}

/* wpool_idle_wake() */
inline idle_wake()
{
	atomic {
		lock(RQ_LOCK);
		if
		:: mem[WAKING]
		:: !mem[WAKING] && parked[0] -> woke = 1
		:: !mem[WAKING] && parked[1] -> woke = 2
		:: !mem[WAKING] && !parked[0] && !parked[1]
		fi;
		if
		:: woke ->
			picked[woke - 1] = true;
			owns[woke - 1] = true;
			mem[WAKING] = 1;
			mem[NR_WAKING] = mem[NR_WAKING] + 1;
			unpark(woke - 1)
		:: else
		fi
	}
}

/* ---- spawner.c ---- */

inline ask()
{
	if
	:: load(SPAWN_WANTED)
	:: else ->
		atomic {
			lock(SPAWNER_LOCK);
			if
			:: !mem[SPAWN_WANTED] && !asked ->
				mem[SPAWN_WANTED] = 1;
				asked = true
			:: else
			fi
		}
	fi
}

/* ---- sched.c ---- */

/*
 * wpool_sched_kick(). is_standing() and the short cut to an idle worker of the
 * own run queue only wake more than this, and not always.
 */
inline kick()
{
	if
	:: load(NR_SEARCHING)
	:: else ->
		if
		:: load(NR_WAKING)
		:: else ->
			do
			:: !load(IDLE_MASK) -> break
			:: else ->
				if
				:: load(WAKING) -> break
				:: else ->
					idle_wake();
					if
					:: woke -> break
					:: else
					fi
				fi
			od;
			if
			:: woke -> woke = 0
			:: else ->
				if
				:: load(NR_WORKERS) < CAPACITY -> ask()
				:: else
				fi
			fi
		fi
	fi
}

inline kick_if_work()
{
	if
	:: load(RING0) || load(RING1) -> kick()
	:: else
	fi
}

inline push(ring)
{
	store(ring, 1);
#ifndef NO_push_A
	full_barrier();
#endif
	kick()
}

/* wpool_worker_left() */
inline left()
{
#ifndef NO_leave_A
	full_barrier();
#endif
	kick_if_work()
}

proctype submitter(byte me; byte nr)
{
	byte woke;

	do
	:: nr > 0 ->
		nr--;
#if SUBMITTERS == 1
		if
		:: push(RING0)
		:: push(RING1)
		fi
#else
		push((me == SUBMITTER -> RING0 : RING1))
#endif
	:: else -> break
	od
}

/* wpool_ring_pop(): the exchange is fully ordered */
inline pop(ring)
{
	if
	:: atomic {
		full_barrier() && load(ring) ->
		mem[ring]--;
		got = true
	   }
	:: !load(ring)
	fi
}

/* wpool_ring_steal_half() */
inline steal()
{
	if
	:: atomic {
		full_barrier() && load(RING1) ->
		mem[RING1]--;
		got = true;
#if NTASKS > 2 || SUBMITTERS == 1
		do
		:: mem[RING1] > 0 -> mem[RING1]--; moved++
		:: break
		od
#endif
	   };
#if NTASKS > 2 || SUBMITTERS == 1
	   if
	   :: moved -> store(RING0, moved); moved = 0
	   :: else
	   fi
#endif
	:: !load(RING1)
	fi
}

proctype worker(byte me)
{
	byte woke, moved;
	bool got, searching, searched, last;

#if ASLEEP
	if
	:: me == WORKER + 1 -> goto busy
	:: else
	fi;
#endif
dead:
	thread[me];
look:
	if
	:: atomic {
		picked[me] ->
		/* wpool_idle_started() */
		picked[me] = false;
		searching = true;
		store(NR_SEARCHING, 1)
	   };
	   if
	   :: owns[me] ->
		atomic {
			lock(RQ_LOCK);
			owns[me] = false;
			store(WAKING, 0)
		}
	   :: else
	   fi;
#ifndef NO_start_A
	   full_barrier();
#endif
	   store(NR_WAKING, MINUS_1)
	:: else
	fi;

#if LEAVES && !defined(TIMER_ONLY)
	if
	:: atomic {
		/* leave() */
		leaves && lock(WORKERS_LOCK) ->
		leaves--;
		store(NR_WORKERS, load(NR_WORKERS) - 1);
	   };
	   if
	   :: searching -> searching = false; store(NR_SEARCHING, MINUS_1)
	   :: else
	   fi;
	   left();
	   goto gone
	:: true
	fi;
#endif

	/* take() */
	pop(RING0);
	if
	:: got && !searching && load(RING0) -> kick()
	:: else
	fi;
	/* search(): one searcher for two CPUs */
	if
	:: got
	:: else ->
		if
		:: searching
		:: else ->
			if
			:: load(NR_SEARCHING) -> goto park
			:: else -> searching = true; store(NR_SEARCHING, 1)
			fi
		fi;
		steal();
		if
		:: !got -> pop(RING0)
		:: else
		fi
	fi;

	if
	:: got && searching ->
		/* stop_searching() */
#ifndef NO_stop_A
		full_barrier();
#else
		/* the looks of wpool_sched_has_work() move up */
		last = load(RING0) || load(RING1);
#endif
		atomic {
			!WAITS(NR_SEARCHING);
			searching = false;
			mem[NR_SEARCHING] = mem[NR_SEARCHING] - 1;
#ifndef NO_stop_A
			last = mem[NR_SEARCHING] == 0
#else
			last = last && mem[NR_SEARCHING] == 0
#endif
		};
		if
		:: last ->
			last = false;
#ifndef NO_stop_A
			kick_if_work()
#else
			kick()
#endif
		:: else
		fi
	:: else
	fi;

	if
	:: got ->
		atomic {
			got = false;
			started++;
			if
			:: started < NTASKS && asleep + 1 < CAPACITY ->
				asleep++;
busy:				started == NTASKS;
				asleep--
			:: true
			fi
		};
		goto look
	:: else
	fi;

park:
	/* wpool_idle_join() */
	if
	:: searching ->
		searching = false;
		searched = true;
		store(NR_SEARCHING, MINUS_1)
	:: else
	fi;
	atomic {
		/* unlock is a release: who takes it off sees what it did before */
		buf[me].set == 0 && lock(RQ_LOCK);
		parked[me] = true;
		store(IDLE_MASK, 1)
	};
#ifndef NO_park_A
	full_barrier();
#endif
	if
	:: load(RING0) || load(RING1) ->
		atomic {
			lock(RQ_LOCK);
			if
			:: parked[me] -> unpark(me)
			:: else
			fi
		};
#ifndef NO_resume
		/* whose kicks relied on it still do */
		if
		:: searched && !picked[me] && !leaving[me] ->
			searching = true;
			store(NR_SEARCHING, 1)
		:: else
		fi
#endif
	:: else
	fi;
	searched = false;

	/* wpool_idle_sleep() */
	!parked[me];
	if
	:: leaving[me] -> leaving[me] = false
	:: else -> goto look
	fi;
gone:
	atomic {
		full_barrier();
		thread[me] = false;
		goto dead
	}
}

/* expire_one() */
proctype timer(byte me)
{
	byte woke;

	do
	:: atomic {
		leaves && (parked[0] || parked[1]) && lock(WORKERS_LOCK | RQ_LOCK);
		leaves--;
		store(NR_WORKERS, load(NR_WORKERS) - 1);
		if
		:: parked[0] -> leaving[0] = true; unpark(0)
		:: parked[1] -> leaving[1] = true; unpark(1)
		fi
	   };
	   left()
	od
}

/* wpool_worker_create() */
inline create()
{
	atomic {
		if
		:: !thread[0] -> picked[0] = true; thread[0] = true
		:: !thread[1] -> picked[1] = true; thread[1] = true
		fi;
		mem[NR_WAKING] = mem[NR_WAKING] + 1
	}
}

/* the way back of a spawn that failed, and retry_later() */
inline fail()
{
	atomic {
		fails && lock(WORKERS_LOCK) ->
		fails--;
		store(NR_WORKERS, load(NR_WORKERS) - 1)
	};
	left();
	atomic {
		lock(SPAWNER_LOCK);
		mem[SPAWN_WANTED] = 1;
		asked = true
	}
}

proctype spawner(byte me)
{
	byte woke;
	bool ok;

	do
	:: atomic {
		asked && lock(SPAWNER_LOCK) ->
		asked = false;
		store(SPAWN_WANTED, 0)
	   };
#ifndef NO_spawn_A
	   full_barrier();
#endif
	   /* is_short_handed() */
	   if
	   :: !load(RING0) && !load(RING1)
	   :: else ->
		if
		:: load(NR_SEARCHING)
		:: else ->
			if
			:: load(IDLE_MASK) -> kick()
			:: else ->
				/* wpool_worker_count_in() */
				atomic {
					lock(WORKERS_LOCK);
					if
					:: mem[NR_WORKERS] < CAPACITY ->
						mem[NR_WORKERS] = mem[NR_WORKERS] + 1;
						ok = true
					:: else
					fi
				};
				if
				:: ok ->
					ok = false;
#if FAILS
					if
					:: fail()
					:: create()
					fi
#else
					create()
#endif
				:: else
				fi
			fi
		fi
	   fi
	od
}

proctype memory(byte me)
{
	do
	write(0) write(1) write(2) write(3)
	write(4) write(5) write(6) write(7)
	od
}

init {
	atomic {
		/* one worker is awake; the other is awake or not there yet */
		thread[0] = true;
		mem[NR_WORKERS] = 1;
		if
		:: thread[1] = true; mem[NR_WORKERS] = 2
#if !ASLEEP
		:: true
#endif
		fi;
		run memory(WORKER);
		run memory(WORKER + 1);
		run memory(SUBMITTER);
		run worker(WORKER);
		run worker(WORKER + 1);
#if SUBMITTERS == 1
		run submitter(SUBMITTER, NTASKS - ASLEEP);
#else
		run submitter(SUBMITTER, 1);
		run submitter(SUBMITTER + 1, NTASKS - ASLEEP - 1);
		run memory(SUBMITTER + 1);
#endif
		run memory(SPAWNER);
		run spawner(SPAWNER);
#if LEAVES && !defined(LEAVE_ONLY)
		run memory(TIMER);
		run timer(TIMER)
#endif
	};
	/* nothing moves any more */
	timeout;
	assert(started == NTASKS);
	assert(mem[NR_SEARCHING] == 0 && mem[NR_WAKING] == 0 && !mem[WAKING])
}
