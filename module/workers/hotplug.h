/* SPDX-License-Identifier: GPL-2.0 */
/* CPUs that go offline and online while pools use them. */
#ifndef WPOOL_WORKERS_HOTPLUG_H
#define WPOOL_WORKERS_HOTPLUG_H

/** wpool_hotplug_init() - start to watch the CPUs; Return: 0 or -errno */
int wpool_hotplug_init(void);

/** wpool_hotplug_exit() - stop watching the CPUs, after the last pool */
void wpool_hotplug_exit(void);

#endif /* WPOOL_WORKERS_HOTPLUG_H */
