/* SPDX-License-Identifier: GPL-2.0 */
/* The works that serve the queues of core/tidy_queue.h. */
#ifndef WPOOL_WORKERS_TIDY_H
#define WPOOL_WORKERS_TIDY_H

struct work_struct;

/** wpool_tidy_serve() - the work of each queue */
void wpool_tidy_serve(struct work_struct *work);

#endif /* WPOOL_WORKERS_TIDY_H */
