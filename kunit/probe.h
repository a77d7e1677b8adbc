/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A function of the case's at a tracepoint of the pool's, or of the kernel's: the
 * moment between two steps of somebody else, each time.
 */
#ifndef WPOOL_KUNIT_PROBE_H
#define WPOOL_KUNIT_PROBE_H

#include "fixture.h"

/*
 * Call @fn with @data, and with what TP_PROTO() of the event @name says, until the
 * case has ended and its pools are gone. It runs with preemption off, under locks of
 * the pool's, and in all pools: it may not sleep, on PREEMPT_RT not even on a spin
 * lock. @data is memory of KUnit's that the case got before.
 */
void wpk_probe(struct kunit *test, const char *name, void *fn, void *data);

#endif /* WPOOL_KUNIT_PROBE_H */
