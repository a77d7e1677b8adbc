// SPDX-License-Identifier: GPL-2.0
/*
 * The protocol of a connection: read a request, answer it, and so on until one side ends.
 *
 *   read   until the head is complete; wait if the socket has no more bytes
 *   answer
 *   send   wait if the socket takes no more bytes; nothing is read meanwhile, so that a peer that
 *          does not read its answers has to stop sending requests
 *
 * Pipelined requests wait in the buffer, and each has a step of its own. A step that has answered
 * looks for the next request, since no callback reports bytes that have arrived already.
 *
 * After the last answer, bytes of the peer may be on their way, of a request that was refused for
 * example. If the socket were closed then, the peer would get a reset that may overtake the answer.
 * So we announce that we send no more, drop further input, and close when the peer does, or after
 * DRAIN_TIME.
 */
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/net.h>
#include <linux/socket.h>
#include <linux/string.h>

#include "conn.h"
#include "httpd.h"

/* Most bytes that a step sends, or drops, before others have their turn. */
#define SEND_BYTES	65536
#define DRAIN_BYTES	65536

#define DRAIN_TIME	HZ

static void set_deadline(struct conn *conn, unsigned long delay)
{
	conn->deadline = jiffies + delay;
}

void conn_init(struct conn *conn, struct httpd *server, struct socket *sock)
{
	conn->server = server;
	conn->sock = sock;
	conn->flags = MSG_DONTWAIT;
	http_request_init(&conn->request);
	set_deadline(conn, server->idle);
}

/* ---- input ---- */

static void drop(struct conn *conn, size_t len)
{
	conn->in_len -= len;
	memmove(conn->in, conn->in + len, conn->in_len);
}

static void skip_body(struct conn *conn)
{
	u32 len = min_t(u32, conn->skip, conn->in_len);

	conn->skip -= len;
	drop(conn, len);
}

/* As recvmsg(): the number of bytes, 0 for the end, or -errno. */
static int receive(struct conn *conn)
{
	struct kvec vec = {
		.iov_base = conn->in + conn->in_len,
		.iov_len = sizeof(conn->in) - conn->in_len,
	};
	struct msghdr msg = {};

	return kernel_recvmsg(conn->sock, &msg, &vec, 1, vec.iov_len, conn->flags);
}

static enum conn_next read_request(struct conn *conn)
{
	int got;

	/* a head that fills the buffer is complete, or is refused */
	while (!http_parse(&conn->request, conn->in, conn->in_len)) {
		got = receive(conn);
		if (got == -EAGAIN)
			return CONN_WAIT;
		if (got <= 0)
			return CONN_END;
		/* a deadline for the whole request, however slowly its bytes come */
		if (!conn->in_len && !conn->skip)
			set_deadline(conn, conn->server->idle);
		conn->in_len += got;
		skip_body(conn);
	}
	return CONN_GO_ON;
}

/* ---- output ---- */

static enum conn_next send(struct conn *conn)
{
	struct kvec vec[HTTP_ANSWER_VECS];
	struct msghdr msg;
	unsigned int nr;
	int sent = 0, ret;
	size_t len;

	for (;;) {
		nr = http_answer_rest(&conn->answer, vec, &len);
		if (!len)
			return CONN_GO_ON;
		if (sent >= SEND_BYTES)
			return CONN_AGAIN;
		msg = (struct msghdr) { .msg_flags = conn->flags | MSG_NOSIGNAL };
		ret = kernel_sendmsg(conn->sock, &msg, vec, nr, len);
		if (ret == -EAGAIN)
			return CONN_WAIT;
		if (ret <= 0)
			return CONN_END;
		http_answer_sent(&conn->answer, ret);
		set_deadline(conn, conn->server->idle);
		sent += ret;
	}
}

static void answer(struct conn *conn)
{
	struct http_request *req = &conn->request;

	http_answer(&conn->answer, req, conn->server);
	conn->is_last = !req->keep_alive;
	set_deadline(conn, conn->server->idle);
	if (req->status != 200)
		return;
	conn->skip = req->body_len;
	drop(conn, req->head_len);
	skip_body(conn);
	http_request_init(req);
}

static enum conn_next drain(struct conn *conn)
{
	int dropped = 0, got;

	conn->in_len = 0;
	do {
		got = receive(conn);
		if (got == -EAGAIN)
			return CONN_WAIT;
		dropped += got;
	} while (got > 0 && dropped < DRAIN_BYTES);

	/* no timer runs between two steps */
	return got > 0 && time_before(jiffies, conn->deadline) ? CONN_AGAIN : CONN_END;
}

/* The last answer is sent: close, or first drain what the peer still sends. */
static enum conn_next finish(struct conn *conn)
{
	if (conn->is_draining)
		return drain(conn);
	/* all bytes of the peer are read: nothing to drain */
	if (conn->request.status == 200 && !conn->in_len && !conn->skip)
		return CONN_END;
	conn->is_draining = true;
	set_deadline(conn, DRAIN_TIME);
	kernel_sock_shutdown(conn->sock, SHUT_WR);
	return drain(conn);
}

enum conn_next conn_step(struct conn *conn)
{
	bool has_answered = false;
	enum conn_next next;

	for (;;) {
		next = send(conn);
		if (next != CONN_GO_ON)
			return next;
		if (conn->is_last)
			return finish(conn);
		next = read_request(conn);
		if (next != CONN_GO_ON)
			return next;
		if (has_answered)
			return CONN_AGAIN;
		answer(conn);
		has_answered = true;
	}
}
