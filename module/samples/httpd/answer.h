/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An answer: a head and a body. A long body is one text, repeated. The answer is built as a whole
 * and sent in pieces, as fast as the peer takes it.
 */
#ifndef HTTPD_ANSWER_H
#define HTTPD_ANSWER_H

#include <linux/types.h>
#include <linux/uio.h>

struct http_request;
struct httpd;

/* At most this many pieces are sent at once. */
#define HTTP_ANSWER_VECS	17

struct http_answer {
	u16 head_len, head_sent;
	u32 body_len, body_sent;
	const char *body;
	u32 period;		/* length of @body, which is repeated up to @body_len */
	char head[192];
	char text[128];		/* buffer for a body that is built for this answer */
};

/* Do what a complete request asks for, and fill in @answer. A handler may sleep. */
void http_answer(struct http_answer *answer, const struct http_request *req,
		 struct httpd *server);

/*
 * Fill in @vec, of HTTP_ANSWER_VECS, with the next pieces to send. *@len: their length together; 0
 * if the whole answer is sent. Returns the number of pieces.
 */
unsigned int http_answer_rest(const struct http_answer *answer, struct kvec *vec, size_t *len);

/* Count @len further bytes of the answer as sent. */
void http_answer_sent(struct http_answer *answer, size_t len);

#endif /* HTTPD_ANSWER_H */
