#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3028
#
# run.sh - torture wpool, in a virtual machine.
#
# usage: run.sh [NAME=VALUE]...
#
# README lists the NAMEs. Each may also be set in the environment or on the kernel's command line.
# Prints KTAP, one test for each phase. Exits with 0 if all passed.

for assignment; do
	export "${assignment?}"
done
SECONDS=${SECONDS:-60}
SEED=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
ACTORS=${ACTORS:-6}
CYCLES=${CYCLES:-20}
STUTTER=${STUTTER:-1000}
SHUFFLE=${SHUFFLE:-100}
RELEASES=${RELEASES:-1000}
VOLUME=${VOLUME:-15}
FAULTS=${FAULTS:-1000}
GOODS=${GOODS:-100000}
PHASES=${PHASES:-volume,nasty,stutter,event,watch,group,strand,loop,work,task,mixed,release,seed,load}
DIR=${DIR:-/wpool}
KERNEL=$(uname -r)

POOLS=/sys/class/wpool
CGROUPS=/sys/fs/cgroup
CPUS=/sys/devices/system/cpu
PARAMETERS=/sys/module/wpool_torture/parameters
PATIENCE=180
FEW=8	# job_hotplug: with more CPUs beside CPU 0, only some are online at a time
TMP=$(mktemp -d)

say() { echo "# $*"; }

# complain MESSAGE: log it, and mark the phase as failed.
complain()
{
	say "$*"
	echo "wpool_torture: run.sh: $*" >/dev/kmsg
	: >"$TMP/bad"
}

# hangs MESSAGE: complain, and log what sleeps. Returns false.
hangs()
{
	complain "$1"
	echo w >/proc/sysrq-trigger
	return 1
}

# ---- random decisions ----------------------------------------------------------

# draw N: set $drawn to a number below N. The same seed gives the same sequence.
draw()
{
	state=$(((state * 1103515245 + 12345) & 0x7fffffff))
	drawn=$(((state >> 8) % $1))
}

# draw_word WORD...: set $drawn to one of the words.
draw_word()
{
	draw $#
	shift $drawn
	drawn=$1
}

# nap N: sleep for less than N ms, at random.
nap()
{
	draw "$1"
	usleep $((drawn * 1000))
}

# reseed NUMBER: begin random sequence NUMBER of SEED.
reseed() { state=$(((SEED + $1 * 7919) & 0x7fffffff)); }

# ---- the module ----------------------------------------------------------------

figure() { cat "$PARAMETERS/$1"; }

# comes_true COMMAND: repeat the command until it succeeds, for at most PATIENCE seconds.
comes_true()
{
	left=$((PATIENCE * 50))
	until "$@"; do
		[ $left -gt 0 ] || return 1
		left=$((left - 1))
		usleep 20000
	done
}

is_gone() { ! kill -0 "$1" 2>/dev/null; }

# ends MODULE: unload the module. An rmmod that hangs in the kernel cannot be killed: leave it.
ends()
{
	rmmod "$1" 2>"$TMP/rmmod" &
	pid=$!
	comes_true is_gone $pid || hangs "rmmod $1 hangs" || return
	wait $pid || { complain "rmmod $1: $(cat "$TMP/rmmod")"; return 1; }
}

unload()
{
	[ ! -e /sys/module/wpool_wq ] || ends wpool_wq || return
	[ ! -e /sys/module/wpool ] || ends wpool
}

# torture PHASE SECONDS [PARAMETER...]: load the modules, so that the phase starts.
torture()
{
	name=$1 time=$2
	shift 2
	[ -e /sys/module/wpool ] || insmod "$DIR/wpool.ko" by_cache=$((SEED >> 2 & 1)) ||
		complain "no wpool" || return 1
	[ -e /sys/module/wpool_wq ] || insmod "$DIR/wpool_wq.ko" || complain "no wpool_wq" || return 1
	insmod "$DIR/wpool_torture.ko" phase="$name" seconds="$time" \
		seed="$SEED" actors="$ACTORS" shuffle="$SHUFFLE" "$@" ||
		{ complain "wpool_torture cannot be loaded"; return 1; }
}

# torture_ends SECONDS: wait for the phase to end, read its results, and unload its module.
torture_ends()
{
	left=$(($1 + PATIENCE))
	while [ "$(figure state)" != "done" ]; do
		[ $left -gt 0 ] || hangs "it does not end" || return
		left=$((left - 1))
		sleep 1
	done
	count=$(figure tasks)
	digest=$(figure digest)
	seen=$(figure seen)
	[ "$(figure failures)" -eq 0 ] || complain "$(figure failures) violations: see the kernel's log"
	ends wpool_torture
}

# ---- jobs: what a module cannot do ---------------------------------------------

# go_on: true until the jobs must end; they run as long as $TMP/go exists
go_on() { [ -e "$TMP/go" ]; }

# come DIR: take the CPU online. In 6.12 a CPU that has a fair server, the kernel's deadline
# server for fair tasks, warns when it goes offline (dl_server_stop() in sched_cpu_dying()).
# wpool has no part in that: take the server's runtime away.
come()
{
	[ ! -e "$1/online" ] || echo 1 >"$1/online"
	case $KERNEL in 6.12.*) ;; *) return 0 ;; esac
	runtime=/sys/kernel/debug/sched/fair_server/${1##*/}/runtime
	if [ -e "$runtime" ] && [ "$(cat "$runtime")" != 0 ]; then
		echo 0 >"$runtime"
	fi
}

# stays FILE: true for CPU 1 on 6.12 with PREEMPT_RT, where RCU's thread is real-time. If CPU 1 were
# offline, the thread could begin one grace period after the other until a kworker frees RCU's wait
# heads (rcu_sr_normal_gp_init()). Without the fair server, the kworker would never run.
stays()
{
	case $KERNEL/$1 in
	6.12.*-rt*/*/cpu1/online) return 0 ;;
	esac
	return 1
}

job_hotplug()
{
	reseed 1
	others=0 before=
	come "$CPUS/cpu0"
	for online in "$CPUS"/cpu[1-9]*/online; do
		[ -e "$online" ] || continue
		others=$((others + 1))
		read -r on <"$online"
		if [ "$on" = 1 ]; then
			before="$before $online"
			come "${online%/online}"
		fi
	done
	while go_on; do
		for online in "$CPUS"/cpu[1-9]*/online; do
			[ -e "$online" ] || continue
			! stays "$online" || continue
			if [ $others -gt $FEW ]; then
				# with many CPUs, skip those that are offline
				read -r on <"$online"
				[ "$on" = 1 ] || continue
			fi
			draw 2
			if [ "$drawn" -eq 0 ]; then
				echo 0 >"$online"
			else
				come "${online%/online}"
			fi
		done
		if [ $others -gt $FEW ]; then
			# take up to three CPUs online
			for _ in 1 2 3; do
				draw $others
				come "$CPUS/cpu$((drawn + 1))"
			done
		fi
		nap 300
	done
	for online in "$CPUS"/cpu[1-9]*/online; do
		[ -e "$online" ] || continue
		case " $before " in
		*" $online "*) come "${online%/online}" ;;
		*) echo 0 >"$online" ;;
		esac
	done
}

# Tune random attributes of all pools. Only the default pool gets another capacity, queue depth or
# policy: the module's accounts of the other pools depend on these three.
job_tune()
{
	reseed 2
	while go_on; do
		for pool in "$POOLS"/*; do
			draw_word spin_us max_blocking expiry_ms concurrency hog_ms \
				handoff latency freezable max_wait_ms reclaim nice sched \
				cpumask
			attribute=$drawn
			# Workers of these pools may be busy for minutes. Real-time ones would leave
			# no CPU to others, on PREEMPT_RT not even to RCU's callbacks and timers.
			case $pool/$attribute in
			*/mixed*/sched | */default/sched | */shell/sched) continue ;;
			esac
			case $attribute in
			handoff | latency | freezable | reclaim) draw 2 ;;
			nice) draw 10 ;;
			sched) draw_word normal fifo_low normal fifo normal fifo:2 fifo:99 ;;
			# no limit, or one that no task reaches
			max_wait_ms) draw_word 0 86400000 ;;
			cpumask) draw_word 0 0-1 1 "$(cat $CPUS/possible)" ;;
			*) draw 50 ;;
			esac
			# the write may fail: some attributes refuse 0, and pools come and go
			echo "$drawn" >"$pool/$attribute"
		done 2>/dev/null
		draw_word 1 3 50 max
		echo "$drawn" >"$POOLS/default/capacity"
		draw_word 0 1 100 max
		echo "$drawn" >"$POOLS/default/queue_depth"
		draw_word block fail
		echo "$drawn" >"$POOLS/default/policy"
		nap 100
	done
	echo max >"$POOLS/default/capacity"
	echo max >"$POOLS/default/queue_depth"
	echo block >"$POOLS/default/policy"
	echo 1000 >"$POOLS/default/expiry_ms"
}

# Freeze all pools, and give up after a while, as a suspend does: a task may wait for a task of
# a pool that is frozen already.
job_freeze()
{
	reseed 5
	frozen=/sys/kernel/debug/wpool/frozen
	while go_on; do
		timeout -s KILL 2 sh -c "echo 1 >$frozen"
		nap 100
		echo 0 >$frozen
		nap 500
	done 2>/dev/null
}

# cgroups_are_gone: take all pools out of their cgroups. True if both cgroups could be removed.
cgroups_are_gone()
{
	for pool in "$POOLS"/*; do
		echo none >"$pool/cgroup"
	done 2>/dev/null
	rmdir $CGROUPS/torture-* 2>/dev/null
	[ ! -e $CGROUPS/torture-0 ] && [ ! -e $CGROUPS/torture-1 ]
}

# Pools go from one cgroup to another and back to the root, while workers come and go. Afterwards
# both cgroups can be removed, so no pool uses them, not even one that was destroyed meanwhile.
# The pool "cgroup" exists for the whole job, so that there is always one to move.
job_cgroup()
{
	reseed 7
	[ -e $CGROUPS/cgroup.procs ] || mount -t cgroup2 none $CGROUPS 2>/dev/null || return 0
	for controller in cpu memory; do
		echo +$controller >$CGROUPS/cgroup.subtree_control
	done 2>/dev/null
	mkdir $CGROUPS/torture-0 $CGROUPS/torture-1
	wpoolctl create cgroup cgroup=$CGROUPS/torture-0 || complain "no pool came into a cgroup"
	while go_on; do
		draw 2
		group=torture-$drawn
		echo 0 >$CGROUPS/$group/cgroup.procs
		for pool in "$POOLS"/*; do
			draw_word 0 0 none keep
			case $drawn:$pool in keep:* | *:*/default) continue ;; esac
			echo "$drawn" >"$pool/cgroup" || continue
			# each pool except "cgroup" may be gone by now, or be another one of its name
			[ "$pool" = "$POOLS/cgroup" ] || continue
			case $drawn:$(cat "$pool/cgroup") in
			"0:/$group" | none:none) ;;
			*) complain "$pool: cgroup $(cat "$pool/cgroup") after $drawn in $group" ;;
			esac
		done 2>/dev/null
		nap 300
	done
	echo 0 >$CGROUPS/cgroup.procs
	comes_true cgroups_are_gone ||
		complain "cgroups are in use: $(cat $CGROUPS/torture-*/cgroup.threads | xargs)"
	wpoolctl destroy cgroup
}

job_read()
{
	while go_on; do
		cat "$POOLS"/*/* /sys/kernel/debug/wpool/*
		usleep 50000
	done >/dev/null 2>&1
}

# Kill wpoolctl at a random moment. Most of its submitters wait for room then, and its tasks
# are queued and running.
job_kill()
{
	reseed 3
	while go_on; do
		pids=
		# make the file here: if wpoolctl is killed at once, there might be none
		: >"$TMP/kill"
		for pool in default shell; do
			draw_word noop spin:200us sleep:1ms sleep:50ms tree:4x3 lock:20us hash:4K count
			work=$drawn
			draw_word 1 7 64 1000
			wpoolctl run $pool --work "$work" --work noop --tasks 100000000 \
				--submitters 3 --batch "$drawn" 2>>"$TMP/kill" &
			pids="$pids $!"
		done
		nap 400
		# shellcheck disable=SC2086
		kill -KILL $pids 2>/dev/null
		wait
		! grep "wpoolctl run --help" "$TMP/kill" >&2 || complain "wpoolctl was misused"
		rm -f "$TMP/kill"
	done >/dev/null
}

# Create, tune, close, open and destroy the pool "shell", to which job_kill submits.
job_life()
{
	reseed 4
	while go_on; do
		draw_word 1 2 8 max
		capacity=$drawn
		draw_word 0 10 1000
		wpoolctl create shell capacity="$capacity" queue_depth="$drawn"
		for _ in 1 2 3; do
			nap 300
			draw_word "tune shell capacity=1" "tune shell capacity=20" \
				"tune shell queue_depth=0" "release shell" \
				"release shell --cancel" "release shell --wait --timeout 1" \
				"reboot shell"
			# shellcheck disable=SC2086
			wpoolctl $drawn
		done
		wpoolctl destroy shell
	done >/dev/null 2>&1
}

start_jobs()
{
	: >"$TMP/go"
	for job; do
		"job_$job" &
		jobs="$jobs $!"
	done
}

stop_jobs()
{
	rm -f "$TMP/go"
	for job in $jobs; do
		wait "$job"
	done
	jobs=
}

default_is_empty()
{
	[ "$(cat $POOLS/default/outstanding)$(cat $POOLS/default/waiting)" = 00 ]
}

default_becomes_empty()
{
	comes_true default_is_empty || complain \
		"default: $(cat $POOLS/default/outstanding) outstanding, $(cat $POOLS/default/waiting) waiting"
}

# ---- the phases ----------------------------------------------------------------

# timed PERCENT: set $duration to PERCENT of SECONDS, at least 2.
timed()
{
	duration=$((SECONDS * $1 / 100))
	[ $duration -ge 2 ] || duration=2
}

# stage PERCENT PHASE JOB...: run the phase, and jobs beside it.
stage()
{
	timed "$1"
	torture "$2" "$duration" || return
	shift 2
	start_jobs "$@"
	torture_ends "$duration"
	stop_jobs
}

# beset PERCENT PHASE: run the phase together with all jobs.
beset()
{
	timed "$1"
	torture "$2" "$duration" || return
	start_jobs hotplug tune read kill life freeze cgroup
	left=$duration
	while [ "$left" -gt 0 ]; do
		sleep 1
		left=$((left - 1))
	done
	stop_jobs
	torture_ends "$duration"
	default_becomes_empty
}

# no_timers: true if wpool has no timer. Lists its timers in $timers.
no_timers()
{
	timers=$(sed 1d /sys/kernel/debug/wpool/timers | xargs)
	[ -z "$timers" ]
}

# be_silent: one silence of at most STUTTER ms. Returns false if the module did not become silent.
be_silent()
{
	echo 1 >"$PARAMETERS/silence" || { complain "there was no silence"; return 1; }
	if comes_true no_timers; then
		nap $((STUTTER + 1))
		no_timers || complain "in silence there are timers: $timers"
	else
		complain "in silence timers go on: $timers"
	fi
	silences=$((silences + 1))
	echo 0 >"$PARAMETERS/silence"
}

# stutter ROUNDS PHASE JOB...: run ROUNDS bursts, at least 2, and a silence after each.
stutter()
{
	rounds=$1 inner=$2 silences=0
	shift 2
	# the phase ends when parameters/seconds becomes 0
	torture "$inner" 100000 || return
	until [ $silences -ge "$rounds" ] && [ $silences -ge 2 ]; do
		start_jobs "$@"
		nap $((STUTTER + 1))
		stop_jobs
		be_silent || break
		if [ -e "$TMP/bad" ] || [ "$(figure failures)" -ne 0 ]; then
			break
		fi
	done
	echo 0 >"$PARAMETERS/seconds"
	torture_ends 0
}

phase_stutter()
{
	reseed 6
	timed 15
	stutter $((duration / 2)) nasty hotplug tune read kill life || return
	all=$count all_silences=$silences
	stutter $((duration / 2)) volume hotplug read
	count=$((all + count))
	note="$((all_silences + silences)) silences"
}

# A round takes some milliseconds, so RELEASES seconds are enough for RELEASES rounds.
phase_release()
{
	torture release 0 rounds="$RELEASES" || return
	torture_ends "$RELEASES"
}

# Two runs with the same seed must make the same decisions.
phase_seed()
{
	all=0
	for run in 1 2; do
		torture nasty 4 || return
		torture_ends 4 || return
		all=$((all + count))
		[ $run -eq 1 ] || [ "$digest" = "$first" ] ||
			complain "with the same seed it decided $first and then $digest"
		first=$digest
	done
	count=$all
}

# has_completed NUMBER: true if pool "load" has completed NUMBER tasks.
has_completed() { [ "$(cat $POOLS/load/completed)" -ge "$1" ]; }

unloads() { rmmod wpool 2>/dev/null; }

# Load wpool, let processes submit to it, kill them, and unload it.
phase_load()
{
	reseed 5
	unload || return
	cycle=0 refusals=0
	while [ $cycle -lt "$CYCLES" ]; do
		cycle=$((cycle + 1))
		draw_word "" max_workers=5 default_capacity=2 default_expiry_ms=1 by_cache=0
		# shellcheck disable=SC2086
		insmod "$DIR/wpool.ko" $drawn || { complain "cycle $cycle: insmod"; return; }
		pids=
		wpoolctl run default --work noop --work sleep:3ms --tasks 100000000 \
			--submitters 2 >/dev/null 2>&1 &
		pids="$pids $!"
		wpoolctl create load capacity=2 queue_depth=20
		wpoolctl run load --work spin:100us --work sleep:1ms --work tree:3x3 \
			--tasks 100000000 --submitters 3 >/dev/null 2>"$TMP/load" &
		pids="$pids $!"
		draw 100
		comes_true has_completed $((drawn + 1)) ||
			complain "cycle $cycle: no work was done: $(cat "$TMP/load")"
		# wpool is in use, so rmmod must fail
		if unloads; then
			complain "cycle $cycle: it was unloaded under its users"
			return
		fi
		refusals=$((refusals + 1))
		# shellcheck disable=SC2086
		kill -KILL $pids
		draw 2
		# unload while the processes exit, or after their exit
		[ "$drawn" -eq 0 ] || wait
		comes_true unloads || hangs "cycle $cycle: it cannot be unloaded" || return
		wait
		if [ -e $POOLS ] || [ -e /dev/wpool ]; then
			complain "cycle $cycle: something is left"
		fi
		# if the machine is lost, its log says how far the phase came
		[ $((cycle % 50)) -ne 0 ] || echo "wpool_torture: run.sh: $cycle cycles" >/dev/kmsg
	done
	count=0
	note="$cycle cycles, $refusals refusals under load"
}

phase_fault()
{
	echo "wpool-expect: oops $FAULTS" >/dev/kmsg
	torture fault 0 faults="$FAULTS" goods="$GOODS" || return
	torture_ends 7200
}

# ---- run the phases ------------------------------------------------------------

nr=0 failed=0 total=0 jobs=
# shellcheck disable=SC2046
set -- $(echo "$PHASES" | tr , ' ')
echo "KTAP version 1"
echo "1..$#"
say "seed $SEED, $SECONDS s, $ACTORS actors, kernel $KERNEL, $(nproc) CPUs"
echo "wpool_torture: run.sh: seed $SEED, phases $PHASES" >/dev/kmsg
for phase; do
	nr=$((nr + 1))
	rm -f "$TMP/bad"
	count=0 note='' seen=''
	case $phase in
	volume) stage "$VOLUME" volume hotplug read ;;
	event | watch | group | strand | loop | work | task) stage 5 "$phase" hotplug cgroup ;;
	nasty | mixed) beset 15 "$phase" ;;
	stutter | release | seed | load | fault) "phase_$phase" ;;
	*) complain "there is no phase '$phase'" ;;
	esac
	total=$((total + count))
	say "$phase: $count tasks${seen:+, $seen}${note:+, $note}"
	if [ -e "$TMP/bad" ]; then
		failed=$((failed + 1))
		echo "not ok $nr torture_$phase"
		# with wpool_torture loaded, the other phases would fail, too
		[ ! -e /sys/module/wpool_torture ] || break
	else
		echo "ok $nr torture_$phase"
	fi
done
[ -e /sys/module/wpool_torture ] || unload || failed=$((failed + 1))
say "$total tasks in all, seed $SEED"
rm -rf "$TMP"
[ $failed -eq 0 ]
