/* SPDX-License-Identifier: GPL-2.0 */
/* The parsers of the module, for whoever cannot include its headers. */
#ifndef WPOOL_FUZZ_KERNEL_PARSERS_H
#define WPOOL_FUZZ_KERNEL_PARSERS_H

#include <stddef.h>

/* Each returns 0 or -errno. */
int kernel_attr(const char *name, const char *buf, size_t count, long long *value);
int kernel_cpumask(const char *buf, size_t count);
int kernel_name(const char *name);

#endif /* WPOOL_FUZZ_KERNEL_PARSERS_H */
