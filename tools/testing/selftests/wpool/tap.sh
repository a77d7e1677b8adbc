# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034
#
# tap.sh - functions that the shell tests share: TAP, and waiting for an event
# with a deadline. To be sourced; for busybox's shell.
#
# A test is a function named test_*. If it does not return 0, the test has failed, and its output is
# shown. Each test runs in its own shell. At its end, what start() and helper() have started is
# killed, the pool $POOL is destroyed, and cleanup() is called.

HERE=$(cd "$(dirname "$0")" && pwd)
CLASS=/sys/class/wpool
TMP=$(mktemp -d)
TESTS=$(sed -n 's/^test_\([a-z0-9_]*\)().*/\1/p' "$0")
POOL=test$$
nr=0 failed=0 helpers=
# Limit of one test in seconds. Only a test that hangs reaches it.
PATIENCE=1200

# fail MESSAGE: this test has failed.
fail()
{
	echo "$*"
	exit 1
}

# skip REASON: this test cannot run here.
skip()
{
	echo "$*" >"$TMP/skip"
	exit 4
}

# wait_for COMMAND...: wait until the command is true. False after 40 s, a limit for events that
# must happen on the slowest machine.
wait_for()
{
	end=$(($(date +%s) + 40))
	until "$@" >/dev/null 2>&1; do
		[ "$(date +%s)" -lt "$end" ] || return 1
		usleep 20000
	done
}

# repeat_until FILE COMMAND...: repeat the command until the number in FILE is not 0, for an event
# that a single run does not cause on every machine.
repeat_until()
{
	figure=$1
	shift
	until_end=$(($(date +%s) + 40))
	"$@" || return 1
	until [ "$(cat "$figure")" -gt 0 ]; do
		[ "$(date +%s)" -lt "$until_end" ] || fail "$figure is 0 after all"
		"$@" || return 1
	done
}

# are VALUES NAME...: the files NAME... of the pool have these values. It does not fork, which is
# slow in an emulated machine.
are()
{
	wanted=$1 found=
	shift
	for file; do
		read -r line <"$CLASS/$POOL/$file" || return 1
		found="$found $line"
	done
	[ "$found" = " $wanted" ]
}

# await VALUES NAME...: wait until the files NAME... of the pool have these values
await() { wait_for are "$@" || fail "not '$*', but$found"; }

# pool ATTRIBUTE...: make the pool
pool() { wpoolctl create "$POOL" "$@" >/dev/null || fail "no pool"; }

# start COMMAND...: run a command in the background; $started is its pid, $TMP/started its output
start()
{
	"$@" >"$TMP/started" 2>&1 &
	started=$!
	helpers="$helpers $started"
}

# helper ARGUMENT...: start wpool_helper, and wait until it is ready
helper()
{
	: >"$TMP/started"
	start "$HERE/wpool_helper" "$@"
	wait_for grep -q ready "$TMP/started" || fail "helper $*: $(cat "$TMP/started")"
}

end_helpers()
{
	# shellcheck disable=SC2086
	[ -z "$helpers" ] || { kill -KILL $helpers; wait $helpers; } 2>/dev/null
	helpers=
}

cleanup() { :; }

end_test()
{
	rc=$?
	end_helpers
	[ ! -e "$CLASS/$POOL" ] || wpoolctl destroy "$POOL" || rc=1
	cleanup
	exit $rc
}

uptime_ms()
{
	read -r up rest </proc/uptime
	# the digit 1 in front: 0890, in the first second, would be an invalid octal number
	echo $((${up%.*} * 1000 + 1${up#*.}0 - 1000))
}

# no_thread_now NAME: no kernel thread has NAME in its name. kworkers do not count: the kernel owns
# them, and names them after their last work.
no_thread_now()
{
	for comm in /proc/[0-9]*/comm; do
		read -r name 2>/dev/null <"$comm" || continue
		case $name in kworker/*) continue ;; *"$1"*) ;; *) continue ;; esac
		# kernel threads have an empty cmdline
		pid=${comm%/comm}
		[ -n "$(head -c 1 "$pid/cmdline" 2>/dev/null)" ] && continue
		echo "there is still a thread $name"
		return 1
	done
	return 0
}

# no_threads NAME: as no_thread_now, but wait: a thread may still be exiting.
no_threads() { wait_for no_thread_now "$1" || no_thread_now "$1"; }

# watchdog_start: end this shell if a test hangs.
watchdog_start()
{
	(
		trap 'kill $sleeper; exit' TERM
		sleep "$PATIENCE" &
		sleeper=$!
		wait $sleeper
		echo "# the time of $PATIENCE s is over"
		kill -KILL $$
	) &
	watchdog=$!
}

# without NAME: print $TESTS without the test NAME
without()
{
	for name in $TESTS; do
		[ "$name" = "$1" ] || echo "$name"
	done
}

# cpus LIST: print the CPUs of a list such as "0-2,5", one a line
cpus()
{
	echo "$1" | tr ',' '\n' | awk -F- '
		NF { for (cpu = $1; cpu <= $NF; cpu++) print cpu }'
}

# run_tests: run all tests, then exit. As in the C programs, -r NAME runs one test, and
# -T NAME, which may be given several times, leaves one out.
run_tests()
{
	while [ $# -ge 2 ]; do
		case $1 in
		-r) TESTS=$2 ;;
		-T) TESTS=$(without "$2") ;;
		esac
		shift 2
	done
	echo "TAP version 13"
	# shellcheck disable=SC2086
	set -- $TESTS
	echo "1..$#"
	for name; do
		nr=$((nr + 1))
		rm -f "$TMP/skip"
		began=$(uptime_ms)
		watchdog_start
		(
			trap end_test EXIT
			"test_$name"
		) >"$TMP/log" 2>&1
		rc=$?
		kill "$watchdog" 2>/dev/null
		wait "$watchdog"
		if [ -e "$TMP/skip" ]; then
			echo "ok $nr $name # SKIP $(cat "$TMP/skip")"
		elif [ $rc -eq 0 ]; then
			echo "ok $nr $name"
			echo "# $(($(uptime_ms) - began)) ms"
		else
			sed 's/^/# /' "$TMP/log"
			echo "not ok $nr $name"
			failed=$((failed + 1))
		fi
	done
	rm -rf "$TMP"
	[ $failed -eq 0 ]
	exit
}
