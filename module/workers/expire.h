/* SPDX-License-Identifier: GPL-2.0 */
/* How idle workers expire: a timer, or the shrinker if memory is short, sends the coldest away. */
#ifndef WPOOL_WORKERS_EXPIRE_H
#define WPOOL_WORKERS_EXPIRE_H

#include <linux/types.h>

struct timer_list;
struct wpool;

/** wpool_expire_arm() - check in @ms at the latest which idle workers have expired, if any may */
void wpool_expire_arm(struct wpool *pool, u32 ms);

/** wpool_expire_timer() - the function of pool->workers.expiry_timer */
void wpool_expire_timer(struct timer_list *timer);

int wpool_shrinker_init(void);
/** wpool_shrinker_exit() - unregister the shrinker, and wait for calls that are in progress */
void wpool_shrinker_exit(void);

#endif /* WPOOL_WORKERS_EXPIRE_H */
