# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034
#
# tap.sh - what the shell tests share: TAP, and waiting for an event with a
# deadline. Sourced, never run; for busybox's shell.
#
# A test is a function named test_*, listed in $TESTS, that returns 0 if all is
# well; what it printed is shown if not. "skip REASON" ends one early. Each runs
# in a shell of its own, which ends with cleanup().

HERE=$(cd "$(dirname "$0")" && pwd)
CLASS=/sys/class/wpool
TMP=$(mktemp -d)
nr=0 failed=0
# Of one test, in seconds: only what hangs comes to this.
PATIENCE=1200

# fail MESSAGE: say why, and go on with false.
fail()
{
	echo "$*"
	return 1
}

# skip REASON: this test cannot run here.
skip()
{
	echo "$*" >"$TMP/skip"
	exit 4
}

# wait_for COMMAND...: until it is true; false if it was not in 40 s, which is for what
# must happen, however slow the machine.
wait_for()
{
	end=$(($(date +%s) + 40))
	until "$@" >/dev/null 2>&1; do
		[ "$(date +%s)" -lt "$end" ] || return 1
		usleep 20000
	done
}

# repeat_until FILE COMMAND...: again and again until the number in FILE is not 0, for
# what a single time does not make happen on every machine.
repeat_until()
{
	figure=$1
	shift
	until_end=$(($(date +%s) + 40))
	"$@" || return 1
	until [ "$(cat "$figure")" -gt 0 ]; do
		[ "$(date +%s)" -lt "$until_end" ] || fail "$figure is 0 after all" || return 1
		"$@" || return 1
	done
}

uptime_ms()
{
	read -r up rest </proc/uptime
	# in the first second that would be 0890, which is no octal number
	echo $((${up%.*} * 1000 + 1${up#*.}0 - 1000))
}

# no_thread_now NAME: no kernel thread carries this in its name. Those of workqueues are
# the kernel's, and named after the work that they did last.
no_thread_now()
{
	for comm in /proc/[0-9]*/comm; do
		read -r name 2>/dev/null <"$comm" || continue
		case $name in kworker/*) continue ;; *"$1"*) ;; *) continue ;; esac
		# only kernel threads have no memory of their own
		pid=${comm%/comm}
		[ -n "$(head -c 1 "$pid/cmdline" 2>/dev/null)" ] && continue
		echo "there is still a thread $name"
		return 1
	done
	return 0
}

# no_threads NAME: the same, soon: a thread may have a last bit of its end before it.
no_threads() { wait_for no_thread_now "$1" || no_thread_now "$1"; }

# watchdog_start: whatever hangs in a test, this shell ends.
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

# without NAME: $TESTS but that one.
without()
{
	for name in $TESTS; do
		[ "$name" = "$1" ] || echo "$name"
	done
}

# cpus LIST: one a line, of "0-2,5"
cpus()
{
	echo "$1" | tr ',' '\n' | awk -F- '
		NF { for (cpu = $1; cpu <= $NF; cpu++) print cpu }'
}

# run_tests: all of $TESTS, then exit. As with the programs in C, -r NAME runs one, and
# -T NAME, which may stand there several times, leaves one out.
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
			trap cleanup EXIT
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
