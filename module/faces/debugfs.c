// SPDX-License-Identifier: GPL-2.0
/*
 * debugfs: tables that say more about the pools than one value per file can.
 *
 * Nothing here is a stable interface, and no code of a pool calls this file. A table has the lines
 * of all pools: debugfs files for each pool would take 900 bytes a file.
 *
 * A show function, except that of dump, holds the mutex of all pools while it walks them. Meanwhile
 * it waits neither for memory nor for the program that reads.
 */
#include "faces/debugfs.h"

#include <linux/debugfs.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/uio.h>

#include "core/freeze.h"
#include "core/monitor_timer.h"
#include "core/queued.h"
#include "core/registry.h"
#include "core/state.h"
#include "core/trace.h"
#include "pool/dump.h"
#include "pool/stats.h"
#include "workers/freezer.h"

static struct dentry *wpool_debugfs_root;

/* ---- cpus: a row for each queue ---------------------------------------------- */

static bool is_blank(const struct wpool_cpu_stats *stats)
{
	return !stats->workers && !stats->queued && !stats->submitted &&
	       !stats->completed && !stats->stolen;
}

static void show_cpus(struct wpool *pool, void *data)
{
	struct wpool_cpu_stats stats;
	struct seq_file *seq = data;
	int cpu;

	for_each_possible_cpu(cpu) {
		wpool_get_cpu_stats(pool, cpu, &stats);
		/* a CPU that went offline keeps its counts */
		if (!cpu_online(cpu) && is_blank(&stats))
			continue;
		seq_printf(seq, "%-15s %5d %8u %8u %8u %12llu %12llu %12llu\n",
			   pool->name, cpu, stats.workers, stats.idle,
			   stats.queued, stats.submitted, stats.completed,
			   stats.stolen);
	}
	/* a row for the global queue and the urgent tasks together */
	seq_printf(seq, "%-15s %5s %8s %8s %8u %12s %12s %12s\n", pool->name, "all",
		   "-", "-", wpool_shared_len(pool), "-", "-", "-");
}

static int cpus_show(struct seq_file *seq, void *unused)
{
	seq_printf(seq, "%-15s %5s %8s %8s %8s %12s %12s %12s\n", "pool", "cpu",
		   "workers", "idle", "queued", "submitted", "completed", "stolen");
	wpool_pools_walk(show_cpus, seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cpus);

static void show_worker(struct wpool *pool, struct wpool_worker *w, struct seq_file *seq)
{
	struct wpool_worker_info info;

	wpool_worker_fill_info(pool, w, &info);
	seq_printf(seq, "%-15s %7d %5d %5d %-9s ", pool->name, info.pid, info.cpu,
		   info.last_cpu, info.doing);
	if (info.since_ns < 0)
		seq_printf(seq, "%10s ", "-");
	else
		seq_printf(seq, "%10llu ", info.since_ns / NSEC_PER_MSEC);
	if (info.task)
		seq_printf(seq, "%08x %ps\n", wpool_trace_id(info.task), info.func);
	else
		seq_printf(seq, "%8s -\n", "-");
}

static void show_workers(struct wpool *pool, void *data)
{
	struct wpool_worker *w;

	rcu_read_lock();
	list_for_each_entry_rcu(w, &pool->workers.list, node)
		show_worker(pool, w, data);
	rcu_read_unlock();
}

static int workers_show(struct seq_file *seq, void *unused)
{
	seq_printf(seq, "%-15s %7s %5s %5s %-9s %10s %8s %s\n", "pool", "pid", "cpu",
		   "last", "state", "since_ms", "task", "function");
	wpool_pools_walk(show_workers, seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(workers);

static bool show_dump(struct wpool *pool, void *data)
{
	wpool_dump(pool, data);
	return false;
}

static int dump_show(struct seq_file *seq, void *unused)
{
	/* without the mutex, whose holder may be what the user looks for */
	wpool_pools_walk_rcu(show_dump, seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(dump);

/* ---- costs: a row for each function ------------------------------------------ */

#define MAX_COSTS	128

struct costs {
	struct seq_file *seq;
	struct wpool_cost cost[MAX_COSTS];
};

static void show_costs(struct wpool *pool, void *data)
{
	struct costs *costs = data;
	int nr = wpool_get_costs(pool, costs->cost, MAX_COSTS), i;

	for (i = 0; i < nr; i++) {
		const struct wpool_cost *cost = &costs->cost[i];

		seq_printf(costs->seq, "%-15s %12llu %15llu %15llu %15llu %12llu ", pool->name,
			   cost->runs, cost->wait_ns, cost->run_ns, cost->cpu_ns,
			   cost->worst_ns);
		if (cost->func)
			seq_printf(costs->seq, "%ps\n", cost->func);
		else
			seq_puts(costs->seq, "others\n");
	}
}

static int costs_show(struct seq_file *seq, void *unused)
{
	struct costs *costs = kvmalloc(sizeof(*costs), GFP_KERNEL);

	if (!costs)
		return -ENOMEM;
	costs->seq = seq;
	seq_printf(seq, "%-15s %12s %15s %15s %15s %12s %s\n", "pool", "runs", "wait_ns",
		   "run_ns", "cpu_ns", "worst_ns", "function");
	wpool_pools_walk(show_costs, costs);
	kvfree(costs);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(costs);

/* ---- timers: a row for each timer that is pending ---------------------------- */

static void show_expiry(struct wpool *pool, void *data)
{
	if (timer_pending(&pool->workers.expiry_timer))
		seq_printf(data, "%-15s expiry\n", pool->name);
}

static int timers_show(struct seq_file *seq, void *unused)
{
	seq_printf(seq, "%-15s timer\n", "pool");
	if (wpool_monitor_timer_is_pending())
		seq_printf(seq, "%-15s monitor\n", "-");
	wpool_pools_walk(show_expiry, seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(timers);

/* ---- frozen: freezes the pools like a suspend, but without a suspend ------------- */

static int frozen_show(struct seq_file *seq, void *unused)
{
	seq_printf(seq, "%d\n", READ_ONCE(wpool_freeze_is_on));
	return 0;
}

static int frozen_open(struct inode *inode, struct file *file)
{
	return single_open(file, frozen_show, NULL);
}

/* For .write_iter rather than .write, so that tests in the kernel can call it. */
static ssize_t frozen_write(struct kiocb *iocb, struct iov_iter *from)
{
	struct dentry *dentry = iocb->ki_filp->f_path.dentry;
	size_t count = iov_iter_count(from);
	char text[4] = { };
	bool on;
	int err;

	if (count >= sizeof(text))
		return -EINVAL;
	if (!copy_from_iter_full(text, count, from))
		return -EFAULT;
	err = kstrtobool(text, &on) ?: debugfs_file_get(dentry);
	if (err)
		return err;
	err = wpool_freezer_hold(on);
	debugfs_file_put(dentry);
	return err ?: count;
}

static const struct file_operations frozen_fops = {
	.owner = THIS_MODULE,
	.open = frozen_open,
	.read_iter = seq_read_iter,
	.write_iter = frozen_write,
	.llseek = seq_lseek,
	.release = single_release,
};

int wpool_debugfs_init(void)
{
	struct dentry *dir = debugfs_create_dir("wpool", NULL);

	debugfs_create_file("cpus", 0444, dir, NULL, &cpus_fops);
	debugfs_create_file("workers", 0444, dir, NULL, &workers_fops);
	debugfs_create_file("dump", 0400, dir, NULL, &dump_fops);
	debugfs_create_file("costs", 0444, dir, NULL, &costs_fops);
	debugfs_create_file("timers", 0444, dir, NULL, &timers_fops);
	debugfs_create_file_unsafe("frozen", 0600, dir, NULL, &frozen_fops);
	wpool_debugfs_root = dir;
	return 0;
}

void wpool_debugfs_exit(void)
{
	debugfs_remove(wpool_debugfs_root);
}
