#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3028,SC2317
#
# torture.sh - in the virtual machine: run tools/testing/torture/run.sh, or, by PROGRAM, the fuzzer
# of tools/testing/fuzz. The output is KTAP, with lines for scripts/ktap around it.
#
# PROGRAM=soak runs run.sh twice: for a minute, so that all objects exist that are made once and
# kept, and then for SECONDS. Threads and memory are compared before and after the second run.
#
# Variables of the kernel's command line: PROGRAM, those of run.sh, and for the fuzzer SEED,
# CALLS, SECONDS, THREADS (4) and PROCESSES (1). With CORPUS=1 the fuzzer begins with the calls in
# /files/corpus; at the end the new corpus is printed, packed, in lines that begin with #corpus.

fuzz()
{
	insmod /wpool/wpool.ko || return 1
	echo "TAP version 13"
	echo "1..1"
	fuzzed=0
	if [ "$CORPUS" = 1 ]; then
		cp -r /files/corpus /tmp/corpus
		set -- --corpus /tmp/corpus
	fi
	if /tests/ioctl_fuzz --seed "$SEED" --calls "$CALLS" --seconds "$SECONDS" \
		--threads "${THREADS:-4}" --processes "${PROCESSES:-1}" "$@"; then
		echo "ok 1 seed_$SEED"
	else
		echo "not ok 1 seed_$SEED"
		fuzzed=1
	fi
	[ "$CORPUS" != 1 ] || tar cz -C /tmp/corpus . | base64 | sed 's/^/#corpus /'
	[ "$fuzzed" -eq 0 ] || return 1
	rmmod wpool
}

# block NAME COMMAND [ARGUMENT...]
block()
{
	name=$1 failed=0
	shift
	echo "wpool-selftest: start $name"
	"$@" || failed=1 status=1
	echo "wpool-selftest: end $name $failed"
}

# kernel_threads: print the names of kernel threads, without workers of workqueues, which change.
kernel_threads() { sed -n 's/^[0-9]* (\(.*\)) . 2 .*/\1/p' /proc/[0-9]*/stat | grep -v '^kworker'; }

# slabs_used: print the KiB of objects in slabs. Free places in slabs do not count: the kernel keeps
# slabs with few objects, and more of them the longer it works.
slabs_used()
{
	for cache in /sys/kernel/slab/*/shrink; do
		echo 1 >"$cache"
	done
	awk '/^S(Reclaimable|Unreclaim):/ { sum += $2 }
		FILENAME ~ "slabinfo" && FNR > 2 { sum -= ($3 - $2) * $4 / 1024 }
		END { print int(sum) }' /proc/meminfo /proc/slabinfo
}

# look FILE: write the figures of the quiet machine to FILE, memory in KiB.
look()
{
	sleep 3
	echo 3 >/proc/sys/vm/drop_caches
	{
		kernel_threads | sed 's/^/thread /'
		echo "threads: $(kernel_threads | wc -l)"
		echo "slabs used: $(slabs_used)"
		grep -E '^(MemAvailable|SUnreclaim|KernelStack|PageTables|Percpu|VmallocUsed):' \
			/proc/meminfo
	} 2>/dev/null >"$1"
}

# judge NUMBER NAME MOST: NAME may have grown by MOST; if MOST is negative, shrunk by -MOST
judge()
{
	before=$(sed -n "s/^$2: *\([0-9]*\).*/\1/p" /tmp/before)
	after=$(sed -n "s/^$2: *\([0-9]*\).*/\1/p" /tmp/after)
	grown=$((after - before))
	[ "$3" -ge 0 ] || grown=$((-grown))
	echo "# $2: $before before, $after after"
	if [ -n "$before" ] && [ "$grown" -le "${3#-}" ]; then
		echo "ok $1 $2"
	else
		echo "not ok $1 $2"
		return 1
	fi
}

# The limits: a leak of 64 bytes by each task would be tens of MiB, a leak of a page by each load of
# the module 4 MiB.
judge_all()
{
	bad=0
	echo "KTAP version 1"
	echo "1..4"
	judge 1 threads 0 || bad=1
	judge 2 MemAvailable -16384 || bad=1
	judge 3 "slabs used" 1024 || bad=1
	judge 4 Percpu 1024 || bad=1
	sed 's/^/# before: /' /tmp/before
	sed 's/^/# after: /' /tmp/after
	return "$bad"
}

soak()
{
	block warm-up sh /files/run.sh SECONDS=60 CYCLES=20
	look /tmp/before
	block torture sh /files/run.sh
	look /tmp/after
	block soak judge_all
}

status=0
echo "wpool-test: start"
case $PROGRAM in
torture) block torture sh /files/run.sh ;;
fuzz) block fuzz fuzz ;;
soak) soak ;;
*) status=1 ;;
esac
echo "wpool-test: end"
exit $status
