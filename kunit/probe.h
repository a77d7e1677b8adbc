/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of a case at tracepoints, to hit the moment between two steps of another thread. */
#ifndef WPOOL_KUNIT_PROBE_H
#define WPOOL_KUNIT_PROBE_H

#include "fixture.h"

/*
 * Call @fn with @data, and then with the arguments of TP_PROTO() of event @name, until the case has
 * ended and its pools are gone. @fn is called with preemption off, under locks of the pool, and for
 * all pools: @fn may not sleep, on PREEMPT_RT not even on a spin lock. @data is memory of KUnit
 * that the case has allocated before.
 */
void wpk_probe(struct kunit *test, const char *name, void *fn, void *data);

#endif /* WPOOL_KUNIT_PROBE_H */
