// SPDX-License-Identifier: GPL-2.0
/* What the code in Documentation/modules.rst needs to compile; see scripts/quotes. */
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/wpool.h>
#include <linux/wpool_event.h>
#include <linux/wpool_group.h>
#include <linux/wpool_strand.h>

struct conn {
	struct wpool_event event;
	struct wpool_watch watch;
	struct wpool_strand strand;
};

bool conn_serve(struct conn *conn);
void conn_detach(struct conn *conn);

/* quote Documentation/modules.rst 1 functions */

int watch(struct conn *conn, struct file *file);
int watch(struct conn *conn, struct file *file)
{
	int err;

	/* quote Documentation/modules.rst 2 statements */
	return err;
}

struct block {
	struct wpool_group_task task;
};

int block_check(struct block *block);

/* quote Documentation/modules.rst 3 functions */

struct packet {
	struct wpool_strand_task task;
	struct conn *conn;
};

void conn_input(struct conn *conn, struct packet *packet);
void packet_abort(struct wpool_strand_task *task, int status);

/* quote Documentation/modules.rst 4 functions */

void strand(struct wpool *pool, struct conn *conn, struct packet *packet);
void strand(struct wpool *pool, struct conn *conn, struct packet *packet)
{
	/* quote Documentation/modules.rst 4 statements */
}

struct tunnel {
	struct wpool_strand strand;
};

void encrypt_packet(struct wpool_strand_task *task);
void send_packet(struct wpool_strand_task *task);
void drop_packet(struct wpool_strand_task *task, int status);
void pipeline(struct tunnel *tunnel, struct packet *packet);
void pipeline(struct tunnel *tunnel, struct packet *packet)
{
	/* quote Documentation/modules.rst 5 statements */
}

struct request {
	struct wpool_task task;
};

void request_acknowledge(struct request *req);

/* quote Documentation/modules.rst 6 functions */

void urgent(struct wpool *pool, struct request *req);
void urgent(struct wpool *pool, struct request *req)
{
	/* quote Documentation/modules.rst 6 statements */
}

#define BUFFER_BYTES 65536

/* quote Documentation/modules.rst 7 functions */

void *worker_buffer(struct wpool *pool);
void *worker_buffer(struct wpool *pool)
{
	struct wpool_attrs attrs;
	void *buffer;

	wpool_attrs_init(&attrs);
	/* quote Documentation/modules.rst 7 statements */
	return buffer;
}

struct job {
	struct wpool_task task;
};

/* quote Documentation/modules.rst 8 functions */

int submit_somewhere(struct wpool **pools, int nr, struct job *job);
int submit_somewhere(struct wpool **pools, int nr, struct job *job)
{
	int err;

	/* quote Documentation/modules.rst 8 statements */
	return err;
}
