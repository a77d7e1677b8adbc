/* SPDX-License-Identifier: GPL-2.0 */
/* A task that dies, as the judge of the kernel's log expects it. */
#ifndef WPOOL_KUNIT_DIE_H
#define WPOOL_KUNIT_DIE_H

#include <linux/compiler.h>
#include <linux/printk.h>

/* The judge counts these. */
static inline void wpk_expect_oops(void)
{
	pr_info("wpool-expect: oops 1\n");
}

static inline void wpk_die(void)
{
	wpk_expect_oops();
	WRITE_ONCE(*(int *)8, 1);
}

#endif /* WPOOL_KUNIT_DIE_H */
