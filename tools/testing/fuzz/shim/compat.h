/* SPDX-License-Identifier: GPL-2.0 */
/* In place of module/compat.h, which is about versions of the kernel. */
#ifndef WPOOL_FUZZ_COMPAT_H
#define WPOOL_FUZZ_COMPAT_H

#define COMPAT_BIN_ATTR		struct bin_attribute

#endif /* WPOOL_FUZZ_COMPAT_H */
