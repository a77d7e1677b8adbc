/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order of tasks: module/core/sched.c, sched.h, ring.c, and watch_queue() in monitor.c. The order depends on where a push goes, on the task that a worker takes next, on
 * the tasks that a thief takes, and on the stalled queue that the monitor names in pool->left.
 *
 * Tasks come without end, and one of them is marked. There are two CPUs, each with a ring, a
 * backlog, a next slot and one worker. The worker is free, in a task, or asleep in a task, with
 * any tasks in its queues. Tasks become short or long at any time. Each push and each look is one
 * step: this model is not about barriers, see ring.pml and sched.pml for these.
 *
 *   EXACT   no task that came later starts before the marked task, except from a next slot
 *   else    in at most TICKS ticks, however long the load lasts, tasks of a later tick start before
 *           the marked task. Tasks of its own tick always may: the rings of two CPUs are not
 *           compared within a tick
 *
 * At most STREAK tasks in a row come from the next slot while others wait. So the marked task
 * starts: each look takes a task, after these ticks an older one, and DEPTH limits their number.
 * TICKS is 2, since the monitor must see the queue twice without a move, plus 1 for each older task
 * of the queue: taking a task, also one from the next slot, counts as a move.
 *
 * "breaks" lists rules that were tried and lost the order. F1 is the rule of shares: the tasks of
 * a ring that no worker serves go to the front of the global queue, although new tasks are among
 * them, and the oldest tasks of the global queue wait as long as the load lasts.
 *
 * holds one-cpu: -DCPUS=1 -DEXACT=1
 * holds one-cpu-from-tasks: -DCPUS=1 -DEXACT=1 -DFROM_TASKS=1
 * holds not-short: -DEXACT=1 -DNO_SHORT=1 -DDEPTH=3
 * holds two-cpus: -DDEPTH=2 -DTICKS=2
 * holds two-cpus-three-tasks: -DDEPTH=3 -DTICKS=3
 * holds not-short-from-tasks: -DEXACT=1 -DNO_SHORT=1 -DDEPTH=2 -DFROM_TASKS=1
 * holds submit-on: -DDEPTH=2 -DREMOTE=1 -DTICKS=2
 *
 * breaks F1: -DF1 -DCPUS=1 -DNO_SHORT=1 -DDEPTH=3 -DTICKS=30
 * breaks ring-before-backlog: -DRING_FIRST -DCPUS=1 -DDEPTH=5 -DEXACT=1
 * breaks without-stamps: -DNO_stamps -DDEPTH=3 -DTICKS=30
 * breaks without-left: -DNO_note_left -DDEPTH=3 -DTICKS=30
 * breaks without-streak: -DNO_streak -DCPUS=1 -DFROM_TASKS=1
 * breaks last-of-stolen-half: -DLAST_OF_HALF -DDEPTH=3 -DTICKS=30
 * breaks unknown-in-ring: -DUNKNOWN_IN_RING -DEXACT=1 -DNO_SHORT=1 -DDEPTH=3
 * breaks without-shared_end: -DNO_shared_end -DCPUS=1 -DEXACT=1
 * breaks a-look-takes-own: -DANY_LOOK -DCPUS=1 -DEXACT=1
 */

#ifndef CPUS
#define CPUS		2
#endif
#ifndef DEPTH
#define DEPTH		4	/* maximum of queued tasks */
#endif
#ifndef TICKS
#define TICKS		0	/* ticks in which the marked task may be overtaken */
#endif
#ifndef EXACT
#define EXACT		0	/* tasks of its own tick do not overtake it, either */
#endif
#ifndef FROM_TASKS
#define FROM_TASKS	0	/* tasks submit, too */
#endif
#ifndef REMOTE
#define REMOTE		0	/* wpool_submit_on() */
#endif
#ifndef NO_SHORT
#define NO_SHORT	0	/* no task is known to be short */
#endif
#define ROOM		3	/* slots of a ring */
#define HALF		2	/* tasks of a ring that are moved at once */
#define STREAK		2	/* limit of tasks in a row from the next slot */

/* A task is the tick in which it was queued, and OLD if it came before the marked task. */
#define OLD		0
#define MARKED		1
#define YOUNG		2
#define TASK(tick, class)	((tick) * 4 + (class))
#define TICK_OF(task)	((task) / 4)
#define CLASS_OF(task)	((task) & 3)

/* The marked task comes in the second tick. All later ticks are one tick. */
#define SECOND		2
#define LATER		3
/* Either of two later tasks may be the older one. */
#define MAY_BE_OLDER(a, b)	((a) < (b) || ((a) == LATER && (b) == LATER))
#define MAY_NOT_BE_OLDER(a, b)	((a) >= (b))

/* Is a queue's first task older than a tick? For later tasks, and in later ticks: yes or no. */
#define MAY_BE_LATE(c)		(tick == LATER)
#define MAY_NOT_BE_LATE(c)	(FIRST_TICK(c) == LATER || (FIRST_TICK(c) + 1 >= tick && ticks < 2))

/* The state of a CPU's worker. A worker that sleeps in a task does not count as running. */
#define FREE		0
#define IN_TASK		1
#define ASLEEP		2

/* The known length of the tasks of a CPU. */
#define UNKNOWN		0
#define SHORT		1
#define LONG		2

typedef queue {
	byte nr;
	byte task[DEPTH]
}

queue globq, ring[CPUS], backlog[CPUS];
byte next[CPUS];
byte left;			/* pool->left: a CPU, from 1 on; 0: none */
byte streak[CPUS];		/* rq->next_streak */
byte length[CPUS];
byte before[CPUS];		/* rq->shared_end - globq.popped */
bool pushed[CPUS];		/* rq->shared_jiffy is this tick */
byte state[CPUS];

/* What the monitor saw of each queue. */
bool moved[CPUS], stood[CPUS];

byte tick = SECOND - 1;
byte nr_queued;
bool marked, done;		/* the marked task was queued, and has been taken */
bool overtaken;			/* by a task of a later tick, in the present tick */
byte ticks;			/* ticks in which it was overtaken */
byte nexts[CPUS];		/* tasks taken in a row from the next slot */
#ifdef F1
bool turn[CPUS];		/* it is the turn of the global queue */
#endif

#define OWN_NR(c)	(ring[c].nr + backlog[c].nr)
#define FIRST_TICK(c)	TICK_OF((backlog[c].nr -> backlog[c].task[0] : ring[c].task[0]))
#define SHARED_TICK	TICK_OF(globq.task[0])
#define IS_SERVED(c)	(state[c] != ASLEEP)

/* Used within one step. */
hidden byte got, from_next, own, shared, found_tick, task, victim, n, i;

/* ---- fifo.c, ring.c ---- */

inline put_last(q, t)
{
	q.task[q.nr] = t;
	q.nr++
}

inline take_first(q, t)
{
	t = q.task[0];
	q.nr--;
	i = 0;
	do
	:: i < q.nr -> q.task[i] = q.task[i + 1]; i++
	:: else -> break
	od;
	q.task[q.nr] = 0;
	i = 0
}

inline take_globq(t)
{
	take_first(globq, t);
	before[0] = (before[0] -> before[0] - 1 : 0);
#if CPUS > 1
	before[1] = (before[1] -> before[1] - 1 : 0)
#endif
}

/* wpool_runq_pop() */
inline take_own(c, t)
{
	if
#ifndef RING_FIRST
	:: backlog[c].nr -> take_first(backlog[c], t)
	:: else -> take_first(ring[c], t)
#else
	:: ring[c].nr -> take_first(ring[c], t)
	:: else -> take_first(backlog[c], t)
#endif
	fi;
	moved[c] = true
}

inline take_next(c, t)
{
	t = next[c];
	next[c] = 0;
	moved[c] = true
}

/* ---- push ---- */

inline transit_spill(c)
{
	do
	:: ring[c].nr -> take_first(ring[c], task); put_last(backlog[c], task)
	:: else -> break
	od;
	task = 0
}

/* a worker of this CPU will look, its tasks are short, and no older task is elsewhere */
#ifdef F1
#define IS_PLACE(c)	(IS_SERVED(c) && ring[c].nr < ROOM)
#elif defined(UNKNOWN_IN_RING)
#define IS_PLACE(c)	(IS_SERVED(c) && length[c] != LONG)
#elif defined(NO_shared_end)
#define IS_PLACE(c)	(IS_SERVED(c) && length[c] == SHORT)
#else
#define IS_PLACE(c)	(IS_SERVED(c) && length[c] == SHORT && !(pushed[c] && before[c]))
#endif

#ifdef ANY_LOOK
#define MAY_TAKE_YOUNGER(c)	true
#else
#define MAY_TAKE_YOUNGER(c)	(!before[c])
#endif

inline push_shared(c, t)
{
	put_last(globq, t);
	before[c] = globq.nr;
	pushed[c] = true
}

inline push(c, t)
{
	if
	:: !IS_PLACE(c) -> push_shared(c, t)
	:: else ->
		if
		:: ring[c].nr == ROOM -> transit_spill(c)
		:: else
		fi;
		put_last(ring[c], t)
	fi
}

inline push_next(c, t)
{
	if
	:: next[c] -> push(c, t)
	:: else -> next[c] = t; moved[c] = true
	fi
}

inline push_on(c, t)
{
	if
	:: IS_SERVED(c) -> transit_spill(c); put_last(backlog[c], t)
	:: !IS_SERVED(c) -> push_shared(c, t)
#if CPUS > 1
	/* another CPU submits */
	:: !IS_SERVED(c) -> victim = 1 - c; push_shared(victim, t); victim = 0
#endif
	fi
}

inline new_task(t, may_be_marked)
{
	nr_queued++;
	if
	:: may_be_marked && !marked && tick == SECOND ->
		t = TASK(tick, MARKED);
		marked = true
	:: true -> t = TASK(tick, (marked -> YOUNG : OLD))
	fi
}

proctype submitter(byte c)
{
	do
	:: atomic { !done && nr_queued < DEPTH -> new_task(got, true); push(c, got); got = 0 }
#if FROM_TASKS
	:: atomic {
		!done && nr_queued < DEPTH && state[c] == IN_TASK ->
		new_task(got, false);
		push_next(c, got);
		got = 0
	   }
#endif
#if REMOTE
	:: atomic { !done && nr_queued < DEPTH -> new_task(got, true); push_on(c, got); got = 0 }
#endif
	:: done -> break
	od
}

/* ---- take ---- */

inline take_left(c)
{
	if
	:: left ->
		victim = left - 1;
		if
		:: !OWN_NR(victim) ->
			left = 0;
			if
			:: victim != c && next[victim] ->
				take_next(victim, got);
				/* not counted in nexts: at most one each time that the queue is named */
				from_next = 2
			:: else
			fi
		:: OWN_NR(victim) && (own || shared) &&
		   MAY_NOT_BE_OLDER(FIRST_TICK(victim), found_tick)
		:: OWN_NR(victim) && (!(own || shared) ||
				      MAY_BE_OLDER(FIRST_TICK(victim), found_tick)) ->
			take_own(victim, got)
		fi;
		victim = 0
	:: else
	fi
}

/* takes several short tasks if this CPU's queue is empty */
inline take_shared(c)
{
	n = (!own && length[c] == SHORT -> globq.nr / CPUS : 0);
	n = (n > HALF - 1 -> HALF - 1 : n);
	n = (n > ROOM - ring[c].nr -> ROOM - ring[c].nr : n);
	take_globq(got);
	do
	:: n > 0 && globq.nr -> n--; take_globq(task); put_last(ring[c], task)
	:: else -> break
	od;
	task = 0;
	n = 0
}

inline take_oldest(c)
{
	own = OWN_NR(c) > 0;
	if
	:: !globq.nr
	:: globq.nr && !own -> shared = true
#ifdef F1
	/* shares: in turn */
	:: globq.nr && own -> shared = turn[c]; turn[c] = !turn[c]
#elif defined(NO_stamps)
	:: globq.nr && own
#else
	:: globq.nr && own && MAY_BE_OLDER(SHARED_TICK, FIRST_TICK(c)) -> shared = true
	:: globq.nr && own && MAY_NOT_BE_OLDER(SHARED_TICK, FIRST_TICK(c))
	/* in the same tick either may come first */
	:: globq.nr && own && SHARED_TICK == FIRST_TICK(c) && MAY_TAKE_YOUNGER(c) -> shared = true
#endif
	fi;
	found_tick = (shared -> SHARED_TICK : (own -> FIRST_TICK(c) : 0));
	take_left(c);
	if
	:: got
	:: !got && shared -> take_shared(c)
	:: !got && !shared && own -> take_own(c, got)
	:: else
	fi;
	own = false;
	shared = false;
	found_tick = 0
}

/* take_others() */
inline take_here(c)
{
	if
#ifndef NO_streak
	:: next[c] && streak[c] < STREAK ->
#else
	:: next[c] ->
#endif
		take_next(c, got);
		from_next = true;
		streak[c]++
	:: else ->
		streak[c] = 0;
		take_oldest(c);
		if
		:: !got && next[c] -> take_next(c, got); from_next = true
		:: else
		fi
	fi
}

/* steal_from() */
inline steal(c)
{
	victim = 1 - c;
	if
	:: OWN_NR(victim) && length[victim] != SHORT -> take_own(victim, got)
	:: backlog[victim].nr && length[victim] == SHORT ->
		n = backlog[victim].nr - backlog[victim].nr / 2;
		n = (n > HALF -> HALF : n);
		take_first(backlog[victim], got);
		do
		:: n > 1 -> n--; take_first(backlog[victim], task); put_last(ring[c], task)
		:: else -> break
		od;
		moved[victim] = true
	:: ring[victim].nr && !backlog[victim].nr && length[victim] == SHORT ->
		n = ring[victim].nr - ring[victim].nr / 2;
#ifndef LAST_OF_HALF
		take_first(ring[victim], got);
#endif
		do
		:: n > 1 -> n--; take_first(ring[victim], task); put_last(ring[c], task)
		:: else -> break
		od;
#ifdef LAST_OF_HALF
		take_first(ring[victim], got);
#endif
		moved[victim] = true
	:: !OWN_NR(victim) && next[victim] -> take_next(victim, got); from_next = 2
	:: else
	fi;
	task = 0;
	n = 0;
	victim = 0
}

/* name_left() */
inline wake_to_help(c)
{
	if
#ifndef F1
	:: length[c] == LONG && !left && OWN_NR(c) && MAY_BE_LATE(c) -> left = c + 1
	:: length[c] == LONG && left == c + 1 && !OWN_NR(c) -> left = 0
	:: length[c] == LONG && left == c + 1 && OWN_NR(c) && MAY_NOT_BE_LATE(c) -> left = 0
	:: length[c] == LONG && !left && OWN_NR(c) && MAY_NOT_BE_LATE(c)
#endif
	:: else
	fi
}

inline start(c, t)
{
	nr_queued--;
	state[c] = IN_TASK;
	nexts[c] = (from_next == 1 && (OWN_NR(c) || globq.nr) -> nexts[c] + 1 : 0);
	assert(nexts[c] <= STREAK);
	if
	:: CLASS_OF(t) == MARKED -> done = true
	:: CLASS_OF(t) == YOUNG && !from_next ->
		assert(!EXACT);
		if
		:: TICK_OF(t) == LATER && !overtaken ->
			overtaken = true;
			ticks++;
			assert(EXACT || ticks <= TICKS)
		:: else
		fi
	:: else
	fi;
	t = 0;
	from_next = false
}

proctype worker(byte c)
{
	do
	:: atomic {
		!done && state[c] == FREE ->
		take_here(c);
#if CPUS > 1
		if
		:: !got -> steal(c)
		:: else
		fi;
#endif
		if
		:: got -> wake_to_help(c); start(c, got)
		:: else
		fi
	   }
	/* the task ends; its time may have been measured */
	:: atomic {
		!done && state[c] == IN_TASK ->
		state[c] = FREE;
		if
		:: true
#if !NO_SHORT
		:: length[c] = SHORT
#endif
		:: length[c] = LONG
		fi
	   }
	:: atomic { !done && state[c] == IN_TASK -> state[c] = ASLEEP }
	/* the sleep has ended, or another worker of this CPU was woken */
	:: atomic {
		!done && state[c] == ASLEEP ->
		state[c] = FREE;
		if
		:: true
		:: length[c] = LONG
		fi
	   }
	:: done -> break
	od
}

/* ---- monitor.c ---- */

inline note_left(c)
{
	if
	:: !left || !OWN_NR(left - 1) -> left = c + 1
	:: left && OWN_NR(left - 1) && OWN_NR(c) &&
	   MAY_BE_OLDER(FIRST_TICK(c), FIRST_TICK(left - 1)) -> left = c + 1
	:: left && OWN_NR(left - 1) &&
	   (!OWN_NR(c) || MAY_NOT_BE_OLDER(FIRST_TICK(c), FIRST_TICK(left - 1)))
	fi
}

#ifdef F1
/* moves the ring of a CPU to the front of the global queue, the last task first */
inline drain(c)
{
	do
	:: ring[c].nr ->
		i = globq.nr;
		do
		:: i > 0 -> globq.task[i] = globq.task[i - 1]; i--
		:: else -> break
		od;
		globq.nr++;
		ring[c].nr--;
		globq.task[0] = ring[c].task[ring[c].nr];
		ring[c].task[ring[c].nr] = 0
	:: else -> break
	od
}
#endif

/* a queue stalls if the monitor sees it twice and it has not moved in between */
inline watch_queue(c)
{
	if
	:: !OWN_NR(c) && !next[c] -> stood[c] = false
	:: else ->
		if
		:: stood[c] && !moved[c] ->
#ifdef F1
			if
			:: !IS_SERVED(c) -> drain(c)
			:: else
			fi
#elif !defined(NO_note_left)
			note_left(c)
#else
			skip
#endif
		:: else ->
			if
			:: left == c + 1 && IS_SERVED(c) && length[c] != LONG -> left = 0
			:: else
			fi
		fi;
		stood[c] = true
	fi;
	moved[c] = false
}

/* A tick passes, and the monitor looks. */
proctype monitor()
{
	do
	:: atomic {
		!done && (tick < SECOND || marked) ->
		watch_queue(0);
#if CPUS > 1
		watch_queue(1);
		pushed[1] = false;
#endif
		pushed[0] = false;
		overtaken = false;
		tick = (tick < LATER -> tick + 1 : LATER)
	   }
	:: done -> break
	od
}

init {
	atomic {
		run worker(0);
		run submitter(0);
#if CPUS > 1
		run worker(1);
		run submitter(1);
#endif
		run monitor()
	}
}
