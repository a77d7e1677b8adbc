// SPDX-License-Identifier: GPL-2.0
/*
 * debugfs: tables that say more about a pool than one value per file can.
 *
 * Nothing here is an interface to rely on, and nothing here is called by the
 * pool: a class interface is told by the driver core when a device of our class
 * comes and goes, and makes and removes the directory then.
 *
 *   - A directory exists only while its device does, so the pool does, too.
 *   - Removing a directory waits for its readers, under the class's mutex: a
 *     reader takes no lock under which devices are added or removed.
 *   - An open file pins the module; once its pool is gone it reads as -EIO.
 */
#include "debugfs.h"

#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/seq_file.h>
#include <linux/wpool.h>

#include "compat.h"
#include "pool.h"
#include "stats.h"

static struct dentry *wpool_debugfs_root;

/* ---- cpus: a row for each CPU ---------------------------------------------- */

static bool is_blank(const struct wpool_cpu_stats *stats)
{
	return !stats->workers && !stats->queued && !stats->submitted &&
	       !stats->completed && !stats->stolen;
}

static int cpus_show(struct seq_file *seq, void *unused)
{
	struct wpool_cpu_stats stats;
	int cpu;

	seq_printf(seq, "%5s %8s %8s %8s %12s %12s %12s\n", "cpu", "workers",
		   "idle", "queued", "submitted", "completed", "stolen");
	for_each_possible_cpu(cpu) {
		wpool_get_cpu_stats(seq->private, cpu, &stats);
		/* A CPU that went away keeps what was counted on it. */
		if (!cpu_online(cpu) && is_blank(&stats))
			continue;
		seq_printf(seq, "%5d %8u %8u %8u %12llu %12llu %12llu\n", cpu,
			   stats.workers, stats.idle, stats.queued,
			   stats.submitted, stats.completed, stats.stolen);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cpus);

/* ---- workers: a row for each worker ---------------------------------------- */

static void show_worker(const struct wpool_worker_info *info, void *data)
{
	struct seq_file *seq = data;

	seq_printf(seq, "%7d %5d ", info->pid, info->cpu);
	if (info->func)
		seq_printf(seq, "%-9s %ps\n", "busy", info->func);
	else
		seq_printf(seq, "%-9s -\n", info->idle ? "idle" : "searching");
}

static int workers_show(struct seq_file *seq, void *unused)
{
	seq_printf(seq, "%7s %5s %-9s %s\n", "pid", "cpu", "state", "function");
	wpool_workers_show(seq->private, show_worker, seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(workers);

/* ---- latency: a row for each bucket that is not empty ----------------------- */

static int latency_show(struct seq_file *seq, void *unused)
{
	struct wpool_stats stats;
	int i;

	wpool_get_stats(seq->private, &stats);
	seq_printf(seq, "%12s %12s %12s\n", "from_ns", "below_ns", "tasks");
	for (i = 0; i < WPOOL_HIST_BUCKETS; i++) {
		if (stats.latency_ns[i])
			seq_printf(seq, "%12llu %12llu %12llu\n", BIT_ULL(i),
				   BIT_ULL(i + 1), stats.latency_ns[i]);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(latency);

/* ---- a directory for each pool --------------------------------------------- */

static int add_pool(COMPAT_INTERFACE_ARGS)
{
	struct wpool *pool = dev_get_drvdata(dev);
	struct dentry *dir;

	dir = debugfs_create_dir(dev_name(dev), wpool_debugfs_root);
	debugfs_create_file("cpus", 0444, dir, pool, &cpus_fops);
	debugfs_create_file("workers", 0444, dir, pool, &workers_fops);
	debugfs_create_file("latency", 0444, dir, pool, &latency_fops);
	return 0;
}

static void remove_pool(COMPAT_INTERFACE_ARGS)
{
	debugfs_lookup_and_remove(dev_name(dev), wpool_debugfs_root);
}

static struct class_interface wpool_debugfs_interface = {
	.add_dev = add_pool,
	.remove_dev = remove_pool,
};

void wpool_debugfs_init(void)
{
	wpool_debugfs_root = debugfs_create_dir("wpool", NULL);
	wpool_debugfs_interface.class = &wpool_class;
	if (class_interface_register(&wpool_debugfs_interface))
		wpool_debugfs_interface.class = NULL;
}

void wpool_debugfs_exit(void)
{
	/* Does nothing to an interface without a class. */
	class_interface_unregister(&wpool_debugfs_interface);
	debugfs_remove(wpool_debugfs_root);
}
