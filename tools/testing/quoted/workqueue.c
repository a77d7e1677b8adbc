// SPDX-License-Identifier: GPL-2.0
/* What the code in Documentation/workqueue.rst needs to compile; see scripts/quotes. */
#include <linux/module.h>
#include <linux/slab.h>
/* quote Documentation/workqueue.rst 1 */

void leave(struct work_struct *work);
void leave(struct work_struct *work)
{
	queue_work(system_wq, work);
}
