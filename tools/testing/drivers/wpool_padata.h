/* SPDX-License-Identifier: GPL-2.0 */
/*
 * padata on wpool, for scripts/drivers. This header defines the guard of <linux/padata.h>: a source
 * that includes this header first is built unchanged.
 *
 *	padata_instance		a pool
 *	padata_shell		a strand of that pool
 *	padata_priv		a task of the strand
 *	parallel()		the parallel part of the task
 *	padata_do_serial()	ends the parallel part
 *	serial()		the function of the task, in its turn
 *
 * As on padata, parallel() and serial() run with bottom halves off. There are four differences:
 *
 *  - A driver may call padata_do_serial() after parallel() has returned, for example in the
 *    interrupt of a device. The parallel part of a task ends when its function returns, so the
 *    worker sleeps until that call. Meanwhile the pool runs other tasks in other workers.
 *  - padata calls serial() on the CPU @cb_cpu, in order with all objects of that CPU. A turn has no
 *    CPU of its own: @cb_cpu is ignored, and all objects of a shell are in one order.
 *  - padata has one work for each possible CPU. If none is free, the submitter calls parallel().
 *    A strand has a limit. At the limit, the submitter gets -EBUSY. Then pcrypt encrypts the
 *    request at once, and this request overtakes the requests in the strand.
 *  - The CPUs are set in the cpumask of the pool in sysfs. If its max_wait_ms is set, too, @info is
 *    -ETIME for an object that has waited for longer, and parallel() may not have been called.
 */
#ifndef PADATA_H
#define PADATA_H

#include <linux/bottom_half.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/wpool.h>
#include <linux/wpool_strand.h>

/* Unfinished objects of a shell. */
#define PADATA_LIMIT	1000

struct padata_instance {
	struct kobject kobj;
	struct wpool *pool;
};

struct padata_shell {
	struct wpool_strand strand;
};

struct padata_priv {
	struct wpool_strand_task task;
	struct completion done;
	int info;
	void (*parallel)(struct padata_priv *padata);
	void (*serial)(struct padata_priv *padata);
};

static inline void padata_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct padata_instance, kobj));
}

static const struct kobj_type padata_type = { .release = padata_release };

static inline struct padata_instance *padata_alloc(const char *name)
{
	struct padata_instance *pinst = kzalloc(sizeof(*pinst), GFP_KERNEL);
	struct wpool_attrs attrs;

	if (!pinst)
		return NULL;
	wpool_attrs_init(&attrs);
	attrs.name = name;
	attrs.queue_depth = PADATA_LIMIT;
	pinst->pool = wpool_create(&attrs);
	if (IS_ERR(pinst->pool)) {
		kfree(pinst);
		return NULL;
	}
	kobject_init(&pinst->kobj, &padata_type);
	return pinst;
}

static inline void padata_free(struct padata_instance *pinst)
{
	wpool_destroy(pinst->pool);
	kobject_put(&pinst->kobj);
}

static inline struct padata_shell *padata_alloc_shell(struct padata_instance *pinst)
{
	struct padata_shell *ps = kzalloc(sizeof(*ps), GFP_KERNEL);

	if (ps)
		wpool_strand_init(&ps->strand, pinst->pool, PADATA_LIMIT);
	return ps;
}

static inline void padata_free_shell(struct padata_shell *ps)
{
	if (ps)
		wpool_strand_destroy(&ps->strand);
	kfree(ps);
}

static inline void padata_do_serial(struct padata_priv *padata)
{
	complete(&padata->done);
}

static inline void padata_part(struct wpool_strand_task *task)
{
	struct padata_priv *padata = container_of(task, struct padata_priv, task);

	local_bh_disable();
	padata->parallel(padata);
	local_bh_enable();
	wait_for_completion(&padata->done);
}

static inline void padata_turn(struct wpool_strand_task *task)
{
	struct padata_priv *padata = container_of(task, struct padata_priv, task);

	local_bh_disable();
	padata->serial(padata);
	local_bh_enable();
}

/* Called if the task is dropped, never after a fault: with bottom halves off, a fault panics. */
static inline void padata_abort(struct wpool_strand_task *task, int status)
{
	container_of(task, struct padata_priv, task)->info = status;
	padata_turn(task);
}

static inline int padata_do_parallel(struct padata_shell *ps, struct padata_priv *padata,
				     int *cb_cpu)
{
	int err;

	init_completion(&padata->done);
	wpool_strand_task_init(&padata->task, &ps->strand, padata_turn, padata_abort);
	wpool_strand_task_set_parallel(&padata->task, padata_part);
	err = wpool_strand_try_submit(&padata->task);
	return err == -EAGAIN ? -EBUSY : err;
}

#endif /* PADATA_H */
