/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel's headers have and user space's do not. */
#ifndef WPOOLCTL_COMPILER_H
#define WPOOLCTL_COMPILER_H

#define ARRAY_SIZE(_array)	(sizeof(_array) / sizeof(*(_array)))

#define __maybe_unused		__attribute((unused))

#define BIT(_nr)		(1U << (_nr))

/* Argument @_format is a printf format, its values begin with @_values. */
#define __printf(_format, _values) __attribute((format(printf, _format, _values)))

#endif /* WPOOLCTL_COMPILER_H */
