/* SPDX-License-Identifier: GPL-2.0 */
/* held.h - works that count their runs, on the kernel's workqueues and on wpool_wq's. */
#ifndef HELD_H
#define HELD_H

struct held_works {
	int (*create)(void);
	void (*queue)(int cpu);
	int (*ran)(void);
	int (*timer_cpu)(void);
	void (*destroy)(void);
};

extern const struct held_works held_on_kernel, held_on_wpool;

#endif
