#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# bench-http.sh - in the virtual machine: make the measurements of an HTTP server in /files/plan,
# one a line, in this order. Each prints a line "bench: {...}"; one that fails prints "bench:
# failed: ...", and the next one follows.
#
#   wrk row=21 v=NAME peer=STYLE connections=N path=PATH seconds=S workers=N [close=1]
#   served row=21 v=NAME peer=STYLE connections=N path=PATH workers=N
#
# STYLE is wpool for the server of the sample; thread, percpu and unbound are styles of
# tools/bench/httpd. The clients are wrk, and served of tools/bench/served.c. With close=1
# each request has a connection of its own. c2c=1 is as in tools/bench/module/c2c.c.
#
# Each measurement has a server of its own, which first gets the same load for a second. The client
# runs on CPU 0, the server on any CPU.

PORT=8080
URL=http://127.0.0.1:$PORT
BENCH=/sys/kernel/debug/wpool_bench

# json CASE WORD...: print the request as members of a JSON object.
json()
{
	out="\"case\":\"$1\""
	shift
	for word; do
		key=${word%%=*} value=${word#*=}
		case $value in
		*[!0-9]*) out="$out,\"$key\":\"$value\"" ;;
		*) out="$out,\"$key\":$value" ;;
		esac
	done
	echo "$out"
}

accepted() { wget -q -O - "$URL/figures" | sed -n 's/^accepted //p'; }

# load SECONDS: run wrk, and print its output.
load()
{
	taskset 1 wrk -t 1 -c "$connections" -d "$1s" --timeout 60s -s /files/figures.lua \
		${close:+-H "Connection: close"} "$URL$path" 2>&1
}

# trip WHICH: print the round trip of a cache line between the CPUs as a member.
trip()
{
	[ -n "$c2c" ] || return 0
	echo "noop peer=kworker n=100 c2c=1" >$BENCH/run || return 0
	sed -n "s/.*\"c2c_$1_ns\":\([0-9]*\).*/,\"c2c_$1_ns\":\1/p" $BENCH/result
}

# measure_wrk: set $figures to the members, or $why to the reason why there are none.
measure_wrk()
{
	load 1 >/dev/null
	opened=$(accepted)
	before=$(trip before)
	load "$seconds" >/tmp/wrk
	# without a single answer the machine is too slow: take twice the time
	while grep -q '^wrk: requests 0$' /tmp/wrk && [ "$seconds" -lt 600 ]; do
		seconds=$((seconds * 2))
		opened=$(accepted)
		load "$seconds" >/tmp/wrk
	done
	after=$(trip after)
	# do not count the connection of accepted() itself
	opened=$(($(accepted) - opened - 1))
	requests=$(sed -n 's/^wrk: requests //p' /tmp/wrk)
	figures=$(sed -n 's/^wrk: {\(.*\)}$/\1/p' /tmp/wrk)
	if [ -z "$figures" ]; then
		why=$(sed -n 's/^wrk: failed: //p' /tmp/wrk)
		why=${why:-$(cat /tmp/wrk)}
	elif [ -n "$close" ] && [ "$opened" -lt "$requests" ]; then
		why="$requests requests on $opened connections"
	# one more connection: wrk uses it to check that there is a server
	elif [ -z "$close" ] && [ "$opened" -gt $((connections + 1)) ]; then
		why="$opened connections instead of $connections"
	fi
	figures=$figures$before$after
}

measure_served()
{
	load 1 >/dev/null
	before=$(trip before)
	if figures=$(taskset 1 /files/served $PORT "$connections" "$path" 2>/tmp/why); then
		figures=$ASKED,$figures$before$(trip after)
	else
		why=$(cat /tmp/why)
	fi
}

if [ ! -e /wpool/wpool_bench_httpd.ko ]; then
	echo "there is no wpool_bench_httpd.ko: is tools/bench built for this kernel?"
	exit 1
fi
ulimit -n 20000 || exit 1
ifconfig lo up || exit 1
insmod /wpool/wpool.ko || exit 1
insmod /wpool/wpool_bench.ko || exit 1

status=0
while read -r line; do
	case $line in '' | '#'*) continue ;; esac
	peer='' connections='' path='' seconds='' workers='' close='' c2c='' why='' figures=''
	# shellcheck disable=SC2086
	set -- $line
	ASKED=$(json "$@")
	export ASKED
	for word; do
		case $word in
		peer=* | connections=* | seconds=* | workers=* | close=* | c2c=* | path=*)
			eval "${word%%=*}=\${word#*=}"
			;;
		esac
	done
	server=wpool_bench_httpd style="style=$peer"
	# the style is no parameter of the server of the sample
	[ "$peer" != wpool ] || server=wpool_httpd style=''
	if ! insmod "/wpool/$server.ko" port=$PORT workers="$workers" ${style:+"$style"}; then
		why="no server"
	else
		case $1 in
		wrk) measure_wrk ;;
		served) measure_served ;;
		*) why="no such measurement" ;;
		esac </dev/null
		rmmod "$server" || why="the server's module cannot be removed"
	fi
	if [ -z "$why" ]; then
		echo "bench: {$figures}"
	else
		echo "bench: failed: $line: $why" | tr '\n' ' '
		echo
		status=1
	fi
done </files/plan
echo "bench: end"

rmmod wpool_bench && rmmod wpool || exit 1
exit $status
