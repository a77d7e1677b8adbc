/* SPDX-License-Identifier: GPL-2.0 */
/* A style: threads or work items that run the steps of connections. */
#ifndef BENCH_HTTPD_STYLE_H
#define BENCH_HTTPD_STYLE_H

#include <linux/types.h>

#include "httpd.h"

/**
 * struct style - how connections are served
 * @name: value of the module's parameter style
 * @start: make server.sock listen, and serve its connections; returns 0 or -errno
 * @stop: called with server.stopping set; ends all connections, and waits until they are gone
 */
struct style {
	const char *name;
	int (*start)(void);
	void (*stop)(void);
};

/* server.pool and server.accept are for wpool and not used here. */
extern struct httpd server;
extern uint workers;

extern const struct style style_thread, style_percpu, style_unbound;

#endif /* BENCH_HTTPD_STYLE_H */
