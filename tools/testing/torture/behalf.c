// SPDX-License-Identifier: GPL-2.0
/*
 * Groups that act on behalf of process 1, which does not end. Their tasks get some or all of: its
 * memory, its memory cgroup, and credentials that nothing else has. A task must have what its group
 * has taken over, and nothing from another group.
 */
#include <linux/cred.h>
#include <linux/kthread.h>
#include <linux/memcontrol.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/uidgid.h>
#include <linux/wpool_group.h>

#include "../../../module/compat.h"
#include "torture.h"

/* The memory and memory cgroup of process 1; held until the unload. */
static struct mm_struct *mm;
static struct mem_cgroup *memcg;

static atomic_t last_uid = ATOMIC_INIT(1000);

void tbehalf_init(void)
{
	struct pid *pid = find_get_pid(1);
	struct task_struct *process = get_pid_task(pid, PIDTYPE_TGID);

	mm = get_task_mm(process);
	put_task_struct(process);
	put_pid(pid);
	memcg = mem_cgroup_disabled() ? NULL : get_mem_cgroup_from_mm(mm);
}

void tbehalf_exit(void)
{
	mem_cgroup_put(memcg);
	mmput(mm);
}

/* Take over @what as process 1: a kthread has no mm and no memcg. */
static int act_for_process(struct wpool_group *group, const struct cred *cred, unsigned int what)
{
	struct mem_cgroup *old_memcg;
	const struct cred *old_cred;
	int err;

	kthread_use_mm(mm);
	old_cred = compat_override_creds(cred);
	old_memcg = set_active_memcg(memcg);
	err = wpool_group_act_for_me(group, what);
	set_active_memcg(old_memcg);
	compat_revert_creds(old_cred);
	kthread_unuse_mm(mm);
	return err;
}

int tbehalf_give(struct tbehalf *behalf, struct wpool_group *group, unsigned int what)
{
	struct cred *cred;
	int err;

	if (!memcg)
		what &= ~WPOOL_AS_MEMCG;
	if (!IS_ENABLED(CONFIG_BLK_CGROUP))
		what &= ~WPOOL_AS_BLKCG;
	behalf->what = what;
	behalf->uid = 0;
	if (!what)
		return 0;
	cred = prepare_creds();
	if (!cred)
		return -ENOMEM;
	if (what & WPOOL_AS_CREDS)
		behalf->uid = atomic_inc_return(&last_uid);
	cred->uid = KUIDT_INIT(behalf->uid);
	err = act_for_process(group, cred, what);
	put_cred(cred);
	torture_check(!err || err == -ENOMEM, "act for a process: %d", err);
	return err;
}

void tbehalf_check(const struct tbehalf *behalf)
{
	u32 uid = __kuid_val(current_uid());

	torture_check(uid == behalf->uid, "user %u in a task that acts for %u", uid, behalf->uid);
	torture_check(current->mm == (behalf->what & WPOOL_AS_MM ? mm : NULL),
		      "it has%s the memory of the process", current->mm == mm ? "" : " not");
	if (behalf->what & WPOOL_AS_MEMCG)
		torture_check(compat_active_memcg() == memcg, "another memory cgroup is charged");
	if (behalf->what)
		torture_saw(SAW_BEHALVES, 1);
}
