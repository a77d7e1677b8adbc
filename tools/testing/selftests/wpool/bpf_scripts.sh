#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# bpf_scripts - check the output of the scripts of tools/bpftrace.

# shellcheck disable=SC2317,SC2015
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"

# trace SCRIPT ARG...: trace 20 tasks that sleep, 20 no-ops, and 10 tasks of another pool. bpftrace
# starts the command when all its probes are attached.
trace()
{
	command -v bpftrace >/dev/null || skip "no bpftrace"
	pool capacity=4 queue_depth=max
	cat >"$TMP/load" <<-LOAD
		wpoolctl run $POOL --work sleep:5ms --work noop --tasks 40 --quiet
		wpoolctl run --create --work yield:1 --tasks 10 --quiet
	LOAD
	bpftrace "$@" -c "/bin/sh $TMP/load" >"$TMP/said" 2>&1 || fail "exit $?: $(cat "$TMP/said")"
	wpoolctl destroy "$POOL"
}

has() { grep -qE "$1" "$TMP/said" || fail "no '$1' in $(cat "$TMP/said")"; }

# sum MAP: sum of the counts of a histogram; its rows: "[4, 8) 3 |@@", "[1] 5 |@@@".
sum()
{
	awk -v map="$1:" '$1 == map { found = 1; next } NF == 0 { found = 0 }
		found { sub(/^\[[^])]*[])]/, ""); n += $1 } END { print n + 0 }' "$TMP/said"
}

test_wpoollat_has_each_task_once()
{
	trace ./wpoollat.bt "$POOL"
	has '^@submits\[dev_sleep\]: 20$' && has '^@submits\[dev_noop\]: 20$'
	for map in wait_us run_us; do
		[ "$(sum "@${map}[dev_sleep]")" -eq 20 ] && [ "$(sum "@${map}[dev_noop]")" -eq 20 ] ||
			fail "$map: $(cat "$TMP/said")"
	done
	# no task of 5 ms ran for less than 4 ms
	! sed -n '/^@run_us.dev_sleep/,/^$/p' "$TMP/said" | grep -E '^\[([0-9]+|1K|2K), ' ||
		fail "$(cat "$TMP/said")"
	! grep dev_yield "$TMP/said"
}

test_wpoolsleep_has_the_stacks_of_sleeps()
{
	trace ./wpoolsleep.bt
	has '^@asleep_us\[dev_sleep, ' && has '^ +dev_sleep\+[0-9]+$' && has '^ +__schedule\+' &&
		has '^\]: count [0-9]+, average [0-9]+, total [0-9]+$'
	! grep '^@[^a]' "$TMP/said" || fail "$(cat "$TMP/said")"
}

run_tests "$@"
