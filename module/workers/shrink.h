/* SPDX-License-Identifier: GPL-2.0 */
/* When memory is short, idle workers expire early. */
#ifndef WPOOL_WORKERS_SHRINK_H
#define WPOOL_WORKERS_SHRINK_H

/** wpool_shrink_init() - from now on; Context: process context; Return: 0 or -errno */
int wpool_shrink_init(void);

/** wpool_shrink_exit() - no longer; waits for looks that are in progress */
void wpool_shrink_exit(void);

#endif /* WPOOL_WORKERS_SHRINK_H */
