// SPDX-License-Identifier: GPL-2.0
/*
 * CPU hotplug.
 *
 * When a CPU begins to go down, its run queues are marked. Pushes then go to the global
 * queue, and its workers move to a new home as soon as they are in no task. Hotplug does
 * not wait for them. When the CPU is down, the tasks in its rings move to the global
 * queue. When a CPU comes up, its run queues are marked as usable again.
 */
#include "workers/hotplug.h"

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>

#include "core/registry.h"
#include "core/sched.h"
#include "core/state.h"
#include "workers/place.h"

static enum cpuhp_state online_state, dead_state;

struct change {
	int cpu;
	int dying;
};

static void place(struct wpool *pool, void *data)
{
	struct change *change = data;

	mutex_lock(&pool->tune_mutex);
	wpool_place(pool, change->dying);
	mutex_unlock(&pool->tune_mutex);
}

static int cpu_up(unsigned int cpu)
{
	struct change change = { .cpu = cpu, .dying = -1 };

	wpool_pools_walk(place, &change);
	return 0;
}

static int cpu_down_begins(unsigned int cpu)
{
	struct change change = { .cpu = cpu, .dying = cpu };

	wpool_pools_walk(place, &change);
	return 0;
}

static void drain(struct wpool *pool, void *data)
{
	struct change *change = data;

	/* again: a thread that tuned or created a pool meanwhile saw the CPU as online */
	place(pool, data);
	wpool_sched_drain(wpool_runq(pool, change->cpu), true);
}

static int cpu_down_ended(unsigned int cpu)
{
	struct change change = { .cpu = cpu, .dying = -1 };

	wpool_pools_walk(drain, &change);
	return 0;
}

int wpool_hotplug_init(void)
{
	struct change change = { .cpu = -1, .dying = -1 };
	int ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "wpool:dead",
					NULL, cpu_down_ended);
	if (ret < 0)
		return ret;
	dead_state = ret;
	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "wpool:online",
					cpu_up, cpu_down_begins);
	if (ret < 0) {
		cpuhp_remove_state_nocalls(dead_state);
		return ret;
	}
	online_state = ret;
	/* the default pool was created before this */
	cpus_read_lock();
	wpool_pools_walk(place, &change);
	cpus_read_unlock();
	return 0;
}

void wpool_hotplug_exit(void)
{
	cpuhp_remove_state_nocalls(online_state);
	cpuhp_remove_state_nocalls(dead_state);
}
