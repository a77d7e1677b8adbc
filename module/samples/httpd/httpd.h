/* SPDX-License-Identifier: GPL-2.0 */
/* The server: what its connections share. */
#ifndef HTTPD_H
#define HTTPD_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wpool.h>
#include <linux/wpool_event.h>

struct sock;
struct socket;

/* I: constant from the first connection on. L: @lock. A: atomic, READ_ONCE() and WRITE_ONCE(). */
struct httpd {
	struct wpool *pool;			/* I */
	struct socket *sock;			/* I: listens */
	void (*data_ready)(struct sock *sk);	/* I: the kernel's callback, which ours replaces */
	u32 max_connections;			/* I */
	unsigned long idle;			/* I: jiffies */
	u32 allow_fault;			/* I */

	struct wpool_event accept;		/* accepts connections */
	bool stopping;				/* A: connections end, and none is accepted */
	atomic_t nr_conns;			/* A: open connections, at most max_connections */
	refcount_t users;			/* A: connections, and the module */
	struct completion unused;		/* completed when @users is 0 */

	spinlock_t lock;			/* protects the lists */
	struct list_head conns;			/* L: connections */
	struct list_head told;			/* L: connections that know that we are stopping */

	atomic_long_t accepted;			/* A */
	atomic_long_t timed_out;		/* A */
	atomic_long_t died;			/* A */
};

#endif /* HTTPD_H */
