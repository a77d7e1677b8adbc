/* SPDX-License-Identifier: GPL-2.0 */
/* Loading the module wpool_httpd, and an HTTP client that checks each byte of an answer. */
#ifndef HTTPD_H
#define HTTPD_H

#include "wpool_test.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#define HTTPD		"wpool_httpd"
#define HTTPD_POOL	"httpd"
#define HTTPD_PORT	8090

/* ---- the module ---- */

static inline const char *httpd_file(void)
{
	static char path[256];
	const char *dir = getenv("WPOOL_SAMPLES");

	snprintf(path, sizeof(path), "%s/" HTTPD ".ko", dir ?: "/wpool");
	return path;
}

static inline bool has_tcp(void)
{
	return !access("/proc/net/tcp", F_OK);
}

static inline int loopback_set(bool up)
{
	struct ifreq ifr = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, SIOCGIFFLAGS, &ifr))
		err = -errno;
	ifr.ifr_flags = up ? ifr.ifr_flags | IFF_UP : ifr.ifr_flags & ~IFF_UP;
	if (!err && ioctl(fd, SIOCSIFFLAGS, &ifr))
		err = -errno;
	close(fd);
	return err;
}

/* @params: parameters of the module in addition to its port */
static inline int httpd_load(const char *params)
{
	int fd = open(httpd_file(), O_RDONLY | O_CLOEXEC);
	char all[256];
	int err;

	if (fd < 0)
		return -errno;
	/* connections do not time out on a slow machine, unless a test wants time-outs */
	snprintf(all, sizeof(all), "port=%d idle_ms=86400000 %s", HTTPD_PORT, params);
	err = syscall(SYS_finit_module, fd, all, 0) ? -errno : 0;
	close(fd);
	return err;
}

static inline int httpd_unload(void)
{
	return syscall(SYS_delete_module, HTTPD, O_NONBLOCK) ? -errno : 0;
}

static inline bool httpd_is_loaded(void)
{
	return !access("/sys/module/" HTTPD, F_OK);
}

/* ---- a client ---- */

struct client {
	int fd;
	size_t len;		/* bytes received and not yet read */
	char buf[1024];
};

struct answer {
	int status;		/* the server's status, or -errno; -ENODATA: closed */
	long length;		/* length of the body */
	bool closes;
	bool is_pattern;	/* the body has the content of /bytes */
	char head[512];
	char body[256];		/* the start of the body */
};

static inline struct sockaddr_in httpd_address(void)
{
	return (struct sockaddr_in) {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(HTTPD_PORT),
	};
}

/* @rcvbuf: size of the kernel's receive buffer, or 0 for the default */
static inline int client_open(struct client *client, int rcvbuf)
{
	struct timeval patience = { .tv_sec = WAIT_NS / SEC };
	struct sockaddr_in address = httpd_address();
	int one = 1, err = 0;

	client->len = 0;
	client->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (client->fd < 0)
		return -errno;
	if ((rcvbuf && setsockopt(client->fd, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf))) ||
	    setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) ||
	    setsockopt(client->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) ||
	    setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) ||
	    connect(client->fd, (struct sockaddr *)&address, sizeof(address)))
		err = -errno;
	if (err) {
		close(client->fd);
		client->fd = -1;
	}
	return err;
}

static inline void client_close(struct client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
}

static inline int client_send(struct client *client, const char *data, size_t len)
{
	ssize_t sent;

	while (len) {
		sent = send(client->fd, data, len, MSG_NOSIGNAL);
		if (sent <= 0)
			return sent ? -errno : -EPIPE;
		data += sent;
		len -= sent;
	}
	return 0;
}

static inline int client_say(struct client *client, const char *text)
{
	return client_send(client, text, strlen(text));
}

/* Connect and send @text. @rcvbuf: see client_open() */
static inline int client_start(struct client *client, int rcvbuf, const char *text)
{
	return client_open(client, rcvbuf) ?: client_say(client, text);
}

/* Like recv(), into the rest of @client->buf. */
static inline int client_more(struct client *client)
{
	ssize_t got = recv(client->fd, client->buf + client->len,
			   sizeof(client->buf) - client->len, 0);

	if (got < 0)
		return -errno;
	client->len += got;
	return got;
}

static inline void client_drop(struct client *client, size_t len)
{
	client->len -= len;
	memmove(client->buf, client->buf + len, client->len);
}

static inline int answer_head(struct client *client, struct answer *answer)
{
	char *end, *length;
	int got;

	while (!(end = memmem(client->buf, client->len, "\r\n\r\n", 4))) {
		got = client_more(client);
		if (got <= 0)
			return got ?: client->len ? -EPROTO : -ENODATA;
	}
	end += 4;
	if ((size_t)(end - client->buf) >= sizeof(answer->head))
		return -EPROTO;
	memcpy(answer->head, client->buf, end - client->buf);
	answer->head[end - client->buf] = 0;
	client_drop(client, end - client->buf);
	length = strstr(answer->head, "\r\nContent-Length: ");
	if (!length || sscanf(answer->head, "HTTP/1.1 %3d ", &answer->status) != 1)
		return -EPROTO;
	answer->length = atol(length + strlen("\r\nContent-Length: "));
	answer->closes = strstr(answer->head, "\r\nConnection: close\r\n");
	return 0;
}

static inline char pattern_at(long n)
{
	return "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\r\n"[n % 64];
}

static inline int answer_body(struct client *client, struct answer *answer)
{
	size_t take, i;
	long at = 0;
	int got;

	answer->is_pattern = true;
	while (at < answer->length) {
		if (!client->len) {
			got = client_more(client);
			if (got <= 0)
				return got ?: -EPROTO;
		}
		take = client->len;
		if (take > (size_t)(answer->length - at))
			take = answer->length - at;
		for (i = 0; i < take; i++, at++) {
			if (at < (long)sizeof(answer->body) - 1)
				answer->body[at] = client->buf[i];
			answer->is_pattern &= client->buf[i] == pattern_at(at);
		}
		client_drop(client, take);
	}
	return 0;
}

/* Returns the status of the answer, or -errno. @has_body: the request was no HEAD. */
static inline int read_answer(struct client *client, struct answer *answer, bool has_body)
{
	int err;

	memset(answer, 0, sizeof(*answer));
	err = answer_head(client, answer);
	if (!err && has_body)
		err = answer_body(client, answer);
	if (err)
		answer->status = err;
	return answer->status;
}

/* Request a path on a connection that stays open. Returns the status, or -errno. */
static inline int get(struct client *client, const char *path, struct answer *answer)
{
	char request[256];
	int err;

	snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: test\r\n\r\n", path);
	err = client_say(client, request);
	if (err) {
		answer->status = err;
		return err;
	}
	return read_answer(client, answer, true);
}

/* Has the server closed the connection without another byte? */
static inline bool has_ended(struct client *client)
{
	int got = client->len ? -EPROTO : client_more(client);

	return !got || got == -ECONNRESET;
}

struct figures {
	int connections;	/* including the connection that asks */
	long accepted, timed_out, died;
};

/* Read the figures on @client; NULL: on a new connection. Returns 0 or -errno. */
static inline int httpd_figures(struct client *client, struct figures *figures)
{
	struct answer answer;
	struct client own;
	int status;

	memset(figures, 0, sizeof(*figures));
	if (client) {
		status = get(client, "/figures", &answer);
	} else {
		status = client_open(&own, 0);
		if (status)
			return status;
		status = get(&own, "/figures", &answer);
		client_close(&own);
	}
	if (status < 0)
		return status;
	return sscanf(answer.body, "connections %d\naccepted %ld\ntimed_out %ld\ndied %ld\n",
		      &figures->connections, &figures->accepted, &figures->timed_out,
		      &figures->died) == 4 ? 0 : -EPROTO;
}

#endif /* HTTPD_H */
