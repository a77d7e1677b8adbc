#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# Suspend and resume the machine while pools are busy: to memory, with an alarm of the RTC to wake
# it, and at each level of pm_test, if the kernel has that. Pool "frozen" is freezable, "awake" is
# not. If a task of a freezable pool outlasts the kernel's freeze timeout, the suspend must fail.

# shellcheck disable=SC2317,SC2015,SC2086,SC2034
# shellcheck source=tools/testing/selftests/wpool/tap.sh
. /tests/tap.sh

POWER=/sys/power
ALARM=/sys/class/rtc/rtc0/wakealarm
DELAY=/sys/module/suspend/parameters/pm_test_delay
TIMEOUT=$POWER/pm_freeze_timeout

# end_runs [SIGNAL]: kill the processes in $pids with SIGNAL, and wait until they have ended.
end_runs()
{
	# shellcheck disable=SC2086
	[ -z "$pids" ] || kill "$@" $pids
	wait_for are_gone || return 1
	wait
	pids=
}

are_gone()
{
	for pid in $pids; do
		! grep -q '^State:[^Z]*$' /proc/$pid/status || return 1
	done 2>/dev/null
}

is_destroyed() { [ ! -e "$CLASS/$1" ]; }

# Destroy in the background: wpoolctl does not return if a task of the pool does not end.
cleanup()
{
	[ -z "$long" ] || kill -KILL $long
	end_runs -KILL
	for pool in awake frozen queued long; do
		[ ! -e $CLASS/$pool ] || wpoolctl destroy $pool &
		wait_for is_destroyed $pool || echo "$pool cannot be destroyed"
	done
	echo none >$POWER/pm_test
	[ -z "$timeout" ] || echo "$timeout" >$TIMEOUT
} 2>/dev/null

start_load()
{
	wpoolctl create awake capacity=4 queue_depth=20 &&
		wpoolctl create frozen capacity=4 queue_depth=20 freezable=1 || fail "no pools"
	pids=
	for pool in awake frozen; do
		# each run submits more tasks than there is room for: some submitters wait
		wpoolctl run $pool --work sleep:1ms --work spin:100us --work timer:5ms \
			--tasks 100000000 --submitters 3 >/dev/null 2>&1 &
		pids="$pids $!"
	done
	wait_for moves awake 0 && wait_for moves frozen 0 || fail "no task runs"
	all_full
}

moves() { [ "$(cat "$CLASS/$1/completed")" -gt "$2" ]; }

# is_full POOL: a submitter waits for room.
is_full() { [ "$(cat "$CLASS/$1/waiting")" -gt 0 ]; }

all_full()
{
	for pool in awake frozen; do
		wait_for is_full $pool || fail "nobody waits for room in $pool"
	done
}

# goes_on: both pools, awake and frozen, run more tasks.
goes_on()
{
	for pool in awake frozen; do
		done_so_far=$(cat $CLASS/$pool/completed)
		wait_for moves $pool $((done_so_far + 100)) || fail "$pool stands still"
	done
	all_full
}

# has POOL "OUTSTANDING WAITING FREE": the pool has these figures.
has() { [ "$(cd "$CLASS/$1" && cat outstanding waiting free | xargs)" = "$2" ]; }

# has_room POOL: exactly 24 tasks fit (the pool's limit); afterwards none is left. If tokens
# were lost, the pool's figures might still say that all are free.
has_room()
{
	wpoolctl run "$1" --work sleep:60s --tasks 25 >/dev/null 2>&1 &
	pids=$!
	wait_for has "$1" "24 1 0" ||
		fail "$1: $(cat "$CLASS/$1/outstanding") tasks use up the room for 24"
	end_runs || fail "a submitter of $1 does not end"
	wait_for has "$1" "0 0 24" || fail "$1 is not whole again"
}

end_load()
{
	end_runs || fail "a submitter does not end"
	for pool in awake frozen; do
		wait_for has $pool "0 0 24" ||
			fail "$pool: $(cat $CLASS/$pool/outstanding) outstanding, $(cat $CLASS/$pool/free) free"
		has_room $pool
	done
}

# is_busy POOL: one task runs. is_idle POOL: no task is left.
is_busy() { [ "$(cat "$CLASS/$1/busy")" -eq 1 ]; }
is_idle() { [ "$(cat "$CLASS/$1/outstanding")" -eq 0 ]; }

# suspend_once [TIME]: suspend; an alarm wakes the machine at TIME.
suspend_once()
{
	[ $# -eq 0 ] || [ ! -e $ALARM ] || { echo 0 >"$ALARM" && echo "$1" >"$ALARM"; } || return 1
	echo mem >$POWER/state
}

# suspend_now [TIME]: suspend, with up to five tries, since a device may not be ready.
suspend_now()
{
	for _ in 1 2 3 4 5; do
		suspend_once "$@" && return
	done 2>"$TMP/why"
	fail "no suspend: $(cat "$TMP/why")"
}

has_memory_sleep()
{
	grep -qw mem $POWER/state && grep -q deep $POWER/mem_sleep && [ -e $ALARM ]
} 2>/dev/null

# to_memory: later suspends are to memory. Skips the test if that is impossible.
to_memory()
{
	has_memory_sleep || skip "it cannot be suspended to memory and woken by an alarm"
	[ ! -e $POWER/pm_test ] || echo none >$POWER/pm_test
	echo deep >$POWER/mem_sleep || fail "it cannot be set to suspend to memory"
}

# by_freezer: later suspends only freeze processes. Without pm_test they are to memory.
by_freezer()
{
	[ -e $POWER/pm_test ] || { to_memory; return; }
	[ ! -e $DELAY ] || echo 1 >$DELAY
	echo freezer >$POWER/pm_test || fail "it cannot be set to freeze processes only"
}

test_to_memory_and_back()
{
	to_memory
	start_load
	for _ in 1 2 3; do
		before=$(cat $POWER/suspend_stats/success)
		suspend_now +3
		[ "$(cat $POWER/suspend_stats/success)" -gt "$before" ] || fail "it was not suspended"
		goes_on
	done
	end_load
}

# Queued tasks must run after the resume, with no new submit to wake a worker.
test_tasks_that_are_queued_run_afterwards()
{
	by_freezer
	wpoolctl create queued capacity=1 queue_depth=100 freezable=1 || return 1
	wpoolctl run queued --work sleep:200ms --tasks 60 >/dev/null 2>&1 &
	pids=$!
	wait_for moves queued 0 || fail "no task runs"
	suspend_now +3
	[ "$(cat $CLASS/queued/completed)" -lt 60 ] || fail "all had run before"
	wait_for moves queued 59 || fail "$(cat $CLASS/queued/completed) of 60 tasks ran"
}

# no_suspend: the log names the pool that prevents the suspend, and how many tasks do.
no_suspend()
{
	dmesg | grep -q "wpool: long: no suspend: 1 tasks or abort functions of this freezable pool"
}

test_not_while_a_task_of_it_runs()
{
	by_freezer
	timeout=$(cat $TIMEOUT) && echo 5000 >$TIMEOUT || return 1
	wpoolctl create long capacity=1 freezable=1 || return 1
	wpoolctl run long --work sleep:60s --tasks 1 >/dev/null 2>&1 &
	long=$!
	wait_for is_busy long || fail "the task does not run"
	start_load
	before=$(cat $POWER/suspend_stats/success)
	for _ in 1 2 3; do
		! suspend_once +30 2>/dev/null || fail "it was suspended while the task ran"
		# try again: the freeze may have failed because a program did not get its CPU
		! no_suspend || break
	done
	[ "$(cat $POWER/suspend_stats/success)" -eq "$before" ] || fail "it was suspended"
	wait_for no_suspend || fail "the log does not say why"
	goes_on
	# once the task has ended, the machine can be suspended
	kill -KILL $long
	wait_for is_idle long || fail "the task does not end"
	suspend_now +3
	goes_on
	end_load
}

test_tasks_go_on_after_each_level()
{
	[ -e $POWER/pm_test ] || skip "no $POWER/pm_test"
	[ ! -e $DELAY ] || echo 1 >$DELAY
	start_load
	for level in $(tr -d '[]' <$POWER/pm_test); do
		[ "$level" != none ] || continue
		# if "mem" is suspend-to-idle, the last two levels do not exist
		case $level in
		processors | core) grep -q '\[deep\]' $POWER/mem_sleep || continue ;;
		esac
		echo "level $level"
		echo "$level" >$POWER/pm_test || fail "it cannot be set"
		suspend_now
		goes_on
	done
	end_load
}

run_tests "$@"
