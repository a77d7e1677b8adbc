/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of one argument as tasks. */
#ifndef WPOOL_FUNC_H
#define WPOOL_FUNC_H

/**
 * wpool_func_show() - name the function that the calling task really runs
 * @func: shown by debugfs and the report of a fault instead of the task's own
 *	function, until the task returns
 *
 * Context: a task; does nothing if that runs outside of a worker.
 */
void wpool_func_show(void *func);

#endif /* WPOOL_FUNC_H */
