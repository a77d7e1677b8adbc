/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract of the public headers as tables. A row has a situation, what a call returns in it,
 * and what the call changes. CONTRACT() assigns a table to a call; each row is one case.
 *
 * In the scene of a row there is one object: a task, an event, a task of a strand or of a group, in
 * the state that the row names. A task of the pool, the holder, waits at a closed gate, and no
 * worker is free. So only the call changes anything. An object that is ITSELF replaces the holder.
 *
 * Every function that a module exports has a table, or NO_CONTRACT() with the reason. Each value of
 * the enums below that concerns the kind of the function is in one of its rows, or in a NO_ROWS()
 * with the reason. contract.awk has the kinds, and what it misses fails the build. The text of a
 * row is a part of a sentence of a header (make lint checks that).
 */
#ifndef WPOOL_KUNIT_CONTRACT_H
#define WPOOL_KUNIT_CONTRACT_H

#include "fixture.h"

/**
 * enum wpk_where - where the call is made
 * @IN_THREAD: in a thread
 * @KILLED: in a thread that is killed when it sleeps in the call
 * @SIGNALLED: as KILLED, with a signal that does not kill
 * @IN_OWN_TASK: in the holder; if the object is ITSELF, in the function of the object
 * @IN_SOFTIRQ: in a softirq
 * @IN_HARDIRQ: in a hard interrupt
 */
enum wpk_where { IN_THREAD, KILLED, SIGNALLED, IN_OWN_TASK, IN_SOFTIRQ, IN_HARDIRQ };

/**
 * enum wpk_pool_is - which pool the call gets, and in which state
 * @WITH_ROOM: open, with room
 * @FULL: open, with no room beside the holder and the object
 * @DRAINS: released with WPOOL_RELEASE_DRAIN
 * @CANCELS: released with WPOOL_RELEASE_CANCEL
 * @FOR_OWN: released with WPOOL_RELEASE_OWN
 * @DESTROYING: in wpool_destroy(), which waits for the holder
 * @DESTROYED: wpool_destroy() has returned; there is no holder any more
 * @NO_POOL: %NULL
 * @ERR_POOL: the result of a wpool_create() that failed
 * @DEFAULT_POOL: wpool_default()
 */
enum wpk_pool_is {
	WITH_ROOM, FULL, DRAINS, CANCELS, FOR_OWN, DESTROYING, DESTROYED, NO_POOL, ERR_POOL,
	DEFAULT_POOL,
};

/**
 * enum wpk_object_is - the state of the object
 * @UNUSED: prepared, but not submitted
 * @QUEUED: submitted, or fired, and behind the holder
 * @INSIDE: in its function, in a second worker, at a gate of its own
 * @AGAIN: as INSIDE, and submitted, or fired, once more
 * @WAITING: the pool is full, and the submitter of the object, or the event, waits for room
 * @DISABLED: disabled
 * @ARMED: an event that waits for a time
 * @ITSELF: the function of the object makes the call
 * @NONE: %NULL
 * @ERR: an ERR_PTR
 * @WITHOUT_FUNC: prepared with no function
 * @DETACHED: a task that is detached
 * @QUEUED_DETACHED: a detached task that is queued behind the holder
 * @GOING: a detached task whose owner is being unloaded
 * @ELSEWHERE: queued in another pool
 * @INSIDE_ELSEWHERE: in its function, in another pool
 * @MOVED: a work that is in its function in another queue, and queued behind the holder
 */
enum wpk_object_is {
	UNUSED, QUEUED, INSIDE, AGAIN, WAITING, DISABLED, ARMED, ITSELF, NONE, ERR, WITHOUT_FUNC,
	DETACHED, QUEUED_DETACHED, GOING, ELSEWHERE, INSIDE_ELSEWHERE, MOVED,
};

/**
 * struct wpk_left - what the call changes
 * @waits: the call does not return before the gates of the holder and the object open
 * @submitted: how many more tasks are accepted
 * @later: how many further tasks are accepted after the gates have opened
 * @cancelled: how many more tasks are cancelled
 * @cancelled_later: how many further tasks are cancelled after the gates have opened
 * @refused: how many more submits are refused
 * @runs: how often the function of the object has run when all has ended
 * @status: what wpool_task_wait() returns for a task, wpool_event_cancel_sync() for an event; for
 *	a task of a strand or of a group, the status that its abort function got
 * @state: IS_NOW() of the pool's state after the call; 0: as before
 */
struct wpk_left {
	bool waits;
	s8 submitted;
	s8 later;
	s8 cancelled;
	s8 cancelled_later;
	s8 refused;
	s8 runs;
	int status;
	u8 state;
};

#define IS_NOW(state) ((state) + 1)

struct wpk_noun;
struct wpk_world;

/* A row of the contract: a situation, and what the call must do in it. */
struct wpk_row {
	enum wpk_where where;
	enum wpk_pool_is pool;
	enum wpk_object_is object;
	long ret;			/* what the call returns */
	struct wpk_left left;
	const char *says;		/* a part of the sentence that promises @ret and @left */
	enum wpool_policy policy;	/* policy of the pool */
};

/* A table. A row without a text has that of the row above. */
#define ENTRIES(table, ...)						\
static const struct wpk_row table##_rows[] = { __VA_ARGS__ };		\
KUNIT_ARRAY_PARAM(table, table##_rows, wpk_contract_desc)

/* The call of a case. The macro CONTRACT() fills in the struct. */
struct wpk_contract {
	char name[80];	/* <function>__<table> */
	const struct wpk_noun *noun;
	long (*call)(struct wpk_world *w);
};

/* Define call_<name>(), which returns the value of the expression. */
#define CALL(name, expression)						\
static long call_##name(struct wpk_world *w)				\
{									\
	return expression;						\
}

/* A case of a suite: the results of call_<function>() are those of the table. */
#define CONTRACT(function, table, of)					\
{									\
	.run_case = wpk_contract,					\
	.name = (&(const struct wpk_contract){				\
		#function "__" #table, of, call_##function		\
	})->name,							\
	.generate_params = table##_gen_params,				\
	.module_name = KBUILD_MODNAME,					\
}

/* The reason @why an exported function has no table. */
#define NO_CONTRACT(function, why) static_assert(sizeof(#function why) > sizeof(#function))

/* The reason @why tables have no rows for situations: both are listed, see contract.awk. */
#define NO_ROWS(why, ...) static_assert(sizeof(why #__VA_ARGS__) > sizeof(why))

/**
 * struct wpk_noun - a kind of objects
 * @func: the function of the pool, or NULL
 * @has_limit: FULL means that the strand or the group is full; the pool has room
 * @begin: make the queue and the holder of a work; NULL: there is a pool
 * @move: as @begin, bring the queue into the state that the row names
 * @end: as @begin, destroy the queues
 * @make: prepare an object, and set w->object
 * @submit: submit or fire the object; 0 or -errno
 * @runs: how often its function has run
 * @status: how the object ended, as @status of struct wpk_left
 */
struct wpk_noun {
	wpool_arg_fn func;
	bool has_limit;
	void (*begin)(struct wpk_world *w);
	void (*move)(struct wpk_world *w);
	void (*end)(struct wpk_world *w);
	void (*make)(struct wpk_world *w);
	int (*submit)(struct wpk_world *w);
	int (*runs)(struct wpk_world *w);
	int (*status)(struct wpk_world *w);
};

/**
 * struct wpk_world - the scene of a row
 * @test: the case
 * @row: the row
 * @says: its text
 * @call: the call
 * @noun: the kind of the object
 * @real: the pool; NULL for works
 * @pool: what the call gets: @real, NULL, an error, or the default pool
 * @object: the object: a struct wpk_job, wpk_ev, st, wpk_member or scene
 * @task: the task that the call gets
 * @gate: where the holder waits
 * @object_gate: where the object waits
 * @other: another pool, with room, for objects that are ELSEWHERE
 * @destroyer: the thread that destroys the pool, or that drains or destroys the queue
 * @gone: the pool is destroyed
 * @opened: the gates are open
 * @saw_open: the gates were open when the call returned
 * @caller: the thread that makes a call IN_OWN_TASK; %NULL before
 * @called: the call has returned
 * @ret: the result of the call
 */
struct wpk_world {
	struct kunit *test;
	const struct wpk_row *row;
	const char *says;
	long (*call)(struct wpk_world *w);
	const struct wpk_noun *noun;
	struct wpool *real;
	struct wpool *pool;
	void *object;
	struct wpool_task *task;
	struct wpk_gate *gate;
	struct wpk_gate *object_gate;
	struct wpool *other;
	struct wpk_thread *destroyer;
	bool gone;
	bool opened;
	bool saw_open;
	struct task_struct *caller;
	struct completion called;
	long ret;
};

/* Make the scene and the call, and compare the results with the row. */
void wpk_contract(struct kunit *test);
void wpk_contract_desc(const struct wpk_row *row, char *desc);
/* The function of each object calls this after the gate. */
void wpk_contract_in_object(struct wpk_world *w);
/* The function of the holder calls this after the gate. */
void wpk_contract_in_holder(struct wpk_world *w);

/* Functions of struct wpk_noun for tasks, which several suites use. */
void wpk_make_task(struct wpk_world *w);
int wpk_runs_of_task(struct wpk_world *w);
extern const struct wpk_noun wpk_task_noun;

#endif /* WPOOL_KUNIT_CONTRACT_H */
