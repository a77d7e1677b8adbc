// SPDX-License-Identifier: GPL-2.0
/* The cgroups of a pool's workers, see cgroup.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "workers/cgroup.h"

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/magic.h>
#include <linux/memcontrol.h>
#include <linux/nsproxy.h>
#include <linux/oom.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include "compat.h"
#include "core/idle.h"
#include "core/spawn_queue.h"
#include "core/state.h"
#include "workers/affinity.h"

/*
 * Protects pool->anchor and pool->cgroup_nr. Held while a worker joins the anchor, which must not
 * end meanwhile: a cgroup without live threads may be removed, and it is a bug to attach a thread
 * to a removed one.
 */
static DEFINE_MUTEX(anchors_mutex);

/* A request to attach a thread; on the stack of the thread that waits for the answer. */
struct join {
	struct work_struct work;
	struct completion done;
	struct wpool_worker *worker;	/* worker to attach to its pool's anchor, or NULL */
	struct task_struct *anchor;	/* if @worker is NULL: thread to attach to @from */
	struct task_struct *from;
	struct file *procs;	/* cgroup.procs to which @anchor is moved afterwards, or NULL */
	int err;
};

static struct workqueue_struct *wq;

/* kthreadd, in whose cgroups all threads of the kernel are created. It never ends. */
static struct task_struct *in_root;

#ifdef CONFIG_CGROUPS

static bool has_same_cgroups(struct task_struct *a, struct task_struct *b)
{
	return rcu_access_pointer(a->cgroups) == rcu_access_pointer(b->cgroups);
}

static int show_path(struct task_struct *thread, char *buf, size_t size)
{
	struct cgroup *cgroup;
	int len;

	rcu_read_lock();
	do {
		cgroup = task_dfl_cgroup(thread);
	} while (!cgroup_tryget(cgroup));
	rcu_read_unlock();
	len = cgroup_path_ns(cgroup, buf, size, current->nsproxy->cgroup_ns);
	cgroup_put(cgroup);
	return len < (int)size ? len : -E2BIG;
}

#else

static bool has_same_cgroups(struct task_struct *a, struct task_struct *b)
{
	return true;
}

static int show_path(struct task_struct *thread, char *buf, size_t size)
{
	return 0;
}

#endif

static int attach_thread(struct task_struct *from, struct task_struct *thread)
{
	return has_same_cgroups(from, thread) ? 0 : cgroup_attach_task_all(from, thread);
}

struct mem_cgroup *wpool_cgroup_get_memcg(struct task_struct *thread)
{
	struct mem_cgroup *memcg = NULL;

#ifdef CONFIG_MEMCG
	rcu_read_lock();
	do {
		memcg = mem_cgroup_from_task(thread);
		if (memcg == mem_cgroup_from_task(in_root))
			memcg = NULL;
	} while (memcg && !css_tryget(&memcg->css));
	rcu_read_unlock();
#endif
	return memcg;
}

bool wpool_cgroup_is_charged(const struct wpool_worker *w)
{
	bool charged = true;

#ifdef CONFIG_MEMCG
	struct mem_cgroup *memcg;

	rcu_read_lock();
	memcg = mem_cgroup_from_task(current);
	charged = w->memcg == (memcg == mem_cgroup_from_task(in_root) ? NULL : memcg);
	rcu_read_unlock();
#endif
	return charged;
}

/* Move @anchor to the cgroup of @procs, as if the thread that opened the file had written there. */
static int write_pid(struct file *procs, struct task_struct *anchor)
{
	char pid[12];
	ssize_t ret = kernel_write(procs, pid, sprintf(pid, "%d", anchor->pid), NULL);

	return ret < 0 ? ret : 0;
}

static void join_work(struct work_struct *work)
{
	struct join *join = container_of(work, struct join, work);
	struct wpool_worker *w = join->worker;

	if (w) {
		mutex_lock(&anchors_mutex);
		join->err = attach_thread(w->pool->anchor ?: in_root, w->thread);
		/* also after an error: another try would take the mutex of all cgroups again */
		w->cgroup_nr = w->pool->cgroup_nr;
		mutex_unlock(&anchors_mutex);
	} else {
		join->err = attach_thread(join->from, join->anchor);
		if (!join->err && join->procs)
			join->err = write_pid(join->procs, join->anchor);
	}
	complete(&join->done);
}

/*
 * A work attaches the thread, for two reasons. The caller's cgroup may have used up its quota:
 * until the next period the caller would keep the locks that the kernel has for all cgroups, for
 * forks and for CPU hotplug. And the kernel lets only a privileged caller attach another thread to
 * a cpuset.
 */
static int wait_for_join(struct join *join)
{
	init_completion(&join->done);
	INIT_WORK_ONSTACK(&join->work, join_work);
	queue_work(wq, &join->work);
	/* no flush: lockdep takes files of sysfs and of cgroups for the same, and sees a circle */
	wait_for_completion(&join->done);
	destroy_work_on_stack(&join->work);
	return join->err;
}

/* Keep memory.oom.group from killing this thread, and processes whose memory the thread uses. */
static void be_spared(void)
{
	current->signal->oom_score_adj = OOM_SCORE_ADJ_MIN;
}

static int anchor_main(void *data)
{
	DECLARE_WAIT_QUEUE_HEAD_ONSTACK(stop_wq);

	be_spared();
	/* the mark of a bound thread; without it, the thread may be moved */
	current->flags &= ~PF_NO_SETAFFINITY;
	complete(data);
	/* kthread_stop() wakes the thread itself */
	wait_event_idle(stop_wq, kthread_should_stop());
	return 0;
}

/* Open cgroup.procs of @dir. A file mounted over it is refused: the kernel would write there. */
static struct file *open_there(const struct path *dir, int flags)
{
	struct file *procs = file_open_root(dir, "cgroup.procs", flags, 0);

	if (!IS_ERR(procs) && procs->f_path.dentry->d_parent != dir->dentry) {
		fput(procs);
		return ERR_PTR(-EINVAL);
	}
	return procs;
}

/* Open cgroup.procs to write. The file keeps the credentials and the namespaces of the caller. */
static struct file *open_procs(const struct path *dir)
{
	struct file *procs, *found;

	if (dir->dentry->d_sb->s_magic != CGROUP2_SUPER_MAGIC)
		return ERR_PTR(-EINVAL);
	/* look the file up first: lockdep sees a circle if an open to write looks it up */
	found = open_there(dir, O_PATH);
	if (IS_ERR(found))
		return found;
	procs = open_there(dir, O_WRONLY | O_NONBLOCK);
	fput(found);
	return procs;
}

/* Returns the new anchor; NULL if its cgroups would be those of kthreadd; or ERR_PTR(). */
static struct task_struct *make_anchor(struct wpool *pool, struct task_struct *from,
				       const struct path *dir)
{
	DECLARE_COMPLETION_ONSTACK(begun);
	struct join join = { .from = from };
	struct task_struct *anchor;
	int err;

	if (dir)
		join.procs = open_procs(dir);
	if (IS_ERR(join.procs))
		return ERR_CAST(join.procs);
	anchor = kthread_create(anchor_main, &begun, "wp-cg/%s", pool->name);
	if (IS_ERR(anchor))
		goto out;
	/* the kernel would give other CPUs to a thread that was not bound, see spawner.c */
	kthread_bind(anchor, raw_smp_processor_id());
	set_cpus_allowed_ptr(anchor, cpu_possible_mask);
	wake_up_process(anchor);
	/* a thread that has not begun may not be moved */
	wait_for_completion(&begun);
	join.anchor = anchor;
	err = wait_for_join(&join);
	if (err || has_same_cgroups(anchor, in_root)) {
		kthread_stop(anchor);
		anchor = ERR_PTR(err);
	}
out:
	if (join.procs)
		fput(join.procs);
	return anchor;
}

int wpool_cgroup_set(struct wpool *pool, struct task_struct *from, const struct path *dir)
{
	struct task_struct *anchor = NULL, *old;
	bool over, same;
	u16 nr;

	if (from && !IS_ENABLED(CONFIG_CGROUPS))
		return -EOPNOTSUPP;
	if (from && (dir || !has_same_cgroups(from, in_root)))
		anchor = make_anchor(pool, from, dir);
	if (IS_ERR(anchor))
		return PTR_ERR(anchor);

	mutex_lock(&anchors_mutex);
	/* the state is set before wpool_cgroup_end() takes the mutex */
	over = READ_ONCE(pool->state) == WPOOL_DESTROYED;
	/* the kernel changes the CPUs of the oldest thread of a cpuset first: keep the anchor */
	same = anchor && pool->anchor && has_same_cgroups(anchor, pool->anchor);
	old = over || same ? anchor : pool->anchor;
	if (!over && (anchor || old)) {
		if (!same)
			/* pairs with wpool_housekeeping_cpuset() */
			smp_store_release(&pool->anchor, anchor);
		/* 0 is the number of a new worker, which is in the cgroups of kthreadd */
		nr = pool->cgroup_nr + 1;
		WRITE_ONCE(pool->cgroup_nr, nr ?: 1);
	}
	mutex_unlock(&anchors_mutex);

	wpool_affinity_check(pool);
	/* make idle workers and the rescuer move: otherwise they would stay in the old cgroups */
	if (!over)
		wpool_idle_wake_all(pool);
	wpool_reserve_follow(pool);
	/* without the mutex: the anchor needs CPU time of its cgroup to end */
	if (old)
		kthread_stop(old);
	return over ? -ESHUTDOWN : 0;
}

void wpool_cgroup_end(struct wpool *pool)
{
	struct task_struct *anchor;

	mutex_lock(&anchors_mutex);
	anchor = pool->anchor;
	WRITE_ONCE(pool->anchor, NULL);
	mutex_unlock(&anchors_mutex);
	if (anchor)
		kthread_stop(anchor);
}

int wpool_cgroup_path(struct wpool *pool, char *buf, size_t size)
{
	int len;

	mutex_lock(&anchors_mutex);
	len = pool->anchor ? show_path(pool->anchor, buf, size) : 0;
	mutex_unlock(&anchors_mutex);
	return len;
}

int wpool_cgroup_join(struct wpool_worker *w)
{
	struct join join = { .worker = w };

	return wpool_cgroup_is_joined(w) ? 0 : wait_for_join(&join);
}

void wpool_cgroup_arrive(struct wpool_worker *w)
{
	struct mem_cgroup *old = w->memcg;

	be_spared();
	/* the mark of a bound thread, which is in the way outside the root cgroup: see cgroup.h */
	if (has_same_cgroups(current, in_root))
		current->flags |= PF_NO_SETAFFINITY;
	else
		current->flags &= ~PF_NO_SETAFFINITY;
	w->memcg = wpool_cgroup_get_memcg(current);
	/* keep a memory cgroup that worker_start has set */
	if (w->base.memcg == old) {
		w->base.memcg = w->memcg;
		compat_set_active_memcg(w->memcg);
	}
	mem_cgroup_put(old);
}

void wpool_cgroup_follow(struct wpool_worker *w)
{
	int err = 0;

	if (!wpool_cgroup_is_joined(w)) {
		current->flags &= ~PF_NO_SETAFFINITY;
		err = wpool_cgroup_join(w);
	}
	wpool_cgroup_arrive(w);
	if (err)
		pr_warn_ratelimited("%s: worker %d stays in the cgroup where it was: error %d\n",
				    w->pool->name, current->pid, err);
}

int wpool_cgroup_init(void)
{
	rcu_read_lock();
	in_root = pid_task(find_pid_ns(2, &init_pid_ns), PIDTYPE_PID);
	rcu_read_unlock();
	/* few at a time: all take one mutex of the kernel, whose holders may wait for memory */
	wq = alloc_workqueue("wpool_cgroup", WQ_UNBOUND | WQ_HIGHPRI, 1);
	return wq ? 0 : -ENOMEM;
}

void wpool_cgroup_exit(void)
{
	destroy_workqueue(wq);
}
