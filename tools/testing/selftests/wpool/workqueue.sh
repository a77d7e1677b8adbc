#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# workqueue - the kernel's loop driver, with unchanged source, on the kernel's workqueues and on
# those of wpool_wq: files are attached, formatted, mounted, written, read back through the device,
# and detached, several devices at once. held.ko queues works on a CPU that a thread occupies.

# shellcheck disable=SC2317,SC2015,SC2086
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"

MODULES=${WPOOL_SAMPLES:-/wpool}
DEVICES="0 1 2"
SIZE_MB=12
HELD=/sys/module/held/parameters

gone() { [ ! -e "/sys/module/$1" ] || rmmod "$1"; }

cleanup()
{
	[ ! -e $HELD ] || echo 0 >$HELD/hold
	while read -r file value; do
		echo "$value" >"$file"
	done 2>/dev/null <"$TMP/was"
	for n in $DEVICES; do
		umount "$TMP/mnt$n"
		losetup -d "/dev/loop$n"
	done 2>/dev/null
	for module in loop_kernel loop_wpool held wpool_wq; do
		wait_for gone $module || echo "$module cannot be unloaded"
	done
	rm -rf "$TMP"/disk* "$TMP"/mnt* "$TMP/was"
}

# begin MODULE: load the module; no device is attached.
begin()
{
	[ -e "$MODULES/$1.ko" ] || skip "$1.ko is not built for this kernel"
	grep -qw ext4 /proc/filesystems || skip "ext4 is a module of this kernel, which is not there"
	[ ! -e /sys/module/loop ] || skip "the kernel has a loop driver of its own, which is loaded"
	[ "$1" = loop_kernel ] || insmod "$MODULES/wpool_wq.ko" || fail "wpool_wq: insmod failed"
	insmod "$MODULES/$1.ko" max_loop=4 || fail "$1: insmod failed"
	wait_for [ -b /dev/loop3 ] || fail "there are no devices"
}

# end MODULE: unload the module, and check that its pools are gone.
end()
{
	wait_for rmmod "$1" || fail "$1 cannot be unloaded"
	[ "$1" = loop_kernel ] || rmmod wpool_wq || fail "wpool_wq cannot be unloaded"
	for n in $DEVICES; do
		[ ! -e "$CLASS/loop$n" ] || fail "there is still a pool loop$n"
	done
	no_threads wpool/loop
}

# sums DIR FILE: write the checksums of all files in DIR.
sums() { (cd "$1" && sha256sum file* sub/*) >"$2"; }

# attach N: attach a device, after an earlier detach has completed.
attach() { wait_for losetup "/dev/loop$1" "$TMP/disk$1" || fail "loop$1: cannot attach"; }

detach()
{
	losetup -d "/dev/loop$1" && wait_for [ ! -e "/sys/block/loop$1/loop" ] ||
		fail "loop$1: cannot detach"
}

# use N: attach, use and detach one device.
use()
{
	disk=$TMP/disk$1 mnt=$TMP/mnt$1 dev=/dev/loop$1
	mkdir -p "$mnt"
	dd if=/dev/zero of="$disk" bs=1M count=$SIZE_MB 2>/dev/null
	attach "$1"
	mke2fs "$dev" >/dev/null || fail "$dev: mke2fs failed"
	mount -t ext4 "$dev" "$mnt" || fail "$dev: mount failed"
	mkdir "$mnt/sub"
	for i in 1 2 3 4 5 6; do
		dd if=/dev/urandom of="$mnt/file$i" bs=64K count=10 2>/dev/null &&
			cp "$mnt/file$i" "$mnt/sub/copy$i" && sync || fail "$dev: write failed"
	done
	rm "$mnt/file3"
	sums "$mnt" "$TMP/before$1"
	umount "$mnt" || fail "$dev: umount failed"

	# direct I/O on the device, in both directions
	dd if="$dev" of="$TMP/direct$1" bs=256K iflag=direct 2>/dev/null &&
		cmp "$TMP/direct$1" "$disk" || fail "$dev: direct read differs"
	dd if=/dev/urandom of="$TMP/block$1" bs=256K count=4 2>/dev/null
	dd if="$TMP/block$1" of="$dev" bs=256K seek=$((SIZE_MB * 4 - 4)) oflag=direct 2>/dev/null &&
		tail -c 1048576 "$disk" | cmp - "$TMP/block$1" || fail "$dev: direct write"
	dd if="$TMP/direct$1" of="$dev" bs=256K oflag=direct 2>/dev/null ||
		fail "$dev: direct write failed"
	detach "$1"

	# the data is in the backing file: read it through the device again
	echo 3 >/proc/sys/vm/drop_caches
	attach "$1"
	mount -t ext4 -o ro "$dev" "$mnt" || fail "$dev: second mount failed"
	sums "$mnt" "$TMP/after$1"
	cmp "$TMP/before$1" "$TMP/after$1" || fail "$dev: files differ"
	[ "$(wc -l <"$TMP/after$1")" -eq 11 ] || fail "$dev: files are missing"
	umount "$mnt" || fail "$dev: second umount failed"
	detach "$1"
	rm "$disk" "$TMP/direct$1"
	echo used >"$TMP/used$1"
}

use_all()
{
	rm -f "$TMP"/used*
	pids=
	for n in $DEVICES; do
		use "$n" &
		pids="$pids $!"
	done
	wait $pids
	for n in $DEVICES; do
		[ -e "$TMP/used$n" ] || fail "loop$n was not used to its end"
	done
}

test_the_loop_driver_runs_on_workqueues()
{
	begin loop_kernel && use_all
	[ ! -e $CLASS/loop0 ] || fail "it has a pool"
	end loop_kernel
}

test_the_loop_driver_runs_on_wpool()
{
	begin loop_wpool && use_all
	for n in $DEVICES; do
		completed=$(cat $CLASS/loop$n/completed)
		[ "$completed" -gt 100 ] || fail "loop$n: no more than $completed tasks"
		[ "$(cat $CLASS/loop$n/freezable $CLASS/loop$n/outstanding | xargs)" = "1 0" ] ||
			fail "loop$n: not freezable, or not empty"
	done
	end loop_wpool
}

# tune_all: tune the pools of all devices until there is a file "enough".
tune_all()
{
	while [ ! -e "$TMP/enough" ]; do
		for n in $DEVICES; do
			echo 1 >$CLASS/loop$n/capacity && echo 0 >$CLASS/loop$n/queue_depth &&
				usleep 5000 && echo 256 >$CLASS/loop$n/capacity &&
				echo 4 >$CLASS/loop$n/queue_depth && usleep 5000 || return 1
			echo loop$n >>"$TMP/tuned"
		done
	done
}

# The limits of a pool in use can change, unlike those of a workqueue, and no data is lost.
test_loop_on_wpool_that_is_tuned()
{
	begin loop_wpool
	for n in $DEVICES; do
		# the first attach makes the pool
		: >"$TMP/disk$n" && attach $n && detach $n
	done
	start tune_all
	use_all
	: >"$TMP/enough"
	wait $started || fail "a pool cannot be tuned"
	[ "$(wc -l <"$TMP/tuned")" -gt 10 ] || fail "tuned $(wc -l <"$TMP/tuned") times"
	end loop_wpool
}

SYSCTL=/proc/sys/kernel
# Since 6.12 the scheduler has a server that gives starved threads a share of the CPU.
SERVER=/sys/kernel/debug/sched/fair_server/cpu1/runtime

# for_now FILE VALUE: set FILE, if there is one, to VALUE until cleanup().
for_now()
{
	[ ! -e "$1" ] || { echo "$1 $(cat "$1")" >>"$TMP/was" && echo "$2" >"$1"; }
}

# hold_cpu COMMAND...: run COMMAND. Then a thread on CPU 1 queues 8 works of wpool_wq and 8 of the
# kernel's workqueue there, and keeps the CPU. Wait until the works of wpool_wq have run.
hold_cpu()
{
	[ -e "$MODULES/held.ko" ] || skip "held.ko is not built for this kernel"
	[ -e $SYSCTL/sched_rt_runtime_us ] && [ -e /sys/devices/system/cpu/cpu1 ] ||
		skip "needs 2 CPUs"
	insmod "$MODULES/wpool_wq.ko" && insmod "$MODULES/held.ko" || fail "insmod failed"
	for_now $SYSCTL/sched_rt_runtime_us -1
	for_now $SERVER 0
	"$@" && echo 1 >$HELD/hold || fail "no thread keeps CPU 1"
	wait_for grep -qx 8 $HELD/on_wpool ||
		fail "$(cat $HELD/on_wpool) of 8 works of wpool_wq ran beside the thread"
}

# let_go: check that no work of the kernel's workqueue has run, stop the thread, and wait until all
# have run.
let_go()
{
	meanwhile=$(cat $HELD/on_kernel)
	[ "$meanwhile" -eq 0 ] || fail "$meanwhile works of the kernel ran beside the thread"
	echo 0 >$HELD/hold
	wait_for grep -qx 8 $HELD/on_kernel ||
		fail "$(cat $HELD/on_kernel) of 8 works of the kernel ran in the end"
}

# While the thread polls, no work of the kernel's workqueue runs, and all works of wpool_wq do. The
# kernel's watchdog is off, since it may report the thread on a slow machine.
test_a_polling_thread_stops_a_workqueue_and_not_wpool()
{
	hold_cpu for_now $SYSCTL/soft_watchdog 0 && let_go
}

# watch_closely: set the kernel's watchdog to CPU 1 and the shortest limit, and announce its report.
watch_closely()
{
	for_now $SYSCTL/watchdog_cpumask 1
	for_now $SYSCTL/watchdog_thresh 1
	echo "wpool-expect: watchdog: BUG: soft lockup - CPU#1 of [held/1:" >/dev/kmsg
}

lockup_is_reported() { dmesg | grep -q 'soft lockup - CPU#1 stuck .*\[held/1:'; }

# The works of the kernel's workqueue wait until the kernel reports a lockup of the thread.
test_a_polling_thread_until_the_kernel_reports_a_lockup()
{
	[ "$(cat $SYSCTL/watchdog $SYSCTL/soft_watchdog 2>/dev/null | xargs)" = "1 1" ] ||
		skip "no detector of lockups, or it is off"
	# with preemption the watchdog's own thread gets the CPU, and there is no lockup
	case "$(uname -v) $(cat /sys/kernel/debug/sched/preempt 2>/dev/null)" in
	*PREEMPT_DYNAMIC*"(none)"* | *PREEMPT_DYNAMIC*"(voluntary)"*) ;;
	*PREEMPT*) skip "the kernel preempts its threads" ;;
	esac
	hold_cpu watch_closely
	wait_for lockup_is_reported || fail "the kernel reports no lockup"
	let_go
}

run_tests "$@"
