/* SPDX-License-Identifier: GPL-2.0 */
/* The parsers of the module, for a file that cannot include the kernel's headers. */
#ifndef WPOOL_FUZZ_KERNEL_PARSERS_H
#define WPOOL_FUZZ_KERNEL_PARSERS_H

#include <stdbool.h>
#include <stddef.h>

/* A value of the attribute @name, which is one of module/pool/attr_table.h. */
struct kernel_value {
	const char *name;
	long long value;
};

/* Each returns 0 or -errno. */
int kernel_attr(const char *buf, size_t count, struct kernel_value *value);
int kernel_cpumask(const char *buf, size_t count);
int kernel_name(const char *name);

/* Is the value allowed if the values of the other attributes do not matter? */
bool kernel_allows(const struct kernel_value *value);

/* Would the kernel create a pool with these values, and defaults for the rest? */
bool kernel_creates(const struct kernel_value *values, size_t nr);

#endif /* WPOOL_FUZZ_KERNEL_PARSERS_H */
