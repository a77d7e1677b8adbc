#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# module_load - load and unload the module: its parameters, which users keep it loaded, and that an
# unload leaves nothing behind. A loaded wpool is unloaded. At the end wpool is loaded, without
# parameters.

# shellcheck disable=SC2317,SC2015,SC2012,SC2086
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"

KO=${WPOOL_KO:-/wpool/wpool.ko}
SAMPLES=${WPOOL_SAMPLES:-/wpool}
PARAMETERS=/sys/module/wpool/parameters
HELPER=$HERE/wpool_helper

# load [PARAMETER...]: load wpool. This and the next functions end the test if something is wrong.
load()
{
	insmod "$KO" "$@" || fail "insmod $*: failed"
	[ -c /dev/wpool ] && [ -e $CLASS/default ] || fail "loaded, but without device or pool"
}

# unload: unload the module, and check that nothing of it is left.
unload()
{
	rmmod wpool || fail "rmmod failed"
	for left in /sys/module/wpool /dev/wpool $CLASS /sys/kernel/debug/wpool; do
		[ ! -e $left ] || fail "$left is still there"
	done
	no_threads wpool || exit 1
}

# refused: rmmod fails, and the module still works.
refused()
{
	! rmmod wpool 2>"$TMP/rmmod" || fail "rmmod was not refused"
	grep -qE 'busy|temporarily unavailable|in use' "$TMP/rmmod" ||
		fail "refused for another reason: $(cat "$TMP/rmmod")"
	[ -e /sys/module/wpool ] && [ -c /dev/wpool ] && [ -e $CLASS/default ] ||
		fail "refused, but the module no longer works"
}

# none: unload wpool and the modules that use it
none()
{
	for module in wpool_leave wpool_forget wpool_sample_server wpool_sample wpool; do
		[ ! -e /sys/module/$module ] || wait_for rmmod $module ||
			fail "$module cannot be unloaded"
	done
}

# fresh [PARAMETER...]: load wpool with these parameters
fresh() { none && load "$@"; }

test_all_parameters_are_in_sysfs()
{
	fresh
	for parameter in allow_fault max_workers max_user_workers default_capacity default_queue_depth \
		default_expiry_ms by_cache; do
		[ -r $PARAMETERS/$parameter ] || fail "no $parameter"
		[ "$(stat -c %a $PARAMETERS/$parameter)" = 444 ] ||
			fail "$parameter can be written, and nobody would notice"
	done
	# these two can be written: they only affect the log, or panic the kernel
	for parameter in dump_on_panic panic_on_stall_ms; do
		[ "$(stat -c %a $PARAMETERS/$parameter)" = 644 ] ||
			fail "$parameter cannot be written"
		grep -qx '[N0]' $PARAMETERS/$parameter || fail "$parameter is on"
	done
	# only kernels with KUnit have inject_start, which is for tests
	[ "$(find $PARAMETERS -type f ! -name inject_start | wc -l)" -eq 9 ] ||
		fail "there are others: $(ls $PARAMETERS)"
	[ "$(cat $PARAMETERS/allow_fault)" = N ] || fail "faults are allowed"
	# max_workers is a quarter of pid_max, which is 32768 at boot, or 1024 a CPU if that is more
	IFS=- read -r first last </sys/devices/system/cpu/possible
	pids=$(((${last:-$first} + 1) * 1024))
	[ $pids -gt 32768 ] || pids=32768
	[ "$(cat $PARAMETERS/max_workers)" -eq $((pids / 4)) ] ||
		fail "max_workers is $(cat $PARAMETERS/max_workers)"
	unload
}

# At rest the module has two threads: the rescuers of its workqueues. The first freezable pool
# adds a thread, which stays.
test_threads_at_rest()
{
	fresh
	[ "$(own_threads)" -eq 2 ] || fail "at rest: $(own_threads) threads"
	echo 1 >$CLASS/default/freezable && echo 0 >$CLASS/default/freezable ||
		fail "freezable cannot be stored"
	[ "$(own_threads)" -eq 3 ] || fail "then: $(own_threads) threads"
	unload
}

test_each_parameter_has_its_effect()
{
	fresh max_workers=7 default_capacity=3 default_queue_depth=5 default_expiry_ms=123
	[ "$(cat $PARAMETERS/max_workers)" = 7 ] || fail "max_workers is not 7"
	[ "$(cd $CLASS/default && cat capacity queue_depth expiry_ms | xargs)" = "3 5 123" ] ||
		fail "the pool does not have the values of the parameters"
	unload
	fresh default_capacity=max default_queue_depth=max
	[ "$(cat $CLASS/default/capacity $CLASS/default/queue_depth | xargs)" = "max max" ] ||
		fail "not max"
	unload
}

test_bad_parameters_do_not_load_the_module()
{
	none
	for parameter in max_workers=0 max_workers=abc max_workers=-1 \
		max_workers=4294967296 max_workers=99999999999999999999 max_workers=1x \
		allow_fault=maybe default_capacity=0 default_capacity=abc \
		default_capacity=1048577 default_queue_depth=536870913 \
		default_capacity=4294967295 default_queue_depth=4294967295 \
		default_queue_depth=-1 default_expiry_ms=abc default_expiry_ms=0x10 \
		default_expiry_ms=86400001; do
		mark "$parameter"
		! insmod "$KO" "$parameter" 2>"$TMP/insmod" || fail "insmod $parameter worked"
		grep -qE 'invalid|Invalid|out of range|Numerical' "$TMP/insmod" ||
			fail "$parameter: $(cat "$TMP/insmod")"
		log "$parameter" | grep -q "parameter .*${parameter%%=*}" ||
			fail "$parameter: the log does not name it"
		[ ! -e /sys/module/wpool ] && [ ! -e $CLASS ] && [ ! -e /dev/wpool ] ||
			fail "$parameter: something is left"
	done
	no_threads wpool && load && unload
}

test_a_fault_is_refused_by_default()
{
	fresh
	[ "$("$HELPER" fault default)" = "fault: EPERM" ] || fail "$("$HELPER" fault default)"
	[ "$(cat $CLASS/default/outstanding)" = 0 ] && [ "$(cat $CLASS/default/submitted)" = 0 ] ||
		fail "it was accepted"
	unload
}

test_open_file_keeps_the_module()
{
	fresh
	helper hold && refused && refused && end_helpers
	# an attached file keeps the module, too, and so does a file with unfinished tasks
	helper hold default && refused && end_helpers
	helper sleepers "$POOL" 20 && refused
	are 20 outstanding || fail "the tasks are gone"
	end_helpers
	unload
}

test_sample_module_keeps_the_module()
{
	fresh
	found=0
	for ko in "$SAMPLES"/wpool_sample*.ko; do
		[ -e "$ko" ] || continue
		found=$((found + 1))
		name=${ko##*/}
		name=${name%.ko}
		insmod "$ko" || fail "insmod $ko"
		refused
		# a user of /dev/wpool cannot destroy the sample's pool
		for pool in "$CLASS"/*; do
			pool=${pool##*/}
			[ "$pool" != default ] || continue
			[ "$("$HELPER" destroy "$pool")" = "destroy: EBUSY" ] ||
				fail "$pool: $("$HELPER" destroy "$pool")"
		done
		rmmod "$name" || fail "rmmod $name"
		[ "$(ls $CLASS)" = default ] || fail "a pool is left: $(ls $CLASS)"
	done
	[ $found -ge 2 ] || fail "only $found samples in $SAMPLES"
	unload
}

test_pools_go_with_the_module()
{
	fresh
	"$HELPER" leave left 5 >"$TMP/leave" || fail "$(cat "$TMP/leave")"
	[ "$(ls $CLASS | wc -l)" -eq 6 ] || fail "there should be six: $(ls $CLASS)"
	unload
	# after the unload the pools' names are free
	load && [ "$(ls $CLASS)" = default ] || fail "there are pools: $(ls $CLASS)"
	"$HELPER" leave left 5 >"$TMP/leave" || fail "$(cat "$TMP/leave")"
	unload
}

own_threads() { cat /proc/[0-9]*/comm 2>/dev/null | grep -c -e '^wpool' -e '^kworker/R-wpool'; }

mark() { echo "wpool-test-mark-$$-$1" >/dev/kmsg; }

# log MARK: print the log after MARK.
log() { dmesg | sed "1,/wpool-test-mark-$$-$1/d"; }

# said MARK TEXT...: each TEXT is in the log after MARK.
said()
{
	log "$1" >"$TMP/said"
	shift
	for text; do
		grep -qF "$text" "$TMP/said" || fail "the log lacks: $text"
	done
}

# forgotten MARK: after MARK the log names the three pools and the tasks in default; none is left.
forgotten()
{
	by="module wpool_forget is unloaded without wpool_destroy()"
	while="wpool: default: module wpool_forget is unloaded while"
	said "$1" "$while its linger [wpool_forget] runs here" \
		"$while 3 of its line_up [wpool_forget] are queued here" \
		"$while 1 of its line_up_in_group [wpool_forget] are queued here" \
		"$while 1 of its line_up_in_strand [wpool_forget] are queued here" \
		"$while 1 of its line_up_as_event [wpool_forget] are queued here" \
		"wpool: forgot.fn: $by" "wpool: forgot.task: $by" "wpool: forgot.shut: $by" \
		"wpool_forget: all 42 ended"
	[ "$(ls $CLASS)" = default ] || fail "a pool is left: $(ls $CLASS)"
}

# A module that never calls wpool_destroy() can be unloaded, and its pools are destroyed:
# no task of the module is left, and the pools' names are free.
test_module_that_forgets_its_pools()
{
	# with these limits the default pool has queued tasks, and a strand that waits for room
	fresh default_capacity=1 default_queue_depth=5
	for i in 1 2; do
		mark exit$i
		insmod "$SAMPLES/wpool_forget.ko" || fail "insmod, the $i. time"
		[ "$(ls -d $CLASS/forgot.* | wc -l)" -eq 3 ] || fail "pools: $(ls $CLASS)"
		refused
		rmmod wpool_forget || fail "rmmod, the $i. time"
		forgotten exit$i
	done
	# a module whose init function fails leaves its pools behind, too
	mark init
	! insmod "$SAMPLES/wpool_forget.ko" refuse=1 2>/dev/null || fail "not refused"
	forgotten init && unload
}

# A pool without an owner stays until wpool is unloaded.
test_forgotten_pool_without_an_owner()
{
	fresh
	mark none
	insmod "$SAMPLES/wpool_forget.ko" anonymous=1 && rmmod wpool_forget ||
		fail "insmod or rmmod"
	[ -e $CLASS/forgot.none ] || fail "the pool without an owner is gone"
	unload && said none "wpool: forgot.none: was not destroyed by its creator"
}

# If a task leaves softirqs off, wpool gives them back, and the log says so. This is no KUnit test:
# softirqs differ on PREEMPT_RT, and Debian's PREEMPT_RT kernel has no KUnit.
test_softirqs_left_off_are_given_back()
{
	fresh
	mark leave
	insmod "$SAMPLES/wpool_leave.ko" || fail "$(dmesg | grep wpool_leave | tail -n 1)"
	rmmod wpool_leave || fail "rmmod"
	said leave "left preempt count"
	[ ! -d /sys/block ] || said leave "left a plug"
	! grep -q "^memory" /proc/cgroups || said leave "left a memory cgroup"
	unload
}

test_open_attribute_does_not_keep_the_module()
{
	fresh
	exec 9<$CLASS/default/workers
	unload
	! cat <&9 >"$TMP/read" 2>&1 || [ ! -s "$TMP/read" ] ||
		fail "a file of a pool that is gone says $(cat "$TMP/read")"
	exec 9<&-
}

workers() { echo $(($(cat $CLASS/a/workers) + $(cat $CLASS/default/workers))); }

# If there are fewer workers than the pools need, tasks take turns.
test_few_workers()
{
	fresh max_workers=4
	wpoolctl run --create=capacity=100 --work sleep:2ms --tasks 300 --json >"$TMP/run" ||
		fail "$(cat "$TMP/run")"
	helper storm a
	for i in 1 2 3 4 5; do
		[ "$(workers)" -le 4 ] || fail "$(workers) workers, the $i. time"
		usleep 50000
	done
	# the first pool always has work for all workers: the tasks of a second one start nevertheless
	start wpoolctl run --create --tasks 10 --json
	gone() { ! kill -0 $started; }
	wait_for gone || fail "not all of 10 tasks got a worker"
	wait $started || fail "$(cat "$TMP/started")"
	end_helpers
	unload
}

# The log names the limit of all pools, max_workers, with its value.
test_few_workers_are_named_in_the_log()
{
	fresh max_workers=2
	start wpoolctl run --create=capacity=100,queue_depth=10 --work sleep:60s --tasks 5
	named() { dmesg | grep -q 'wpool: .*: max_workers = 2 is reached: this pool has 2 workers'; }
	wait_for named || fail "$(dmesg | tail -n 5)"
	end_helpers
	unload
}

# turns MAX: set $took to the ms that thirty pools take for thirty tasks each, with MAX workers.
turns()
{
	fresh max_workers="$1"
	"$HELPER" turns 30 30 >"$TMP/turns" || fail "$(cat "$TMP/turns")"
	unload
	took=$(cat "$TMP/turns")
}

# If there are more pools than workers, a pool gets a worker as soon as one is free, not at its next
# try to make one, a second later. On a busy machine one worker takes 6 times as long as enough
# workers take, but 160 times if each pool waits for its next try. The time with enough workers is
# measured before and after, as the load of the machine may change.
test_few_workers_for_many_pools()
{
	turns 1000
	enough=$took
	for max in 1 3; do
		turns $max
		few=$took
		turns 1000
		[ "$took" -le "$enough" ] || enough=$took
		[ "$few" -lt $((30 * enough)) ] ||
			fail "pools wait although a worker is free: with max_workers=$max" \
				"it takes $few ms, with enough of them $enough ms"
		echo "max_workers=$max: $few ms, with enough of them $enough ms"
	done
}

# The rescuer of a pool keeps its place in max_workers. Other pools get the rest.
test_few_workers_and_a_rescuer()
{
	fresh max_workers=2
	wpoolctl create a capacity=8 reclaim=1 || fail "no place for a rescuer"
	! wpoolctl create b reclaim=1 >"$TMP/create" 2>&1 || fail "two rescuers fit"
	[ ! -e $CLASS/b ] || fail "the refused pool exists"
	wpoolctl run --create=capacity=8 --tasks 10 --quiet || fail "no other pool has a worker"
	helper sleepers default 50
	wpoolctl run a --tasks 10 --quiet || fail "the rescuer's place is gone"
	end_helpers
	wpoolctl destroy a && unload
}

# A pool that waits for a free worker is not reported as stalled. The monitor would report a stall
# after a second, so the tasks sleep for longer.
test_all_workers_in_use_is_no_stall()
{
	fresh max_workers=1
	mark stall
	wpoolctl run --create=capacity=2 --work sleep:2s --tasks 2 --quiet ||
		fail "the tasks did not run"
	! log stall | grep 'stalled for' || fail "the log says so"
	unload
}

# 10,000 tasks run at the same time, each in a worker of its own.
test_10000_together()
{
	need=$((10000 * 40))
	[ ! -e /sys/kernel/debug/kmemleak ] || need=$((need * 5 / 2))
	have=$(sed -n 's/^MemAvailable: *\([0-9]*\).*/\1/p' /proc/meminfo)
	[ "$have" -ge $need ] || skip "$have KB of memory, $need needed"
	[ "$(cat /proc/sys/kernel/pid_max)" -ge 12000 ] || skip "pid_max is too small"
	[ "$(cat /proc/sys/kernel/threads-max)" -ge 12000 ] ||
		echo 12000 >/proc/sys/kernel/threads-max || skip "threads-max is too small"
	fresh max_workers=11000
	"$HELPER" together 10000 >"$TMP/together"
	rc=$?
	[ $rc -ne 4 ] || skip "too slow: $(cat "$TMP/together")"
	[ $rc -eq 0 ] || fail "$(cat "$TMP/together")"
	unload
}

# Users get at most half of max_workers, whatever max_user_workers says.
test_few_workers_of_users()
{
	fresh max_workers=24
	"$HERE/dev_permit" -t workers >"$TMP/permit" || fail "$(cat "$TMP/permit")"
	unload
}

# An unload thaws a frozen pool first, as the workers of a frozen pool take no tasks.
test_frozen_pool_goes_with_the_module()
{
	fresh
	[ -e /sys/kernel/debug/wpool/frozen ] || skip "no debugfs"
	pool freezable=1
	echo 1 >/sys/kernel/debug/wpool/frozen || fail "not frozen"
	# the close of the file does not take the task of a strand out of the queue
	start wpoolctl run "$POOL" --work strand:1ms --tasks 1
	await 1 queued
	end_helpers
	unload
}

# The module can be loaded and unloaded repeatedly: with pools left behind, with tasks that sleep,
# and with several processes that submit all the time until they are killed.
test_load_and_unload()
{
	for i in 1 2 3 4 5; do
		echo "the $i. time"
		fresh && "$HELPER" leave p 3 >/dev/null || fail "leave"
		unload
		load && helper sleepers default 50 && end_helpers
		unload
		load && helper storm a && helper storm a && helper storm b
		refused && end_helpers
		unload
	done
}

test_the_module_is_loaded_in_the_end()
{
	fresh && "$HELPER" leave last 1 >"$TMP/leave" || fail "$(cat "$TMP/leave")"
	grep -qx open $CLASS/default/state
}

run_tests "$@"
