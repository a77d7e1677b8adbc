/* SPDX-License-Identifier: GPL-2.0 */
/* The parsers of the module, for whoever cannot include its headers. */
#ifndef WPOOL_FUZZ_KERNEL_PARSERS_H
#define WPOOL_FUZZ_KERNEL_PARSERS_H

#include <stdbool.h>
#include <stddef.h>

/* Each returns 0 or -errno. */
int kernel_limit(const char *buf, size_t count, unsigned int *value);
int kernel_number(const char *buf, size_t count, unsigned int *value);
int kernel_int(const char *buf, size_t count, int *value);
int kernel_bool(const char *buf, size_t count, bool *value);
int kernel_policy(const char *buf, size_t count, unsigned int *value);
int kernel_cpumask(const char *buf, size_t count);
int kernel_name(const char *name);

#endif /* WPOOL_FUZZ_KERNEL_PARSERS_H */
