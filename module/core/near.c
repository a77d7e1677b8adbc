// SPDX-License-Identifier: GPL-2.0
/* Which CPUs share a cache, see near.h. */
#include "core/near.h"

#include <linux/moduleparam.h>
#include <linux/topology.h>

#include "compat.h"

static bool by_cache = true;
module_param(by_cache, bool, 0444);
MODULE_PARM_DESC(by_cache, "wake and steal first where the last-level cache is the same (default: Y)");

void wpool_near_look(struct wpool_site *site, int cpu)
{
	WRITE_ONCE(site->node, cpu_to_node(cpu));
	if (by_cache)
		WRITE_ONCE(site->cache, compat_cache_of(cpu));
}
