// SPDX-License-Identifier: GPL-2.0
/*
 * wpool_bench: measures wpool and the kernel's mechanisms for the same purpose, in one boot. Two
 * files in debugfs:
 *
 *	/sys/kernel/debug/wpool_bench/run	writing a line makes a measurement
 *	/sys/kernel/debug/wpool_bench/result	its figures, a line of JSON
 *
 * The write returns when the measurement is done, with -errno if the measurement failed. One
 * measurement runs at a time. The top of each file describes its measurements and their parameters;
 * all of them take c2c=1, see c2c.c.
 *
 * If the module is built into a kernel, it makes the measurements of wpool_bench.plan at boot, and
 * writes the results to the log. Semicolons separate the measurements.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "bench.h"
#include "mark.h"

static const struct bench_case *const cases[] = {
	&bench_noop, &bench_latency, &bench_wakeup, &bench_tree, &bench_sleep,
	&bench_each, &bench_mix, &bench_recycle, &bench_pools, &bench_destroy, &bench_multi,
	&bench_memory, &bench_quiet, &bench_burst, &bench_client, &bench_cycle, &bench_call,
	&bench_alloc, &bench_submit_fn, &bench_invoke, &bench_compute, &bench_timer,
	&bench_arrivals, &bench_full, &bench_order, &bench_pipeline, &bench_pair, &bench_crowd,
	&bench_beside, &bench_paths, &bench_event_wheel, &bench_event_armed, &bench_event_fire,
	&bench_off,
};

static DEFINE_MUTEX(run_mutex);	/* protects a measurement and its result */
static struct bench_run last_run;

/* ---- a case ---- */

static int make_pool(struct bench *b)
{
	u64 i;
	int err;

	if (!b->items)
		b->items = bench_zalloc(b, b->nr_items, sizeof(*b->items));
	if (b->run->no_memory)
		return -ENOMEM;
	err = bench_pool_create(&b->pool, b->run, b->fn);
	if (err)
		return err;
	b->pool.detached |= b->detached;
	bench_items_init(&b->pool, b->items, b->nr_items);
	for (i = 0; i < b->nr_items; i++)
		b->items[i].data = b;
	return 0;
}

static int take_parameters(struct bench *b, struct bench_run *run, const struct bench_case *one)
{
	b->run = run;
	b->fn = one->fn;
	b->n = bench_num(run, "n", one->n ?: 1000);
	b->nr_items = b->n;
	b->producers = bench_num(run, "producers", 1);
	b->first_cpu = bench_num(run, "first", 0);
	b->cpu_step = bench_num(run, "step", 1);
	b->batch = bench_num(run, "batch", 0);
	return b->n && b->producers ? 0 : -EINVAL;
}

static int run_in_pool(struct bench *b, const struct bench_case *one)
{
	int err = one->ready ? one->ready(b) : 0, i;

	if (!err && b->run->no_memory)
		err = -ENOMEM;
	if (!err && b->fn && b->batch && !b->pool.peer->submit_batch)
		err = -EINVAL;
	if (err) {
		if (b->fn)
			bench_pool_destroy(&b->pool);
		return err;
	}
	err = one->measure(b);
	if (err) {
		/* tasks may still access the memory: free neither the memory nor the module */
		pr_err("wpool_bench: tasks are missing (%d)\n", err);
		__module_get(THIS_MODULE);
		b->run->nr_memory = 0;
		return err;
	}
	for (i = 0; i < b->run->nr_series; i++)
		bench_put_percentiles(b->run, b->run->series[i].name, b->run->series[i].values,
				      b->n);
	if (b->fn)
		bench_pool_finish(&b->pool, b->run);
	return 0;
}

static int run_case(struct bench_run *run, const struct bench_case *one)
{
	struct bench *b = bench_run_zalloc(run, 1, max(one->size, sizeof(*b)));
	int err = -ENOMEM;

	if (b)
		err = take_parameters(b, run, one);
	if (!err && one->prepare)
		err = one->prepare(b);
	if (!err && b->fn)
		err = make_pool(b);
	if (!err)
		err = run_in_pool(b, one);
	bench_run_free(run);
	return err;
}

static int measure_case(struct bench_run *run, const struct bench_case *one)
{
	bool c2c = bench_num(run, "c2c", 0);
	int err;

	if (c2c)
		bench_put(run, "c2c_before_ns", bench_c2c_ns());
	err = run_case(run, one);
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
		if (strcmp(last_run.words[0], cases[i]->name))
			continue;
		err = measure_case(&last_run, cases[i]);
		bench_run_end(&last_run);
		/* the emulator's plugin writes its counts */
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

/* Makes the measurements of the plan, then powers off. Without a plan it does nothing. */
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
