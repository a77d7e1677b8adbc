/* SPDX-License-Identifier: GPL-2.0 */
/* The torture module: declarations that its files share. README describes the phases. */
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
#include <linux/wpool_func.h>

#include "rnd.h"

/* ---- main.c ---- */

extern unsigned long seed;
extern unsigned int actors;
extern unsigned int faults;
extern unsigned int goods;
extern unsigned int rounds;
extern unsigned int shuffle;

/* ---- stop.c ---- */

/* The time of the phase begins. */
void torture_begin(void);

/* True if no thread may start anything new. */
bool torture_stopping(void);

/*
 * Wait for @ms. Returns false if the time of the phase is over, or the module is being unloaded.
 * From then on torture_stopping() returns true.
 */
bool torture_pause(unsigned int ms);

/* The module is being unloaded. */
void torture_leave(void);
bool torture_leaving(void);
void torture_await_leave(void);

/* Called by a thread at its end: waits until kthread_stop() is called for it. */
void torture_await_stop(void);
/* Stop a thread that completes @ended and calls torture_await_stop(). A hang is a violation. */
void torture_stop_thread(struct task_struct *thread, struct completion *ended);

/* Numbers of threads for rnd_step(). The actors have the numbers from 0. */
enum {
	RND_TUNER = 1000,
	RND_FAULT,
	RND_SHUFFLE,
	/* the first thread of the first stage of a kind; its interrupt adds STAGE_IRQ */
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

/* torture_check() of a task of a stage, or of another object that has a number there */
#define stage_check(thing, condition, fmt, ...)				\
({									\
	typeof(thing) __thing = (thing);				\
	const struct stage_base *__base = &__thing->stage->base;	\
									\
	torture_check(condition, "%s %u.%u: " fmt, __base->kind->name, __base->nr,	\
		      __thing->nr, ##__VA_ARGS__);			\
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
	SAW_SYNCS,	/* calls of wpool_task_cancel_sync() and wpool_task_disable_sync() */
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

/* The timers that submit items to a pool and cancel them, and the items. */
struct tirq;
struct wpool_stats;

/* A pool under torture, and this module's accounts of it. */
struct tpool {
	struct kref ref;	/* references; the last tpool_put() compares the accounts */
	struct wpool *pool;	/* the pool, with a reference */
	char name[WPOOL_NAME_LEN];
	u32 nr;	/* number of this pool since the start */
	struct wpool_attrs attrs;
	bool shared;	/* programs submit to the pool and tune it, too: the accounts do not hold */
	bool by_run;	/* the pool's policy is run */
	bool volume;	/* pool of phase volume, whose submitter counts @runs after the wait */
	bool bound;
	atomic64_t begun;	/* submits that have begun, one for each task */
	atomic64_t accepted;
	atomic64_t refused;
	atomic64_t again;	/* of @accepted, submits of a task that had not ended yet */
	atomic64_t runs;	/* functions that started */
	atomic64_t ends;	/* functions that returned */
	atomic64_t in_caller;	/* of @runs, those that the submitter ran itself */
	atomic64_t taken_back;	/* of @accepted, submits that never ran */
	atomic64_t fn_accepted;	/* of @accepted, submits by wpool_submit_fn() and wpool_invoke() */
	atomic64_t fn_runs;	/* of @runs, runs of the functions of @fn_accepted */
	bool may_drop;	/* the pool was closed with WPOOL_RELEASE_CANCEL */
	atomic_t prepared;	/* workers between worker_start and worker_end */
	atomic_t inside;	/* workers inside a task */
	u32 limit;	/* how many workers may be inside tasks now */
	u32 limit_gen;	/* incremented before and after each change of @limit */
	struct mutex tune_mutex;	/* protects @limit and the capacity */
	struct tirq *irq;
};

#define TPOOL_SLOTS	5	/* the last one is the default pool */

/* Make a pool; NULL and a violation if that fails. The caller gets a reference. */
struct tpool *tpool_create(const struct wpool_attrs *attrs, bool bound);
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
void tpool_show(struct tpool *tp);

/* ---- tune.c ---- */

/* Change random attributes of a pool; @how is the seed of the choice. */
void tpool_tune(struct tpool *tp, u64 how);
/* Change the capacity of a pool. tp->limit holds at each moment of the change. */
void tpool_set_capacity(struct tpool *tp, u32 capacity);

/* ---- item.c ---- */

enum titem_kind {
	TITEM_JOINABLE,		/* the submitter waits for the task or cancels it */
	TITEM_ABORTABLE,	/* detached; its timer submits it again when @busy is false */
	TITEM_FREEING,		/* detached; its function frees it */
};

struct titem {
	struct wpool_task task;
	struct tpool *tp;	/* the pool, with a reference unless the item frees itself */
	enum titem_kind kind;
	u8 depth;	/* depth in fork and join */
	bool busy;	/* an abortable item has been submitted, and has not ended */
	bool by_caller;	/* titem_cancel_sync() was called, or titem_cancel() for a detached item */
	u64 seed;
	atomic_t tickets;	/* submits that have begun, less those that were refused */
	atomic_t accepted;	/* accepted submits of a joinable item */
	atomic_t runs;	/* how often the item's function started */
	atomic_t refused;	/* submits that were not accepted */
	atomic_t cancels;	/* calls of titem_cancel() that returned true */
	atomic_t inside;	/* threads in the item's function */
	/* threads that may cancel the item: its owner, and those that have pinned it */
	atomic_t pins;
	/* the worker that waits for the item, and may run it inside that wait */
	struct task_struct *waiter;
	/* the thread that submits the item to a pool with policy "run" */
	struct task_struct *caller;
};

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

/*
 * Submit items of one kind to one pool. Returns 0 or -errno, as the call did; for a batch, 0 if any
 * item was accepted. *accepted is the number of accepted items.
 */
int titem_submit(struct tpool *tp, struct titem **items, u32 nr,
		 enum titem_how how, u32 *accepted);
/* Check that a submit by @how may return @err to this caller. */
void titem_check_error(struct tpool *tp, enum titem_how how, int err, bool in_worker);
/* Submit an item, check what the call returned, and return it. */
int titem_submit_one(struct tpool *tp, struct titem *item, enum titem_how how, bool in_worker);
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
/* stutter_open(): before the first stutter_serve() of a phase. stutter_close(): after the last. */
void stutter_open(void);
void stutter_close(void);

/* ---- shuffle.c ---- */

/* Returns the number of threads started. They call stutter_stay() in a silence. */
u32 shuffle_start(void);
void shuffle_stop(void);

/* ---- stage.c ---- */

struct stage_pool {
	struct wpool *pool;
	char name[WPOOL_NAME_LEN];
	struct mutex reopening;	/* held by the thread that closes the pool until it opens */
};

#define STAGE_HANDS	3

struct stage_hand {
	struct stage_base *stage;
	u32 nr;
	u64 round;
	struct task_struct *thread;
	struct completion ended;
};

/* The first member of every stage. */
struct stage_base {
	struct stage_pool *sp;
	u32 nr;	/* number of the stage, and of its pool */
	const struct stage_kind *kind;
	struct stage_hand hands[STAGE_HANDS];
	struct hrtimer timer;	/* its interrupts */
	u64 step;	/* how often the timer has expired */
	bool alone;	/* no other stage acts on the pool */
	bool stop;	/* no thread or interrupt may begin anything */
};

/* Threads and interrupts that act on a pool with tasks of one kind. */
struct stage_kind {
	const char *name;
	size_t size;	/* size of a stage, which is zeroed */
	u32 hands;	/* threads of a stage */
	bool soft;	/* soft interrupts, in place of hard ones */
	u32 rnd;	/* number for rnd_step() of the first thread of the first stage */
	/* prepare the tasks; false if there is no memory; may be NULL */
	bool (*start)(void *stage);
	void (*round)(void *stage, struct rnd *rnd);	/* called by a thread again and again */
	/* called by an interrupt again and again; may be NULL */
	void (*shoot)(void *stage, struct rnd *rnd);
	/* cancel tasks that may never end; called before and after the pool is closed, or NULL */
	void (*take_back)(void *stage);
	/* compare the accounts, and end the tasks; no thread acts, the pool is closed and empty */
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

/* What a group has taken over from a process for its tasks. */
struct tbehalf {
	unsigned int what;
	u32 uid;
};

void tbehalf_init(void);
void tbehalf_exit(void);
/*
 * In a kthread: let an empty group take over @what: the mm and memcg of process 1, and a new uid.
 */
int tbehalf_give(struct tbehalf *behalf, struct wpool_group *group, unsigned int what);
/* Called in a task: check that the task has what @behalf says, and no more. */
void tbehalf_check(const struct tbehalf *behalf);

/* ---- room.c ---- */

/* Make a pool for the calling thread alone, check its room, and destroy it. */
void room_visit(const char *kind, u32 nr, u32 hand, struct rnd *rnd);

/* ---- volume.c, stage.c, release.c, fault.c ---- */

/* @others: number of threads that call stutter_stay(), in addition to those of the phase. */

void phase_volume(u32 others);
/* Run the phase of this kind: each of its stages has a pool of its own. */
void phase_stage(const struct stage_kind *kind);
void phase_mixed(u32 others);
void phase_release(u32 others);
void phase_fault(u32 others);

#endif /* TORTURE_H */
