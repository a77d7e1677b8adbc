/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The torture module: what its files share. README says what it does.
 *
 *   main.c    parameters, the phases, start and stop
 *   report.c  violations, and what the run came to
 *   rnd.h     decisions from a seed
 *   tpool.c   pools under torture: made, found, destroyed, their own accounts
 *   check.c   the accounts against the pool's figures
 *   tune.c    attributes changed at random, and the limits in force meanwhile
 *   item.c    tasks under torture: every submit runs once or is taken back
 *   body.c    what the tasks do
 *   irq.c     submits and cancels in hard and soft interrupts
 *   actor.c   phase nasty: threads that do everything at random
 *   volume.c  phase volume: as many tasks as possible
 *   line.c    phase line: the order of waiting submitters
 *   stage.c   phase mixed, and what the next seven share: pools that they act on
 *   room.c    pools of a moment, of devices too, in all of these: how much room there is
 *   event.c   phase event: tasks that wait without a worker
 *   watch.c   phase watch: events that wake-ups of files and wait queues fire
 *   group.c   phase group: tasks of clients that share a pool
 *   behalf.c  their tasks that act on behalf of somebody
 *   strand.c  phase strand: tasks that run one after the other
 *   loop.c    phase loop: loops and calls on several CPUs
 *   work.c    phase work: works of the workqueues that wpool stands in for
 *   task.c    phase task: tasks that are cancelled, disabled and submitted at once
 *   release.c phase release: what has not started when a pool is closed does not start
 *   fault.c   phase fault: tasks that die
 *   stutter.c silence of all, and what must hold then
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

/* Nobody starts anything new. */
bool torture_stopping(void);

/* How often a CPU has begun to go offline. Under cpus_read_lock() none does. */
int torture_cpus_gone(void);

/*
 * Wait so long; false if the time of the phase is over, or the module is asked
 * to go. From then on torture_stopping() is true.
 */
bool torture_pause(unsigned int ms);

/* The module is asked to go. */
bool torture_leaving(void);

/* The end of a thread: until it is stopped. */
void torture_await_stop(void);
/* Stop a thread that completes @ended and then awaits that; a violation if it is stuck. */
void torture_stop_thread(struct task_struct *thread, struct completion *ended);

/* Threads are numbered for rnd_step(): actors from 0, these after them. */
enum {
	RND_TUNER = 1000,
	RND_LINE,
	RND_FAULT,
	RND_SHUFFLE,
	/* of a stage; STAGE_IRQ more for its interrupts */
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

/* How long anything that must end may take before it counts as stuck. */
#define TORTURE_PATIENCE	(60 * HZ)

/* ---- report.c ---- */

/* A violation: the run has failed. */
__printf(1, 2) void torture_fail(const char *fmt, ...);

#define torture_check(condition, fmt, ...)				\
({									\
	bool __ok = !!(condition);					\
	if (unlikely(!__ok))						\
		torture_fail("%s: " fmt, __func__, ##__VA_ARGS__);	\
	__ok;								\
})

int torture_failures(void);

/* Where our threads and the pools' are, into the kernel's log. */
void torture_show_threads(void);

/* Tasks that went through: functions that returned. */
void torture_count_tasks(u64 nr);

/* The first decisions of each actor, which it makes in any case. */
#define TORTURE_DIGEST_STEPS	300
void torture_digest(u32 thread, u64 what);

/* What was seen, beside tasks: a phase that is about one of these must see some. */
enum torture_seen {
	SAW_DELAYS,	/* threads stood still before they changed the state of a task */
	SAW_HOOKS,	/* worker_start and worker_end, which read the pool */
	SAW_SYNCS,	/* wpool_task_cancel_sync(), wpool_task_disable_sync() of phase task */
	SAW_MOVES,	/* works that came to another queue */
	SAW_BEHALVES,	/* tasks that acted on behalf of somebody */
	SAW_OVERLAPS,	/* parallel parts of a strand that began beside another one */
	SAW_RELEASES,	/* of pools with tasks that had not started */
	NR_SEEN,
};

void torture_saw(enum torture_seen what, u32 nr);
/* A violation if there were none. */
void torture_check_saw(enum torture_seen what);

void torture_set_state(const char *state);

/* ---- tpool.c ---- */

/* What interrupts submit to a pool. */
struct tirq;
struct wpool_stats;

/**
 * struct tpool - a pool under torture, and what we know of it
 * @ref: whoever uses it; the last one compares the accounts
 * @pool: with a reference of ours
 * @name: of the pool
 * @nr: number of this pool since the start
 * @attrs: as it was made
 * @shared: others than us submit to it and tune it: the accounts do not hold
 * @by_run: policy run
 * @volume: @runs is counted late, by whoever submitted
 * @begun: submits begun, one a task
 * @accepted: of these, successful
 * @refused: of these, not
 * @again: of @accepted, those of a task that had not ended
 * @runs: functions that started
 * @ends: functions that returned
 * @in_caller: of @runs, those that the submitter ran itself, except second runs in one call, which
 *	the pool counts
 * @taken_back: of @accepted, those that never ran
 * @fn_accepted: of @accepted, those of wpool_submit_fn() and wpool_invoke()
 * @fn_runs: of @runs, those of the same
 * @may_drop: it was closed with WPOOL_RELEASE_CANCEL
 * @prepared: workers between worker_start and worker_end
 * @inside: workers inside a task
 * @limit: as many may be
 * @limit_gen: moves when @limit does
 * @tune_mutex: protects @limit, and the capacity it stands for
 * @irq: what interrupts submit, or NULL
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

/* Make a pool; NULL and a violation if that fails. The caller's reference. */
struct tpool *tpool_create(const struct wpool_attrs *attrs, bool bound);
/* Wrap a pool that is not ours. */
struct tpool *tpool_wrap(struct wpool *pool);
/* Drain it in bounded time, look at the accounts, destroy it; drops the reference. */
void tpool_destroy(struct tpool *tp);

struct tpool *tpool_get(struct tpool *tp);
void tpool_put(struct tpool *tp);

/* The pools that all actors use. */
int tpool_slots_init(void);
void tpool_slots_exit(void);
/* With a reference; NULL while somebody exchanges it. */
struct tpool *tpool_from_slot(u32 slot);
/* Destroy the pool of a slot and make another one. */
void tpool_exchange(u32 slot);

void tpool_enter(struct tpool *tp);
void tpool_leave(struct tpool *tp);

/* Account for submits: before, and after, with how many were accepted. */
void tpool_begin(struct tpool *tp, u32 nr);
void tpool_end(struct tpool *tp, u32 nr, u32 accepted);

/* ---- check.c ---- */

/* What holds of any pool's figures. */
void tpool_check_figures(const char *name, const struct wpool_stats *s);
/* A snapshot of the figures against the identities and against our accounts. */
void tpool_check(struct tpool *tp);
/* The same of a pool that is empty and closed, where all is exact. */
void tpool_check_final(struct tpool *tp);
/* Nothing is in it, only workers that may stay are left, and the accounts agree. */
bool tpool_is_quiet(struct tpool *tp);
/* Both into the kernel's log. */
void tpool_show(struct tpool *tp);

/* ---- tune.c ---- */

/* Change attributes of a pool, as a number says. */
void tpool_tune(struct tpool *tp, u64 how);
/* Move its workers: change its cpumask. */
void tpool_move(struct tpool *tp, struct rnd *rnd);
/* Change its capacity, and know what is in force meanwhile. */
void tpool_set_capacity(struct tpool *tp, u32 capacity);

/* ---- item.c ---- */

enum titem_kind {
	TITEM_JOINABLE,		/* its submitter waits for it or cancels it */
	TITEM_ABORTABLE,	/* detached; belongs to a table, see busy */
	TITEM_FREEING,		/* detached; frees itself */
};

/**
 * struct titem - a task under torture
 * @task: the task
 * @tp: where it was submitted; a reference, unless it frees itself
 * @kind: see above
 * @depth: of fork and join
 * @busy: abortable: it has been submitted and has not ended
 * @by_caller: cancel_sync was called, which does not say what it took back
 * @seed: of what it does
 * @tickets: submits begun that were not refused
 * @accepted: joinable: submits that were a success
 * @runs: how often its function started
 * @refused: submits that were not accepted
 * @cancels: cancels that said true
 * @inside: somebody is in its function
 * @pins: those who may cancel it beside its owner, and the owner
 * @waiter: worker that waits for it, and may run it on its own stack
 * @caller: submits it to a pool that may run it there
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

/* How to submit. */
enum titem_how {
	BY_SUBMIT,
	BY_ANY_SIGNAL,
	BY_TRY,
	BY_TIMEOUT,
	BY_BATCH,
	BY_BATCH_TRY,
	NR_HOW,
};

/* A joinable item that is submitted for the first time since it was settled. */
void titem_prepare(struct titem *item, struct tpool *tp, u64 item_seed, u32 depth);
void titem_prepare_abortable(struct titem *item, struct tpool *tp, u64 item_seed);
/* Allocate one that frees itself; NULL if there is no memory. */
struct titem *titem_alloc_freeing(struct tpool *tp, u64 item_seed, gfp_t gfp);

/*
 * Submit items, all of the same pool. Returns what the call returned, except
 * a batch 0 if all were accepted; *accepted of them were.
 */
int titem_submit(struct tpool *tp, struct titem **items, u32 nr,
		 enum titem_how how, u32 *accepted);
/* Is this what such a call may return to such a caller? */
void titem_check_error(struct tpool *tp, enum titem_how how, int err, bool in_worker);
/* Submit one, and check what the call returned, which is returned. */
int titem_submit_one(struct tpool *tp, struct titem *item, enum titem_how how, bool in_worker);
/* Allocate one that frees itself, and submit it. */
void titem_submit_freeing(struct tpool *tp, u64 item_seed, enum titem_how how, bool in_worker);
/* Wait for it, or cancel it first; afterwards it may be prepared again. */
void titem_wait(struct titem *item);
void titem_cancel_sync(struct titem *item);
/* The submit was refused, and the item was not in flight before: undo what was noted for it. */
void titem_drop(struct titem *item);
/* A flush of the pool has returned; it began after @accepted submits of the item. */
void titem_check_flushed(struct titem *item, int accepted);
/* Cancel without waiting. A thread that does not own the item calls it between pin and unpin. */
bool titem_cancel(struct titem *item);
bool titem_pin(struct titem *item);
void titem_unpin(struct titem *item);

void titem_fn(struct wpool_task *task);
/* The function of bound pools and of wpool_submit_fn(); arg is the tpool. */
void titem_arg_fn(void *arg);

/* ---- body.c ---- */

/* What a task does; item is NULL if its memory is gone. */
void tbody_run(struct tpool *tp, struct titem *item, u64 body_seed, u32 depth);

/* ---- irq.c ---- */

int tirq_start(struct tpool *tp);
void tirq_stop(struct tpool *tp);
void tirq_go_on(struct tpool *tp);
void tirq_free(struct tpool *tp);

/* What the callback of a timer returns that is to come again in that many us. */
enum hrtimer_restart tirq_again(struct hrtimer *timer, u32 us);

/* ---- actor.c ---- */

int actor_main(void *data);
/* Some item of some actor, pinned, or NULL. */
struct titem *actor_pin_any(struct rnd *rnd);
/* Is this thread an actor, and no worker? */
bool actor_is_current(void);
void phase_nasty(u32 others);

/* ---- stutter.c ---- */

/* Be silent: finish what is in flight, start nothing, and call the next one. */
bool stutter_wanted(void);
/* Returns when the silence is over. */
void stutter_stay(void);
/*
 * For the conductor of a phase, again and again: carry out a silence if one is requested. That many
 * threads stay; look() complains of those that are stuck before they do.
 */
void stutter_serve(u32 nr, void (*look)(void), void (*for_all)(void (*fn)(struct tpool *tp)));
/* The phase begins, or ends, to serve. */
void stutter_open(void);
void stutter_close(void);

/* ---- shuffle.c ---- */

/* Returns how many threads of it there are, which stay in a silence as actors do. */
u32 shuffle_start(void);
void shuffle_stop(void);

/* ---- stage.c ---- */

/**
 * struct stage_pool - a pool that stages act on
 * @pool: the pool
 * @name: of the pool
 * @reopening: held by the thread that closes it, until it is open again
 */
struct stage_pool {
	struct wpool *pool;
	char name[WPOOL_NAME_LEN];
	struct mutex reopening;	/* one close and open at a time */
};

#define STAGE_HANDS	3

/* A thread that acts. */
struct stage_hand {
	struct stage_base *stage;
	u32 nr;
	u64 round;
	struct task_struct *thread;
	struct completion ended;
};

/**
 * struct stage_base - begins every stage
 * @sp: the pool
 * @nr: of the stage, and of its pool
 * @kind: of the stage
 * @hands: its threads
 * @timer: its interrupts
 * @step: of the timer
 * @alone: no other stage acts on the pool
 * @stop: nobody begins anything
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
 * @name: of the kind
 * @size: of a stage, which is zeroed
 * @hands: threads of a stage
 * @soft: soft interrupts, in place of hard ones
 * @rnd: number for rnd_step() of the first thread of the first stage
 * @start: prepare the tasks; false if there is no memory; may be NULL
 * @round: of a thread: act once
 * @shoot: of an interrupt: act once; may be NULL
 * @take_back: tasks that would go on forever, twice, and before the pool is closed; may be NULL
 * @settle: nobody acts, the pool is closed and empty: compare the accounts, and end the tasks
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
 * struct tbehalf - what the tasks of a group have taken over
 * @what: WPOOL_AS_*
 * @uid: their user
 */
struct tbehalf {
	unsigned int what;
	u32 uid;
};

/* When the module is loaded, and when it goes. */
void tbehalf_init(void);
void tbehalf_exit(void);
/* The group, which has no tasks, acts for that: 0 for nothing. By a thread of the kernel. */
int tbehalf_give(struct tbehalf *behalf, struct wpool_group *group, unsigned int what);
/* In a task: it has that, and no more. */
void tbehalf_check(const struct tbehalf *behalf);

/* ---- room.c ---- */

/* Make a pool that nobody else has, see how much room it has, and end it; for one of the hands. */
void room_visit(const char *kind, u32 nr, u32 hand, struct rnd *rnd);

/* ---- volume.c, line.c, stage.c, release.c, fault.c ---- */

/* Others: threads beside the actors that stay in a silence. */

void phase_volume(u32 others);
void phase_line(u32 others);
/* A pool for each stage of this kind. */
void phase_stage(const struct stage_kind *kind);
void phase_mixed(u32 others);
void phase_release(u32 others);
void phase_fault(u32 others);

#endif /* TORTURE_H */
