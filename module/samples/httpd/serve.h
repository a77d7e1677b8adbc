/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HTTPD_SERVE_H
#define HTTPD_SERVE_H

struct httpd;
struct socket;

/* Serve an accepted connection, which owns @sock if this returns 0; or return -ENOMEM. */
int serve_open(struct httpd *server, struct socket *sock);

/* End all connections, and wait until they are gone. The server accepts no more. Sleeps. */
void serve_stop(struct httpd *server);

#endif /* HTTPD_SERVE_H */
