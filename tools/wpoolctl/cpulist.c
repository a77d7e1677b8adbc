// SPDX-License-Identifier: GPL-2.0
/* Lists of CPUs: single numbers and ranges, in any order, separated by commas. */
#include "cpulist.h"

#include <ctype.h>

static int bad_list(const char *s, struct errmsg *e)
{
	return errmsg_set(e, ERRMSG_Q " is not a list of CPUs such as 0-3,5, each below %d",
			  s, CPULIST_CPUS);
}

/* Parses a CPU number at *s and moves *s behind it; -1 if there is none. N is the last CPU. */
static int scan_cpu(const char **s)
{
	unsigned long n;

	if (**s == 'N') {
		(*s)++;
		n = sysconf(_SC_NPROCESSORS_CONF) - 1;
	} else if (isdigit((unsigned char)**s)) {
		n = strtoul(*s, (char **)s, 10);
	} else {
		return -1;
	}
	return n < CPULIST_CPUS ? (int)n : -1;
}

int cpulist_parse(const char *s, struct cpulist *cpus, struct errmsg *e)
{
	struct cpulist found = { };
	const char *at = strcmp(s, "all") ? s : "0-N";
	int first, last;

	for (;; at++) {
		first = scan_cpu(&at);
		last = first;
		if (first >= 0 && *at == '-') {
			at++;
			last = scan_cpu(&at);
		}
		if (first < 0 || last < first)
			return bad_list(s, e);
		for (; first <= last; first++)
			found.bits[first / 64] |= 1ULL << (first % 64);
		if (!*at)
			break;
		if (*at != ',')
			return bad_list(s, e);
	}
	*cpus = found;
	return 0;
}
