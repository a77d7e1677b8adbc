// SPDX-License-Identifier: GPL-2.0
/*
 * Only for the virtual machines of the tests. wpool takes the static key of the preempt notifiers
 * when it is loaded, and drops the key when it is unloaded. Each time the kernel patches its own
 * text, with a breakpoint. An emulator that runs several CPUs at once may execute the breakpoint
 * after the kernel has removed it. Then the machine hangs in the handler, about once in fifty
 * loads. This module holds the key, so that tests may load wpool often without any patching.
 */
#include <linux/module.h>
#include <linux/preempt.h>

static int __init keep_key_init(void)
{
#ifdef CONFIG_PREEMPT_NOTIFIERS
	preempt_notifier_inc();
#endif
	return 0;
}

static void __exit keep_key_exit(void)
{
#ifdef CONFIG_PREEMPT_NOTIFIERS
	preempt_notifier_dec();
#endif
}

module_init(keep_key_init);
module_exit(keep_key_exit);

MODULE_DESCRIPTION("Keeps the static key of the preempt notifiers switched on");
MODULE_LICENSE("GPL");
