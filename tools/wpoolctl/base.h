/* SPDX-License-Identifier: GPL-2.0 */
/* What every file needs, itself or through its headers: the C library, macros of the kernel. */
#ifndef WPOOLCTL_BASE_H
#define WPOOLCTL_BASE_H

#include <errno.h>
#include <limits.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARRAY_SIZE(_array)	(sizeof(_array) / sizeof(*(_array)))

#define __maybe_unused		__attribute((unused))

#define BIT(_nr)		(1U << (_nr))

/* The smaller and the larger of two numbers, as the type of the first. */
#define min(_a, _b)	({ __auto_type a_ = (_a); __typeof__(a_) b_ = (_b); a_ < b_ ? a_ : b_; })
#define max(_a, _b)	({ __auto_type a_ = (_a); __typeof__(a_) b_ = (_b); a_ > b_ ? a_ : b_; })

/* Argument @_format is a printf format, its values begin with @_values. */
#define __printf(_format, _values) __attribute((format(printf, _format, _values)))

#endif /* WPOOLCTL_BASE_H */
