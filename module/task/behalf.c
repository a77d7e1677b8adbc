// SPDX-License-Identifier: GPL-2.0
/* On whose behalf the tasks of a group run, see behalf.h. */
#include "task/behalf.h"

#include <linux/atomic.h>
#include <linux/cgroup.h>
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

/* Context for a group's tasks: references, or NULL. @mm keeps the struct, not the memory. */
struct wpool_behalf {
	struct mm_struct *mm;
	const struct cred *cred;
	struct mem_cgroup *memcg;
	struct cgroup_subsys_state *blkcg;
	/*
	 * threads that count in mm_users of @mm, and have taken @mm off to run a nested task. If
	 * such a thread dies, it stays counted until wpool_behalf_drop().
	 */
	atomic_t nr_off;
};

/* Context that a task has put on, and its thread's earlier context; on that thread's stack. */
struct wpool_worn {
	struct wpool_behalf *behalf;
	const struct cred *old_cred;
	struct mem_cgroup *old_memcg;
	unsigned int what;	/* WPOOL_AS_*; with WPOOL_AS_MM the thread counts in mm_users */
	unsigned int off;	/* the part of @what that is off while a nested task runs */
};

/*
 * Returns a reference to the cgroup to which the I/O of the calling thread counts: in a task of a
 * group, that of the group. NULL: the kernel has no cgroups of the block layer.
 */
static struct cgroup_subsys_state *get_blkcg(void)
{
#ifdef CONFIG_BLK_CGROUP
	struct wpool_worker *w = wpool_worker_current();

	if (w && w->worn && w->worn->what & WPOOL_AS_BLKCG) {
		css_get(w->worn->behalf->blkcg);
		return w->worn->behalf->blkcg;
	}
	return task_get_css(current, io_cgrp_id);
#else
	return NULL;
#endif
}

struct wpool_behalf *wpool_behalf_take(unsigned int what)
{
	struct wpool_behalf *behalf;

	if (!what || what & ~WPOOL_AS_ALL || (what & WPOOL_AS_MM && !current->mm))
		return ERR_PTR(-EINVAL);
	if ((what & WPOOL_AS_MEMCG && mem_cgroup_disabled()) ||
	    (what & WPOOL_AS_BLKCG && !IS_ENABLED(CONFIG_BLK_CGROUP)))
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
	if (what & WPOOL_AS_BLKCG)
		behalf->blkcg = get_blkcg();
	return behalf;
}

void wpool_behalf_drop(struct wpool_behalf *behalf)
{
	int nr;

	if (!behalf)
		return;
	for (nr = atomic_read(&behalf->nr_off); nr; nr--)
		mmput_async(behalf->mm);
	if (behalf->mm)
		mmdrop(behalf->mm);
	put_cred(behalf->cred);
	mem_cgroup_put(behalf->memcg);
	if (behalf->blkcg)
		css_put(behalf->blkcg);
	kfree(behalf);
}

/* Is a submitter, which is no worker, in this cgroup? wpool gives another to its workers only. */
static bool is_in_blkcg(const struct cgroup_subsys_state *blkcg)
{
	struct cgroup_subsys_state *own = get_blkcg();

	css_put(own);
	return own == blkcg;
}

/*
 * Set @worn->what, and count the thread in mm_users. Returns -EPERM if the thread already uses
 * another mm: that of its process, of worker_start, or of a plain task that submitted this task.
 * (The mm of an outer group task is already off.) Returns -EPERM, too, if the thread is a submitter
 * in another cgroup of the block layer. Returns -ESRCH if the process has ended, even if another
 * task still keeps the memory: no cgroup would be charged for what is added to it.
 */
static int choose_worn(struct wpool_worn *worn, bool is_worker)
{
	const struct wpool_behalf *behalf = worn->behalf;

	if (behalf->blkcg && !is_worker && !is_in_blkcg(behalf->blkcg))
		return -EPERM;
	if (behalf->blkcg && is_worker)
		worn->what |= WPOOL_AS_BLKCG;
	if (behalf->mm && current->mm != behalf->mm) {
		if (current->mm || !(current->flags & PF_KTHREAD))
			return -EPERM;
		if (!mmget_not_zero(behalf->mm))
			return -ESRCH;
		if (!compat_mm_has_owner(behalf->mm)) {
			mmput_async(behalf->mm);
			return -ESRCH;
		}
		worn->what |= WPOOL_AS_MM;
	}
	if (behalf->cred)
		worn->what |= WPOOL_AS_CREDS;
	if (behalf->memcg)
		worn->what |= WPOOL_AS_MEMCG;
	return 0;
}

/*
 * Are these the thread's own credentials? worn->old_cred usually are. If a thread dies, do_exit()
 * drops current->cred and current->real_cred, but not the reference to worn->old_cred. So put_on()
 * drops the reference to own credentials in advance, and take_off() takes it again.
 */
static bool is_own_cred(const struct cred *cred)
{
	return cred == current_real_cred();
}

/*
 * kthread_use_mm() takes a reference to the mm_struct, which do_exit() would not drop. Drop that
 * reference here: mm_users, in which the thread counts, keeps the mm_struct, too.
 */
static void put_on(struct wpool_worn *worn, unsigned int what)
{
	const struct wpool_behalf *behalf = worn->behalf;

	if (what & WPOOL_AS_MM) {
		kthread_use_mm(behalf->mm);
		mmdrop(behalf->mm);
	}
	if (what & WPOOL_AS_CREDS) {
		worn->old_cred = compat_override_creds(behalf->cred);
		if (is_own_cred(worn->old_cred))
			put_cred(worn->old_cred);
	}
	if (what & WPOOL_AS_MEMCG)
		worn->old_memcg = set_active_memcg(behalf->memcg);
	if (what & WPOOL_AS_BLKCG)
		kthread_associate_blkcg(behalf->blkcg);
}

/* Undo put_on(). The thread still counts in mm_users. */
static void take_off(const struct wpool_worn *worn, unsigned int what)
{
	/* no module can read which cgroup a thread had before: leave it without one */
	if (what & WPOOL_AS_BLKCG)
		kthread_associate_blkcg(NULL);
	if (what & WPOOL_AS_MEMCG)
		set_active_memcg(worn->old_memcg);
	if (what & WPOOL_AS_CREDS) {
		if (is_own_cred(worn->old_cred))
			get_cred(worn->old_cred);
		compat_revert_creds(worn->old_cred);
	}
	if (what & WPOOL_AS_MM) {
		mmgrab(worn->behalf->mm);
		kthread_unuse_mm(worn->behalf->mm);
	}
}

int wpool_behalf_call(struct wpool_behalf *behalf, wpool_group_fn func,
		      struct wpool_group_task *task, int *ret)
{
	struct wpool_worker *w = wpool_worker_current();
	struct wpool_worn worn = { .behalf = behalf };
	struct wpool_context context;
	int err;

	err = choose_worn(&worn, w);
	if (err)
		return err;
	put_on(&worn, worn.what);
	if (w) {
		wpool_context_save(&context, w);
		w->worn = &worn;
	}
	*ret = func(task);
	if (w) {
		w->worn = NULL;
		/* before take_off(): undo what the function has left */
		wpool_context_check(&context, w);
	}
	take_off(&worn, worn.what);
	/* the last user frees the memory, which takes long: leave that to a work */
	if (worn.what & WPOOL_AS_MM)
		mmput_async(behalf->mm);
	return 0;
}

/* Which parts of @worn->what are still in use? The function may have overridden some. */
static unsigned int on_top(const struct wpool_worn *worn)
{
	const struct wpool_behalf *behalf = worn->behalf;
	unsigned int what = worn->what;

	if (current->mm != behalf->mm)
		what &= ~WPOOL_AS_MM;
	if (current_cred() != behalf->cred)
		what &= ~WPOOL_AS_CREDS;
	if (compat_active_memcg() != behalf->memcg)
		what &= ~WPOOL_AS_MEMCG;
	return what;
}

struct wpool_worn *wpool_behalf_off(struct wpool_worker *w)
{
	struct wpool_worn *worn = w->worn;

	if (likely(!worn))
		return NULL;
	w->worn = NULL;
	worn->off = on_top(worn);
	/* @worn is on the stack: if the thread dies, only @nr_off tells that mm_users counts it */
	if (worn->off & WPOOL_AS_MM)
		atomic_inc(&worn->behalf->nr_off);
	take_off(worn, worn->off);
	return worn;
}

void wpool_behalf_on(struct wpool_worker *w, struct wpool_worn *worn)
{
	if (likely(!worn))
		return;
	put_on(worn, worn->off);
	if (worn->off & WPOOL_AS_MM)
		atomic_dec(&worn->behalf->nr_off);
	w->worn = worn;
}
