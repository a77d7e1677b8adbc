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
# free_bytes: memory that nothing uses, the kernel's caches emptied; with what each CPU keeps
# at hand, which MemFree is without.
free_bytes()
{
	sync
	sleep 1
	echo 3 >/proc/sys/vm/drop_caches
	awk '$1 == "MemFree:" { sum += $2 * 1024 } $1 == "count:" { sum += $2 * 4096 }
		END { printf "%.0f\n", sum }' /proc/meminfo /proc/zoneinfo
}

# threads: how many are wpool's own, the rescuer of its workqueue among them.
threads() { cat /proc/[0-9]*/comm | grep -c -e '^wpool' -e '^kworker/R-wpool'; }

# at_rest: what the module takes that is loaded and that nobody uses. The first time, the
# kernel takes more than it gives back, as with any module.
at_rest()
{
	local before
	insmod /wpool/wpool.ko && rmmod wpool || return 1
	before=$(free_bytes)
	insmod /wpool/wpool.ko || return 1
	rest=$(free_bytes)
	rest="\"rest_bytes\":$((before - rest)),\"rest_threads\":$(threads)"
	rest="$rest,\"module_bytes\":$(awk '$1 == "wpool" { print $2 }' /proc/modules)"
	rmmod wpool
}

if grep -q '^rest ' /files/plan; then
	at_rest || exit 1
fi
# Room for the widest pool beside the default of a quarter of pid_max.
insmod /wpool/wpool.ko max_workers=65536 || exit 1
insmod /wpool/wpool_bench.ko || exit 1

status=0
while read -r line; do
	case $line in
	'' | '#'*) continue ;;
	'rest '*)
		echo "bench: {\"case\":\"rest\",\"row\":9,\"v\":\"rest\",\"peer\":\"wpool\",\"round\":1,$rest}"
		continue
		;;
	esac
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
