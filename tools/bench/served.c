// SPDX-License-Identifier: GPL-2.0
/*
 * served - measure the time until each connection has been answered once.
 *
 * usage: served PORT CONNECTIONS PATH
 *
 * All connections are opened and ask at once, and each asks again as soon as it is answered. If the
 * server prefers early connections, later ones get no answer. Prints, in ns since the first
 * connect(), the time of the last first answer and percentiles of all first answers, as part of a
 * JSON object.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC	1000000000ULL

static char request[256];
static size_t request_len;

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static unsigned long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static int open_connection(unsigned int port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(port),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) ||
	    connect(fd, (struct sockaddr *)&address, sizeof(address)))
		fail("connect");
	return fd;
}

static void ask(int fd)
{
	if (write(fd, request, request_len) != (ssize_t)request_len)
		fail("write");
}

/* One read is enough: an answer is short, and the server sends it in one piece. */
static void read_answer(int fd)
{
	static const char wanted[] = "HTTP/1.1 200 ";
	char buf[1024];
	ssize_t got = read(fd, buf, sizeof(buf));

	if (got < 0)
		fail("read");
	if (got < (ssize_t)sizeof(wanted) || memcmp(buf, wanted, sizeof(wanted) - 1)) {
		fprintf(stderr, "an answer that is not 200\n");
		exit(1);
	}
}

int main(int argc, char *argv[])
{
	struct epoll_event events[64], event = { .events = EPOLLIN };
	unsigned long long begun, *first_ns;
	unsigned int port, nr, i, nr_served = 0;
	int poll = epoll_create1(0), got, k;
	struct connection {
		int fd;
		bool is_served;
	} *all, *one;

	if (argc != 4) {
		fprintf(stderr, "usage: %s PORT CONNECTIONS PATH\n", argv[0]);
		return 2;
	}
	port = atoi(argv[1]);
	nr = atoi(argv[2]);
	request_len = snprintf(request, sizeof(request),
			       "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", argv[3]);
	all = calloc(nr, sizeof(*all));
	first_ns = calloc(nr, sizeof(*first_ns));
	if (poll < 0 || !nr || !all || !first_ns || request_len >= sizeof(request))
		fail("cannot begin");

	begun = now_ns();
	for (i = 0; i < nr; i++) {
		all[i].fd = open_connection(port);
		event.data.ptr = &all[i];
		if (epoll_ctl(poll, EPOLL_CTL_ADD, all[i].fd, &event))
			fail("epoll_ctl");
		ask(all[i].fd);
	}
	while (nr_served < nr) {
		got = epoll_wait(poll, events, 64, -1);
		if (got < 0)
			fail("epoll_wait");
		for (k = 0; k < got && nr_served < nr; k++) {
			one = events[k].data.ptr;
			read_answer(one->fd);
			if (!one->is_served)
				first_ns[nr_served++] = now_ns() - begun;
			one->is_served = true;
			ask(one->fd);
		}
	}
	printf("\"served_ns\":%llu,\"first_p50\":%llu,", first_ns[nr - 1], first_ns[nr / 2]);
	printf("\"first_p90\":%llu,\"first_p99\":%llu\n", first_ns[nr * 9 / 10],
	       first_ns[nr * 99 / 100]);
	return 0;
}
