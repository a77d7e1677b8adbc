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

/**
 * http_answer() - do what a request asks for
 * @answer: filled in
 * @req: a complete request
 * @server: the server
 *
 * Context: process context; a handler may sleep.
 */
void http_answer(struct http_answer *answer, const struct http_request *req,
		 struct httpd *server);

/**
 * http_answer_rest() - the part of an answer that is still to be sent
 * @answer: the answer
 * @vec: an array of %HTTP_ANSWER_VECS, filled in
 * @len: the length of these pieces together; 0 if the whole answer is sent
 *
 * Return: how many of @vec were filled in.
 */
unsigned int http_answer_rest(const struct http_answer *answer, struct kvec *vec, size_t *len);

/* Note that @len further bytes of the rest are sent. */
void http_answer_sent(struct http_answer *answer, size_t len);

#endif /* HTTPD_ANSWER_H */
