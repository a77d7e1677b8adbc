// SPDX-License-Identifier: GPL-2.0
/*
 * If a handler of the HTTP sample oopses, its worker and its connection are lost, and nothing else.
 * An oops turns lockdep off, so this runs last, like dev_fault.
 */
#include "httpd.h"

FIXTURE(httpd_fault)
{
	struct answer answer;
};

FIXTURE_SETUP(httpd_fault)
{
	if (!has_tcp())
		SKIP(return, "no TCP");
	if (file_number("/proc/sys/kernel/panic_on_oops", 1))
		SKIP(return, "panic_on_oops is set");
	ASSERT_EQ(0, loopback_set(true));
}

FIXTURE_TEARDOWN(httpd_fault)
{
	if (httpd_is_loaded())
		EXPECT_EQ(0, httpd_unload());
	EXPECT_FALSE(pool_exists(HTTPD_POOL));
}

TEST_F(httpd_fault, other_connections_live_after_an_oops)
{
	struct client others[20], victim;
	struct figures figures;
	unsigned int i, round;

	ASSERT_EQ(0, httpd_load("allow_fault=1 workers=1"));
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		ASSERT_EQ(0, client_open(&others[i], 0));
		ASSERT_EQ(200, get(&others[i], "/", &self->answer));
	}
	for (round = 1; round <= 2; round++) {
		ASSERT_EQ(0, client_open(&victim, 0));
		ASSERT_EQ(200, get(&victim, "/", &self->answer));
		ASSERT_EQ(0, announce_oopses(1));
		/* the request behind /oops gets no answer either */
		ASSERT_EQ(0, client_say(&victim, "GET /oops HTTP/1.1\r\nHost: a\r\n\r\n"
					"GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
		EXPECT_TRUE(has_ended(&victim));
		client_close(&victim);
		ASSERT_TRUE(WAIT_FOR(attr_number(HTTPD_POOL, "faults") == round));
		for (i = 0; i < ARRAY_SIZE(others); i++)
			ASSERT_EQ(200, get(&others[i], "/", &self->answer));
		ASSERT_EQ(0, httpd_figures(&others[0], &figures));
		EXPECT_EQ(ARRAY_SIZE(others), figures.connections);
		EXPECT_EQ(round, figures.died);
	}
	EXPECT_EQ(0, httpd_unload());
	for (i = 0; i < ARRAY_SIZE(others); i++)
		EXPECT_TRUE(has_ended(&others[i]));
}

TEST_F(httpd_fault, the_module_can_be_unloaded_after_an_oops)
{
	struct client victim;

	ASSERT_EQ(0, httpd_load("allow_fault=1"));
	ASSERT_EQ(0, client_open(&victim, 0));
	ASSERT_EQ(200, get(&victim, "/", &self->answer));
	ASSERT_EQ(0, announce_oopses(1));
	ASSERT_EQ(0, client_say(&victim, "GET /oops HTTP/1.1\r\nHost: a\r\n\r\n"));
	ASSERT_TRUE(WAIT_FOR(attr_number(HTTPD_POOL, "faults") == 1));
	EXPECT_EQ(0, httpd_unload());
	EXPECT_TRUE(has_ended(&victim));
}

/* The worker dies before it accepts. No further connection comes that would fire the event. */
TEST_F(httpd_fault, accept_is_tried_again)
{
	struct client client;

	ASSERT_EQ(0, httpd_load("allow_fault=2"));
	ASSERT_EQ(0, announce_oopses(1));
	ASSERT_EQ(0, client_open(&client, 0));
	ASSERT_TRUE(WAIT_FOR(attr_number(HTTPD_POOL, "faults") == 1));
	EXPECT_EQ(200, get(&client, "/", &self->answer));
}

TEST_HARNESS_MAIN
