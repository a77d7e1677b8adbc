/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Park, wake and hand over: module/core/wake.c, sched.c, idle.c, counts.c, queued.c,
 * handoff.c; module/workers/worker.c, retire.c, spawner.c. The protocol is explained
 * in wake.c.
 *
 * There are two CPUs, each with a ring. Two workers have their home on CPU 0, where one may
 * run at a time; the worker of CPU 1 sleeps in a task forever. A worker that searches on
 * CPU 0 steals any number of tasks from ring 1, if it is offered: it keeps one and moves the
 * others to ring 0, and meanwhile they are in no ring. There are the spawner and the expiry
 * timer, but no monitor: the protocol must not need it.
 *
 * Store buffers belong to CPUs, not to threads. A submitter of CPU 0 shares a buffer with
 * the workers there, and executes no barrier if one of them counts as running.
 *
 * Some configurations add to this:
 *   AWAY     a worker of CPU 0 on CPU 3, in a task or coming to a ring 0 that was left to it
 *   RETAKES  a monitor that only counts a worker out, from CPU 3
 *   OTHER    a worker of CPU 1 that runs, takes tasks from ring 1, and blocks at any time
 *   SHORT    tasks that at any time are left, or not, to a running or waking worker of their CPU
 *
 * A task either ends at once, or sleeps until every task has started, as long as one more
 * worker may exist. So a queued task must be started although others sleep: when no process
 * can move any more, all tasks have been started.
 *
 * These stores are written at once: those of a thread before wake_up_process(), which is a full
 * barrier; an offer and its end, with the barrier that follows; and an increment of the searching
 * or running workers, because a thread that misses it only wakes one worker too many. Nothing
 * else depends on wpool_coming_leave:A, so spin finds no error without it.
 *
 * barrier: core/wake.c wake_one:A
 * barrier: core/wake.c wpool_wake_if_work:A
 * barrier: core/sched.h wpool_sched_push:A
 * like wpool_sched_push:A: core/sched.h wpool_sched_push_next:A
 * omits: core/sched.h wpool_sched_push_next:B
 * like wpool_sched_push:A: core/sched.c wake_for_moved:A
 * like wpool_sched_push:A: core/sched.c wpool_sched_push_on:A
 * barrier: core/sched.c stop_searching:A
 * omits: core/sched.c transit_fill:A
 * barrier: core/queued.c wpool_runq_is_stranded:A
 * barrier: core/queued.c wpool_runq_offer:A
 * barrier: core/queued.c end_offer:A
 * barrier: core/queued.c end_offer:B
 * omits: core/wake.c is_searched:A
 * barrier: core/handoff.c look_here:B
 * omits: core/handoff.c look_here:A
 * barrier: workers/worker.c park_join:A
 * omits: workers/expire.c wpool_expire_timer:A
 * barrier: core/idle.c wpool_coming_leave:A
 * omits: core/idle.c wpool_idle_take:A
 * omits: core/idle.c wpool_idle_wake_runq:A
 * barrier: core/counts.c make_it_look:A
 * barrier: core/counts.c wpool_module_count_out:A
 * omits: core/counts.c wpool_running_enter:A
 * omits: core/counts.c __wpool_runq_activate:A
 * omits: core/counts.c __wpool_runq_activate:B
 * barrier: core/counts.c wpool_running_left:A
 * barrier: core/counts.c wpool_running_left:B
 * like wpool_running_left:A: workers/home.c wpool_worker_rehome:A
 * barrier: workers/spawner.c spawn_worker:A
 * omits: workers/spawner.c spawn_worker:B
 * omits: core/wake.c wpool_need_worker:A
 * omits: core/wake.c wpool_need_worker:B
 * omits: core/wake.c wpool_need_worker:C
 *
 * holds one-submitter: -DSUBMITTERS=1
 * holds two-submitters: -DSUBMITTERS=2 -DASLEEP=1 -DNTASKS=3
 * holds one-cpu: -DCPUS=1
 * holds leaving: -DASLEEP=1 -DLEAVES=1
 * holds failing: -DCPUS=1 -DFAILS=1 -DFULL=1
 * holds away: -DCPUS=1 -DAWAY=1
 * holds retaken: -DCPUS=1 -DASLEEP=1 -DRETAKES=1
 * holds short: -DASLEEP=1 -DNTASKS=3 -DOTHER=1 -DSHORT=1
 *
 * breaks without-wpool_sched_push:A: -DNO_wpool_sched_push_A
 * breaks without-stop_searching:A: -DNO_stop_searching_A
 * breaks without-park_join:A: -DNO_park_join_A
 * breaks without-wpool_running_left:A: -DNO_wpool_running_left_A
 * breaks without-wpool_running_left:B: -DNO_wpool_running_left_B -DCPUS=1 -DAWAY=1
 * breaks without-wpool_running_left:B-of-monitor: -DNO_wpool_running_left_B -DCPUS=1 -DRETAKES=1
 * breaks without-look_here:B: -DNO_look_here_B -DCPUS=1 -DAWAY=1
 * breaks without-wpool_runq_offer:A: -DNO_wpool_runq_offer_A
 * breaks without-end_offer:A: -DNO_end_offer_A
 * breaks without-offer: -DNO_offer
 * breaks without-wake_one:A: -DNO_wake_one_A
 * breaks without-wpool_module_count_out:A: -DNO_wpool_module_count_out_A -DASLEEP=1 -DLEAVES=1
 * breaks without-spawn_worker:A: -DNO_spawn_worker_A
 * breaks without-retry: -DNO_retry -DCPUS=1 -DFULL=1
 * breaks without-retry-or-count-out: -DNO_retry -DNO_count_out -DCPUS=1 -DFAILS=1
 */

#ifndef SUBMITTERS
#define SUBMITTERS	1
#endif
#ifndef NTASKS
#define NTASKS		2
#endif
#ifndef LEAVES
#define LEAVES		0	/* workers that expire or leave */
#endif
#ifndef FAILS
#define FAILS		0	/* how often a worker cannot be made: no memory */
#endif
#ifndef FULL
#define FULL		0	/* how often max_workers is reached */
#endif
#ifndef ASLEEP
#define ASLEEP		0	/* workers that sleep in a task from the start */
#endif
#ifndef AWAY
#define AWAY		0	/* one of the workers of CPU 0 starts on CPU 3 */
#endif
#ifndef RETAKES
#define RETAKES		0	/* workers that the monitor, on CPU 3, counts out */
#endif
#ifndef OTHER
#define OTHER		0	/* a worker of CPU 1 runs */
#endif
#ifndef SHORT
#define SHORT		0	/* tasks may be short */
#endif
#ifndef CPUS
#define CPUS		2	/* CPUs with a run queue */
#endif
#define CAPACITY	2
#define CONCURRENCY	1

/* locations; the first six are counters */
#define NR_SEARCHING	0
#define NR_COMING	1
#define RING0		2	/* length of ring 0 */
#define RING1		3
#define NR_RUNNING	4	/* of CPU 0 */
#define NR_RUNNING1	5	/* of CPU 1 */
#define NCOUNTERS	6
#define NR_WORKERS	6
#define IDLE_MASK	7
#define WAKING		8	/* number of CPU 0's waking worker, from 1 on */
#define SPAWN_WANTED	9
#define UNSERVED	10
#define LOOK		11	/* an interrupt that makes CPU 0 look is pending */
#define OFFER0		12	/* ring 0 is offered to other CPUs */
#define OFFER1		13
#define NLOCS		14

#define RQ_LOCK		(BIT(IDLE_MASK) | BIT(NR_RUNNING))
#define WORKERS_LOCK	BIT(NR_WORKERS)

/* store buffers of CPUs */
#define CPU0		0	/* workers and a submitter */
#define CPU1		1	/* a submitter; perhaps a worker */
#define CPU2		2	/* the spawner */
#define CPU3		3	/* the expiry timer, a worker that is away, the monitor */
#if LEAVES || AWAY || RETAKES
#define NPROCS		4
#define ALL_SETS	SET(0) | SET(1) | SET(2) | SET(3)
#else
#define NPROCS		3
#define ALL_SETS	SET(0) | SET(1) | SET(2)
#endif

#include "weak.pml"

#if SHORT
#define LEFT_TOO	, remains
#else
#define LEFT_TOO
#endif

/* under the run queue's lock; parked: the worker is in rq->idle; its waker sets the others */
bool parked[2], picked[2], helps[2], leaving[2];
/* under the run queue's lock; w->running_on: the worker counts in nr_running */
bool running[2];
/* the thread exists */
bool thread[2];
/* the spawner, which is a work, is pending */
bool asked;

byte unsent = NTASKS - ASLEEP - AWAY, started = ASLEEP, asleep = ASLEEP;
byte leaves = LEAVES, fails = FAILS, full_again = FULL, retakes = RETAKES;

/* ---- counts.c ---- */

/* under the run queue's lock */
inline running_enter(w)
{
	running[w] = true;
	mem[NR_RUNNING] = mem[NR_RUNNING] + 1
}

/* ---- idle.c ---- */

/* wpool_idle_take() */
inline unpark(w)
{
	parked[w] = false;
	mem[IDLE_MASK] = parked[0] || parked[1]
}

/* wpool_coming_enter() */
inline come(w)
{
	helps[w] = true;
	mem[NR_COMING] = mem[NR_COMING] + 1
}

/* wpool_idle_wake() */
inline idle_wake(any)
{
	atomic {
		lock(RQ_LOCK) && !WAITS(WAKING);
		if
		:: mem[WAKING]
		:: !mem[WAKING] && parked[0] -> woke = 1
		:: !mem[WAKING] && parked[1] -> woke = 2
		:: !mem[WAKING] && !parked[0] && !parked[1]
		fi;
		if
		:: woke ->
			/* waking_enter() */
			picked[woke - 1] = true;
			running_enter(woke - 1);
			mem[WAKING] = woke;
			if
			:: any -> come(woke - 1)
			:: else
			fi;
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
		store(SPAWN_WANTED, 1);
		/* queueing a work is fully ordered, also if the work is pending */
		full_barrier();
		asked = true
	fi
}

/* ---- queued.c, length.h ---- */

/* not wpool_runq_is_stranded(), if the tasks are short */
#define IS_ATTENDED0	load(NR_RUNNING)
#define IS_ATTENDED1	(OTHER && load(NR_RUNNING1))
#define IS_ATTENDED(own)	((own) -> IS_ATTENDED1 : IS_ATTENDED0)

#define RING(own)	((own) -> RING1 : RING0)
#define OFFER(own)	((own) -> OFFER1 : OFFER0)

/* wpool_runq_is_stranded() */
#if !SHORT
#define IS_LEFT(own)	load(RING(own))
#define look_into(own)	skip
#else
/* the tasks may be short */
#define IS_LEFT(own)	remains

inline look_into(own)
{
	remains = false;
#ifndef NO_wpool_runq_is_stranded_A
	if
	:: !load(RING(own))
	:: else ->
		/* wpool_runq_is_stranded:A */
		if
		:: IS_ATTENDED(own)
		:: true -> remains = true
		fi
	fi
#else
	/* the second load moves up */
	remains = IS_ATTENDED(own);
	if
	:: !load(RING(own)) -> remains = false
	:: load(RING(own)) && remains -> remains = false
	:: load(RING(own)) -> remains = true
	fi
#endif
}
#endif

/* skip an offer of ring 0 that no process reads; the worker that is AWAY need not see it */
#define IS_READ(own)	((own) || LEAVES || FAILS || OTHER)

/* wpool_runq_offer() */
inline offer(own)
{
#ifndef NO_offer
	look_into(own);
	if
#ifndef NO_wpool_runq_offer_A
	:: atomic {
		IS_LEFT(own) && IS_READ(own) && !load(OFFER(own)) && full_barrier() ->
		mem[OFFER(own)] = 1;
#else
	:: atomic {
		IS_LEFT(own) && IS_READ(own) && !load(OFFER(own)) ->
		store(OFFER(own), 1);
#endif
		offered = true
	   }
	:: !IS_LEFT(own) || !IS_READ(own) || load(OFFER(own))
	fi
#else
	skip
#endif
}

/* an offer, in wpool_queues_find_work(): if the run queue is not left, end_offer() */
inline visit(own)
{
	look_into(own);
	if
	:: atomic { IS_LEFT(own) -> work = true }
#ifndef NO_end_offer_A
	:: atomic { !IS_LEFT(own) && full_barrier() -> mem[OFFER(own)] = 0 };
#else
	:: atomic { !IS_LEFT(own) -> store(OFFER(own), 0) };
#endif
	   look_into(own);
	   if
	   :: atomic { IS_LEFT(own) -> work = true };
#ifndef NO_end_offer_B
	      atomic { full_barrier() -> mem[OFFER(own)] = 1 }
#else
	      store(OFFER(own), 1)
#endif
	   :: !IS_LEFT(own)
	   fi
	fi
}

/* wpool_queues_find_work() */
inline find_work(own)
{
	look_into(own);
	if
	:: atomic { IS_LEFT(own) -> work = true }
	:: !IS_LEFT(own) && !load(OFFER(!(own)))
	:: !IS_LEFT(own) && load(OFFER(!(own))) ->
		visit(!(own))
	fi
}

/* ---- wake.c ---- */

#define HAS_ROOM	(load(NR_RUNNING) < CONCURRENCY)
#define HAS_ROOM1	(!OTHER || !load(NR_RUNNING1))
#define HAS_ROOM_ON(own)	((own) -> HAS_ROOM1 : HAS_ROOM)
#define NR_RUNNING_ON(own)	((own) -> (OTHER -> load(NR_RUNNING1) : 0) : load(NR_RUNNING))
/* has_vacancy(): no worker of CPU 1 is ever idle */
#define HAS_VACANCY	((CPUS > 1 && HAS_ROOM1) || (HAS_ROOM && !load(IDLE_MASK)))

/* @own: 0 on CPU 0; @any: the tasks may be in any ring */
inline wake_one(own, any)
{
	do
	:: true ->
		if
		:: own == 0 && load(IDLE_MASK) && HAS_ROOM -> idle_wake(any)
		:: else
		fi;
		if
		:: woke -> break
		:: else
		fi;
		offer(own);
		offered = false;
		if
		:: load(NR_COMING) -> break
		:: else
		fi;
#if CPUS > 1
		/* wake_other() */
		do
		:: own && load(IDLE_MASK) && !load(WAKING) && HAS_ROOM ->
			idle_wake(true);
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
		:: ((own == 0 && HAS_ROOM) || HAS_VACANCY) && load(NR_WORKERS) < CAPACITY ->
			ask();
			break
		:: else
		fi;
		if
		:: load(UNSERVED) -> break
		:: atomic { !load(UNSERVED) -> store(UNSERVED, 1) }
		fi;
#ifndef NO_wake_one_A
		full_barrier()
#endif
	od;
	woke = 0
}

inline is_searched(own)
{
	if
	:: load(NR_SEARCHING) ->
		offer(own);
		atomic { offered = false; searched = load(NR_SEARCHING) != 0 }
	:: !load(NR_SEARCHING)
	fi
}

/* wpool_wake_for_rest() */
inline wake_for_rest(own)
{
	is_searched(own);
	if
	:: searched -> searched = false
	:: else ->
		find_work(own);
		if
		:: work -> work = false; wake_one(own, true)
		:: else
		fi
	fi
}

inline wake_if_work(own)
{
	if
	:: atomic { load(UNSERVED) -> store(UNSERVED, 0) };
#ifndef NO_wake_one_A
		full_barrier()
#endif
	:: !load(UNSERVED)
	fi;
	wake_for_rest(own)
}

/* ---- sched.h, sched.c ---- */

/* wake_helper() is left out: it only wakes more workers */
inline push(ring, own)
{
	atomic { unsent && !WAITS(ring) -> unsent--; store(ring, 1) };
	if
	:: !HAS_ROOM_ON(own)
		/* wpool_wake_is_needless() */
	:: else ->
#ifndef NO_wpool_sched_push_A
		full_barrier();
#endif
		/* wpool_wake_for_push() */
		is_searched(own);
		if
		:: searched -> searched = false
		:: else ->
			if
			:: !HAS_ROOM_ON(own)
			:: else -> wake_one(own, false)
			fi
		fi
	fi
}

/* wpool_worker_left() */
inline left(own)
{
#ifndef NO_wpool_module_count_out_A
	full_barrier();
#endif
	wake_if_work(own)
}

proctype submitter(byte me)
{
	byte woke;
	bool work, offered, searched LEFT_TOO;

	do
	:: me == CPU0 && unsent -> push(RING0, 0)
#if CPUS > 1
	:: me == CPU1 && unsent -> push(RING1, 1)
#endif
	:: !unsent -> break
	od
}

/* ---- counts.c, handoff.c ---- */

/* make_it_look(), for CPU 0 */
inline make_it_look()
{
	atomic { full_barrier() -> mem[LOOK] = 1 }
}

/* look_here(), an interrupt */
proctype interrupt(byte me)
{
	byte woke;
	bool work, offered, searched LEFT_TOO;

	do
	:: atomic { mem[LOOK] && !WAITS(LOOK) -> store(LOOK, 0) };
#ifndef NO_look_here_B
	   full_barrier();
#endif
	   wake_if_work(0)
	od
}

/* wpool_searching_enter() */
inline search()
{
	searching = true;
	mem[NR_SEARCHING] = mem[NR_SEARCHING] + 1
}

#if AWAY
#define IS_AWAY		(me != CPU0)
#else
#define IS_AWAY		0
#endif

/* wpool_running_leave() and the barrier behind it */
inline running_leave()
{
	atomic {
		full_barrier() && lock(RQ_LOCK);
		if
		:: running[id] -> mem[NR_RUNNING] = mem[NR_RUNNING] - 1; running[id] = false
#if AWAY && !defined(NO_wpool_running_left_B)
			; call = IS_AWAY
#endif
		:: else
		fi
	};
#if AWAY && !defined(NO_wpool_running_left_B)
	if
	:: call -> call = false; make_it_look()
	:: else
	fi
#endif
}

/* wpool_running_leave() without a barrier; the caller has the lock */
inline count_out()
{
	if
	:: running[id] -> running[id] = false; store(NR_RUNNING, MINUS_1)
	:: else
	fi
}

inline running_leave_relaxed()
{
	atomic { lock(RQ_LOCK); count_out() }
}

/* wpool_waking_disown() */
inline disown()
{
	if
	:: load(WAKING) == id + 1 -> store(WAKING, 0)
	:: else
	fi
}

#define HAS_RESERVE	(load(IDLE_MASK) || load(NR_WORKERS) < CAPACITY)

/* the end of switched_out(), and handoff_work() */
inline look_for_worker(own)
{
	if
	:: HAS_RESERVE -> wake_if_work(own)
	:: else ->
		offer(own);
		if
		:: offered ->
			offered = false;
			if
			:: HAS_RESERVE -> wake_if_work(own)
			:: else
			fi
		:: else
		fi
	fi
}

/* switched_out() */
inline switched_out()
{
	if
	:: running[id] ->
#ifndef NO_wpool_running_left_A
		running_leave();
#else
		running_leave_relaxed();
#endif
		if
		:: load(RING0) || load(UNSERVED) -> look_for_worker(IS_AWAY)
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

/* steal_from() */
inline steal()
{
	if
	:: atomic {
		full_barrier() && load(RING1) && load(OFFER1) ->
		mem[RING1]--;
		got = true;
#if NTASKS > 2 || ASLEEP == 0
		do
		:: mem[RING1] > 0 -> mem[RING1]--; moved++
		:: break
		od
#endif
	   };
#if NTASKS > 2 || ASLEEP == 0
	   if
	   :: moved -> store(RING0, moved); moved = 0
	   :: else
	   fi
#endif
	:: !load(RING1) || !load(OFFER1)
#if SHORT
	:: load(RING1) && IS_ATTENDED1
#endif
	fi
}

proctype worker(byte id; byte me)
{
	byte woke, moved;
	bool got, searching, last, work, offered, searched LEFT_TOO;
#if AWAY
	bool call;
#endif

	if
#if ASLEEP
	:: id == 1 -> goto busy
#endif
#if AWAY
	:: running[id] && !picked[id] -> goto in_task
#endif
	:: parked[id] -> goto sleep
	:: else
	fi;
dead:
	thread[id];
look:
#if AWAY
	if
	:: IS_AWAY ->
		/* wpool_worker_rehome() */
		atomic { disown() };
#ifndef NO_wpool_running_left_A
		running_leave();
#else
		running_leave_relaxed();
#endif
		wake_if_work(1);
		atomic { full_barrier() -> me = CPU0 }
	:: else
	fi;
#endif
	if
	:: picked[id] ->
		/* wpool_waking_leave() */
		atomic {
			picked[id] = false;
			if
			:: helps[id] -> search()
			:: else
			fi;
			disown()
		};
		if
		:: helps[id] ->
			helps[id] = false;
#ifndef NO_wpool_coming_leave_A
			full_barrier();
#endif
			store(NR_COMING, MINUS_1)
		:: else
		fi
	:: else
	fi;
	if
	:: atomic { !running[id] && lock(RQ_LOCK) -> running_enter(id) };
	   full_barrier()
	:: running[id]
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
	:: load(NR_RUNNING) > CONCURRENCY + (load(WAKING) != 0) -> goto park
	:: else
	fi;

	/* take(); wake_to_help() is left out: it only wakes more workers */
	pop(RING0);
	/* search_for_task() */
	if
	:: got
	:: else ->
		if
		:: searching
		:: !searching && load(NR_SEARCHING) -> goto park
		:: atomic { !searching && !load(NR_SEARCHING) && !WAITS(NR_SEARCHING) -> search() }
		fi;
		steal();
		if
		:: !got && load(OFFER1) -> visit(1); work = false; pop(RING0)
		:: !got && !load(OFFER1) -> pop(RING0)
		:: else
		fi
	fi;

	if
	:: got && searching ->
		/* stop_searching() */
#ifndef NO_stop_searching_A
		full_barrier();
#else
		/* the reads of wpool_wake_for_rest() move up */
		last = load(RING0) || (load(OFFER1) && load(RING1));
#endif
		atomic {
			!WAITS(NR_SEARCHING);
			searching = false;
			mem[NR_SEARCHING] = mem[NR_SEARCHING] - 1
		};
#ifndef NO_stop_searching_A
		wake_for_rest(0)
#else
		if
		:: last -> last = false; wake_for_rest(0)
		:: else
		fi
#endif
	:: else
	fi;

	if
	:: got ->
in_task:	atomic {
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
	/* park_join() */
	if
	:: searching -> searching = false; store(NR_SEARCHING, MINUS_1)
	:: else
	fi;
	atomic {
		/* unlock is a release: the thread that unparks the worker sees its stores */
		buf[me].set == 0 && lock(RQ_LOCK);
		parked[id] = true;
		store(IDLE_MASK, 1);
		count_out()
	};
#ifndef NO_park_join_A
	full_barrier();
#endif
	wake_if_work(0);

sleep:
	/* park_sleep() */
	!parked[id];
	if
	:: leaving[id] -> leaving[id] = false
	:: else -> goto look
	fi;
gone:
	atomic {
		full_barrier();
		thread[id] = false;
		goto dead
	}
}

#if OTHER
/* A worker of CPU 1: takes tasks from its ring, blocks in the last one, and stays there. */
proctype other(byte me)
{
	byte woke;
	bool got, work, offered, searched LEFT_TOO;

	do
	:: pop(RING1);
	   if
	   :: got -> d_step { got = false; started++ }
	   :: else -> break
	   fi
	:: break
	od;
	/* wpool_running_leave() */
#ifndef NO_wpool_running_left_A
	atomic {
		full_barrier() ->
		mem[NR_RUNNING1] = 0
	};
#else
	store(NR_RUNNING1, MINUS_1);
#endif
	if
	:: load(RING1) || load(UNSERVED) -> look_for_worker(1)
	:: else
	fi
}
#endif

#if RETAKES
/* retake_chosen() */
proctype monitor(byte me)
{
	do
	:: atomic {
		retakes && (running[0] || running[1]) && full_barrier() && lock(RQ_LOCK) ->
		retakes--;
		if
		:: running[0] -> running[0] = false
		:: running[1] -> running[1] = false
		fi;
		mem[NR_RUNNING] = mem[NR_RUNNING] - 1
	   };
#ifndef NO_wpool_running_left_B
	   make_it_look()
#endif
	od
}
#endif

/* expire_one() */
proctype timer(byte me)
{
	byte woke;
	bool work, offered, searched LEFT_TOO;

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

/* spawn_at() */
inline create()
{
	atomic {
		lock(RQ_LOCK);
		if
		:: !thread[0] -> woke = 1
		:: !thread[1] -> woke = 2
		fi;
		picked[woke - 1] = true;
		running_enter(woke - 1);
		thread[woke - 1] = true;
		if
		:: !mem[WAKING] -> mem[WAKING] = woke
		:: else
		fi;
		come(woke - 1);
		woke = 0
	}
}

inline retry_later()
{
#ifndef NO_retry
	store(SPAWN_WANTED, 1);
	full_barrier();
	asked = true
#else
	skip
#endif
}

/* spawn_at() has failed: wpool_worker_count_out() */
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
	byte woke, coming;
	bool ok, no_place, work, offered, searched LEFT_TOO;

	do
	:: atomic { asked -> asked = false };
	   /* a work is no longer pending when its function begins */
	   full_barrier();
	   store(SPAWN_WANTED, 0);
#ifndef NO_spawn_worker_A
	   full_barrier();
#endif
	   /* wpool_need_worker() */
	   coming = load(NR_COMING);
	   if
	   :: load(NR_SEARCHING)
	   :: else ->
		if
		:: load(RING0) + load(RING1) <= coming
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
	   fi;
	   coming = 0
	od
}

proctype memory(byte me)
{
	do
	write(0) write(1) write(2) write(3) write(4) write(5)
	write(6) write(7) write(8) write(9) write(10) write(11)
	write(12) write(13)
	od
}

init {
	atomic {
		/* one worker is awake; the other sleeps, or does not exist yet */
		thread[0] = true;
		mem[NR_WORKERS] = 1;
#if AWAY
		/* the other is on another CPU, in a task or picked */
		thread[1] = true;
		mem[NR_WORKERS] = 2;
		if
		:: running[1] = true;
		   mem[NR_RUNNING] = 1;
		   if
		   :: parked[0] = true;
		      mem[IDLE_MASK] = 1
		   :: true
		   fi
		:: picked[1] = true;
		   running[1] = true;
		   mem[NR_RUNNING] = 1;
		   mem[WAKING] = 2;
		   started++
		fi;
#else
		if
		:: thread[1] = true;
		   mem[NR_WORKERS] = 2;
		   parked[1] = !ASLEEP;
		   mem[IDLE_MASK] = !ASLEEP
#if !ASLEEP
		:: true
#endif
		fi;
#endif
		run memory(CPU0);
		run memory(CPU1);
		run memory(CPU2);
		run worker(0, CPU0);
#if AWAY
		/* an earlier interrupt may still be pending */
		if
		:: mem[LOOK] = 1
		:: true
		fi;
		run worker(1, CPU3);
#else
		run worker(1, CPU0);
#endif
#if CPUS > 1 && SUBMITTERS == 1
		if
		:: run submitter(CPU0)
		:: run submitter(CPU1)
		fi;
#else
		run submitter(CPU0);
#endif
#if SUBMITTERS > 1
		run submitter(CPU1);
#endif
		run spawner(CPU2);
#if NPROCS > 3
		run memory(CPU3);
#endif
#if OTHER
		mem[NR_RUNNING1] = 1;
		run other(CPU1);
#endif
#if AWAY || RETAKES
		run interrupt(CPU0);
#endif
#if RETAKES
		run monitor(CPU3);
#endif
#if LEAVES && !defined(LEAVE_ONLY)
		run timer(CPU3)
#endif
	};
	/* no process can move any more */
	timeout;
	assert(started == NTASKS);
	assert(mem[NR_SEARCHING] == 0 && mem[NR_COMING] == 0 && !mem[WAKING]);
	assert(mem[NR_RUNNING] == 0 && mem[NR_RUNNING1] == 0)
}
