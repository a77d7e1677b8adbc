/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The torture module: what its files share. README says what it does.
 *
 *   main.c    parameters, the phases, start and stop
 *   report.c  violations and results
 *   rnd.h     decisions from a seed
 *   tpool.c   pools under torture, and this module's accounts of them
 *   check.c   the accounts compared with the pools' figures
 *   tune.c    random changes of attributes, and the limit that holds meanwhile
 *   item.c    tasks under torture: every submit runs once or is taken back
 *   body.c    what the tasks do
 *   irq.c     submits and cancels in hard and soft interrupts
 *   actor.c   phase nasty: threads that do everything at random
 *   volume.c  phase volume: as many tasks as possible
 *   line.c    phase line: the order of waiting submitters
 *   stage.c   phase mixed, and the pools of the phases event to task
 *   room.c    pools that live for a moment in these phases, and their room
 *   event.c   phase event: tasks that wait without a worker
 *   watch.c   phase watch: events that wake-ups of files and wait queues fire
 *   group.c   phase group: tasks of clients that share a pool
 *   behalf.c  groups whose tasks act on behalf of a process
 *   strand.c  phase strand: tasks that run one after the other
 *   loop.c    phase loop: loops and calls on several CPUs
 *   work.c    phase work: works of the workqueues that wpool stands in for
 *   task.c    phase task: tasks that are cancelled, disabled and submitted at once
 *   release.c phase release: no task starts after its pool was closed
 *   fault.c   phase fault: tasks that die
 *   stutter.c silence of all threads, and what must hold then
 *   shuffle.c threads moved among CPUs
 */
#ifndef TORTURE_H
#define TORTURE_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/timer.h>
#include <linux/wpool.h>

#include "rnd.h"

/* ---- main.c ---- */

extern unsigned long seed;
extern unsigned int seconds;
extern unsigned int actors;
extern unsigned int faults;
extern unsigned int goods;
extern unsigned int rounds;
extern unsigned int shuffle;

/* True if no thread may start anything new. */
bool torture_stopping(void);

/* How many times a CPU began to go offline; constant under cpus_read_lock(). */
int torture_cpus_gone(void);

/*
 * Wait for @ms. Returns false if the time of the phase is over, or the module is being unloaded.
 * From then on torture_stopping() returns true.
 */
bool torture_pause(unsigned int ms);

/* True if the module is being unloaded. */
bool torture_leaving(void);

/* Called by a thread at its end: waits until kthread_stop() is called for it. */
void torture_await_stop(void);
/* Stop a thread that completes @ended and calls torture_await_stop(). A hang is a violation. */
void torture_stop_thread(struct task_struct *thread, struct completion *ended);

/* Numbers of threads for rnd_step(). The actors have the numbers from 0. */
enum {
	RND_TUNER = 1000,
	RND_LINE,
	RND_FAULT,
	RND_SHUFFLE,
	/* the first thread of the first stage of a kind; its interrupts have STAGE_IRQ more */
	RND_EVENT = 1100,
	RND_GROUP = 1300,
	RND_STRAND = 1500,
	RND_LOOP = 1700,
	RND_WATCH = 200,
	RND_WORK = 400,
	RND_TASK = 600,
	RND_RELEASE = 800,
	STAGE_IRQ = 100,
	RND_IRQ = 2000,
	RND_POOL = 30000,
};

/* A thread, a call or a task that takes longer than this is stuck. */
#define TORTURE_PATIENCE	(60 * HZ)

/* ---- report.c ---- */

/* Report a violation: the run has failed. */
__printf(1, 2) void torture_fail(const char *fmt, ...);

#define torture_check(condition, fmt, ...)				\
({									\
	bool __ok = !!(condition);					\
	if (unlikely(!__ok))						\
		torture_fail("%s: " fmt, __func__, ##__VA_ARGS__);	\
	__ok;								\
})

int torture_failures(void);

/* Log where the threads of this module and of the pools are. */
void torture_show_threads(void);

/* Count functions that have returned. */
void torture_count_tasks(u64 nr);

/* torture_digest() adds a decision of a thread. Each actor adds its first TORTURE_DIGEST_STEPS. */
#define TORTURE_DIGEST_STEPS	300
void torture_digest(u32 thread, u64 what);

/* Other things that a run counts. A phase that tests one of them must count at least one. */
enum torture_seen {
	SAW_DELAYS,	/* threads stood still before they changed the state of a task */
	SAW_HOOKS,	/* calls of worker_start and worker_end */
	SAW_SYNCS,	/* wpool_task_cancel_sync(), wpool_task_disable_sync() of phase task */
	SAW_MOVES,	/* works that moved to another queue */
	SAW_BEHALVES,	/* tasks that acted on behalf of a process */
	SAW_OVERLAPS,	/* parallel parts of a strand that began beside another one */
	SAW_RELEASES,	/* releases of pools with tasks that had not started */
	NR_SEEN,
};

void torture_saw(enum torture_seen what, u32 nr);
/* A violation if @what was not counted. */
void torture_check_saw(enum torture_seen what);

void torture_set_state(const char *state);

/* ---- tpool.c ---- */

/* The timers that submit to a pool and cancel, and their items. */
struct tirq;
struct wpool_stats;

/**
 * struct tpool - a pool under torture, and this module's accounts of it
 * @ref: references; the last tpool_put() compares the accounts
 * @pool: the pool, with a reference
 * @name: name of the pool
 * @nr: number of this pool since the start
 * @attrs: attributes that the pool was made with
 * @shared: programs submit to the pool and tune it, too: the accounts do not hold
 * @by_run: the pool's policy is run
 * @volume: pool of phase volume, whose submitter counts @runs after the wait
 * @begun: submits that have begun, one for each task
 * @accepted: submits that were accepted
 * @refused: submits that were refused
 * @again: of @accepted, submits of a task that had not ended yet
 * @runs: functions that started
 * @ends: functions that returned
 * @in_caller: of @runs, those that the submitter ran itself
 * @taken_back: of @accepted, submits that never ran
 * @fn_accepted: of @accepted, submits by wpool_submit_fn() and wpool_invoke()
 * @fn_runs: of @runs, runs of the functions of @fn_accepted
 * @may_drop: the pool was closed with WPOOL_RELEASE_CANCEL
 * @prepared: workers between worker_start and worker_end
 * @inside: workers inside a task
 * @limit: how many workers may be inside tasks now
 * @limit_gen: incremented before and after each change of @limit
 * @tune_mutex: protects @limit and the capacity
 * @irq: the timers, or NULL
 */
struct tpool {
	struct kref ref;
	struct wpool *pool;
	char name[WPOOL_NAME_LEN];
	u32 nr;
	struct wpool_attrs attrs;
	bool shared;
	bool by_run;
	bool volume;
	bool bound;
	atomic64_t begun;
	atomic64_t accepted;
	atomic64_t refused;
	atomic64_t again;
	atomic64_t runs;
	atomic64_t ends;
	atomic64_t in_caller;
	atomic64_t taken_back;
	atomic64_t fn_accepted;
	atomic64_t fn_runs;
	bool may_drop;
	atomic_t prepared;
	atomic_t inside;
	u32 limit;
	u32 limit_gen;
	struct mutex tune_mutex;	/* one tune of the capacity at a time */
	struct tirq *irq;
};

#define TPOOL_SLOTS	5	/* the last one is the default pool */

/* Make a pool; NULL and a violation if that fails. The caller gets a reference. */
struct tpool *tpool_create(const struct wpool_attrs *attrs, bool bound);
/* Make a struct tpool for a pool that this module has not made. */
struct tpool *tpool_wrap(struct wpool *pool);
/* Destroy a pool, which may be full of tasks or closed. Drops the caller's reference. */
void tpool_destroy(struct tpool *tp);

struct tpool *tpool_get(struct tpool *tp);
void tpool_put(struct tpool *tp);

/* Make and destroy the pools that all actors use. */
int tpool_slots_init(void);
void tpool_slots_exit(void);
/* The pool of a slot, with a reference; NULL while another thread exchanges it. */
struct tpool *tpool_from_slot(u32 slot);
/* Destroy the pool of a slot and make another one. */
void tpool_exchange(u32 slot);

void tpool_enter(struct tpool *tp);
void tpool_leave(struct tpool *tp);

/* Account for @nr submits: tpool_begin() before the call, tpool_end() after it. */
void tpool_begin(struct tpool *tp, u32 nr);
void tpool_end(struct tpool *tp, u32 nr, u32 accepted);

/* ---- check.c ---- */

/* Check what holds for the figures of each pool. */
void tpool_check_figures(const char *name, const struct wpool_stats *s);
/* Check a snapshot of the figures against each other and against our accounts. */
void tpool_check(struct tpool *tp);
/* As tpool_check(), for a destroyed pool: all figures but "cancelled" must be exact. */
void tpool_check_final(struct tpool *tp);
/* True if the pool is empty, only workers that may stay are left, and the accounts agree. */
bool tpool_is_quiet(struct tpool *tp);
/* Log the figures and the accounts of a pool. */
void tpool_show(struct tpool *tp);

/* ---- tune.c ---- */

/* Change random attributes of a pool; @how is the seed of the choice. */
void tpool_tune(struct tpool *tp, u64 how);
/* Change the cpumask of a pool, which moves its workers. */
void tpool_move(struct tpool *tp, struct rnd *rnd);
/* Change the capacity of a pool. @limit holds at each moment of the change. */
void tpool_set_capacity(struct tpool *tp, u32 capacity);

/* ---- item.c ---- */

enum titem_kind {
	TITEM_JOINABLE,		/* the submitter waits for the task or cancels it */
	TITEM_ABORTABLE,	/* detached; its timer submits it again when @busy is false */
	TITEM_FREEING,		/* detached; its function frees it */
};

/**
 * struct titem - a task under torture
 * @task: the task
 * @tp: its pool, with a reference, unless the item frees itself
 * @kind: TITEM_*
 * @depth: depth in fork and join
 * @busy: an abortable item has been submitted, and has not ended
 * @by_caller: titem_cancel_sync() was called, or titem_cancel() for a detached item
 * @seed: seed for its body
 * @tickets: submits that have begun, less those that were refused
 * @accepted: accepted submits of a joinable item
 * @runs: how often its function started
 * @refused: submits that were not accepted
 * @cancels: calls of titem_cancel() that returned true
 * @inside: threads in its function
 * @pins: number of threads that may cancel it: its owner, and those that have pinned it
 * @waiter: the worker that waits for the item, and may run it inside that wait
 * @caller: the thread that submits the item to a pool with the policy run
 */
struct titem {
	struct wpool_task task;
	struct tpool *tp;
	enum titem_kind kind;
	u8 depth;
	bool busy;
	bool by_caller;
	u64 seed;
	atomic_t tickets;
	atomic_t accepted;
	atomic_t runs;
	atomic_t refused;
	atomic_t cancels;
	atomic_t inside;
	atomic_t pins;
	struct task_struct *waiter;
	struct task_struct *caller;
};

/* Ways to submit. */
enum titem_how {
	BY_SUBMIT,
	BY_ANY_SIGNAL,
	BY_TRY,
	BY_TIMEOUT,
	BY_BATCH,
	BY_BATCH_TRY,
	NR_HOW,
};

/* Prepare an item for its first submit since it was settled. */
void titem_prepare(struct titem *item, struct tpool *tp, u64 item_seed, u32 depth);
void titem_prepare_abortable(struct titem *item, struct tpool *tp, u64 item_seed);
/* Allocate an item that frees itself; NULL if there is no memory. */
struct titem *titem_alloc_freeing(struct tpool *tp, u64 item_seed, gfp_t gfp);

/*
 * Submit items of one kind to one pool. Returns 0 or -errno, as the call did; for a batch, 0 if any
 * item was accepted. *accepted is the number of accepted items.
 */
int titem_submit(struct tpool *tp, struct titem **items, u32 nr,
		 enum titem_how how, u32 *accepted);
/* A violation unless a submit by @how may return @err to this caller. */
void titem_check_error(struct tpool *tp, enum titem_how how, int err, bool in_worker);
/* Submit an item, check what the call returned, and return it. */
int titem_submit_one(struct tpool *tp, struct titem *item, enum titem_how how, bool in_worker);
/* Allocate an item that frees itself, and submit it. */
void titem_submit_freeing(struct tpool *tp, u64 item_seed, enum titem_how how, bool in_worker);
/* Wait for an item, or cancel it. Afterwards the owner may prepare the item again. */
void titem_wait(struct titem *item);
void titem_cancel_sync(struct titem *item);
/* Undo the preparation of an item whose submit was refused, and which was not in flight before. */
void titem_drop(struct titem *item);
/* Check that a flush that began after @accepted submits of the item has waited for them. */
void titem_check_flushed(struct titem *item, int accepted);
/* Cancel without waiting. The caller owns the item, or has pinned it. */
bool titem_cancel(struct titem *item);
bool titem_pin(struct titem *item);
void titem_unpin(struct titem *item);

void titem_fn(struct wpool_task *task);
/* The function of bound pools and of wpool_submit_fn(); @arg is the struct tpool. */
void titem_arg_fn(void *arg);

/* ---- body.c ---- */

/* What a task does; @item is NULL if it has been freed. */
void tbody_run(struct tpool *tp, struct titem *item, u64 body_seed, u32 depth);

/* ---- irq.c ---- */

int tirq_start(struct tpool *tp);
void tirq_stop(struct tpool *tp);
void tirq_go_on(struct tpool *tp);
void tirq_free(struct tpool *tp);

/* Let a timer expire again in @us. Its callback must return the result. */
enum hrtimer_restart tirq_again(struct hrtimer *timer, u32 us);

/* ---- actor.c ---- */

int actor_main(void *data);
/* Pin some item of some actor. Returns the item or NULL. */
struct titem *actor_pin_any(struct rnd *rnd);
/* True if this thread is an actor, and so no worker. */
bool actor_is_current(void);
void phase_nasty(u32 others);

/* ---- stutter.c ---- */

/* True in a silence: the thread finishes its tasks, starts none, and calls stutter_stay(). */
bool stutter_wanted(void);
/* Returns when the silence has ended. */
void stutter_stay(void);
/*
 * Called by the conductor again and again: if a silence is requested, carry it out. It begins when
 * @nr threads have called stutter_stay(); until then look() reports threads that are stuck.
 */
void stutter_serve(u32 nr, void (*look)(void), void (*for_all)(void (*fn)(struct tpool *tp)));
/* Called before the first and after the last stutter_serve() of a phase. */
void stutter_open(void);
void stutter_close(void);

/* ---- shuffle.c ---- */

/* Returns how many threads it starts. They call stutter_stay() in a silence. */
u32 shuffle_start(void);
void shuffle_stop(void);

/* ---- stage.c ---- */

/**
 * struct stage_pool - a pool that stages act on
 * @pool: the pool
 * @name: name of the pool
 * @reopening: held by the thread that closes the pool, until the pool is open
 */
struct stage_pool {
	struct wpool *pool;
	char name[WPOOL_NAME_LEN];
	struct mutex reopening;	/* one close and open at a time */
};

#define STAGE_HANDS	3

/* A thread of a stage. */
struct stage_hand {
	struct stage_base *stage;
	u32 nr;
	u64 round;
	struct task_struct *thread;
	struct completion ended;
};

/**
 * struct stage_base - the first member of every stage
 * @sp: the pool
 * @nr: number of the stage, and of its pool
 * @kind: kind of the stage
 * @hands: its threads
 * @timer: its interrupts
 * @step: how often the timer has expired
 * @alone: no other stage acts on the pool
 * @stop: no thread or interrupt may begin anything
 */
struct stage_base {
	struct stage_pool *sp;
	u32 nr;
	const struct stage_kind *kind;
	struct stage_hand hands[STAGE_HANDS];
	struct hrtimer timer;
	u64 step;
	bool alone;
	bool stop;
};

/**
 * struct stage_kind - threads and interrupts that act on a pool with tasks of one kind
 * @name: name of the kind
 * @size: size of a stage, which is zeroed
 * @hands: threads of a stage
 * @soft: soft interrupts, in place of hard ones
 * @rnd: number for rnd_step() of the first thread of the first stage
 * @start: prepare the tasks; false if there is no memory; may be NULL
 * @round: called by a thread again and again
 * @shoot: called by an interrupt again and again; may be NULL
 * @take_back: cancel tasks that may never end; called before and after the pool is closed, or NULL
 * @settle: compare the accounts, and end the tasks; no thread acts, the pool is closed and empty
 */
struct stage_kind {
	const char *name;
	size_t size;
	u32 hands;
	bool soft;
	u32 rnd;
	bool (*start)(void *stage);
	void (*round)(void *stage, struct rnd *rnd);
	void (*shoot)(void *stage, struct rnd *rnd);
	void (*take_back)(void *stage);
	void (*settle)(void *stage);
};

extern const struct stage_kind event_stage;
extern const struct stage_kind watch_stage;
extern const struct stage_kind group_stage;
extern const struct stage_kind strand_stage;
extern const struct stage_kind loop_stage;
extern const struct stage_kind work_stage;
extern const struct stage_kind task_stage;

/* ---- behalf.c ---- */

struct wpool_group;

/**
 * struct tbehalf - what a group has taken over from a process for its tasks
 * @what: WPOOL_AS_*
 * @uid: user of the tasks
 */
struct tbehalf {
	unsigned int what;
	u32 uid;
};

/* Called when the module is loaded, and when it is unloaded. */
void tbehalf_init(void);
void tbehalf_exit(void);
/* Let a group without tasks take over @what of the process. For kernel threads only. */
int tbehalf_give(struct tbehalf *behalf, struct wpool_group *group, unsigned int what);
/* Called in a task: a violation unless the task has what @behalf says, and no more. */
void tbehalf_check(const struct tbehalf *behalf);

/* ---- room.c ---- */

/* Make a pool for the calling thread alone, check its room, and destroy it. */
void room_visit(const char *kind, u32 nr, u32 hand, struct rnd *rnd);

/* ---- volume.c, line.c, stage.c, release.c, fault.c ---- */

/* @others: number of threads that call stutter_stay(), in addition to those of the phase. */

void phase_volume(u32 others);
void phase_line(u32 others);
/* Run the phase of this kind: each of its stages has a pool of its own. */
void phase_stage(const struct stage_kind *kind);
void phase_mixed(u32 others);
void phase_release(u32 others);
void phase_fault(u32 others);

#endif /* TORTURE_H */
