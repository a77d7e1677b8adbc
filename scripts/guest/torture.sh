#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3028
#
# torture.sh - in the virtual machine: tools/testing/torture/run.sh, or the
# fuzzer of tools/testing/fuzz, as PROGRAM says. What they print is KTAP, or made
# so here; the lines around it are for scripts/ktap.
#
# From the kernel's command line: PROGRAM, what run.sh takes, and for the fuzzer
# SEED, CALLS, SECONDS and THREADS (4). With CORPUS=1 the fuzzer's corpus begins with
# /files/corpus, and what it came to is printed, packed, as lines that begin with #corpus.

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
		--threads "${THREADS:-4}" "$@"; then
		echo "ok 1 seed_$SEED"
	else
		echo "not ok 1 seed_$SEED"
		fuzzed=1
	fi
	[ "$CORPUS" != 1 ] || tar cz -C /tmp/corpus . | base64 | sed 's/^/#corpus /'
	[ $fuzzed -eq 0 ] || return 1
	rmmod wpool
}

status=0
echo "wpool-test: start"
echo "wpool-selftest: start $PROGRAM"
case $PROGRAM in
torture) sh /files/run.sh || status=1 ;;
fuzz) fuzz || status=1 ;;
*) status=1 ;;
esac
echo "wpool-selftest: end $PROGRAM $status"
echo "wpool-test: end"
exit $status
