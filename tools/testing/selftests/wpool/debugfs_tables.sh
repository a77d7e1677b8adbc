#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# debugfs_tables - the tables in debugfs say what sysfs says in sums.

# The tests are called by name, return early, and deal with names that have no
# blanks.
# shellcheck disable=SC2317,SC2015,SC2086
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"

POOL=table$$
POOL_DIR=$CLASS/$POOL
TABLES=/sys/kernel/debug/wpool/$POOL
HELPER=$HERE/wpool_helper
helper=

cleanup()
{
	end_helper
	[ ! -e "$POOL_DIR" ] || wpoolctl destroy "$POOL"
}

end_helper()
{
	if [ -n "$helper" ]; then
		kill -KILL "$helper"
		wait "$helper"
	fi 2>/dev/null
	helper=
}

# pool ATTRIBUTE...: workers that stay, so that figures hold still
pool()
{
	wpoolctl create "$POOL" expiry_ms=0 "$@" >/dev/null || fail "no pool"
}

# work COUNT: so many tasks, all of them done
work()
{
	wpoolctl run "$POOL" --work noop --tasks "$1" --json >"$TMP/run" || fail "$(cat "$TMP/run")"
}

# sum TABLE COLUMN: of the column with that name in its first line
sum()
{
	awk -v name="$2" '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; next }
	{ sum += $column }
	END { print column ? sum + 0 : "no column " name }' "$TABLES/$1"
}

# same TABLE COLUMN ATTRIBUTE
same()
{
	in_table=$(sum "$1" "$2")
	in_sysfs=$(cat "$POOL_DIR/$3")
	[ "$in_table" = "$in_sysfs" ] ||
		fail "$1: $2 add up to $in_table, $3 is $in_sysfs: $(cat "$TABLES/$1")"
}

none_searches() { [ "$(cat "$POOL_DIR/searching")" = 0 ]; }
none_busy() { [ "$(cat "$POOL_DIR/busy")" = 0 ]; }

test_cpus_adds_up_to_sysfs()
{
	pool capacity=4 queue_depth=10 || return 1
	[ "$(wc -l <"$TABLES/cpus")" -ge $(($(nproc) + 1)) ] ||
		fail "not a line for each CPU: $(cat "$TABLES/cpus")" || return 1
	[ "$(sum cpus submitted)" = 0 ] || fail "a new pool: $(cat "$TABLES/cpus")" || return 1
	work 300 && wait_for none_searches || return 1
	[ "$(sum cpus submitted)" = 300 ] || fail "not 300: $(cat "$TABLES/cpus")" || return 1
	same cpus submitted submitted && same cpus completed completed &&
		same cpus stolen stolen && same cpus workers workers &&
		same cpus idle idle && same cpus queued queued
}

# One worker that is busy, and two tasks that wait for it.
test_cpus_counts_what_is_queued()
{
	pool capacity=1 queue_depth=5 steal=0 || return 1
	"$HELPER" sleepers "$POOL" 3 >"$TMP/helper" 2>&1 &
	helper=$!
	wait_for grep -q ready "$TMP/helper" || fail "$(cat "$TMP/helper")" || return 1
	started() { [ "$(cat "$POOL_DIR/busy") $(cat "$POOL_DIR/queued")" = "1 2" ]; }
	wait_for started || fail "not one busy and two queued" || return 1
	# not those in the queue that all CPUs share
	[ "$(sum cpus queued)" -le 2 ] && [ "$(sum cpus workers)" = 1 ] ||
		fail "$(cat "$TABLES/cpus")"
}

test_workers_has_a_line_for_each()
{
	pool capacity=6 || return 1
	"$HELPER" sleepers "$POOL" 3 >"$TMP/helper" 2>&1 &
	helper=$!
	wait_for grep -q ready "$TMP/helper" || fail "$(cat "$TMP/helper")" || return 1
	busy() { [ "$(cat "$POOL_DIR/busy")" = 3 ]; }
	wait_for busy && wait_for none_searches || fail "not three busy" || return 1
	# what the work is, not what calls it
	[ "$(grep -c ' busy  *run_sleep' "$TABLES/workers")" = 3 ] ||
		fail "not three busy ones: $(cat "$TABLES/workers")" || return 1
	! grep ' busy ' "$TABLES/workers" | grep -q -e ' -$' -e '0x' ||
		fail "in no function: $(cat "$TABLES/workers")" || return 1
	[ $(($(wc -l <"$TABLES/workers") - 1)) = "$(cat "$POOL_DIR/workers")" ] ||
		fail "not all workers: $(cat "$TABLES/workers")" || return 1
	# they are threads of ours, and at home where the line says
	while read -r pid cpu _; do
		[ "$pid" != pid ] || continue
		grep -q "^Cpus_allowed_list:.*\b$cpu$" "/proc/$pid/status" ||
			fail "$pid may not run on $cpu" || return 1
	done <"$TABLES/workers"
	end_helper
	wait_for none_busy && wait_for none_searches || fail "still busy" || return 1
	[ "$(grep -c ' idle  *-$' "$TABLES/workers")" = "$(cat "$POOL_DIR/workers")" ] ||
		fail "not all idle: $(cat "$TABLES/workers")"
}

test_latency_counts_while_it_is_asked_for()
{
	pool capacity=2 queue_depth=10 || return 1
	work 50 || return 1
	[ "$(wc -l <"$TABLES/latency")" = 1 ] ||
		fail "counted without being asked: $(cat "$TABLES/latency")" || return 1
	echo 1 >"$POOL_DIR/latency" && work 100 || return 1
	[ "$(sum latency tasks)" = 100 ] || fail "not 100: $(cat "$TABLES/latency")" || return 1
	# each line begins where an earlier one may end, at a power of two
	awk 'NR > 1 && ($2 != 2 * $1 || $1 < last) { bad = 1 } { last = $2 + 0 } END { exit bad }' \
		"$TABLES/latency" || fail "$(cat "$TABLES/latency")" || return 1
	echo 0 >"$POOL_DIR/latency" && work 10 || return 1
	[ "$(sum latency tasks)" = 100 ] || fail "it went on: $(cat "$TABLES/latency")"
}

test_tables_are_gone_with_the_pool()
{
	pool || return 1
	for table in cpus workers latency; do
		[ "$(stat -c %a "$TABLES/$table")" = 444 ] || fail "$table can be written" || return 1
	done
	exec 9<"$TABLES/workers"
	wpoolctl destroy "$POOL" >/dev/null || return 1
	[ ! -e "$TABLES" ] || fail "they are still there" || return 1
	! cat <&9 >"$TMP/read" 2>&1 || fail "still readable: $(cat "$TMP/read")" || return 1
	grep -q 'Input/output' "$TMP/read" || fail "$(cat "$TMP/read")" || return 1
	exec 9<&-
}

TESTS="cpus_adds_up_to_sysfs cpus_counts_what_is_queued workers_has_a_line_for_each
	latency_counts_while_it_is_asked_for tables_are_gone_with_the_pool"

watchdog 280
run_tests
