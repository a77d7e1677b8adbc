#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# wpoolctl - with the loaded module: what each command does, its output for
# programs, and its error messages.

# shellcheck disable=SC2317,SC2015,SC2012,SC2086
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"

# Forking is slow in an emulated machine, so these functions avoid it. Each one ends the test if it
# is not as it says.

# good COMMAND...: the command succeeds, and prints nothing on stderr.
good()
{
	wpoolctl "$@" >"$TMP/out" 2>"$TMP/err" || fail "wpoolctl $*: exit $?: $(cat "$TMP/err")"
	[ ! -s "$TMP/err" ] || fail "wpoolctl $*: on stderr: $(cat "$TMP/err")"
}

# bad EXIT COMMAND...: the command fails with EXIT, one line on stderr and no other output.
bad()
{
	want=$1
	shift
	wpoolctl "$@" >"$TMP/out" 2>"$TMP/err"
	rc=$?
	complaint='' more=''
	{
		read -r complaint
		read -r more
	} <"$TMP/err"
	[ $rc -eq "$want" ] || fail "wpoolctl $*: exit $rc, expected $want: $complaint"
	[ -n "$complaint" ] && [ -z "$more" ] ||
		fail "wpoolctl $*: not one line on stderr: $(cat "$TMP/err")"
	case $complaint in
	"wpoolctl"*": "*) ;;
	*) fail "wpoolctl $*: does not say who it is: $complaint" ;;
	esac
	[ ! -s "$TMP/out" ] || fail "wpoolctl $*: on stdout: $(cat "$TMP/out")"
}

# says TEXT: the last error message contains TEXT.
says()
{
	case $complaint in
	*"$1"*) ;;
	*) fail "'$1' is not in: $complaint" ;;
	esac
}

# prints REGEX: the last output matches.
prints() { grep -qE -- "$1" "$TMP/out" || fail "'$1' is not in: $(cat "$TMP/out")"; }

# has_keys KEY...: the last output, JSON, has these keys.
has_keys()
{
	for key; do
		grep -q "\"$key\" *:" "$TMP/out" || fail "no key '$key' in: $(cat "$TMP/out")"
	done
}

# key_is KEY VALUE: the last output, JSON, has this value.
key_is()
{
	tr -d '\n' <"$TMP/out" | grep -qE "\"$1\" *: *$2 *[,}]" ||
		fail "'$1' is not $2 in: $(cat "$TMP/out")"
}

# balanced: braces and brackets match outside of strings.
balanced()
{
	sed 's/\\.//g; s/"[^"]*"//g' "$TMP/out" >"$TMP/bare"
	[ "$(tr -dc '{' <"$TMP/bare" | wc -c)" -eq "$(tr -dc '}' <"$TMP/bare" | wc -c)" ] &&
		[ "$(tr -dc '[' <"$TMP/bare" | wc -c)" -eq "$(tr -dc ']' <"$TMP/bare" | wc -c)" ] ||
		fail "not JSON: $(cat "$TMP/out")"
}

# attrs NAME=VALUE...: the pool has these attributes.
attrs()
{
	for attr; do
		read -r value <"$CLASS/$POOL/${attr%%=*}" || fail "no ${attr%%=*}"
		[ "$value" = "${attr#*=}" ] || fail "expected $attr, not $value"
	done
}

# run_ends EXIT OPTION...: a run in the pool ends with EXIT, which may be a pattern.
run_ends()
{
	want=$1
	shift
	wpoolctl run "$POOL" "$@" >"$TMP/out" 2>"$TMP/err"
	rc=$?
	expr "$rc" : "$want\$" >/dev/null || fail "run $*: exit $rc: $(cat "$TMP/err")"
}

# interrupted OUTSTANDING OPTION...: a run is interrupted once it has OUTSTANDING tasks.
interrupted()
{
	outstanding=$1
	shift
	start wpoolctl run "$POOL" "$@" --quiet
	await "$outstanding" outstanding
	# SIGTERM: a background job of the shell ignores SIGINT
	kill -TERM $started
	wait $started
	rc=$?
	[ $rc -eq 130 ] || fail "exit $rc"
	await 0 outstanding
}

# A command with wrong arguments prints one line of error, and exits with 2. The checks of
# tools/wpoolctl/tests have the other arguments that are refused without the kernel.
test_usage()
{
	for command in create destroy tune release reboot "create .hidden"; do
		bad 2 $command
	done
	bad 2 create ''
}

test_create_makes_what_destroy_removes()
{
	given="capacity=12 queue_depth=max policy=fail expiry_ms=77 min_workers=2 max_blocking=3 \
		spin_us=5 latency=1 nice=-5 cpumask=0 concurrency=4"
	good create "$POOL" $given
	attrs $given order=lifo prealloc=0
	bad 1 create "$POOL" && says "$POOL"
	# the failed command has not changed the pool
	attrs capacity=12
	good destroy "$POOL"
	[ ! -e "$CLASS/$POOL" ] || fail "it is still there"
	bad 1 destroy "$POOL" && says "$POOL"
	good create "$POOL" prealloc=1 capacity=3 order=fifo policy=run
	attrs prealloc=1 order=fifo policy=run workers=3
	# tune accepts the same values as sysfs
	good tune "$POOL" cpumask=all spin_us=+7
	attrs spin_us=7 cpumask="$(cat /sys/devices/system/cpu/possible)"
}

test_create_refuses_each_bad_value()
{
	bad 2 create "$POOL" capacity=4 min_workers=5
	# only the kernel can refuse this CPU
	bad 1 create "$POOL" cpumask=1000
	[ ! -e "$CLASS/$POOL" ]
}

test_tune_changes_all_attributes_or_none()
{
	good create "$POOL"
	good tune "$POOL" capacity=5 queue_depth=6 policy=fail nice=3
	attrs capacity=5 queue_depth=6 policy=fail nice=3
	good tune "$POOL" capacity=max && attrs capacity=max
	# if one attribute is invalid, none changes
	bad 2 tune "$POOL" capacity=7 nice=20 && says nice
	bad 1 tune "$POOL" capacity=7 policy=run && says policy
	bad 2 tune "$POOL" capacity=7 order=fifo && says order
	bad 2 tune "$POOL" capacity=7 prealloc=1 && says prealloc
	good tune "$POOL" capacity=9 min_workers=9
	bad 1 tune "$POOL" queue_depth=7 capacity=8
	attrs queue_depth=6 capacity=9
	bad 1 tune no-such-pool capacity=7 && says no-such-pool
}

# apply changes the pool that exists, and makes the other pool of the file.
test_apply()
{
	good create "$POOL" capacity=5 nice=3
	cat >"$TMP/conf" <<-CONF
		[$POOL]
		capacity = 6
		nice = 3
		[${POOL}b]
		queue_depth = max
		cpumask = 0
	CONF
	good apply --check "$TMP/conf" && prints "^$POOL: would be changed$" &&
		prints "^${POOL}b: would be made$" && attrs capacity=5 &&
		[ ! -e "$CLASS/${POOL}b" ] || return 1
	good apply "$TMP/conf" && prints "^$POOL: changed$" && prints "^${POOL}b: made$" &&
		attrs capacity=6 && grep -qx max "$CLASS/${POOL}b/queue_depth" &&
		grep -qx 0 "$CLASS/${POOL}b/cpumask" || return 1
	good apply "$TMP/conf" && prints "^$POOL: is so already$"
	# if the file has one mistake, nothing changes
	echo "order = fifo" >>"$TMP/conf"
	sed -i 's/capacity = 6/capacity = 7/' "$TMP/conf"
	bad 1 apply "$TMP/conf" && says "[${POOL}b]: order" && attrs capacity=6
	bad 1 apply "$TMP/no-such-file" && says no-such-file
	good destroy "${POOL}b"
}

test_list_has_all_pools_and_figures()
{
	good create "$POOL" capacity=17
	good list && prints '^default ' && prints "^$POOL +open +17 "
	good list --json
	balanced && has_keys name state capacity queue_depth workers idle busy \
		waiting queued outstanding submitted completed
	grep -q '^\[' "$TMP/out" || fail "not an array: $(cat "$TMP/out")"
	good destroy "$POOL"
	good list
	! grep -q "$POOL" "$TMP/out"
}

test_show_has_attributes_and_defaults()
{
	good create "$POOL" capacity=17 queue_depth=max
	good show "$POOL" && prints '^ *capacity +17 +\(default 256\)$' &&
		prints '^ *queue_depth +max +\(default 0\)$' && prints '^ *policy +block$' &&
		prints '^ *workers +0$'
	good show "$POOL" --json
	balanced && key_is name "\"$POOL\"" && key_is capacity 17
	# the output has every file of the pool
	for file in "$CLASS/$POOL"/*; do
		case ${file##*/} in uevent | histogram) continue ;; esac
		[ ! -f "$file" ] || has_keys "${file##*/}"
	done
	bad 1 show no-such-pool && says no-such-pool
	bad 1 show no-such-pool --json
}

test_run_reports_what_its_load_did()
{
	good create "$POOL" capacity=4 queue_depth=max
	good run "$POOL" --work noop --work spin:100us --work sleep:1ms --work yield:5 \
		--work touch:64K --work hash:16K --work lock:50us --work tree:2x3:10us \
		--tasks 160
	good run "$POOL" --tasks 500 --batch 7 --submitters 3 --json
	balanced && key_is accepted 500 && key_is completed 500 && key_is refused 0
	good run "$POOL" --tasks 10 --quiet
	[ ! -s "$TMP/out" ] || fail "--quiet is not quiet"
	await 0 outstanding
	attrs submitted="$(cat "$CLASS/$POOL/completed")"
}

test_run_counts_what_a_full_pool_refuses()
{
	good create "$POOL" capacity=2 policy=fail
	# two tasks fit while they run; the others are refused: exit 3, and the report says how many
	run_ends 3 --work sleep:2s --tasks 5 --json
	key_is accepted 2 && key_is refused 3 && key_is completed 2
	good tune "$POOL" policy=block
	good run "$POOL" --work sleep:10ms --tasks 6 --json
	key_is completed 6 && key_is refused 0
	run_ends 3 --work sleep:2s --tasks 5 --nonblock --quiet
}

# value KEY: print a number from the top level of the report
value() { sed -n "s/^  \"$1\": *\([0-9][0-9]*\),\{0,1\}\$/\1/p" "$TMP/out"; }

# accounted: the report says what became of each arrival, however slow the machine.
accounted()
{
	[ "$(value asked)" -eq $(($(value accepted) + $(value refused) + $(value not_sent))) ] &&
		[ "$(value accepted)" -eq $(($(value completed) + $(value failed) +
			$(value cancelled))) ] || fail "not accounted for: $(cat "$TMP/out")"
}

test_run_in_an_open_loop_keeps_its_rate()
{
	good create "$POOL" capacity=1
	# one task sleeps while others arrive: not all of them find room
	run_ends 3 --rate 100/s --duration 1s --work sleep:3s --json --interval 0.2s
	accounted && key_is asked 100
	good tune "$POOL" capacity=64 queue_depth=max
	# on a machine that is too slow for the last tasks the exit code is 3
	run_ends '[03]' --rate 1k/s --arrivals poisson --warmup 0.5s --duration 0.5s \
		--submitters 2 --work spin:exp=10us --work sleep:1ms-3ms \
		--interval 0.2s --json
	balanced && accounted && key_is arrivals '"poisson"'
	# without --rate, all offered tasks are accepted
	good run "$POOL" --duration 0.5s --warmup 0.1s --work sleep:1ms --batch 16 --json
	accounted && key_is not_sent 0 && key_is refused 0 && key_is tasks null
	await 0 outstanding
}

test_run_keeps_the_bound_of_a_group()
{
	good create "$POOL" capacity=4 queue_depth=max
	good run "$POOL" --group 3 --tasks 500 --submitters 2 --json
	key_is completed 500 && key_is refused 0
	run_ends 3 --group 2 --work sleep:2s --tasks 5 --nonblock --json
	key_is accepted 2 && key_is refused 3
	await 0 outstanding
	# a run that waits for room in its group can be interrupted
	interrupted 2 --group 2 --work sleep:60s --tasks 5
}

# most_overtaken: print how many tasks, at most, have overtaken one of the last run
most_overtaken() { tr -d '\n' <"$TMP/out" | sed 's/.*"overtaken": *{[^}]*"most": *\([0-9]*\).*/\1/'; }

test_run_keeps_the_order()
{
	good create "$POOL" capacity=8 queue_depth=64
	# three times: a worker that is about to start a task may lose its CPU for a while
	for _ in 1 2 3; do
		good run "$POOL" --work sleep:20ms --tasks 300 --submitters 2 --json
		[ "$(most_overtaken)" -le 24 ] && return 0
	done
	fail "$(most_overtaken) tasks overtook one task"
}

test_run_cancels_its_tasks_if_interrupted()
{
	good create "$POOL" capacity=2 queue_depth=max
	interrupted 4 --work sleep:60s --tasks 4
}

test_run_destroys_the_pool_it_has_made()
{
	before=$(ls "$CLASS")
	good run --create --tasks 10 --quiet
	good run --create=capacity=3,policy=fail,queue_depth=max --tasks 20 --json
	key_is completed 20
	good run "$POOL" --create --tasks 5 --quiet
	[ "$(ls "$CLASS")" = "$before" ] || fail "a pool is left: $(ls "$CLASS")"
	bad 2 run --create=capacity=0
	bad 2 run --create=frobnicate=1
	[ "$(ls "$CLASS")" = "$before" ]
}

test_run_refuses_each_bad_value()
{
	bad 2 run default --duration=0
	bad 1 run no-such-pool && says no-such-pool
}

test_stat_prints_a_line_per_pool()
{
	good create "$POOL"
	good stat "$POOL" --interval 50ms --count 2 && prints "$POOL"
	good stat "$POOL" default --interval 50ms --count 2 --json
	balanced
	[ "$(wc -l <"$TMP/out")" -eq 4 ] || fail "not four lines: $(cat "$TMP/out")"
	has_keys name completed_per_s workers
	good stat --interval 50ms --count 1 && prints '^default '
	bad 1 stat no-such-pool --count 1
}

test_release_closes_what_reboot_opens()
{
	good create "$POOL" capacity=1 queue_depth=max
	good release "$POOL" && attrs state=closed
	good release "$POOL"
	bad 1 run "$POOL" --tasks 1
	good reboot "$POOL" && attrs state=open
	good reboot "$POOL"
	good run "$POOL" --tasks 10 --quiet
	good release "$POOL" --own && attrs state=closing
	bad 1 run "$POOL" --tasks 1
	good why "$POOL" && prints "closed to others"
	good reboot "$POOL" && attrs state=open
	good release "$POOL" --wait && attrs workers=0 && good reboot "$POOL"

	helper sleepers "$POOL" 3
	bad 1 release "$POOL" --timeout 50ms && attrs state=closed
	good release "$POOL" --cancel
	end_helpers
	good release "$POOL" --wait
	bad 1 release no-such-pool
	bad 1 reboot no-such-pool
}

test_default_pool_is_left_alone()
{
	bad 1 destroy default && says default
	bad 1 release default
	bad 1 reboot default
	# if one name is wrong, no pool is destroyed
	good create "$POOL"
	bad 1 destroy "$POOL" no-such-pool
	[ -e "$CLASS/$POOL" ] || fail "the other one is gone"
}

test_top_shows_how_pools_work()
{
	good create "$POOL" capacity=3 queue_depth=10
	helper sleepers "$POOL" 5
	await "3 2" blocked queued
	good top --batch --count 2 --interval 0.1
	[ "$(grep -c ' pools, ' "$TMP/out")" = 2 ] || fail "$(cat "$TMP/out")"
	prints "^$POOL +3 +10 .* 3 +3 +3 +0 +2" &&
		prints "^$POOL +dev_sleep.* 3 +3 +0 ([0-9.]+m?s, )?asleep" &&
		prints "^$POOL +[0-9]+ +[0-9]+ asleep +([0-9.]+m?s|-) dev_sleep" &&
		prints "^$POOL +0 +[0-9]+ +0 " && prints "^$POOL +all "
	bad 2 top && says terminal
}

# why CAUSE REGEX: wpoolctl why prints one line, with REGEX; with --json, CAUSE
why()
{
	good why "$POOL" && prints "$2" && [ "$(wc -l <"$TMP/out")" = 1 ] &&
		good why "$POOL" --json && key_is cause "\"$1\"" || fail "why: $(cat "$TMP/out")"
}

test_why_says_what_tasks_wait_for()
{
	good create "$POOL" capacity=2 queue_depth=3 expiry_ms=0
	why none "^No task waits or runs; 0 workers are idle"
	helper sleepers "$POOL" 5
	await "2 3" blocked queued
	why sleepers "^3 tasks are queued: 2 of the 2 workers .* sleep in their tasks, 2 of them in dev_sleep"
	# one more submitter has to wait
	start wpoolctl run "$POOL" --work noop --tasks 1
	await 1 waiting
	why sleepers "^3 tasks are queued and 1 waits for room, as capacity \\+ queue_depth"
	end_helpers
	await 0 outstanding

	start wpoolctl run "$POOL" --work spin:60s --tasks 3
	hogs() { [ "$(grep -cE "^$POOL .* hog .* dev_spin" /sys/kernel/debug/wpool/workers)" = 2 ]; }
	wait_for hogs || fail "no two hogs: $(cat /sys/kernel/debug/wpool/workers)"
	why hogs "^1 task is queued: the 2 workers that capacity allows are all busy, 2 with hogs, 2 of them in dev_spin"
	end_helpers
	await 0 outstanding
	good release "$POOL" && why closed "^The pool is closed"
}

test_latency_counts_each_task_once()
{
	good create "$POOL" capacity=4 queue_depth=max
	bad 1 latency "$POOL" && says "tune $POOL latency=1"
	good tune "$POOL" latency=1 && good run "$POOL" --work sleep:2ms --tasks 300 --quiet
	# a task is counted a moment after its end
	all() { wpoolctl latency "$POOL" --json | grep -c '"count": *300,' | grep -qx 2; }
	wait_for all || fail "$(wpoolctl latency "$POOL")"
	good latency "$POOL" && prints '^wait 300 tasks: p50 .*, p99\.9 .*, max ' &&
		prints '^run  300 tasks: p50 [2-9]' && prints '\|#+ [0-9]+$'
	good latency "$POOL" --interval 20ms && prints '^run  0 tasks$'
	good stat "$POOL" --columns name,wait_p50,run_p99 && prints "^$POOL +- +-\$"
	bad 1 latency no-such-pool && says no-such-pool
}

test_users_may_read_but_not_change()
{
	good create "$POOL" latency=1
	as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@" 2>"$TMP/err"; }
	if ! as_nobody true; then
		as_nobody() { su -s /bin/sh nobody -c "$*" 2>"$TMP/err"; }
		as_nobody true || skip "cannot become nobody: $(cat "$TMP/err")"
	fi
	# other users may read, but not change anything
	as_nobody wpoolctl list >"$TMP/out" || fail "list: $(cat "$TMP/err")"
	as_nobody wpoolctl show "$POOL" >"$TMP/out" || fail "show: $(cat "$TMP/err")"
	as_nobody wpoolctl metrics >"$TMP/out" && prints "^wpool_wait_seconds_count.pool=\"$POOL\". 0" ||
		fail "metrics: $(cat "$TMP/err")"
	as_nobody wpoolctl latency "$POOL" >"$TMP/out" || fail "latency: $(cat "$TMP/err")"
	for command in "run $POOL" "tune $POOL capacity=2" "destroy $POOL" "create x$POOL"; do
		# shellcheck disable=SC2086
		as_nobody wpoolctl $command >"$TMP/out"
		rc=$?
		[ $rc -eq 1 ] || fail "$command: exit $rc"
		[ "$(wc -l <"$TMP/err")" -eq 1 ] || fail "$command: $(cat "$TMP/err")"
	done
}

run_tests "$@"
