/* SPDX-License-Identifier: GPL-2.0 */
/* CPUs that come and go while pools use them. */
#ifndef WPOOL_HOTPLUG_H
#define WPOOL_HOTPLUG_H

/** wpool_hotplug_init() - watch the CPUs; Return: 0 or -errno */
int wpool_hotplug_init(void);

/** wpool_hotplug_exit() - no more; no pool is left */
void wpool_hotplug_exit(void);

#endif /* WPOOL_HOTPLUG_H */
