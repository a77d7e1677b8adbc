#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# kunit.sh - in the virtual machine: load the KUnit suites, which run when they are
# loaded. Their results are in the kernel's log, between two marks.
#
# By default the suites skip cases that write warnings to the log, and no task oopses. The suites are
# loaded again for these cases. Those that oops come last, because an oops ends the kernel's lock
# checks. Then the modules are unloaded, and cases run that keep modules loaded forever.
# GO_ON=1 leaves out cases of this last kind, for a caller that unloads the modules afterwards.
#
# On a native machine, NATIVE=1, an oops is a panic, so no task oopses.

FILTER=/sys/module/kunit/parameters/filter_glob

say() { echo "wpool-test: $1" >/dev/kmsg; }

if [ ! -e /wpool/wpool_kunit.ko ]; then
	echo "there is no wpool_kunit.ko: is kunit/ built for this kernel?"
	exit 1
fi

# wpool_tune needs a cgroup
CGROUPS=/sys/fs/cgroup
! mount -t cgroup2 none $CGROUPS || mkdir $CGROUPS/kunit

load() { insmod /wpool/wpool.ko && insmod /wpool/wpool_wq.ko; }

load || exit 1
say start
fault=1
[ "${NATIVE:-0}" = 0 ] || fault=0
wanted=$(cat $FILTER)
[ "$wanted" != "(null)" ] || wanted=
# run FILTER [PARAMETER]...: run these suites. The modules must be unloadable after the tests.
run()
{
	[ -z "$1" ] || printf %s "$1" >$FILTER
	shift
	insmod /wpool/wpool_kunit.ko "$@" && rmmod wpool_kunit || exit 1
}

# is_wanted SUITE: does the filter, a pattern of suites or of suite.case, match?
suites=${wanted%%.*}
# shellcheck disable=SC2254
is_wanted() { case $1 in ${suites:-*}) ;; *) return 1 ;; esac }

if [ -n "$wanted" ]; then
	run '' contain=1 objects=1
	if [ $fault -eq 1 ] && { is_wanted wpool_fault || is_wanted wpool_fault_client; }; then
		run '' fault=1
	fi
else
	run ''
	run wpool_contain contain=1
	run wpool_object objects=1
	[ $fault -eq 0 ] || run 'wpool_fault*' fault=1
fi
rmmod wpool_wq && rmmod wpool || exit 1

if [ $fault -eq 1 ] && [ -z "${GO_ON:-}" ] && is_wanted wpool_lose; then
	printf wpool_lose >$FILTER
	load || exit 1
	insmod /wpool/wpool_kunit.ko lose=1 || exit 1
fi
say end
