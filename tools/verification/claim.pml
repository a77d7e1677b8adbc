/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The claims of a task: module/task/state.c and wait.c, and the line in waiters.c.
 *
 * A submitter writes an event and submits a task. If the task is still pending
 * (-EALREADY), its function, which a worker is about to run, must see the event.
 * A second task is cancelled while its submitter joins the line: either the
 * submitter sees the cancel, or the cancel finds the task in the line.
 *
 * barrier: task/state.c claim:A
 *
 * holds event: -DEVENT_CASE
 * holds line: -DLINE_CASE
 *
 * breaks without-claim:A: -DEVENT_CASE -DNO_claim_A
 * breaks without-wait:A: -DLINE_CASE -DNO_wait_A
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
#define NLOCS		3

#define SUBMITTER	0
#define OTHER		1
#define NPROCS		2
#define ALL_SETS	0	/* no locks */

#include "weak.pml"

bool relied, ran, saw, sent_away;

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
	write(EVENT) write(IN_LINE)
	od
}

init {
	atomic {
		mem[STATE] = PENDING;
		run memory(SUBMITTER);
		run submitter(SUBMITTER);
		run worker(OTHER)
	};
	/* no process can move any more */
	timeout;
#ifdef EVENT_CASE
	assert(ran && (!relied || saw))
#else
	assert(ran && sent_away)
#endif
}
