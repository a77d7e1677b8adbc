/* SPDX-License-Identifier: GPL-2.0 */
/* Pools left behind: their module is unloaded and has not called wpool_destroy(). */
#ifndef WPOOL_POOL_LEFT_H
#define WPOOL_POOL_LEFT_H

/** wpool_left_init() - watch for modules that are unloaded; Return: 0 or -errno */
int wpool_left_init(void);

/** wpool_left_exit() - destroy every pool that is left, except the default one */
void wpool_left_exit(void);

#endif /* WPOOL_POOL_LEFT_H */
