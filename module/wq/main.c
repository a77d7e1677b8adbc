// SPDX-License-Identifier: GPL-2.0
/* wpool_wq: workqueues on pools of wpool. This file makes the queue that is always there. */
#include <linux/export.h>
#include <linux/module.h>

#include "wq/wq.h"

static struct wpool_wq *default_wq;

struct wpool_wq *wpool_wq_default(void)
{
	return default_wq;
}
EXPORT_SYMBOL_GPL(wpool_wq_default);

static int __init wpool_wq_init(void)
{
	default_wq = wpool_wq_create(THIS_MODULE, 0, 0, "wq");
	return default_wq ? 0 : -ENOMEM;
}

static void __exit wpool_wq_exit(void)
{
	/* the modules whose works might be in it are gone, or keep this one loaded */
	wpool_wq_destroy(default_wq);
}

module_init(wpool_wq_init);
module_exit(wpool_wq_exit);

MODULE_DESCRIPTION("Workqueues on pools of wpool");
MODULE_AUTHOR("The wpool developers");
MODULE_VERSION(WPOOL_VERSION);
MODULE_LICENSE("GPL");
