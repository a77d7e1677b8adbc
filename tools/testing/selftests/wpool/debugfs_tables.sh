#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# debugfs_tables - the tables in debugfs add up to the figures in sysfs.

# shellcheck disable=SC2317,SC2015,SC2086
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"

POOL_DIR=$CLASS/$POOL
DEBUGFS=/sys/kernel/debug/wpool

# lasting ATTRIBUTE...: make a pool whose workers never expire, so that figures stay the same
lasting() { pool expiry_ms=0 "$@"; }

work()
{
	wpoolctl run "$POOL" --work noop --tasks "$1" --json >"$TMP/run" || fail "$(cat "$TMP/run")"
}

# table NAME: print the title line of the table, and the lines of our pool
table() { awk -v pool="$POOL" 'NR == 1 || $1 == pool' "$DEBUGFS/$1"; }

# sum TABLE COLUMN: print the sum of COLUMN over the lines of our pool
sum()
{
	table "$1" | awk -v name="$2" '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; next }
	{ sum += $column }
	END { print column ? sum + 0 : "no column " name }'
}

# same TABLE COLUMN ATTRIBUTE: the sum of COLUMN is the number in the sysfs file ATTRIBUTE
same()
{
	in_table=$(sum "$1" "$2")
	in_sysfs=$(cat "$POOL_DIR/$3")
	[ "$in_table" = "$in_sysfs" ] ||
		{ echo "$1: $2 add up to $in_table, $3 is $in_sysfs: $(table "$1")" && false; }
}

test_cpus_adds_up_to_sysfs()
{
	lasting capacity=4 queue_depth=10
	[ "$(table cpus | wc -l)" -ge $(($(nproc) + 1)) ] ||
		fail "not a line for each CPU: $(table cpus)"
	[ "$(sum cpus submitted)" = 0 ] || fail "a new pool: $(table cpus)"
	work 300
	[ "$(sum cpus submitted)" = 300 ] || fail "not 300: $(table cpus)"
	all_same()
	{
		same cpus submitted submitted && same cpus completed completed &&
			same cpus stolen stolen && same cpus workers workers &&
			same cpus idle idle && same cpus queued queued
	}
	# wait: the last task may not be counted as completed yet, and a worker may be starting
	wait_for all_same || all_same
}

# The table "cpus" counts all queued tasks, also those of the global queue. One worker is busy, and
# two queued tasks wait for that worker.
test_cpus_counts_what_is_queued()
{
	lasting capacity=1 queue_depth=5
	helper sleepers "$POOL" 3
	await "1 2" busy queued
	# the sum includes the global queue, which has its own line
	[ "$(sum cpus queued)" = 2 ] && [ "$(sum cpus workers)" = 1 ] &&
		[ "$(table cpus | grep -c " all  *-  *-  *[0-9][0-9]*  *-  *-  *-$")" = 1 ] ||
		fail "$(table cpus)"
}

test_workers_has_a_line_for_each()
{
	lasting capacity=6
	helper sleepers "$POOL" 3
	await "3 0" busy searching
	# the line names the workload's function, not wpool's function that calls it
	asleep() { [ "$(table workers | grep -cE ' asleep +([0-9]+|-) [0-9a-f]{8} dev_sleep')" = 3 ]; }
	wait_for asleep || fail "not three asleep: $(table workers)"
	! table workers | grep ' asleep ' | grep -q -e ' -$' -e '0x' ||
		fail "in no function: $(table workers)"
	# each of the three lines has a different task
	[ "$(table workers | awk '$5 == "asleep" { print $7 }' | sort -u | wc -l)" = 3 ] ||
		fail "not three tasks: $(table workers)"
	# wait, since one more worker may be starting
	all_there() { [ $(($(table workers | wc -l) - 1)) = "$(cat "$POOL_DIR/workers")" ]; }
	wait_for all_there || fail "not all workers: $(table workers)"
	# each PID is a thread that may run on the CPU of its line
	table workers >"$TMP/workers"
	while read -r _ pid cpu last _; do
		[ "$pid" != pid ] || continue
		[ -d "/sys/devices/system/cpu/cpu$last" ] || fail "$pid ran on $last"
		grep -q "^Cpus_allowed_list:.*\b$cpu$" "/proc/$pid/status" ||
			fail "$pid may not run on $cpu"
	done <"$TMP/workers"
	end_helpers
	await 0 busy
	all_idle() { [ "$(table workers | grep -cE ' idle +([0-9]+|-) +- -$')" = "$(cat "$POOL_DIR/workers")" ]; }
	wait_for all_idle || fail "not all idle: $(table workers)"
}

# The time of a sleeping worker grows until the worker is woken.
test_workers_says_how_long()
{
	since() { table workers | awk '$5 == "asleep" { print $6 }'; }
	lasting capacity=1
	helper sleepers "$POOL" 1
	asleep() { [ -n "$(since)" ]; }
	wait_for asleep && first=$(since) || fail "not asleep"
	[ "$first" != - ] || skip "no CONFIG_SCHED_INFO"
	longer() { [ "$(since)" -gt $((first + 200)) ]; }
	wait_for longer || fail "not longer than $first ms: $(table workers)"
}

test_workers_names_a_hog()
{
	lasting capacity=1 hog_ms=1
	start wpoolctl run "$POOL" --work spin:60s --tasks 1
	hog() { table workers | grep -qE ' hog +([0-9]+|-) [0-9a-f]{8} dev_spin'; }
	wait_for hog || fail "no hog: $(table workers)"
	await 1 hogs
}

# The file "costs" has a line for each function. Time asleep counts in run_ns, not in cpu_ns.
test_costs_tells_functions_apart()
{
	lasting capacity=2 queue_depth=10
	work 50
	[ "$(table costs | wc -l)" = 1 ] || fail "counted without being asked: $(table costs)"
	echo 1 >"$POOL_DIR/latency" && work 100
	wpoolctl run "$POOL" --work sleep:20ms --tasks 3 >/dev/null || return 1
	runs() { table costs | awk -v name="$1" '$7 == name { print $2 }'; }
	counted() { [ "$(runs dev_noop) $(runs dev_sleep)" = "$1" ]; }
	wait_for counted "100 3" || fail "not 100 and 3: $(table costs)"
	table costs | awk '
	NR > 1 && ($5 > $4 || $6 > $4 || $6 * $2 < $4) { bad = 1 }
	$7 == "dev_sleep" && ($4 < 60e6 || $4 - $5 < 30e6) { bad = 1 }
	END { exit bad }' || fail "$(table costs)"
	echo 0 >"$POOL_DIR/latency" || fail "latency stays on"
	work 10
	counted "100 3" || fail "counted after latency was switched off: $(table costs)"
	echo 1 >"$POOL_DIR/latency"
	[ "$(table costs | wc -l)" = 1 ] || fail "the costs were not reset: $(table costs)"
}

# crowd: make a pool whose only worker sleeps in a task, with two queued tasks and a submitter that
# waits.
crowd()
{
	lasting capacity=1 queue_depth=2
	start wpoolctl run "$POOL" --work sleep:60s --tasks 10
	await "2 1" queued waiting
}

# described FILE: the file describes our pool as crowd() left it
described()
{
	awk -v pool="$POOL" '/ (wpool: )?pool / || /^pool / { on = index($0, "pool " pool ":") }
		on { sub(/^\[[^]]*\] (wpool: )?/, ""); print }' "$1" >"$TMP/described"
	for line in "^pool $POOL: open, capacity 1, queue_depth 2$" \
		'^ *1 workers, 1 in tasks, [0-9]+ searching, 2 tasks queued, 1 waiting$' \
		'^ *(queue of CPU [0-9]+|the global queue): 2 tasks, the first for [0-9]+ ms: ' \
		'^ *in line: wpoolctl, pid [0-9]+$' \
		'^ *worker [0-9]+ at home on CPU [0-9]+, last on [0-9]+: asleep, .* in dev_sleep' \
		'^ *why: capacity is used up: 1 of 1 workers in dev_sleep'; do
		grep -qE "$line" "$TMP/described" || fail "no '$line': $(cat "$TMP/described")"
	done
}

test_dump_says_what_waits_and_why()
{
	crowd
	[ "$(stat -c %a "$DEBUGFS/dump")" = 400 ] || fail "others may read it"
	wpoolctl dump >"$TMP/dump" || fail "$(cat "$TMP/dump")"
	described "$TMP/dump"
	end_helpers
	quiet() { wpoolctl dump >"$TMP/dump"; grep -A 2 "^pool $POOL:" "$TMP/dump" | grep -q 'nothing waits'; }
	wait_for quiet || fail "$(cat "$TMP/dump")"
}

# behind_a_sleeper QUEUE_DEPTH "QUEUED WAITING": submit a task that sleeps and three of other kinds;
# wait until QUEUED of them are queued and WAITING wait for room; dump the pool.
behind_a_sleeper()
{
	lasting capacity=1 queue_depth="$1"
	start wpoolctl run "$POOL" --group 10 --work sleep:60s --work noop --work strand:1ms \
		--work timer:1ms --tasks 4
	await "$2" queued waiting
	wpoolctl dump | awk -v pool="$POOL:" '/^pool / { on = $2 == pool } on' >"$TMP/dump"
}

# The dump names functions of users, not wpool's functions that call them.
test_dump_names_the_functions_of_users()
{
	behind_a_sleeper 3 "3 0"
	for func in dev_member dev_strand armed_run; do
		grep -q "tasks, the first for .*$func" "$TMP/dump" || fail "no $func: $(cat "$TMP/dump")"
	done
	end_helpers
	wpoolctl destroy "$POOL" >/dev/null && behind_a_sleeper 1 "1 2" || return 1
	for func in dev_strand armed_run; do
		grep -q "in line: an event or a strand, $func" "$TMP/dump" ||
			fail "no $func in line: $(cat "$TMP/dump")"
	done
}

test_sysrq_x_writes_the_same_with_stacks()
{
	[ -w /proc/sysrq-trigger ] && dmesg | grep -q 'wpool: sysrq-x prints all pools' ||
		skip "no sysrq"
	crowd
	dmesg -c >/dev/null
	echo x >/proc/sysrq-trigger
	dmesg >"$TMP/dump"
	described "$TMP/dump"
	grep -q "task:wp/$POOL" "$TMP/dump" || fail "no stack: $(cat "$TMP/dump")"
}

# The monitor's timer is pending while a task runs, and the expiry timer while an idle worker may
# expire. At the end neither is pending.
test_timers_are_pending_only_while_needed()
{
	pool capacity=2 queue_depth=10 expiry_ms=3600000 min_workers=0
	expiry() { [ "$(table timers | awk 'NR > 1 { print $2 }')" = expiry ]; }
	! expiry || fail "no worker yet: $(table timers)"
	work 1
	wait_for expiry || fail "no expiry timer: $(table timers)"

	start wpoolctl run "$POOL" --work spin:1ms --tasks 100000000
	wait_for grep -q '^- *monitor$' "$DEBUGFS/timers" ||
		fail "no monitor: $(cat "$DEBUGFS/timers")"
	end_helpers
	await 0 busy
	echo 1 >"$POOL_DIR/expiry_ms"
	quiet() { [ "$(wc -l <"$DEBUGFS/timers")" = 1 ]; }
	wait_for quiet || fail "still pending: $(cat "$DEBUGFS/timers")"
	[ "$(cat "$POOL_DIR/workers")" = 0 ] || fail "$(cat "$POOL_DIR/workers") workers"
}

test_tables_have_all_pools_and_none_that_is_gone()
{
	lasting latency=1 && work 10
	exec 9<"$DEBUGFS/workers"
	for table in cpus workers costs; do
		[ "$(stat -c %a "$DEBUGFS/$table")" = 444 ] || fail "$table can be written"
		[ "$(table $table | wc -l)" -gt 1 ] || fail "$table does not have the pool"
	done
	[ "$(grep -c '^default ' "$DEBUGFS/cpus")" -ge "$(nproc)" ] ||
		fail "nor the other one: $(cat "$DEBUGFS/cpus")"
	wpoolctl destroy "$POOL" >/dev/null || return 1
	for table in cpus workers costs; do
		[ "$(table $table | wc -l)" = 1 ] || fail "$table still has it"
	done
	# an open file shows the present state, not the state at its open
	cat <&9 >"$TMP/read" || return 1
	exec 9<&-
	head -n 1 "$TMP/read" | grep -q function && ! grep -q "^$POOL " "$TMP/read" ||
		fail "$(cat "$TMP/read")"
}

run_tests "$@"
