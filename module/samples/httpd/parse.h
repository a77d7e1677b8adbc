/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The head of an HTTP/1.1 request: its first line and its fields.
 *
 * The parser allocates nothing and copies nothing: a request points into the buffer of its
 * connection, which must not move until the request is answered. However many pieces the head
 * arrives in, the parser searches each byte for a line end once.
 */
#ifndef HTTPD_PARSE_H
#define HTTPD_PARSE_H

#include <linux/types.h>

/* A longer head is answered 431, a longer body 413. */
#define HTTP_MAX_HEAD	2048
#define HTTP_MAX_BODY	65536U

enum http_method {
	HTTP_GET,
	HTTP_HEAD,
	HTTP_OTHER,
};

struct http_text {
	const char *at;
	size_t len;
};

struct http_request {
	struct http_text path, query;
	enum http_method method;
	bool complete;
	u16 status;	/* 200, or the status that refuses the request and closes the connection */
	u16 head_len;
	u32 body_len;
	bool keep_alive;
	bool is_http11;	/* 1.0 otherwise */

	/* private: to the parser, while the head is not complete */
	u16 seen, line_start;
	bool has_first_line, has_host, has_length, is_coded;
	bool says_close, says_keep_alive, says_expect;
};

static inline bool http_text_is(const struct http_text *text, const char *string)
{
	return text->len == strlen(string) && !memcmp(text->at, string, text->len);
}

/* Expect a new request at the start of the buffer. */
void http_request_init(struct http_request *req);

/*
 * Parse the part of a request that has arrived. @buf: the start of its head, the same in each call;
 * @len: the bytes that have arrived, never less than before. Returns false if the head is
 * incomplete.
 */
bool http_parse(struct http_request *req, const char *buf, size_t len);

#endif /* HTTPD_PARSE_H */
