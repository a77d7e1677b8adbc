/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All differences between the kernels that wpool supports. The other files are written for
 * the newest kernel.
 */
#ifndef WPOOL_COMPAT_H
#define WPOOL_COMPAT_H

#include <linux/cred.h>
#include <linux/hrtimer.h>
#include <linux/kcov.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/timer.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "wpool needs Linux 6.1 or newer"
#endif

/* The first version with which wpool was not tested; wpool may well work with it. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 4, 0)
#define COMPAT_UNTESTED
#endif

#ifndef CONFIG_64BIT
#error "wpool counts in 64 bits without locks: it needs a 64-bit kernel"
#endif

#ifndef timer_container_of
#define timer_container_of(var, callback_timer, timer_fieldname) \
	container_of(callback_timer, typeof(*(var)), timer_fieldname)
#endif

#ifndef COMPAT_HAVE_TIMER_DELETE_SYNC
#define timer_delete(timer) del_timer(timer)
#define timer_delete_sync(timer) del_timer_sync(timer)
#endif

#ifndef COMPAT_HAVE_ADD_TIMER_GLOBAL
#define add_timer_global(timer) add_timer(timer)
#endif

#ifndef COMPAT_HAVE_TIMER_SHUTDOWN_SYNC
/* The caller ensures that nothing arms the timer again. */
#define timer_shutdown_sync(timer) timer_delete_sync(timer)
#endif

#ifndef COMPAT_HAVE_TIMER_DESTROY_ON_STACK
#define timer_destroy_on_stack(timer) destroy_timer_on_stack(timer)
#endif

#ifndef COMPAT_HAVE_SYSTEM_DFL_WQ
#define system_dfl_wq system_unbound_wq
#endif

#ifndef COMPAT_HAVE_CALL_RCU_HURRY
/* In these kernels call_rcu() is never lazy. */
#define call_rcu_hurry(head, func) call_rcu(head, func)
#endif

#ifndef COMPAT_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

#ifdef COMPAT_HAVE_SHRINKER_ALLOC
#define compat_shrinker_alloc()	shrinker_alloc(0, "wpool")
#define compat_shrinker_free(shrinker) shrinker_free(shrinker)

static inline int compat_shrinker_register(struct shrinker *shrinker)
{
	shrinker_register(shrinker);
	return 0;
}
#else
static inline struct shrinker *compat_shrinker_alloc(void)
{
	static struct shrinker shrinker;

	return &shrinker;
}

#define compat_shrinker_free(shrinker) unregister_shrinker(shrinker)
#define compat_shrinker_register(shrinker) register_shrinker(shrinker, "wpool")
#endif

/* The handle of the caller's remote coverage; 0: it has none. */
static inline u64 compat_kcov_handle(void)
{
#ifndef CONFIG_KCOV
	return 0;
#elif defined(COMPAT_HAVE_KCOV_HANDLE_ID)
	return kcov_common_handle().val;
#else
	return kcov_common_handle();
#endif
}

/* Does the calling thread collect coverage? */
static inline bool compat_kcov_is_on(void)
{
#ifdef CONFIG_KCOV
	return current->kcov_mode;
#else
	return false;
#endif
}

/* The type of the key that a sysrq handler gets. */
#ifdef COMPAT_HAVE_SYSRQ_U8
#define COMPAT_SYSRQ_KEY	u8
#else
#define COMPAT_SYSRQ_KEY	int
#endif

/* The type of the attribute that a function of a binary sysfs file gets. */
#ifdef COMPAT_HAVE_CONST_BIN_ATTR
#define COMPAT_BIN_ATTR		const struct bin_attribute
#else
#define COMPAT_BIN_ATTR		struct bin_attribute
#endif

/* Is a thread asleep, rather than about to sleep? Racy. */
static inline bool compat_is_blocked(struct task_struct *thread)
{
	/*
	 * With delayed dequeue a sleeping thread may stay on the run queue for a while. With proxy
	 * execution a thread stays on the run queue as long as it waits for a mutex.
	 */
#ifdef COMPAT_HAVE_IS_BLOCKED
	if (READ_ONCE(thread->is_blocked))
		return true;
#elif defined(COMPAT_HAVE_SCHED_DELAYED)
	if (READ_ONCE(thread->se.sched_delayed))
		return true;
#endif
	return !READ_ONCE(thread->on_rq);
}

/* Is the thread on a CPU? Racy. Without CONFIG_SMP only the caller is. */
static inline bool compat_has_cpu(struct task_struct *thread)
{
#ifdef CONFIG_SMP
	return READ_ONCE(thread->on_cpu);
#else
	return thread == current;
#endif
}

/* Time since the thread last got a CPU; -1 on a kernel that does not record it. */
static inline s64 compat_got_cpu_ns(struct task_struct *thread)
{
#ifdef CONFIG_SCHED_INFO
	s64 ns = local_clock() - READ_ONCE(thread->sched_info.last_arrival);

	/* clocks of two CPUs may differ a little */
	return max_t(s64, ns, 0);
#else
	return -1;
#endif
}

static inline int compat_migration_disabled(struct task_struct *thread)
{
#ifdef CONFIG_SMP
	return READ_ONCE(thread->migration_disabled);
#else
	return 0;
#endif
}

/* Allocation flags of a thread that not all kernels have. */
#ifndef PF_MEMALLOC_PIN
#define PF_MEMALLOC_PIN		0
#endif
#ifndef PF_MEMALLOC_NORECLAIM
#define PF_MEMALLOC_NORECLAIM	0
#endif
#ifndef PF_MEMALLOC_NOWARN
#define PF_MEMALLOC_NOWARN	0
#endif

/*
 * Override the credentials, with a reference to @cred, which do_exit() drops if the thread dies.
 * Returns the old credentials; the caller has a reference to them until compat_revert_creds().
 */
static inline const struct cred *compat_override_creds(const struct cred *cred)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
	return override_creds(get_cred(cred));
#else
	return override_creds(cred);
#endif
}

static inline void compat_revert_creds(const struct cred *old)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
	put_cred(revert_creds(old));
#else
	revert_creds(old);
#endif
}

/* The memory cgroup that the calling thread has set with set_active_memcg(). */
static inline struct mem_cgroup *compat_active_memcg(void)
{
#ifdef CONFIG_MEMCG
	return current->active_memcg;
#else
	return NULL;
#endif
}

static inline void compat_set_active_memcg(struct mem_cgroup *memcg)
{
#ifdef CONFIG_MEMCG
	current->active_memcg = memcg;
#endif
}

/* Does a process still have this memory? A kernel without memory cgroups does not tell: true. */
static inline bool compat_mm_has_owner(struct mm_struct *mm)
{
#ifdef CONFIG_MEMCG
	return rcu_access_pointer(mm->owner);
#else
	return true;
#endif
}

/*
 * The number of a CPU's last-level cache: the same for CPUs that share the cache, and for no other
 * CPU. The function that returns it differs between processors; without such a function, all CPUs
 * have the same number.
 */
static inline u32 compat_cache_of(int cpu)
{
#if defined(CONFIG_X86) && defined(COMPAT_HAVE_PER_CPU_LLC_ID)
	return per_cpu_llc_id(cpu);
#elif defined(CONFIG_X86)
	return get_llc_id(cpu);
#elif defined(topology_llc_cpumask)
	return cpumask_first(topology_llc_cpumask(cpu));
#else
	return 0;
#endif
}

#endif /* WPOOL_COMPAT_H */
