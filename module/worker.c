// SPDX-License-Identifier: GPL-2.0
/*
 * Workers, see worker.h: making one, its loop, its home, its leaving. The
 * barrier leave:A is explained in wake.c.
 */
#include "worker.h"

#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/rculist.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/threads.h>

#include "fault.h"
#include "handoff.h"
#include "idle.h"
#include "inject.h"
#include "monitor.h"
#include "pool.h"
#include "run.h"
#include "sched.h"
#include "spawner.h"
#include "trace.h"
#include "wake.h"

static int max_workers_set(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, 1, PID_MAX_LIMIT);
}

static const struct kernel_param_ops max_workers_ops = {
	.set = max_workers_set,
	.get = param_get_uint,
};

static unsigned int max_workers;
module_param_cb(max_workers, &max_workers_ops, &max_workers, 0444);
MODULE_PARM_DESC(max_workers,
		 "workers at most, over all pools (default: a quarter of the boot-time pid_max)");

/* Workers counted in, over all pools. */
static atomic_t nr_all_workers;

static int worker_main(void *data);

void wpool_worker_init(void)
{
	/* as the kernel does at boot; the value itself is out of reach */
	if (!max_workers)
		max_workers = max_t(unsigned int, PID_MAX_DEFAULT,
				    PIDS_PER_CPU_DEFAULT * num_possible_cpus()) / 4;
}

/* ---- counting ---- */

u32 wpool_worker_room(void)
{
	u32 nr = atomic_read(&nr_all_workers);

	return nr < max_workers ? max_workers - nr : 0;
}

bool wpool_worker_is_needed_elsewhere(void)
{
	u32 starved = wpool_spawner_nr_starved();

	return unlikely(starved) && starved > wpool_worker_room();
}

/* Should a worker of this pool look whether it must leave? */
static bool has_excess(const struct wpool *pool)
{
	return READ_ONCE(pool->nr_workers) > READ_ONCE(pool->capacity) ||
	       wpool_worker_is_needed_elsewhere();
}

static bool wake_idle(struct wpool *pool)
{
	if (wpool_worker_is_needed_elsewhere())
		wpool_idle_wake_next(pool);
	return false;
}

void wpool_worker_make_room(void)
{
	/*
	 * Busy workers look at it after their task, idle ones now. The spawner does
	 * not wait for the list of pools: who holds it may wait for threads.
	 */
	wpool_pools_walk_rcu(wake_idle);
}

int wpool_worker_count_in(struct wpool *pool)
{
	unsigned long flags;
	int err = 0;

	/* those that starve come first, in their order */
	if (wpool_spawner_nr_starved() && !READ_ONCE(pool->spawn_starved))
		return -EAGAIN;
	if (atomic_inc_return(&nr_all_workers) > max_workers) {
		atomic_dec(&nr_all_workers);
		return -EAGAIN;
	}
	raw_spin_lock_irqsave(&pool->workers_lock, flags);
	if (pool->nr_workers >= READ_ONCE(pool->capacity))
		err = -EBUSY;
	else
		WRITE_ONCE(pool->nr_workers, pool->nr_workers + 1);
	raw_spin_unlock_irqrestore(&pool->workers_lock, flags);
	if (err)
		atomic_dec(&nr_all_workers);
	return err;
}

void wpool_worker_count_out(struct wpool *pool)
{
	unsigned long flags;

	local_irq_save(flags);
	raw_spin_lock(&pool->workers_lock);
	WRITE_ONCE(pool->nr_workers, pool->nr_workers - 1);
	raw_spin_unlock(&pool->workers_lock);
	/* who saw the pool at its capacity meanwhile has asked nobody */
	wpool_worker_left(pool);
	local_irq_restore(flags);
}

void wpool_worker_left(struct wpool *pool)
{
	struct wpool_runq *rq = wpool_this_runq(pool);

	atomic_dec(&nr_all_workers);
	/* leave:A */
	smp_mb();
	if (unlikely(wpool_spawner_nr_starved()) || unlikely(READ_ONCE(pool->spawn_refused)))
		wpool_spawner_place_free(pool);
	wpool_wake_if_work(pool, rq);
	/* one who was too many to run the last tasks may leave, too, and tells the next */
	if (unlikely(wpool_is_closed(pool)) && !wpool_sched_has_work(pool, rq))
		wpool_idle_wake_next(pool);
}

/*
 * Leave if the pool has more workers than its capacity; if asked to, also if it is
 * closed, or if another pool needs the place.
 */
static bool leave(struct wpool_worker *w, bool if_closed, bool if_needed)
{
	struct wpool *pool = w->pool;
	unsigned long flags;

	local_irq_save(flags);
	raw_spin_lock(&pool->workers_lock);
	if (pool->nr_workers > READ_ONCE(pool->capacity) ||
	    (if_closed && wpool_is_closed(pool)) ||
	    (if_needed && wpool_worker_is_needed_elsewhere())) {
		WRITE_ONCE(pool->nr_workers, pool->nr_workers - 1);
		w->leaving = true;
	}
	raw_spin_unlock(&pool->workers_lock);

	if (w->leaving) {
		raw_spin_lock(&w->rq->lock);
		WRITE_ONCE(w->rq->nr_workers, w->rq->nr_workers - 1);
		raw_spin_unlock(&w->rq->lock);
		wpool_sched_give_up(w);
		wpool_running_leave(w);
		wpool_worker_left(pool);
	}
	local_irq_restore(flags);
	return w->leaving;
}

/* ---- home ---- */

int wpool_worker_place(struct wpool *pool, int prefer)
{
	struct wpool_runq *rq;
	u64 cost, least = U64_MAX;
	int cpu, best = -1;

	for_each_possible_cpu(cpu) {
		rq = wpool_runq(pool, cpu);
		if (READ_ONCE(rq->redirect))
			continue;
		cost = READ_ONCE(rq->nr_workers);
		/* where it would only wait for a place to run comes last, unless it may wait */
		if (!pool->prealloc && !wpool_runq_has_room(rq))
			cost += U32_MAX;
		if (cost < least || (cost == least && cpu == prefer)) {
			least = cost;
			best = cpu;
		}
	}
	/* wpool_place() leaves at least one, but for a CPU that just goes */
	return best < 0 ? raw_smp_processor_id() : best;
}

/*
 * The worker is not where it is at home, or should not be at home there: its
 * CPU went, or the cpumask changed.
 */
static void rehome(struct wpool_worker *w)
{
	struct wpool *pool = w->pool;
	struct wpool_runq *old = w->rq, *new = old;
	int cpu;

	/* one on the way stays that, but not as the old queue's */
	wpool_idle_disown(w);
	/* leave:A, of the run queue: nobody may rely on it while it moves */
	wpool_running_leave(w);
	local_irq_disable();
	wpool_wake_if_work(pool, wpool_this_runq(pool));
	local_irq_enable();
	if (w->new_home && !READ_ONCE(w->new_home->redirect)) {
		new = w->new_home;
	} else if (READ_ONCE(old->redirect)) {
		cpu = wpool_worker_place(pool, -1);
		new = wpool_runq(pool, cpu);
	}
	w->new_home = NULL;
	if (new != old) {
		raw_spin_lock_irq(&old->lock);
		WRITE_ONCE(old->nr_workers, old->nr_workers - 1);
		raw_spin_unlock_irq(&old->lock);
		raw_spin_lock_irq(&new->lock);
		WRITE_ONCE(new->nr_workers, new->nr_workers + 1);
		raw_spin_unlock_irq(&new->lock);
		WRITE_ONCE(w->rq, new);
	}
	/* fails if that CPU goes as well: the next round sees it */
	set_cpus_allowed_ptr(current, cpumask_of(new->cpu));
	/* nor may it run where its mask does not allow: PREEMPT_RT insists */
	if (raw_smp_processor_id() != new->cpu)
		set_cpus_allowed_ptr(current, cpu_possible_mask);
}

static bool is_at_home(struct wpool_worker *w)
{
	return raw_smp_processor_id() == w->rq->cpu &&
	       !READ_ONCE(w->rq->redirect) && !w->new_home;
}

/* ---- life ---- */

struct wpool_worker *__wpool_worker_current(void)
{
	if (!in_task() || kthread_func(current) != worker_main)
		return NULL;
	return kthread_data(current);
}

/* What a worker does after a look for work. */
enum step { RUN, SLEEP, END };

/*
 * One look for a task. Preemption is off, for two reasons: while a worker
 * searches nobody else is woken, so it must not lose its CPU; and a tune that
 * has made the capacity smaller waits for those who looked at it before.
 *
 * RUN: with a task; SLEEP: it has joined the idle; END: it is counted out.
 */
static enum step look(struct wpool_worker *w, struct wpool_task **task)
{
	struct wpool *pool = w->pool;
	/* sent for a task, which it takes before it gives its place to another pool */
	bool sent = w->picked;
	enum step step;

	*task = NULL;
	preempt_disable();
	if (w->picked)
		wpool_idle_started(w);
	else if (unlikely(!READ_ONCE(w->running_on)))
		wpool_running_enter(w);
	if (unlikely(has_excess(pool)) && leave(w, false, !sent)) {
		step = END;
		goto out;
	}
	if (likely(!wpool_runq_is_over(w->rq)))
		*task = wpool_sched_find(w);

	if (*task) {
		step = RUN;
	} else if (unlikely(wpool_is_closed(pool)) &&
		   !wpool_sched_has_work(pool, w->rq) && leave(w, true, true)) {
		step = END;
	} else if (unlikely(wpool_worker_is_needed_elsewhere()) && leave(w, false, true)) {
		step = END;
	} else {
		wpool_idle_join(w);
		step = SLEEP;
	}
out:
	preempt_enable();
	return step;
}

static int worker_main(void *data)
{
	struct wpool_worker *w = data;
	struct wpool_task *task;

	wpool_fault_arm(w);
	for (;;) {
		/* at least once in 61 tasks, or a tick; and where there is no task */
		cond_resched();
		if (unlikely(!is_at_home(w)))
			rehome(w);
		if (unlikely(!w->has_notifier) && READ_ONCE(w->pool->handoff))
			wpool_handoff_watch(w);
		switch (look(w, &task)) {
		case RUN:
			wpool_run(w, task);
			break;
		case SLEEP:
			if (!wpool_idle_sleep(w))
				return 0;
			break;
		case END:
			return 0;
		}
	}
}

int wpool_worker_create(struct wpool *pool, int cpu)
{
	struct wpool_runq *rq = wpool_runq(pool, cpu);
	struct task_struct *thread;
	struct wpool_worker *w;
	u64 start_ns = trace_wpool_worker_spawned_enabled() ? ktime_get_mono_fast_ns() : 0;

	w = kzalloc_node(sizeof(*w), GFP_KERNEL, cpu_to_node(cpu));
	if (!w)
		return -ENOMEM;
	w->pool = pool;
	w->rq = rq;
	w->picked = true;
	thread = ERR_PTR(-ENOMEM);
	if (!wpool_inject_spawn())
		thread = kthread_create_on_node(worker_main, w, cpu_to_node(cpu),
						"wp/%s", pool->name);
	if (IS_ERR(thread)) {
		kfree(w);
		return PTR_ERR(thread);
	}
	w->thread = get_task_struct(thread);
	/*
	 * Since 6.14 a thread that is not bound gets the CPUs of its node, when it
	 * first runs and whenever a CPU comes up, whatever set_cpus_allowed_ptr()
	 * said. A bound one is left alone. It is not a per-CPU thread for that: it may
	 * move itself, see rehome(), and the scheduler moves it off a CPU that goes.
	 *
	 * No need to keep CPUs from going: the thread is on no queue before its
	 * wake-up, which takes another CPU if this one is going or gone. The worker
	 * notices that it is not at home.
	 */
	kthread_bind(thread, cpu);

	mutex_lock(&pool->workers_mutex);
	set_user_nice(thread, pool->nice);
	list_add_tail_rcu(&w->node, &pool->workers);
	pool->spawned++;
	atomic_inc(&pool->nr_threads);
	mutex_unlock(&pool->workers_mutex);

	raw_spin_lock_irq(&rq->lock);
	WRITE_ONCE(rq->nr_workers, rq->nr_workers + 1);
	/* nobody else needs to be sent there */
	w->owns_waking = !rq->waking;
	WRITE_ONCE(rq->waking, true);
	raw_spin_unlock_irq(&rq->lock);
	wpool_idle_count_waking(pool);
	trace_wpool_worker_spawned(pool->name, cpu, thread->pid, start_ns);
	wake_up_process(thread);
	/* its CPU may be taken */
	wpool_monitor_arm();
	return 0;
}

static void free_rcu_worker(struct rcu_head *rcu)
{
	struct wpool_worker *w = container_of(rcu, struct wpool_worker, rcu);

	put_task_struct(w->thread);
	kfree(w);
}

void wpool_worker_free(struct wpool_worker *w)
{
	call_rcu(&w->rcu, free_rcu_worker);
}
