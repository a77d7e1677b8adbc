/* SPDX-License-Identifier: GPL-2.0 */
/* The pools in debugfs: the tables in /sys/kernel/debug/wpool/. */
#ifndef WPOOL_DEBUGFS_H
#define WPOOL_DEBUGFS_H

/* Create the tables. Does nothing without debugfs. Sleeps. */
int wpool_debugfs_init(void);

/* Remove the tables. Waits for readers. Sleeps */
void wpool_debugfs_exit(void);

#endif /* WPOOL_DEBUGFS_H */
