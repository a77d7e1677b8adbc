// SPDX-License-Identifier: GPL-2.0
/*
 * The parser takes a line at a time, by RFC 9112, and strictly: it refuses a request that another
 * server might read in another way, since such a request can be smuggled past one of the two.
 * Examples are a bare CR or LF, a field continued on the next line, two lengths, and a length
 * beside a transfer coding.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "parse.h"

void http_request_init(struct http_request *req)
{
	memset(req, 0, sizeof(*req));
	req->status = 200;
}

static bool is_token(const struct http_text *text)
{
	size_t i;

	for (i = 0; i < text->len; i++)
		if (!isascii(text->at[i]) || !(isalnum(text->at[i]) ||
					       strchr("!#$%&'*+-.^_`|~", text->at[i])))
			return false;
	return text->len;
}

static bool has_control(const struct http_text *text)
{
	size_t i;

	for (i = 0; i < text->len; i++)
		if (iscntrl(text->at[i]) && text->at[i] != '\t')
			return true;
	return false;
}

/* Take the text before a character out of @rest; all of @rest if the character is not there. */
static struct http_text cut(struct http_text *rest, char at)
{
	const char *found = memchr(rest->at, at, rest->len);
	struct http_text text = *rest;

	text.len = found ? found - rest->at : rest->len;
	rest->at += text.len + !!found;
	rest->len -= text.len + !!found;
	return text;
}

static struct http_text trim(struct http_text text)
{
	while (text.len && (text.at[0] == ' ' || text.at[0] == '\t')) {
		text.at++;
		text.len--;
	}
	while (text.len && (text.at[text.len - 1] == ' ' || text.at[text.len - 1] == '\t'))
		text.len--;
	return text;
}

/* Field names, and the values that matter here, are not case-sensitive. */
static bool is_word(const struct http_text *text, const char *word)
{
	return text->len == strlen(word) && !strncasecmp(text->at, word, text->len);
}

/* The target is a path, "*", or a whole URI: clients send that to a proxy, which may pass it on. */
static bool parse_target(struct http_request *req, struct http_text target)
{
	static const char scheme[] = "http://";
	const size_t len = sizeof(scheme) - 1;
	const char *slash;

	if (target.len >= len && !strncasecmp(target.at, scheme, len)) {
		slash = memchr(target.at + len, '/', target.len - len);
		if (!slash)
			return false;
		target.len -= slash - target.at;
		target.at = slash;
	}
	if (!target.len || (target.at[0] != '/' && !http_text_is(&target, "*")))
		return false;
	req->path = cut(&target, '?');
	req->query = target;
	return true;
}

/* As parse_field() and parse_end(): returns a status; 0: parse the next line. */
static int parse_first_line(struct http_request *req, struct http_text line)
{
	struct http_text method = cut(&line, ' ');
	struct http_text target = cut(&line, ' ');

	req->has_first_line = true;
	if (!is_token(&method) || line.len != 8 || memcmp(line.at, "HTTP/", 5) ||
	    !isdigit(line.at[5]) || line.at[6] != '.' || !isdigit(line.at[7]))
		return 400;
	if (line.at[5] != '1')
		return 505;
	req->is_http11 = line.at[7] != '0';
	req->method = http_text_is(&method, "GET") ? HTTP_GET :
		      http_text_is(&method, "HEAD") ? HTTP_HEAD : HTTP_OTHER;
	return parse_target(req, target) ? 0 : 400;
}

static int parse_length(struct http_request *req, struct http_text value)
{
	u32 length = 0;
	size_t i;

	if (req->has_length || !value.len)
		return 400;
	req->has_length = true;
	for (i = 0; i < value.len; i++) {
		if (!isdigit(value.at[i]))
			return 400;
		/* a length beyond the limit is refused: cap it before it overflows */
		length = min(length * 10 + (value.at[i] - '0'), HTTP_MAX_BODY + 1);
	}
	req->body_len = length;
	return 0;
}

static void parse_connection(struct http_request *req, struct http_text list)
{
	struct http_text option;

	while (list.len) {
		option = trim(cut(&list, ','));
		if (is_word(&option, "close"))
			req->says_close = true;
		else if (is_word(&option, "keep-alive"))
			req->says_keep_alive = true;
	}
}

static int parse_field(struct http_request *req, struct http_text line)
{
	struct http_text name = cut(&line, ':');
	struct http_text value = trim(line);

	/* without a colon, cut() has left an empty rest behind the last byte of the line */
	if (!is_token(&name) || line.at[-1] != ':')
		return 400;
	if (is_word(&name, "host")) {
		if (req->has_host)
			return 400;
		req->has_host = true;
	} else if (is_word(&name, "content-length")) {
		return parse_length(req, value);
	} else if (is_word(&name, "transfer-encoding")) {
		req->is_coded = true;
	} else if (is_word(&name, "connection")) {
		parse_connection(req, value);
	} else if (is_word(&name, "expect")) {
		req->says_expect = true;
	}
	return 0;
}

static int parse_end(struct http_request *req)
{
	if (req->is_http11 && !req->has_host)
		return 400;
	if (req->is_coded)
		return req->has_length ? 400 : 501;
	if (req->body_len > HTTP_MAX_BODY)
		return 413;
	/* if the client waits until it is asked for its body, the body may never come */
	req->keep_alive = !req->says_close && !(req->says_expect && req->body_len) &&
			  (req->is_http11 || req->says_keep_alive);
	return 200;
}

static int parse_line(struct http_request *req, struct http_text line)
{
	/* a line ends with CR LF; has_control() finds any other CR */
	if (!line.len || line.at[line.len - 1] != '\r')
		return 400;
	line.len--;
	if (has_control(&line))
		return 400;
	/* some clients send an empty line after a body */
	if (!req->has_first_line)
		return line.len ? parse_first_line(req, line) : 0;
	return line.len ? parse_field(req, line) : parse_end(req);
}

bool http_parse(struct http_request *req, const char *buf, size_t len)
{
	struct http_text line;
	const char *end;
	int status = 0;

	if (req->complete)
		return true;
	while (!status && (end = memchr(buf + req->seen, '\n', len - req->seen))) {
		line.at = buf + req->line_start;
		line.len = end - line.at;
		req->line_start = end + 1 - buf;
		req->seen = req->line_start;
		status = parse_line(req, line);
	}
	if (!status) {
		req->seen = len;
		if (len < HTTP_MAX_HEAD)
			return false;
		status = 431;
	}
	req->complete = true;
	req->status = status;
	req->head_len = req->line_start;
	return true;
}
