// SPDX-License-Identifier: GPL-2.0
/* What the code in README.md needs to compile; see scripts/quotes. */
#include <linux/poll.h>
#include <linux/wpool.h>
#include <linux/wpool_event.h>
#include <linux/wpool_strand.h>

struct job {
	struct wpool_task task;
};

void job_fn(struct wpool_task *task);
int submit_and_wait(struct wpool *pool, struct job *job);
int submit_and_wait(struct wpool *pool, struct job *job)
{
	int err;

	/* quote README.md 1 */
	return err;
}

struct conn {
	struct wpool_strand strand;
	struct wpool_event event;
	struct wpool_watch watch;
};

struct packet {
	struct wpool_strand_task task;
};

void packet_fn(struct wpool_strand_task *task);
void packet_abort(struct wpool_strand_task *task, int status);
void conn_fn(struct wpool_event *event);

int serve(struct wpool *pool, struct conn *conn, struct packet *packet, struct file *file);
int serve(struct wpool *pool, struct conn *conn, struct packet *packet, struct file *file)
{
	int err;

	/* quote README.md 3 */
	return err;
}
