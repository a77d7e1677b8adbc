/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A pool with the attributes that it has by default, for tests that change them in
 * sysfs.
 */
#ifndef SYSFS_ATTRS_H
#define SYSFS_ATTRS_H

#include "wpool_test.h"

FIXTURE(attrs)
{
	struct pool pool;
};

FIXTURE_SETUP(attrs)
{
	ASSERT_EQ(0, pool_create(&self->pool, NULL));
}

FIXTURE_TEARDOWN(attrs)
{
	pool_end(&self->pool);
}

#endif /* SYSFS_ATTRS_H */
