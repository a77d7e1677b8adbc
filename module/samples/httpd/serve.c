// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a connection: it waits without a worker, and runs when something happens.
 *
 * A connection is an event. While it is silent it has no thread, no place in the pool and no stack,
 * only its memory and its socket. The socket's callbacks fire it, in softirq, and so does its timer
 * when the peer was silent for too long; then a worker runs one step. However often it fires, one
 * worker at a time runs it, so conn.c needs no lock. A fire while it runs makes it run once more,
 * so nothing is missed between the last look at the socket and the wait.
 *
 * These may run at the same time. Each is excluded as follows before the memory is freed:
 *
 *   callbacks       find the connection, and fire it, under sk_callback_lock, for reading.
 *                   detach() takes the lock for writing: later ones find no connection.
 *   serve_stop()    finds it in a list, and fires it, under httpd.lock. close() takes it
 *                   out of the list.
 *   the timer       wpool_event_finish() stops it, and waits for it.
 *   the connection  only its own run closes it, or, if the worker died in the run, the abort
 *                   function: run() and aborted(). All others only fire it. The run finds their
 *                   reason in the socket, or in httpd.stopping.
 *
 * A callback that was called before detach() may still be about to begin when the connection is
 * gone. It touches only the socket, which its caller holds; the module's code stays until main.c
 * has waited for an RCU grace period.
 */
#include <linux/net.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wpool_event.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "conn.h"
#include "httpd.h"

struct session {
	struct wpool_event event;
	struct list_head node;			/* in a list of the server */
	void (*state_change)(struct sock *sk);	/* the kernel's callbacks, which ours replace */
	void (*write_space)(struct sock *sk);
	struct conn conn;
};

/* ---- the socket's callbacks ---- */

/* Bytes have come, the peer has closed its side, or the connection is broken. */
static void fire_session(struct sock *sk)
{
	struct session *session;

	read_lock_bh(&sk->sk_callback_lock);
	session = sk->sk_user_data;
	if (session)
		wpool_event_fire(&session->event);
	read_unlock_bh(&sk->sk_callback_lock);
}

/* Called after a send that did not fit, when the peer has taken something. */
static void write_space(struct sock *sk)
{
	struct socket *sock = sk->sk_socket;

	/* fire only if there is enough room, not for every byte */
	if (!sk_stream_is_writeable(sk))
		return;
	if (sock)
		clear_bit(SOCK_NOSPACE, &sock->flags);
	fire_session(sk);
}

/* Attach to the socket. As soon as the lock is free, the connection may run, and be gone. */
static void attach(struct session *session)
{
	struct sock *sk = session->conn.sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	session->state_change = sk->sk_state_change;
	session->write_space = sk->sk_write_space;
	sk->sk_user_data = session;
	sk->sk_data_ready = fire_session;
	sk->sk_state_change = fire_session;
	sk->sk_write_space = write_space;
	/* run now: no callback has reported bytes that came before */
	wpool_event_fire(&session->event);
	write_unlock_bh(&sk->sk_callback_lock);
}

static void detach(struct session *session)
{
	struct sock *sk = session->conn.sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_user_data = NULL;
	/* the socket came with a copy of the callback of the socket that listens */
	sk->sk_data_ready = session->conn.server->data_ready;
	sk->sk_state_change = session->state_change;
	sk->sk_write_space = session->write_space;
	write_unlock_bh(&sk->sk_callback_lock);
}

/* ---- one run after the other ---- */

static void put_server(struct httpd *server)
{
	if (refcount_dec_and_test(&server->users))
		complete(&server->unused);
}

/* End a connection: called in its last run, or in place of that run. */
static void close(struct session *session)
{
	struct httpd *server = session->conn.server;

	/* from here on serve_stop() does not find the connection */
	spin_lock(&server->lock);
	list_del(&session->node);
	spin_unlock(&server->lock);
	detach(session);
	/* nothing fires the event any more: stop its timer, and take back the last fire */
	wpool_event_finish(&session->event);

	sock_release(session->conn.sock);
	kfree(session);

	/* there is room again: a connection may wait to be accepted */
	if (atomic_dec_return(&server->nr_conns) == server->max_connections - 1)
		wpool_event_fire(&server->accept);
	/* from here on the server may be gone */
	put_server(server);
}

static void run(struct wpool_event *event)
{
	struct session *session = container_of(event, struct session, event);
	struct conn *conn = &session->conn;
	enum conn_next next = CONN_END;

	if (wpool_event_timed_out(event))
		atomic_long_inc(&conn->server->timed_out);
	else if (!READ_ONCE(conn->server->stopping))
		next = conn_step(conn);

	if (next == CONN_WAIT)
		wpool_event_arm_at(event, conn->deadline);
	else if (next == CONN_AGAIN)
		wpool_event_fire(event);
	else
		close(session);
}

/* The worker died in a handler: only the peer of this connection notices. */
static void aborted(struct wpool_event *event, int status)
{
	struct session *session = container_of(event, struct session, event);

	if (status == -EIO)
		atomic_long_inc(&session->conn.server->died);
	close(session);
}

int serve_open(struct httpd *server, struct socket *sock)
{
	struct session *session = kzalloc(sizeof(*session), GFP_KERNEL);

	if (!session)
		return -ENOMEM;
	conn_init(&session->conn, server, sock);
	wpool_event_init(&session->event, server->pool, run, aborted);

	refcount_inc(&server->users);
	atomic_inc(&server->nr_conns);
	atomic_long_inc(&server->accepted);
	spin_lock(&server->lock);
	list_add(&session->node, &server->conns);
	spin_unlock(&server->lock);
	attach(session);
	return 0;
}

void serve_stop(struct httpd *server)
{
	struct session *session;

	spin_lock(&server->lock);
	while (!list_empty(&server->conns)) {
		session = list_first_entry(&server->conns, struct session, node);
		list_move(&session->node, &server->told);
		wpool_event_fire(&session->event);
		cond_resched_lock(&server->lock);
	}
	spin_unlock(&server->lock);
	put_server(server);
	wait_for_completion(&server->unused);
}
