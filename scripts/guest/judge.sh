#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# judge.sh - in the virtual machine: make the bugs in KINDS happen, a list with commas on
# the kernel's command line. Marks in the kernel's log tell where each one starts.

# The watchdogs report after seconds instead of minutes.
echo 2 >/proc/sys/kernel/hung_task_timeout_secs 2>/dev/null
echo 1 >/proc/sys/kernel/watchdog_thresh 2>/dev/null

insmod /wpool/wpool_bug.ko || exit 1
status=0
for kind in $(echo "$KINDS" | tr , ' '); do
	echo "wpool-bug: $kind" >/dev/kmsg
	case $kind in
	failslab)
		echo N >/sys/kernel/debug/failslab/ignore-gfp-wait
		# the first failed allocation may be one of the kernel's checkers, which ignore it
		failed=
		for nth in 1 2 3 4 5 6 7 8 9 10; do
			sh -c "echo $nth >/proc/self/fail-nth; echo failslab >/sys/kernel/debug/wpool_bug" ||
				failed=1
		done 2>/dev/null
		if [ -z "$failed" ]; then
			echo "failslab: no allocation failed"
			status=1
		fi
		;;
	*)
		# an oops ends the process that writes
		sh -c "echo $kind >/sys/kernel/debug/wpool_bug"
		;;
	esac
done
echo "wpool-bug: end" >/dev/kmsg
exit $status
