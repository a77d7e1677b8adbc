#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# drivers.sh - in the guest of scripts/drivers: do the same I/O with a driver of the kernel on both
# kinds of workqueues. DRIVER, ROUNDS, MS and STREAM are on the kernel's command line.
#
# Prints "figure ROW WHICH RATE P99", or "figure ROW WHICH RATE", and "sum WHICH CHECKSUM" of the
# data. A rate is in MB/s, if ROW says nothing else; P99 is in us. WHICH is kernel or wpool; scripts/drivers compares the sums of both.

# shellcheck disable=SC2154,SC2086,SC2015
MB=8
D=/files/drivers

fail() { echo "drivers: $*"; exit 1; }

# option NAME: print the value of NAME on the kernel's command line.
option() { sed -n "s/.*\b$1=\([^ ]*\).*/\1/p" /proc/cmdline; }

DRIVER=$(option DRIVER) ROUNDS=$(option ROUNDS) MS=$(option MS) STREAM=$(option STREAM)

# sum WHICH DEVICE: print the checksum of the device.
sum() { echo "sum $1 $(dd if="$2" bs=1M count=$MB iflag=direct 2>/dev/null | sha256sum)"; }

# rows DEVICE WHICH PREFIX BLOCK:THREADS...: for each shape, fill the device, measure reads and
# writes, and print the checksum.
rows()
{
	device=$1 which=$2 prefix=$3
	shift 3
	for shape; do
		salt=$((salt + 1))
		set -- "$device" $MB "${shape%:*}" "${shape#*:}" $salt
		$D/io fill "$1" $MB "$3" 4 $salt || fail "fill"
		for what in read write; do
			figure=$($D/io $what "$@" "$MS") || fail "$what failed"
			echo "figure $prefix${what}_$(($3 / 1024))k_$4 $which $figure"
		done
		sum "$which" "$device"
	done
}

SHAPES="4096:1 4096:2 4096:4 262144:1 262144:2 262144:4"

# uses POOL WHICH: check, on wpool, that the driver's queue is a pool with completed tasks.
uses()
{
	[ "$2" = kernel ] || [ "$(cat "/sys/class/wpool/$1/completed")" -gt 0 ] || fail "$1 was not used"
}

# crypt WHICH OPTIONS PREFIX: measure dm-crypt with these options.
crypt()
{
	key=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff
	table="0 $((MB * 2048)) crypt aes-xts-plain64 $key 0 /dev/ram0 0$2"
	dmsetup --noudevsync create c --table "$table" || fail "dmsetup"
	rows /dev/dm-0 "$1" "$3" $SHAPES
	dmsetup --noudevsync remove c || fail "remove"
	# compare the ciphertext on the RAM disk, too
	sum "$1" /dev/ram0
}

use_dm_crypt()
{
	crypt "$1" "" ""
	crypt "$1" " 1 same_cpu_crypt" same_cpu_
}

# put_image: write the image to the disk of null_blk.
put_image() { dd if=$D/image of=/dev/nullb0 bs=1M conv=fsync 2>/dev/null || fail "no image"; }

# mount_erofs: mount so that all reads go to the disk, and works do all decompression.
mount_erofs()
{
	mount -t erofs -o cache_strategy=disabled /dev/nullb0 /mnt || fail "mount"
	echo 2 >/sys/fs/erofs/nullb0/sync_decompress || fail "sync_decompress"
}

use_erofs()
{
	mkdir -p /mnt
	put_image
	mount_erofs
	for threads in 1 4; do
		figure=$($D/io files /mnt 8 131072 $threads 0 "$MS") || fail "read failed"
		echo "figure read_128k_$threads $1 $figure"
	done
	umount /mnt && mount_erofs || fail "umount"
	echo "sum $1 $(cat /mnt/* | sha256sum)"
	uses erofs_worker "$1"
	umount /mnt || fail "umount"
	# damage the image: overwrite blocks of one file with blocks of another
	blocks=$(($(wc -c <$D/image) / 4096))
	dd if=$D/image of=/dev/nullb0 bs=4096 count=4 skip=$((blocks / 4)) seek=$((blocks / 2)) \
		conv=notrunc,fsync 2>/dev/null || fail "no damage"
	mount_erofs
	$D/io files /mnt 8 131072 4 0 1 2>/dev/null >&2 && fail "damage was not found"
	umount /mnt || fail "umount"
}

use_ksmbd()
{
	MB=4
	rm -rf /etc/ksmbd
	mkdir -p /etc/ksmbd /run /share /mnt
	mount -t tmpfs share /share && : >/share/disk || fail "no directory to share"
	printf '[share]\npath = /share\nread only = no\n' >/etc/ksmbd/ksmbd.conf
	ksmbd.adduser -a root -p secret && ksmbd.mountd || fail "no daemon"
	until grep -q running /sys/class/ksmbd-control/stats; do usleep 20000; done
	mount -t cifs -o ip=127.0.0.1,vers=3.1.1,cache=none,username=root,password=secret \
		//127.0.0.1/share /mnt || fail "mount"
	rows /mnt/disk "$1" "" $SHAPES
	umount /mnt || fail "umount"
	# compare the server's file, too
	sum "$1" /share/disk
	uses ksmbd-io "$1"
	ksmbd.control -s || fail "the daemon does not end"
	umount /share || fail "umount"
}

use_loop()
{
	dd if=/dev/zero of=/tmp/disk bs=1M count=$MB 2>/dev/null
	losetup /dev/loop0 /tmp/disk || fail "losetup"
	rows /dev/loop0 "$1" "" $SHAPES
	uses loop0 "$1"
	losetup -d /dev/loop0 || fail "losetup -d"
	sum "$1" /tmp/disk
	rm /tmp/disk
}

use_nbd()
{
	$D/io nbd /dev/nbd0 $MB 2 &
	until [ "$(cat /sys/block/nbd0/size)" -gt 0 ] && [ -e /sys/block/nbd0/pid ]; do usleep 20000; done
	rows /dev/nbd0 "$1" "" 4096:1 4096:8 262144:1 262144:4
	$D/io nbd-end /dev/nbd0 || fail "disconnect"
	wait
}

LOAD=/sys/module/aead_load/parameters/run

# requests WHICH PREFIX AEAD WHAT BLOCK:REQUESTS...: measure pcrypt, and compare it with AEAD.
requests()
{
	which=$1 prefix=$2 aead=$3 what=$4
	shift 4
	for shape; do
		echo "$aead pcrypt($aead) $what ${shape%:*} ${shape#*:} $MS" >$LOAD && figure=$(cat $LOAD) ||
			fail "$what $shape failed"
		echo "figure $prefix${what}_$((${shape%:*} / 1024))k_${shape#*:} $which ${figure% *}"
		echo "sum $which ${figure##* }"
	done
}

use_pcrypt()
{
	gcm='gcm-aes-lib'
	grep -qw $gcm /proc/crypto || gcm="gcm_base(ctr(aes-generic),ghash-generic)"
	for what in encrypt decrypt; do
		requests "$1" "" "$gcm" $what 4096:1 4096:4 4096:16 16384:1 16384:4 16384:16
		# cryptd returns before the request has begun, and ends it in another thread
		requests "$1" cryptd_ "cryptd($gcm)" $what 4096:16
		uses "p$what" "$1"
	done
}

# disk N: add RAM disk N to the array of the current directory, with its size.
disk()
{
	echo "1:$1" >new_dev && echo 16384 >"dev-ram$1/size" || fail "ram$1 does not join"
}

# idle: wait until the array does no resync, check or recovery.
idle() { until [ "$(cat sync_action)" = idle ]; do usleep 20000; done; }

# parity: check that the parity is right on all disks.
parity()
{
	echo check >sync_action || fail "parity cannot be checked"
	idle
	[ "$(cat mismatch_cnt)" -eq 0 ] || fail "parity differs in $(cat mismatch_cnt) sectors"
}

use_raid5()
{
	MB=32
	echo md0 >/sys/module/md_mod/parameters/new_array || fail "no array"
	cd /sys/block/md0/md || fail "no array"
	echo raid5 >level && echo 3 >raid_disks && echo 65536 >chunk_size && echo 2 >layout ||
		fail "no raid5"
	for n in 0 1 2; do
		disk $n && echo $n >dev-ram$n/slot || fail "ram$n has no place"
	done
	echo 16384 >component_size && echo active >array_state || fail "the array does not start"
	echo 2 >group_thread_cnt || fail "no worker groups"
	idle
	rows /dev/md0 "$1" "" 4096:4 262144:2
	parity
	echo faulty >dev-ram1/state || fail "ram1 does not fail"
	rows /dev/md0 "$1" degraded_ 4096:4 262144:2
	[ "$(cat degraded)" -eq 1 ] || fail "the array lacks $(cat degraded) disks"
	# replace the failed disk: set the slot of the new disk before the array takes it
	echo frozen >sync_action
	until echo remove >dev-ram1/state; do usleep 20000; done 2>/dev/null
	disk 3 && echo 1 >dev-ram3/slot && echo recover >sync_action || fail "ram3 has no place"
	idle
	[ "$(cat degraded)" -eq 0 ] || fail "the array was not rebuilt"
	parity
	sum "$1" /dev/md0
	uses raid5wq "$1"
	cd /
	until echo clear >/sys/block/md0/md/array_state; do usleep 20000; done
}

# there COMMAND...: run COMMAND in the other network namespace.
there() { nsenter -t "$other" -n "$@"; }

# tunnel N OTHER COMMAND...: make end N of the tunnel, with COMMAND in front of each command.
tunnel()
{
	end=$1 peer=$2
	shift 2
	"$@" ip link set lo up
	"$@" ip link add wg0 type wireguard && "$@" wg set wg0 private-key "/tmp/key$end" listen-port 1 \
		peer "$(wg pubkey <"/tmp/key$peer")" allowed-ips "10.1.0.$peer/32" endpoint "10.0.0.$peer:1" &&
		"$@" ip addr add "10.1.0.$end/24" dev wg0 && "$@" ip link set wg0 up || fail "no tunnel"
}

use_wireguard()
{
	unshare -n sleep 100000 &
	other=$!
	here=$(readlink /proc/self/ns/net)
	until [ "$(readlink /proc/$other/ns/net)" != "$here" ]; do usleep 20000; done
	ip link add wire1 type veth && ip link set veth0 netns $other || fail "no veth"
	ip addr add 10.0.0.1/24 dev wire1 && ip link set wire1 up &&
		there ip addr add 10.0.0.2/24 dev veth0 && there ip link set veth0 up || fail "no veth"
	for n in 1 2; do
		(umask 077; wg genkey >/tmp/key$n)
	done
	tunnel 1 2 env
	tunnel 2 1 there
	nsenter -t $other -n $D/io stream-serve "$STREAM" &
	server=$!
	for shape in to:1 from:1 both:1 to:4; do
		figure=$($D/io stream 10.1.0.2 "$STREAM" ${shape%:*} ${shape#*:}) ||
			fail "a stream differs"
		echo "figure stream_${shape%:*}_${shape#*:} $1 ${figure% *}"
		echo "sum $1 ${figure#* }"
	done
	ping -c $((MS / 2)) -A 10.1.0.2 >/tmp/pings || fail "pings are lost"
	sed -n 's/.* time=\([0-9.]*\) ms/\1/p' /tmp/pings | sort -n |
		awk -v which="$1" '{ us[NR] = $1 * 1000; sum += $1 }
			END { print "figure pings_a_second", which, NR * 1000 / sum, us[NR - int(NR / 100)] }'
	[ "$(wg show wg0 transfer | awk '{ print ($2 > 1000000 && $3 > 1000000) }')" = 1 ] ||
		fail "it did not go through the tunnel"
	uses wg-crypt-wg0 "$1"
	kill $server $other
	wait
	# the other namespace, with its end of the veth, is removed a moment later
	ip link del wg0
	until ! ip link show wire1 >/dev/null 2>&1; do usleep 20000; done
}

ip link set lo up
while read -r module arguments; do
	insmod "$D/$module" $arguments || fail "$module: insmod failed"
done <$D/modules
insmod /wpool/wpool.ko 2>/dev/null
[ -e /sys/module/wpool ] || fail "wpool: insmod failed"
insmod /wpool/wpool_wq.ko || fail "wpool_wq: insmod failed"
while [ "$ROUNDS" -gt 0 ]; do
	ROUNDS=$((ROUNDS - 1))
	for which in kernel wpool; do
		own=
		while read -r module; do
			insmod "$D/$module" || fail "$module: insmod failed"
			module=${module#*-}
			own="${module%.ko} $own"
		done <"$D/$which"
		salt=0
		"use_$DRIVER" $which
		# rmmod may fail for a moment, while a device is in use
		for module in $own; do
			until rmmod "$module"; do usleep 100000; done
		done
	done
done
rmmod wpool_wq || fail "wpool_wq: cannot be unloaded"
echo "drivers: all rounds are over"
