/* SPDX-License-Identifier: GPL-2.0 */
/* The data of admission: tokens, and the submitters that wait for them. The code is in task/. */
#ifndef WPOOL_CORE_ADMISSION_H
#define WPOOL_CORE_ADMISSION_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/spinlock_types.h>
#include <linux/swait.h>
#include <linux/types.h>
#include <asm/local64.h>

/* Tokens of a pool without a limit: more than the tasks that fit into memory. */
#define WPOOL_TOKENS_UNLIMITED	((int)BIT(30))

/* token_batch of a pool without a limit: submits take no tokens, finishes give none */
#define WPOOL_NO_TOKENS		U32_MAX

/* Bits of pool->attention */
#define WPOOL_ATT_CLOSED	BIT(0)	/* the pool accepts no task */
#define WPOOL_ATT_WAITERS	BIT(1)	/* submitters wait: freed tokens go to them */
#define WPOOL_ATT_SCARCE	BIT(2)	/* no CPU caches tokens */
#define WPOOL_ATT_OWN		BIT(3)	/* only events and tasks of the pool may submit */
#define WPOOL_ATT_DROPS		BIT(4)	/* tasks that have not started end with -ECANCELED */
/* if one of these is set, a submitter must not take a token for itself */
#define WPOOL_ATT_TAKE	(WPOOL_ATT_CLOSED | WPOOL_ATT_WAITERS | WPOOL_ATT_OWN)

/* Admission of a pool; the letters are those of state.h. */
struct wpool_admission {
	atomic_t tokens;		/* X: tokens in no CPU's cache; below 0: a debt */
	int plenty;			/* T: tokens are scarce below this; %INT_MAX: always */
	raw_spinlock_t lock;		/* K: for A; raw: submitters and finishers take it */
	struct list_head waiters;	/* A, also to read: submitters, events, strands, in order */
	u32 nr_waiting;			/* A: length of @waiters */
	u32 nr_fired;			/* A: events and strands among @waiters */
	struct swait_queue_head guests;	/* K: threads that wait for room in a group of the pool */
	int base;			/* T: tokens that exist, see task/tokens.c */
	u32 nr_closes;			/* T: number of closes; each ends the wait of all guests */
};

/* The tokens that a run queue caches, and its counts of tasks. */
struct wpool_share {
	atomic_t tokens;		/* X: tokens cached here; any CPU may take them */
	u64 untaken;			/* C: tasks accepted here without a token */
	local64_t ungiven;		/* L: tasks that finished here and returned no token */
	u64 accepted[2];		/* C: tasks accepted here, by colour */
	local64_t finished[2];		/* L: tasks finished here in any way, by colour */
	local64_t failed;		/* L: of @finished, tasks whose worker died */
	local64_t cancelled;		/* L: of @finished, tasks cancelled before they ran */
	local64_t overdue;		/* L: of @finished, tasks that waited beyond max_wait_ms */
	local64_t errors;		/* L: tasks of groups that returned an error here */
	u64 refused;			/* C: submits refused here */
};

#endif /* WPOOL_CORE_ADMISSION_H */
