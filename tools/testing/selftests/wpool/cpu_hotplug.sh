#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# cpu_hotplug - before and after a CPU goes offline and comes back, the kernel lets
# workers run on their home CPU and nowhere else.

# shellcheck disable=SC2317,SC2015,SC2086
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"

WORKERS=/sys/kernel/debug/wpool/workers
VICTIM=1
ONLINE=/sys/devices/system/cpu/cpu$VICTIM/online
ISOLATED=/sys/devices/system/cpu/isolated

cleanup() { [ ! -e $ONLINE ] || echo 1 >$ONLINE; }

# workers: create a pool, and with it two workers for each CPU
workers()
{
	[ -e $ONLINE ] || skip "no CPU hotplug"
	nr=$(($(nproc) * 2))
	pool capacity=$nr prealloc=1
}

# homes: "PID CPU" of each worker
homes() { awk -v pool="$POOL" '$1 == pool { print $2, $3 }' $WORKERS; }

at_home_on() { homes | grep -c " $1$"; }

# allowed: "PID HOME CPUS" of each worker; the kernel lets the worker run on CPUS
allowed()
{
	homes | while read -r pid home; do
		echo "$pid $home $(sed -n 's/^Cpus_allowed_list:[^0-9]*//p' "/proc/$pid/status")"
	done
}

# all_at_home: all $nr workers exist, and each may run on its home CPU only
all_at_home() { [ "$(allowed | awk '$2 == $3' | wc -l)" -eq $nr ]; }
none_on_victim() { [ "$(at_home_on $VICTIM)" -eq 0 ]; }
some_on_victim() { [ "$(at_home_on $VICTIM)" -gt 0 ]; }

test_new_workers_may_run_at_home_only()
{
	workers
	wait_for all_at_home || fail "pid, home, CPUs allowed: $(allowed)"
	# if some CPUs are isolated, the others have more than two workers
	here=$(at_home_on $VICTIM)
	[ "$here" -eq 2 ] || { [ "$here" -gt 2 ] && grep -q . $ISOLATED; } ||
		fail "not two on CPU $VICTIM: $(homes)"
}

test_workers_stay_when_another_cpu_goes_and_comes()
{
	workers && wait_for all_at_home || return 1
	homes | grep -v " $VICTIM$" >"$TMP/before"
	echo 0 >$ONLINE || return 1
	wait_for none_on_victim || fail "still on CPU $VICTIM: $(homes)"
	wait_for all_at_home || fail "CPU $VICTIM is gone: $(allowed)"
	homes >"$TMP/gone"
	grep -vxFf "$TMP/gone" "$TMP/before" >"$TMP/moved"
	[ ! -s "$TMP/moved" ] || fail "moved without need: $(cat "$TMP/moved")"
	echo 1 >$ONLINE || return 1
	wait_for all_at_home || fail "CPU $VICTIM is back: $(allowed)"
}

test_workers_return_to_a_cpu_that_came_back()
{
	workers && wait_for all_at_home || return 1
	echo 0 >$ONLINE && wait_for none_on_victim && echo 1 >$ONLINE || return 1
	wait_for some_on_victim || fail "none on CPU $VICTIM: $(homes)"
	wait_for all_at_home || fail "pid, home, CPUs allowed: $(allowed)"
}

# refuses CPU MESSAGE: a run that prefers CPU is refused with MESSAGE
refuses()
{
	wpoolctl run "$POOL" --on "$1" --tasks 1 --quiet 2>"$TMP/err"
	[ $? -eq 1 ] && grep -q "$2" "$TMP/err" || fail "--on $1: $(cat "$TMP/err")"
}

test_a_run_prefers_a_cpu_that_is_there()
{
	workers && refuses 8191 'this machine cannot have a CPU 8191$' || return 1
	wpoolctl run "$POOL" --on $VICTIM --tasks 100 --quiet || fail "CPU $VICTIM is online"
	echo 0 >$ONLINE && refuses $VICTIM "CPU $VICTIM is offline\$" || return 1
	echo 1 >$ONLINE && wpoolctl run "$POOL" --on $VICTIM --tasks 100 --quiet
}

run_tests "$@"
