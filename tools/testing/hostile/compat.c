// SPDX-License-Identifier: GPL-2.0
/*
 * Compiled for 32 bits: the structures of /dev/wpool have no padding, and the sizes that they have
 * with 64 bits. The compilation is the test. The fuzzer makes one ioctl in eight as a 32-bit
 * program does.
 */
#include <linux/wpool.h>

#define SIZE(type, size)	static_assert(sizeof(struct wpool_dev_##type) == (size), #type)

SIZE(attrs, 96);
SIZE(create, 136);
SIZE(attach, 40);
SIZE(tune, 104);
SIZE(release, 16);
SIZE(simple, 8);
SIZE(work, 32);
SIZE(submit, 32);
SIZE(record, 40);
SIZE(wait, 16);
SIZE(cancel, 24);
SIZE(group, 16);
SIZE(cgroup, 16);
SIZE(stats, 728);
SIZE(info, 136);
