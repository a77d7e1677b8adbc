// SPDX-License-Identifier: GPL-2.0
/*
 * Clocks and counters.
 *
 * CPU time ("cpu_ns") is the time in which online CPUs were not idle, summed over all CPUs: it
 * includes work, wake-ups, switches and interrupts. Natively it is the run time of the producers,
 * of all threads that live until the end of the measurement, and of the kthreads per task. Under
 * QEMU's -icount the CPU time is meaningless, because CPUs take turns; there the wall time counts
 * the instructions of all CPUs.
 *
 * bench_count_wait() notices the end of a run: it reads per-CPU counters, with shorter and shorter
 * sleeps in between. One counter for all tasks would be a large part of the measured cost.
 */
#include "bench.h"

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kernel_stat.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sort.h>
#include <linux/tick.h>

#include "mark.h"

DEFINE_PER_CPU_ALIGNED(u64, bench_finished);

void bench_sleep_us(u64 us)
{
	usleep_range_state(us, us, TASK_UNINTERRUPTIBLE);
}

u64 bench_compute_for(u64 ns)
{
	u64 start = ktime_get_ns(), now;

	do {
		cpu_relax();
		now = ktime_get_ns();
	} while (now - start < ns);
	return now;
}

u64 bench_run_time_ns(struct task_struct *thread)
{
#ifdef CONFIG_SMP
	/* when the thread is off its CPU, the scheduler has added all its run time */
	while (thread != current && READ_ONCE(thread->on_cpu))
		cpu_relax();
#endif
	return thread->se.sum_exec_runtime;
}

/* For how long CPUs were not idle, up to now; only a difference has a meaning. 0: not known */
static u64 busy_ns(const struct bench *b)
{
#ifdef CONFIG_UML
	/* idle CPUs poll with their ticks on, so the kernel samples their idle time, every 10 ms */
	struct task_struct *process, *thread;
	u64 sum = b->meter.ended_ns;
	int cpu;

	/* the scheduler adds up what this thread has run */
	schedule();
	rcu_read_lock();
	for_each_process_thread(process, thread)
		/* a producer that is ending counts in ended_ns already */
		if (!(thread->flags & PF_EXITING))
			sum += bench_run_time_ns(thread);
	rcu_read_unlock();
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(bench_threads_ns, cpu));
	return sum;
#else
	u64 sum = ktime_get_ns() * num_online_cpus(), us;
	int cpu;

	for_each_online_cpu(cpu) {
		us = get_cpu_idle_time_us(cpu, NULL);
		if (us == U64_MAX)
			return 0;
		sum -= us * NSEC_PER_USEC;
	}
	return sum;
#endif
}

void bench_meter_start(struct bench *b)
{
	b->meter.busy_ns = busy_ns(b);
	b->meter.start_ns = ktime_get_ns();
	bench_mark(BENCH_MARK_FROM, 0);
}

void bench_meter_stop(struct bench *b)
{
	u64 wall, busy;

	bench_mark(BENCH_MARK_TO, 0);
	wall = ktime_get_ns() - b->meter.start_ns;
	busy = busy_ns(b);
	bench_put(b->run, "total_ns", wall);
	if (busy)
		bench_put(b->run, "cpu_ns", max_t(s64, busy - b->meter.busy_ns, 0));
}

/* Pages in per-CPU lists: some megabytes that the kernel does not count as free. */
static u64 pages_at_hand(void)
{
	struct zone *zone;
	u64 sum = 0;
	int nid, cpu;

	for_each_online_node(nid)
		for (zone = NODE_DATA(nid)->node_zones;
		     zone < NODE_DATA(nid)->node_zones + MAX_NR_ZONES; zone++)
			for_each_online_cpu(cpu)
				if (populated_zone(zone))
					sum += READ_ONCE(per_cpu_ptr(zone->per_cpu_pageset,
								     cpu)->count);
	return sum;
}

u64 bench_free_memory_now(void)
{
	struct sysinfo info;

	si_meminfo(&info);
	return (u64)info.freeram * info.mem_unit + pages_at_hand() * PAGE_SIZE;
}

u64 bench_free_memory(void)
{
	/* RCU frees threads and pools; pages_at_hand() counts their pages in per-CPU lists */
	rcu_barrier();
	return bench_free_memory_now();
}

u64 bench_shrunk_by(u64 before)
{
	u64 now = bench_free_memory();

	return before > now ? before - now : 0;
}

void bench_count_reset(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(bench_finished, cpu) = 0;
}

u64 bench_count_sum(void)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(bench_finished, cpu));
	return sum;
}

#define SHORTEST_US	20
#define LONGEST_US	2000

int bench_count_wait(u64 nr)
{
	u64 seen = bench_count_sum(), then = ktime_get_ns(), moved = then;
	u64 now, sum, sleep_us = 100;

	while (seen < nr) {
		bench_sleep_us(sleep_us);
		sum = bench_count_sum();
		now = ktime_get_ns();
		if (sum > seen) {
			/* half of the time that the rest takes at the rate of the last sleep */
			sleep_us = div64_u64((now - then) * (nr - min(sum, nr)),
					     (sum - seen) * 2 * NSEC_PER_USEC);
			sleep_us = clamp_t(u64, sleep_us, SHORTEST_US, LONGEST_US);
			moved = now;
		} else if (now - moved > 60 * NSEC_PER_SEC) {
			return -ETIMEDOUT;
		}
		seen = sum;
		then = now;
	}
	return seen == nr ? 0 : -EOVERFLOW;
}

int bench_compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

int bench_compare_u32(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

void bench_put_percentiles(struct bench_run *run, const char *prefix,
			   u32 *values, u32 nr)
{
	static const struct {
		const char *name;
		u32 percent;
	} wanted[] = { { "p50", 50 }, { "p90", 90 }, { "p99", 99 } };
	char key[32];
	int i;

	sort(values, nr, sizeof(*values), bench_compare_u32, NULL);
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		scnprintf(key, sizeof(key), "%s_%s", prefix, wanted[i].name);
		bench_put(run, key, values[(u64)(nr - 1) * wanted[i].percent / 100]);
	}
	scnprintf(key, sizeof(key), "%s_max", prefix);
	bench_put(run, key, values[nr - 1]);
}

u32 bench_wait_us(u64 from_ns, u64 to_ns)
{
	return bench_u32(div_u64(to_ns - min(from_ns, to_ns), NSEC_PER_USEC));
}

int bench_put_waits(struct bench *b, struct bench_wait *waits, u32 nr)
{
	u32 *waits_us = bench_zalloc(b, nr, sizeof(*waits_us)), i;
	u64 *starts_ns = bench_zalloc(b, nr, sizeof(*starts_ns));

	if (!waits_us || !starts_ns)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		waits_us[i] = bench_wait_us(waits[i].submit_ns, waits[i].start_ns);
		starts_ns[i] = waits[i].start_ns;
	}
	bench_put_percentiles(b->run, "wait", waits_us, nr);
	/* first in, first out: the i-th submit gets the i-th start */
	sort(starts_ns, nr, sizeof(*starts_ns), bench_compare_u64, NULL);
	for (i = 0; i < nr; i++)
		waits_us[i] = bench_wait_us(waits[i].submit_ns, starts_ns[i]);
	bench_put_percentiles(b->run, "fifo", waits_us, nr);
	return 0;
}
