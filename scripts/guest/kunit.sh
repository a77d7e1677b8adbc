#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kunit.sh - in the virtual machine: load the KUnit suites, which run at that.
# Their results are in the kernel's log, between two marks.

say() { echo "wpool-test: $1" >/dev/kmsg; }

if [ ! -e /wpool/wpool_kunit.ko ]; then
	echo "there is no wpool_kunit.ko: is kunit/ built for this kernel?"
	exit 1
fi

insmod /wpool/wpool.ko || exit 1
say start
insmod /wpool/wpool_kunit.ko || exit 1
say end

# That both can be unloaded afterwards is part of the test.
rmmod wpool_kunit || exit 1
rmmod wpool || exit 1
