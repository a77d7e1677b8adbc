// SPDX-License-Identifier: GPL-2.0
/*
 * Functions at tracepoints, see probe.h. The pool does not export its tracepoints, but the kernel
 * lists those of each module. The pool's module stays loaded, because this module uses it.
 */
#include <kunit/resource.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "probe.h"

#ifdef CONFIG_TRACEPOINTS

struct probe {
	struct tracepoint *tp;
	void *fn;
	void *data;
};

struct search {
	struct notifier_block nb;
	const char *name;
	struct tracepoint *found;
};

static int look_into(struct notifier_block *nb, unsigned long state, void *data)
{
	struct search *search = container_of(nb, struct search, nb);
	struct module *mod = ((struct tp_module *)data)->mod;
	struct tracepoint *tp;
	unsigned int i;

	for (i = 0; i < mod->num_tracepoints; i++) {
		tp = tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]);
		if (!strcmp(tp->name, search->name))
			search->found = tp;
	}
	return NOTIFY_OK;
}

static void look_at(struct tracepoint *tp, void *data)
{
	struct search *search = data;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

static struct tracepoint *find(const char *name)
{
	struct search search = { .nb.notifier_call = look_into, .name = name };

	for_each_kernel_tracepoint(look_at, &search);
	if (search.found)
		return search.found;
	/* this calls the notifier for modules that are loaded already */
	if (register_tracepoint_module_notifier(&search.nb))
		return NULL;
	unregister_tracepoint_module_notifier(&search.nb);
	return search.found;
}

static void remove(void *data)
{
	struct probe *probe = data;

	tracepoint_probe_unregister(probe->tp, probe->fn, probe->data);
	/* wait until no thread is in the function any more */
	tracepoint_synchronize_unregister();
}

void wpk_probe(struct kunit *test, const char *name, void *fn, void *data)
{
	struct probe *probe = wpk_alloc(test, sizeof(*probe));

	probe->tp = find(name);
	KUNIT_ASSERT_NOT_NULL_MSG(test, probe->tp, "no tracepoint %s", name);
	probe->fn = fn;
	probe->data = data;
	KUNIT_ASSERT_EQ(test, tracepoint_probe_register(probe->tp, fn, data), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, remove, probe), 0);
}

#else

void wpk_probe(struct kunit *test, const char *name, void *fn, void *data)
{
	kunit_skip(test, "no tracepoints");
}

#endif /* CONFIG_TRACEPOINTS */
