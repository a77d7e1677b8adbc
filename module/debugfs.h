/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The face of a pool in debugfs: /sys/kernel/debug/wpool/<pool>/.
 */
#ifndef WPOOL_DEBUGFS_H
#define WPOOL_DEBUGFS_H

/**
 * wpool_debugfs_init() - make directories for the pools there are and will be
 *
 * To be called once the class is registered. Without debugfs, or when that
 * fails, there are no tables and nothing else is different.
 *
 * Context: process context; sleeps.
 */
void wpool_debugfs_init(void);

/**
 * wpool_debugfs_exit() - remove them
 *
 * Waits for readers.
 *
 * Context: process context; sleeps.
 */
void wpool_debugfs_exit(void);

#endif /* WPOOL_DEBUGFS_H */
