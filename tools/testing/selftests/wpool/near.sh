#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# near - a pool has its workers near the submitter: on CPUs with the same last-level cache, but on
# another core, as the kernel reports them. Loads the module again, and leaves it loaded without
# parameters.

# shellcheck disable=SC2317,SC2015,SC2046,SC2086
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"

KO=${WPOOL_KO:-/wpool/wpool.ko}
WORKERS=/sys/kernel/debug/wpool/workers
CPU_DIR=/sys/devices/system/cpu

cleanup()
{
	[ "$(cat /sys/module/wpool/parameters/by_cache)" = Y ] || { rmmod wpool && insmod "$KO"; }
}

# cache CPU: the CPUs that share the last-level cache of CPU, CPU included
cache() { cpus "$(cat "$(printf '%s\n' "$CPU_DIR/cpu$1"/cache/index* | tail -n 1)/shared_cpu_list")"; }

# node CPU: the CPUs of the node of CPU
node() { cpus "$(cat "$CPU_DIR/cpu$1"/node*/cpulist 2>/dev/null || cat $CPU_DIR/online)"; }

# core CPU: the CPUs of the core of CPU, CPU included
core() { cpus "$(cat "$CPU_DIR/cpu$1/topology/thread_siblings_list")"; }

# submitter: a CPU that shares its cache with other CPUs, but not with the first CPU of its node,
# where workers go if the cache does not count.
submitter()
{
	for cpu in $(cpus "$(cat $CPU_DIR/online)"); do
		[ -e "$CPU_DIR/cpu$cpu/cache/index0" ] && [ "$(cache "$cpu" | wc -l)" -ge 2 ] || continue
		first=$(node "$cpu" | head -n 1)
		cache "$cpu" | grep -qx "$first" || {
			echo "$cpu"
			return
		}
	done
}

# homes CPU: the home CPUs of the two workers of a pool, after a load from CPU
homes()
{
	pool capacity=2 expiry_ms=0
	taskset "$(printf %x $((1 << $1)))" wpoolctl run "$POOL" --work spin:2ms --tasks 40 --quiet ||
		fail "tasks were lost"
	awk -v pool="$POOL" '$1 == pool { print $3 }' $WORKERS | sort -n
	wpoolctl destroy "$POOL"
}

test_the_workers_have_the_cache_of_who_submits()
{
	cpu=$(submitter)
	[ -n "$cpu" ] || skip "no node has two caches with several CPUs"
	homes "$cpu" >"$TMP/homes"
	[ "$(wc -l <"$TMP/homes")" -eq 2 ] || fail "not two workers: $(cat "$TMP/homes")"
	cache "$cpu" >"$TMP/cache"
	! grep -vqxf "$TMP/cache" "$TMP/homes" ||
		fail "from CPU $cpu, with" $(cat "$TMP/cache") "in its cache: workers on" $(cat "$TMP/homes")
}

test_each_worker_has_a_core_of_its_own()
{
	cpu=$(submitter)
	[ -n "$cpu" ] && [ "$(core "$cpu" | wc -l)" -ge 2 ] || skip "no core has several CPUs"
	cache "$cpu" | grep -qvxF "$(core "$cpu")" || skip "no cache has several cores"
	homes "$cpu" >"$TMP/homes"
	core "$cpu" >"$TMP/core"
	[ "$(grep -cxf "$TMP/core" "$TMP/homes")" -eq 1 ] ||
		fail "from CPU $cpu of a core with" $(cat "$TMP/core")": workers on" $(cat "$TMP/homes")
}

test_without_the_parameter_they_have_its_node()
{
	cpu=$(submitter)
	[ -n "$cpu" ] || skip "no node has two caches with several CPUs"
	rmmod wpool && insmod "$KO" by_cache=0 || fail "no reload"
	homes "$cpu" >"$TMP/homes"
	node "$cpu" | head -n 1 >"$TMP/wanted"
	echo "$cpu" >>"$TMP/wanted"
	cmp -s "$TMP/wanted" "$TMP/homes" ||
		fail "not on CPUs" $(cat "$TMP/wanted")", but on" $(cat "$TMP/homes")
}

run_tests "$@"
