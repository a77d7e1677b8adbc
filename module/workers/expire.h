/* SPDX-License-Identifier: GPL-2.0 */
/* How idle workers expire: a timer sends away the coldest of them. */
#ifndef WPOOL_WORKERS_EXPIRE_H
#define WPOOL_WORKERS_EXPIRE_H

#include <linux/types.h>

struct timer_list;
struct wpool;

/** wpool_expire_arm() - check in @ms at the latest which idle workers have expired, if any may */
void wpool_expire_arm(struct wpool *pool, u32 ms);

/** wpool_expire_count() - how many idle workers the pool can spare: racy */
u32 wpool_expire_count(struct wpool *pool);

/*
 * Send the coldest idle worker away, if it may expire and has been idle for 100 ms. Takes raw locks
 * only. Returns true if a worker was sent away.
 */
bool wpool_expire_early(struct wpool *pool);

/** wpool_expire_timer() - the function of pool->workers.expiry_timer */
void wpool_expire_timer(struct timer_list *timer);

#endif /* WPOOL_WORKERS_EXPIRE_H */
