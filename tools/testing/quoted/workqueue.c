// SPDX-License-Identifier: GPL-2.0
/*
 * What Documentation/workqueue.rst shows, compiled, see scripts/quotes.
 */
#include <linux/module.h>
#include <linux/slab.h>
/* quote Documentation/workqueue.rst 1 */

void leave(struct work_struct *work);
void leave(struct work_struct *work)
{
	queue_work(system_wq, work);
}
