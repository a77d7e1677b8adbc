# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# lib-test.sh - what scripts/test and scripts/torture share: parts that run side
# by side, each a virtual machine, and what they came to.
#
# Sourced after lib.sh, never run. Whoever sources it calls tests_begin first, and
# may call choose before.

# Until a machine is given up, in seconds. Cases that hang have limits of their own, so
# only one that hangs as a whole comes to this, however slow it is.
PATIENCE=7200

# How many parts run at a time.
JOBS=${WPOOL_JOBS:-2}

# What is left of kunit and selftest: a kernel, suites or programs as scripts/names
# finds them, and a case; "-" stands for all. Or the kernel to build, and no more.
# shellcheck disable=SC2034
only_kernel=- only_suites=- only_case=- only_build=

# choose NAME: sets them, and $wanted to those of $PARTS that have it; ends with what
# there is if none has.
# shellcheck disable=SC2034,SC2153
choose()
{
	# As it is printed, with what follows it; and parts by kernel have a dash.
	local name=${1%:} part found='' one
	name=${name/#selftest-/selftest.}
	part=${name%%.*}
	case " $PARTS build " in
	*" $part "*)
		case " ${wanted:-$part} " in
		*" $part "*) wanted=" $part" ;;
		*) die "'$1' is a test of the part $part, not of:$wanted" ;;
		esac
		;;
	*)
		for one in ${wanted:-kunit selftest}; do
			case $one in
			kunit | selftest) ;;
			*) die "a part of a name is for kunit and selftest, not for $one" ;;
			esac
			! "$TOP/scripts/names" --find "$name" "$one" >/dev/null 2>&1 ||
				found="$found $one"
		done
		# If there is none, each of them says what there is.
		wanted=${found:-${wanted:- kunit selftest}}
		;;
	esac
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
			found=${name#build.}
			case " $STOCK_KERNELS $(built_kernels | xargs) " in
			*" $found "*) only_build=$found ;;
			*) die "no kernel '$found'; there are: $STOCK_KERNELS $(built_kernels | xargs)" ;;
			esac
			;;
		*) found=1 ;;
		esac
	done
	[ -n "$found" ] || exit 1
}

# kunit_filter: the kernel's parameter for what is left.
kunit_filter()
{
	[ "$only_suites" != - ] || return 0
	[ "$only_case" = - ] || only_suites=$only_suites.$only_case
	echo "kunit.filter_glob=$only_suites"
}

# selftest_filter: the same for scripts/guest/selftests.sh.
selftest_filter()
{
	[ "$only_suites" = - ] || printf 'ONLY=%s ' "$only_suites"
	[ "$only_case" = - ] || printf 'CASE=%s ' "$only_case"
}

# What the selftests leave out in their short form, with the reasons.
SHORT_LIST=$TOP/tools/testing/selftests/wpool/short.list

# short_form KERNEL: the filter for it, where there is one and no name is asked for.
short_form()
{
	[ -z "${full:-}${only:-}" ] || return 0
	! awk -v where="$1" '!/^#/ && index("," $1 ",", "," where ",") { exit 1 }' "$SHORT_LIST" ||
		return 0
	echo "SHORT=$1"
}

# skip_short PREFIX OUTPUT: what it was without is skipped, by name.
skip_short()
{
	sed -n 's/^wpool-selftest: short of [0-9]* programs: //p' "$2" | tr ' ' '\n' |
		sed "s/.*/skip\t$1.&\tnot in the short form of this kernel: FULL=1 has it/" >>"$RESULTS"
}

# tests_begin NAME: the logs of this run go to build/logs/NAME.PID, and its results
# with them. Two runs in one tree must not mix what they say.
tests_begin()
{
	RUN=$1.$$
	# shellcheck disable=SC2034 # summary() looks at it
	BEGAN=$SECONDS
	LOGS=$BUILD/logs/$RUN
	mkdir -p "$LOGS"
	find "$BUILD/logs" -maxdepth 1 -name "$1.*" -mtime +1 -exec rm -rf {} +
	ln -sfn "$RUN" "$BUILD/logs/$1"
	export RESULTS=$LOGS/results
	: >"$RESULTS"
	parts=()
	trap 'kill $(jobs -p) 2>/dev/null || true; exit 130' INT TERM
}

# tests_end: waits for all parts, and prints the summary; false if a test failed.
tests_end()
{
	local part
	wait
	for part in ${parts[@]+"${parts[@]}"}; do
		cat "$LOGS/part-$part.results" >>"$RESULTS"
	done
	summary "$RESULTS"
}

# show_failed FILE: of a part, what broke.
show_failed() { awk -F'\t' '$1 == "fail" { print "NOT OK  " $2 ($3 == "" ? "" : ": " $3) }' "$1"; }

# show_counts PREFIX FILE: what a part came to.
show_counts()
{
	awk -F'\t' -v prefix="$1" '
	{ n[$1]++ }
	END {
		printf "%s  %s: %d passed, %d failed, %d skipped\n",
		       n["fail"] ? "NOT OK" : "ok    ", prefix,
		       n["pass"], n["fail"], n["skip"]
	}' "$2"
}

# show_failures OUTPUT: what a failing case said, which stands before its "not
# ok"; of the same said many times only the first few, and nothing that another case
# said.
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

# run_vm NAME KERNEL OPTION... -- SCRIPT: its exit status into vm_status.
run_vm()
{
	local name=$1 kernel=$2
	shift 2
	vm_status=0
	setpriv --pdeathsig TERM "$TOP/scripts/vm" run --kernel "$kernel" --no-build --quiet \
		--name "$RUN/$name" "$@" || vm_status=$?
}

# judge_vm PREFIX NAME: the machine and the log as tests of their own.
judge_vm()
{
	local findings=$LOGS/$2.findings log=build/logs/$RUN/$2.console
	case $vm_status in
	0 | 1 | 2) result pass "$1.vm" ;;
	3) result fail "$1.vm" "the VM was lost, which says nothing about the test: $log" ;;
	*) result fail "$1.vm" "it could not be started" ;;
	esac
	case $vm_status in
	0 | 1 | 2)
		if [ -s "$findings" ]; then
			result fail "$1.kernel-log" "$(grep -v '^---' "$findings" | head -n 1): $log"
		else
			result pass "$1.kernel-log"
		fi
		;;
	esac
	if [ "$vm_status" -eq 1 ] && ! grep -q '^fail' "$RESULTS"; then
		result fail "$1.script" "it failed after the tests: build/logs/$RUN/$2.out"
	fi
}

# show_kunit NAME: for people. The counting is ours, because it also misses what
# is not there. A module loaded with other parameters starts a new report.
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

# part_kunit NAME PREFIX KERNEL [SUITE OPTION...]: without SUITE those that --only asks for.
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

# part_selftest NAME PREFIX KERNEL [FILTER [OPTION]...]: FILTER as in
# scripts/guest/selftests.sh, besides the one that --only asks for.
part_selftest()
{
	run_vm "$1" "$3" --timeout $PATIENCE --append "$(selftest_filter)${4:-}" \
		--add "$SHORT_LIST" "${@:5}" -- "$TOP/scripts/guest/selftests.sh"
	"$TOP/scripts/ktap" --results "$RESULTS" --log "build/logs/$RUN/$1.out" "$2" <"$LOGS/$1.out"
	show_failures "$LOGS/$1.out"
	sed -n 's/^wpool-selftest: took /   /p' "$LOGS/$1.out" | sort -k2 -nr | head -n 5
	skip_short "$2" "$LOGS/$1.out"
	judge_vm "$2" "$1"
}

# part_tools: wpoolctl without a kernel.
part_tools()
{
	local out=$LOGS/tools.out status
	{
		echo "wpool-test: start"
		echo "wpool-selftest: start wpoolctl"
		make -s -C "$TOP/tools/wpoolctl" check OUT="$BUILD/tools/check" && status=0 || status=$?
		echo "wpool-selftest: end wpoolctl $status"
		echo "wpool-test: end"
	} >"$out" 2>&1
	"$TOP/scripts/ktap" --results "$RESULTS" --log "${out#"$TOP"/}" tools <"$out"
	show_failures "$out"
}

# choose_accel KERNEL: options of scripts/vm into $accel. An emulator with several
# threads gets jump labels wrong now and then.
choose_accel()
{
	local config image
	config=$("$TOP/scripts/kernel" path "$1" config)
	image=$("$TOP/scripts/kernel" path "$1" image)
	accel=(--accel auto)
	if grep -q '^CONFIG_JUMP_LABEL=y' "$config" &&
		[ "$("$TOP/scripts/vm-accel" probe "$image")" = tcg ]; then
		accel=(--accel tcg-single)
	fi
}

# stress NAME PREFIX KERNEL TIMEOUT VARIABLES OPTION...: scripts/guest/torture.sh, on
# more CPUs than there may be.
stress()
{
	local name=$1 prefix=$2 kernel=$3 timeout=$4 variables=$5
	local config
	shift 5
	config=$("$TOP/scripts/kernel" path "$kernel" config)
	# One in so many accesses is watched: 4,000 by itself.
	! grep -q '^CONFIG_KCSAN=y' "$config" || variables="$variables kcsan.skip_watch=1000"
	variables="$variables ${rhythm:-}"
	choose_accel "$kernel"
	run_vm "$name" "$kernel" --timeout "$timeout" --smp 4 "${accel[@]}" \
		--append "$variables" "$@" -- "$TOP/scripts/guest/torture.sh"
	"$TOP/scripts/ktap" --results "$RESULTS" --log "build/logs/$RUN/$name.out" "$prefix" \
		<"$LOGS/$name.out"
	show_failures "$LOGS/$name.out"
	grep -e '^# .*tasks' -e '^# coverage' -e '^# corpus' -e '^# no feedback' "$LOGS/$name.out" || true
	judge_vm "$prefix" "$name"
}

# part_torture NAME PREFIX KERNEL SECONDS SEED CYCLES [PHASES]
part_torture()
{
	stress "$1" "$2" "$3" $((PATIENCE + $4 * 2 + $6 * 10 + ${releases:-0} / 100)) \
		"PROGRAM=torture SECONDS=$4 SEED=$5 CYCLES=$6${releases:+ RELEASES=$releases}${7:+ PHASES=$7}" \
		--add "$TOP/tools/testing/torture/run.sh"
}

# part_soak NAME PREFIX KERNEL SECONDS SEED CYCLES
part_soak()
{
	stress "$1" "$2" "$3" $((PATIENCE * 2 + $4 * 2 + $6 * 10 + ${releases:-0} / 100)) \
		"PROGRAM=soak SECONDS=$4 SEED=$5 CYCLES=$6${releases:+ RELEASES=$releases}" \
		--add "$TOP/tools/testing/torture/run.sh"
	grep -e '^# .* before, .* after' "$LOGS/$1.out" || true
}

# The kernel's parameters if all CPUs but two are not there, and may come.
# With hundreds of them an emulator is so slow that the kernel believes it is locked up.
FEW_OF="maxcpus=2 nowatchdog nosoftlockup"

# part_many NAME PREFIX KERNEL SECONDS SEED CPUS: torture and the selftests of CPUs that
# come and go and of many pools, where most of those that are possible are not there.
part_many()
{
	stress "$1" "$2.torture" "$3" $((PATIENCE + $4 * 4)) \
		"PROGRAM=torture PHASES=volume,nasty,stutter SECONDS=$4 SEED=$5 $FEW_OF" \
		--smp "$6" --add "$TOP/tools/testing/torture/run.sh"
	part_selftest "$1-selftest" "$2.selftest" "$3" "ONLY=cpu_hotplug,debugfs_tables,many_pools $FEW_OF" \
		--smp "$6" "${accel[@]}"
}

# part_wide NAME PREFIX KERNEL CPUS: the selftests on so many CPUs, in four nodes of memory,
# two of which are isolated, with thousands of pools; but those of what has nothing to do with CPUs.
# A node has two last-level caches.
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

# part_fault NAME PREFIX KERNEL NUMBER SEED: tasks that die, among many that do not.
part_fault()
{
	stress "$1" "$2" "$3" 3600 \
		"PROGRAM=torture PHASES=fault FAULTS=$4 GOODS=$(($4 * 100)) SEED=$5" \
		--add "$TOP/tools/testing/torture/run.sh"
}

# part_fuzz NAME PREFIX KERNEL SECONDS SEED [CORPUS]: with what KCOV says, if the kernel has
# it. In the directory CORPUS are calls to begin with, and those that reach something new
# are added. Natively threads of a process take turns, so there are several; and with no more
# CPUs than this machine has, a lock is rarely held by one that waits for a processor.
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
	if grep -q '^CONFIG_KCOV=y' "$("$TOP/scripts/kernel" path "$3" config)"; then
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

# part_demo NAME PREFIX: with the modules and tools of the tests, which is what the kernel of the demo
# has in a run of tests.
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

# cpu_seconds TIMES: the user's and the kernel's seconds of all that a shell has waited
# for, from what "times" says in it.
cpu_seconds()
{
	awk 'NR == 2 { split($1 $2, t, /[ms]/); print int((t[1] + t[3]) * 60 + t[2] + t[4]) }' "$1"
}

# run_part NAME FUNCTION ARG...: in the background; its output in one piece, what broke before all else.
run_part()
{
	local name=$1 log=$LOGS/part-$1.log start=$SECONDS
	shift
	export RESULTS=$LOGS/part-$name.results
	: >"$RESULTS"
	if ! "$@" >"$log" 2>&1 </dev/null && [ "$1" != part_lint ]; then
		result fail "$name.run" "the script that runs it failed: build/logs/$RUN/part-$name.log" >>"$log"
	fi
	# not in a pipe: that has a shell, and times, of its own
	times >"$LOGS/part-$name.times"
	printf '\n==== %s (%d s, %d s of the processors)\n' "$name" $((SECONDS - start)) \
		"$(cpu_seconds "$LOGS/part-$name.times")"
	show_failed "$RESULTS"
	cat "$log"
	show_counts "$name" "$RESULTS"
}

# start NAME FUNCTION ARG...: as soon as fewer than $JOBS run.
start()
{
	while [ "$(jobs -rp | wc -l)" -ge "$JOBS" ]; do
		wait -n || true
	done
	parts+=("$1")
	run_part "$@" &
}

# start_on PART KERNEL ARG...: the same for a part that runs on several kernels.
start_on() { start "$1-$2" "part_$1" "$1-$2" "$1.$2" "$2" "${@:3}"; }

# build KERNEL: one test; false if there is nothing to run then.
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
