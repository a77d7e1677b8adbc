// SPDX-License-Identifier: GPL-2.0
/* The code that Documentation/workqueue.rst quotes, to compile it; see scripts/quotes. */
#include <linux/module.h>
#include <linux/slab.h>
/* quote Documentation/workqueue.rst 1 */

void leave(struct work_struct *work);
void leave(struct work_struct *work)
{
	queue_work(system_wq, work);
}
