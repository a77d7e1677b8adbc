/* SPDX-License-Identifier: GPL-2.0 */
/* Loops that run on several CPUs of a pool, including the caller's CPU. */
#ifndef _LINUX_WPOOL_PARALLEL_H
#define _LINUX_WPOOL_PARALLEL_H

#include <linux/wpool.h>

/**
 * typedef wpool_for_fn - the function of wpool_parallel_for()
 * @from: the first index of a chunk
 * @to: the first index after the chunk
 * @arg: the caller's argument
 *
 * Context: as &typedef wpool_task_fn, or as the caller of wpool_parallel_for(). If that caller is a
 * task that acts for a thread (wpool_group_act_for_me()), only the chunks that it runs itself do.
 * Return: 0, or an error, which ends the loop.
 */
typedef int (*wpool_for_fn)(unsigned long from, unsigned long to, void *arg);

/**
 * wpool_parallel_for() - run a loop on several CPUs, including this one
 * @pool: the pool; it exists until the call returns
 * @from: the first index
 * @to: the index after the last
 * @grain: indices of each chunk; the last chunk may have fewer. 0: the chunks get smaller towards
 *	the end. 0 suits most loops whose indices take less than a millisecond each
 * @fn: called for each chunk, on several CPUs at the same time; chunks start in order of index
 * @arg: argument of @fn
 *
 * The caller runs @fn, too, and tasks of the pool help it: at most one on each other CPU of the
 * pool, and only if there is room for them. The call never waits for room: it works with a pool
 * that is full or closed, and a task of the same pool may call it, even at capacity 1. @fn should
 * seldom sleep.
 *
 *	static int check_blocks(unsigned long from, unsigned long to, void *arg)
 *	{
 *		struct image *image = arg;
 *		int err = 0;
 *
 *		while (from < to && !err)
 *			err = check_block(image, from++);
 *		return err;
 *	}
 *
 *	err = wpool_parallel_for(wpool_default(), 0, image->nr_blocks, 0, check_blocks, image);
 *
 * When the call returns, no @fn is running or will start. If the result is 0, @fn was called for
 * each index exactly once, and its effects are visible. After an error no further chunk starts, and
 * the call waits for the chunks that other CPUs have started. A helper task that has not started by
 * then counts as cancelled. The model is padata_do_multithreaded().
 *
 * If a worker dies in @fn, no further chunk starts once wpool knows of it. If it is the caller, its
 * task fails, with %-EIO, only after the chunks that helpers have started. If another thread dies
 * as the caller, helpers run the remaining chunks.
 *
 * Context: process context; sleeps, uninterruptibly, while helpers are in their last chunk. Not in
 * an abort function, nor in a fault handler.
 * Return:
 * * 0 - the loop is done
 * * -EINVAL - no pool or function, or @from is greater than @to
 * * -EIO - a worker died in @fn, and its chunk is lost
 * * another value that is not 0 - from the first call of @fn that returned one
 */
int __must_check wpool_parallel_for(struct wpool *pool, unsigned long from, unsigned long to,
				    unsigned long grain, wpool_for_fn fn, void *arg);

#endif /* _LINUX_WPOOL_PARALLEL_H */
