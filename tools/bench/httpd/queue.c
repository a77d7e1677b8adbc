// SPDX-License-Identifier: GPL-2.0
/*
 * Each connection has a work item. The socket's callbacks queue the item, and its function takes a
 * step of the connection, as the event's function in the sample does. Another item, accept_work,
 * accepts connections.
 *
 * A request does not postpone the connection's timer: when the timer expires, idle() checks for a
 * later deadline. close() first detaches the callbacks and deletes the timer, so that nothing
 * queues the item any more. Then it cancels the item, which may be queued.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <net/sock.h>
#include <net/tcp.h>
#include <net/tcp_states.h>

#include "../module/compat.h"
#include "conn.h"
#include "style.h"

/* accept() queues itself again after this number of connections, so that other works run. */
#define MAX_ACCEPTS	64

#define RETRY_TIME	(HZ / 10)

struct session {
	struct work_struct work;
	struct timer_list timer;
	int cpu;				/* where the item is queued */
	bool timed_out;				/* lockless: READ_ONCE(), WRITE_ONCE() */
	struct list_head node;			/* under server.lock */
	void (*state_change)(struct sock *sk);	/* the socket's original callbacks */
	void (*write_space)(struct sock *sk);
	struct conn conn;
};

static struct workqueue_struct *queue;
static bool is_percpu;

static void accept(struct work_struct *work);
static DECLARE_DELAYED_WORK(accept_work, accept);

static void queue_accept(unsigned long delay)
{
	mod_delayed_work(queue, &accept_work, delay);
}

static void fire(struct session *session)
{
	queue_work_on(session->cpu, queue, &session->work);
}

/* ---- the socket's callbacks ---- */

static void fire_sock(struct sock *sk)
{
	read_lock_bh(&sk->sk_callback_lock);
	if (sk->sk_user_data)
		fire(sk->sk_user_data);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void data_ready(struct sock *sk)
{
	fire_sock(sk);
}

static void state_change(struct sock *sk)
{
	fire_sock(sk);
}

static void write_space(struct sock *sk)
{
	struct socket *sock = sk->sk_socket;

	if (!sk_stream_is_writeable(sk))
		return;
	if (sock)
		clear_bit(SOCK_NOSPACE, &sock->flags);
	fire_sock(sk);
}

/* Queues the item for the first time. After the unlock the item may have freed @session. */
static void attach(struct session *session)
{
	struct sock *sk = session->conn.sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	session->state_change = sk->sk_state_change;
	session->write_space = sk->sk_write_space;
	sk->sk_user_data = session;
	sk->sk_data_ready = data_ready;
	sk->sk_state_change = state_change;
	sk->sk_write_space = write_space;
	fire(session);
	write_unlock_bh(&sk->sk_callback_lock);
}

static void detach(struct session *session)
{
	struct sock *sk = session->conn.sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_user_data = NULL;
	sk->sk_data_ready = server.data_ready;
	sk->sk_state_change = session->state_change;
	sk->sk_write_space = session->write_space;
	write_unlock_bh(&sk->sk_callback_lock);
}

/* ---- a connection ---- */

static void idle(struct timer_list *timer)
{
	struct session *session = container_of(timer, struct session, timer);
	unsigned long deadline = READ_ONCE(session->conn.deadline);

	if (time_before(jiffies, deadline)) {
		mod_timer(timer, deadline);
		return;
	}
	WRITE_ONCE(session->timed_out, true);
	fire(session);
}

static void put_server(void)
{
	if (refcount_dec_and_test(&server.users))
		complete(&server.unused);
}

/* Only the item's function calls this. */
static void close(struct session *session)
{
	spin_lock(&server.lock);
	list_del(&session->node);
	spin_unlock(&server.lock);
	detach(session);
	timer_delete_sync(&session->timer);
	/* nothing queues the item any more, but it may have been queued before */
	cancel_work(&session->work);

	sock_release(session->conn.sock);
	kfree(session);
	if (atomic_dec_return(&server.nr_conns) == server.max_connections - 1)
		queue_accept(0);
	put_server();
}

static void run(struct work_struct *work)
{
	struct session *session = container_of(work, struct session, work);
	enum conn_next next = CONN_END;

	if (READ_ONCE(session->timed_out))
		atomic_long_inc(&server.timed_out);
	else if (!READ_ONCE(server.stopping))
		next = conn_step(&session->conn);

	if (next == CONN_WAIT)
		timer_reduce(&session->timer, session->conn.deadline);
	else if (next == CONN_AGAIN)
		fire(session);
	else
		close(session);
}

/* Spread connections over the CPUs, wherever their packets arrive. */
static int next_cpu(void)
{
	static int last = -1;	/* only the accept work uses it */

	if (!is_percpu)
		return WORK_CPU_UNBOUND;
	last = cpumask_next(last, cpu_online_mask);
	if (last >= nr_cpu_ids)
		last = cpumask_first(cpu_online_mask);
	return last;
}

static int open(struct socket *sock)
{
	struct session *session = kzalloc(sizeof(*session), GFP_KERNEL);

	if (!session)
		return -ENOMEM;
	conn_init(&session->conn, &server, sock);
	INIT_WORK(&session->work, run);
	timer_setup(&session->timer, idle, 0);
	session->cpu = next_cpu();
	refcount_inc(&server.users);
	atomic_inc(&server.nr_conns);
	atomic_long_inc(&server.accepted);
	spin_lock(&server.lock);
	list_add(&session->node, &server.conns);
	spin_unlock(&server.lock);
	attach(session);
	return 0;
}

/* ---- accepting ---- */

static void listen_ready(struct sock *sk)
{
	read_lock_bh(&sk->sk_callback_lock);
	/* sk may be a connection that is not accepted yet: it inherits the callback and the data */
	if (sk->sk_user_data && sk->sk_state == TCP_LISTEN)
		queue_accept(0);
	read_unlock_bh(&sk->sk_callback_lock);
}

static int accept_one(void)
{
	struct socket *sock;
	int err;

	err = kernel_accept(server.sock, &sock, O_NONBLOCK);
	if (err)
		return err;
	tcp_sock_set_nodelay(sock->sk);
	err = open(sock);
	if (err)
		sock_release(sock);
	return err;
}

static void accept(struct work_struct *work)
{
	int i, err;

	for (i = 0; i < MAX_ACCEPTS; i++) {
		if (READ_ONCE(server.stopping) ||
		    atomic_read(&server.nr_conns) >= server.max_connections)
			return;
		err = accept_one();
		if (err == -EAGAIN)
			return;
		if (err && err != -ECONNABORTED) {
			queue_accept(RETRY_TIME);
			return;
		}
	}
	queue_accept(0);
}

static int start_on(struct workqueue_struct *wq)
{
	struct sock *sk = server.sock->sk;
	int err;

	if (!wq)
		return -ENOMEM;
	queue = wq;
	write_lock_bh(&sk->sk_callback_lock);
	server.data_ready = sk->sk_data_ready;
	sk->sk_user_data = &server;
	sk->sk_data_ready = listen_ready;
	write_unlock_bh(&sk->sk_callback_lock);
	err = kernel_listen(server.sock, SOMAXCONN);
	if (err)
		destroy_workqueue(queue);
	return err;
}

static int start_percpu(void)
{
	is_percpu = true;
	return start_on(alloc_workqueue("bench_httpd", WQ_PERCPU,
					max(1U, workers / num_online_cpus())));
}

static int start_unbound(void)
{
	return start_on(alloc_workqueue("bench_httpd", WQ_UNBOUND, workers));
}

static void stop(void)
{
	struct sock *sk = server.sock->sk;
	struct session *session;

	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_user_data = NULL;
	sk->sk_data_ready = server.data_ready;
	write_unlock_bh(&sk->sk_callback_lock);
	cancel_delayed_work_sync(&accept_work);
	sock_release(server.sock);

	spin_lock(&server.lock);
	while (!list_empty(&server.conns)) {
		session = list_first_entry(&server.conns, struct session, node);
		list_move(&session->node, &server.told);
		fire(session);
		cond_resched_lock(&server.lock);
	}
	spin_unlock(&server.lock);
	put_server();
	wait_for_completion(&server.unused);
	/* the close of the last connection may have queued the accept work */
	cancel_delayed_work_sync(&accept_work);
	destroy_workqueue(queue);
}

const struct style style_percpu = { .name = "percpu", .start = start_percpu, .stop = stop };
const struct style style_unbound = { .name = "unbound", .start = start_unbound, .stop = stop };
