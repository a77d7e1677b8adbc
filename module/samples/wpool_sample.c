// SPDX-License-Identifier: GPL-2.0
/*
 * A module with a pool of its own. It submits tasks that are embedded in its objects, and waits for
 * them; then it submits a function without waiting. README.md quotes the part between the marks.
 *
 * The pool stays while the module is loaded, so that a user can see and tune it in
 * /sys/class/wpool/sample/, and wpool cannot be removed before the module.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/wpool_func.h>

/* [quoted in README.md] */
#include <linux/wpool.h>

struct job {
	struct wpool_task task;
	u64 limit, sum;
};

static struct job jobs[3] = { { .limit = 10 }, { .limit = 20 }, { .limit = 30 } };

static void sum_up(struct wpool_task *task)
{
	struct job *job = container_of(task, struct job, task);
	u64 i;

	for (i = 1; i <= job->limit; i++)
		job->sum += i;
}

static struct wpool *make_pool(void)
{
	struct wpool_attrs attrs;

	wpool_attrs_init(&attrs);
	attrs.name = "sample";
	attrs.capacity = 2;
	return wpool_create(&attrs);
}

static int run_jobs(struct wpool *pool)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(jobs); i++) {
		wpool_task_init(&jobs[i].task, sum_up);
		/* the third may sleep here until one of the others is done */
		err = wpool_submit(pool, &jobs[i].task);
		if (err)
			return err;
	}
	for (i = 0; i < ARRAY_SIZE(jobs); i++) {
		err = wpool_task_wait(&jobs[i].task);
		if (err)
			return err;
		pr_info("1 + ... + %llu = %llu\n", jobs[i].limit, jobs[i].sum);
	}
	return 0;
}

/* [end of the quotation] */

static struct wpool *sample_pool;

static void say_hello(void *name)
{
	pr_info("hello from %s, in worker %d on CPU %d\n", (char *)name,
		current->pid, raw_smp_processor_id());
}

static int __init wpool_sample_init(void)
{
	struct wpool *pool = make_pool();
	int err;

	if (IS_ERR(pool))
		return PTR_ERR(pool);

	err = run_jobs(pool);
	if (!err)
		err = wpool_submit_fn(pool, say_hello, "wpool_submit_fn",
				      THIS_MODULE, GFP_KERNEL);
	/* after a killed wait a task may still run: destroy the pool before the data goes */
	if (err)
		wpool_destroy(pool);
	sample_pool = pool;
	return err;
}

static void __exit wpool_sample_exit(void)
{
	wpool_destroy(sample_pool);
}

module_init(wpool_sample_init);
module_exit(wpool_sample_exit);
MODULE_DESCRIPTION("wpool sample: embedded tasks");
MODULE_LICENSE("GPL");
