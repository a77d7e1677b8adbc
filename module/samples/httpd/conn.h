/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A connection, as the protocol sees it: bytes come, and bytes go. No step waits for them, unless
 * &conn.flags lacks MSG_DONTWAIT.
 */
#ifndef HTTPD_CONN_H
#define HTTPD_CONN_H

#include <linux/types.h>

#include "answer.h"
#include "parse.h"

struct httpd;
struct socket;

/**
 * enum conn_next - what a connection wants
 * @CONN_WAIT: nothing until its socket has changed, or &conn.deadline has come
 * @CONN_AGAIN: to continue after others had their turn
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
	struct httpd *server;
	struct socket *sock;
	int flags;			/* MSG_DONTWAIT; 0 if a step waits for the peer */
	unsigned long deadline;		/* jiffies */
	bool is_last;			/* the connection closes after the answer */
	bool is_draining;		/* bytes that still come are dropped */
	u16 in_len;
	u32 skip;			/* bytes of a body that are to come */
	struct http_request request;
	struct http_answer answer;
	char in[HTTP_MAX_HEAD];
};

/* Prepare a connection. @conn: zeroed; @sock: the accepted socket. */
void conn_init(struct conn *conn, struct httpd *server, struct socket *sock);

/*
 * Do what can be done without waiting, for one request at most. One thread at a time calls this for
 * a connection. Only a handler sleeps.
 */
enum conn_next conn_step(struct conn *conn);

#endif /* HTTPD_CONN_H */
