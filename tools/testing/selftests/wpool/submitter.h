/* SPDX-License-Identifier: GPL-2.0 */
/* A pool for one task, and a thread that submits to the pool and may sleep in the submit. */
#ifndef SUBMITTER_H
#define SUBMITTER_H

#include "wpool_test.h"

/* A thread that makes one SUBMIT with @nr equal tasks, and its result. */
struct submitter {
	pthread_t thread;
	int fd;
	__u32 kind;
	__u32 nr;
	__u32 flags;
	__u64 arg;
	__u64 cookie;
	__u32 depth;	/* of a tree */
	__u32 fanout;
	int err;
	__u32 accepted;
	bool done;
};

static inline void *submitter_run(void *data)
{
	struct submitter *sub = data;
	struct wpool_dev_work *works = works_alloc(sub->kind, sub->arg, sub->cookie, sub->nr);
	__u32 i;

	for (i = 0; works && i < sub->nr; i++) {
		works[i].depth = sub->depth;
		works[i].fanout = sub->fanout;
	}
	sub->err = submit_flags(sub->fd, works, sub->nr, sub->flags, &sub->accepted);
	free(works);
	__atomic_store_n(&sub->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static inline int submitter_start(struct submitter *sub, int fd, __u32 kind, __u64 arg,
				  __u64 cookie, __u32 nr)
{
	*sub = (struct submitter){
		.fd = fd, .kind = kind, .arg = arg, .cookie = cookie, .nr = nr,
	};
	return pthread_create(&sub->thread, NULL, submitter_run, sub);
}

/* As submitter_start(), for one tree. */
static inline int submitter_start_tree(struct submitter *sub, int fd, __u64 arg, __u32 depth,
				       __u32 fanout)
{
	*sub = (struct submitter){
		.fd = fd, .kind = WPOOL_WORK_TREE, .arg = arg, .nr = 1, .depth = depth,
		.fanout = fanout,
	};
	return pthread_create(&sub->thread, NULL, submitter_run, sub);
}

static inline bool submitter_done(struct submitter *sub)
{
	return __atomic_load_n(&sub->done, __ATOMIC_ACQUIRE);
}

/* Wait for the thread. Returns the result of the submit, or -ETIMEDOUT if it still sleeps. */
static inline int submitter_end(struct submitter *sub)
{
	if (!WAIT_FOR(submitter_done(sub)))
		return -ETIMEDOUT;
	pthread_join(sub->thread, NULL);
	return sub->err;
}

/* The CPU time of a submitter: more than a few ms if the submitter runs its tasks itself. */
static inline __u64 submitter_cpu_ns(struct submitter *sub)
{
	clockid_t clock;

	return pthread_getcpuclockid(sub->thread, &clock) ? 0 : clock_ns(clock);
}

FIXTURE(block)
{
	struct pool pool;	/* one worker, no queue */
	int second;		/* another file on the pool */
};

FIXTURE_SETUP(block)
{
	ASSERT_EQ(0, pool_create(&self->pool, ATTRS(.capacity = 1)));
	self->second = pool_attach(self->pool.name, 0);
	ASSERT_LE(0, self->second);
}

FIXTURE_TEARDOWN(block)
{
	if (self->second >= 0)
		cancel_all(self->second);
	pool_end(&self->pool);
	close(self->second);
}

#endif /* SUBMITTER_H */
