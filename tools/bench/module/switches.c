// SPDX-License-Identifier: GPL-2.0
/* Marks at switches of threads and at ticks; tells the plugin which code to count separately. */
#include "bench.h"

#include <linux/hrtimer.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/wpool.h>

#include "mark.h"
#include "switches.h"

struct task_struct *bench_sleeper, *bench_blocker, *bench_parker;
static struct hrtimer *monitor;

static bool is_in_wpool(unsigned long address)
{
	char symbol[KSYM_SYMBOL_LEN];

	sprint_symbol(symbol, address);
	return strstr(symbol, "[wpool]");
}

static void on_switch(void *data, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state)
{
	if (prev == READ_ONCE(bench_sleeper))
		bench_mark(BENCH_MARK_OUT, BENCH_SLEEP);
	if (next == READ_ONCE(bench_sleeper))
		bench_mark(BENCH_MARK_IN, BENCH_SLEEP);
	if (prev == READ_ONCE(bench_blocker))
		bench_mark(BENCH_MARK_OUT, BENCH_BLOCK);
	if (next == READ_ONCE(bench_blocker))
		bench_mark(BENCH_MARK_IN, BENCH_BLOCK);
	if (prev == READ_ONCE(bench_parker)) {
		if (prev_state)
			bench_mark_end(BENCH_PARK);
		else
			bench_mark_drop(BENCH_PARK);
	}
	if (next == READ_ONCE(bench_parker))
		bench_mark_begin(BENCH_START);
}

/* The only soft timer among wpool's variables is the monitor's. */
static void on_timer(void *data, struct hrtimer *timer, ktime_t *now)
{
	if (!timer->is_soft || !is_in_wpool((unsigned long)timer))
		return;
	monitor = timer;
	bench_mark_begin(BENCH_LOOK);
}

static void on_timer_end(void *data, struct hrtimer *timer)
{
	if (timer == monitor)
		bench_mark_end(BENCH_LOOK);
}

static void on_tick(void *data, int vector)
{
	bench_mark(BENCH_MARK_TICK, 0);
}

struct search {
	const char *name;
	struct tracepoint *found;
};

static void look_at_tracepoint(struct tracepoint *tp, void *data)
{
	struct search *search = data;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

static struct watched {
	struct tracepoint *tp;
	void *probe;
} watches[4];
static int nr_watches;

int bench_watch(const char *name, void *probe)
{
	struct search search = { .name = name };
	int err;

	if (!IS_ENABLED(CONFIG_TRACEPOINTS))
		return -EOPNOTSUPP;
	for_each_kernel_tracepoint(look_at_tracepoint, &search);
	if (!search.found || WARN_ON_ONCE(nr_watches == ARRAY_SIZE(watches)))
		return -ENOENT;
	err = tracepoint_probe_register(search.found, probe, NULL);
	if (!err)
		watches[nr_watches++] = (struct watched){ search.found, probe };
	return err;
}

void bench_unwatch(void)
{
	struct watched *one;

	if (!IS_ENABLED(CONFIG_TRACEPOINTS))
		return;
	while (nr_watches) {
		one = &watches[--nr_watches];
		tracepoint_probe_unregister(one->tp, one->probe, NULL);
	}
	tracepoint_synchronize_unregister();
	bench_sleeper = NULL;
	bench_blocker = NULL;
	bench_parker = NULL;
}

int bench_watch_switches(void)
{
	return bench_watch("sched_switch", on_switch);
}

int bench_watch_looks(void)
{
	return bench_watch("hrtimer_expire_entry", on_timer) ?:
	       bench_watch("hrtimer_expire_exit", on_timer_end);
}

int bench_watch_ticks(void)
{
	return bench_watch("local_timer_entry", on_tick);
}

void bench_start_to_count(void)
{
	unsigned long from = (unsigned long)wpool_submit & PAGE_MASK, to = from;
	char range[40] = "0 0";

	if (is_in_wpool((unsigned long)wpool_submit)) {
		while (is_in_wpool(from - 1))
			from -= PAGE_SIZE;
		do {
			to += PAGE_SIZE;
		} while (is_in_wpool(to));
		scnprintf(range, sizeof(range), "%lx %lx", from, to);
	}
	bench_mark_text("watch ", range);
	/* give the plugin time to begin: this CPU becomes idle */
	bench_sleep_us(10000);
}
