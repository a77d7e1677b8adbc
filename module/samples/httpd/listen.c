// SPDX-License-Identifier: GPL-2.0
/*
 * The socket that listens, and the event that accepts.
 *
 * The event fires when a connection has come, and when one has gone and there is room again. At
 * most max_connections are open. A further connection waits in the kernel's backlog, costs no
 * memory of ours, and is accepted when its turn comes.
 *
 * If there is no memory to accept a connection, or the worker dies, the event's timer tries again.
 *
 * The socket comes from sock_create(), so it and the sockets that it accepts hold a reference to
 * their network namespace. A socket of sock_create_kern() holds none: when such a socket is closed,
 * the kernel stops its timers, and does not resend lost parts of the last answer, nor the FIN.
 */
#include <linux/fcntl.h>
#include <linux/in.h>
#include <linux/jiffies.h>
#include <linux/net.h>
#include <linux/tcp.h>
#include <linux/wpool_event.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "httpd.h"

/* The most connections accepted in one run; then other tasks have their turn. */
#define MAX_ACCEPTS	64

#define RETRY_TIME	(HZ / 10)

static void data_ready(struct sock *sk)
{
	struct httpd *server;

	read_lock_bh(&sk->sk_callback_lock);
	server = sk->sk_user_data;
	/* a connection that is not accepted yet has copies of our callback and data */
	if (server && sk->sk_state == TCP_LISTEN)
		wpool_event_fire(&server->accept);
	read_unlock_bh(&sk->sk_callback_lock);
}

static int accept_one(struct httpd *server)
{
	struct socket *sock;
	int err;

	err = kernel_accept(server->sock, &sock, O_NONBLOCK);
	if (err)
		return err;
	tcp_sock_set_nodelay(sock->sk);
	err = serve_open(server, sock);
	if (err)
		sock_release(sock);
	return err;
}

static void accept(struct wpool_event *event)
{
	struct httpd *server = container_of(event, struct httpd, accept);
	int i, err;

	/* a bug, for tests: the worker dies here, once */
	if (server->allow_fault > 1) {
		server->allow_fault = 1;
		WRITE_ONCE(*(int *)NULL, 0);
	}
	for (i = 0; i < MAX_ACCEPTS; i++) {
		if (READ_ONCE(server->stopping))
			return;
		/* a connection that closes lowers nr_conns, then fires this event */
		if (atomic_read(&server->nr_conns) >= server->max_connections)
			return;
		err = accept_one(server);
		if (err == -EAGAIN)
			return;
		/* -ECONNABORTED: the peer has already gone */
		if (err && err != -ECONNABORTED) {
			wpool_event_arm(event, RETRY_TIME);
			return;
		}
	}
	wpool_event_fire(event);
}

/* accept() died or was not called, so connections may wait that nothing will report again. */
static void accept_later(struct wpool_event *event, int status)
{
	wpool_event_arm(event, RETRY_TIME);
}

int listen_start(struct httpd *server, __be32 address, u16 port)
{
	struct sockaddr_in sin = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = address,
		.sin_port = htons(port),
	};
	struct sock *sk;
	int err;

	err = sock_create(AF_INET, SOCK_STREAM, IPPROTO_TCP, &server->sock);
	if (err)
		return err;
	sk = server->sock->sk;
	sock_set_reuseaddr(sk);
	/* the type of an address is not the same in all kernels */
	err = kernel_bind(server->sock, (void *)&sin, sizeof(sin));
	if (err)
		goto err_release;

	wpool_event_init(&server->accept, server->pool, accept, accept_later);
	wpool_task_set_urgent(&server->accept.task, true);
	write_lock_bh(&sk->sk_callback_lock);
	server->data_ready = sk->sk_data_ready;
	sk->sk_user_data = server;
	sk->sk_data_ready = data_ready;
	write_unlock_bh(&sk->sk_callback_lock);

	err = kernel_listen(server->sock, SOMAXCONN);
	if (!err)
		return 0;
err_release:
	sock_release(server->sock);
	return err;
}

void listen_stop(struct httpd *server)
{
	struct sock *sk = server->sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_user_data = NULL;
	sk->sk_data_ready = server->data_ready;
	write_unlock_bh(&sk->sk_callback_lock);
	/*
	 * From here on only a connection that closes may fire the event. The event then does
	 * nothing, since the server is stopping. So this function owns the socket.
	 */
	wpool_event_cancel_sync(&server->accept);
	sock_release(server->sock);
}
