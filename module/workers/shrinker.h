/* SPDX-License-Identifier: GPL-2.0 */
/* When memory is short, idle workers expire early. */
#ifndef WPOOL_WORKERS_SHRINKER_H
#define WPOOL_WORKERS_SHRINKER_H

int wpool_shrinker_init(void);

/** wpool_shrinker_exit() - unregister the shrinker, and wait for calls that are in progress */
void wpool_shrinker_exit(void);

#endif /* WPOOL_WORKERS_SHRINKER_H */
