// SPDX-License-Identifier: GPL-2.0
/* Marks where threads leave and enter a CPU, and the text that is counted apart: see paths.c. */
#include "bench.h"

#include <linux/err.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/wpool.h>

#include "mark.h"
#include "switches.h"

struct task_struct *bench_sleeper, *bench_blocker, *bench_parker;

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

static void look_at_tracepoint(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "sched_switch"))
		*(struct tracepoint **)data = tp;
}

struct tracepoint *bench_watch_switches(void)
{
	struct tracepoint *found = NULL;
	int err;

	if (!IS_ENABLED(CONFIG_TRACEPOINTS))
		return ERR_PTR(-EOPNOTSUPP);
	for_each_kernel_tracepoint(look_at_tracepoint, &found);
	if (!found)
		return ERR_PTR(-ENOENT);
	err = tracepoint_probe_register(found, on_switch, NULL);
	return err ? ERR_PTR(err) : found;
}

void bench_ignore_switches(struct tracepoint *tp)
{
	tracepoint_probe_unregister(tp, on_switch, NULL);
	tracepoint_synchronize_unregister();
	bench_sleeper = NULL;
	bench_blocker = NULL;
	bench_parker = NULL;
}

static bool is_in_wpool(unsigned long address)
{
	char symbol[KSYM_SYMBOL_LEN];

	sprint_symbol(symbol, address);
	return strstr(symbol, "[wpool]");
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
	/* the emulator changes its mind when a CPU has nothing to do */
	bench_sleep_us(10000);
}
