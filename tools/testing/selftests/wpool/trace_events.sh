#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# trace_events - every tracepoint appears with valid fields. Tasks are submitted
# before they start, start before they finish, and all of them end.

# shellcheck disable=SC2317,SC2015,SC2086
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"

TRACING=/sys/kernel/tracing
EVENTS=$TRACING/events/wpool

cleanup() { echo 1 >$TRACING/tracing_on; }

# Switching events patches the kernel's text. So switch them on only once, while nothing runs. The
# trap at the end of this file switches them off.
setup()
{
	[ -d $EVENTS ] || skip "no tracepoints"
	echo 0 >$TRACING/tracing_on
	echo >$TRACING/trace
	echo 8192 >$TRACING/buffer_size_kb
	[ "$(cat $EVENTS/enable)" = 1 ] || echo 1 >$EVENTS/enable
	echo 1 >$TRACING/tracing_on
	pool "$@"
}

# stop: write the trace of this pool into $TMP/trace.
stop()
{
	echo 0 >$TRACING/tracing_on
	grep "pool=$POOL " $TRACING/trace >"$TMP/trace"
	wpoolctl destroy "$POOL" >/dev/null || fail "not destroyed"
}

# run OPTION...: run tasks, and wait until outstanding is 0: each task's end was traced by then.
run()
{
	wpoolctl run "$POOL" "$@" --json >"$TMP/run" || fail "$(cat "$TMP/run")"
	await 0 outstanding
}

# The first rule of an awk program: put the key=value pairs of the line into field[].
# shellcheck disable=SC2016
FIELDS='
{
	for (i = 1; i <= NF; i++)
		if (split($i, kv, "=") == 2)
			field[kv[1]] = kv[2]
	task = field["task"]
}'

has() { grep -qE "$1" "$TMP/trace" || fail "no '$1' in $(tail -n 40 "$TMP/trace")"; }

test_a_task_is_submitted_started_finished()
{
	setup queue_depth=max
	run --work noop --work sleep:1ms --tasks 300
	stop
	awk "$FIELDS"'
	/wpool_task_submitted:/ { submitted[task]++; nr++ }
	/wpool_task_started:/ {
		if (++started[task] > submitted[task] || field["wait_ns"] <= 0)
			bad = bad "\n" $0
	}
	/wpool_task_finished:/ {
		if (++finished[task] > started[task] || field["run_ns"] <= 0)
			bad = bad "\n" $0
		nr_finished++
	}
	END {
		if (nr != 300 || nr_finished != 300 || bad)
			print nr, nr_finished, bad
	}' "$TMP/trace" >"$TMP/bad"
	[ ! -s "$TMP/bad" ] || fail "$(cat "$TMP/bad")"
	has 'wpool_task_started: pool=.* cpu=[0-9]+ worker=[0-9]+ task=[0-9a-f]{8} func=[a-z_]+ .*wait_ns=[0-9]+$'
	# each event has the task's function, not wpool's function that calls it
	for event in submitted started finished; do
		has "wpool_task_$event: .* func=dev_noop " && has "wpool_task_$event: .* func=dev_sleep "
	done
}

# A task that is cancelled before it starts is traced as dropped. One task runs, and the others are
# queued. The release cancels the queued tasks. The kill of the submitter cuts the running task
# short.
test_cancelled_tasks_are_dropped()
{
	setup capacity=1 queue_depth=max
	start wpoolctl run "$POOL" --work sleep:60s --tasks 40 --quiet
	await "40 1" outstanding busy
	wpoolctl release "$POOL" --cancel || fail "not released"
	await 39 cancelled
	end_helpers
	await 0 outstanding
	stop
	awk "$FIELDS"'
	/wpool_task_submitted:/ { submitted[task]++; nr++ }
	/wpool_task_started:/ { started[task]++ }
	/wpool_task_finished:/ { finished[task]++; nr_finished++ }
	/wpool_task_dropped:/ {
		if (++dropped[task] > submitted[task] || started[task] ||
		    field["status"] != -125)
			bad = bad "\n" $0
		nr_dropped++
	}
	END {
		for (task in submitted)
			if (submitted[task] != finished[task] + dropped[task])
				bad = bad "\n" task
		if (nr != 40 || nr_finished != 1 || nr_dropped != 39 || bad)
			print nr, nr_finished, nr_dropped, bad
	}' "$TMP/trace" >"$TMP/bad"
	[ ! -s "$TMP/bad" ] || fail "$(cat "$TMP/bad")"
	has 'wpool_task_dropped: pool=.* cpu=[0-9]+ task=[0-9a-f]{8} func=[a-z_]+ .*status=-125$'
}

# If the function of a group's task returns an error, the error is traced. Here the tasks are cut
# short.
test_group_task_failed()
{
	setup capacity=2
	start wpoolctl run "$POOL" --group 2 --work sleep:60s --tasks 2 --quiet
	await 2 blocked
	end_helpers
	await "2 0" errors outstanding
	stop
	has 'wpool_group_task_failed: pool=.* func=dev_member .*error=-125$'
	traced=$(grep -c wpool_group_task_failed: "$TMP/trace")
	[ "$traced" -eq 2 ] || fail "$traced were traced"
}

test_a_worker_is_spawned_parked_woken()
{
	setup expiry_ms=0 min_workers=0
	run --work noop --tasks 10
	# the second run wakes the workers of the first
	await 0 searching
	run --work noop --tasks 10
	echo 1 >"$CLASS/$POOL/expiry_ms"
	await 0 workers
	stop
	has 'wpool_worker_spawned: .* worker=[0-9]+ took_ns=[1-9][0-9]*$' &&
		has 'wpool_worker_parked: .* worker=[0-9]+$' &&
		has 'wpool_worker_woken: .* worker=[0-9]+ idle_ms=[0-9]+$' &&
		has 'wpool_worker_expired: .* worker=[0-9]+$'
}

test_a_rescuer_that_steps_in_is_traced()
{
	setup reclaim=1 min_workers=0
	run --work noop --tasks 1
	stop
	has 'wpool_worker_stepped_in: pool=.* cpu=[0-9]+ worker=[0-9]+$'
}

test_handed_over_and_hogged()
{
	setup cpumask=0 queue_depth=max hog_ms=1
	repeat_until "$CLASS/$POOL/handoffs" run --work sleep:50ms --tasks 4
	repeat_until "$CLASS/$POOL/hogs" run --work spin:200ms --tasks 1
	stop
	has 'wpool_runq_handed_over: pool=.* cpu=0$' &&
		has 'wpool_task_hogged: pool=.* cpu=0 worker=[0-9]+ task=[0-9a-f]{8} func='
}

# steal: run tasks that can be stolen. Tasks in the global queue cannot be stolen. A task goes there
# if the pool has no worker, or if tasks are known to be long, as on a slow debug kernel that traces
# each start and end. So make a new pool with all workers, and trace only what is stolen.
steal()
{
	[ ! -e "$CLASS/$POOL" ] || wpoolctl destroy "$POOL" >/dev/null || fail "not destroyed"
	setup queue_depth=max capacity=4 prealloc=1
	echo 0 >$EVENTS/enable
	echo 1 >$EVENTS/wpool_tasks_stolen/enable
	run --work noop --tasks 5000
}

test_a_task_that_is_stolen_is_traced()
{
	[ "$(grep -c ^processor /proc/cpuinfo)" -ge 2 ] || skip "needs 2 CPUs"
	repeat_until "$CLASS/$POOL/stolen" steal
	stolen=$(cat "$CLASS/$POOL/stolen")
	stop
	has 'wpool_tasks_stolen: .* cpu=[0-9]+ from=[0-9]+ nr=[1-9]'
	traced=$(sed -n 's/.*wpool_tasks_stolen: .* nr=//p' "$TMP/trace" | awk '{ n += $1 } END { print n + 0 }')
	[ "$traced" -eq "$stolen" ] || fail "$traced were traced, $stolen stolen"
}

test_a_pool_that_is_overloaded_is_traced()
{
	setup capacity=1
	# the second task finds no place while the first one runs
	run --work sleep:1s --tasks 2
	stop
	has 'wpool_pool_overloaded: .* nr=[1-9][0-9]* policy=block$'
}

test_no_event_shows_an_address()
{
	setup queue_depth=max
	run --tasks 50
	stop
	! grep -qE '(0x)?ffff[0-9a-f]{12}' "$TMP/trace" || fail "an address: $(head "$TMP/trace")"
}

# record OPTION...: start a recorder, and wait until its events are on; $recorder is its pid
record()
{
	[ -d $EVENTS ] || skip "no tracepoints"
	pool capacity=1 queue_depth=max
	start wpoolctl trace record --pool "$POOL" --output "$TMP/rec" "$@"
	recorder=$started
	wait_for grep -qx 1 $TRACING/instances/wpoolctl.$recorder/events/wpool/enable ||
		fail "no recording: $(cat "$TMP/started")"
}

# recorded: stop the recorder
recorded()
{
	kill -TERM $recorder
	wait $recorder || fail "exit $?: $(cat "$TMP/started")"
}

test_wpoolctl_records_the_events_of_a_pool()
{
	record
	run --work sleep:20ms --work noop --tasks 10
	recorded
	[ ! -d $TRACING/instances/wpoolctl.$recorder ] || fail "the instance is there"
	wpoolctl trace report "$TMP/rec" >"$TMP/report" || return 1
	grep -qE '^dev_sleep .* 5 ' "$TMP/report" && grep -qE '^dev_noop .* 5 ' "$TMP/report" ||
		fail "$(cat "$TMP/report")"
}

test_wpoolctl_replays_what_it_has_recorded()
{
	record
	run --work sleep:20ms --tasks 10
	recorded
	run --replay "$TMP/rec" --as sleep
	grep -q '"arrivals": "replay"' "$TMP/run" && grep -q '"completed": 10,' "$TMP/run" ||
		fail "$(cat "$TMP/run")"
}

recorder_is_gone() { ! kill -0 $recorder; }

test_recorded_until_a_task_is_late()
{
	record --stop-over 5ms
	run --work sleep:50ms --tasks 4
	wait_for recorder_is_gone || fail "it does not end"
	wait $recorder || fail "exit $?: $(cat "$TMP/started")"
	for line in "^task [0-9a-f]* of pool $POOL waited" ' dev_sleep' '^That CPU ran:$' \
		'  (nothing: it was idle|.*, pid [0-9]+)$'; do
		grep -qE "$line" "$TMP/started" || fail "no '$line' in $(cat "$TMP/started")"
	done
}


trap '[ ! -d $EVENTS ] || echo 0 >$EVENTS/enable' EXIT
run_tests "$@"
