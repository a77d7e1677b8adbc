/* SPDX-License-Identifier: GPL-2.0 */
/* The face of the pools in debugfs: the tables in /sys/kernel/debug/wpool/. */
#ifndef WPOOL_DEBUGFS_H
#define WPOOL_DEBUGFS_H

/**
 * wpool_debugfs_init() - create the tables
 *
 * Without debugfs, or if that fails, there are no tables, and nothing else
 * changes.
 *
 * Context: process context; sleeps.
 */
void wpool_debugfs_init(void);

/**
 * wpool_debugfs_exit() - remove the tables
 *
 * Waits for readers.
 *
 * Context: process context; sleeps.
 */
void wpool_debugfs_exit(void);

#endif /* WPOOL_DEBUGFS_H */
