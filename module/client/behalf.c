// SPDX-License-Identifier: GPL-2.0
/* On whose behalf the tasks of a group run, see behalf.h. */
#include "client/behalf.h"

#include <linux/cred.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/memcontrol.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "compat.h"
#include "core/current.h"
#include "task/context.h"

/* What the tasks get, with a reference each, or NULL; that of the mm keeps the struct only. */
struct wpool_behalf {
	struct mm_struct *mm;
	const struct cred *cred;
	struct mem_cgroup *memcg;
};

struct wpool_behalf *wpool_behalf_take(unsigned int what)
{
	struct wpool_behalf *behalf;

	if (!what || what & ~WPOOL_AS_ALL || (what & WPOOL_AS_MM && !current->mm))
		return ERR_PTR(-EINVAL);
	if (what & WPOOL_AS_MEMCG && !IS_ENABLED(CONFIG_MEMCG))
		return ERR_PTR(-EOPNOTSUPP);
	behalf = kzalloc(sizeof(*behalf), GFP_KERNEL_ACCOUNT);
	if (!behalf)
		return ERR_PTR(-ENOMEM);
	if (what & WPOOL_AS_MM) {
		behalf->mm = current->mm;
		mmgrab(behalf->mm);
	}
	if (what & WPOOL_AS_CREDS)
		behalf->cred = get_current_cred();
	if (what & WPOOL_AS_MEMCG)
		behalf->memcg = get_mem_cgroup_from_mm(current->mm);
	return behalf;
}

void wpool_behalf_drop(struct wpool_behalf *behalf)
{
	if (!behalf)
		return;
	if (behalf->mm)
		mmdrop(behalf->mm);
	put_cred(behalf->cred);
	mem_cgroup_put(behalf->memcg);
	kfree(behalf);
}

/* What a thread had on before. */
struct worn {
	struct mm_struct *mm;
	const struct cred *cred;
	struct mem_cgroup *memcg;
};

/*
 * A thread with an mm in use has a user of it, which its exit drops, and a reference to its struct,
 * which only kthread_unuse_mm() drops. It does not need the latter, since a user is one, too.
 */
static int use_mm(struct mm_struct *mm, struct mm_struct *old)
{
	if (old == mm)
		return 0;
	if (!(current->flags & PF_KTHREAD))
		return -EPERM;
	if (!mmget_not_zero(mm))
		return -ESRCH;
	if (old) {
		/* the kernel drops what an outer task of a group that acts does not keep */
		mmgrab(old);
		kthread_unuse_mm(old);
	}
	kthread_use_mm(mm);
	mmdrop(mm);
	return 0;
}

static void unuse_mm(struct mm_struct *mm, struct mm_struct *old)
{
	if (old == mm)
		return;
	mmgrab(mm);
	kthread_unuse_mm(mm);
	/* if the process has ended meanwhile, it takes long to free its memory */
	mmput_async(mm);
	if (old) {
		kthread_use_mm(old);
		mmdrop(old);
	}
}

/*
 * The exit drops the credentials that are in use, and those of the thread itself. Those from before
 * are the latter, as a rule, and then keep no reference of ours.
 */
static bool is_own_cred(const struct cred *cred)
{
	return cred == current_real_cred();
}

static int put_on(const struct wpool_behalf *behalf, struct worn *old)
{
	int err;

	old->mm = current->mm;
	if (behalf->mm) {
		err = use_mm(behalf->mm, old->mm);
		if (err)
			return err;
	}
	if (behalf->cred) {
		old->cred = compat_override_creds(behalf->cred);
		if (is_own_cred(old->cred))
			put_cred(old->cred);
	}
	if (behalf->memcg)
		old->memcg = set_active_memcg(behalf->memcg);
	return 0;
}

static void take_off(const struct wpool_behalf *behalf, const struct worn *old)
{
	if (behalf->memcg)
		set_active_memcg(old->memcg);
	if (behalf->cred) {
		if (is_own_cred(old->cred))
			get_cred(old->cred);
		compat_revert_creds(old->cred);
	}
	if (behalf->mm)
		unuse_mm(behalf->mm, old->mm);
}

int wpool_behalf_call(const struct wpool_behalf *behalf, wpool_group_fn func,
		      struct wpool_group_task *task, int *ret)
{
	struct wpool_worker *w = wpool_worker_current();
	struct wpool_context context;
	struct worn old;
	int err;

	err = put_on(behalf, &old);
	if (err)
		return err;
	if (w)
		wpool_context_save(&context, w);
	*ret = func(task);
	/* what the function leaves comes off first */
	if (w)
		wpool_context_check(&context, w);
	take_off(behalf, &old);
	return 0;
}
