# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# lib.sh - what the scripts share: where things are, messages, locks.
#
# Sourced, never run. Sets TOP (the source tree), BUILD (its build directory)
# and CACHE (kernels, fetched or built; outside the tree, kept between runs).

# The scripts read what other programs print, such as "Depends:", so it has to be English.
unset LANGUAGE
export LC_ALL=C.UTF-8
# Below make -s, a build would print nothing; below any make, make prints the directory it is in.
unset MAKEFLAGS MFLAGS MAKELEVEL
# What a kernel developer may have set is for other kernels than those of the scripts.
unset ARCH CROSS_COMPILE LLVM KBUILD_OUTPUT CDPATH

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck disable=SC2034
BUILD=$TOP/build
# Without $HOME, bash knows ~ from the password file.
HOME=${HOME:-$(unset HOME && echo ~)}
CACHE=${WPOOL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/wpool}
# Where scripts/build mounts the directory of a build while it compiles.
# shellcheck disable=SC2034
PLACE=$CACHE/module
PROG=${0##*/}

# The stock kernels that the tests run on.
# shellcheck disable=SC2034
STOCK_KERNELS="6.12 6.1 rt 7.2 7.3 rt-7.3 arm64 arm64-7.3"
# QEMU's arguments for a clock that counts instructions, with --accel tcg-single: one takes 2 ns. The
# guest gets no clock and no random numbers of this machine.
# shellcheck disable=SC2034
COUNTED_CLOCK="-icount shift=1,sleep=off -rtc base=2026-01-01,clock=vm -cpu max,la57=off,rdrand=off,rdseed=off"
# QEMU's arguments for a last-level cache in each die of --smp: only a processor of Intel shows it.
# shellcheck disable=SC2034
CACHE_A_DIE="-cpu max,vendor=GenuineIntel,la57=off,cx16=off"

note() { printf '%s: %s\n' "$PROG" "$*" >&2; }
die() { note "$*"; exit 1; }
# make cannot handle a blank in a name.
[[ $TOP$CACHE != *[[:space:]]* ]] || die "the paths of this tree and of the cache must not have a blank: $TOP, $CACHE"

# usage_from_header FILE: print the comment block that opens a script.
usage_from_header() { sed -n '3,/^[^#]/{/^#/!d; s/^# \{0,1\}//; p}' "$1"; }

# wrong_use STATUS: print the usage as an error, and exit.
wrong_use()
{
	usage_from_header "$0" >&2
	exit "$1"
}

# has_word WORD LIST...: is WORD in one of the lists of words?
has_word() { case " ${*:2} " in *" $1 "*) ;; *) return 1 ;; esac; }

# options SPEC ARG...: parse the arguments of a script. SPEC has a word for each option, without
# dashes, and sets the variable of that name, with "_" for "-": "name=" to a value, "name#" to a
# number, "name" to 1, "no-name" to nothing; "name@" adds a value to the array. Other arguments go
# to the array args: SPEC has each as "+word", or "..." for any. Arguments after "--" are not
# parsed; with "rest", nor are those from the first one on that SPEC does not have. --help prints
# the comment that opens the script.
options()
{
	local _spec=" ${1//[[:space:]]/ } " _name
	shift
	args=()
	while [ $# -gt 0 ]; do
		_name=${1#--}
		case $1 in
		-h | --help)
			usage_from_header "$0"
			exit
			;;
		--)
			args+=("${@:2}")
			return
			;;
		--*)
			case $_spec in
			*" $_name"[=#@]" "*)
				[ $# -ge 2 ] || die "$1 needs a value"
				case $_spec in
				*" $_name@ "*) eval "$_name+=(\"\$2\")" ;;
				*" $_name# "*) [[ $2 =~ ^(0|[1-9][0-9]*)$ ]] || die "$1 takes a number" ;;&
				*) printf -v "${_name//-/_}" %s "$2" ;;
				esac
				shift
				;;
			*" $_name "*)
				case $_name in
				no-*) printf -v "${_name#no-}" '' ;;
				*) printf -v "${_name//-/_}" 1 ;;
				esac
				;;
			*" rest "*) args+=("$@") && return ;;
			*) die "no option '$1', see --help" ;;
			esac
			;;
		*)
			case $_spec in
			*" +$1 "* | *" ... "*) args+=("$1") ;;
			*" rest "*) args+=("$@") && return ;;
			*) die "no '$1', see --help: $(grep -o '+[^ ]*' <<<"$_spec" | xargs | tr -d +)" ;;
			esac
			;;
		esac
		shift
	done
}

is_debian_12() { grep -qsx VERSION_CODENAME=bookworm "${OS_RELEASE:-/etc/os-release}"; }

# as_root COMMAND...: run COMMAND as root; sudo asks for a password only on a terminal.
as_root()
{
	if [ "$(id -u)" -eq 0 ]; then "$@"; elif [ -t 0 ]; then sudo "$@"; else sudo -n "$@"; fi
}

# under_lock FILE COMMAND...: run COMMAND with the lock FILE held. The lock ends with the process,
# so an interrupted run does not block later runs.
under_lock()
{
	(
		exec 9>"$1"
		flock -n 9 || { note "waiting for another run: ${1#"$TOP"/}" && flock 9; }
		"${@:2}"
	)
}

# locked NAME COMMAND...: run COMMAND with the cache's lock NAME held.
locked()
{
	mkdir -p "$CACHE/lock"
	under_lock "$CACHE/lock/$1" "${@:2}"
}

# built_kernels: print the names of the configurations in scripts/kernels/.
built_kernels()
{
	basename -s .config "$TOP"/scripts/kernels/*.config | grep -vx base
}

# known_kernel NAME: fail unless there is such a kernel.
known_kernel()
{
	has_word "$1" "$STOCK_KERNELS $(built_kernels | xargs)" ||
		die "no kernel '$1'; there are: $STOCK_KERNELS $(built_kernels | xargs)"
}

# arch_of NAME, triplet_of NAME: print the processor of a kernel, by Debian's name and by
# the compilers' name.
arch_of() { case $1 in arm64*) echo arm64 ;; *) echo amd64 ;; esac; }
triplet_of() { case $1 in arm64*) echo aarch64-linux-gnu ;; *) echo x86_64-linux-gnu ;; esac; }

# tools_of NAME: print where the programs for the kernel's processor are built.
tools_of() { case $1 in arm64*) echo "$BUILD/tools-arm64" ;; *) echo "$BUILD/tools" ;; esac; }

# is_native NAME: is the kernel user-mode Linux, a process of this machine?
is_native() { case $1 in native*) ;; *) return 1 ;; esac; }

# native_dir SIZE: make a directory for the memory of a native machine, and print its name. The
# memory is a file of SIZE (512M, 2G), which the machine maps executable.
native_dir()
{
	local kib
	kib=$(($(numfmt --from=iec "$1") / 1024))
	if [ -w /dev/shm ] && ! findmnt -no OPTIONS -T /dev/shm | grep -qw noexec &&
		[ "$(df --output=avail -k /dev/shm | tail -n 1)" -gt "$kib" ]; then
		mktemp -d /dev/shm/wpool-native.XXXXXX
	else
		mktemp -d "${TMPDIR:-/tmp}/wpool-native.XXXXXX"
	fi
}

is_stock() { has_word "$1" "$STOCK_KERNELS"; }

# cpus_here N: print N, or the number of this machine's CPUs if that is less.
cpus_here()
{
	if [ "$1" -le "$(nproc)" ]; then
		echo "$1"
	else
		note "$1 CPUs, and this machine has $(nproc): fewer"
		nproc
	fi
}

# ensure_kernel NAME: fetch or build the kernel, unless the cache has it.
ensure_kernel()
{
	"$TOP/scripts/kernel" "$(is_stock "$1" && echo fetch || echo build)" "$1"
}

# has_config KERNEL OPTION: does the kernel's configuration have CONFIG_OPTION=y?
has_config() { grep -q "^CONFIG_$2=y" "$("$TOP/scripts/kernel" path "$1" config)"; }

# commit_now: print the commit of this tree, with "+" if files differ from it.
commit_now()
{
	local commit
	commit=$(git -c safe.directory='*' -C "$TOP" rev-parse --short=12 HEAD 2>/dev/null) || commit=unknown
	[ -z "$(git -c safe.directory='*' -C "$TOP" status --porcelain -uno 2>/dev/null)" ] || commit=$commit+
	echo "$commit"
}

# all_files: print every file of the tree, committed or new, each with a NUL. Without git, these are
# all files but those in build/, and hidden ones that a build leaves.
all_files()
{
	local file
	if [ -e "$TOP/.git" ]; then
		git -c safe.directory='*' ls-files -z --cached --others --exclude-standard
	else
		find . -path ./build -prune -o -name .obj -prune -o ! -name '.*.cmd' -type f -printf '%P\0'
	fi | while IFS= read -r -d '' file; do
		[ ! -e "$file" ] || printf '%s\0' "$file"
	done
}

# put_block FILE NAME: replace the text between the comments "NAME: begin" and "NAME: end" by the
# input.
put_block()
{
	local text
	[ "$(grep -cxE "\.\. $2: (begin|end)" "$1")" = 2 ] || die "$1 has no '.. $2: begin' and end"
	text=$(BLOCK=$(cat) awk -v name="$2" '
	$0 == ".. " name ": end" { inside = 0 }
	!inside
	$0 == ".. " name ": begin" { print "\n" ENVIRON["BLOCK"] "\n"; inside = 1 }' "$1")
	printf '%s\n' "$text" >"$1"
}

# result {pass|fail|skip} NAME [REASON]: print the outcome of a test, and append it to
# the file $RESULTS if that is set.
result()
{
	local shown
	case $1 in
	pass) shown="ok      $2" ;;
	fail) shown="NOT OK  $2${3:+: $3}" ;;
	skip) shown="skip    $2: $3" ;;
	esac
	echo "$shown"
	[ -z "${RESULTS:-}" ] || printf '%s\t%s\t%s\n' "$1" "$2" "${3:-}" >>"$RESULTS"
}

# verdict NAME REASON COMMAND...: the test passes if COMMAND succeeds, else it fails for REASON.
verdict() { if "${@:3}"; then result pass "$1"; else result fail "$1" "$2"; fi; }

# results_begin FILE: count the outcomes in FILE, unless $RESULTS is the file of a caller.
results_begin()
{
	[ -z "${RESULTS:-}" ] || return 0
	mkdir -p "${1%/*}"
	: >"$1"
	export RESULTS=$1
	own_results=1
}

# results_end: print the summary, unless a caller does that; false if a test failed.
results_end() { [ -z "${own_results:-}" ] || summary "$RESULTS"; }

# summary FILE: print the number of tests by part, the most frequent reasons of skips, the failures
# by name, the time since $BEGAN, the place of the logs, and in the last line the counts. Without a
# failure it prints ten lines at most. Beside FILE, if that is build/logs/NAME/results,
# the file "skipped" has the number of skips for each reason. False if a test failed or nothing ran.
summary()
{
	local logs table=''
	logs=$(dirname "$1")
	case $logs in
	"$BUILD"/logs/*)
		logs=${logs#"$TOP"/}
		table=${1%results}skipped
		rm -f "$table"
		;;
	*) logs='' ;;
	esac
	awk -F'\t' -v logs="$logs" -v table="$table" -v where="${table#"$TOP"/}" \
		-v seconds="${BEGAN:+$((SECONDS - BEGAN))}" '
	$1 != "skip" {
		name = $2
		sub(/\..*/, "", name)
		if (!ran[name]++) part[++parts] = name
	}
	$1 == "pass" { passed++ }
	$1 == "fail" { failed++; bad[failed] = $2 ($3 == "" ? "" : ": " $3) }
	$1 == "skip" {
		skipped++
		if (!n[$3]++) why[++reasons] = $3
	}
	END {
		printf "\nran:"
		for (i = 1; i <= parts; i++) printf " %s %d%s", part[i], ran[part[i]], (i < parts ? "," : "")
		print (parts ? "" : " nothing was tested, which counts as a failure")
		for (rank = 1; rank <= reasons; rank++) {
			most = 0
			for (i = 1; i <= reasons; i++)
				if (n[why[i]] > n[why[most]]) most = i
			line = sprintf("%4d  %s", n[why[most]], why[most])
			if (table != "") print line >table
			if (rank <= 4) print "skipped: " line
			else left += n[why[most]]
			n[why[most]] = 0
		}
		if (left)
			printf "skipped: %4d  for %d other reason%s%s\n", left, reasons - 4,
			       reasons == 5 ? "" : "s", where == "" ? "" : ", see " where
		if (failed) print "\nfailed:"
		for (i = 1; i <= failed; i++) print "  " bad[i]
		if (seconds != "") printf "took: %d min %d s\n", seconds / 60, seconds % 60
		if (logs != "") print "logs: " logs ", each case by name: " logs "/results"
		if (!parts) failed = 1
		printf "%d passed, %d failed", passed, failed
		if (skipped) printf ", %d skipped", skipped
		printf "\n"
		exit failed > 0
	}' "$1"
}
