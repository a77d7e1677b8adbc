#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# deb.sh - in Debian's own user space: install the packages, use them as people do, purge
# them. Prints TAP, as scripts/ktap reads it.
#
# scripts/test-deb boots the machine, and a unit there starts this script after each boot. The
# directory $HERE has the files of the test: README.md, build/deb/ (the packages), built/ (what DKMS
# has built of the same package outside of the machine), sample/ (a module that was built with
# wpool-dev), installed/ (the files of make install), and the files that make uninstall reads.

HERE=$(dirname "$(readlink -f "$0")")
STATE=$HERE/state
EXAMPLES=/usr/share/doc
KERNEL=$(uname -r)

# ok NAME COMMAND...: run a case; if it fails, its output stands before the result.
ok()
{
	local name=$1 n said start=${EPOCHREALTIME/./}
	shift
	n=$(($(cat "$STATE/count") + 1))
	echo "$n" >"$STATE/count"
	if said=$("$@" 2>&1); then
		echo "ok $n $name"
	else
		said=${said:-nothing was said}
		echo "# ${said//$'\n'/$'\n'# }"
		echo "not ok $n $name"
		touch "$STATE/failed"
	fi
	echo "# $(((${EPOCHREALTIME/./} - start) / 1000)) ms"
}

# expect WANTED GOT
expect()
{
	[ "$1" != "$2" ] || return 0
	echo "expected: $1, got: $2"
	return 1
}

# refused TEXT COMMAND...: COMMAND must fail, and print TEXT.
refused()
{
	local text=$1 said
	shift
	if said=$("$@" 2>&1); then
		echo "not refused: $*: $said"
		return 1
	fi
	grep -qi -e "$text" <<<"$said" || { echo "'$*' says: $said"; return 1; }
}

# readme TEXT: run the command of README.md that begins with TEXT, as a user who answers yes to all
# questions.
readme()
{
	local line
	line=$(grep -m 1 "^$1" "$HERE/README.md")
	[ -n "$line" ] || { echo "README.md has no line '$1'"; return 1; }
	(
		# shellcheck disable=SC2317
		sudo() { "$@"; }
		cd "$HERE" && eval "$line" < <(yes)
	)
}

# until_true COMMAND...: wait until COMMAND succeeds, for longer than a slow machine takes.
until_true()
{
	local i
	for ((i = 0; i < 600; i++)); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.5
	done
	echo "in vain: $*"
	return 1
}

member() { runuser -u member -- "$@"; }
stranger() { runuser -u stranger -- "$@"; }
property() { systemctl show -P "$1" wpoolctl-apply.service; }
attribute() { cat "/sys/class/wpool/$1/$2"; }

# ---- before -------------------------------------------------------------------

# files: print the files of the system, except those that any program may leave.
files()
{
	find / -xdev \( -path "$HERE" -o -path /tmp -o -path /var/tmp -o -path /var/log \
		-o -path /var/cache -o -path /var/lib/systemd -o -path /var/backups \
		-o -path /var/lib/apt/lists \) -prune \
		-o -print | grep -v -x -e '/var/lib/dpkg/.*-old' | sort
}

accounts() { cat /etc/group /etc/gshadow /etc/passwd; }

# ---- make install ---------------------------------------------------------------

from_source()
{
	tar -C "$HERE/installed" -c . | tar -C / -x --keep-directory-symlink && depmod -a &&
		modprobe wpool_wq && expect "" "$(modinfo -F signer wpool)" && wpoolctl list
}

uninstall_leaves_no_file()
{
	local left
	left=$(cd "$HERE/installed" && find . ! -type d | while read -r file; do ls "/$file"; done 2>/dev/null)
	expect "" "$left"
}

# ---- installed ------------------------------------------------------------------

# Use the modules that were built before, unlike a user: an emulated compiler takes a quarter of an
# hour.
prebuilt()
{
	cat >/etc/dkms/wpool.conf <<-CONF
		MAKE[0]="cp -r $HERE/built/. ."
		CLEAN="true"
	CONF
}

install_packages()
{
	DEBIAN_FRONTEND=noninteractive readme 'sudo apt install ./build/deb/' \
		>"$STATE/install" 2>&1 || { cat "$STATE/install"; return 1; }
	cat /var/lib/dkms/wpool/*/build/make.log 2>/dev/null
	return 0
}

# The installation must not try to start units: udev or an administrator starts them.
install_asks_for_no_unit() { ! grep 'not starting it' "$STATE/install"; }

dkms_has_it()
{
	dkms status -m wpool -k "$KERNEL" | grep ': installed$' || { dkms status; return 1; }
}

module_is_of_dkms()
{
	expect "/lib/modules/$KERNEL/updates/dkms" "$(dirname "$(modinfo -F filename wpool)")" &&
		expect "DKMS module signing key" "$(modinfo -F signer wpool)"
}

group_is_empty() { expect "wpool:x::" "$(getent group wpool | sed 's/:[0-9]*:/::/')"; }

config_declares_nothing()
{
	expect "" "$(grep -v '^#' /etc/wpool.conf)" && wpoolctl apply --check /etc/wpool.conf
}

device_is_the_groups()
{
	udevadm settle && expect "root:wpool 660" "$(stat -c '%U:%G %a' /dev/wpool)"
}

# udev has read the rule, and the device exists, before the installation makes the group.
device_after_reinstall()
{
	dpkg --purge wpoolctl && expect "" "$(getent group wpool)" && expect root "$(stat -c %G /dev/wpool)" &&
		dpkg -i "$HERE"/build/deb/wpoolctl_*.deb && until_true device_is_the_groups &&
		device_is_the_groups
}

unit_has_ended() { [ "$(property ExecMainExitTimestampMonotonic)" != 0 ]; }

unit_ran()
{
	until_true unit_has_ended &&
		expect "success 0" "$(property Result) $(property ExecMainStatus)"
}

member_runs() { member wpoolctl run --create capacity=2 --work sleep:1ms --tasks 20; }
stranger_is_refused() { refused 'permission denied' stranger wpoolctl run --create capacity=2 --tasks 1; }
member_may_not_tune() { refused "is another user's" member wpoolctl tune default capacity=8; }
# Does a member of the group get a pool of this capacity? The limit is max_user_workers.
member_gets() { member wpoolctl create mine "capacity=$1" && member wpoolctl destroy mine; }
member_gets_no() { refused max_user_workers member wpoolctl create mine "capacity=$1"; }

# ---- after a boot ---------------------------------------------------------------

module_came_at_boot()
{
	lsmod | grep -q '^wpool ' || { lsmod; return 1; }
	expect "2048 64" "$(cat /sys/module/wpool/parameters/{max_workers,max_user_workers} | xargs)"
}

pools_are_declared()
{
	expect "64 max 10 4" "$(attribute batch capacity) $(attribute batch queue_depth) $(
		attribute batch nice) $(attribute default min_workers)"
}

# wpoolctl-apply.service must have the rights for a changed file, too.
service_applies_a_change()
{
	# freezable, reclaim and sched need capabilities, which the service must have
	sed -i 's/^capacity = 64/capacity = 32\nfreezable = 1\nreclaim = 1\nsched = fifo_low/' /etc/wpool.conf &&
		systemctl restart wpoolctl-apply.service && expect 32 "$(attribute batch capacity)" &&
		expect 1 "$(attribute batch freezable)" && expect 1 "$(attribute batch reclaim)" &&
		expect fifo_low "$(attribute batch sched)"
}

symbols_are_kept()
{
	grep -q '__wpool_create	' "/var/lib/dkms/wpool/kernel-$KERNEL-$(uname -m)/Module.symvers"
}

module_of_others_runs()
{
	insmod "$HERE/sample/wpool_sample.ko" && rmmod wpool_sample || return 1
	dmesg | grep -F '1 + ... + 30 = 465' || { dmesg | tail -n 5; return 1; }
}

# ---- signed ---------------------------------------------------------------------

# Accept only modules that are signed with a trusted key, as with Secure Boot. This can be switched
# on in any kernel, but not off.
signatures_are_enforced()
{
	echo 1 >/sys/module/module/parameters/sig_enforce
	expect Y "$(cat /sys/module/module/parameters/sig_enforce)"
}

unsigned_is_refused()
{
	expect "" "$(modinfo -F signer "$HERE/built/module/wpool.ko")" &&
		refused 'Key was rejected by service' insmod "$HERE/built/module/wpool.ko" &&
		dmesg | grep -F 'Loading of unsigned module is rejected'
}

# ---- gone -----------------------------------------------------------------------

# node_exporter's package makes this directory.
METRICS=/var/lib/prometheus/node-exporter

timer_runs()
{
	mkdir -p $METRICS && systemctl enable --now wpoolctl-metrics.timer &&
		until_true test -e $METRICS/wpool.prom
}

timer_is_stopped() { expect inactive "$(systemctl is-active wpoolctl-metrics.timer)" && rmdir $METRICS ${METRICS%/*}; }

purge_packages() { DEBIAN_FRONTEND=noninteractive readme 'sudo apt purge '; }

# Load wpool_wq, too, which uses wpool: the purge must unload wpool_wq first.
workqueues_come()
{
	modprobe wpool_wq && [ -e /sys/class/wpool/wq ] &&
		expect "DKMS module signing key" "$(modinfo -F signer wpool_wq)"
}

# rmmod names the module that uses wpool. modprobe -r unloads it first.
rmmod_names_the_user() { refused 'in use by: wpool_wq' rmmod wpool; }
remove_all() { readme 'sudo modprobe -r wpool_wq wpool' && module_is_gone; }
both_go()
{
	remove_all && until_true test ! -e $METRICS/wpool.prom && modprobe wpool_wq &&
		until_true test -e $METRICS/wpool.prom
}

module_is_gone() { ! lsmod | grep '^wpool' && [ ! -e /dev/wpool ]; }

nothing_is_left()
{
	files >"$STATE/files.after"
	diff "$STATE/files.before" "$STATE/files.after" && accounts | diff "$STATE/accounts" - &&
		expect "" "$(dpkg -l 'wpool*' 2>/dev/null | grep '^[a-z]* *wpool')"
}

# ---- boots ----------------------------------------------------------------------

boot_1()
{
	mkdir "$STATE"
	echo 0 >"$STATE/count"
	echo "wpool-test: start"
	echo "wpool-selftest: start packages"
	ok make_install from_source
	ok modprobe_r_and_make_uninstall remove_all
	ok make_uninstall_leaves_no_file uninstall_leaves_no_file
	# useradd keeps copies of files that it changes: make these before the list of files.
	useradd stranger && userdel stranger
	files >"$STATE/files.before"
	accounts >"$STATE/accounts"
	prebuilt
	ok install install_packages
	ok install_asks_for_no_unit install_asks_for_no_unit
	ok dkms_status dkms_has_it
	ok module_is_signed_by_dkms module_is_of_dkms
	ok group_is_empty group_is_empty
	ok config_declares_nothing config_declares_nothing
	useradd -G wpool member
	useradd stranger
	ok modprobe readme 'sudo modprobe wpool'
	ok device_belongs_to_the_group device_is_the_groups
	ok apply_without_pools unit_ran
	ok member_may_run member_runs
	ok stranger_may_not_open stranger_is_refused
	ok member_may_not_tune_a_modules_pool member_may_not_tune
	ok member_may_reach_the_limit member_gets 256
	ok member_may_not_pass_the_limit member_gets_no 257
	cp "$EXAMPLES/wpoolctl/examples/wpool.conf" /etc/wpool.conf
	cp "$EXAMPLES/wpool-dkms/examples/modprobe.conf" /etc/modprobe.d/wpool.conf
	echo wpool >/etc/modules-load.d/wpool.conf
}

boot_2()
{
	ok module_comes_at_boot module_came_at_boot
	ok device_belongs_to_the_group_after_boot device_is_the_groups
	ok unit_succeeds_at_boot unit_ran
	ok pools_are_there_after_boot pools_are_declared
	ok service_applies_a_change service_applies_a_change
	ok member_may_reach_the_limit_of_modprobe_d member_gets 64
	ok member_may_not_pass_the_limit_of_modprobe_d member_gets_no 65
	ok symbols_are_kept symbols_are_kept
	ok module_of_others module_of_others_runs
	ok device_of_a_loaded_module device_after_reinstall
	ok workqueues workqueues_come
	ok rmmod_names_the_user rmmod_names_the_user
	ok timer_of_metrics_runs timer_runs
	ok modprobe_r_removes_both both_go
	# Remove the files that an administrator, not the package, has made.
	rm -f /etc/dkms/wpool.conf /etc/modprobe.d/wpool.conf /etc/modules-load.d/wpool.conf
	userdel -r member 2>/dev/null
	userdel -r stranger 2>/dev/null
	ok signatures_are_enforced signatures_are_enforced
	ok unsigned_module_is_refused unsigned_is_refused
	ok purge purge_packages
	ok timer_of_metrics_is_stopped timer_is_stopped
	ok module_is_unloaded module_is_gone
	ok nothing_is_left nothing_is_left
	echo "1..$(cat "$STATE/count")"
	[ ! -e "$STATE/failed" ]
	echo "wpool-selftest: end packages $?"
	echo "wpool-test: end"
}

exec >/dev/ttyS1 2>&1 </dev/null
stty -F /dev/ttyS1 -opost
export LC_ALL=C
if [ ! -e "$STATE" ]; then
	boot_1
	systemctl reboot
else
	boot_2
	stty -F /dev/ttyS1 sane # waits for the output to drain
	systemctl poweroff --force
fi
