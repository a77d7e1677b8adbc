# SPDX-License-Identifier: GPL-2.0
#
# The parsers of wpoolctl and of module/faces/sysfs.c and module/pool/attrs.c in user space,
# with ASan and UBSan; corpus/ holds seeds.
#
#   parsers		under libFuzzer, which needs clang. It writes new inputs to
#			$(OUT)/corpus, and inputs that fail to $(OUT)/crash-*.
#   replay_parsers	the same sources with $(CC), for the tests: see replay_parsers.c

CLANG ?= clang
WPOOLCTL := $(TOP)/tools/wpoolctl
MODULE := $(TOP)/module
KERNEL_HEADER := $(TOP)/include/linux/wpool.h
include $(WPOOLCTL)/limits.mk

SANITIZERS := -fsanitize=address,undefined
SANITIZE := -g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=all
USER_SOURCES := $(addprefix $(WPOOLCTL)/,alloc.c errmsg.c parse.c cpulist.c work.c amount.c attrs.c \
		cli.c dev.c dev-explain.c hist.c sysfs.c ini.c)
USER_FLAGS := -I$(TOP)/include/uapi -D__SANE_USERSPACE_TYPES__ -D_GNU_SOURCE -std=gnu11 -Wall \
	      -DFUZZ_ONE=LLVMFuzzerTestOneInput $(LIMITS)
KERNEL_FLAGS := -Ishim -I$(TOP)/include -I$(MODULE) -include shim/kernel.h -std=gnu11 -Wall \
		-Wno-unused-function -Wno-unused-const-variable -Wno-unused-variable

# Each kernel header that these files include is an empty file; shim/kernel.h has what the parsers
# need.
KERNEL_SOURCES := $(KERNEL_HEADER) $(addprefix $(MODULE)/,faces/sysfs.c faces/sysfs.h \
		  pool/attrs.c pool/attrs.h pool/attr_table.h pool/figure_table.h \
		  pool/stats.h pool/tune.h core/pressure.h)
SHIM_HEADERS := $(filter-out %/linux/wpool.h,$(sort $(shell sed -n \
		's,^.include <\(linux/.*\.h\)>.*,$(OUT)/shim/\1,p' $(KERNEL_SOURCES))))

PARSER_FILES := $(addprefix $(OUT)/,fuzz_parsers kernel_parsers.o \
		replay_parsers kernel_parsers-replay.o probe)
# A superset of the included files, so that none is missing.
KERNEL_DEPENDS := kernel_parsers.c kernel_parsers.h $(wildcard shim/*.h) $(KERNEL_SOURCES) \
		  parsers.mk $(SHIM_HEADERS)
USER_DEPENDS := fuzz_parsers.c kernel_parsers.h $(USER_SOURCES) $(wildcard $(WPOOLCTL)/*.h) \
		$(TOP)/include/uapi/linux/wpool.h $(wildcard $(MODULE)/pool/*_table.h) \
		$(KERNEL_HEADER) $(WPOOLCTL)/limits.mk parsers.mk

parsers: $(OUT)/fuzz_parsers
	@mkdir -p $(OUT)/corpus
	cd $(OUT) && ./fuzz_parsers -max_total_time=$(SECONDS) -max_len=512 -timeout=5 \
		-print_final_stats=1 -verbosity=1 corpus $(CURDIR)/corpus

replay_parsers: $(OUT)/replay_parsers

$(SHIM_HEADERS): | $(OUT)
	@mkdir -p $(@D)
	@: >$@

$(OUT)/kernel_parsers.o: $(KERNEL_DEPENDS) | deps
	$(CLANG) $(SANITIZE) $(SANITIZERS),fuzzer-no-link $(KERNEL_FLAGS) -I$(OUT)/shim -c -o $@ \
		kernel_parsers.c

$(OUT)/fuzz_parsers: $(USER_DEPENDS) $(OUT)/kernel_parsers.o
	$(CLANG) $(SANITIZE) $(SANITIZERS),fuzzer $(USER_FLAGS) -o $@ fuzz_parsers.c \
		$(USER_SOURCES) $(OUT)/kernel_parsers.o -lm

# Use sanitizers only if the compiler has their libraries.
REPLAY_SANITIZE = $(SANITIZE) $(shell echo 'int main(void) { return 0; }' | \
	$(CC) $(SANITIZERS) -x c -o $(OUT)/probe - 2>/dev/null && echo $(SANITIZERS))

$(OUT)/kernel_parsers-replay.o: $(KERNEL_DEPENDS)
	$(CC) $(REPLAY_SANITIZE) $(KERNEL_FLAGS) -I$(OUT)/shim -c -o $@ kernel_parsers.c

$(OUT)/replay_parsers: replay_parsers.c $(USER_DEPENDS) $(OUT)/kernel_parsers-replay.o
	$(CC) $(REPLAY_SANITIZE) $(USER_FLAGS) -o $@ replay_parsers.c fuzz_parsers.c \
		$(USER_SOURCES) $(OUT)/kernel_parsers-replay.o -lm

deps:
	@$(TOP)/scripts/deps fuzz

.PHONY: parsers replay_parsers deps
