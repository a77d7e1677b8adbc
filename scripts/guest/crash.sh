#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# crash.sh - in the virtual machine: load the module with the parameters $PARAMETERS
# (separated by commas), fill the pool $CROWD (crowd, made through /dev/wpool) with tasks that do not
# end, submit two such tasks to the pool $LATE if that is set, first an urgent one, and then $THEN:
#   panic  make the kernel panic
#   stay   wait for $STAY seconds; exits with 0 if nothing happens
#
# See scripts/crash, which reads the kernel's log.

CROWD=${CROWD:-crowd}
POOL=/sys/class/wpool/$CROWD

# await VALUES FILE...: wait until the files have these values
await()
{
	values=$1
	shift
	for _ in $(seq 300); do
		[ "$(cat "$@" | xargs)" != "$values" ] || return 0
		sleep 0.1
	done
	exit 1
}

[ ! -e /files/qemu_fw_cfg.ko ] || insmod /files/qemu_fw_cfg.ko || exit 1
# shellcheck disable=SC2046
insmod /wpool/wpool.ko $(echo "$PARAMETERS" | tr , ' ') || exit 1
[ -e "$POOL" ] || wpoolctl create "$CROWD" || exit 1
wpoolctl tune "$CROWD" capacity=1 queue_depth=2 || exit 1
wpoolctl run "$CROWD" --work sleep:60s --tasks 10 >/dev/null &
await "2 1" "$POOL/queued" "$POOL/waiting"
if [ -n "$LATE" ]; then
	wpoolctl run "$LATE" --work sleep:60s --tasks 1 --urgent >/dev/null &
	await 1 "/sys/class/wpool/$LATE/queued"
	# the tasks have different ages in jiffies
	sleep 0.1
	wpoolctl run "$LATE" --work sleep:60s --tasks 1 >/dev/null &
	await 2 "/sys/class/wpool/$LATE/queued"
fi
echo "wpool-crash: begin" >/dev/kmsg
case $THEN in
panic) echo c >/proc/sysrq-trigger ;;
stay)
	sleep "$STAY"
	kill %1 ${LATE:+%2 %3}
	wpoolctl destroy "$CROWD" --timeout 0 2>/dev/null || :
	echo "wpool-crash: still there" >/dev/kmsg
	exit 0
	;;
esac
exit 1
