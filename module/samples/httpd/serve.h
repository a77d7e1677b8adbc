/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HTTPD_SERVE_H
#define HTTPD_SERVE_H

struct httpd;
struct socket;

/**
 * serve_open() - serve a connection from now on
 * @server: the server
 * @sock: an accepted socket, which belongs to the connection after 0
 *
 * Context: process context; the accept event of @server.
 * Return: 0 or -ENOMEM.
 */
int serve_open(struct httpd *server, struct socket *sock);

/**
 * serve_stop() - end all connections and wait until they are gone
 * @server: the server, which is stopping and accepts no connection
 *
 * Waits for handlers that run.
 *
 * Context: process context; sleeps.
 */
void serve_stop(struct httpd *server);

#endif /* HTTPD_SERVE_H */
