/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Park, wake and hand over: module/core/wake.c, sched.c, idle.c, census.c, handoff.c;
 * module/workers/park.c, leave.c, spawner.c. The protocol is explained in wake.c.
 *
 * Two CPUs, each with a ring. Two workers are at home on CPU 0, where one may run at a
 * time; the worker of CPU 1 sleeps in a task for ever. A worker that searches on CPU 0
 * steals from ring 1, any number of tasks: it keeps one and moves the others to ring 0,
 * and meanwhile they are in no ring. The spawner, the expiry timer. No monitor: the
 * protocol must not need it.
 *
 * A task either ends at once or sleeps until every task has started, as long as one
 * more worker may exist. So a queued task must be started although others sleep: when
 * nothing can move any more, all have been started.
 *
 * What a thread stores before it calls wake_up_process(), a full barrier, is written at
 * once. So is an increment of the searching or running workers: a thread that reads it
 * late might as well have read early, and wakes one worker too many. (Nothing else
 * depends on wpool_waking_leave:A, so its absence need not be found.)
 *
 * barrier: core/wake.c wpool_wake_one:A
 * barrier: core/wake.c wpool_wake_if_work:A
 * barrier: core/sched.h wpool_sched_push:A
 * like wpool_sched_push:A: core/sched.h wpool_sched_push_next:A
 * like wpool_sched_push:A: core/sched.c take_global:A
 * like wpool_sched_push:A: core/sched.c unqueue_from:A
 * like wpool_sched_push:A: core/sched.c wpool_sched_drain:A
 * barrier: core/sched.c stop_searching:A
 * barrier: workers/park.c wpool_park_join:A
 * omits: workers/park.c wpool_park_expire:A
 * barrier: core/census.c wpool_waking_leave:A
 * barrier: core/census.c wpool_workers_leave_place:A
 * omits: core/census.c wpool_running_enter:A
 * omits: core/census.c wpool_running_enter:B
 * barrier: core/census.c wpool_running_leave:A
 * barrier: workers/spawner.c spawn:A
 * omits: workers/spawner.c spawn:B
 *
 * holds one-submitter: -DSUBMITTERS=1
 * holds two-submitters: -DSUBMITTERS=2 -DASLEEP=1 -DNTASKS=3
 * holds one-cpu: -DSUBMITTERS=1 -DCPUS=1
 * holds leaving: -DSUBMITTERS=1 -DASLEEP=1 -DLEAVES=1
 * holds failing: -DSUBMITTERS=1 -DCPUS=1 -DFAILS=1 -DFULL=1
 *
 * breaks without-wpool_sched_push:A: -DNO_wpool_sched_push_A -DSUBMITTERS=1
 * breaks without-stop_searching:A: -DNO_stop_searching_A -DSUBMITTERS=1
 * breaks without-wpool_park_join:A: -DNO_wpool_park_join_A -DSUBMITTERS=1
 * breaks without-wpool_running_leave:A: -DNO_wpool_running_leave_A -DSUBMITTERS=1
 * breaks without-wpool_wake_one:A: -DNO_wpool_wake_one_A -DSUBMITTERS=1
 * breaks without-wpool_workers_leave_place:A: -DNO_wpool_workers_leave_place_A -DSUBMITTERS=1 -DASLEEP=1 -DLEAVES=1
 * breaks without-spawn:A: -DNO_spawn_A -DSUBMITTERS=1
 * breaks without-retry: -DNO_retry -DSUBMITTERS=1 -DCPUS=1 -DFULL=1
 * breaks without-retry-or-count-out: -DNO_retry -DNO_count_out -DSUBMITTERS=1 -DCPUS=1 -DFAILS=1
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
#define FAILS		0	/* workers that cannot be made: no memory */
#endif
#ifndef FULL
#define FULL		0	/* how often max_workers is reached */
#endif
#ifndef ASLEEP
#define ASLEEP		0	/* workers that sleep in a task from the start */
#endif
#ifndef CPUS
#define CPUS		2
#endif
#define CAPACITY	2
#define CONCURRENCY	1

/* locations; the first five are counters */
#define NR_SEARCHING	0
#define NR_WAKING	1
#define RING0		2	/* its length */
#define RING1		3
#define NR_RUNNING	4	/* of CPU 0 */
#define NCOUNTERS	5
#define NR_WORKERS	5
#define IDLE_MASK	6
#define WAKING		7	/* of CPU 0 */
#define SPAWN_WANTED	8
#define UNSERVED	9
#define NLOCS		10

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

/* under the run queue's lock: in rq->idle; and what the thread that takes it off sets */
bool parked[2], picked[2], owns[2], leaving[2];
/* w->running_on: counted in nr_running */
bool running[2];
/* the thread exists */
bool thread[2];
/* under the spawner's lock: the pool is on its list */
bool asked;

byte started = ASLEEP, asleep = ASLEEP, leaves = LEAVES, fails = FAILS,
     full_again = FULL;

/* ---- idle.c ---- */

/* wpool_idle_take() */
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

/* ---- spawn_queue.c ---- */

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

/* ---- wake.c ---- */

#define HAS_ROOM	(load(NR_RUNNING) + load(WAKING) < CONCURRENCY)
/* wpool_wake_has_vacancy(): always true on CPU 1 */
#define HAS_VACANCY	(CPUS > 1 || (HAS_ROOM && !load(IDLE_MASK)))

/* wpool_wake_one() */
inline wake_one(own)
{
	do
	:: true ->
		if
		:: own == 0 && load(IDLE_MASK) && HAS_ROOM -> idle_wake()
		:: else
		fi;
		if
		:: woke -> break
		:: else
		fi;
		if
		:: load(NR_WAKING) -> break
		:: else
		fi;
#if CPUS > 1
		/* wake_other() */
		do
		:: own == 1 && load(IDLE_MASK) && !load(WAKING) && HAS_ROOM ->
			idle_wake();
			if
			:: woke -> break
			:: else
			fi
		:: else -> break
		od;
		if
		:: woke -> break
		:: else
		fi;
#endif
		if
		:: (HAS_ROOM || HAS_VACANCY) && load(NR_WORKERS) < CAPACITY ->
			ask();
			break
		:: else
		fi;
		if
		:: load(UNSERVED) -> break
		:: atomic { !load(UNSERVED) -> store(UNSERVED, 1) }
		fi;
#ifndef NO_wpool_wake_one_A
		full_barrier()
#endif
	od;
	woke = 0
}

inline wake_if_work(own)
{
	if
	:: atomic { load(UNSERVED) -> store(UNSERVED, 0) };
#ifndef NO_wpool_wake_one_A
		full_barrier()
#endif
	:: !load(UNSERVED)
	fi;
	if
	:: load(NR_SEARCHING)
	:: else ->
		if
		:: load(RING0) || load(RING1) -> wake_one(own)
		:: else
		fi
	fi
}

/* wpool_wake_for_push(); wake_helper(), left out, only wakes more workers */
inline wake_for_push(own)
{
	if
	:: load(NR_SEARCHING)
	:: else ->
		if
		:: own == 0 && load(NR_RUNNING) >= CONCURRENCY
		:: else -> wake_one(own)
		fi
	fi
}

/* ---- sched.c ---- */

inline push(ring, own)
{
	store(ring, 1);
#ifndef NO_wpool_sched_push_A
	full_barrier();
#endif
	wake_for_push(own)
}

/* wpool_worker_left() */
inline left(own)
{
#ifndef NO_wpool_workers_leave_place_A
	full_barrier();
#endif
	wake_if_work(own)
}

proctype submitter(byte me; byte nr)
{
	byte woke;

	do
	:: nr > 0 ->
		nr--;
#if CPUS == 1
		push(RING0, 0)
#elif SUBMITTERS == 1
		if
		:: push(RING0, 0)
		:: push(RING1, 1)
		fi
#else
		if
		:: me == SUBMITTER -> push(RING0, 0)
		:: else -> push(RING1, 1)
		fi
#endif
	:: else -> break
	od
}

/* ---- census.c, handoff.c ---- */

inline running_enter()
{
	running[me] = true;
	mem[NR_RUNNING] = mem[NR_RUNNING] + 1
}

/* wpool_searching_enter() */
inline search()
{
	searching = true;
	mem[NR_SEARCHING] = mem[NR_SEARCHING] + 1
}

/* wpool_running_leave(), which is fully ordered */
inline running_leave()
{
	atomic {
		full_barrier();
		if
		:: running[me] -> mem[NR_RUNNING] = mem[NR_RUNNING] - 1; running[me] = false
		:: else
		fi
	}
}

/* the same without order */
inline running_leave_relaxed()
{
	if
	:: running[me] -> running[me] = false; store(NR_RUNNING, MINUS_1)
	:: else
	fi
}

/* switched_out(), and hand_over() */
inline switched_out()
{
	if
	:: running[me] ->
#ifndef NO_wpool_running_leave_A
		running_leave();
#else
		running_leave_relaxed();
#endif
		if
		:: (load(RING0) || load(UNSERVED)) &&
		   (load(IDLE_MASK) || load(NR_WORKERS) < CAPACITY) ->
			wake_if_work(0)
		:: else
		fi
	:: else
	fi
}

/* ---- ring.c ---- */

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
	bool got, searching, last;

	if
#if ASLEEP
	:: me == WORKER + 1 -> goto busy
#endif
	:: parked[me] -> goto sleep
	:: else
	fi;
dead:
	thread[me];
look:
	if
	:: atomic {
		picked[me] && full_barrier() ->
		/* wpool_waking_leave() */
		picked[me] = false;
		search();
		running_enter()
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
#ifndef NO_wpool_waking_leave_A
	   full_barrier();
#endif
	   store(NR_WAKING, MINUS_1)
	:: atomic { !picked[me] && !running[me] && full_barrier() -> running_enter() }
	:: !picked[me] && running[me]
	fi;

#if LEAVES && !defined(TIMER_ONLY)
	if
	:: atomic {
		/* wpool_worker_leave() */
		leaves && lock(WORKERS_LOCK) ->
		leaves--;
		store(NR_WORKERS, load(NR_WORKERS) - 1);
	   };
	   if
	   :: searching -> searching = false; store(NR_SEARCHING, MINUS_1)
	   :: else
	   fi;
	   running_leave();
	   left(0);
	   goto gone
	:: true
	fi;
#endif

	if
	:: load(NR_RUNNING) > CONCURRENCY -> goto park
	:: else
	fi;
again:
	/* take(); call_for_help(), left out, only wakes more workers */
	pop(RING0);
	/* search(): one searcher for two CPUs */
	if
	:: got
	:: else ->
		if
		:: searching
		:: else ->
			if
			:: load(NR_SEARCHING) -> goto park
			:: atomic { !load(NR_SEARCHING) && !WAITS(NR_SEARCHING) -> search() }
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
#ifndef NO_stop_searching_A
		full_barrier();
#else
		/* the reads of wpool_wake_if_work() move up */
		last = load(RING0) || load(RING1);
#endif
		atomic {
			!WAITS(NR_SEARCHING);
			searching = false;
			mem[NR_SEARCHING] = mem[NR_SEARCHING] - 1
		};
#ifndef NO_stop_searching_A
		wake_if_work(0)
#else
		if
		:: last -> last = false; wake_if_work(0)
		:: else
		fi
#endif
	:: else
	fi;

	if
	:: got ->
		atomic {
			got = false;
			started++;
			if
			:: started < NTASKS && asleep + 1 < CAPACITY ->
				asleep++
			:: true -> goto look
			fi
		};
		switched_out();
busy:		atomic { started == NTASKS -> asleep-- };
		goto look
	:: else
	fi;

park:
	/* wpool_park_join() */
	if
	:: searching -> searching = false; store(NR_SEARCHING, MINUS_1)
	:: else
	fi;
	atomic {
		/* unlock is a release: the thread that takes it off sees what it did before */
		buf[me].set == 0 && lock(RQ_LOCK);
		parked[me] = true;
		store(IDLE_MASK, 1)
	};
#ifndef NO_wpool_park_join_A
	running_leave();
#else
	running_leave_relaxed();
#endif
	wake_if_work(0);

sleep:
	/* wpool_park_sleep() */
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
	   left(CPUS - 1)
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

inline retry_later()
{
#ifndef NO_retry
	atomic {
		lock(SPAWNER_LOCK);
		mem[SPAWN_WANTED] = 1;
		asked = true
	}
#else
	skip
#endif
}

/* wpool_worker_create() has failed: wpool_worker_count_out() */
inline fail()
{
	atomic {
		fails && lock(WORKERS_LOCK) ->
		fails--;
		store(NR_WORKERS, load(NR_WORKERS) - 1)
	};
#ifndef NO_count_out
	left(CPUS - 1);
#endif
	retry_later()
}

proctype spawner(byte me)
{
	byte woke;
	bool ok, no_place;

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
	   :: load(RING0) + load(RING1) <= load(NR_WAKING)
	   :: else ->
		if
		:: load(NR_SEARCHING)
		:: else ->
			if
			:: !HAS_VACANCY
			:: else ->
				/* wpool_worker_count_in() */
				atomic {
					lock(WORKERS_LOCK);
					if
					:: mem[NR_WORKERS] < CAPACITY ->
						mem[NR_WORKERS] = mem[NR_WORKERS] + 1;
						ok = true
					:: else
#if FULL
					:: full_again -> full_again--; no_place = true
#endif
					fi
				};
				if
#if FULL
				:: no_place -> no_place = false; retry_later()
#endif
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
	write(4) write(5) write(6) write(7) write(8) write(9)
	od
}

init {
	atomic {
		/* one worker is awake; the other one sleeps, or does not exist yet */
		thread[0] = true;
		mem[NR_WORKERS] = 1;
		if
		:: thread[1] = true;
		   mem[NR_WORKERS] = 2;
		   parked[1] = !ASLEEP;
		   mem[IDLE_MASK] = !ASLEEP
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
	assert(mem[NR_SEARCHING] == 0 && mem[NR_WAKING] == 0 && !mem[WAKING]);
	assert(mem[NR_RUNNING] == 0)
}
