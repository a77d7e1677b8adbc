# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# lib-test.sh - functions of the scripts that run tests: parts, most of them virtual machines, that
# run at the same time, and their results.
#
# Sourced after lib.sh, never run. A script that sources it calls tests_begin first, and
# may call choose before.

# Seconds until a machine is stopped. A case that hangs has a limit of its own, so only a
# machine that hangs as a whole reaches this limit, even if it is slow.
PATIENCE=7200

# How many parts run at a time.
JOBS=${WPOOL_JOBS:-2}

# The choice of --only: a kernel, suites or programs (see scripts/names) and a case; "-" stands for
# all. only_build is a kernel that is only built.
# shellcheck disable=SC2034
only_kernel=- only_suites=- only_case=- only_build=

# choose NAME: set the variables above, and $wanted to the parts of $PARTS that have NAME. If no
# part has it, print the names that exist, and exit.
# shellcheck disable=SC2034,SC2153
choose()
{
	# Accept a name with the colon that is printed after it, and a part with a dash.
	local name=${1%:} part found='' one
	name=${name/#selftest-/selftest.}
	part=${name%%.*}
	if has_word "$part" "$PARTS build"; then
		has_word "$part" "${wanted:-$part}" ||
			die "'$1' is a test of the part $part, not of:$wanted"
		wanted=" $part"
	else
		for one in ${wanted:-kunit selftest}; do
			has_word "$one" kunit selftest ||
				die "a part of a name is for kunit and selftest, not for $one"
			! "$TOP/scripts/names" --find "$name" "$one" >/dev/null 2>&1 ||
				found="$found $one"
		done
		# If no part has the name, each part prints its names below.
		wanted=${found:-${wanted:- kunit selftest}}
	fi
	found=
	for part in $wanted; do
		case $part in
		kunit | selftest)
			if one=$("$TOP/scripts/names" --find "$name" "$part"); then
				read -r only_kernel only_suites only_case <<<"$one"
				found=1
			fi
			;;
		build)
			found=${name#build.} only_build=$found
			known_kernel "$found"
			;;
		*) found=1 ;;
		esac
	done
	[ -n "$found" ] || exit 1
}

# wants PART: is the part one of $wanted?
wants() { has_word "$1" "$wanted"; }

# kunit_filter: print the kernel's parameter for $only_suites and $only_case.
kunit_filter()
{
	[ "$only_suites" != - ] || return 0
	[ "$only_case" = - ] || only_suites=$only_suites.$only_case
	echo "kunit.filter_glob=$only_suites"
}

# selftest_filter: print $only_suites and $only_case as variables of scripts/guest/selftests.sh.
selftest_filter()
{
	[ "$only_suites" = - ] || printf 'ONLY=%s ' "$only_suites"
	[ "$only_case" = - ] || printf 'CASE=%s ' "$only_case"
}

# The tests that the short form of the selftests leaves out, with the reasons.
SHORT_LIST=$TOP/tools/testing/selftests/wpool/short.list

# short_form KERNEL: print SHORT=KERNEL if the kernel has a short form, without --full and --only.
short_form()
{
	[ -z "${full:-}${only:-}" ] || return 0
	! awk -v where="$1" '!/^#/ && index("," $1 ",", "," where ",") { exit 1 }' "$SHORT_LIST" ||
		return 0
	echo "SHORT=$1"
}

# skip_short PREFIX OUTPUT: record each test that the short form left out as skipped.
skip_short()
{
	sed -n 's/^wpool-selftest: short of [0-9]* programs: //p' "$2" | tr ' ' '\n' |
		sed "s/.*/skip\t$1.&\tnot in the short form of this kernel: FULL=1 has it/" >>"$RESULTS"
}

# tests_begin NAME: make build/logs/NAME.PID for the logs and results of this run, so that
# two runs in one tree do not mix them.
tests_begin()
{
	RUN=$1.$$
	# shellcheck disable=SC2034 # summary() looks at it
	BEGAN=$SECONDS
	LOGS=$BUILD/logs/$RUN
	mkdir -p "$LOGS"
	find "$BUILD/logs" -maxdepth 1 -name "$1.*" -mtime +1 -exec rm -rf {} + || true
	ln -sfn "$RUN" "$BUILD/logs/$1"
	export RESULTS=$LOGS/results
	: >"$RESULTS"
	parts=()
	trap 'kill $(jobs -p) 2>/dev/null || true; exit 130' INT TERM
}

# tests_end: wait for all parts, and print the summary; false if a test failed.
tests_end()
{
	local part
	wait
	for part in ${parts[@]+"${parts[@]}"}; do
		cat "$LOGS/part-$part.results" >>"$RESULTS"
	done
	summary "$RESULTS"
}

# show_failed FILE: print the failures of a part.
show_failed() { awk -F'\t' '$1 == "fail" { print "NOT OK  " $2 ($3 == "" ? "" : ": " $3) }' "$1"; }

# show_counts PREFIX FILE: print the counts of a part.
show_counts()
{
	awk -v prefix="$1" '{ n[$1]++ }
	END { printf "%s  %s: %d passed, %d failed, %d skipped\n", n["fail"] ? "NOT OK" : "ok    ",
		prefix, n["pass"], n["fail"], n["skip"] }' "$2"
}

# show_failures OUTPUT: print the output of each failed case, which stands before its
# "not ok": of equal lines only the first few, and no lines of another case.
show_failures()
{
	awk '
	function squeezed(line) {
		gsub(/[0-9]+/, "N", line)
		return line
	}
	# of_another LINE CASE: a line of the harness names its case.
	function of_another(line, name,   part) {
		return line ~ /^# *[^ :]+\.[ch]:[0-9]+:[^ :]+:/ && split(line, part, ":") &&
		       part[3] != name
	}
	/^ok / || /^wpool-selftest: start/ { n = same = 0; last = ""; next }
	/^not ok / || (/^wpool-selftest: end/ && !/ [04]$/) {
		name = $4 == "-" ? $5 : $4
		sub(/.*\./, "", name)
		for (i = shown = 0; ++i <= n && shown < 20; )
			if (!/^not ok / || !of_another(block[i], name)) {
				print block[i]
				shown++
			}
		print
		n = same = 0
		last = ""
		next
	}
	/^# *(RUN|OK) / || /^# [0-9]+ ms$/ || /^1\.\.[0-9]/ || /^T?K?TAP version/ { next }
	{
		same = squeezed($0) == last ? same + 1 : 0
		last = squeezed($0)
		if (same < 3)
			block[++n] = $0
	}' "$1"
}

# run_vm NAME KERNEL OPTION... -- SCRIPT: run SCRIPT in a machine; vm_status is the exit status.
run_vm()
{
	vm_status=0
	setpriv --pdeathsig TERM "$TOP/scripts/vm" run --kernel "$2" --no-build --quiet \
		--name "$RUN/$1" "${@:3}" || vm_status=$?
}

# count_output NAME PREFIX: count the cases in the output of a machine, and show the failures.
count_output()
{
	"$TOP/scripts/ktap" --results "$RESULTS" --log "build/logs/$RUN/$1.out" "$2" <"$LOGS/$1.out"
	show_failures "$LOGS/$1.out"
}

# judge_vm PREFIX NAME: count the machine, and the log of its kernel, as a test each.
judge_vm()
{
	local findings=$LOGS/$2.findings log=build/logs/$RUN/$2.console
	case $vm_status in
	0 | 1 | 2)
		result pass "$1.vm"
		verdict "$1.kernel-log" "$(grep -sv '^---' "$findings" | head -n 1): $log" \
			[ ! -s "$findings" ]
		;;
	3) result fail "$1.vm" "the VM was lost, which says nothing about the test: $log" ;;
	*) result fail "$1.vm" "it could not be started" ;;
	esac
	if [ "$vm_status" -eq 1 ] && ! grep -q '^fail' "$RESULTS"; then
		result fail "$1.script" "it failed after the tests: build/logs/$RUN/$2.out"
	fi
}

# show_kunit NAME: print the results for people. scripts/ktap counts, because it also notices
# missing results. A module that is loaded with other parameters starts a new report.
show_kunit()
{
	local part parser
	parser=$("$TOP/scripts/kernel" source)/tools/testing/kunit/kunit.py
	tr -d '\r' <"$LOGS/$1.console" | sed -n '/wpool-test: start/,/wpool-test: end/p' |
		awk -v name="$LOGS/$1" '/[]] KTAP version 1$/ { n++ }
			n { print > sprintf("%s-%02d.ktap", name, n) }'
	for part in "$LOGS/$1"-*.ktap; do
		"$parser" parse <"$part" || true
	done
}

# part_kunit NAME PREFIX KERNEL [SUITE OPTION...]: SUITE, or the suites that --only selects.
part_kunit()
{
	local filter=${4:+kunit.filter_glob=$4}
	run_vm "$1" "$3" --timeout $PATIENCE --append "${filter:-$(kunit_filter)}" "${@:5}" \
		-- "$TOP/scripts/guest/kunit.sh"
	cat "$LOGS/$1.out"
	show_kunit "$1" >"$LOGS/$1.txt" 2>&1 || true
	if [ "${wanted:-}" = " kunit" ]; then
		cat "$LOGS/$1.txt"
	else
		grep 'Testing complete' "$LOGS/$1.txt" | cut -d' ' -f2-
	fi
	"$TOP/scripts/ktap" --results "$RESULTS" --log "build/logs/$RUN/$1.console" "$2" \
		<"$LOGS/$1.console"
	judge_vm "$2" "$1"
}

# part_selftest NAME PREFIX KERNEL [FILTER [OPTION]...]: FILTER has variables of
# scripts/guest/selftests.sh, in addition to those of --only.
part_selftest()
{
	run_vm "$1" "$3" --timeout $PATIENCE --append "$(selftest_filter)${4:-}" \
		--add "$SHORT_LIST" "${@:5}" -- "$TOP/scripts/guest/selftests.sh"
	count_output "$1" "$2"
	sed -n 's/^wpool-selftest: took /   /p' "$LOGS/$1.out" | sort -k2 -nr | head -n 5
	skip_short "$2" "$LOGS/$1.out"
	judge_vm "$2" "$1"
}

# part_tools: wpoolctl without a kernel.
part_tools()
{
	local status
	{
		echo "wpool-test: start"
		echo "wpool-selftest: start wpoolctl"
		flock -o "$TOP/tools/wpoolctl" \
			make -s -C "$TOP/tools/wpoolctl" check OUT="$BUILD/tools/check" && status=0 || status=$?
		echo "wpool-selftest: end wpoolctl $status"
		echo "wpool-test: end"
	} >"$LOGS/tools.out" 2>&1
	count_output tools tools
}

# choose_accel KERNEL: put options of scripts/vm into $accel. An emulator with several
# threads sometimes executes jump labels wrongly.
choose_accel()
{
	local image
	image=$("$TOP/scripts/kernel" path "$1" image)
	accel=(--accel auto)
	if has_config "$1" JUMP_LABEL && [ "$("$TOP/scripts/vm-accel" probe "$image")" = tcg ]; then
		accel=(--accel tcg-single)
	fi
}

# stress NAME PREFIX KERNEL TIMEOUT VARIABLES OPTION...: run scripts/guest/torture.sh,
# perhaps on more CPUs than this machine has.
stress()
{
	local name=$1 prefix=$2 kernel=$3 timeout=$4 variables=$5 cpus=4
	shift 5
	# A native CPU that spins would keep a CPU of this machine from the holder of the lock.
	! is_native "$kernel" || [ "$(nproc)" -ge $cpus ] || cpus=$(nproc)
	# KCSAN watches one of 1,000 accesses instead of one of 4,000.
	! has_config "$kernel" KCSAN || variables="$variables kcsan.skip_watch=1000"
	variables="$variables ${rhythm:-}"
	choose_accel "$kernel"
	run_vm "$name" "$kernel" --timeout "$timeout" --smp "$cpus" "${accel[@]}" \
		--append "$variables" --add "$TOP/tools/testing/torture/run.sh" "$@" \
		-- "$TOP/scripts/guest/torture.sh"
	count_output "$name" "$prefix"
	grep -e '^# .*tasks' -e '^# coverage' -e '^# corpus' -e '^# no feedback' "$LOGS/$name.out" || true
	judge_vm "$prefix" "$name"
}

# part_torture NAME PREFIX KERNEL SECONDS SEED CYCLES [PHASES [PROGRAM]]
part_torture()
{
	local more=${releases:+ RELEASES=$releases}${7:+ PHASES=$7} patience=$PATIENCE
	[ -z "${8:-}" ] || patience=$((2 * PATIENCE))
	stress "$1" "$2" "$3" $((patience + $4 * 2 + $6 * 10 + ${releases:-0} / 100)) \
		"PROGRAM=${8:-torture} SECONDS=$4 SEED=$5 CYCLES=$6$more"
}

# part_soak NAME PREFIX KERNEL SECONDS SEED CYCLES
part_soak()
{
	part_torture "$@" '' soak
	grep -e '^# .* before, .* after' "$LOGS/$1.out" || true
}

# The kernel's parameters if all CPUs but two are offline, and may come online. With hundreds
# of CPUs an emulator is so slow that the watchdogs would report a lockup.
FEW_OF="maxcpus=2 nowatchdog nosoftlockup"

# part_many NAME PREFIX KERNEL SECONDS SEED CPUS: torture and the selftests of CPU hotplug
# and of many pools, where most of the possible CPUs are offline.
part_many()
{
	stress "$1" "$2.torture" "$3" $((PATIENCE + $4 * 4)) \
		"PROGRAM=torture PHASES=volume,nasty,stutter SECONDS=$4 SEED=$5 $FEW_OF" \
		--smp "$6"
	part_selftest "$1-selftest" "$2.selftest" "$3" "ONLY=cpu_hotplug,debugfs_tables,many_pools $FEW_OF" \
		--smp "$6" "${accel[@]}"
}

# part_wide NAME PREFIX KERNEL CPUS: the selftests that depend on CPUs, on this number of CPUs, with
# thousands of pools. The machine has four nodes with two last-level caches each. CPUs 5 and 9 are
# isolated.
part_wide()
{
	local numa='' cores="cores=$(($4 / 4))" node each=$(($4 / 4))
	if [ "$(arch_of "$3")" = amd64 ]; then
		numa=$CACHE_A_DIE
		cores="dies=2,cores=$((each / 2))"
	fi
	for node in 0 1 2 3; do
		numa="$numa -object memory-backend-ram,id=node$node,size=1G"
		numa="$numa -numa node,memdev=node$node,cpus=$((node * each))-$((node * each + each - 1))"
	done
	part_selftest "$1" "$2" "$3" \
		"SHORT=6.1 MANY=2000 isolcpus=5 nohz_full=9 nowatchdog nosoftlockup BUT=dev_fuzz,wpoolctl_cli,httpd,bpf_scripts" \
		--smp "$4,sockets=4,$cores,threads=1" --mem 4G --accel tcg --qemu "$numa"
}

# part_fault NAME PREFIX KERNEL NUMBER SEED: torture with NUMBER tasks that die, among many others.
part_fault()
{
	stress "$1" "$2" "$3" 3600 \
		"PROGRAM=torture PHASES=fault FAULTS=$4 GOODS=$(($4 * 100)) SEED=$5"
}

# part_fuzz NAME PREFIX KERNEL SECONDS SEED [CORPUS]: run the fuzzer, guided by KCOV if the
# kernel has it. It begins with the calls in the directory CORPUS, and adds those that reach new
# code. Natively the threads of a process take turns, so there are several processes, and no more
# CPUs than this machine has, so that the holder of a lock rarely waits for a CPU.
part_fuzz()
{
	local variables="PROGRAM=fuzz SECONDS=$4 SEED=$5 CALLS=1000000000" corpus=${6:-} cpus
	local -a options=()
	if is_native "$3"; then
		cpus=$(nproc)
		[ "$cpus" -ge 2 ] || cpus=2
		[ "$cpus" -le 4 ] || cpus=4
		options=(--smp "$cpus")
		variables="$variables THREADS=$((cpus * 3)) PROCESSES=3"
	fi
	if has_config "$3" KCOV; then
		if ! "$TOP/scripts/build" --kcov --module-only "$3"; then
			result fail "$2.run" "not run: the build for KCOV failed"
			return
		fi
		options+=(--modules "$3-kcov")
		if [ -n "$corpus" ]; then
			mkdir -p "$corpus"
			options+=(--add "$corpus:/files/corpus")
			variables="$variables CORPUS=1"
		fi
	fi
	stress "$1" "$2" "$3" $((PATIENCE + $4 * 2)) "$variables" ${options[@]+"${options[@]}"}
	[ -z "$corpus" ] || sed -n 's/^#corpus //p' "$LOGS/$1.out" | tr -d '\r' | base64 -d |
		tar xz -C "$corpus" 2>/dev/null || true
}

# part_demo NAME PREFIX: run the demo with the modules and tools that the tests have built.
part_demo()
{
	if ! "$TOP/scripts/build" 6.12; then
		not_built "$2" 6.12
	elif "$TOP/scripts/demo" --no-build --name "$RUN/$1"; then
		result pass "$2.run"
	else
		result fail "$2.run" "$(sed -n 's/^\*\* //p' "$LOGS/$1.out"): build/logs/$RUN/$1.out"
	fi
}

# cpu_seconds TIMES: print the user and system seconds of all children of a shell, from the
# output of its "times".
cpu_seconds()
{
	awk 'NR == 2 { split($1 $2, t, /[ms]/); print int((t[1] + t[3]) * 60 + t[2] + t[4]) }' "$1"
}

# run_part NAME FUNCTION ARG...: run a part; print its output in one piece, with the failures first.
run_part()
{
	local name=$1 log=$LOGS/part-$1.log start=$SECONDS
	shift
	export RESULTS=$LOGS/part-$name.results
	: >"$RESULTS"
	if ! "$@" >"$log" 2>&1 </dev/null && [ "$1" != part_lint ]; then
		result fail "$name.run" "the script that runs it failed: build/logs/$RUN/part-$name.log" >>"$log"
	fi
	# not in a pipe, where "times" would be that of another shell
	times >"$LOGS/part-$name.times"
	printf '\n==== %s (%d s, %d s of the processors)\n' "$name" $((SECONDS - start)) \
		"$(cpu_seconds "$LOGS/part-$name.times")"
	show_failed "$RESULTS"
	cat "$log"
	show_counts "$name" "$RESULTS"
}

# start NAME FUNCTION ARG...: start a part in the background as soon as fewer than $JOBS run.
start()
{
	while [ "$(jobs -rp | wc -l)" -ge "$JOBS" ]; do
		wait -n || true
	done
	parts+=("$1")
	run_part "$@" &
}

# start_on PART KERNEL ARG...: start a part that runs on several kernels.
start_on() { start "$1-$2" "part_$1" "$1-$2" "$1.$2" "$2" "${@:3}"; }

# build KERNEL: build the modules, and count that as a test; false if the build failed.
build()
{
	local log=$LOGS/part-build-$1.log
	if "$TOP/scripts/kernel" path "$1" image >"$log" 2>&1 &&
		"$TOP/scripts/build" "$1" >>"$log" 2>&1; then
		result pass "build.$1"
		return
	fi
	cat "$log"
	result fail "build.$1" "see build/logs/$RUN/part-build-$1.log"
	return 1
}

# not_built PREFIX KERNEL
not_built() { result fail "$1.run" "not run: the build for $2 failed"; }
