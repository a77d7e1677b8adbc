# SPDX-License-Identifier: GPL-2.0
#
# For people. What the kernel's build reads is Kbuild.

KERNELRELEASE_OF_KDIR = $(shell cat $(KDIR)/include/config/kernel.release 2>/dev/null)
KVER	?= $(shell uname -r)
KDIR	?= /lib/modules/$(KVER)/build
PREFIX	?= /usr/local
INCLUDEDIR ?= $(PREFIX)/include
SDKDIR	?= $(PREFIX)/src/wpool
DESTDIR	?=
INSTALL	?= install

# the dot shows a blank at the end
$(if $(word 2,$(CURDIR)$(DESTDIR)$(PREFIX)$(INCLUDEDIR)$(SDKDIR).), \
	$(error the path of this tree, DESTDIR, PREFIX, INCLUDEDIR and SDKDIR must not have a blank))

KBUILD	= $(MAKE) -C $(KDIR) M=$(CURDIR)

export DESTDIR PREFIX

.DEFAULT_GOAL := modules
.DELETE_ON_ERROR:

modules: kdir ## build the module for the running kernel, or for KDIR=... (the default)
	$(KBUILD) modules

tools: ## build wpoolctl
	$(MAKE) -C tools/wpoolctl

install: kdir tools ## install the module, wpoolctl with its man page, and the headers; DESTDIR=, PREFIX=
	$(KBUILD) WPOOL_SAMPLES=n modules
	$(KBUILD) WPOOL_SAMPLES=n INSTALL_MOD_PATH=$(DESTDIR) modules_install
	$(if $(DESTDIR),,depmod -a $(KERNELRELEASE_OF_KDIR))
	$(MAKE) -C tools/wpoolctl install
	$(INSTALL) -D -m 644 include/uapi/linux/wpool.h $(DESTDIR)$(INCLUDEDIR)/linux/wpool.h
	$(INSTALL) -d $(DESTDIR)$(SDKDIR)/include/linux
	$(INSTALL) -m 644 include/linux/wpool*.h $(DESTDIR)$(SDKDIR)/include/linux
	$(INSTALL) -m 644 include/wpool_wq.* $(DESTDIR)$(SDKDIR)/include
	$(INSTALL) -D -m 644 include/uapi/linux/wpool.h $(DESTDIR)$(SDKDIR)/include/uapi/linux/wpool.h
	$(INSTALL) -D -m 644 Module.symvers $(DESTDIR)$(SDKDIR)/Module.symvers

uninstall: ## remove what make install has put there, for the running kernel or KVER=...; DESTDIR=, PREFIX=
	rm -f $(foreach dir,updates extra,$(addprefix $(DESTDIR)/lib/modules/$(KVER)/$(dir)/module/, \
		wpool.ko* wq/wpool_wq.ko*))
	$(if $(DESTDIR),,depmod -a $(KVER))
	$(MAKE) -C tools/wpoolctl uninstall
	rm -f $(DESTDIR)$(INCLUDEDIR)/linux/wpool.h
	rm -rf $(DESTDIR)$(SDKDIR)

deb: ## build the Debian packages wpool-dkms, wpoolctl and wpool-dev: build/deb
	@scripts/deb

demo: ## show wpool at work in a virtual machine: nothing but this is needed
	@scripts/demo

check: ## KUnit, selftests and a little torture in a few minutes, natively: no emulator; ONLY=name
	@scripts/check $(if $(ONLY),--only '$(ONLY)')

test: ## run all tests in virtual machines, and the static gates; FULL=1 nothing in short form, ONLY=name as it is printed
	@scripts/test $(if $(FULL),--full) $(if $(ONLY),--only '$(ONLY)')

test-tools: ## only what can be tested of the tools without a kernel
	@scripts/test tools

model: ## only the models of the lockless protocols, checked by spin
	@scripts/test model

test-kunit: ## only the KUnit suites; ONLY=name limits them
	@scripts/test $(if $(ONLY),--only '$(ONLY)') kunit

test-selftest: ## only the selftests; FULL=1, ONLY=name as for test
	@scripts/test $(if $(FULL),--full) $(if $(ONLY),--only '$(ONLY)') selftest

torture: ## all tests and stress on the kernels that look for bugs; TIME=seconds, SEED=n, RELEASES=n, KERNELS="..."
	@scripts/torture $(if $(TIME),--time $(TIME)) $(if $(SEED),--seed $(SEED)) \
		$(if $(RELEASES),--releases $(RELEASES)) \
		$(if $(KERNELS),--kernels "$(KERNELS)")

soak: ## torture for TIME=seconds (3600), natively: are threads and memory the same afterwards? KERNELS="..."
	@scripts/torture --kernels "$(or $(KERNELS),native)" --time $(or $(TIME),3600) soak

repeat: ## make test again and again, to find tests that fail now and then; RUNS=20, BUSY=1 beside other work
	@scripts/repeat $(if $(RUNS),--runs $(RUNS)) $(if $(BUSY),--busy)

long: ## torture and the fuzzer in rounds, all night, added to a ledger; TIME=seconds, KERNELS="...", SHOW=1 prints it
	@scripts/long $(if $(SHOW),show,$(if $(TIME),--time $(TIME)) \
		$(if $(KERNELS),--kernels "$(KERNELS)"))

matrix: ## build and boot every kernel that wpool supports, on x86-64 and arm64, and print one table; FULL=1, KERNELS="..."
	@scripts/matrix $(if $(FULL),--full) $(KERNELS)

bench: ## measure wpool and its peers; MACHINE=native, qemu, all; QUICK=1, ROWS=1,2, ROUNDS=n, KERNEL=, ACCEL=
	@scripts/bench $(if $(QUICK),--quick) $(if $(ROWS),--rows $(ROWS)) \
		$(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(KERNEL),--kernel $(KERNEL)) \
		$(if $(ACCEL),--accel $(ACCEL)) $(if $(MACHINE),--machine $(MACHINE))
	$(if $(ROWS)$(QUICK),,@scripts/bench-counts)

bench-counts: ## instructions, locked ones and cache lines of each path, with 2 to 255 CPUs
	@scripts/bench-counts

bench-off: ## fail if wpool keeps interrupts off for more than 100 us on 64 CPUs, estimated by counts
	@scripts/bench-off

bench-gate: ## fail if a task costs 10 % more instructions, or more locked ones, than it used to; UPDATE=1 sets what it used to
	@scripts/bench-gate $(if $(UPDATE),--update)

coverage: ## how many lines of module/ the tests reach, by file
	@scripts/coverage

lint: ## the static gates on the files that changed; ALL=1 on all of them
	@scripts/lint $(if $(ALL),--all)

clean: ## remove what was built here; fetched and built kernels stay in the cache
	-$(if $(wildcard $(KDIR)),$(KBUILD) clean)
	-$(if $(wildcard tools/wpoolctl/Makefile),$(MAKE) -C tools/wpoolctl clean)
	rm -rf build

help: ## list the targets
	@echo "make [TARGET] [V=1]"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' Makefile

kdir:
	@if [ ! -e "$(KDIR)/Makefile" ]; then \
		echo "There are no headers to build against in $(KDIR)." >&2; \
		echo "Debian, Ubuntu: apt install linux-headers-$(KVER)" >&2; \
		echo "Fedora: dnf install kernel-devel-$(KVER); Arch: pacman -S linux-headers" >&2; \
		echo "For another kernel: make KDIR=<its build directory>" >&2; \
		echo "To see wpool at work without any: make demo" >&2; \
		exit 1; \
	fi

.PHONY: modules tools install uninstall deb demo check test test-tools model test-kunit test-selftest torture soak repeat long matrix coverage bench bench-counts bench-off bench-gate lint clean help kdir
