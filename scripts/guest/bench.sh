#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# bench.sh - in the virtual machine: make the measurements that /files/plan lists,
# one a line, in that order. Each answers with a line "bench: {...}", or "bench:
# failed: ..." and the others go on.

DIR=/sys/kernel/debug/wpool_bench

if [ ! -e /wpool/wpool_bench.ko ]; then
	echo "there is no wpool_bench.ko: is tools/bench built for this kernel?"
	exit 1
fi
# Room for the widest pool beside the default of a quarter of pid_max.
insmod /wpool/wpool.ko max_workers=65536 || exit 1
insmod /wpool/wpool_bench.ko || exit 1

status=0
while read -r line; do
	case $line in '' | '#'*) continue ;; esac
	# The shell's own echo: a failed write is its failure.
	if echo "$line" 2>/tmp/why >$DIR/run; then
		read -r json <$DIR/result
		echo "bench: $json"
	else
		echo "bench: failed: $line: $(cat /tmp/why)"
		status=1
	fi
done </files/plan
echo "bench: end"

rmmod wpool_bench && rmmod wpool || exit 1
exit $status
