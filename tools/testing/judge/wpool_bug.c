// SPDX-License-Identifier: GPL-2.0
/*
 * One bug of each kind, made on purpose: a silent checker proves something only if it is known to
 * report such a bug. Writing the name of a kind to wpool_bug in debugfs makes the bug at once, in
 * the writing process. See scripts/guest/judge.sh. The module does not use wpool.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

static struct dentry *file;

static int bug_none(void)
{
	return 0;
}

static int bug_kasan(void)
{
	char *p = kmalloc(32, GFP_KERNEL);

	if (!p)
		return -ENOMEM;
	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	return READ_ONCE(*p) & 0;
}

static int bug_ubsan(void)
{
	int bits = 40, one = 1;

	OPTIMIZER_HIDE_VAR(bits);
	WRITE_ONCE(one, one << bits);
	return 0;
}

static int bug_leak(void)
{
	char *p = kmalloc(48, GFP_KERNEL);

	/* leave no pointer on the stack, where kmemleak would find it */
	return p ? 0 : -ENOMEM;
}

static int bug_refcount(void)
{
	refcount_t r = REFCOUNT_INIT(0);

	refcount_inc(&r);
	return 0;
}

static int bug_list(void)
{
	LIST_HEAD(list);
	struct list_head entry = { .next = &list, .prev = &list };

	list_del(&entry);
	return 0;
}

static void expired(struct timer_list *timer)
{
}

static int bug_object(void)
{
	struct timer_list *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return -ENOMEM;
	timer_setup(timer, expired, 0);
	mod_timer(timer, jiffies + HZ * 1000);
	kfree(timer);
	return 0;
}

static DEFINE_MUTEX(lock_a);
static DEFINE_MUTEX(lock_b);

static int bug_deadlock(void)
{
	mutex_lock(&lock_a);
	mutex_lock(&lock_b);
	mutex_unlock(&lock_b);
	mutex_unlock(&lock_a);

	mutex_lock(&lock_b);
	mutex_lock(&lock_a);
	mutex_unlock(&lock_a);
	mutex_unlock(&lock_b);
	return 0;
}

static DEFINE_RAW_SPINLOCK(raw);
static DEFINE_SPINLOCK(spin);

/* spin_lock() under a raw lock sleeps only on PREEMPT_RT, but every kernel must report it. */
static int bug_nesting(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&raw, flags);
	spin_lock(&spin);
	spin_unlock(&spin);
	raw_spin_unlock_irqrestore(&raw, flags);
	return 0;
}

static int bug_atomic(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&raw, flags);
	might_sleep();
	raw_spin_unlock_irqrestore(&raw, flags);
	return 0;
}

static int bug_rcu(void)
{
	static int __rcu *pointer;

	return rcu_dereference(pointer) ? 1 : 0;
}

static int bug_hung(void)
{
	msleep(8000);
	return 0;
}

static int bug_lockup(void)
{
	unsigned long end = jiffies + 8 * HZ;

	preempt_disable();
	while (time_before(jiffies, end))
		cpu_relax();
	preempt_enable();
	return 0;
}

static unsigned long counter;

static int count(void *data)
{
	while (!kthread_should_stop()) {
		counter++;
		barrier();
		cond_resched();
	}
	return 0;
}

static int bug_race(void)
{
	unsigned long end = jiffies + 10 * HZ;
	struct task_struct *other;

	other = kthread_run(count, NULL, "wpool_bug");
	if (IS_ERR(other))
		return PTR_ERR(other);
	while (time_before(jiffies, end)) {
		counter++;
		barrier();
		cond_resched();
	}
	kthread_stop(other);
	return 0;
}

/* No bug: kmalloc() fails if the writing process has set its own fail-nth. */
static int bug_failslab(void)
{
	void *p = kmalloc(64, GFP_KERNEL);

	if (!p)
		return -ENOMEM;
	kfree(p);
	return 0;
}

static const struct {
	const char *name;
	int (*happen)(void);
} kinds[] = {
	{ "none", bug_none },
	{ "kasan", bug_kasan },
	{ "ubsan", bug_ubsan },
	{ "leak", bug_leak },
	{ "refcount", bug_refcount },
	{ "list", bug_list },
	{ "object", bug_object },
	{ "deadlock", bug_deadlock },
	{ "nesting", bug_nesting },
	{ "atomic", bug_atomic },
	{ "rcu", bug_rcu },
	{ "hung", bug_hung },
	{ "lockup", bug_lockup },
	{ "race", bug_race },
	{ "failslab", bug_failslab },
};

static ssize_t bug_write(struct file *unused, const char __user *from, size_t size, loff_t *pos)
{
	char name[16] = "";
	int i, err;

	if (copy_from_user(name, from, min(size, sizeof(name) - 1)))
		return -EFAULT;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!sysfs_streq(name, kinds[i].name))
			continue;
		err = kinds[i].happen();
		return err ?: size;
	}
	return -EINVAL;
}

static const struct file_operations bug_fops = {
	.owner = THIS_MODULE,
	.write = bug_write,
};

static int __init bug_init(void)
{
	file = debugfs_create_file("wpool_bug", 0200, NULL, NULL, &bug_fops);
	return PTR_ERR_OR_ZERO(file);
}

static void __exit bug_exit(void)
{
	debugfs_remove(file);
}

module_init(bug_init);
module_exit(bug_exit);

MODULE_DESCRIPTION("One bug of each kind, for the judge of the kernel's log");
MODULE_LICENSE("GPL");
