/* SPDX-License-Identifier: GPL-2.0 */
/* How idle workers expire: a timer sends away the coldest of them. */
#ifndef WPOOL_WORKERS_EXPIRE_H
#define WPOOL_WORKERS_EXPIRE_H

#include <linux/types.h>

struct timer_list;
struct wpool;

/** wpool_expire_arm() - arm the timer, if necessary: a worker parks, or the pool has one more */
void wpool_expire_arm(struct wpool *pool);

/* The attribute expiry_ms or min_workers changed: check the idle workers again */
void wpool_expire_rearm(struct wpool *pool);

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
