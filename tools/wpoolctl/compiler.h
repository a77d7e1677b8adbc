/* SPDX-License-Identifier: GPL-2.0 */
/* Macros of the kernel's headers that user space lacks. */
#ifndef WPOOLCTL_COMPILER_H
#define WPOOLCTL_COMPILER_H

#define ARRAY_SIZE(_array)	(sizeof(_array) / sizeof(*(_array)))

#define __maybe_unused		__attribute((unused))

#define BIT(_nr)		(1U << (_nr))

/* Argument @_format is a printf format, its values begin with @_values. */
#define __printf(_format, _values) __attribute((format(printf, _format, _values)))

#endif /* WPOOLCTL_COMPILER_H */
