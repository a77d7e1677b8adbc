// SPDX-License-Identifier: GPL-2.0
/* Other ways to create a pool: with a name that is made up, and for a device. */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/stdarg.h>
#include <linux/wpool.h>

struct wpool *wpool_create_named(const struct wpool_attrs *attrs, struct module *owner,
				 const char *fmt, ...)
{
	struct wpool_attrs named;
	struct wpool *pool;
	va_list args;

	if (!attrs)
		return ERR_PTR(-EINVAL);
	named = *attrs;
	va_start(args, fmt);
	named.name = kvasprintf(GFP_KERNEL, fmt, args);
	va_end(args);
	if (!named.name)
		return ERR_PTR(-ENOMEM);
	pool = wpool_create(&named, owner);
	kfree(named.name);
	return pool;
}
EXPORT_SYMBOL_GPL(wpool_create_named);

static void devm_destroy(void *pool)
{
	/* fails in a task of the pool only, and then the module's end destroys it */
	wpool_destroy(pool);
}

struct wpool *devm_wpool_create(struct device *dev, const struct wpool_attrs *attrs,
				struct module *owner)
{
	struct wpool *pool = wpool_create(attrs, owner);
	int err;

	if (IS_ERR(pool))
		return pool;
	err = devm_add_action_or_reset(dev, devm_destroy, pool);
	return err ? ERR_PTR(err) : pool;
}
EXPORT_SYMBOL_GPL(devm_wpool_create);
