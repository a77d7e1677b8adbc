#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# dev_fuzz - random calls on /dev/wpool for a short time: one run with a fixed
# seed, and one with a new seed. For longer runs: ioctl_fuzz --seed N --calls N.

# shellcheck disable=SC2317
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$(dirname "$0")/tap.sh"

# fuzz ARGUMENT...: run the fuzzer; show its table only if something is wrong.
fuzz()
{
	"$HERE/ioctl_fuzz" --seconds 12 "$@" || fail "something is wrong, see above"
}

# Random calls pass all checks of the fuzzer. With one thread, every run makes the same calls until
# its time is over.
test_known_seed() { fuzz --seed 4711 --threads 1 --calls 20000; }

# Random calls with a new seed pass all checks of the fuzzer. The log has the seed.
test_fresh_seed()
{
	seed=$(($(date +%s) % 1000000000))
	echo "wpool-fuzz: seed $seed" >/dev/kmsg
	fuzz --seed "$seed" --threads 4 --calls 100000
}

run_tests "$@"
