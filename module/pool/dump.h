/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of every pool, as text: its queues, its workers with their tasks and stacks, waiting
 * submitters, and why tasks wait. sysrq-x, a panic, a stall and debugfs print it.
 */
#ifndef WPOOL_POOL_DUMP_H
#define WPOOL_POOL_DUMP_H

struct seq_file;
struct wpool;

/*
 * Print one pool to @seq, or, with the stacks of workers, to the kernel's log. Only tries to take
 * locks: works even if other CPUs have stopped in the middle of anything. Under RCU.
 */
void wpool_dump(struct wpool *pool, struct seq_file *seq);

/** wpool_dump_init() - let sysrq-x and a panic print the pools; sleeps; Return: 0 */
int wpool_dump_init(void);

/** wpool_dump_exit() - undo wpool_dump_init(); sleeps */
void wpool_dump_exit(void);

#endif /* WPOOL_POOL_DUMP_H */
