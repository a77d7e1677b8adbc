/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The states of a joinable task: module/task/state.h, state.c, cancel.c, finish.c, wait.c, run.c,
 * submit.c, flush.c, and the close in pool/pool.c.
 *
 * Submitters submit one task to two pools, the first SUBMITS_A of them to A. Two workers run it.
 * Others cancel it, disable it, wait for it, flush pool A, or release pool A and drop its tasks;
 * after that, pool A may be opened again.
 *
 * Each accepted submit ends once: it has run in its pool, or was cancelled. The accounts of each
 * pool say so. A flush returns after the ends of all submits that were accepted before it. A
 * disabled task does not run, nor does a task start after the release. A wait returns the status
 * of the last submit, and no wait lasts for longer than the task.
 *
 * The memory is sequentially consistent: the state is changed by fully ordered operations, and
 * other fields belong to the thread that holds the task, or to pool_lock(). But with EARLY
 * claim_slow() reads the pool before the state, as if it had no read barrier between them.
 *
 * holds again: -DSUBMITS_A=3 -DCANCELS=1
 * holds waiting: -DSUBMITS_A=2 -DCANCELS=1 -DWAITS=1
 * holds pools: -DSUBMITS_A=2 -DSUBMITS_B=1 -DCANCELS=1
 * holds pools-early: -DSUBMITS_A=2 -DSUBMITS_B=1 -DCANCELS=1 -DEARLY
 * holds pools-first: -DSUBMITS_A=1 -DSUBMITS_B=2 -DFIRST
 * holds pools-twice: -DWORKERS=1 -DSUBMITS_A=2 -DSUBMITS_B=2
 * holds disabling: -DSUBMITS_A=2 -DDISABLES=1 -DWAITS=1
 * holds disabling-twice: -DSUBMITS_A=2 -DDISABLES=2
 * holds flushing: -DSUBMITS_A=3 -DFLUSHES=2
 * holds flushing-cancelled: -DSUBMITS_A=2 -DCANCELS=1 -DFLUSHES=1
 * holds flushing-pools: -DSUBMITS_A=2 -DSUBMITS_B=1 -DFLUSHES=1
 * holds releasing: -DSUBMITS_A=3 -DRELEASES=1
 * holds releasing-cancelled: -DSUBMITS_A=2 -DRELEASES=1 -DCANCELS=1
 * holds releasing-disabled: -DSUBMITS_A=2 -DRELEASES=1 -DDISABLES=1
 *
 * breaks without-pool_lock: -DNO_pool_lock -DSUBMITS_A=2 -DSUBMITS_B=1
 * breaks without-cancel-lock: -DNO_cancel_lock -DWORKERS=1 -DSUBMITS_A=2 -DSUBMITS_B=2 -DCANCELS=1
 * breaks without-set_pool-lock: -DNO_set_pool_lock -DSUBMITS_A=2 -DSUBMITS_B=1
 * breaks without-check-of-pool: -DNO_check_of_pool -DSUBMITS_A=1 -DSUBMITS_B=1
 * breaks without-read-barrier: -DEARLY -DFIRST -DSUBMITS_A=2
 * breaks without-count-before-exchange: -DNO_count_first -DSUBMITS_A=2 -DFLUSHES=1
 * breaks without-count-out-after-failure: -DNO_count_back -DSUBMITS_A=2
 * breaks without-AGAIN_COLOUR: -DNO_again_colour -DSUBMITS_A=2 -DFLUSHES=1
 * breaks without-count-of-taken-back: -DNO_count_taken_back -DSUBMITS_A=2 -DCANCELS=1
 * breaks without-first-colour: -DNO_first_colour -DSUBMITS_A=2 -DFLUSHES=2
 * breaks without-out-before-in: -DNO_out_first -DSUBMITS_A=2 -DCANCELS=1 -DFLUSHES=1
 * breaks without-TAKEN_BACK: -DNO_taken_back -DSUBMITS_A=2 -DCANCELS=1 -DWAITS=1
 * breaks without-WAITED-kept-by-claim: -DNO_kept_waited -DSUBMITS_A=1 -DWAITS=1
 * breaks without-wake-up-of-second-run: -DNO_wake_again -DSUBMITS_A=2 -DWAITS=1
 * breaks without-DISABLED-kept-by-claim: -DNO_claim_disabled -DSUBMITS_A=2 -DDISABLES=1
 * breaks without-DISABLED-kept-by-finish: -DNO_finish_disabled -DSUBMITS_A=2 -DDISABLES=1
 * breaks without-wait-by-disable: -DNO_wait_by_disable -DSUBMITS_A=1 -DDISABLES=1
 * breaks without-check-of-taken-out: -DNO_put_down -DSUBMITS_A=2 -DCANCELS=1
 * breaks without-grace-period: -DNO_grace_period -DSUBMITS_A=1 -DRELEASES=1
 * breaks without-check-of-drops: -DNO_drops -DSUBMITS_A=1 -DRELEASES=1
 * breaks without-second-check-of-drops: -DNO_second_check -DSUBMITS_A=1 -DRELEASES=1
 */

#ifndef SUBMITS_A
#define SUBMITS_A	0
#endif
#ifndef SUBMITS_B
#define SUBMITS_B	0
#endif
#ifndef CANCELS
#define CANCELS		0
#endif
#ifndef DISABLES
#define DISABLES	0
#endif
#ifndef WAITS
#define WAITS		0
#endif
#ifndef FLUSHES
#define FLUSHES		0	/* one after the other */
#endif
#ifndef RELEASES
#define RELEASES	0
#endif
#ifndef WORKERS
#define WORKERS		2
#endif

#define IDLE		0
#define PENDING		1
#define RUNNING		2
#define CANCELLED	3
#define AGAIN		4
#define AGAIN_COLOUR	8
#define WAITED		16
#define TAKEN_BACK	32
#define DISABLED	64
#define DISABLED_MASK	192
#define ST(s)		((s) & 3)

#define A		0
#define B		1
#define NONE		2

/* statuses of a task; results of a submit */
#define OK		0
#define ECANCELED	1
#define OPEN		2	/* no status yet */
#define REFUSED		3
#define REPEATED	4

#define WORKER		0	/* 0 and 1 */
#define SWEEPER		2
#define DISABLER	3	/* 3 and 4 */
#define WAITER		5
#define SUBMITTER	6
#define NPROCS		(6 + SUBMITS_A + SUBMITS_B)

/* the task */
byte state, pool_of = NONE, status = OPEN;
bit task_colour;
bool locked;
bool in_queue[2];
/* the threads that sleep until the task wakes them */
bool asleep[NPROCS];

/* the pools; per-CPU counters that are added up are one counter here */
byte accepted[4], finished[4];
bit colour[2];
bool closed[2], drops[2];
/* in a section without preemption */
bool inside[NPROCS];

/*
 * What has happened. unended: submits that were accepted, without those that have ended; executing:
 * the function runs; relied: a thread relies on the function not running.
 */
short unended[2];
/* cancels that have succeeded, and tasks that were dropped, without the submits that ended so */
short to_cancel;
byte started[2], ended;
bool executing, relied, no_start, reopened, after_open;
/* how the last submit has ended */
byte last_status = OPEN;
/* the pool of the submit that is queued or runs; does the flush wait for it, and for the next? */
byte current = NONE;
bool flushed, flushed_again;

#define COUNT(p, c)	((p) * 2 + (c))

#ifdef NO_pool_lock
#define NO_cancel_lock
#define NO_set_pool_lock
#define lock_pool()
#define unlock_pool()
#else
#define lock_pool()	atomic { !locked -> locked = true }
#define unlock_pool()	locked = false
#endif

inline account_out(where, hue)
{
	atomic {
		assert(finished[COUNT(where, hue)] < accepted[COUNT(where, hue)]);
#if FLUSHES || RELEASES
		finished[COUNT(where, hue)]++
#else
		/* without a reader, the difference is enough */
		accepted[COUNT(where, hue)]--
#endif
	}
}

inline push(to)
{
	assert(!in_queue[A] && !in_queue[B]);
	in_queue[to] = true
}

inline wake_up()
{
	d_step {
		asleep[DISABLER] = false;
		asleep[DISABLER + 1] = false;
		asleep[WAITER] = false
	}
}

/* Sets ok. */
inline mark_cancelled()
{
#ifndef NO_cancel_lock
	lock_pool();
#endif
	last = pool_of;
	old = state;
	do
	:: atomic {
		ok = false;
		again = ST(old) == RUNNING && (old & AGAIN);
		if
		:: again ->
#ifdef NO_taken_back
			new = old & ~(AGAIN | AGAIN_COLOUR)
#else
			new = TAKEN_BACK | (old & ~(AGAIN | AGAIN_COLOUR))
#endif
		:: ST(old) == PENDING -> new = (old & ~3) | CANCELLED
		:: else -> break
		fi
	   };
	   atomic {
		if
		:: state == old ->
			state = new;
			ok = true;
			if
			:: again ->
				unended[last]--;
				to_cancel--;
				last_status = ECANCELED;
				flushed_again = false
			:: else
			fi;
			break
		:: else -> old = state
		fi
	   }
	od;
	if
	:: ok && again ->
#ifndef NO_count_taken_back
		account_out(last, (old & AGAIN_COLOUR -> 1 : 0))
#else
		skip
#endif
	:: else
	fi;
#ifndef NO_cancel_lock
	unlock_pool();
#endif
	again = false
}

/* wpool_finish_joinable() */
inline finish(in_pool, from, how)
{
	c = task_colour;
	old = from;
	do
	:: d_step {
		again = (old & AGAIN) != 0;
		if
		:: again ->
#ifdef NO_again_colour
			task_colour = colour[in_pool];
#else
			task_colour = (old & AGAIN_COLOUR -> 1 : 0);
#endif
			new = PENDING | (old & DISABLED_MASK)
		:: else ->
			status = (old & TAKEN_BACK -> ECANCELED : how);
#ifdef NO_finish_disabled
			new = IDLE
#else
			new = old & DISABLED_MASK
#endif
		fi
	   };
	   atomic {
		if
		:: state == old ->
			state = new;
			if
			:: from == CANCELLED -> to_cancel--
			:: else
			fi;
			unended[in_pool]--;
			flushed = flushed_again;
			flushed_again = false;
			if
			:: !again ->
				current = NONE;
				last_status = (last_status == OPEN -> how : last_status)
			:: else
			fi;
			break
		:: else -> old = state
		fi
	   }
	od;
	account_out(in_pool, c);
	if
	:: atomic { again -> push(in_pool) }
	:: else
	fi;
	if
#ifdef NO_wake_again
	:: old & WAITED && !again -> wake_up()
#else
	:: old & WAITED -> wake_up()
#endif
	:: else
	fi;
	d_step { again = false; c = 0; old = 0; new = 0 }
}

/* wpool_finish_unrun() */
inline unrun(from_pool)
{
	mark_cancelled();
	to_cancel = to_cancel + (RELEASES -> ok : 0);
	finish(from_pool, CANCELLED, ECANCELED)
}

/* wpool_finish_put_down() */
inline put_down(taken_from)
{
	if
#ifdef NO_put_down
	:: true -> unrun(taken_from)
#else
	:: ST(state) == CANCELLED -> unrun(taken_from)
	:: else -> atomic { push(taken_from) }
#endif
	fi
}

proctype submitter(byte me, p, nr)
{
	byte old, ret, seen;
	bit c;
	bool counted;

	atomic {
		/* all submitters of a pool are alike */
		started[p] == nr -> started[p]++;
		inside[me] = true;
		if
		:: state == IDLE -> state = PENDING; goto claimed
		:: else
		fi
	};

	/* claim_slow() */
#ifdef EARLY
	lock_pool();
	seen = pool_of;
#endif
	atomic {
		old = state;
		if
		:: old == PENDING ->
#ifdef EARLY
			unlock_pool();
#endif
			goto refused
		:: else
		fi
	};
#ifndef EARLY
	lock_pool();
#endif
	do
	:: atomic {
#ifndef EARLY
		seen = pool_of;
#endif
		if
		:: old & DISABLED_MASK || ST(old) == CANCELLED -> ret = REFUSED; break
		:: else
		fi;
		if
		:: ST(old) == PENDING || old & AGAIN -> ret = REFUSED; break
#ifndef NO_check_of_pool
		:: ST(old) == RUNNING && !(old & AGAIN) && seen != p ->
			/* the task runs in another pool, or this run has ended */
			assert(state != old || pool_of != p);
			ret = REFUSED;
			break
#endif
		:: else
		fi;
		if
		:: closed[p] -> ret = REFUSED; break
		:: else
		fi;
		ret = (ST(old) == RUNNING -> REPEATED : OK)
	   };
	   if
	   :: ret == REPEATED && !counted ->
		c = colour[p];
#ifndef NO_count_first
		atomic { accepted[COUNT(p, c)]++; counted = true }
#endif
	   :: else
	   fi;
	   atomic {
#ifdef EARLY
		seen = pool_of;
#endif
		if
		:: state == old && ret == OK -> state = PENDING; break
		:: state == old && ret == REPEATED ->
			state = old | AGAIN | (c -> AGAIN_COLOUR : 0);
			unended[p]++;
			last_status = OPEN;
			break
		:: else -> old = state
		fi
	   }
	od;
#ifdef NO_count_first
	if
	:: ret == REPEATED -> accepted[COUNT(p, c)]++
	:: else
	fi;
#else
	if
	:: counted && ret != REPEATED ->
#ifndef NO_count_back
		accepted[COUNT(p, c)]--
#else
		skip
#endif
	:: else
	fi;
#endif
	unlock_pool();
	if
	:: ret != OK -> goto refused
	:: else
	fi;

claimed:
	if
	:: closed[p] ->
		/* give_back_claim() */
		old = state;
		do
		:: if
		   :: ST(old) == CANCELLED -> status = ECANCELED
		   :: else
		   fi;
		   atomic {
			if
			:: state == old ->
				state = old & DISABLED_MASK;
				/* the cancel has ended no submit that was accepted */
				to_cancel = to_cancel - (ST(old) == CANCELLED);
				last_status = (ST(old) == CANCELLED -> ECANCELED : last_status);
				break
			:: else -> old = state
			fi
		   }
		od;
		if
		:: old & WAITED -> wake_up()
		:: else
		fi
	:: else ->
		c = colour[p];
		accepted[COUNT(p, c)]++;
		/* wpool_task_set_pool() */
		if
		:: pool_of != NONE && pool_of != p ->
#ifndef NO_set_pool_lock
			lock_pool();
#endif
			pool_of = p;
#ifndef NO_set_pool_lock
			unlock_pool()
#endif
		:: else -> pool_of = p
		fi;
		atomic {
			task_colour = c;
			push(p);
			unended[p]++;
			current = p;
			after_open = reopened && p == A;
			last_status = OPEN
		}
	fi;
refused:
	atomic {
		inside[me] = false;
		ended++;
		old = 0;
		ret = 0;
		seen = 0;
		c = 0;
		counted = false
	}
}

proctype worker(byte me)
{
	byte p, old, new, last;
	bit c;
	bool ok, again;

	do
	:: atomic {
		in_queue[A] || in_queue[B] ->
		p = (in_queue[A] -> A : B);
		in_queue[p] = false;
		inside[me] = true;
		ok = true
	   };
#ifndef NO_drops
	   if
	   :: drops[p] -> assert(!after_open || p != A); ok = false
	   :: else
	   fi;
#endif
	   if
	   :: ok ->
		/* claim_to_run() */
		old = PENDING;
		do
		:: atomic {
			if
			:: ST(old) != PENDING -> ok = false; break
			:: ST(old) == PENDING && state == old ->
#if defined(NO_kept_waited)
				state = RUNNING | (old & DISABLED_MASK);
#elif defined(NO_claim_disabled)
				state = RUNNING | (old & WAITED);
#else
				state = RUNNING | (old & (WAITED | DISABLED_MASK));
#endif
				assert(!executing && !relied && !(no_start && p == A));
				executing = true;
				break
			:: else -> old = state
			fi
		   }
		od
	   :: else
	   fi;
	   inside[me] = false;
	   if
	   :: ok ->
		/* the function returns */
		executing = false;
		finish(p, RUNNING, OK)
	   :: else -> unrun(p)
	   fi;
	   d_step { p = 0; last = 0; ok = false }
	od
}

/* end_cancelled() of a task that was accepted */
inline take_out()
{
	p = pool_of;
	if
	:: atomic { p != NONE && in_queue[p] -> in_queue[p] = false }; put_down(p)
	:: else
	fi
}

proctype canceller()
{
	byte p, old, new, last;
	bit c;
	bool ok, again;

	mark_cancelled();
	to_cancel = to_cancel + ok;
	if
	:: ok && ST(state) == CANCELLED -> take_out()
	:: else
	fi;
	atomic { ended++; p = 0; old = 0; new = 0; last = 0; c = 0; ok = false }
}

/* The status is read with the state: it does not change before the next submit. */
inline wait()
{
	do
	:: asleep[me] = true;
	   atomic {
		old = state;
		if
		:: ST(old) == IDLE ->
			assert(status == last_status);
			asleep[me] = false;
			break
		:: else
		fi
	   };
	   if
	   :: old & WAITED -> !asleep[me]
	   :: else ->
		if
		:: atomic { state == old -> state = old | WAITED }; !asleep[me]
		:: state != old		/* look again */
		fi
	   fi
	od
}

proctype waiter(byte me)
{
	byte old;

	wait();
	atomic { ended++; old = 0 }
}

proctype disabler(byte me)
{
	byte p, old, new, last;
	bit c;
	bool ok, again;

	state = state + DISABLED;
	mark_cancelled();
	to_cancel = to_cancel + ok;
	do
	:: ST(state) == CANCELLED -> take_out()
	:: ST(state) != CANCELLED -> break
	od;
#ifndef NO_wait_by_disable
	wait();
#endif
	atomic { assert(!executing); relied = true };
	relied = false;
	/* wpool_task_enable() */
	atomic {
		assert(state & DISABLED_MASK);
		state = state - DISABLED;
		ended++
	};
	d_step { p = 0; old = 0; new = 0; last = 0; c = 0; ok = false }
}

/* is_quiet(), which sets ok */
inline is_quiet(where, hue)
{
#ifdef NO_out_first
	in = accepted[COUNT(where, hue)];
	ok = in == finished[COUNT(where, hue)]
#else
	out = finished[COUNT(where, hue)];
	ok = accepted[COUNT(where, hue)] == out
#endif
}

proctype flusher()
{
	byte n, in, out;
	bit c;
	bool ok;

	do
	:: n < FLUSHES ->
		atomic {
			flushed = current == A;
			flushed_again = current == A && (state & AGAIN)
		};
		is_quiet(A, 0);
		if
		:: ok -> is_quiet(A, 1)
		:: else
		fi;
		if
		:: !ok ->
			c = colour[A];
#ifndef NO_first_colour
			do
			:: is_quiet(A, 1 - c);
			   if
			   :: ok -> break
			   :: else
			   fi
			od;
#endif
			colour[A] = 1 - c;
			do
			:: is_quiet(A, c);
			   if
			   :: ok -> break
			   :: else
			   fi
			od
		:: else
		fi;
		atomic {
			assert(!flushed && !flushed_again);
			ok = false;
			n++
		}
	:: else -> break
	od;
	ended++
}

/* wpool_finish_drop_all() */
proctype sweeper(byte me)
{
	byte p, old, new, last;
	bit c;
	bool ok, again;

	do
	:: drops[A] ->
		atomic { in_queue[A] -> in_queue[A] = false };
		if
#ifdef NO_second_check
		:: true ->
#else
		:: drops[A] ->
#endif
			assert(!after_open);
			unrun(A)
#ifndef NO_second_check
		:: else -> put_down(A)
#endif
		fi
	od
}

proctype releaser()
{
	byte n, in, out;
	bool ok;

	atomic { closed[A] = true; drops[A] = true };
#ifndef NO_grace_period
	do
	:: n < NPROCS -> atomic { !inside[n] -> n++ }
	:: else -> break
	od;
#endif
	no_start = true;
	/* wpool_reboot() of a pool that is empty */
	do
	:: is_quiet(A, 0);
	   if
	   :: ok -> is_quiet(A, 1)
	   :: else
	   fi;
	   if
	   :: ok -> break
	   :: else
	   fi
	od;
	atomic {
		no_start = false;
		reopened = true;
		closed[A] = false;
		drops[A] = false;
		ended++
	}
}

init {
	byte n;

	atomic {
#ifndef FIRST
		/* the task was submitted before, to one of the pools */
		if
		:: pool_of = A
		:: pool_of = B
		fi;
#endif
		run worker(WORKER);
#if WORKERS == 2
		run worker(WORKER + 1);
#endif
		do
		:: n < SUBMITS_A + SUBMITS_B ->
			run submitter(SUBMITTER + n, (n < SUBMITS_A -> A : B),
				      (n < SUBMITS_A -> n : n - SUBMITS_A));
			n++
		:: else -> break
		od;
#if CANCELS
		run canceller();
#endif
#if DISABLES
		run disabler(DISABLER);
#endif
#if DISABLES == 2
		run disabler(DISABLER + 1);
#endif
#if WAITS
		run waiter(WAITER);
#endif
#if FLUSHES
		run flusher();
#endif
#if RELEASES
		run sweeper(SWEEPER);
		run releaser();
#endif
	};
	/* no process can move any more */
	timeout;
	assert(ended == SUBMITS_A + SUBMITS_B + CANCELS + DISABLES + WAITS + (FLUSHES > 0) + RELEASES);
	assert(state == IDLE && !in_queue[A] && !in_queue[B]);
	assert(accepted[0] == finished[0] && accepted[1] == finished[1]);
	assert(accepted[2] == finished[2] && accepted[3] == finished[3]);
	assert(!unended[A] && !unended[B] && !to_cancel)
}
