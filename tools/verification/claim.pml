/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The claims of a task: module/task/state.c and wait.c, and the line in waiters.c; and whether a
 * flush may leave the work to another one: flush.c.
 *
 * A submitter writes an event and submits a task. If the task is still pending
 * (-EALREADY), its function, which a worker is about to run, must see the event.
 * A second task is cancelled while its submitter joins the line: either the
 * submitter sees the cancel, or the cancel finds the task in the line.
 * A thread submits a task and flushes, while another thread flushes. If the first
 * returns because the second has ended a flush, that flush has waited for the task.
 *
 * barrier: task/flush.c wait_for_all:A
 * barrier: task/flush.c wait_for_all:B
 * barrier: task/state.c claim:A
 *
 * holds event: -DEVENT_CASE
 * holds line: -DLINE_CASE
 * holds flush: -DFLUSH_CASE
 *
 * breaks without-claim:A: -DEVENT_CASE -DNO_claim_A
 * breaks without-wait:A: -DLINE_CASE -DNO_wait_A
 * breaks without-wait_for_all:A: -DFLUSH_CASE -DNO_wait_for_all_A
 * breaks without-wait_for_all:B: -DFLUSH_CASE -DNO_wait_for_all_B
 * breaks without-next-flush: -DFLUSH_CASE -DNO_next
 */

#define IDLE		0
#define PENDING		1
#define RUNNING		2
#define CANCELLED	3

/* locations */
#define EVENT		0
#define STATE		1
#define IN_LINE		2
#define NCOUNTERS	0
#define BEGUN		3	/* flushes */
#define ACCEPTED	4
#define NLOCS		5

#define SUBMITTER	0
#define OTHER		1
#define NPROCS		2
#define ALL_SETS	SET(0) | SET(1)

#include "weak.pml"

bool relied, ran, saw, sent_away;
/* flush_mutex, and the flushes that have ended */
bool locked;
byte ended;

#ifdef EVENT_CASE

/* The claim's exchange has failed. A failed exchange orders nothing. */
proctype submitter(byte me)
{
	store(EVENT, 1);
#ifndef NO_claim_A
	full_barrier();
#endif
	if
	:: load(STATE) == PENDING -> relied = true
	:: else
	fi
}

proctype worker(byte me)
{
	atomic {
		full_barrier();
		mem[STATE] = RUNNING
	};
	saw = load(EVENT);
	ran = true
}

#elif defined(FLUSH_CASE)

/* The lock and the unlock of flush_mutex; the stores of its last owner are in memory. */
#define lock_mutex()	atomic { !locked && ((ALL_SETS) & BIT(BEGUN)) == 0 -> locked = true }
#define unlock_mutex()	atomic { (buf[me].set & BIT(BEGUN)) == 0 -> locked = false }

proctype submitter(byte me)
{
	byte next;

	store(ACCEPTED, 1);
#ifndef NO_wait_for_all_A
	full_barrier();
#endif
#ifdef NO_next
	next = load(BEGUN);
#else
	next = load(BEGUN) + 1;
#endif
	lock_mutex();
	relied = ended >= next;
	unlock_mutex()
}

/* two flushes */
proctype worker(byte me)
{
	bool seen;

	do
	:: ended < 2 ->
		lock_mutex();
		store(BEGUN, load(BEGUN) + 1);
#ifndef NO_wait_for_all_B
		full_barrier();
#endif
		seen = load(ACCEPTED);
		atomic {
			/* a flush that has seen the task waits for its end */
			saw = saw || seen;
			ended++;
			seen = 0
		};
		unlock_mutex()
	:: else -> break
	od;
	ran = true
}

#else

proctype submitter(byte me)
{
	store(IN_LINE, 1);
#ifndef NO_wait_A
	full_barrier();
#endif
	if
	:: load(STATE) == CANCELLED -> sent_away = true
	:: else
	fi
}

proctype worker(byte me)
{
	atomic {
		full_barrier();
		mem[STATE] = CANCELLED
	};
	if
	:: load(IN_LINE) -> sent_away = true
	:: else
	fi;
	ran = true
}

#endif

proctype memory(byte me)
{
	do
	write(EVENT) write(IN_LINE) write(BEGUN) write(ACCEPTED)
	od
}

init {
	atomic {
		mem[STATE] = PENDING;
		run memory(SUBMITTER);
#ifdef FLUSH_CASE
		run memory(OTHER);
#endif
		run submitter(SUBMITTER);
		run worker(OTHER)
	};
	/* no process can move any more */
	timeout;
#ifndef LINE_CASE
	assert(ran && (!relied || saw))
#else
	assert(ran && sent_away)
#endif
}
