#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# crash.sh - in the virtual machine: load the module with the parameters $PARAMETERS
# (separated by commas), fill a pool with tasks that do not end, and then $THEN:
#   panic  make the kernel panic
#   stay   wait for $STAY seconds; exits with 0 if nothing happens
#
# See scripts/crash, which reads the kernel's log.

POOL=/sys/class/wpool/crowd

[ ! -e /files/qemu_fw_cfg.ko ] || insmod /files/qemu_fw_cfg.ko || exit 1
# shellcheck disable=SC2046
insmod /wpool/wpool.ko $(echo "$PARAMETERS" | tr , ' ') || exit 1
wpoolctl create crowd capacity=1 queue_depth=2 || exit 1
wpoolctl run crowd --work sleep:60s --tasks 10 >/dev/null &
for _ in $(seq 300); do
	[ "$(cat $POOL/queued) $(cat $POOL/waiting)" != "2 1" ] || break
	sleep 0.1
done
[ "$(cat $POOL/queued) $(cat $POOL/waiting)" = "2 1" ] || exit 1
echo "wpool-crash: begin" >/dev/kmsg
case $THEN in
panic) echo c >/proc/sysrq-trigger ;;
stay)
	sleep "$STAY"
	kill %1
	wpoolctl destroy crowd --timeout 0 2>/dev/null || :
	echo "wpool-crash: still there" >/dev/kmsg
	exit 0
	;;
esac
exit 1
