// SPDX-License-Identifier: GPL-2.0
/*
 * Each connection has a thread, which blocks in recvmsg() between requests. Another thread, the
 * acceptor, accepts connections.
 *
 * stop() shuts down the sockets, which ends all waits for data and for room.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <linux/wait.h>
#include <net/sock.h>

#include "conn.h"
#include "style.h"

/* The acceptor sleeps for this time after an error. */
#define RETRY_TIME	(HZ / 10)

struct client {
	struct list_head node;		/* under clients_lock */
	struct conn conn;
};

static DEFINE_MUTEX(clients_lock);
static LIST_HEAD(clients);
static DECLARE_WAIT_QUEUE_HEAD(room);
static struct task_struct *acceptor;

/* kthread_complete_and_exit() completes this once for each thread that served a connection. */
static DECLARE_COMPLETION(ended);
static unsigned long nr_started;	/* written by the acceptor, read by stop() after its end */

static void close(struct client *client)
{
	mutex_lock(&clients_lock);
	list_del(&client->node);
	mutex_unlock(&clients_lock);
	sock_release(client->conn.sock);
	kfree(client);
	if (atomic_dec_return(&server.nr_conns) == server.max_connections - 1)
		wake_up(&room);
}

static int serve(void *data)
{
	struct client *client = data;
	enum conn_next next;

	do {
		next = conn_step(&client->conn);
		cond_resched();
	} while (next == CONN_AGAIN && !READ_ONCE(server.stopping));
	/* the socket timed out */
	if (next == CONN_WAIT)
		atomic_long_inc(&server.timed_out);
	close(client);
	kthread_complete_and_exit(&ended, 0);
}

static int open(struct socket *sock)
{
	struct client *client = kzalloc(sizeof(*client), GFP_KERNEL);
	struct task_struct *thread;

	if (!client)
		return -ENOMEM;
	thread = kthread_create(serve, client, "bench_httpd");
	if (IS_ERR(thread)) {
		kfree(client);
		return PTR_ERR(thread);
	}
	tcp_sock_set_nodelay(sock->sk);
	sock->sk->sk_rcvtimeo = server.idle;
	sock->sk->sk_sndtimeo = server.idle;
	conn_init(&client->conn, &server, sock);
	client->conn.flags = 0;

	atomic_inc(&server.nr_conns);
	atomic_long_inc(&server.accepted);
	mutex_lock(&clients_lock);
	list_add(&client->node, &clients);
	mutex_unlock(&clients_lock);
	nr_started++;
	wake_up_process(thread);
	return 0;
}

static bool has_room(void)
{
	return atomic_read(&server.nr_conns) < server.max_connections ||
	       READ_ONCE(server.stopping);
}

static int accept_all(void *data)
{
	struct socket *sock;

	for (;;) {
		wait_event_idle(room, has_room());
		if (READ_ONCE(server.stopping))
			return 0;
		if (kernel_accept(server.sock, &sock, 0)) {
			if (!READ_ONCE(server.stopping))
				schedule_timeout_idle(RETRY_TIME);
			continue;
		}
		if (open(sock)) {
			sock_release(sock);
			schedule_timeout_idle(RETRY_TIME);
		}
	}
}

static int start(void)
{
	int err = kernel_listen(server.sock, SOMAXCONN);

	if (err)
		return err;
	acceptor = kthread_create(accept_all, NULL, "bench_httpd_accept");
	if (IS_ERR(acceptor))
		return PTR_ERR(acceptor);
	/* kthread_stop() needs the task_struct, though the acceptor may have ended before */
	get_task_struct(acceptor);
	wake_up_process(acceptor);
	return 0;
}

static void stop(void)
{
	struct client *client;

	kernel_sock_shutdown(server.sock, SHUT_RDWR);
	wake_up(&room);
	kthread_stop(acceptor);
	put_task_struct(acceptor);
	sock_release(server.sock);

	mutex_lock(&clients_lock);
	list_for_each_entry(client, &clients, node)
		kernel_sock_shutdown(client->conn.sock, SHUT_RDWR);
	mutex_unlock(&clients_lock);
	while (nr_started--)
		wait_for_completion(&ended);
}

const struct style style_thread = { .name = "thread", .start = start, .stop = stop };
