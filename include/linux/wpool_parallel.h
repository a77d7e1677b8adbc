/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loops that run on several CPUs of a pool, the caller among them.
 */
#ifndef _LINUX_WPOOL_PARALLEL_H
#define _LINUX_WPOOL_PARALLEL_H

#include <linux/wpool.h>

/**
 * typedef wpool_for_fn - the function of wpool_parallel_for()
 * @from: the first index of a chunk
 * @to: the first one behind it
 * @arg: the caller's argument
 *
 * Context: as &typedef wpool_task_fn, or the caller of wpool_parallel_for().
 * Return: 0, or an error, which ends the loop.
 */
typedef int (*wpool_for_fn)(unsigned long from, unsigned long to, void *arg);

/**
 * wpool_parallel_for() - run a loop on several CPUs, this one among them
 * @pool: the pool; it exists until the call returns
 * @from: the first index
 * @to: the first one behind the last
 * @grain: how many indices a chunk has, but for the last; 0: the chunks get smaller towards
 *	the end, which suits most loops whose indices take less than a millisecond each
 * @fn: called for each chunk, on several CPUs at the same time, with indices in order
 * @arg: argument of @fn
 *
 * The caller runs @fn, too, and tasks of the pool help it: at most one on each other CPU of
 * the pool, and only as long as there is room for them. Help that cannot be had is not had:
 * the call never waits for room, it works in a pool that is full or closed, and a task of the
 * same pool may call it, even at capacity 1. @fn is best a function that seldom sleeps.
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
 * When it returns, no call of @fn is under way or will begin. If the result is 0, @fn was
 * called for each index exactly once, and what it did is visible. After an error no further
 * chunk begins; those that other CPUs are in are waited for. A helper that was submitted in
 * vain is counted as a cancelled task. The model is padata_do_multithreaded().
 *
 * If the caller itself dies in @fn, helpers go on with what is left.
 *
 * Context: process context; sleeps, uninterruptibly, while helpers are in their last chunk.
 * Not an abort function, nor a fault handler.
 * Return:
 * * 0 - the loop is done
 * * -EINVAL - no pool or function, or @from is greater than @to
 * * -EIO - a worker died in @fn, and its chunk is lost
 * * another value that is not 0 - from the first call of @fn that returned one
 */
int __must_check wpool_parallel_for(struct wpool *pool, unsigned long from, unsigned long to,
				    unsigned long grain, wpool_for_fn fn, void *arg);

/**
 * wpool_on_each_cpu() - run a function once on each CPU of a pool
 * @pool: the pool
 * @fn: the function; may sleep
 * @arg: its argument
 *
 * The CPUs are those that are online, and in the pool's cpumask, at the start of the call.
 * Each call of @fn runs in a worker that is bound to the CPU, and the CPU stays online
 * meanwhile; one that goes offline before its turn is left out. Calls for several CPUs run at
 * the same time, as far as the pool's capacity lets them. Each is a task of the pool, with
 * the limits and the turn of any other: for work of the kernel that must not wait for tasks
 * of strangers, take schedule_on_each_cpu(), or a pool of your own.
 *
 * @fn holds cpus_read_lock(), so it must not take that, nor call wpool_create() or
 * wpool_tune().
 *
 * Context: process context; sleeps, uninterruptibly, except while it waits for room. Not
 * under cpus_read_lock().
 * Return:
 * * 0 - @fn has returned on each of the CPUs
 * * -EINVAL - no pool or no function
 * * -ENOMEM - out of memory; @fn was not called
 * * -EDEADLK - called from one of the pool's own tasks; @fn was not called
 * * -ECANCELED - wpool_release() cancelled calls that had not started, or submits to a pool
 *   with %WPOOL_DROP_OLDEST did
 * * -ETIME - a call had waited for longer than max_wait_ms
 * * -EIO - a worker died in @fn
 * * as wpool_submit() if the pool was full or closed. Calls that had been accepted have
 *   ended, too, after any error.
 */
int __must_check wpool_on_each_cpu(struct wpool *pool, wpool_arg_fn fn, void *arg);

#endif /* _LINUX_WPOOL_PARALLEL_H */
