/* SPDX-License-Identifier: GPL-2.0 */
/* When memory is short, idle workers expire early. */
#ifndef WPOOL_WORKERS_SHRINKER_H
#define WPOOL_WORKERS_SHRINKER_H

/** wpool_shrinker_init() - register the shrinker; Context: process context; Return: 0 or -errno */
int wpool_shrinker_init(void);

/** wpool_shrinker_exit() - unregister the shrinker, and wait for calls that are in progress */
void wpool_shrinker_exit(void);

#endif /* WPOOL_WORKERS_SHRINKER_H */
