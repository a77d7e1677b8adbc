/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A pool without a limit gets one: module/task/tokens.c, submit.c and state.h.
 *
 * Without a limit, submitters and finishers use no tokens. Each counts on its CPU the
 * tokens that it did not take or give, until it sees that there is a limit. The resizer
 * announces the limit, waits for a grace period, and computes the number of tokens. What submits
 * add to share.tokenless is UNTAKEN here, what finishes subtract is UNGIVEN.
 *
 * When no process can move any more, the tokens and the unfinished tasks add up to the
 * limit. In "debt" the limit is less than the tasks, so the tokens are below zero at first.
 *
 * holds limit: -DSUBMITS=2 -DRUNNING=2
 * holds debt: -DSUBMITS=1 -DRUNNING=2 -DLIMIT=0
 * holds again: -DSUBMITS=1 -DRUNNING=1 -DAGAIN=1
 *
 * breaks without-grace-period: -DNO_grace_period -DSUBMITS=1 -DRUNNING=1
 * breaks without-untaken: -DNO_untaken -DSUBMITS=1 -DRUNNING=1
 * breaks without-ungiven: -DNO_ungiven -DSUBMITS=1 -DRUNNING=1
 */

#ifndef SUBMITS
#define SUBMITS		1	/* submits of each of the two submitters */
#endif
#ifndef RUNNING
#define RUNNING		1	/* unfinished tasks at the start */
#endif
#ifndef LIMIT
#define LIMIT		8
#endif
#ifndef AGAIN
#define AGAIN		0	/* the limit is removed, and another one is set */
#endif
#define UNLIMITED	100

/* locations; per-CPU counters that are added up are one counter here */
#define UNTAKEN		0
#define UNGIVEN		1
#define NCOUNTERS	2
#define NO_TOKENS	2	/* the pool has no limit; token_batch in the code */
#define NLOCS		3

#define SUBMITTER	0	/* 0 and 1 */
#define FINISHER	2	/* 2 and 3 */
#define RESIZER		4
#define NPROCS		5
#define ALL_SETS	0	/* no locks */

#include "weak.pml"

/* only atomic operations use it */
short tokens = UNLIMITED;
short base = UNLIMITED;
byte running = RUNNING;
short unfinished = RUNNING;
/* in a section without preemption */
bool inside[NPROCS];
byte limit = LIMIT;

#define section_begin()	inside[me] = true
#define section_end()	inside[me] = false

/* Process p is outside of the section, and its stores are in memory. */
#define left(p)		(!inside[p] && buf[p].set == 0)

proctype submitter(byte me)
{
	byte n = 0;

	do
	:: n < SUBMITS ->
		section_begin();
		if
		:: load(NO_TOKENS) ->
			atomic { store(UNTAKEN, 1); running++; unfinished++ }
		:: else ->
			if
			:: atomic { tokens > 0 -> tokens--; running++; unfinished++ }
			:: tokens <= 0		/* refused */
			fi
		fi;
		section_end();
		n++
	:: else -> break
	od
}

proctype finisher(byte me)
{
	do
	:: atomic { running > 0 -> running-- };
		section_begin();
		if
		:: load(NO_TOKENS) ->
			atomic { store(UNGIVEN, 1); unfinished-- }
		:: else ->
			atomic { tokens++; unfinished-- }
		fi;
		section_end()
	od
}

#ifdef NO_untaken
#define UNTAKENS	0
#else
#define UNTAKENS	load(UNTAKEN)
#endif
#ifdef NO_ungiven
#define UNGIVENS	0
#else
#define UNGIVENS	load(UNGIVEN)
#endif

inline set_limit()
{
	store(NO_TOKENS, false);
#ifndef NO_grace_period
	full_barrier();
	left(SUBMITTER); left(SUBMITTER + 1);
	left(FINISHER); left(FINISHER + 1);
#endif
	/* two reads: another CPU may count in between */
	more = limit - base - UNTAKENS;
	more = more + UNGIVENS;
	base = base + more;
	atomic { tokens = tokens + more; more = 0 }
}

proctype resizer(byte me)
{
	short more;

	/* the initial tasks took no token, so they are counted, too */
	set_limit();
#if AGAIN
	atomic { tokens = tokens + UNLIMITED - limit; base = base + UNLIMITED - limit };
	store(NO_TOKENS, true);
	limit--;
	set_limit()
#endif
}

proctype memory(byte me)
{
	do
	write(UNTAKEN) write(UNGIVEN) write(NO_TOKENS)
	od
}

init {
	byte i;

	atomic {
		mem[NO_TOKENS] = true;
		mem[UNTAKEN] = RUNNING;
		do
		:: i < NPROCS -> run memory(i); i++
		:: else -> break
		od;
		run submitter(SUBMITTER);
		run submitter(SUBMITTER + 1);
		run finisher(FINISHER);
		run finisher(FINISHER + 1);
		run resizer(RESIZER)
	};
	/* no process can move any more */
	timeout;
	assert(!running && unfinished == 0);
	assert(tokens == limit)
}
