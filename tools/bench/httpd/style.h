/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A style: who runs the steps of a connection.
 */
#ifndef BENCH_HTTPD_STYLE_H
#define BENCH_HTTPD_STYLE_H

#include <linux/types.h>

#include "httpd.h"

/**
 * struct style - how connections are served
 * @name: as the module's parameter says it
 * @start: serve what comes to server.sock, which does not listen yet; 0 or -errno
 * @stop: server.stopping is set; end all connections, and wait until they are gone
 */
struct style {
	const char *name;
	int (*start)(void);
	void (*stop)(void);
};

/* The fields of wpool, pool and accept, are not used. */
extern struct httpd server;
extern uint workers;

extern const struct style style_thread, style_percpu, style_unbound;

#endif /* BENCH_HTTPD_STYLE_H */
