// SPDX-License-Identifier: GPL-2.0
/*
 * CPU hotplug: CPUs that go offline and online while pools use them.
 *
 * When a CPU begins to go offline, its run queues are marked. From then on pushes go to the global
 * queue, workers of other CPUs may take what is queued there, and the CPU's workers move to a new
 * home as soon as they are in no task. Hotplug does not wait for them. Once the CPU is online
 * again, pools that may use it remove the mark. A run queue is made with its pool, or before its
 * CPU next comes online.
 */
#include "workers/affinity.h"

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/sched.h>

#include "core/registry.h"
#include "core/runq_alloc.h"

static enum cpuhp_state online_state, prepare_state;

struct change {
	int cpu;
	int err;
};

static void add_runq(struct wpool *pool, void *data)
{
	struct change *change = data;

	if (!change->err)
		change->err = wpool_runqs_add(pool, change->cpu, GFP_KERNEL);
}

/* Called before the CPU runs any code, because that code uses the CPU's run queues. */
static int cpu_prepare(unsigned int cpu)
{
	struct change change = { .cpu = cpu };

	wpool_pools_walk(add_runq, &change);
	return change.err;
}

static int cpu_up(unsigned int cpu)
{
	/* once more, for new pools: an administrator may have stopped the CPU half-way up */
	int err = cpu_prepare(cpu);

	if (!err)
		wpool_affinity_set_usable(cpu, true);
	return err;
}

static int cpu_down_begins(unsigned int cpu)
{
	wpool_affinity_set_usable(cpu, false);
	return 0;
}

int wpool_hotplug_init(void)
{
	int ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "wpool:prepare",
					cpu_prepare, NULL);
	if (ret < 0)
		return ret;
	prepare_state = ret;
	/* calls cpu_up() for each CPU that is online */
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "wpool:online", cpu_up, cpu_down_begins);
	if (ret < 0) {
		cpuhp_remove_state_nocalls(prepare_state);
		return ret;
	}
	online_state = ret;
	return 0;
}

void wpool_hotplug_exit(void)
{
	cpuhp_remove_state_nocalls(online_state);
	cpuhp_remove_state_nocalls(prepare_state);
}
