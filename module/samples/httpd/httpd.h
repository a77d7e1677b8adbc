/* SPDX-License-Identifier: GPL-2.0 */
/* The server: what its connections share, how they are accepted, and how they end. */
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

/* Accept connections. @address: IPv4. Sleeps. Returns 0, or -errno as bind() and listen(). */
int listen_start(struct httpd *server, __be32 address, u16 port);

/* Accept no more, and reset connections that wait. The caller has set server->stopping. Sleeps. */
void listen_stop(struct httpd *server);

/* Serve an accepted connection, which owns @sock if this returns 0; or return -ENOMEM. */
int serve_open(struct httpd *server, struct socket *sock);

/* End all connections, and wait until they are gone. The server accepts no more. Sleeps. */
void serve_stop(struct httpd *server);

#endif /* HTTPD_H */
