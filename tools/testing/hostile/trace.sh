#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# Trace every function of the module, and then probe every function, while torture runs. Each call
# then runs the tracer's code, also with interrupts off, under locks of the scheduler, or in the
# preempt notifier.
#
# Needs /files/run.sh (tools/testing/torture). An emulator must run all CPUs in one thread, because
# the kernel patches its text.

# shellcheck disable=SC2317,SC2015,SC2086,SC2034
# shellcheck source=tools/testing/selftests/wpool/tap.sh
. /tests/tap.sh

TRACING=/sys/kernel/tracing
TIME=${TIME:-40}

cleanup()
{
	{
		echo 0 >$TRACING/events/wp/enable
		echo >$TRACING/kprobe_events
		echo nop >$TRACING/current_tracer
		echo >$TRACING/set_ftrace_filter
	} 2>/dev/null
}

# symbols: address and name of each function of the module, without padding symbols.
symbols()
{
	awk '$4 == "[wpool]" && $2 ~ /^[tT]$/ && $3 !~ /^(__pfx_|__cfi_)/ { print $1, $3 }' \
		/proc/kallsyms | sort -u -k1,1
}

# load: load wpool to trace it. torture uses this module, and unloads it at the end.
load() { [ -e /sys/module/wpool ] || insmod /wpool/wpool.ko || fail "no wpool"; }

torture()
{
	sh /files/run.sh PHASES=volume,nasty,event,strand,group,work,mixed SECONDS="$TIME" SEED=1 >"$TMP/torture" 2>&1 || {
		cat "$TMP/torture"
		fail "torture has failed"
	}
}

test_the_function_tracer_sees_the_module()
{
	grep -qw function $TRACING/available_tracers 2>/dev/null || skip "no function tracer"
	load
	echo ':mod:wpool' >$TRACING/set_ftrace_filter || return 1
	traced=$(grep -c wpool $TRACING/set_ftrace_filter)
	[ "$traced" -gt 100 ] || fail "only $traced functions can be traced"
	echo function >$TRACING/current_tracer || return 1
	torture
	called=$(awk -F'[: ]+' '!/^#/ { for (i = 1; i <= NF; i++) if ($i == "<-" || $i ~ /^<-/) { print $(i - 1); break } }' \
		$TRACING/trace | sort -u | wc -l)
	echo "function tracer: $traced functions traced, $called of them in the buffer at the end" >/dev/kmsg
	[ "$called" -gt 20 ] || fail "only $called functions were in the trace"
}

test_kprobes_see_most_functions_called()
{
	[ -e $TRACING/kprobe_events ] || skip "no kprobes"
	load
	all=0 nr=0
	symbols >"$TMP/symbols"
	while read -r address name; do
		all=$((all + 1))
		! echo "p:wp/p$all 0x$address" >>$TRACING/kprobe_events 2>/dev/null || nr=$((nr + 1))
	done <"$TMP/symbols"
	# the kernel refuses functions that have no text of their own or must not be probed
	[ $nr -gt 300 ] || fail "only $nr of $all functions can be probed"
	echo 1 >$TRACING/events/wp/enable || return 1
	torture
	hit=$(awk '$2 > 0' $TRACING/kprobe_profile | wc -l)
	echo "kprobes: $nr of $all functions probed, $hit of them called" >/dev/kmsg
	[ "$hit" -gt 100 ] || fail "only $hit of $nr were called"
}

run_tests "$@"
