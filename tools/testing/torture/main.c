// SPDX-License-Identifier: GPL-2.0
/*
 * Start and stop. insmod returns at once. A thread runs the phase, waits until all its tasks have
 * ended, and sets the state to "done". An earlier rmmod ends the phase early.
 */
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/rcupdate.h>

#include "inject.h"
#include "torture.h"

unsigned long seed;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "of all decisions (default: random)");

unsigned int actors = 6;
module_param(actors, uint, 0444);
MODULE_PARM_DESC(actors, "threads that act at the same time, 1 to 64 (default: 6)");

unsigned int faults = 1000;
module_param(faults, uint, 0444);
MODULE_PARM_DESC(faults, "phase fault: tasks that die (default: 1000)");

unsigned int goods = 100000;
module_param(goods, uint, 0444);
MODULE_PARM_DESC(goods, "phase fault: tasks among them that must not notice (default: 100000)");

unsigned int rounds = 1000;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "phase release: how often pools are closed (default: 1000)");

unsigned int shuffle;
module_param(shuffle, uint, 0444);
MODULE_PARM_DESC(shuffle, "longest time in ms until threads are moved among CPUs again (default: 0, never)");

static unsigned int delays = 1;
module_param(delays, uint, 0444);
MODULE_PARM_DESC(delays, "threads stand still before they change the state of a task, on kernels with KUnit (default: 1)");

static char *phase = "nasty";
module_param(phase, charp, 0444);
MODULE_PARM_DESC(phase, "nasty, volume, event, watch, group, strand, loop, work, task, mixed, release or fault (default: nasty)");

/* A phase: its function or its kind of stage, and what it must count (SAW_*). */
struct phase {
	const char *name;
	void (*run)(u32 others);
	unsigned long sees;
	const struct stage_kind *stage;
};

static const struct phase phases[] = {
	{ "nasty", phase_nasty, BIT(SAW_DELAYS) | BIT(SAW_HOOKS) },
	{ "volume", phase_volume, BIT(SAW_DELAYS) | BIT(SAW_HOOKS) },
	{ "event", NULL, BIT(SAW_DELAYS), &event_stage },
	{ "watch", .stage = &watch_stage },
	{ "group", NULL, BIT(SAW_BEHALVES), &group_stage },
	{ "strand", NULL, BIT(SAW_OVERLAPS), &strand_stage },
	{ "loop", .stage = &loop_stage },
	{ "work", NULL, BIT(SAW_MOVES), &work_stage },
	{ "task", NULL, BIT(SAW_DELAYS) | BIT(SAW_SYNCS), &task_stage },
	{ "mixed", phase_mixed,
	  BIT(SAW_DELAYS) | BIT(SAW_HOOKS) | BIT(SAW_SYNCS) | BIT(SAW_MOVES) },
	{ "release", phase_release, BIT(SAW_RELEASES) },
	{ "fault", phase_fault },
};

static struct task_struct *conductor;

/* Wait until no other thread runs code of the module: tasks and open files may be about to end. */
static void await_users(void)
{
	unsigned long end = jiffies + TORTURE_PATIENCE;

	while (module_refcount(THIS_MODULE) && time_before(jiffies, end))
		msleep(20);
	torture_check(!module_refcount(THIS_MODULE), "%d users are left",
		      module_refcount(THIS_MODULE));
}

#if IS_ENABLED(CONFIG_KUNIT)

/* Delay one call in 64 by up to 31 us. Called in any context: the clock gives the random bits. */
static void stand_still(struct wpool_task *task)
{
	u32 what = hash_64(ktime_get_mono_fast_ns(), 32);

	if (what % 64)
		return;
	udelay(what >> 27);
	torture_saw(SAW_DELAYS, 1);
}

#endif

/*
 * On kernels with KUnit, threads stand still now and then, and counters of new pools start 60 or 4
 * steps below a wrap of all bits, or of the sign. With 4 steps, even a counter that changes only a
 * few times wraps.
 */
static void begin_injection(void)
{
#if IS_ENABLED(CONFIG_KUNIT)
	if (delays)
		wpool_inject_set_delay(stand_still);
	WRITE_ONCE(wpool_inject_start, (seed & 1 ? U32_MAX : S32_MAX) - (seed & 2 ? 60 : 4));
#endif
}

static void end_injection(void)
{
#if IS_ENABLED(CONFIG_KUNIT)
	WRITE_ONCE(wpool_inject_start, 0);
	if (!delays)
		return;
	wpool_inject_set_delay(NULL);
	/* wait for a thread that was preempted in stand_still() */
	synchronize_rcu_tasks();
#endif
}

/* Each SAW_* in @sees of the phase must have been counted at least once. */
static void check_seen(const struct phase *p)
{
	unsigned long what;

	for_each_set_bit(what, &p->sees, NR_SEEN)
		if (what != SAW_DELAYS || (IS_ENABLED(CONFIG_KUNIT) && delays))
			torture_check_saw(what);
}

static int conduct(void *data)
{
	const struct phase *p = data;
	u32 others;

	begin_injection();
	others = shuffle_start();
	if (p->stage)
		phase_stage(p->stage);
	else
		p->run(others);
	stutter_close();
	shuffle_stop();
	end_injection();
	check_seen(p);
	await_users();
	torture_set_state("done");
	torture_await_leave();
	torture_await_stop();
	return 0;
}

static int __init torture_init(void)
{
	int i;

	if (!actors || actors > 64)
		return -ERANGE;
	if (!seed)
		seed = get_random_u32();
	torture_begin();
	for (i = 0; i < ARRAY_SIZE(phases); i++) {
		if (strcmp(phases[i].name, phase))
			continue;
		torture_set_state(phases[i].name);
		tbehalf_init();
		conductor = kthread_run(conduct, (void *)&phases[i], "torture");
		if (IS_ERR(conductor))
			tbehalf_exit();
		return PTR_ERR_OR_ZERO(conductor);
	}
	return -EINVAL;
}

static void __exit torture_exit(void)
{
	torture_leave();
	kthread_stop(conductor);
	tbehalf_exit();
	torture_set_state("unloaded");
}

module_init(torture_init);
module_exit(torture_exit);

MODULE_DESCRIPTION("Torture for the worker pool");
MODULE_LICENSE("GPL");
