/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A connection, as the protocol sees it: bytes come, bytes go, and neither is waited for.
 */
#ifndef HTTPD_CONN_H
#define HTTPD_CONN_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/wpool.h>

#include "answer.h"
#include "parse.h"

struct httpd;
struct sock;
struct socket;

/**
 * enum conn_next - what a connection wants
 * @CONN_WAIT: nothing until its socket has changed, or &conn.deadline has come
 * @CONN_AGAIN: to go on after others had their turn
 * @CONN_END: to be closed
 * @CONN_GO_ON: only within conn.c
 */
enum conn_next {
	CONN_WAIT,
	CONN_AGAIN,
	CONN_END,
	CONN_GO_ON,
};

struct conn {
	/* serve.c */
	struct wpool_event event;
	struct httpd *server;
	struct list_head node;
	void (*state_change)(struct sock *sk);
	void (*write_space)(struct sock *sk);

	/* conn.c */
	struct socket *sock;
	unsigned long deadline;		/* jiffies */
	bool is_last;			/* to be closed when its answer is sent */
	bool is_draining;		/* what still comes is dropped */
	u16 in_len;
	u32 skip;			/* bytes of a body that are to come */
	struct http_request request;
	struct http_answer answer;
	char in[HTTP_MAX_HEAD];
};

/**
 * conn_init() - begin to talk to a peer
 * @conn: zeroed, but for its server
 * @sock: the accepted socket
 */
void conn_init(struct conn *conn, struct socket *sock);

/**
 * conn_step() - do what can be done without waiting, for one request at most
 * @conn: the connection; nobody else calls this at the same time
 *
 * Context: process context; only a handler sleeps.
 * Return: what to do next.
 */
enum conn_next conn_step(struct conn *conn);

#endif /* HTTPD_CONN_H */
