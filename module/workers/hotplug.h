/* SPDX-License-Identifier: GPL-2.0 */
/* CPUs that go offline and online while pools use them. */
#ifndef WPOOL_WORKERS_HOTPLUG_H
#define WPOOL_WORKERS_HOTPLUG_H

int wpool_hotplug_init(void);
void wpool_hotplug_exit(void);

#endif /* WPOOL_WORKERS_HOTPLUG_H */
