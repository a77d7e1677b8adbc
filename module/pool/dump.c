// SPDX-License-Identifier: GPL-2.0
/*
 * Printing pools, see dump.h. Tasks of a ring may be taken, and freed, while this file reads them.
 * So it reads only their flags and functions, with get_kernel_nofault(), which survives a fault.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "pool/dump.h"

#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/nmi.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched/debug.h>
#include <linux/seq_file.h>
#include <linux/sysrq.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "core/queued.h"
#include "core/registry.h"
#include "core/runqs.h"
#include "core/sched.h"
#include "core/state.h"
#include "core/trace.h"
#include "core/why.h"
#include "pool/stats.h"
#include "task/state.h"
#include "task/waiters.h"

/* Limits of the log. In debugfs only MAX_TASKS, for each queue, and MAX_WAITERS apply. */
#define MAX_POOLS	32
#define MAX_QUEUES	32
#define MAX_TASKS	4
#define MAX_WAITERS	4
#define MAX_WORKERS	16
#define MAX_STACKS	8

static bool dump_on_panic;
module_param(dump_on_panic, bool, 0644);
MODULE_PARM_DESC(dump_on_panic, "print all pools when the kernel panics (default: N)");

__printf(2, 3)
static void print_line(struct seq_file *seq, const char *fmt, ...)
{
	struct va_format vaf;
	va_list args;

	va_start(args, fmt);
	vaf.fmt = fmt;
	vaf.va = &args;
	if (seq)
		seq_printf(seq, "%pV\n", &vaf);
	else
		pr_info("%pV\n", &vaf);
	va_end(args);
}

/* ---- queues ---- */

/* The functions of the first tasks of a queue. */
struct names {
	void *func[MAX_TASKS];
	int nr;
};

static void add_name(struct names *names, struct wpool_task *task)
{
	u8 flags;

	if (names->nr < MAX_TASKS && task && !get_kernel_nofault(flags, &task->flags) &&
	    !get_kernel_nofault(names->func[names->nr], wpool_trace_func_at(task, flags)))
		names->nr++;
}

static void add_fifo_names(struct names *names, struct wpool_fifo *fifo)
{
	struct wpool_task *task;
	unsigned long flags;

	local_irq_save(flags);
	if (raw_spin_trylock(&fifo->lock)) {
		list_for_each_entry(task, &fifo->tasks, node) {
			if (names->nr == MAX_TASKS)
				break;
			add_name(names, task);
		}
		raw_spin_unlock(&fifo->lock);
	}
	local_irq_restore(flags);
}

static void add_runq_names(struct names *names, struct wpool_runq *rq)
{
	u32 head = wpool_ring_head(&rq->ring), nr = wpool_ring_len(&rq->ring), i;

	add_fifo_names(names, &rq->backlog);
	for (i = 0; i < min(nr, MAX_TASKS); i++)
		add_name(names, READ_ONCE(*wpool_ring_slot(&rq->ring, head + i)));
	add_name(names, READ_ONCE(rq->next));
}

static void dump_queue(struct seq_file *seq, const char *what, u32 nr, u32 jiffy,
		       const struct names *names)
{
	char text[256] = "";
	int len = 0, i;

	for (i = 0; i < names->nr; i++)
		len += scnprintf(text + len, sizeof(text) - len, "%s%ps", i ? ", " : " ",
				 names->func[i]);
	print_line(seq, "  %s: %u tasks, the first for %u ms:%s", what, nr,
		   jiffies_to_msecs((u32)jiffies - jiffy), text);
}

static void dump_fifo(struct wpool_fifo *fifo, const char *what, struct seq_file *seq)
{
	struct names names = { };
	u32 jiffy;

	if (!wpool_fifo_first(fifo, &jiffy))
		return;
	add_fifo_names(&names, fifo);
	dump_queue(seq, what, wpool_fifo_len(fifo), jiffy, &names);
}

static void dump_queues(struct wpool *pool, struct seq_file *seq)
{
	struct wpool_runq *rq;
	int n = 0, cpu;

	dump_fifo(&pool->globq, "the global queue", seq);
	dump_fifo(&pool->urgent, "the urgent tasks", seq);
	wpool_for_each_runq(pool, rq, cpu) {
		u32 nr = wpool_runq_len(rq), jiffy;
		struct names names = { };
		char what[24];

		if (!nr)
			continue;
		if (!seq && n++ == MAX_QUEUES) {
			print_line(seq, "  and more queues");
			return;
		}
		add_runq_names(&names, rq);
		snprintf(what, sizeof(what), "queue of CPU %d", cpu);
		if (wpool_runq_first(rq, &jiffy))
			dump_queue(seq, what, nr, jiffy, &names);
		else if (names.nr)
			/* the next slot has no time */
			print_line(seq, "  %s: next task: %ps", what, names.func[0]);
	}
}

static void dump_waiters(struct wpool *pool, struct seq_file *seq)
{
	struct task_struct *threads[MAX_WAITERS];
	void *funcs[MAX_WAITERS];
	struct wpool_task *entry;
	unsigned long flags;
	int n = 0, i;

	if (!READ_ONCE(pool->admission.nr_waiting))
		return;
	local_irq_save(flags);
	if (!raw_spin_trylock(&pool->admission.lock)) {
		local_irq_restore(flags);
		print_line(seq, "  the line: it is being changed");
		return;
	}
	list_for_each_entry(entry, &pool->admission.waiters, node) {
		if (n == MAX_WAITERS)
			break;
		threads[n] = wpool_task_is_event(entry) ? NULL :
			     container_of(entry, struct wpool_waiter, entry)->thread;
		funcs[n++] = wpool_trace_func(entry);
	}
	raw_spin_unlock(&pool->admission.lock);
	local_irq_restore(flags);
	/* print without the lock; RCU keeps the threads */
	for (i = 0; i < n; i++) {
		if (threads[i])
			print_line(seq, "  in line: %s, pid %d", threads[i]->comm, threads[i]->pid);
		else
			print_line(seq, "  in line: an event or a strand, %ps", funcs[i]);
	}
}

static void dump_workers(struct wpool *pool, struct seq_file *seq)
{
	struct wpool_worker_info info;
	struct wpool_worker *w;
	int n = 0;

	list_for_each_entry_rcu(w, &pool->workers.list, node) {
		wpool_worker_fill_info(pool, w, &info);
		if (!info.task)
			continue;
		if (!seq && n == MAX_WORKERS) {
			print_line(seq, "  and more workers");
			return;
		}
		print_line(seq, "  worker %d at home on CPU %d, last on %d: %s, %lld ms, in %ps",
			   info.pid, info.cpu, info.last_cpu, info.doing,
			   info.since_ns < 0 ? -1 : info.since_ns / (s64)NSEC_PER_MSEC, info.func);
		if (!seq && n++ < MAX_STACKS)
			sched_show_task(w->thread);
	}
}

void wpool_dump(struct wpool *pool, struct seq_file *seq)
{
	u32 capacity = READ_ONCE(pool->capacity), depth = READ_ONCE(pool->queue_depth);
	char limits[2][12], why[WPOOL_WHY_BYTES];

	rcu_read_lock();
	snprintf(limits[0], sizeof(limits[0]), capacity == WPOOL_UNLIMITED ? "max" : "%u",
		 capacity);
	snprintf(limits[1], sizeof(limits[1]), depth == WPOOL_UNLIMITED ? "max" : "%u", depth);
	print_line(seq, "pool %s: %s, capacity %s, queue_depth %s", pool->name,
		   wpool_state_name(READ_ONCE(pool->state)), limits[0], limits[1]);
	print_line(seq, "  %u workers, %u in tasks, %d searching, %u tasks queued, %u waiting",
		   READ_ONCE(pool->nr_workers), wpool_workers_in(pool, NULL),
		   atomic_read(&pool->nr_searching), wpool_queues_len(pool),
		   READ_ONCE(pool->admission.nr_waiting));
	dump_queues(pool, seq);
	dump_waiters(pool, seq);
	dump_workers(pool, seq);
	wpool_why(pool, why, sizeof(why));
	print_line(seq, "  why: %s", why);
	rcu_read_unlock();
}

/* *@left: how many more pools may be dumped. Returns true if the pool was left out. */
static bool dump_to_log(struct wpool *pool, void *left)
{
	if (!*(u32 *)left)
		return true;
	--*(u32 *)left;
	wpool_dump(pool, NULL);
	/* printing many pools to a slow console with interrupts off is no lockup */
	touch_nmi_watchdog();
	return false;
}

static void dump_all(void)
{
	u32 left = MAX_POOLS;

	if (wpool_pools_walk_rcu(dump_to_log, &left))
		print_line(NULL, "more pools");
}

/* ---- sysrq and panic ---- */

static void sysrq_dump(COMPAT_SYSRQ_KEY key)
{
	dump_all();
}

static const struct sysrq_key_op sysrq_op = {
	.handler = sysrq_dump,
	.help_msg = "show-wpools(x)",
	.action_msg = "Show all worker pools",
	.enable_mask = SYSRQ_ENABLE_DUMP,
};

static int panic_dump(struct notifier_block *block, unsigned long event, void *data)
{
	if (READ_ONCE(dump_on_panic))
		dump_all();
	return NOTIFY_DONE;
}

static struct notifier_block panic_block = {
	.notifier_call = panic_dump,
};

int wpool_dump_init(void)
{
	atomic_notifier_chain_register(&panic_notifier_list, &panic_block);
	if (!register_sysrq_key('x', &sysrq_op))
		pr_info("sysrq-x prints all pools\n");
	return 0;
}

void wpool_dump_exit(void)
{
	/* does nothing if the key is another module's */
	unregister_sysrq_key('x', &sysrq_op);
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_block);
}
