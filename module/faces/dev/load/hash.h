/* SPDX-License-Identifier: GPL-2.0 */
/* The workload hash of /dev/wpool. */
#ifndef WPOOL_DEV_HASH_H
#define WPOOL_DEV_HASH_H

#include "faces/dev/load/load.h"

/*
 * Hash load->arg bytes; the result is in load->hash. @load: an initialised run of the kind
 * WPOOL_WORK_HASH. Process context; reschedules. Returns 0; -ECANCELED.
 */
int wpool_hash_run(struct wpool_workload *load);

#endif /* WPOOL_DEV_HASH_H */
