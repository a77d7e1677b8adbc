/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of one argument: the caller embeds no task, and a pool may be bound to one function. */
#ifndef _LINUX_WPOOL_FUNC_H
#define _LINUX_WPOOL_FUNC_H

#include <linux/gfp.h>
#include <linux/wpool.h>

/* Largest capacity + queue_depth of a pool with a function, unless one of them is unlimited */
#define WPOOL_MAX_FUNC_ITEMS	524288U

/* A function of one argument, the submitter's. Context: as &typedef wpool_task_fn. */
typedef void (*wpool_arg_fn)(void *arg);

/**
 * wpool_create_func() - create an open pool bound to one function
 * @attrs: its attributes, copied
 * @func: the function that every wpool_invoke() runs
 *
 * The pool preallocates capacity + queue_depth items, so that an invoke within these limits never
 * fails for lack of memory. If either limit is unlimited, an invoke may fail. The model is
 * NewPoolWithFunc() of ants, a library in Go.
 *
 * Context: process context; sleeps. Not in a callback of CPU hotplug, nor under cpus_read_lock().
 * Return: as wpool_create(); also -EINVAL if @func is %NULL, and -ERANGE if
 * capacity + queue_depth is more than %WPOOL_MAX_FUNC_ITEMS and neither is unlimited.
 */
#define wpool_create_func(attrs, func)	__wpool_create_func(attrs, func, THIS_MODULE)

/* as wpool_create_func(), for another module, or for none: as __wpool_create() */
struct wpool * __must_check __wpool_create_func(const struct wpool_attrs *attrs,
						wpool_arg_fn func, struct module *owner);

/**
 * wpool_submit_fn() - run a function once, without an embedded task
 * @pool: the pool
 * @func: the function
 * @arg: its argument
 * @owner: module that holds the text of @func (%THIS_MODULE), pinned until @func has returned. A
 *	module that owns the pool is pinned only if the caller runs @func itself, because otherwise
 *	wpool_destroy() waits for @func. %NULL for built-in code
 * @gfp: how to allocate. Without __GFP_DIRECT_RECLAIM the call never sleeps and
 *	behaves as wpool_try_submit(); with it, as wpool_submit().
 *
 * Context: process context, or any except NMI if @gfp does not sleep (on PREEMPT_RT not with
 * preemption or interrupts off, where nothing can be allocated).
 * Return: as wpool_submit() or wpool_try_submit(); -ENOMEM.
 */
int __must_check wpool_submit_fn(struct wpool *pool, wpool_arg_fn func,
				 void *arg, struct module *owner, gfp_t gfp);

/*
 * As wpool_submit_fn(), for an argument that must not be lost: @abort is called instead if the
 * accepted call ends before @func starts, or if its worker dies in @func; %NULL behaves as
 * wpool_submit_fn(). @owner has the text of both, and is pinned until the called function has
 * returned. After 0, @arg belongs to the call: either @func returns or @abort is called, never
 * both. If @func frees @arg, no later statement of @func may fault. After an error @arg is still
 * the caller's.
 */
int __must_check wpool_submit_fn_abortable(struct wpool *pool, wpool_arg_fn func,
					   wpool_arg_abort_fn abort, void *arg,
					   struct module *owner, gfp_t gfp);

/**
 * wpool_invoke() - run the function that the pool is bound to
 * @pool: a pool of wpool_create_func()
 * @arg: the function's argument
 *
 * After 0, either the function returns or &wpool_attrs.abort, if set, is called.
 *
 * Context: process context; may sleep as wpool_submit() does.
 * Return: as wpool_submit(); -EINVAL if the pool is bound to no function; -ENOMEM, under every
 * policy, if no memory is free and no preallocated item: an unlimited pool has none, and in another
 * pool unfinished tasks and waiting submitters may hold all of them.
 */
int __must_check wpool_invoke(struct wpool *pool, void *arg);

#endif /* _LINUX_WPOOL_FUNC_H */
