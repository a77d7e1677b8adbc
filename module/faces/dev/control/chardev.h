/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/wpool: the pools for user space, see the ABI header. */
#ifndef WPOOL_CHARDEV_H
#define WPOOL_CHARDEV_H

/* Register the device. Sleeps. Returns 0 or -errno */
int wpool_chardev_init(void);

/*
 * Unregister the device and destroy all pools made through it. Sleeps, uninterruptibly, until their
 * tasks have ended. No file is open: each holds a reference to the module.
 */
void wpool_chardev_exit(void);

#endif /* WPOOL_CHARDEV_H */
