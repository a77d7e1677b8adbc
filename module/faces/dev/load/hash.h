/* SPDX-License-Identifier: GPL-2.0 */
/* The workload hash of /dev/wpool. */
#ifndef WPOOL_DEV_HASH_H
#define WPOOL_DEV_HASH_H

#include "faces/dev/load/load.h"

/**
 * wpool_hash_run() - hash as many bytes as the run says
 * @load: an initialised run of the kind WPOOL_WORK_HASH; its hash gets the result
 *
 * Context: process context; reschedules.
 * Return: 0; -ECANCELED.
 */
int wpool_hash_run(struct wpool_workload *load);

#endif /* WPOOL_DEV_HASH_H */
