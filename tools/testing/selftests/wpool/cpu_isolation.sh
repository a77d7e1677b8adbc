#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# cpu_isolation - workers stay off the CPUs that the kernel keeps free of its own threads
# (isolcpus=, nohz_full=, and, since Linux 7.2, isolated partitions of cpusets), unless a pool's
# cpumask names them. Timers of delayed works stay off the CPUs of nohz_full=, see
# tools/testing/held.

# shellcheck disable=SC2317,SC2015,SC2086
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"

WORKERS=/sys/kernel/debug/wpool/workers
CPU_DIR=/sys/devices/system/cpu
CGROUP=$TMP/cgroup
PARTITION=$CGROUP/wpool
MODULES=${WPOOL_SAMPLES:-/wpool}

cleanup()
{
	if [ -d "$PARTITION" ]; then
		echo member >"$PARTITION/cpuset.cpus.partition"
		rmdir "$PARTITION"
	fi
	umount "$CGROUP" 2>/dev/null
	rmmod held wpool_wq 2>/dev/null
	[ ! -e "$CLASS/$POOL-named" ] || wpoolctl destroy "$POOL-named"
}

# has CPU LIST: is the CPU in the list?
has() { cpus "$2" | grep -qx "$1"; }

# allowed POOL: the CPUs on which the kernel lets the pool's workers run
allowed()
{
	awk -v pool="$1" '$1 == pool { print $2 }' $WORKERS | while read -r pid; do
		cpus "$(sed -n 's/^Cpus_allowed_list:[^0-9]*//p' "/proc/$pid/status")"
	done 2>/dev/null | sort -un
}

# load POOL [OPTION]...: run tasks that sleep, so that the pool needs many workers
load() { wpoolctl run "$@" --work sleep:1ms --tasks 2000 --quiet; }

# load_from_all POOL: as load, from each CPU at the same time
load_from_all()
{
	rm -f "$TMP/lost"
	for from in $(cpus "$(cat $CPU_DIR/online)"); do
		taskset "$(printf %x $((1 << from)))" wpoolctl run "$1" --work sleep:1ms --tasks 1000 \
			--quiet || : >"$TMP/lost" &
		loads="$loads $!"
	done
	wait $loads
	loads=
	[ ! -e "$TMP/lost" ]
}

# keeps_off POOL CPU: the pool's workers and its cpumask avoid the CPU
keeps_off() { ! allowed "$1" | grep -qx "$2" && ! has "$2" "$(cat "$CLASS/$1/cpumask")"; }

# first_isolated: the first CPU isolated at boot
first_isolated() { cpus "$(cat $CPU_DIR/isolated $CPU_DIR/nohz_full 2>/dev/null | grep '^[0-9]')" | head -n 1; }

test_workers_stay_off_cpus_isolated_at_boot()
{
	cpu=$(first_isolated)
	[ -n "$cpu" ] || skip "no CPU is isolated"
	pool capacity=$(($(nproc) * 4))
	load_from_all "$POOL" || fail "tasks were lost"
	keeps_off "$POOL" "$cpu" || fail "CPU $cpu: cpumask $(cat "$CLASS/$POOL/cpumask")," \
		"workers on $(allowed "$POOL")"
	# a pool whose cpumask names the CPU has workers there
	wpoolctl create "$POOL-named" capacity=4 cpumask="$cpu" >/dev/null &&
		load_from_all "$POOL-named" || fail "tasks were lost"
	[ "$(allowed "$POOL-named")" = "$cpu" ] || fail "not on CPU $cpu: $(allowed "$POOL-named")"
}

# The timer of a delayed work stays off a CPU without a tick: it would start the tick again.
test_delayed_works_stay_off_cpus_without_a_tick()
{
	cpu=$(cpus "$(grep '^[0-9]' $CPU_DIR/nohz_full 2>/dev/null)" | head -n 1)
	[ -n "$cpu" ] || skip "no CPU is in nohz_full="
	[ -e "$MODULES/held.ko" ] || skip "held.ko is not built for this kernel"
	insmod "$MODULES/wpool_wq.ko" && insmod "$MODULES/held.ko" || fail "insmod failed"
	timer=$(taskset "$(printf %x $((1 << cpu)))" cat /sys/module/held/parameters/timer_on_wpool)
	[ -n "$timer" ] && [ "$timer" -ne "$cpu" ] || fail "queued on CPU $cpu, timer on CPU $timer"
}

# partition: isolate CPU 1 by cpusets
partition()
{
	mkdir "$CGROUP" && mount -t cgroup2 none "$CGROUP" 2>/dev/null || skip "no cgroups"
	echo +cpuset >"$CGROUP/cgroup.subtree_control" 2>/dev/null || skip "no cpuset controller"
	mkdir "$PARTITION" || return 1
	echo 1 >"$PARTITION/cpuset.cpus.exclusive" 2>/dev/null || skip "no partitions of cpusets"
	echo 1 >"$PARTITION/cpuset.cpus"
	echo isolated >"$PARTITION/cpuset.cpus.partition" || skip "no isolated partitions"
	[ "$(cat "$PARTITION/cpuset.cpus.partition")" = isolated ] ||
		fail "no partition: $(cat "$PARTITION/cpuset.cpus.partition")"
	# a new pool shows whether this kernel keeps its own threads off the partition
	pool
	has 1 "$(cat "$CLASS/$POOL/cpumask")" &&
		skip "the kernel decides at boot where its threads run"
	wpoolctl destroy "$POOL"
}

loaded_and_off() { load "$POOL" && keeps_off "$POOL" 1; }
loaded_and_back() { load "$POOL" && has 1 "$(cat "$CLASS/$POOL/cpumask")"; }

test_pools_follow_changes_of_cpusets()
{
	[ "$(nproc)" -ge 2 ] || skip "needs 2 CPUs"
	[ -z "$(first_isolated)" ] || skip "CPUs are isolated already"
	wpoolctl create "$POOL-named" capacity=8 cpumask=0-1 >/dev/null || return 1
	partition || fail "no partition"
	echo member >"$PARTITION/cpuset.cpus.partition"
	pool capacity=8 min_workers=4
	load "$POOL" || fail "tasks were lost"
	has 1 "$(cat "$CLASS/$POOL/cpumask")" || fail "it never was on CPU 1"
	echo isolated >"$PARTITION/cpuset.cpus.partition"
	# an existing pool leaves the CPU when it next has tasks to run
	wait_for loaded_and_off || fail "isolated: cpumask $(cat "$CLASS/$POOL/cpumask")," \
		"workers on $(allowed "$POOL")"
	[ "$(cat "$CLASS/$POOL-named/cpumask")" = 0-1 ] || fail "the named cpumask has changed"
	echo member >"$PARTITION/cpuset.cpus.partition"
	wait_for loaded_and_back || fail "back: cpumask $(cat "$CLASS/$POOL/cpumask")"
}

run_tests "$@"
