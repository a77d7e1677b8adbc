/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks: messages of the benchmark module to the emulator's plugin, tools/bench/plugin.
 *
 * A mark is one instruction without effect, nopl DISP(%rax), whose DISP is the message. The plugin
 * recognises the instruction when it is translated. Without the plugin, and on hardware, it costs
 * as much as any other nop.
 *
 *	BEGIN id, END id	between them this CPU performs one operation of path id
 *	END_AWAY id		END if the operation's thread has left its CPU meanwhile, else DROP
 *	DROP id			forget the operation that has begun
 *	OUT id, IN id		the operation's thread leaves its CPU, and comes back, perhaps
 *				on another one
 *	FROM, TO		between them the locked instructions and the turns of all CPUs
 *				are counted
 *	TURN			this CPU begins the next turn of a repeated operation
 *	TICK			a clock interrupt came: do not count this turn
 *	ZERO, ONE		a bit of text, see bench_mark_text()
 *
 * This file is shared with the plugin.
 */
#ifndef WPOOL_BENCH_MARK_H
#define WPOOL_BENCH_MARK_H

/* nopl DISP32(%rax) is 0f 1f 80 and four bytes of DISP32. */
#define BENCH_MARK_MAGIC	0x57500000
#define BENCH_MARK_DISP(op, id)	(BENCH_MARK_MAGIC | (op) << 8 | (id))

enum bench_mark_op {
	BENCH_MARK_BEGIN = 1,
	BENCH_MARK_END,
	BENCH_MARK_END_AWAY,
	BENCH_MARK_DROP,
	BENCH_MARK_OUT,
	BENCH_MARK_IN,
	BENCH_MARK_FROM,
	BENCH_MARK_TO,
	BENCH_MARK_ZERO,
	BENCH_MARK_ONE,
	BENCH_MARK_TURN,
	BENCH_MARK_TICK,
};

/* The paths, in the order of the reports; path_names in plugin/counts.c has their names. */
enum bench_path {
	BENCH_KNOWN,
	BENCH_SUBMIT,
	BENCH_BATCH,
	BENCH_RUN,
	BENCH_SPAWN,
	BENCH_WAIT,
	BENCH_SLEEP,
	BENCH_HELP,
	BENCH_CANCEL,
	BENCH_REFUSE,
	BENCH_BLOCK,
	BENCH_SERVE,
	BENCH_PARK,
	BENCH_WAKE,
	BENCH_START,
	BENCH_LOOK,
	NR_BENCH_PATHS,
};

#ifdef __KERNEL__
#include <linux/compiler.h>
#endif

static __always_inline void bench_mark(const enum bench_mark_op op,
				       const enum bench_path path)
{
#ifdef __x86_64__
	asm volatile("nopl %c0(%%rax)" : : "i" (BENCH_MARK_DISP(op, path)) : "memory");
#endif
}

static __always_inline void bench_mark_begin(const enum bench_path path)
{
	bench_mark(BENCH_MARK_BEGIN, path);
}

static __always_inline void bench_mark_end(const enum bench_path path)
{
	bench_mark(BENCH_MARK_END, path);
}

static __always_inline void bench_mark_end_away(const enum bench_path path)
{
	bench_mark(BENCH_MARK_END_AWAY, path);
}

static __always_inline void bench_mark_drop(const enum bench_path path)
{
	bench_mark(BENCH_MARK_DROP, path);
}

/*
 * A line of text for the plugin:
 *
 *	watch FROM TO	count operations from now on, and separately the instructions
 *			between these addresses; only the first watch counts
 *	report WHAT	write the counts since the last report
 */
static inline void bench_mark_char(char c)
{
	int bit;

	for (bit = 0; bit < 8; bit++) {
		if (c >> bit & 1)
			bench_mark(BENCH_MARK_ONE, 0);
		else
			bench_mark(BENCH_MARK_ZERO, 0);
	}
}

/* Send a line: @word, then @rest. */
static inline void bench_mark_text(const char *word, const char *rest)
{
	while (*word)
		bench_mark_char(*word++);
	while (*rest)
		bench_mark_char(*rest++);
	bench_mark_char('\0');
}

#endif /* WPOOL_BENCH_MARK_H */
