# SPDX-License-Identifier: GPL-2.0
#
# The parsers of wpoolctl and of module/faces/sysfs.c, module/pool/attrs.c and the module's
# parameters, under libFuzzer with ASan and UBSan. Input that was found goes to
# $(OUT)/corpus, what breaks something to $(OUT)/crash-*; corpus/ holds seeds.

CLANG ?= clang
WPOOLCTL := $(TOP)/tools/wpoolctl
MODULE := $(TOP)/module
KERNEL_HEADER := $(TOP)/include/linux/wpool.h
include $(WPOOLCTL)/limits.mk

SANITIZE := -g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=all \
	    -fsanitize=fuzzer-no-link,address,undefined
USER_SOURCES := $(addprefix $(WPOOLCTL)/,errmsg.c parse.c cpulist.c work.c attrs.c \
		dev.c dev-explain.c sysfs.c)
USER_FLAGS := -I$(TOP)/include/uapi -D__SANE_USERSPACE_TYPES__ -D_GNU_SOURCE -std=gnu11 -Wall \
	      -DFUZZ_ONE=LLVMFuzzerTestOneInput $(LIMITS)
KERNEL_FLAGS := -Ishim -I$(TOP)/include -I$(MODULE) -include shim/kernel.h -std=gnu11 -Wall \
		'-DEXPORT_SYMBOL_GPL(symbol)=' \
		-Wno-unused-function -Wno-unused-const-variable -Wno-unused-variable
# Kernel headers that the parsers include and do not need.
SHIMS := atomic bits cpumask ctype device export gfp kernel kstrtox list module \
	 moduleparam sched/prio string sysfs types
SHIM_HEADERS := $(SHIMS:%=$(OUT)/shim/linux/%.h)
PARSER_FILES := $(OUT)/fuzz_parsers $(OUT)/kernel_parsers.o

parsers: $(OUT)/fuzz_parsers
	@mkdir -p $(OUT)/corpus
	cd $(OUT) && ./fuzz_parsers -max_total_time=$(SECONDS) -max_len=512 -timeout=5 \
		-print_final_stats=1 -verbosity=1 corpus $(CURDIR)/corpus

$(SHIM_HEADERS): | $(OUT)
	@mkdir -p $(@D)
	@: >$@

$(OUT)/kernel_parsers.o: kernel_parsers.c kernel_parsers.h shim/kernel.h \
		$(MODULE)/faces/sysfs.c $(MODULE)/pool/attrs.c parsers.mk $(SHIM_HEADERS) | deps
	$(CLANG) $(SANITIZE) $(KERNEL_FLAGS) -I$(OUT)/shim -c -o $@ kernel_parsers.c

$(OUT)/fuzz_parsers: fuzz_parsers.c $(OUT)/kernel_parsers.o $(USER_SOURCES) parsers.mk
	$(CLANG) $(SANITIZE) -fsanitize=fuzzer $(USER_FLAGS) -o $@ fuzz_parsers.c \
		$(USER_SOURCES) $(OUT)/kernel_parsers.o

deps:
	@$(TOP)/scripts/deps fuzz

.PHONY: parsers deps
