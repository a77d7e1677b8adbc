/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HTTPD_LISTEN_H
#define HTTPD_LISTEN_H

#include <linux/types.h>

struct httpd;

/**
 * listen_start() - accept connections
 * @server: the server
 * @address: IPv4 address, in network order
 * @port: of TCP
 *
 * Context: process context; sleeps.
 * Return: 0 or -errno, as bind() and listen().
 */
int listen_start(struct httpd *server, __be32 address, u16 port);

/**
 * listen_stop() - accept no more connections
 * @server: the server; its field stopping is set
 *
 * Connections that were not accepted are reset.
 *
 * Context: process context; sleeps.
 */
void listen_stop(struct httpd *server);

#endif /* HTTPD_LISTEN_H */
