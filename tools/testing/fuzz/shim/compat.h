/* SPDX-License-Identifier: GPL-2.0 */
/* Replaces module/compat.h, which is about kernel versions. */
#ifndef WPOOL_FUZZ_COMPAT_H
#define WPOOL_FUZZ_COMPAT_H

#define COMPAT_BIN_ATTR		struct bin_attribute

#endif /* WPOOL_FUZZ_COMPAT_H */
