#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# off.sh - in the virtual machine: the loads of scripts/bench-off. Tells the emulator's plugin where
# the code of wpool is, and prints its symbols, in lines "off: ADDRESS NAME".
#
# WHAT has loads: the measurements of /files/plan, one a line, and then a dump and a freeze of a pool
# with 1,000 workers; or torture: tools/testing/torture for SECONDS, without the phase that loads
# wpool again.

RUN=/sys/kernel/debug/wpool_bench/run
OFF=/sys/kernel/debug/wpool
PHASES=volume,nasty,stutter,event,watch,group,strand,loop,work,task,mixed,release,seed
status=0

# own MODULE...: count sections with code of these modules, and print their symbols.
own()
{
	text=own
	for module; do
		awk -v module="[$module]" '$4 == module && tolower($2) == "t" { print $1, $3 }' \
			/proc/kallsyms | sort >/tmp/symbols
		sed 's/^/off: /' /tmp/symbols
		from=$(head -n 1 /tmp/symbols) to=$(tail -n 1 /tmp/symbols)
		# the code ends in the page of its last function
		to=${to%% *}
		text="$text ${from%% *}-${to%???}fff"
	done
	/files/tell "$text"
}

# measure LINE
measure()
{
	echo "$1" 2>/tmp/why >$RUN && return
	echo "off: failed: $1: $(cat /tmp/why)"
	status=1
}

# step NAME COMMAND: run the command, and name the sections since the last report after it.
step()
{
	sh -c "$2" >/dev/null || status=1
	/files/tell "report of=$1"
}

# full_pool: 1,000 workers sleep in tasks, 9,000 tasks are queued, and submitters wait.
full_pool()
{
	wpoolctl create off capacity=1000 queue_depth=9000 freezable=1
	wpoolctl run off --work sleep:60s --tasks 100000 >/dev/null 2>&1 &
	until [ "$(cat /sys/class/wpool/off/waiting)" != 0 ]; do
		kill -0 $! || return
		usleep 100000
	done
}

insmod /wpool/wpool.ko max_workers=65536 && insmod /wpool/wpool_wq.ko &&
	insmod /wpool/wpool_bench.ko || exit 1
own wpool_bench
measure "off of=known what=known n=100"
own wpool wpool_wq
case $WHAT in
*loads*)
	full_pool || status=1
	step begin :
	step dump "cat $OFF/dump $OFF/workers $OFF/cpus $OFF/costs /sys/class/wpool/off/histogram"
	step freeze "timeout 2 sh -c 'echo 1 >$OFF/frozen'; echo 0 >$OFF/frozen"
	step cancel "kill -KILL $!; sleep 1; wpoolctl destroy off"
	while read -r line; do
		measure "$line"
	done </files/plan
	;;
esac
rmmod wpool_bench
case $WHAT in
*torture*)
	# a machine that is lost has counted up to here
	while sleep 60; do
		/files/tell "report of=torture"
	done &
	step torture "sh /files/run.sh PHASES=$PHASES RELEASES=100 >&2"
	kill $!
	;;
esac
exit $status
