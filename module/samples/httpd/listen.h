/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HTTPD_LISTEN_H
#define HTTPD_LISTEN_H

#include <linux/types.h>

struct httpd;

/* Accept connections. @address: IPv4. Sleeps. Returns 0, or -errno as bind() and listen(). */
int listen_start(struct httpd *server, __be32 address, u16 port);

/* Accept no more, and reset connections that wait. The caller has set server->stopping. Sleeps. */
void listen_stop(struct httpd *server);

#endif /* HTTPD_LISTEN_H */
