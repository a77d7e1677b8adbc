#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# bench.sh - in the virtual machine, or on any machine as root: make the measurements in
# /files/plan, one a line, in this order. Each prints a line "bench: {...}"; one that fails prints
# "bench: failed: ...", and the next one follows. A line with scope=WHAT measures unbound workqueues
# of that affinity scope; it is skipped if this kernel does not know the scope. A line
# "load PARAMETERS" loads wpool again with these parameters.
#
# usage: bench.sh [MODULES [PLAN]]      (/wpool /files/plan)

modules=${1:-/wpool}
plan=${2:-/files/plan}
SCOPE=/sys/module/workqueue/parameters/default_affinity_scope
DIR=/sys/kernel/debug/wpool_bench

if [ ! -e "$modules/wpool_bench.ko" ]; then
	echo "there is no wpool_bench.ko: is tools/bench built for this kernel?"
	exit 1
fi
# free_bytes: print the free memory, after the kernel's caches were emptied. Unlike MemFree it
# includes the free pages in the list of each CPU.
free_bytes()
{
	sync
	sleep 1
	echo 3 >/proc/sys/vm/drop_caches
	awk '$1 == "MemFree:" { sum += $2 * 1024 } $1 == "count:" { sum += $2 * 4096 }
		END { printf "%.0f\n", sum }' /proc/meminfo /proc/zoneinfo
}

# threads: print the number of wpool's threads, including the rescuers of its workqueues.
threads() { cat /proc/[0-9]*/comm | grep -c -e '^wpool' -e '^kworker/R-wpool'; }

# at_rest: measure the memory of the loaded module, unused. The first load of any module takes more
# memory than the unload frees, so the module is loaded once before.
at_rest()
{
	local before
	insmod "$modules/wpool.ko" && rmmod wpool || return 1
	before=$(free_bytes)
	insmod "$modules/wpool.ko" || return 1
	rest=$(free_bytes)
	rest="\"rest_bytes\":$((before - rest)),\"rest_threads\":$(threads)"
	rest="$rest,\"module_bytes\":$(awk '$1 == "wpool" { print $2 }' /proc/modules)"
	rmmod wpool
}

if grep -q '^rest ' "$plan"; then
	at_rest || exit 1
fi
# If the plugin counts lines that cross caches: do $SHARE CPUs share a cache, as it assumes?
if [ -n "${SHARE:-}" ] &&
	! grep -qx "0-$((SHARE - 1))" /sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list; then
	echo "CPU 0 does not share its last-level cache with $((SHARE - 1)) more"
	exit 1
fi
# The widest pool has more workers than the default of max_workers, a quarter of pid_max at boot.
load() { insmod "$modules/wpool.ko" max_workers=65536 "$@" && insmod "$modules/wpool_bench.ko"; }
unload() { rmmod wpool_bench && rmmod wpool; }
load || exit 1

was=$(sed "s/ .*//" $SCOPE 2>/dev/null)
scope=
status=0
while read -r line; do
	case $line in
	'' | '#'*) continue ;;
	load*)
		# shellcheck disable=SC2086
		unload && load ${line#load} || exit 1
		continue
		;;
	'rest '*)
		echo "bench: {\"case\":\"rest\",\"row\":9,\"v\":\"rest\",\"peer\":\"wpool\",\"round\":1,$rest}"
		continue
		;;
	*' scope='*)
		scope=${line##* scope=}
		scope=${scope%% *}
		# A kernel accepts a longer name that begins with the name of a scope: compare them.
		if ! echo "$scope" 2>/dev/null >$SCOPE || [ "$(sed "s/ .*//" $SCOPE)" != "$scope" ]; then
			echo "$was" 2>/dev/null >$SCOPE
			scope=
			continue
		fi
		;;
	esac
	# The write makes the measurement. If that fails, echo fails, too, and prints the error.
	if echo "$line" 2>/tmp/why >$DIR/run; then
		read -r json <$DIR/result
		echo "bench: $json"
	else
		echo "bench: failed: $line: $(cat /tmp/why)"
		status=1
	fi
	[ -z "$scope" ] || echo "$was" >$SCOPE
	scope=
done <"$plan"
echo "bench: end"

unload || exit 1
exit $status
