# SPDX-License-Identifier: GPL-2.0
#
# LIMITS: compiler flags that define WPOOL_MAX_*. The table of attributes
# (module/pool/attr_table.h) uses them. KERNEL_HEADER is include/linux/wpool.h, a kernel header.
LIMITS	:= $(shell sed -n "s/^.define \(WPOOL_MAX_[A-Z_]*\)[[:space:]]*\(.*\)/-D\1='\2'/p" \
	   $(KERNEL_HEADER))
