# SPDX-License-Identifier: GPL-2.0
#
# LIMITS: what the table of attributes (module/pool/attr_table.h) calls by the names of
# include/linux/wpool.h, which is no header for user space. KERNEL_HEADER is that file.
LIMITS	:= $(shell sed -n "s/^.define \(WPOOL_MAX_[A-Z_]*\)[[:space:]]*\(.*\)/-D\1='\2'/p" \
	   $(KERNEL_HEADER))
