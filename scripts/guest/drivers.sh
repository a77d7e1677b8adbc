#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# drivers.sh - a driver of the kernel on both kinds of workqueues, in the guest of scripts/drivers:
# the same I/O, contents compared. DRIVER, ROUNDS and MS are on the kernel's command line.
#
# Prints "figure ROW WHICH MB/s P99", and "sum WHICH CHECKSUM" of what was written.

# shellcheck disable=SC2154
MB=32
D=/files/drivers

fail() { echo "drivers: $*"; exit 1; }

# option NAME: of the kernel's command line.
option() { sed -n "s/.*\b$1=\([^ ]*\).*/\1/p" /proc/cmdline; }

DRIVER=$(option DRIVER) ROUNDS=$(option ROUNDS) MS=$(option MS)

# rows DEVICE WHICH PREFIX: fill it, measure, compare.
rows()
{
	$D/io fill "$1" $MB || fail "fill"
	for block in 4096 262144; do
		for threads in 1 4; do
			for what in read write; do
				figure=$($D/io $what "$1" $MB $block $threads "$MS") || fail "$what failed"
				echo "figure $3${what}_$((block / 1024))k_$threads $2 $figure"
			done
		done
	done
	echo "sum $2 $(dd if="$1" bs=1M count=$MB iflag=direct 2>/dev/null | sha256sum)"
}

# crypt WHICH OPTIONS PREFIX
crypt()
{
	key=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff
	table="0 $((MB * 2048)) crypt aes-xts-plain64 $key 0 /dev/ram0 0$2"
	dmsetup --noudevsync create c --table "$table" || fail "dmsetup"
	rows /dev/dm-0 "$1" "$3"
	dmsetup --noudevsync remove c || fail "remove"
	# what lies below is encrypted
	echo "sum $1 $(dd if=/dev/ram0 bs=1M count=$MB iflag=direct 2>/dev/null | sha256sum)"
}

use_dm_crypt()
{
	crypt "$1" "" ""
	crypt "$1" " 1 same_cpu_crypt" same_cpu_
}

use_nbd()
{
	$D/io nbd /dev/nbd0 $MB 2 &
	until [ "$(cat /sys/block/nbd0/size)" -gt 0 ] && [ -e /sys/block/nbd0/pid ]; do usleep 20000; done
	rows /dev/nbd0 "$1" ""
	$D/io nbd-end /dev/nbd0 || fail "disconnect"
	wait
}

ip link set lo up
while read -r module arguments; do
	# shellcheck disable=SC2086
	insmod "$D/$module" $arguments || fail "$module: insmod failed"
done <$D/modules
insmod /wpool/wpool.ko 2>/dev/null
[ -e /sys/module/wpool ] || fail "wpool: insmod failed"
insmod /wpool/wpool_wq.ko || fail "wpool_wq: insmod failed"
while [ "$ROUNDS" -gt 0 ]; do
	ROUNDS=$((ROUNDS - 1))
	for which in kernel wpool; do
		insmod "$D/${DRIVER}_$which.ko" || fail "${DRIVER}_$which: insmod failed"
		"use_$DRIVER" $which
		# a device may be held for a moment
		until rmmod "${DRIVER}_$which"; do usleep 100000; done
	done
done
rmmod wpool_wq || fail "wpool_wq: cannot be unloaded"
echo "drivers: all rounds are over"
