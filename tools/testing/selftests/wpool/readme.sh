#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# readme - run the commands of README.md as written, and compare their output with README.md.
#
# A block is found by the comment before it: <!-- run: selftest readme.NAME -->.

# shellcheck disable=SC2317,SC2086
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"

POOL="batch"

cleanup() { [ -z "$capacity" ] || echo "$capacity" >$CLASS/default/capacity; }

# block NAME: print the lines of the block.
block()
{
	awk -v mark="<!-- run: selftest readme.$1 -->" '
		$0 == mark { wanted = 1; next }
		wanted && /^```/ { if (inside) exit; inside = 1; next }
		inside { print }' "$HERE/README.md"
}

# stopped COMMAND: run a command that does not end, and stop it after it has printed something.
stopped()
{
	: >"$TMP/started"
	start sh -c "exec $1"
	wait_for test -s "$TMP/started" || fail "'$1' prints nothing"
	kill -TERM $started
	wait $started
	rc=$?
	[ $rc -eq 0 ] || [ $rc -eq 143 ] || fail "'$1': exit $rc: $(cat "$TMP/started")"
}

# Each line of the block of commands in README.md works. The pool exists between the first and the
# last line.
test_commands()
{
	capacity=$(cat $CLASS/default/capacity)
	block commands >"$TMP/commands"
	[ "$(grep -c '^# ' "$TMP/commands")" -ge 10 ] || fail "README.md has no block of commands"
	while read -r prompt line <&3; do
		[ "$prompt" = "#" ] || fail "no command: $prompt $line"
		case $line in
		"wpoolctl top")
			# q quits top, as the last line on the screen says
			"$HERE/wpool_helper" pty q wpoolctl top >"$TMP/out" 2>&1 ||
				fail "'$line': exit $?: $(cat "$TMP/out")"
			grep -q 'q: quit' "$TMP/out" ||
				fail "top does not say how it is left: $(cat "$TMP/out")"
			;;
		*" stat --interval "*) stopped "$line" || return 1 ;;
		*" --rate "*)
			# if the machine is too slow for the rate, some tasks are not sent: exit 3
			sh -c "$line" >"$TMP/out" 2>&1
			rc=$?
			[ $rc -eq 0 ] || { [ $rc -eq 3 ] && grep -q '^not sent' "$TMP/out" &&
				grep -q '^failed  *0$' "$TMP/out"; } ||
				fail "'$line': exit $rc: $(cat "$TMP/out")"
			;;
		*)
			sh -c "$line" >"$TMP/out" 2>&1 || fail "'$line': exit $?: $(cat "$TMP/out")"
			;;
		esac
	done 3<"$TMP/commands"
	[ "$(cat $CLASS/default/capacity)" = 64 ] || fail "capacity was not written"
	[ ! -e "$CLASS/$POOL" ] || fail "the pool is still there"
}

# shape: print a sentence without the parts that depend on the machine and the load.
shape()
{
	tr '\n' ' ' | sed 's/ \[[a-z_0-9]*\]//; s/ of them in [a-z_0-9]*/ of them in FN/
		s/asleep in [a-z_0-9.]*,/asleep in FN,/; s/the longest: [0-9.]*m\{0,1\}s, /the longest: /
		s/[0-9]\{1,\}/N/g; s/ *$//'
}

# "wpoolctl why" prints the sentence that README.md shows, with other numbers and functions.
test_why()
{
	pool capacity=4 queue_depth=1000
	start wpoolctl run $POOL --work sleep:60s --tasks 44
	await 40 queued
	block why >"$TMP/why"
	line=$(sed -n 's/^# //p' "$TMP/why")
	[ "$line" = "wpoolctl why $POOL" ] || fail "README.md runs '$line'"
	$line >"$TMP/out" || fail "'$line': exit $?"
	want=$(grep -v '^# ' "$TMP/why" | shape)
	got=$(shape <"$TMP/out")
	[ "$want" = "$got" ] || fail "README.md shows: $want; it prints: $got"
}

run_tests "$@"
