# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# lib-hostile.sh - the part hostile of scripts/torture: tools/testing/hostile.
#
# Sourced after lib-test.sh, never run.

# lib-test.sh sets two of the variables.
# shellcheck disable=SC2154

HOSTILE=$TOP/tools/testing/hostile
HOSTILE_DIR=$BUILD/tools/hostile

# programs NAME PREFIX KERNEL VARIABLES OPTION...: run programs of tools/testing/hostile.
programs()
{
	part_selftest "$1" "$2" "$3" "TESTS_DIR=/hostile $4" --add "$HOSTILE_DIR:/hostile" "${@:5}"
}

# The last message of a kernel that ends in this way.
declare -A LAST_WORDS=([restart]='reboot: Restarting system' [poweroff]='reboot: Power down'
	[sysrq]='sysrq: Resetting' [kexec]='wpool-hostile: the second kernel is up')

# end_of_machine NAME PREFIX KERNEL HOW: end the machine under load. After kexec the second kernel
# writes a verdict. Otherwise the machine must end before the time-out, with the right last message.
end_of_machine()
{
	local log=$LOGS/$1.console says=$LOGS/$1.says where=build/logs/$RUN/$1.console
	local -a kernel=()
	[ "$4" != kexec ] || kernel=(--add "$("$TOP/scripts/kernel" path "$3" image):/files/kernel")
	run_vm "$1" "$3" --timeout 1200 --append "HOW=$4" --add "$HOSTILE_DIR/kexec:/hostile/kexec" \
		"${kernel[@]}" -- "$HOSTILE/end.sh" 2>"$says"
	if grep -q 'no verdict within' "$says"; then
		result fail "$2.$4" "the machine did not end: $where"
	elif ! grep -q "wpool-hostile: $4, busy [1-9]" "$log"; then
		result fail "$2.$4" "no pool was busy: $where"
	elif ! grep -q "${LAST_WORDS[$4]}" "$log"; then
		result fail "$2.$4" "it ended otherwise: $where"
	elif [ "$4" = kexec ] && [ "$vm_status" -ne 0 ] && [ "$vm_status" -ne 2 ]; then
		result fail "$2.$4" "the second kernel gave no verdict: $where"
	elif [ -s "$LOGS/$1.findings" ]; then
		result fail "$2.$4" "$(grep -v '^---' "$LOGS/$1.findings" | head -n 1): $where"
	else
		result pass "$2.$4"
		return
	fi
	cat "$says"
}

# part_hostile NAME PREFIX KERNEL
part_hostile()
{
	local how
	programs "$1" "$2" "$3" "BUT=oom,trace"
	# 256 MB are too little for KASAN and KCSAN
	if ! has_config "$3" KASAN && ! has_config "$3" KCSAN; then
		programs "$1-small" "$2.small" "$3" "ONLY=oom" --mem 256M
	fi
	if has_config "$3" KPROBE_EVENTS || has_config "$3" FUNCTION_TRACER; then
		choose_accel "$3"
		programs "$1-traced" "$2.traced" "$3" "ONLY=trace" --smp 4 "${accel[@]}" \
			--add "$TOP/tools/testing/torture/run.sh"
	fi
	for how in restart poweroff sysrq kexec; do
		case $how in
		kexec) has_config "$3" KEXEC_FILE || continue ;;
		# ACPI switches the machine off, which needs PCI
		poweroff) has_config "$3" PCI || continue ;;
		esac
		end_of_machine "$1-$how" "$2.end" "$3" $how
	done
}
