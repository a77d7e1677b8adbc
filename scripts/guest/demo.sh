#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# demo.sh - in the virtual machine: the steps of scripts/demo. Each step prints its subject and the
# commands as a user would type them. It fails if the result is not the promised one.

POOLS=/sys/class/wpool

title() { printf '\n== %s\n' "$*"; }
say() { printf '   %s\n' "$*"; }
fail() { printf '\n** %s\n' "$*"; exit 1; }

# show COMMAND...: print COMMAND, and run it.
show() { printf '# %s\n' "$*" && "$@"; }

# tells REGEX COMMAND...: show COMMAND, which must succeed and print REGEX; perhaps not at the
# first try, as the pools work meanwhile.
tells()
{
	local wanted=$1 try
	shift
	for try in 1 2 3 4 5; do
		show "$@" >/tmp/told || fail "that should have worked: $*"
		grep -qE "$wanted" /tmp/told && break
	done
	cat /tmp/told
	grep -qE "$wanted" /tmp/told || fail "$try times the output had no match for: $wanted"
}

must() { show "$@" || fail "that should have worked: $*"; }

# set_attr POOL ATTRIBUTE VALUE
set_attr()
{
	printf '# echo %s > %s/%s/%s\n' "$3" "$POOLS" "$1" "$2"
	echo "$3" >"$POOLS/$1/$2" || fail "$2 was not accepted"
}

get_attr() { cat "$POOLS/$1/$2"; }

# attrs POOL ATTRIBUTE...: print the values on one line. The shell reads them, because
# with a process for each the first ones would be old.
attrs()
{
	local pool=$1 name value line=
	shift
	for name; do
		read -r value <"$POOLS/$pool/$name"
		line="$line  $name $value"
	done
	echo "  $line"
}

# wait_for COMMAND...: wait until COMMAND succeeds, also on a slow machine.
wait_for()
{
	local try
	for try in $(seq 400); do
		! "$@" || return 0
		sleep 0.1
	done
	fail "in vain, $try times: $*"
}

all_busy() { [ "$(get_attr demo busy)" -eq 8 ]; }
idle_have_gone() { [ "$(get_attr demo workers)" -le "$(get_attr demo min_workers)" ]; }

# in_order FILE CAPACITY: does the report of a run say that the pool kept the order?
in_order()
{
	local most
	most=$(sed -n 's/^overtaken .*, most //p' "$1")
	[ "${most:-99999}" -le $(($2 + 16)) ]
}

log_since() { dmesg | tail -n "+$(($1 + 1))" | sed 's/^\[ *[0-9.]*\] /   /'; }

title "1. Load the module"
before=$(dmesg | wc -l)
must insmod /wpool/wpool.ko
log_since "$before"
must ls "$POOLS"
say "The pool 'default' is there from now on:"
attrs default capacity queue_depth policy min_workers expiry_ms
attrs default state workers idle busy queued

title "2. Make a pool: it keeps the order under load, and can be tuned meanwhile"
must wpoolctl create demo capacity=8 queue_depth=64 expiry_ms=500
# Try three times: a worker that is about to start a task may lose its CPU for a while.
for try in 1 2 3; do
	show wpoolctl run demo --work sleep:20ms --tasks 600 --submitters 2 >/tmp/run.out ||
		fail "the load failed"
	in_order /tmp/run.out 8 && break
	say "try $try: $(grep '^overtaken ' /tmp/run.out)"
done
cat /tmp/run.out
in_order /tmp/run.out 8 || fail "the order of the tasks was lost"
say "A task is overtaken by no more tasks than a few for each worker."
wpoolctl run demo --work sleep:20ms --tasks 3000 --submitters 2 >/tmp/run.out &
run=$!
wait_for all_busy
say "3,000 tasks that sleep 20 ms, on 8 workers at most:"
attrs demo capacity workers busy queued waiting completed
say "Why do they wait?"
tells '8 of the 8 workers that capacity allows sleep in their tasks' wpoolctl why demo
say "One frame of wpoolctl top: where workers are, and for how long"
tells '^demo .* 8 ' wpoolctl top --batch --count 1 --view pools
tells 'asleep' wpoolctl top --batch --count 1 --view functions
set_attr demo capacity 200
sleep 0.5
say "... and half a second later:"
attrs demo capacity workers busy queued waiting completed
wait $run || fail "the load failed"
cat /tmp/run.out
grep -q '^completed *3000$' /tmp/run.out || fail "a task was lost"

title "3. Real work: hash, spin, a tree of tasks that fork and join"
must wpoolctl run demo --work hash:64K --tasks 2000
must wpoolctl run demo --work spin:200us --tasks 2000 --batch 64
must wpoolctl run demo --work tree:6x2:10us --tasks 50
say "Where it ran:"
show grep -e '^pool ' -e '^demo ' /sys/kernel/debug/wpool/cpus
show wpoolctl stat demo

title "4. Overload: one pool refuses, another one makes its submitter wait"
must wpoolctl create refuse capacity=2 queue_depth=0 policy=fail
show wpoolctl run refuse --work sleep:50ms --tasks 20
[ "$(get_attr refuse completed)" -lt 20 ] || fail "nothing was refused"
must wpoolctl create patient capacity=2 queue_depth=0 policy=block
must wpoolctl run patient --work sleep:50ms --tasks 20
[ "$(get_attr patient completed)" -eq 20 ] || fail "a task was lost"

title "5. Workers that have nothing to do go"
must wpoolctl run demo --work sleep:20ms --tasks 400
attrs demo workers idle expired
say "... after expiry_ms = $(get_attr demo expiry_ms) without a task:"
wait_for idle_have_gone
attrs demo workers idle expired
[ "$(get_attr demo expired)" -gt 0 ] || fail "no worker expired"

title "6. A second module that uses the exported symbols"
before=$(dmesg | wc -l)
must insmod /wpool/wpool_sample.ko
sleep 0.2
log_since "$before"
say "While it is there, the pool cannot be unloaded:"
show rmmod wpool && fail "it was unloaded under a user"
must rmmod wpool_sample

title "7. Clean up"
for pool in demo refuse patient; do
	must wpoolctl destroy $pool
done
before=$(dmesg | wc -l)
must rmmod wpool
log_since "$before"
[ ! -e "$POOLS" ] || fail "$POOLS is still there"
[ ! -e /dev/wpool ] || fail "/dev/wpool is still there"
! grep -qs '^wpool' /proc/[0-9]*/comm || fail "a thread is still there"
! grep -q '^wpool ' /proc/modules || fail "the module is still there"
say "Everything is gone: no thread, no file, no device, no module."
