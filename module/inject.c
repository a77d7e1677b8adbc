// SPDX-License-Identifier: GPL-2.0
/* Fault injection, see inject.h. Has no effect until a probability or a fail-nth is set. */
#include "inject.h"

#if defined(CONFIG_FAULT_INJECTION) && defined(CONFIG_FAULT_INJECTION_DEBUG_FS)

#include <linux/debugfs.h>
#include <linux/fault-inject.h>

static DECLARE_FAULT_ATTR(spawn_attr);
static struct dentry *spawn_dir;

bool wpool_inject_spawn(void)
{
	return should_fail(&spawn_attr, 1);
}

void wpool_inject_init(void)
{
	/* beside the directories of the kernel's injection points */
	spawn_dir = fault_create_debugfs_attr("fail_wpool_spawn", NULL, &spawn_attr);
}

void wpool_inject_exit(void)
{
	debugfs_remove(spawn_dir);
}

#endif
