// SPDX-License-Identifier: GPL-2.0
/*
 * The answers of the server: a table of paths, with a handler for each.
 *
 * A handler runs in a worker and may sleep: the pool's other workers continue. It holds no lock, so
 * that if it dies, only its connection is lost.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/ctype.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "answer.h"
#include "httpd.h"
#include "parse.h"

#define MAX_BYTES	(64U << 20)
#define MAX_SLEEP_MS	10000U

#define ROW	"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\r\n"

static const char pattern[] = ROW ROW ROW ROW ROW ROW ROW ROW;

static void set_body(struct http_answer *answer, const char *text)
{
	answer->body = text;
	answer->body_len = strlen(text);
	answer->period = answer->body_len;
}

/* The number of a query like "ms=10"; false if there is none, or it is more than @max. */
static bool query_number(const struct http_request *req, const char *name, u32 max, u32 *value)
{
	struct http_text query = req->query;
	size_t len = strlen(name), i;
	u64 number = 0;

	if (query.len < len + 2 || memcmp(query.at, name, len) || query.at[len] != '=')
		return false;
	for (i = len + 1; i < query.len; i++) {
		if (!isdigit(query.at[i]))
			return false;
		number = min_t(u64, number * 10 + (query.at[i] - '0'), (u64)max + 1);
	}
	*value = number;
	return number <= max;
}

/* ---- handlers: each returns a status ---- */

static int say_hello(struct http_answer *answer, const struct http_request *req,
		     struct httpd *server)
{
	set_body(answer, "hello, world\n");
	return 200;
}

/* Sends as many bytes as the query says: for tests with clients that read slowly. */
static int say_much(struct http_answer *answer, const struct http_request *req,
		    struct httpd *server)
{
	u32 nr;

	if (!query_number(req, "n", MAX_BYTES, &nr))
		return 422;
	answer->body = pattern;
	answer->period = sizeof(pattern) - 1;
	answer->body_len = nr;
	return 200;
}

static int say_slowly(struct http_answer *answer, const struct http_request *req,
		      struct httpd *server)
{
	u32 ms;

	if (!query_number(req, "ms", MAX_SLEEP_MS, &ms))
		return 422;
	fsleep(ms * 1000UL);
	set_body(answer, "at last\n");
	return 200;
}

static int say_figures(struct http_answer *answer, const struct http_request *req,
		       struct httpd *server)
{
	scnprintf(answer->text, sizeof(answer->text),
		  "connections %d\naccepted %ld\ntimed_out %ld\ndied %ld\n",
		  atomic_read(&server->nr_conns), atomic_long_read(&server->accepted),
		  atomic_long_read(&server->timed_out), atomic_long_read(&server->died));
	set_body(answer, answer->text);
	return 200;
}

/* A bug, for tests: the worker dies here. */
static noinline int httpd_fault_on_purpose(struct http_answer *answer,
					   const struct http_request *req,
					   struct httpd *server)
{
	if (!server->allow_fault)
		return 404;
	WRITE_ONCE(*(int *)NULL, 0);
	return 500;
}

static const struct {
	const char *path;
	int (*handler)(struct http_answer *answer, const struct http_request *req,
		       struct httpd *server);
} routes[] = {
	{ "/", say_hello },
	{ "/bytes", say_much },
	{ "/slow", say_slowly },
	{ "/figures", say_figures },
	{ "/oops", httpd_fault_on_purpose },
};

static const char *reason(int status)
{
	switch (status) {
	case 200: return "OK";
	case 400: return "Bad Request";
	case 404: return "Not Found";
	case 405: return "Method Not Allowed";
	case 413: return "Content Too Large";
	case 422: return "Unprocessable Content";
	case 431: return "Request Header Fields Too Large";
	case 501: return "Not Implemented";
	case 505: return "HTTP Version Not Supported";
	default: return "Error";
	}
}

static int handle(struct http_answer *answer, const struct http_request *req,
		  struct httpd *server)
{
	unsigned int i;

	if (req->status != 200)
		return req->status;
	for (i = 0; i < ARRAY_SIZE(routes); i++) {
		if (!http_text_is(&req->path, routes[i].path))
			continue;
		return req->method == HTTP_OTHER ? 405 : routes[i].handler(answer, req, server);
	}
	return 404;
}

void http_answer(struct http_answer *answer, const struct http_request *req,
		 struct httpd *server)
{
	const char *connection = "", *allow = "";
	int status;

	answer->body_sent = 0;
	answer->head_sent = 0;
	status = handle(answer, req, server);
	if (status != 200)
		set_body(answer, reason(status));
	if (status == 405)
		allow = "Allow: GET, HEAD\r\n";
	if (!req->keep_alive)
		connection = "Connection: close\r\n";
	else if (!req->is_http11)
		connection = "Connection: keep-alive\r\n";
	answer->head_len = scnprintf(answer->head, sizeof(answer->head),
				     "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\n"
				     "Content-Length: %u\r\n%s%s\r\n",
				     status, reason(status), answer->body_len, allow, connection);
	if (req->method == HTTP_HEAD)
		answer->body_len = 0;
}

unsigned int http_answer_rest(const struct http_answer *answer, struct kvec *vec, size_t *len)
{
	u32 sent = answer->body_sent, at, piece;
	unsigned int nr = 0;

	*len = 0;
	if (answer->head_sent < answer->head_len) {
		vec[nr].iov_base = (char *)answer->head + answer->head_sent;
		vec[nr].iov_len = answer->head_len - answer->head_sent;
		*len += vec[nr++].iov_len;
	}
	for (; sent < answer->body_len && nr < HTTP_ANSWER_VECS; sent += piece) {
		at = sent % answer->period;
		piece = min(answer->body_len - sent, answer->period - at);
		vec[nr].iov_base = (char *)answer->body + at;
		vec[nr++].iov_len = piece;
		*len += piece;
	}
	return nr;
}

void http_answer_sent(struct http_answer *answer, size_t len)
{
	size_t head = min_t(size_t, len, answer->head_len - answer->head_sent);

	answer->head_sent += head;
	answer->body_sent += len - head;
}
