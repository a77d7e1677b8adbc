/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of a case at tracepoints, to hit the moment between two steps of another thread. */
#ifndef WPOOL_KUNIT_PROBE_H
#define WPOOL_KUNIT_PROBE_H

#include "fixture.h"

/*
 * At each event @name of any pool, or of the kernel, call @fn with @data and the arguments of
 * TP_PROTO(), until the case has ended and its pools are gone. Locks of the pool may be held, so
 * @fn may not sleep, on PREEMPT_RT not even on a spin lock. On newer kernels, preemption may be on.
 * @data is memory of KUnit that the case has allocated before.
 */
void wpk_probe(struct kunit *test, const char *name, void *fn, void *data);

#endif /* WPOOL_KUNIT_PROBE_H */
