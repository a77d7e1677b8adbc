// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/wpool: file operations, and what all ioctls have in common.
 *
 * Invariants:
 *   - a structure is copied in once. Every ioctl gives EINVAL if the structure is too short, E2BIG
 *     for non-zero bytes beyond those we know, EOPNOTSUPP for an unknown flag, and ENOTTY for an
 *     unknown number;
 *   - a handler gets a zero-padded structure of our own version, flags that it knows, and an
 *     attached file unless its row in the table says otherwise;
 *   - the structure that is copied out is the one that came in plus its out fields, so no kernel
 *     memory leaks;
 *   - no call writes to the kernel log. But a task of the kind WPOOL_WORK_FAULT causes an oops. The
 *     monitor logs stalls of pools made here, and why their tasks wait, with a limit for
 *     all of these. Failures to create a worker, or to join a cgroup, are logged as for any pool.
 *
 * An open device pins the module.
 */
#include "faces/dev/control/chardev.h"

#include <linux/build_bug.h>
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <uapi/linux/wpool.h>

#include "core/registry.h"
#include "core/state.h"
#include "faces/dev/control/attrs.h"
#include "faces/dev/control/pool.h"
#include "faces/dev/load/file.h"
#include "faces/dev/load/item.h"
#include "faces/dev/load/read.h"
#include "faces/dev/load/task.h"
#include "faces/dev/load/workload.h"
#include "pool/attrs.h"
#include "workers/cgroup.h"

struct call {
	struct wpool_devfile *file;
	struct wpool *pool;		/* NULL if the file is not attached */
	void __user *arg;
	bool nonblock;
};

/* ---- pools ---- */

static int ioctl_create(struct call *call, void *cmd)
{
	struct wpool_dev_create *create = cmd;
	struct wpool_attrs attrs;
	cpumask_var_t cpumask;
	struct wpool *pool;
	int err;

	if (!zalloc_cpumask_var(&cpumask, GFP_KERNEL))
		return -ENOMEM;

	wpool_attrs_init(&attrs);
	attrs.name = (const char *)create->name;
	err = wpool_devattrs_from_user(&attrs, cpumask, &create->attrs);
	if (err)
		goto out_free;

	err = wpool_devfile_attach_begin(call->file);
	if (err)
		goto out_free;
	pool = wpool_devpool_create(&attrs);
	err = PTR_ERR_OR_ZERO(pool);
	wpool_devfile_attach_end(call->file, err ? NULL : pool);
out_free:
	free_cpumask_var(cpumask);
	return err;
}

static int ioctl_attach(struct call *call, void *cmd)
{
	struct wpool_dev_attach *attach = cmd;
	struct wpool *pool;
	int err;

	if (wpool_name_check((const char *)attach->name))
		return -EINVAL;
	err = wpool_devfile_attach_begin(call->file);
	if (err)
		return err;
	pool = wpool_registry_find_name((const char *)attach->name);
	wpool_devfile_attach_end(call->file, pool);
	return pool ? 0 : -ENOENT;
}

static int ioctl_tune(struct call *call, void *cmd)
{
	struct wpool_dev_tune *tune = cmd;
	struct wpool_attrs attrs;
	cpumask_var_t cpumask;
	int err;

	if (!zalloc_cpumask_var(&cpumask, GFP_KERNEL))
		return -ENOMEM;
	wpool_attrs_init(&attrs);
	err = wpool_devattrs_from_user(&attrs, cpumask, &tune->attrs);
	if (!err)
		err = wpool_devpool_tune(call->pool, &attrs, tune->attrs.mask);
	free_cpumask_var(cpumask);
	return err;
}

static int ioctl_cgroup(struct call *call, void *cmd)
{
	struct wpool_dev_cgroup *cgroup = cmd;
	struct file *dir;
	int err;

	if (cgroup->reserved)
		return -EOPNOTSUPP;
	if (!wpool_devpool_may_change(call->pool))
		return -EPERM;
	dir = fget_raw(cgroup->fd);
	if (!dir)
		return -EBADF;
	err = wpool_cgroup_set(call->pool, current, &dir->f_path);
	fput(dir);
	return err;
}

static int ioctl_release(struct call *call, void *cmd)
{
	struct wpool_dev_release *release = cmd;
	unsigned int flags = release->flags & WPOOL_DEV_RELEASE_CANCEL ?
		WPOOL_RELEASE_CANCEL : WPOOL_RELEASE_DRAIN;

	if (release->flags & WPOOL_DEV_RELEASE_OWN) {
		if (release->flags != WPOOL_DEV_RELEASE_OWN)
			return -EINVAL;
		flags = WPOOL_RELEASE_OWN;
	}
	return wpool_devpool_release(call->pool, flags, release->flags & WPOOL_DEV_RELEASE_WAIT,
				     release->timeout_ns);
}

static int ioctl_reboot(struct call *call, void *cmd)
{
	return wpool_devpool_reboot(call->pool);
}

static int ioctl_destroy(struct call *call, void *cmd)
{
	return wpool_devpool_destroy(call->pool);
}

static int ioctl_info(struct call *call, void *cmd)
{
	struct wpool_dev_info *info = cmd;
	struct wpool_attrs attrs;
	cpumask_var_t cpumask;
	int err;

	if (!zalloc_cpumask_var(&cpumask, GFP_KERNEL))
		return -ENOMEM;
	wpool_get_attrs(call->pool, &attrs, cpumask);
	memset(info->name, 0, sizeof(info->name));
	strscpy((char *)info->name, attrs.name, sizeof(info->name));
	err = wpool_devattrs_to_user(&info->attrs, &attrs, cpumask);
	free_cpumask_var(cpumask);
	return err;
}

/* ---- tasks ---- */

static int work_check(struct wpool *pool, const struct wpool_dev_work *work)
{
	int err = wpool_workload_check(work);

	if (err)
		return err;
	/* under policy "run" a task may run in its submitter, which a fault would kill */
	if (work->kind == WPOOL_WORK_FAULT && READ_ONCE(pool->policy) == WPOOL_RUN)
		return -EPERM;
	/* the program that provides the file or the memory may never answer */
	if ((work->kind == WPOOL_WORK_POLL || work->kind == WPOOL_WORK_COUNT) &&
	    !wpool_devpool_may_change(pool))
		return -EPERM;
	return 0;
}

/*
 * Everybody may submit to a pool that was made here, unless its attributes need CAP_SYS_NICE or
 * CAP_BLOCK_SUSPEND: then only users who may change the pool may submit. To submit to other pools
 * takes CAP_SYS_ADMIN.
 */
static bool may_submit(struct wpool *pool)
{
	bool raised = READ_ONCE(pool->nice) < 0 || READ_ONCE(pool->sched) != WPOOL_SCHED_NORMAL ||
		      READ_ONCE(pool->freezable);

	if (!wpool_is_users(pool))
		return capable(CAP_SYS_ADMIN);
	return !raised || wpool_devpool_may_change(pool);
}

/* Copy and check all descriptors. The caller frees them with kvfree(). */
static struct wpool_dev_work *works_get(struct wpool *pool,
					const struct wpool_dev_submit *submit)
{
	const char __user *from = u64_to_user_ptr(submit->works);
	struct wpool_dev_work *works;
	int err = 0;
	u32 i;

	if (submit->work_size < sizeof(*works))
		return ERR_PTR(-EINVAL);
	if (submit->work_size > PAGE_SIZE)
		return ERR_PTR(-E2BIG);
	if (!submit->nr || submit->nr > WPOOL_MAX_BATCH)
		return ERR_PTR(-ERANGE);

	works = kvmalloc_array(submit->nr, sizeof(*works), GFP_KERNEL_ACCOUNT);
	if (!works)
		return ERR_PTR(-ENOMEM);
	if (submit->work_size == sizeof(*works)) {
		if (copy_from_user(works, from, submit->nr * sizeof(*works)))
			err = -EFAULT;
	} else {
		for (i = 0; i < submit->nr && !err; i++)
			err = copy_struct_from_user(&works[i], sizeof(*works),
						    from + i * submit->work_size,
						    submit->work_size);
	}
	for (i = 0; i < submit->nr && !err; i++)
		err = work_check(pool, &works[i]);
	if (err) {
		kvfree(works);
		return ERR_PTR(err);
	}
	return works;
}

/* The CPU that the tasks of a submit prefer, -1 for none. Returns 0 or -errno. */
static int cpu_get(const struct wpool_dev_submit *submit, int *cpu)
{
	*cpu = -1;
	if (!(submit->flags & WPOOL_DEV_SUBMIT_ON))
		return submit->cpu ? -EOPNOTSUPP : 0;
	if (submit->cpu >= nr_cpu_ids || !cpu_possible(submit->cpu))
		return -EINVAL;
	/*
	 * A module may prefer any CPU, since it cannot know which one stays online. A user who
	 * names a CPU here wants to see what runs on that CPU, so one that is offline is refused.
	 * If the CPU goes offline later, the tasks run elsewhere.
	 */
	if (!cpu_online(submit->cpu))
		return -ENODEV;
	*cpu = array_index_nospec(submit->cpu, nr_cpu_ids);
	return 0;
}

static int ioctl_submit(struct call *call, void *cmd)
{
	struct wpool_dev_submit __user *user = call->arg;
	struct wpool_dev_submit *submit = cmd;
	struct wpool_dev_work *works;
	int err, cpu;

	/* first: @accepted is right if the call fails, and a bad pointer fails before any submit */
	if (put_user(0, &user->accepted))
		return -EFAULT;
	if (!may_submit(call->pool))
		return -EPERM;
	err = cpu_get(submit, &cpu);
	if (err)
		return err;
	works = works_get(call->pool, submit);
	if (IS_ERR(works))
		return PTR_ERR(works);
	err = wpool_devtask_submit(call->file, works, submit->nr,
				   call->nonblock ||
				   submit->flags & WPOOL_DEV_SUBMIT_NONBLOCK,
				   cpu, &submit->accepted);
	kvfree(works);
	if (put_user(submit->accepted, &user->accepted))
		return -EFAULT;
	return err;
}

static int ioctl_wait(struct call *call, void *cmd)
{
	struct wpool_dev_wait *wait = cmd;

	return wpool_devread_wait(call->file, wait->timeout_ns);
}

/* ioctl_group() passes the flags on as they are */
static_assert(WPOOL_DEV_GROUP_MM == WPOOL_AS_MM);
static_assert(WPOOL_DEV_GROUP_CREDS == WPOOL_AS_CREDS);
static_assert(WPOOL_DEV_GROUP_MEMCG == WPOOL_AS_MEMCG);
static_assert(WPOOL_DEV_GROUP_BLKCG == WPOOL_AS_BLKCG);

static int ioctl_group(struct call *call, void *cmd)
{
	struct wpool_dev_group *group = cmd;

	if (group->reserved)
		return -EOPNOTSUPP;
	if (!group->max_outstanding)
		return -ERANGE;
	return wpool_devfile_group_init(call->file, group->max_outstanding, group->flags);
}

static int ioctl_cancel(struct call *call, void *cmd)
{
	struct wpool_dev_cancel __user *user = call->arg;
	struct wpool_dev_cancel *cancel = cmd;
	u64 cookie = cancel->cookie;

	/* a bad pointer fails before any cancel, and a call that fails changes nothing */
	if (put_user(cancel->cancelled, &user->cancelled) ||
	    put_user(cancel->stopped, &user->stopped))
		return -EFAULT;
	return wpool_devtask_cancel(call->file,
				    cancel->flags & WPOOL_DEV_CANCEL_ALL ?
				    NULL : &cookie,
				    &cancel->cancelled, &cancel->stopped);
}

static int ioctl_stats(struct call *call, void *cmd)
{
	struct wpool_dev_stats *out = cmd;
	struct wpool_stats stats;

	wpool_get_stats(call->pool, &stats);
	*out = (struct wpool_dev_stats) {
		.size = out->size,
		.state = stats.state,
		.free = stats.free,
#define DEV(_name...)	._name = stats._name,
#define SYSFS(...)
#define WPOOL_FIGURE(_name, _NAME, _where, ...)	_where(_name)
#include "pool/figure_table.h"
	};
	strscpy((char *)out->name, call->pool->name, sizeof(out->name));
	wpool_devfile_stats(call->file, out);
	return 0;
}

static_assert(WPOOL_DEV_OPEN == (int)WPOOL_OPEN);
static_assert(WPOOL_DEV_CLOSED == (int)WPOOL_CLOSED);
static_assert(WPOOL_DEV_DESTROYED == (int)WPOOL_DESTROYED);
static_assert(WPOOL_DEV_CLOSING == (int)WPOOL_CLOSING);

/* ---- dispatch ---- */

#define NEEDS_NO_POOL	BIT(0)	/* the file need not be attached */
#define COPIES_OUT	BIT(1)	/* on success the structure is copied back */

struct ioctl_op {
	u32 size;	/* size of its structure, in the version that we know */
	u32 min_size;	/* size of the first version of the structure */
	u32 flags;	/* flags of the structure that we know */
	u32 how;	/* NEEDS_NO_POOL, COPIES_OUT */
	int (*handler)(struct call *call, void *cmd);	/* executes the ioctl */
};

/* Every structure begins like this. */
struct cmd_header {
	u32 size;
	u32 flags;
};

/* Room for every structure, as IOCTL_OP() checks. */
union cmd_buffer {
	struct cmd_header header;
	struct wpool_dev_stats largest;
};

/* @_last: the last field of the first version of the structure; never changes. */
#define IOCTL_OP(_nr, _struct, _last, _flags, _how, _fn)				\
	[_IOC_NR(_nr)] = {								\
		sizeof(struct wpool_dev_##_struct) + BUILD_BUG_ON_ZERO(			\
			sizeof(struct wpool_dev_##_struct) > sizeof(union cmd_buffer)),	\
		offsetofend(struct wpool_dev_##_struct, _last), _flags, _how, _fn	\
	}

static const struct ioctl_op ioctl_ops[] = {
	IOCTL_OP(WPOOL_IOC_CREATE, create, attrs.capacity_per_cpu, 0, NEEDS_NO_POOL, ioctl_create),
	IOCTL_OP(WPOOL_IOC_ATTACH, attach, name, 0, NEEDS_NO_POOL, ioctl_attach),
	IOCTL_OP(WPOOL_IOC_TUNE, tune, attrs.capacity_per_cpu, 0, 0, ioctl_tune),
	IOCTL_OP(WPOOL_IOC_RELEASE, release, timeout_ns, WPOOL_DEV_RELEASE_CANCEL |
		 WPOOL_DEV_RELEASE_WAIT | WPOOL_DEV_RELEASE_OWN, 0, ioctl_release),
	IOCTL_OP(WPOOL_IOC_REBOOT, simple, flags, 0, 0, ioctl_reboot),
	IOCTL_OP(WPOOL_IOC_DESTROY, simple, flags, 0, 0, ioctl_destroy),
	IOCTL_OP(WPOOL_IOC_SUBMIT, submit, cpu,
		 WPOOL_DEV_SUBMIT_NONBLOCK | WPOOL_DEV_SUBMIT_ON, 0, ioctl_submit),
	IOCTL_OP(WPOOL_IOC_WAIT, wait, timeout_ns, 0, 0, ioctl_wait),
	IOCTL_OP(WPOOL_IOC_CANCEL, cancel, stopped, WPOOL_DEV_CANCEL_ALL, COPIES_OUT, ioctl_cancel),
	IOCTL_OP(WPOOL_IOC_STATS, stats, errors, 0, COPIES_OUT, ioctl_stats),
	IOCTL_OP(WPOOL_IOC_INFO, info, attrs.capacity_per_cpu, 0, COPIES_OUT, ioctl_info),
	IOCTL_OP(WPOOL_IOC_GROUP, group, reserved, WPOOL_DEV_GROUP_MM | WPOOL_DEV_GROUP_CREDS |
		 WPOOL_DEV_GROUP_MEMCG | WPOOL_DEV_GROUP_BLKCG, 0, ioctl_group),
	IOCTL_OP(WPOOL_IOC_CGROUP, cgroup, reserved, 0, 0, ioctl_cgroup),
};

static long chardev_ioctl(struct file *opened, unsigned int nr, unsigned long arg)
{
	struct call call = {
		.file = opened->private_data,
		.arg = (void __user *)arg,
		.nonblock = opened->f_flags & O_NONBLOCK,
	};
	const struct ioctl_op *op;
	union cmd_buffer cmd;
	u32 index = _IOC_NR(nr), user_size;
	int err;

	if (index >= ARRAY_SIZE(ioctl_ops) || nr != _IO(WPOOL_IOC_TYPE, index))
		return -ENOTTY;
	op = &ioctl_ops[array_index_nospec(index, ARRAY_SIZE(ioctl_ops))];

	if (get_user(user_size, (u32 __user *)call.arg))
		return -EFAULT;
	if (user_size < op->min_size)
		return -EINVAL;
	/* no version will ever be that large; the limit bounds the check of the tail */
	if (user_size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(&cmd, op->size, call.arg, user_size);
	if (err)
		return err;
	/* user space may have changed the size meanwhile */
	cmd.header.size = user_size;
	if (cmd.header.flags & ~op->flags)
		return -EOPNOTSUPP;

	call.pool = wpool_devfile_pool(call.file);
	if (!call.pool && !(op->how & NEEDS_NO_POOL))
		return -ENXIO;

	err = op->handler(&call, &cmd);
	if (!err && op->how & COPIES_OUT &&
	    copy_to_user(call.arg, &cmd, min(user_size, op->size)))
		err = -EFAULT;
	return err;
}

static ssize_t chardev_read(struct file *opened, char __user *buf, size_t count,
			    loff_t *pos)
{
	return wpool_devread(opened->private_data, buf, count,
			     opened->f_flags & O_NONBLOCK);
}

static __poll_t chardev_poll(struct file *opened, poll_table *table)
{
	return wpool_devread_poll(opened->private_data, opened, table);
}

static int chardev_open(struct inode *inode, struct file *opened)
{
	struct wpool_devfile *file = wpool_devfile_create(opened->f_op,
							   wpool_devpool_is_limited());

	if (IS_ERR(file))
		return PTR_ERR(file);
	opened->private_data = file;
	return nonseekable_open(inode, opened);
}

/* The last reference to the struct file is gone: no thread is in a call on it. */
static int chardev_release(struct inode *inode, struct file *opened)
{
	wpool_devtask_close(opened->private_data);
	return 0;
}

static const struct file_operations chardev_fops = {
	.owner = THIS_MODULE,
	.open = chardev_open,
	.release = chardev_release,
	.read = chardev_read,
	.poll = chardev_poll,
	.unlocked_ioctl = chardev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice chardev = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "wpool",
	.fops = &chardev_fops,
	.mode = 0600,
};

int wpool_chardev_init(void)
{
	int err = wpool_devitem_cache_init();

	if (err)
		return err;
	err = misc_register(&chardev);
	if (err)
		wpool_devitem_cache_exit();
	return err;
}

void wpool_chardev_exit(void)
{
	/* no file is open, since an open file pins the module; from here on none can be opened */
	misc_deregister(&chardev);
	wpool_devpool_exit();
	/* waits for the files' tasks in other pools */
	wpool_devfile_exit();
	wpool_devitem_cache_exit();
}
