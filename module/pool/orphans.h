/* SPDX-License-Identifier: GPL-2.0 */
/* Pools of modules that are unloaded and have not called wpool_destroy(). */
#ifndef WPOOL_POOL_ORPHANS_H
#define WPOOL_POOL_ORPHANS_H

/** wpool_orphans_init() - watch for modules that are unloaded; Return: 0 or -errno */
int wpool_orphans_init(void);

/** wpool_orphans_exit() - destroy every remaining pool, except the default one */
void wpool_orphans_exit(void);

#endif /* WPOOL_POOL_ORPHANS_H */
