// SPDX-License-Identifier: GPL-2.0
/*
 * wpool_bench: wpool beside what the kernel has for the same job, measured in one
 * boot. Two files in debugfs:
 *
 *	/sys/kernel/debug/wpool_bench/run	write a line: a measurement is made
 *	/sys/kernel/debug/wpool_bench/result	its figures, a line of JSON
 *
 * The write returns when the measurement is done, with its error if it failed.
 * One at a time. What there is to measure, and with which parameters, stands at
 * the top of each file; all of them take c2c=1, see c2c.c.
 *
 * Built into a kernel, it makes the measurements of wpool_bench.plan, separated
 * by semicolons, at boot, and puts the results into the log.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "bench.h"
#include "mark.h"

static const struct bench_case cases[] = {
	{ "noop", bench_noop },
	{ "invoke", bench_invoke },
	{ "latency", bench_latency },
	{ "wakeup", bench_wakeup },
	{ "busy", bench_busy },
	{ "tree", bench_tree },
	{ "sleep", bench_sleep },
	{ "each", bench_each },
	{ "mix", bench_mix },
	{ "recycle", bench_recycle },
	{ "pools", bench_pools },
	{ "multi", bench_multi },
	{ "memory", bench_memory },
	{ "quiet", bench_quiet },
	{ "destroy", bench_destroy },
	{ "burst", bench_burst },
	{ "client", bench_client },
	{ "cycle", bench_cycle },
	{ "call", bench_call },
	{ "alloc", bench_alloc },
	{ "submit_fn", bench_submit_fn },
	{ "compute", bench_compute },
	{ "timer", bench_timer },
	{ "full", bench_full },
	{ "order", bench_order },
	{ "pipeline", bench_pipeline },
	{ "pair", bench_pair },
	{ "crowd", bench_crowd },
	{ "beside", bench_beside },
	{ "paths", bench_paths },
	{ "event_wheel", bench_event_wheel },
	{ "event_armed", bench_event_armed },
	{ "event_fire", bench_event_fire },
};

static DEFINE_MUTEX(run_mutex);	/* one measurement at a time, and its result */
static struct bench_run last_run;

static int measure_case(struct bench_run *run, const struct bench_case *one)
{
	bool c2c = bench_num(run, "c2c", 0);
	int err;

	if (c2c)
		bench_put(run, "c2c_before_ns", bench_c2c_ns());
	err = one->run(run);
	if (c2c)
		bench_put(run, "c2c_after_ns", bench_c2c_ns());
	return err;
}

static int measure(const char *line)
{
	int err, i;

	kfree(last_run.json);
	err = bench_run_parse(&last_run, line);
	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (strcmp(last_run.words[0], cases[i].name))
			continue;
		err = measure_case(&last_run, &cases[i]);
		bench_run_end(&last_run);
		/* the emulator's plugin may have counted */
		bench_mark_text("report ", line);
		return err;
	}
	return -ENOENT;
}

static ssize_t run_write(struct file *file, const char __user *buf, size_t len,
			 loff_t *pos)
{
	char *line;
	int err;

	if (len >= BENCH_LINE_LEN)
		return -E2BIG;
	line = memdup_user_nul(buf, len);
	if (IS_ERR(line))
		return PTR_ERR(line);
	mutex_lock(&run_mutex);
	err = measure(strim(line));
	if (err)
		last_run.len = 0;
	mutex_unlock(&run_mutex);
	kfree(line);
	return err ?: len;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = run_write,
	.llseek = noop_llseek,
};

static ssize_t result_read(struct file *file, char __user *buf, size_t len,
			   loff_t *pos)
{
	ssize_t n;

	mutex_lock(&run_mutex);
	n = simple_read_from_buffer(buf, len, pos, last_run.json, last_run.len);
	mutex_unlock(&run_mutex);
	return n;
}

static const struct file_operations result_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = result_read,
	.llseek = default_llseek,
};

static struct dentry *dir;

#ifndef MODULE
static char plan[4096];
module_param_string(plan, plan, sizeof(plan), 0444);

/* After the log there is nothing that this kernel is for. */
static void run_plan(void)
{
	char *rest = plan, *line;
	int err;

	while ((line = strsep(&rest, ";"))) {
		if (!*line)
			continue;
		err = measure(strim(line));
		if (err)
			pr_info("wpool_bench: failed %d: %s\n", err, line);
		else
			pr_info("wpool_bench: %s", last_run.json);
	}
	if (!*plan)
		return;
	pr_info("wpool_bench: end\n");
	kernel_power_off();
}
#else
static void run_plan(void)
{
}
#endif

static int __init bench_init(void)
{
	run_plan();
	dir = debugfs_create_dir("wpool_bench", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	debugfs_create_file("result", 0400, dir, NULL, &result_fops);
	return 0;
}

static void __exit bench_exit(void)
{
	debugfs_remove(dir);
	kfree(last_run.json);
}

late_initcall(bench_init);
module_exit(bench_exit);

MODULE_DESCRIPTION("Benchmark of wpool and its peers");
MODULE_LICENSE("GPL");
