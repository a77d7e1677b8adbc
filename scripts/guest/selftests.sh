#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# selftests.sh - in the virtual machine: run every program of tests.list, each after a new load of
# the module. The programs print (K)TAP; lines "wpool-selftest:" tell scripts/ktap where a program
# starts and how it ended. Programs whose name contains "fault" come last: after an oops the
# kernel's lock checks are off.
#
# Variables of the kernel's command line: ONLY is a list, with commas, of the programs to run, each
# with ":CASE" if only that case of it is to run; BUT a list of the programs to leave out. CASE limits
# the programs to one case. SHORT is a kernel: leave out the tests that /files/short.list names for
# it. TESTS_DIR is the directory of tests.list (/tests).

# Seconds until a program is killed. Its tests have shorter limits of their own, so this is
# for a test that its own limit does not end.
LIMIT=${LIMIT:-3600}
TESTS_DIR=${TESTS_DIR:-/tests}

# unload: try to unload the module for a minute: a process that hangs in the kernel may use it.
unload()
{
	rmmod wpool &
	local pid=$! left=60
	while kill -0 $pid 2>/dev/null; do
		if [ $left -eq 0 ]; then
			echo "rmmod wpool hangs"
			echo w >/proc/sysrq-trigger
			return 1
		fi
		left=$((left - 1))
		sleep 1
	done
	wait $pid
}

# load: load the module again, with allow_fault=1, since some programs test that workload.
load()
{
	[ ! -e /sys/module/wpool ] || unload || return 1
	insmod /wpool/wpool.ko allow_fault=1
}

# left_out PROGRAM: print "all" or the cases that the short form leaves out.
left_out()
{
	[ -n "${SHORT:-}" ] || return 0
	awk -v where="$SHORT" -v program="$1" '
	/^#/ || index("," $1 ",", "," where ",") == 0 { next }
	$2 == program { print "all" }
	index($2, program ".") == 1 { print substr($2, length(program) + 2) }
	' /files/short.list
}

# busy: print the time in which CPUs had work, the sum of all CPUs, in hundredths of a second.
busy()
{
	read -r _ user nice system _ _ irq softirq _ </proc/stat
	echo $((user + nice + system + irq + softirq))
}

if [ ! -s "$TESTS_DIR/tests.list" ]; then
	echo "there is no tests.list: are the selftests built?"
	exit 1
fi

status=0 programs=0 left=
echo "wpool-test: start"
for test in $(grep -v fault "$TESTS_DIR/tests.list") $(grep fault "$TESTS_DIR/tests.list"); do
	one=${CASE:-} chosen=,${ONLY:-$test},
	case $chosen in
	*",$test,"*) ;;
	*",$test:"*) one=${chosen#*",$test:"} one=${one%%,*} ;;
	*) continue ;;
	esac
	case ,${BUT:-}, in *",$test,"*) continue ;; esac
	programs=$((programs + 1)) options=
	for case in $(left_out "$test"); do
		[ "$case" = all ] && left="$left $test" && continue 2
		left="$left $test.$case" options="$options -T $case"
	done
	echo "wpool-selftest: start $test"
	echo "wpool-selftest: start $test" >/dev/kmsg
	rc=0
	begun=$(date +%s) worked=$(busy)
	case ${NATIVE:-0}$test in
	1*fault*)
		echo "TAP version 13"
		echo "1..0 # SKIP an oops ends a native machine"
		echo "wpool-selftest: end $test 4"
		continue
		;;
	esac
	load || rc=99
	if [ $rc -eq 0 ]; then
		# shellcheck disable=SC2086
		(cd "$TESTS_DIR" && timeout -s KILL "$LIMIT" "./$test" $options ${one:+-r "$one"}) 2>&1 || rc=$?
	fi
	echo "wpool-selftest: end $test $rc"
	echo "wpool-selftest: took $test $(($(date +%s) - begun)) s, busy $((($(busy) - worked) / 100)) s"
	# The exit status 4 means that the program cannot run here.
	[ $rc -eq 0 ] || [ $rc -eq 4 ] || status=1
done
echo "wpool-test: end"
[ -z "$left" ] || echo "wpool-selftest: short of $programs programs:$left"

# The module must be unloadable after all tests.
if [ -e /sys/module/wpool ] && ! unload; then
	echo "wpool cannot be unloaded after the tests"
	status=1
fi
exit $status
