/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Admission: module/task/tokens.c and waiters.c, and their headers, submit.c and state.h.
 *
 * Each submitter takes a token, waits in line, or (TRIES) is refused; one waiter may give
 * up. Finishers give the tokens back on two CPUs, each with a cache that the finishers use
 * unless tokens are scarce. With RESIZE the limit shrinks by one meanwhile. A flush is not
 * modelled: it counts the tasks itself, once a tick, and relies on no finish.
 *
 * When no process can move any more, the line is empty, all tokens are where submitters
 * find them, and no debt is left. A waiter is served before submitters that came later. A
 * submitter is refused only if it met a full pool, or a finish that had not ended.
 *
 * barrier: task/state.h give:A
 * omits: task/state.h accept:A
 * barrier: task/tokens.c give:A
 * barrier: task/tokens.c scarce:A
 * barrier: task/waiters.c wait:A
 * omits: task/waiters.c close:A
 * omits: task/waiters.c seen:A
 *
 * holds waiting: -DSUBMITTERS=3
 * holds giving-up: -DSUBMITTERS=2 -DRUNNING=2 -DGIVES_UP=1
 * holds refusing: -DSUBMITTERS=3 -DTRIES=1
 * holds resizing: -DSUBMITTERS=1 -DRUNNING=2 -DRESIZE=1
 *
 * breaks without-give:A: -DNO_give_A -DSUBMITTERS=2 -DTOTAL=1
 * breaks without-wait:A: -DNO_wait_A -DSUBMITTERS=2 -DTOTAL=1
 * breaks without-scarce:A: -DNO_scarce_A -DSUBMITTERS=2 -DTOTAL=1
 * breaks without-scarce:A-resizing: -DNO_scarce_A -DSUBMITTERS=0 -DRUNNING=2 -DRESIZE=1
 * breaks without-give-up-of-own-cache: -DNO_give_up -DSUBMITTERS=2 -DTOTAL=1
 * breaks without-overflow-lock: -DNO_overflow_lock -DSUBMITTERS=3 -DTRIES=1
 */

#ifndef TOTAL
#define TOTAL		2
#endif
#ifndef SUBMITTERS
#define SUBMITTERS	3	/* the last TRIES of them have policy fail */
#endif
#ifndef TRIES
#define TRIES		0
#endif
#ifndef RUNNING
#define RUNNING		0	/* unfinished tasks at the start */
#endif
#ifndef RESIZE
#define RESIZE		0
#endif
#ifndef GIVES_UP
#define GIVES_UP	0
#endif
#define BATCH		1

/* locations */
#define NCOUNTERS	0
#define ATTENTION	0
#define NLOCS		1

#define WAITERS		1
#define SCARCE		2

#define FINISHER	0	/* 0 and 1 */
#define CHANGER		2	/* resizer */
#define SUBMITTER	3
#define NPROCS		(3 + SUBMITTERS)
#if SUBMITTERS == 0
#define ALL_SETS	SET(0) | SET(1) | SET(2)
#elif SUBMITTERS == 1
#define ALL_SETS	SET(0) | SET(1) | SET(2) | SET(3)
#elif SUBMITTERS == 2
#define ALL_SETS	SET(0) | SET(1) | SET(2) | SET(3) | SET(4)
#else
#define ALL_SETS	SET(0) | SET(1) | SET(2) | SET(3) | SET(4) | SET(5)
#endif

#include "weak.pml"

/* atomics, only changed by fully ordered operations or under the lock */
short tokens;
byte cache[2];

/* admission.lock, and what it protects */
bool locked;
chan line = [3] of { byte };
bool done[8];

/* running: tasks that have a token; total: all tokens */
byte running = RUNNING;
byte total = TOTAL;
short free = TOTAL - RUNNING;
/* tokens in a cache whose finisher has not seen yet that tokens are scarce */
byte moving;
/* the submitter met a full pool, a line, or a token that counts in moving */
bool met_full[8];
/* in_line: bits of the waiters; came_after: those that waited when the submitter came */
byte in_line, came_after[8];

/* No full barrier: the process' own stores under the lock may still be in its buffer. */
inline spin_lock()
{
	atomic { !locked && ((ALL_SETS) & BIT(ATTENTION)) == 0 -> locked = true }
}

inline spin_unlock()
{
	locked = false
}

#define set_attention(bits)						\
	if								\
	:: load(ATTENTION) == (bits)					\
	:: else -> store(ATTENTION, bits)				\
	fi

inline all_met_full()
{
	met_full[SUBMITTER] = true;
	met_full[SUBMITTER + 1] = true;
	met_full[NPROCS - 1] = true
}

/* tasks hold n more tokens from here on */
inline hold(n)
{
	free = free - n;
	running = running + n;
	assert(free >= 0 || RESIZE);
	if
	:: free <= 0 -> all_met_full()
	:: else
	fi
}

inline collect()
{
	do
	:: c < 2 ->
		if
		:: atomic { cache[c] -> moved = cache[c]; cache[c] = 0 };
		   tokens = tokens + moved;
		   moved = 0
		:: !cache[c]
		fi;
		c++
	:: else -> break
	od;
	c = 0
}

/* under the lock */
inline make_scarce()
{
	if
	:: load(ATTENTION) & SCARCE
	:: else ->
		set_attention(load(ATTENTION) | SCARCE);
#ifndef NO_scarce_A
		full_barrier();
#endif
		collect()
	fi
}

inline relax()
{
	spin_lock();
	if
	:: len(line) == 0 && tokens > 0 -> set_attention(load(ATTENTION) & ~SCARCE)
	:: else
	fi;
	spin_unlock()
}

inline serve_locked()
{
	do
	:: atomic {
		len(line) > 0 && tokens > 0 ->
		tokens--;
		hold(1);
		line?who;
		in_line = in_line & ~BIT(who);
		assert(!(came_after[who] & in_line));
		done[who] = true;
		who = 0
	   }
	:: else -> break
	od;
	set_attention((load(ATTENTION) & SCARCE) |
		      (len(line) > 0 -> WAITERS : 0))
}

inline serve()
{
	spin_lock();
	serve_locked();
	spin_unlock()
}

#define cpu	(me & 1)

/* wpool_finish_settle() after wpool_account_out(), and wpool_waiters_serve() */
inline give()
{
	att = load(ATTENTION) & SCARCE;
#ifdef NO_give_A
	/* the read that follows moves up */
	early = load(ATTENTION);
#define ORDER	true
#define ATT	early
#else
#define ORDER	full_barrier()
#define ATT	load(ATTENTION)
#endif
	if
	:: !att ->
		/* if tokens are scarce already, no other process is sure to find this token here */
		atomic {
			ORDER -> cache[cpu]++; free++; got = cache[cpu];
			late = (mem[ATTENTION] & SCARCE) != 0;
			if
			:: late -> moving++; all_met_full()
			:: else
			fi
		};
		if
#ifdef NO_give_up
		:: got >= 2 * BATCH ->
#else
		:: got >= 2 * BATCH || (ATT & SCARCE) ->
#endif
			/* a submitter that is about to be refused must not miss the move */
#ifndef NO_overflow_lock
			spin_lock();
#endif
			atomic { moved = cache[cpu]; cache[cpu] = 0 };
			atomic { tokens = tokens + moved; moving = moving - late };
			moved = 0; late = 0;
#ifndef NO_overflow_lock
			spin_unlock();
#endif
#ifdef NO_give_A
			early = load(ATTENTION)
#else
			full_barrier()
#endif
		:: else
		fi
	:: else ->
		atomic { ORDER -> tokens++; free++ };
		/* tokens may stop being scarce at any time */
		if
		:: tokens > 0 -> relax()
		:: true
		fi
	fi;
	got = 0;
	if
	:: ATT & WAITERS -> serve()
	:: else
	fi
}

proctype finisher(byte me)
{
	byte att, early, got, moved, late, c, who;

	do
	:: atomic { running -> running-- };
	   give();
	   early = 0; att = 0
	od
}

/* __wpool_tokens_take(), which takes one more token for the cache if there is one */
inline take_slow()
{
	spin_lock();
	if
	:: len(line) > 0
	:: len(line) == 0 ->
		if
		:: atomic { tokens > 0 -> tokens--; hold(1); got = 1 }
		:: tokens <= 0 ->
			make_scarce();
			if
			:: atomic { tokens > 0 -> tokens--; hold(1); got = 1 }
			:: tokens <= 0
			fi
		fi;
		if
		:: atomic { got && tokens > 0 && !(load(ATTENTION) & SCARCE) ->
			    tokens--; cache[cpu]++ }
		:: !got || tokens <= 0 || (load(ATTENTION) & SCARCE)
		fi
	fi;
	spin_unlock()
}

proctype submitter(byte me)
{
	byte got, moved, c, who, att;

	atomic {
		came_after[me] = in_line;
		met_full[me] = free <= 0 || in_line || moving
	};
	/* take_tokens() */
	att = load(ATTENTION);
	if
	:: att & WAITERS
	:: !(att & WAITERS) && (att & SCARCE) ->
		if
		:: atomic { tokens > 0 -> tokens--; hold(1); got = 1 }
		:: tokens <= 0
		fi
	:: else ->
		if
		:: atomic { cache[cpu] -> cache[cpu]--; hold(1); got = 1 }
		:: !cache[cpu]
		fi
	fi;
	att = 0;
	if
	:: !got -> take_slow()
	:: else
	fi;
	if
	:: got -> assert(!(came_after[me] & in_line))
	:: !got && me >= NPROCS - TRIES -> assert(met_full[me])
	:: !got && me < NPROCS - TRIES ->
		/* wpool_waiters_wait(), wpool_waiters_join() */
		spin_lock();
		line!me;
		make_scarce();
		set_attention(load(ATTENTION) | WAITERS);
#ifndef NO_wait_A
		full_barrier();
#endif
		atomic {
			in_line = in_line | BIT(me);
			all_met_full()
		};
		/* the code serves in any case: only the first waiter needs it */
		if
		:: len(line) == 1 -> serve_locked()
		:: else
		fi;
		spin_unlock();
#if GIVES_UP
		if
		:: done[me]
		:: me == SUBMITTER ->
			/* abandon_wait() */
			spin_lock();
			if
			:: !done[me] ->
				line??eval(me);
				in_line = in_line & ~BIT(me);
				set_attention((load(ATTENTION) & ~WAITERS) |
					      (len(line) > 0 -> WAITERS : 0))
			:: else
			fi;
			spin_unlock()
		fi
#else
		done[me]
#endif
	fi
}

#if RESIZE
proctype resizer(byte me)
{
	byte moved, c, who;

	spin_lock();
	make_scarce();
	atomic {
		total--;
		free--;
		tokens--;
		if
		:: free <= 0 -> all_met_full()
		:: else
		fi
	};
	spin_unlock();
	serve();
	relax()
}
#endif

proctype memory(byte me)
{
	do
	write(ATTENTION)
	od
}

init {
	byte i;

	atomic {
		tokens = TOTAL - RUNNING;
		run finisher(FINISHER);
		run finisher(FINISHER + 1);
#if RESIZE
		run resizer(CHANGER);
#endif
		do
		:: i < NPROCS ->
			run memory(i);
			if
			:: i >= SUBMITTER -> run submitter(i)
			:: else
			fi;
			i++
		:: else -> break
		od
	};
	/* no process can move any more */
	timeout;
	assert(len(line) == 0 && !running && !locked);
	assert(tokens + cache[0] + cache[1] == total);
	assert(tokens >= 0 && !(mem[ATTENTION] & ~SCARCE));
	/* no process would take these tokens out of the caches */
	assert(!(mem[ATTENTION] & SCARCE) || !(cache[0] + cache[1]))
}
