#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# coverage.sh - in the virtual machine: run the KUnit suites and the selftests,
# then send the kernel's counts, as a tar archive, over the third serial port.
#
# The counts outlive the unloading of the module and add up over its loads.

COUNTS=/sys/kernel/debug/gcov

[ -d $COUNTS ] || { echo "this kernel counts nothing"; exit 1; }
echo 0 >$COUNTS/reset

status=0
GO_ON=1 sh /files/kunit.sh || status=1
sh /files/selftests.sh || status=1

# Copy the files of debugfs, which have the size 0 for tar.
mkdir /tmp/counts
find $COUNTS -path '*/module/*.gcda' ! -path '*/samples/*' | while read -r f; do
	cat "$f" >"/tmp/counts/$(echo "${f##*/module/}" | tr / '#')"
done
stty -F /dev/ttyS2 raw -echo
tar -C /tmp/counts -czf - . >/dev/ttyS2
stty -F /dev/ttyS2 sane # waits for the output to drain
exit $status
