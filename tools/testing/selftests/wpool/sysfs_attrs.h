/* SPDX-License-Identifier: GPL-2.0 */
/* A pool with default attributes, for tests that change them in sysfs. */
#ifndef SYSFS_ATTRS_H
#define SYSFS_ATTRS_H

#include "wpool_test.h"

ONE_POOL(attrs, NULL)

#endif /* SYSFS_ATTRS_H */
