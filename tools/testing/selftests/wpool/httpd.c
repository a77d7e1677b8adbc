// SPDX-License-Identifier: GPL-2.0
/*
 * The HTTP sample: it keeps to the protocol and its bounds, a waiting connection holds no worker,
 * and the module can be unloaded under load.
 */
#include "httpd.h"

#define WMEM	"/proc/sys/net/ipv4/tcp_wmem"
#define RMEM	"/proc/sys/net/ipv4/tcp_rmem"

/*
 * Minimum, default and maximum of the kernel's buffers of a connection. If a client does not read,
 * small buffers soon block the server, even on a slow kernel.
 */
#define BUFFERS	"4096 16384 65536"

FIXTURE(httpd)
{
	char wmem[64];		/* WMEM before the test */
	char rmem[64];		/* RMEM before the test */
	struct client client;
	struct answer answer;
};

FIXTURE_SETUP(httpd)
{
	self->client.fd = -1;
	if (!has_tcp())
		SKIP(return, "no TCP");
	ASSERT_EQ(0, loopback_set(true));
	ASSERT_FALSE(httpd_is_loaded());
	ASSERT_EQ(0, file_read(WMEM, self->wmem, sizeof(self->wmem)));
	ASSERT_EQ(0, file_read(RMEM, self->rmem, sizeof(self->rmem)));
	ASSERT_EQ(0, file_write(WMEM, BUFFERS, strlen(BUFFERS)));
	ASSERT_EQ(0, file_write(RMEM, BUFFERS, strlen(BUFFERS)));
}

FIXTURE_TEARDOWN(httpd)
{
	client_close(&self->client);
	file_write(WMEM, self->wmem, strlen(self->wmem));
	file_write(RMEM, self->rmem, strlen(self->rmem));
	if (!httpd_is_loaded())
		return;
	EXPECT_EQ(0, httpd_unload());
	EXPECT_FALSE(pool_exists(HTTPD_POOL));
}

/* GET() - a request for a path */
#define GET(path)	"GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"

/* START() - load the module, and connect */
#define START(params)						\
	({							\
		ASSERT_EQ(0, httpd_load(params));		\
		ASSERT_EQ(0, client_open(&self->client, 0));	\
	})

TEST_F(httpd, each_request_has_its_answer)
{
	int i;

	START("");
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(200, get(&self->client, "/", &self->answer));
		ASSERT_STREQ("hello, world\n", self->answer.body);
		ASSERT_FALSE(self->answer.closes);
	}
	EXPECT_EQ(404, get(&self->client, "/nothing", &self->answer));
	EXPECT_EQ(404, get(&self->client, "//", &self->answer));
	EXPECT_EQ(200, get(&self->client, "/?a=b?c", &self->answer));
	EXPECT_EQ(200, get(&self->client, "http://elsewhere:1/", &self->answer));
	EXPECT_EQ(422, get(&self->client, "/bytes", &self->answer));
	EXPECT_EQ(422, get(&self->client, "/bytes?n=", &self->answer));
	EXPECT_EQ(422, get(&self->client, "/bytes?n=1x", &self->answer));
	EXPECT_EQ(422, get(&self->client, "/bytes?n=99999999999999999999", &self->answer));
	EXPECT_EQ(200, get(&self->client, "/bytes?n=0", &self->answer));
	EXPECT_EQ(0, self->answer.length);
	EXPECT_EQ(200, get(&self->client, "/bytes?n=100000", &self->answer));
	EXPECT_EQ(100000, self->answer.length);
	EXPECT_TRUE(self->answer.is_pattern);
	EXPECT_EQ(200, get(&self->client, "/slow?ms=20", &self->answer));
	/* /oops exists only if the module's parameter allows it */
	EXPECT_EQ(404, get(&self->client, "/oops", &self->answer));
	EXPECT_EQ(200, get(&self->client, "/", &self->answer));
}

TEST_F(httpd, head_has_no_body)
{
	START("");
	ASSERT_EQ(0, client_say(&self->client, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"
				"HEAD /nothing HTTP/1.1\r\nHost: a\r\n\r\n"));
	EXPECT_EQ(200, read_answer(&self->client, &self->answer, false));
	EXPECT_EQ(13, self->answer.length);
	EXPECT_EQ(404, read_answer(&self->client, &self->answer, false));
	EXPECT_LT(0, self->answer.length);
	EXPECT_EQ(200, get(&self->client, "/", &self->answer));
}

TEST_F(httpd, other_methods_than_get_are_refused)
{
	START("");
	/* the text in a body is no request */
	ASSERT_EQ(0, client_say(&self->client,
				"POST / HTTP/1.1\r\nHost: a\r\ncontent-LENGTH:  25\t\r\n\r\n"));
	ASSERT_EQ(0, client_say(&self->client, "GET /nothing HTTP/1.1\r\n\r\n"));
	ASSERT_EQ(0, client_say(&self->client, "\r\nDELETE /nothing HTTP/1.1\r\nhOST: a\r\n\r\n"));
	EXPECT_EQ(405, read_answer(&self->client, &self->answer, true));
	EXPECT_TRUE(strstr(self->answer.head, "\r\nAllow: GET, HEAD\r\n"));
	EXPECT_FALSE(self->answer.closes);
	EXPECT_EQ(404, read_answer(&self->client, &self->answer, true));
	EXPECT_EQ(200, get(&self->client, "/", &self->answer));
}

/* A connection stays open after a request, or ends, as HTTP demands. */
TEST_F(httpd, keep_alive)
{
	static const struct {
		int status;
		bool closes;
		const char *request;
	} cases[] = {
		{ 200, false, "GET / HTTP/1.1\r\nHost: a\r\n\r\n" },
		{ 200, true, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" },
		{ 200, true, "GET / HTTP/1.1\r\nHost: a\r\nConnection: foo , CLOSE\r\n\r\n" },
		{ 200, false, "GET / HTTP/1.1\r\nHost: a\r\nConnection: closed\r\n\r\n" },
		{ 200, false, "GET / HTTP/1.9\r\nHost: a\r\n\r\n" },
		{ 200, true, "GET / HTTP/1.0\r\n\r\n" },
		{ 200, false, "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n" },
		{ 405, true,
		  "POST / HTTP/1.1\r\nHost:\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc" },
		{ 405, true,
		  "POST / HTTP/1.1\r\nHost:\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n" },
	};
	unsigned int i;
	bool is_right;

	ASSERT_EQ(0, httpd_load(""));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ASSERT_EQ(0, client_start(&self->client, 0, cases[i].request));
		ASSERT_EQ(cases[i].status, read_answer(&self->client, &self->answer, true));
		EXPECT_EQ(cases[i].closes, self->answer.closes)
			TH_LOG("%s", cases[i].request);
		if (cases[i].closes)
			is_right = has_ended(&self->client);
		else
			is_right = get(&self->client, "/", &self->answer) == 200;
		EXPECT_TRUE(is_right);
		client_close(&self->client);
	}
}

#define REQUEST(text)	"GET / HTTP/1.1\r\n" text "\r\n\r\n"

TEST_F(httpd, bad_requests_are_refused_and_end_the_connection)
{
	static const struct {
		int status;
		const char *request;
	} cases[] = {
		{ 400, "hello\r\n\r\n" },
		{ 400, "GET /\r\n\r\n" },
		{ 400, " GET / HTTP/1.1\r\nHost: a\r\n\r\n" },
		{ 400, "GET  / HTTP/1.1\r\nHost: a\r\n\r\n" },
		{ 400, "GET / HTTP/1.1 \r\nHost: a\r\n\r\n" },
		{ 400, "GET / HTTP/1.10\r\nHost: a\r\n\r\n" },
		{ 400, "GET / http/1.1\r\nHost: a\r\n\r\n" },
		{ 400, "GET / HTTP/1.x\r\nHost: a\r\n\r\n" },
		{ 400, "GET nothing HTTP/1.1\r\nHost: a\r\n\r\n" },
		{ 400, "GET http://nothing HTTP/1.1\r\nHost: a\r\n\r\n" },
		{ 400, "G\"T / HTTP/1.1\r\nHost: a\r\n\r\n" },
		{ 400, "GET / HTTP/1.1\nHost: a\n\n" },
		{ 400, "GET / HTTP/1.1\r\nHost: a\n\r\n" },
		{ 400, "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n" },
		{ 400, "\n" },
		{ 400, REQUEST("Accept: all") },
		{ 400, REQUEST("Host: a\r\nHost: a") },
		{ 400, REQUEST("Host : a") },
		{ 400, REQUEST("Host: a\r\n b") },
		{ 400, REQUEST("Host: a\r\nno colon") },
		{ 400, REQUEST("Host: a\r\n: b") },
		{ 400, REQUEST("Host: a\r\nX: \001") },
		{ 400, REQUEST("Host: a\r\nX: \177") },
		{ 400, REQUEST("Host: a\r\nContent-Length: x") },
		{ 400, REQUEST("Host: a\r\nContent-Length:") },
		{ 400, REQUEST("Host: a\r\nContent-Length: -1") },
		{ 400, REQUEST("Host: a\r\nContent-Length: 1, 1") },
		{ 400, REQUEST("Host: a\r\nContent-Length: 0\r\nContent-Length: 0") },
		{ 400, REQUEST("Host: a\r\nContent-Length: 0\r\nTransfer-Encoding: chunked") },
		{ 413, REQUEST("Host: a\r\nContent-Length: 65537") },
		{ 413, REQUEST("Host: a\r\nContent-Length: 4294967296") },
		{ 413, REQUEST("Host: a\r\nContent-Length: 99999999999999999999999999") },
		{ 501, REQUEST("Host: a\r\nTransfer-Encoding: chunked") },
		{ 505, "GET / HTTP/2.0\r\nHost: a\r\n\r\n" },
		{ 505, "GET / HTTP/0.9\r\nHost: a\r\n\r\n" },
	};
	static const char with_nul[] = "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n";
	unsigned int i;
	char all[4200];

	ASSERT_EQ(0, httpd_load(""));
	for (i = 0; i <= ARRAY_SIZE(cases); i++) {
		bool is_last = i == ARRAY_SIZE(cases);
		const char *request = is_last ? with_nul : cases[i].request;
		size_t len = is_last ? sizeof(with_nul) - 1 : strlen(request);

		/* every other request is longer than what the server reads before it refuses */
		memset(all, 'x', sizeof(all));
		memcpy(all, request, len);
		ASSERT_EQ(0, client_open(&self->client, 0));
		ASSERT_EQ(0, client_send(&self->client, all, i % 2 ? sizeof(all) : len));
		EXPECT_EQ(is_last ? 400 : cases[i].status,
			  read_answer(&self->client, &self->answer, true))
			TH_LOG("%s", request);
		EXPECT_TRUE(self->answer.closes);
		/* the connection ends without a reset, which might overtake an answer */
		EXPECT_EQ(0, self->client.len);
		EXPECT_EQ(0, client_more(&self->client));
		client_close(&self->client);
	}
}

TEST_F(httpd, a_head_that_is_too_large_is_refused)
{
	char head[3000];
	int len;

	/* heads that fit: 2,048 bytes, and one less */
	START("");
	for (len = 2048; len >= 2047; len--) {
		memset(head, 'x', sizeof(head));
		memcpy(head, "GET / HTTP/1.1\r\nHost: a\r\nX: ", 28);
		memcpy(head + len - 4, "\r\n\r\n", 4);
		ASSERT_EQ(0, client_send(&self->client, head, len));
		ASSERT_EQ(200, read_answer(&self->client, &self->answer, true));
	}
	/* a head that does not fit */
	memcpy(head + 2048 - 4, "xxxx\r\n\r\n", 8);
	ASSERT_EQ(0, client_send(&self->client, head, 2048 + 4));
	EXPECT_EQ(431, read_answer(&self->client, &self->answer, true));
	EXPECT_TRUE(has_ended(&self->client));
	client_close(&self->client);

	/* a head of one endless line; on the next connection, a head of empty lines only */
	ASSERT_EQ(0, client_open(&self->client, 0));
	memset(head, 'x', sizeof(head));
	ASSERT_EQ(0, client_send(&self->client, head, sizeof(head)));
	EXPECT_EQ(431, read_answer(&self->client, &self->answer, true));
	client_close(&self->client);
	ASSERT_EQ(0, client_open(&self->client, 0));
	for (len = 0; len < (int)sizeof(head); len++)
		head[len] = "\r\n"[len % 2];
	ASSERT_EQ(0, client_send(&self->client, head, sizeof(head)));
	EXPECT_EQ(431, read_answer(&self->client, &self->answer, true));
}

TEST_F(httpd, a_request_may_come_byte_by_byte)
{
	static const char * const requests[] = {
		"\r\nGET /bytes?n=7 HTTP/1.1\r\nHost: a\r\nX-Y: z\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody",
		"GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n",
	};
	unsigned int i;
	const char *at;

	START("");
	for (i = 0; i < ARRAY_SIZE(requests); i++)
		for (at = requests[i]; *at; at++)
			ASSERT_EQ(0, client_send(&self->client, at, 1));
	ASSERT_EQ(200, read_answer(&self->client, &self->answer, true));
	EXPECT_EQ(7, self->answer.length);
	EXPECT_EQ(405, read_answer(&self->client, &self->answer, true));
	EXPECT_EQ(404, read_answer(&self->client, &self->answer, true));
}

/* Many requests at once, more than the server's buffer holds: one answer each, in order. */
TEST_F(httpd, pipelined)
{
	char requests[100 * 64];
	size_t len = 0;
	int i;

	START("workers=2");
	for (i = 0; i < 100; i++)
		len += sprintf(requests + len, "GET /bytes?n=%d HTTP/1.1\r\nHost: pipeline\r\n\r\n",
			       i);
	ASSERT_EQ(0, client_send(&self->client, requests, len));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(200, read_answer(&self->client, &self->answer, true));
		ASSERT_EQ(i, self->answer.length);
	}
	EXPECT_EQ(200, get(&self->client, "/", &self->answer));
}

TEST_F(httpd, a_client_that_has_closed_gets_its_answers)
{
	START("");
	ASSERT_EQ(0, client_say(&self->client,
				"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
				"GET /bytes?n=3000000 HTTP/1.1\r\nHost: a\r\n\r\n"
				"GET / HTTP/1.1\r\nHo"));
	ASSERT_EQ(0, shutdown(self->client.fd, SHUT_WR));
	EXPECT_EQ(200, read_answer(&self->client, &self->answer, true));
	EXPECT_EQ(200, read_answer(&self->client, &self->answer, true));
	EXPECT_EQ(3000000, self->answer.length);
	EXPECT_TRUE(self->answer.is_pattern);
	EXPECT_TRUE(has_ended(&self->client));
}

/* More bytes than the kernel's buffers at both ends of a connection hold. */
#define LARGE		500000
#define LARGE_PATH	"/bytes?n=500000"

TEST_F(httpd, silent_clients_starve_nobody)
{
	struct client silent[60], slow[2];
	unsigned int i;

	START("workers=1");
	for (i = 0; i < ARRAY_SIZE(silent); i++) {
		/* a third of the clients is silent, a third in a request, a third answered */
		ASSERT_EQ(0, client_start(&silent[i], 0, (i % 3 == 1) ? "GET / HT" : ""));
		ASSERT_LE(200, (i % 3 == 2) ? get(&silent[i], "/", &self->answer) : 200);
	}
	/* clients that do not read the answers they asked for */
	for (i = 0; i < ARRAY_SIZE(slow); i++)
		ASSERT_EQ(0, client_start(&slow[i], 4096, GET(LARGE_PATH)));
	for (i = 0; i < 20; i++)
		ASSERT_EQ(200, get(&self->client, "/", &self->answer));
	EXPECT_TRUE(WAIT_FOR(!attr_number(HTTPD_POOL, "busy")));
	/* all clients are still served */
	for (i = 0; i < ARRAY_SIZE(slow); i++) {
		ASSERT_EQ(200, read_answer(&slow[i], &self->answer, true));
		ASSERT_EQ(LARGE, self->answer.length);
		ASSERT_TRUE(self->answer.is_pattern);
		ASSERT_EQ(200, get(&slow[i], "/", &self->answer));
		client_close(&slow[i]);
	}
	for (i = 0; i < ARRAY_SIZE(silent); i++) {
		ASSERT_EQ(0, client_say(&silent[i], (i % 3 == 1) ? "TP/1.1\r\nHost: a\r\n\r\n" :
							REQUEST("Host: a")));
		ASSERT_EQ(200, read_answer(&silent[i], &self->answer, true));
		client_close(&silent[i]);
	}
}

/* A client that sends and never reads has to stop: the server does not buffer its requests. */
TEST_F(httpd, answers_that_nobody_reads)
{
	static const char start[] = "GET /bytes?n=200000 HTTP/1.1\r\nHost: a\r\nX: ";
	char request[1500];
	struct pollfd out;
	size_t at = 0;
	int sent = 0, size = 4096, i;
	ssize_t got;

	START("");
	memset(request, 'x', sizeof(request));
	memcpy(request, start, sizeof(start) - 1);
	memcpy(request + sizeof(request) - 4, "\r\n\r\n", 4);
	ASSERT_EQ(0, setsockopt(self->client.fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)));
	out = (struct pollfd) { .fd = self->client.fd, .events = POLLOUT };
	do {
		got = send(self->client.fd, request + at, sizeof(request) - at,
			   MSG_DONTWAIT | MSG_NOSIGNAL);
		if (got < 0) {
			ASSERT_EQ(EAGAIN, errno);
			continue;
		}
		at += got;
		if (at == sizeof(request)) {
			at = 0;
			sent++;
		}
		ASSERT_GT(20000, sent);
	} while (got >= 0 || poll(&out, 1, 300));
	ASSERT_LT(0, sent);
	for (i = 0; i < sent; i++) {
		ASSERT_EQ(200, read_answer(&self->client, &self->answer, true));
		ASSERT_TRUE(self->answer.is_pattern);
	}
	/* send the rest of the request that was cut in two */
	if (at) {
		ASSERT_EQ(0, client_send(&self->client, request + at, sizeof(request) - at));
		ASSERT_EQ(200, read_answer(&self->client, &self->answer, true));
	}
	EXPECT_EQ(200, get(&self->client, "/", &self->answer));
}

/* The number of time-outs; 0 if the asking connection timed out, too, on a slow machine. */
static long timed_out_now(void)
{
	struct figures figures;

	return httpd_figures(NULL, &figures) ? 0 : figures.timed_out;
}

TEST_F(httpd, idle_connections_time_out)
{
	struct client silent, half, drip;

	START("idle_ms=300");
	ASSERT_EQ(0, client_open(&silent, 0));
	ASSERT_EQ(0, client_open(&half, 0));
	ASSERT_EQ(0, client_open(&drip, 0));
	/* on a slow machine these connections may have timed out already */
	client_say(&half, "GET / HTTP/1.1\r\nHost");
	get(&self->client, "/", &self->answer);
	/* a byte now and then does not prevent the time-out */
	while (!client_say(&drip, "x"))
		usleep(20000);
	EXPECT_TRUE(has_ended(&drip));
	EXPECT_TRUE(has_ended(&silent));
	EXPECT_TRUE(has_ended(&half));
	EXPECT_TRUE(has_ended(&self->client));
	EXPECT_TRUE(WAIT_FOR(timed_out_now() >= 4));
}

TEST_F(httpd, no_more_than_max_connections_are_open)
{
	struct client others[3], late[3];
	struct figures figures;
	unsigned int i;

	START("max_connections=4");
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, client_open(&others[i], 0));
		ASSERT_EQ(200, get(&others[i], "/", &self->answer));
	}
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, client_start(&late[i], 0, GET("/")));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, httpd_figures(&self->client, &figures));
		EXPECT_EQ(4, figures.connections);
		EXPECT_EQ(4, figures.accepted);
	}
	for (i = 0; i < 3; i++) {
		client_close(&others[i]);
		EXPECT_EQ(200, read_answer(&late[i], &self->answer, true));
		ASSERT_EQ(0, httpd_figures(&self->client, &figures));
		EXPECT_EQ(4, figures.connections);
		EXPECT_EQ(5 + i, figures.accepted);
	}
	for (i = 0; i < 3; i++)
		client_close(&late[i]);
	EXPECT_TRUE(WAIT_FOR(!httpd_figures(&self->client, &figures) &&
			     figures.connections == 1));
}

TEST_F(httpd, bad_parameters_do_not_load_the_module)
{
	static const char * const cases[] = {
		"workers=0", "max_connections=0", "max_connections=1000001", "idle_ms=0",
		"idle_ms=86400001", "workers=2000000",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int err = httpd_load(cases[i]);

		EXPECT_TRUE(err == -ERANGE || err == -EINVAL)
			TH_LOG("%s: %d", cases[i], err);
		EXPECT_FALSE(pool_exists(HTTPD_POOL));
	}
	EXPECT_EQ(-EINVAL, httpd_load("address=here"));
	/* no interface has this address */
	EXPECT_EQ(-EADDRNOTAVAIL, httpd_load("address=192.0.2.1"));
	EXPECT_FALSE(pool_exists(HTTPD_POOL));
}

TEST_F(httpd, many_connections_are_served_at_once)
{
	/* the debug kernel has no memory for 10000 */
	unsigned int nr = access("/sys/kernel/debug/kmemleak", F_OK) ? 10000 : 1000, i;
	struct rlimit limit = { .rlim_cur = nr + 100, .rlim_max = nr + 100 };
	struct client *clients = calloc(nr, sizeof(*clients));
	struct figures figures;

	ASSERT_TRUE(clients);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	START("max_connections=10001");
	for (i = 0; i < nr; i++)
		ASSERT_EQ(0, client_open(&clients[i], 4096));
	for (i = 0; i < nr; i++)
		ASSERT_EQ(0, client_say(&clients[i], GET("/")));
	for (i = 0; i < nr; i++)
		ASSERT_EQ(200, read_answer(&clients[i], &self->answer, true));
	ASSERT_EQ(0, httpd_figures(&self->client, &figures));
	EXPECT_EQ(nr + 1, figures.connections);
	EXPECT_GE(8, attr_number(HTTPD_POOL, "workers"));
	EXPECT_TRUE(WAIT_FOR(!attr_number(HTTPD_POOL, "outstanding")));
	for (i = 0; i < nr; i += 2)
		client_close(&clients[i]);
	EXPECT_TRUE(WAIT_FOR(!httpd_figures(&self->client, &figures) &&
			     figures.connections == (int)nr / 2 + 1));
	EXPECT_EQ(200, get(&clients[1], "/", &self->answer));
	EXPECT_EQ(200, get(&clients[nr - 1], "/", &self->answer));
	/* the unload closes the other connections, and the clients notice */
	EXPECT_EQ(0, httpd_unload());
	for (i = 1; i < nr; i += 2)
		EXPECT_TRUE(has_ended(&clients[i]));
}

/* If the packets that close a connection are lost, the kernel repeats them after the unload. */
TEST_F(httpd, a_lost_end_is_repeated)
{
	START("");
	ASSERT_EQ(200, get(&self->client, "/", &self->answer));
	ASSERT_EQ(0, loopback_set(false));
	EXPECT_EQ(0, httpd_unload());
	EXPECT_EQ(0, loopback_set(true));
	EXPECT_TRUE(has_ended(&self->client));
}

/*
 * An unload ends connections of each kind: silent, in a request, in an answer, in a handler, and
 * not accepted yet.
 */
TEST_F(httpd, unload_with_each_kind)
{
	struct client half, slow, late, busy;

	START("max_connections=4");
	ASSERT_EQ(200, get(&self->client, "/", &self->answer));
	ASSERT_EQ(0, client_start(&half, 0, "GET / HTTP/1.1\r\nHost"));
	ASSERT_EQ(0, client_start(&slow, 4096, GET(LARGE_PATH)));
	ASSERT_EQ(0, client_start(&busy, 0, GET("/slow?ms=300")));
	ASSERT_EQ(0, client_start(&late, 0, GET("/")));
	EXPECT_TRUE(WAIT_FOR(attr_number(HTTPD_POOL, "busy") > 0));
	EXPECT_EQ(0, httpd_unload());
	EXPECT_TRUE(has_ended(&self->client));
	EXPECT_TRUE(has_ended(&half));
	EXPECT_TRUE(has_ended(&late));
	EXPECT_GT(0, read_answer(&slow, &self->answer, true));
	EXPECT_EQ(-ECONNREFUSED, client_open(&half, 0));
}

#define NR_CLIENTS	60
#define NR_ROUNDS	3

static struct {
	bool stop;
	unsigned long answers;	/* answers, or parts of answers */
} load;

static struct pollfd load_begin(void)
{
	struct sockaddr_in address = httpd_address();
	struct pollfd pfd = { .events = POLLOUT };

	pfd.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (pfd.fd >= 0)
		connect(pfd.fd, (struct sockaddr *)&address, sizeof(address));
	return pfd;
}

/* Handles an event of the connection. False if the connection is over. */
static bool load_go_on(struct pollfd *pfd, unsigned int nr)
{
	static const char * const requests[] = {
		"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /slow?ms=1 HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /bytes?n=50000 HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
		"GET / HTTP/1.1\r\nHo",
	};
	const char *request = requests[nr % ARRAY_SIZE(requests)];
	static char buf[4096];

	if (pfd->revents & POLLIN) {
		if (recv(pfd->fd, buf, sizeof(buf), 0) <= 0)
			return false;
		__atomic_fetch_add(&load.answers, 1, __ATOMIC_RELAXED);
	} else if (pfd->revents & (POLLERR | POLLHUP)) {
		return false;
	}
	pfd->events = POLLIN;
	if (send(pfd->fd, request, strlen(request), MSG_NOSIGNAL) < 0 && errno != EAGAIN)
		return false;
	/* after the last, partial request the client closes the connection */
	return nr % ARRAY_SIZE(requests) != ARRAY_SIZE(requests) - 1;
}

/* Clients that send requests all the time, and connect again when a connection is closed. */
static void *load_thread(void *arg)
{
	struct pollfd pfds[NR_CLIENTS];
	unsigned int i, nr = 0;

	for (i = 0; i < NR_CLIENTS; i++)
		pfds[i] = load_begin();
	while (!__atomic_load_n(&load.stop, __ATOMIC_RELAXED)) {
		poll(pfds, NR_CLIENTS, 10);
		for (i = 0; i < NR_CLIENTS; i++) {
			if (!pfds[i].revents || load_go_on(&pfds[i], nr++))
				continue;
			close(pfds[i].fd);
			pfds[i] = load_begin();
		}
		/* if all connections are refused, leave the machine some time */
		usleep(1000);
	}
	for (i = 0; i < NR_CLIENTS; i++)
		close(pfds[i].fd);
	return arg;
}

/* Waits until the server has answered 50 times. */
static bool load_is_served(void)
{
	unsigned long before;
	unsigned int i;

	for (i = 0; i < 50; i++) {
		before = __atomic_load_n(&load.answers, __ATOMIC_RELAXED);
		if (!WAIT_FOR(__atomic_load_n(&load.answers, __ATOMIC_RELAXED) != before))
			return false;
	}
	return true;
}

TEST_F(httpd, the_module_can_be_unloaded_under_load)
{
	unsigned int round;
	pthread_t thread;
	pid_t pids[8];

	ASSERT_EQ(0, httpd_load("max_connections=45"));
	ASSERT_EQ(0, pthread_create(&thread, NULL, load_thread, NULL));
	for (round = 1; round <= NR_ROUNDS; round++) {
		EXPECT_TRUE(load_is_served());
		ASSERT_EQ(0, httpd_unload());
		EXPECT_FALSE(pool_exists(HTTPD_POOL));
		ASSERT_EQ(0, round < NR_ROUNDS ? httpd_load("max_connections=45") : 0);
	}
	__atomic_store_n(&load.stop, true, __ATOMIC_RELAXED);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_TRUE(WAIT_FOR(!threads_named("wp/" HTTPD_POOL, pids, ARRAY_SIZE(pids))));
}

TEST_HARNESS_MAIN
