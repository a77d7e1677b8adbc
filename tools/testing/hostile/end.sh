#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# end.sh - end the virtual machine while pools are busy. HOW=, on the kernel's command line, says
# how. wpool gets no notice. The messages are in the kernel's log.
#
#   restart   the kernel shuts its devices down, and restarts the machine
#   poweroff  the kernel shuts its devices down, and switches the machine off
#   sysrq     the machine restarts at once
#   kexec     another kernel, /files/kernel, replaces the running one, and gives the verdict

TMP=$(mktemp -d)

# second_system: make the initramfs of the other kernel.
second_system()
{
	mkdir -p "$TMP/root/bin" "$TMP/root/dev"
	cp /bin/busybox "$TMP/root/bin/"
	cat >"$TMP/root/init" <<-INIT
		#!/bin/busybox sh
		/bin/busybox mount -t devtmpfs devtmpfs /dev
		echo "wpool-hostile: the second kernel is up" >/dev/kmsg
		echo "vm-verdict-$NONCE 0" >/dev/kmsg
		/bin/busybox sleep 1
		/bin/busybox poweroff -f
	INIT
	chmod 755 "$TMP/root/init"
	(cd "$TMP/root" && find . | cpio -o -H newc) >"$TMP/cpio"
}

# shellcheck source=/dev/null
. /etc/vm.conf
insmod /wpool/wpool.ko || exit 1
wpoolctl create busy capacity=8 queue_depth=20 || exit 1
for work in sleep:1ms spin:1ms timer:5ms sleep:60s; do
	wpoolctl run busy --work $work --tasks 100000000 --submitters 2 >/dev/null 2>&1 &
	wpoolctl run default --work $work --work noop --tasks 100000000 >/dev/null 2>&1 &
done
until [ "$(cat /sys/class/wpool/busy/waiting)" -gt 0 ] &&
	[ "$(cat /sys/class/wpool/default/completed)" -gt 1000 ]; do
	usleep 10000
done
[ "$HOW" != kexec ] || second_system
echo "wpool-hostile: $HOW, busy $(cat /sys/class/wpool/busy/busy)" >/dev/kmsg
case $HOW in
restart) reboot -f ;;
poweroff) poweroff -f ;;
sysrq) echo b >/proc/sysrq-trigger ;;
kexec) /hostile/kexec /files/kernel "$TMP/cpio" "$(cat /proc/cmdline)" ;;
esac
# the machine must end within this time
sleep 60
exit 1
