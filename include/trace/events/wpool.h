/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of wpool: what happened to tasks, run queues, workers and pools.
 *
 * Each event has the name of the pool, and the CPU of the run queue that it is about, if any.
 * A task is shown as a number that stands for its address while the module is loaded; two tasks
 * that use the same address one after the other have the same number. A worker is shown as the pid
 * of its thread. Nothing is computed for an event that is off.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM wpool

#if !defined(_TRACE_WPOOL_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_WPOOL_H

#include <linux/ktime.h>
#include <linux/tracepoint.h>
#include <linux/wpool.h>

#ifndef _TRACE_WPOOL_ONCE
#define _TRACE_WPOOL_ONCE
/** wpool_trace_id() - the number of a task in events; see trace.c of wpool */
u32 wpool_trace_id(const void *task);
#endif

/* An event of a pool. Its name is the first argument and the first field. */
#define WPOOL_EVENT(name, proto, args, fields, assign, format, values...)		\
	TRACE_EVENT(name,								\
		TP_PROTO(const char *pool, proto),					\
		TP_ARGS(pool, args),							\
		TP_STRUCT__entry(__array(char, pool, WPOOL_NAME_LEN) fields),		\
		TP_fast_assign(strscpy(__entry->pool, pool, WPOOL_NAME_LEN); assign;),	\
		TP_printk("pool=%s " format, __entry->pool, values)			\
	)

/*
 * A task was accepted. Comes before any worker can start the task. @cpu: CPU whose queue the task
 * goes to.
 */
WPOOL_EVENT(wpool_task_submitted,
	TP_PROTO(int cpu, const void *task, void *func),
	TP_ARGS(cpu, task, func),
	__field(int, cpu)
	__field(u32, task)
	__field(void *, func),
	__entry->cpu = cpu;
	__entry->task = wpool_trace_id(task);
	__entry->func = func,
	"cpu=%d task=%08x func=%ps", __entry->cpu, __entry->task, __entry->func
);

/* An event of a task that a worker runs. A class would have one name for the field @ns. */
#define DEFINE_WPOOL_RUN_EVENT(name, ns)						\
	WPOOL_EVENT(name,								\
		TP_PROTO(int cpu, pid_t worker, const void *task, void *func, u64 ns),	\
		TP_ARGS(cpu, worker, task, func, ns),					\
		__field(int, cpu)							\
		__field(pid_t, worker)							\
		__field(u32, task)							\
		__field(void *, func)							\
		__field(u64, ns),							\
		__entry->cpu = cpu;							\
		__entry->worker = worker;						\
		__entry->task = wpool_trace_id(task);					\
		__entry->func = func;							\
		__entry->ns = ns,							\
		"cpu=%d worker=%d task=%08x func=%ps " #ns "=%llu",			\
		__entry->cpu, __entry->worker, __entry->task, __entry->func, __entry->ns \
	)

/*
 * A worker is about to call a task's function. @cpu: home of the worker; @wait_ns: time since the
 * submit; 0 unless, at the submit, wpool_task_submitted was on, or the pool's attribute latency or
 * max_wait_ms was set.
 */
DEFINE_WPOOL_RUN_EVENT(wpool_task_started, wait_ns);

/*
 * A task's function has returned. Comes before any waiter of the task is woken, and only for tasks
 * that were started while this event or wpool_task_started was on. @cpu: home of the worker;
 * @task: only a value, as its memory may be gone; @run_ns: time since the start.
 */
DEFINE_WPOOL_RUN_EVENT(wpool_task_finished, run_ns);

/*
 * A task ended but its function did not return. Every submitted task has either this event or
 * wpool_task_finished, before the task is counted out. But a submit of a running task that was
 * cancelled before the task returned has neither.
 *
 * @cpu: CPU that ends the task; @task: only a value, as its memory may be gone; @func: NULL for a
 * detached task whose worker died in another task that ran nested inside it; @status: -ECANCELED:
 * the task did not start; -ETIME: it had waited for longer than max_wait_ms; -EIO: its worker died;
 * -ESHUTDOWN: the task of an event, which a closed pool has refused.
 */
WPOOL_EVENT(wpool_task_dropped,
	TP_PROTO(int cpu, const void *task, void *func, int status),
	TP_ARGS(cpu, task, func, status),
	__field(int, cpu)
	__field(u32, task)
	__field(void *, func)
	__field(int, status),
	__entry->cpu = cpu;
	__entry->task = wpool_trace_id(task);
	__entry->func = func;
	__entry->status = status,
	"cpu=%d task=%08x func=%ps status=%d", __entry->cpu, __entry->task, __entry->func,
	__entry->status
);

/*
 * The function of a task of a group has returned an error. Comes before the task gives its place in
 * the group back, and before wpool_task_finished. wpool_group_wait() returns the first error of the
 * group.
 */
WPOOL_EVENT(wpool_group_task_failed,
	TP_PROTO(void *func, int error),
	TP_ARGS(func, error),
	__field(void *, func)
	__field(int, error),
	__entry->func = func;
	__entry->error = error,
	"func=%ps error=%d", __entry->func, __entry->error
);

/* A task has run for hog_ms without sleeping. @cpu: CPU whose queue goes to another worker. */
WPOOL_EVENT(wpool_task_hogged,
	TP_PROTO(int cpu, pid_t worker, const void *task, void *func),
	TP_ARGS(cpu, worker, task, func),
	__field(int, cpu)
	__field(pid_t, worker)
	__field(u32, task)
	__field(void *, func),
	__entry->cpu = cpu;
	__entry->worker = worker;
	__entry->task = wpool_trace_id(task);
	__entry->func = func,
	"cpu=%d worker=%d task=%08x func=%ps",
	__entry->cpu, __entry->worker, __entry->task, __entry->func
);

/* @nr tasks moved from the queue of CPU @from to that of @cpu. */
WPOOL_EVENT(wpool_tasks_stolen,
	TP_PROTO(int cpu, int from, u32 nr),
	TP_ARGS(cpu, from, nr),
	__field(int, cpu)
	__field(int, from)
	__field(u32, nr),
	__entry->cpu = cpu;
	__entry->from = from;
	__entry->nr = nr,
	"cpu=%d from=%d nr=%u", __entry->cpu, __entry->from, __entry->nr
);

/* Another worker gets the queue of a worker that sleeps in its task. @cpu: CPU of the queue. */
WPOOL_EVENT(wpool_runq_handed_over,
	TP_PROTO(int cpu),
	TP_ARGS(cpu),
	__field(int, cpu),
	__entry->cpu = cpu,
	"cpu=%d", __entry->cpu
);

DECLARE_EVENT_CLASS(wpool_worker,
	TP_PROTO(const char *pool, int cpu, pid_t worker),
	TP_ARGS(pool, cpu, worker),
	TP_STRUCT__entry(
		__array(char, pool, WPOOL_NAME_LEN)
		__field(int, cpu)
		__field(pid_t, worker)
	),
	TP_fast_assign(
		strscpy(__entry->pool, pool, WPOOL_NAME_LEN);
		__entry->cpu = cpu;
		__entry->worker = worker;
	),
	TP_printk("pool=%s cpu=%d worker=%d", __entry->pool, __entry->cpu, __entry->worker)
);

#define DEFINE_WPOOL_WORKER_EVENT(name)						\
	DEFINE_EVENT(wpool_worker, name,						\
		TP_PROTO(const char *pool, int cpu, pid_t worker), TP_ARGS(pool, cpu, worker))

/* A worker joined the idle list. @cpu: home of the worker. */
DEFINE_WPOOL_WORKER_EVENT(wpool_worker_parked);

/* A worker must leave because it was idle for too long. @cpu: home of the worker. */
DEFINE_WPOOL_WORKER_EVENT(wpool_worker_expired);

/*
 * The rescuer of a pool became a worker, since a worker was needed. @cpu: home of the worker; the
 * event is recorded on the CPU that needs the worker.
 */
DEFINE_WPOOL_WORKER_EVENT(wpool_worker_stepped_in);

/*
 * A worker was taken off the idle list, to work or to leave. @cpu: home of the worker; the event is
 * recorded on the CPU that wakes the worker. @since: jiffies when the worker parked; shown as
 * idle_ms, with the precision of a tick.
 */
WPOOL_EVENT(wpool_worker_woken,
	TP_PROTO(int cpu, pid_t worker, unsigned long since),
	TP_ARGS(cpu, worker, since),
	__field(int, cpu)
	__field(pid_t, worker)
	__field(unsigned int, idle_ms),
	__entry->cpu = cpu;
	__entry->worker = worker;
	__entry->idle_ms = jiffies_to_msecs(jiffies - since),
	"cpu=%d worker=%d idle_ms=%u", __entry->cpu, __entry->worker, __entry->idle_ms
);

/*
 * A worker was created. @cpu: home of the worker; @start_ns: when its creation began, or 0; shown
 * as took_ns, the duration of the creation.
 */
WPOOL_EVENT(wpool_worker_spawned,
	TP_PROTO(int cpu, pid_t worker, u64 start_ns),
	TP_ARGS(cpu, worker, start_ns),
	__field(int, cpu)
	__field(pid_t, worker)
	__field(u64, took_ns),
	__entry->cpu = cpu;
	__entry->worker = worker;
	__entry->took_ns = start_ns ? ktime_get_mono_fast_ns() - start_ns : 0,
	"cpu=%d worker=%d took_ns=%llu", __entry->cpu, __entry->worker, __entry->took_ns
);

/* A submit found no room for @nr tasks. @policy says what happens to the submitter. */
WPOOL_EVENT(wpool_pool_overloaded,
	TP_PROTO(u32 nr, int policy),
	TP_ARGS(nr, policy),
	__field(u32, nr)
	__field(int, policy),
	__entry->nr = nr;
	__entry->policy = policy,
	"nr=%u policy=%s", __entry->nr,
	__print_symbolic(__entry->policy, { 0, "block" }, { 1, "fail" }, { 2, "run" },
			 { 3, "drop_oldest" })
);

#endif /* _TRACE_WPOOL_H */

/* must be outside the guard */
#include <trace/define_trace.h>
